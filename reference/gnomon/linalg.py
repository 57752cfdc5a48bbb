"""Linear algebra: the operators named ``linalg_…``, under torch.linalg's names."""

from .bind import functions_of

globals().update(functions_of("linalg"))
