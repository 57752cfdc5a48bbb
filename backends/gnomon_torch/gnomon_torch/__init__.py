"""gnomon_torch: PyTorch's CPU kernels as a backend of gnomon.

It is here to be tested: the conformance suite says of it where PyTorch's kernels and gnomon's reference
differ.  To compute with PyTorch, use PyTorch.

backend          memory
kernels          how an operator's schema becomes a call of PyTorch's operator of that name, over our memory
claims           which dtypes PyTorch's kernels take
conformance.txt  where the two differ, with the reasons
"""

from .backend import TorchBackend

__all__ = ["TorchBackend"]
