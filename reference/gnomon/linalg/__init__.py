"""Linear algebra: the operators named ``linalg_…``, under torch.linalg's names."""

from ..bindings.functions import functions_of

globals().update(functions_of("linalg"))
