"""Optimizers, which update parameters in place from their gradients.  Source: torch.optim.

A step is one fused operator for all parameters if possible, else the sequence of operators of PyTorch's
single-tensor implementation; either way a training curve agrees with PyTorch's up to rounding.
"""

from .adam import Adam, AdamW
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]
