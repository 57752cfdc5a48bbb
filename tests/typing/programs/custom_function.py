"""Functions with a derivative of their own: with a context, with setup_context, twice differentiable."""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon import Tensor
from gnomon.autograd import Function
from gnomon.autograd.function import FunctionCtx, once_differentiable


class Cube(Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, scale: float) -> Tensor:
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * x**3

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (x,) = ctx.saved_tensors
        return grad * 3 * ctx.scale * x**2, None


class Sign(Function):
    """The straight-through estimator."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.sign()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        (x,) = inputs
        ctx.mark_non_differentiable()
        ctx.inside = x.abs() <= 1

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return gn.where(ctx.inside, grad, 0.0)


def cube(x: Tensor, scale: float = 1.0) -> Tensor:
    result: Tensor = Cube.apply(x, scale)
    return result


x = gn.tensor([1.0, -2.0], requires_grad=True, dtype=gn.float64)
y = cube(x, 2.0)
(first,) = gn.autograd.grad(y.sum(), x, create_graph=True)
(second,) = gn.autograd.grad(first.sum(), x)
assert first.tolist() == [6.0, 24.0] and second.tolist() == [12.0, -24.0]
assert gn.autograd.gradcheck(cube, (x,)) and gn.autograd.gradgradcheck(cube, (x,))

z = gn.tensor([0.5, -3.0], requires_grad=True)
Sign.apply(z).sum().backward()
assert z.grad is not None and z.grad.tolist() == [1.0, 0.0]
