"""Sums of gradients, also of one that is sparse and one that is strided.

Source: torch/csrc/autograd/input_buffer.cpp (accumulate), functions/accumulate_grad.h.
"""

from __future__ import annotations

from ..memory.tensor import Tensor
from ..values.device import strided
from ..values.dispatch_key import SPARSE


def sum_of(present: Tensor, gradient: Tensor) -> Tensor:
    """The sum of two gradients.  That of a sparse and a strided one is strided, whichever came first."""
    if present._keys & SPARSE and gradient._spec.layout is strided:
        return gradient + present
    return present + gradient
