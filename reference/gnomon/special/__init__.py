"""Special functions: the operators named ``special_…``, under torch.special's names."""

from ..bindings.functions import functions_of

globals().update(functions_of("special"))
