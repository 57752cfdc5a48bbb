"""Double backward.

A ``Function`` gives a forward and a backward of your own.  With ``create_graph=True``, backward itself is
recorded, so that its result can be differentiated once more.  This works if backward only does what
autograd can follow.

Write ``Gaussian``, the function exp(-x * x), with a backward that can be differentiated any number of
times.

    x = gn.tensor(0.0, requires_grad=True)
    (first,) = gn.autograd.grad(Gaussian.apply(x), x, create_graph=True)   ->  0
    (second,) = gn.autograd.grad(first, x)                                 ->  -2
"""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon import Tensor


class Gaussian(gn.autograd.Function):
    """exp(-x * x)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        """The result.  ``ctx.save_for_backward`` keeps what backward needs."""
        raise NotImplementedError

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        """The gradient of ``x``, from that of the result.  ``ctx.saved_tensors`` is what was kept."""
        raise NotImplementedError
