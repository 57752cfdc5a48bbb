"""gnomon_jax: a backend on opaque, immutable memory, whose kernels XLA compiles.

memory     a storage's bytes in an immutable array, which writing replaces
strided    reads and writes tensors of any strides in a flat array
numbers    words of memory as numbers to compute with, and back
programs   makes functions of arrays into kernels: read, compute, write, compiled as one program
the others one family of operators each
backend    allocation, and the kernels of all families
"""

from .backend import JaxBackend

__all__ = ["JaxBackend"]
