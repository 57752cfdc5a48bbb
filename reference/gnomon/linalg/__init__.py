"""Linear algebra: the operators named ``linalg_…``, under torch.linalg's names."""

from ..bindings.functions import functions_of
from ..values.errors import LinAlgError as LinAlgError

globals().update(functions_of("linalg"))
