"""Optimizers: they change parameters by their gradients, in place.  Source: torch.optim.

The arithmetic is that of PyTorch's single-tensor implementations, operation by operation, so that a
training curve agrees with PyTorch's to rounding.
"""

from .adam import Adam, AdamW
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]
