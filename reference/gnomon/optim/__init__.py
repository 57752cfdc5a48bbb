"""Optimizers: they change parameters by their gradients, in place.  Source: torch.optim.

A step is one operator for all parameters where that can be, else the operators of PyTorch's single-tensor
implementations, one by one; either way a training curve agrees with PyTorch's to rounding.
"""

from .adam import Adam, AdamW
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]
