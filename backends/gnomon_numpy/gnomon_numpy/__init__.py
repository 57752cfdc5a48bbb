"""gnomon_numpy: every kernel of a backend in NumPy.  Vectorised, and still short enough to be read.

arrays       tensors as ndarrays: views without copies, dtypes that NumPy lacks, casts
families     how a function of ndarrays becomes a kernel with a name and claimed dtypes
special, windows, tables, philox   what several families compute with
the others   one family of operators each
backend      memory, and the families put together
"""

from .backend import NumPyBackend

__all__ = ["NumPyBackend"]
