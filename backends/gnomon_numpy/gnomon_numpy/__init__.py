"""gnomon_numpy: a backend with all kernels in NumPy, vectorized, and short enough to be read.

arrays       tensors as ndarrays: views without copies, dtypes that NumPy lacks, casts
families     registers functions of ndarrays as kernels with a name and claimed dtypes
special, windows, tables, philox   helpers of several families
the others   one family of operators each
backend      memory, and the kernels of all families
"""

from .backend import NumPyBackend

__all__ = ["NumPyBackend"]
