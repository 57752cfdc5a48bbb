"""gnomon_torch: PyTorch's CPU kernels as a backend of gnomon.

Its purpose is testing: the conformance suite shows where PyTorch's kernels and gnomon's reference differ.  To
compute with PyTorch, use PyTorch.

backend          memory
kernels          calls PyTorch's operator with the same schema, on the same memory
claims           which dtypes PyTorch's kernels support
conformance.txt  where the two differ, with the reasons
"""

from .backend import TorchBackend

__all__ = ["TorchBackend"]
