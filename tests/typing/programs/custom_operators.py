"""Operators of one's own through gn.library: kernels, a fake, a derivative."""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon import Tensor
from gnomon.library import custom_op, opcheck


@custom_op("typing_programs::scaled_square", mutates_args=())
def scaled_square(x: Tensor, scale: float = 1.0) -> Tensor:
    return scale * x * x


@scaled_square.register_fake
def scaled_square_fake(x: Tensor, scale: float = 1.0) -> Tensor:
    return gn.empty_like(x)


def setup(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    x, ctx.scale = inputs
    ctx.save_for_backward(x)


def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
    (x,) = ctx.saved_tensors
    return 2 * ctx.scale * grad * x, None


scaled_square.register_autograd(backward, setup_context=setup)


@custom_op("typing_programs::fill", mutates_args={"out"})
def fill(out: Tensor, value: int) -> None:
    out.fill_(value)


x = gn.tensor([1.0, 2.0], requires_grad=True)
y: Tensor = scaled_square(x, 3.0)
y.sum().backward()
assert x.grad is not None and x.grad.tolist() == [6.0, 12.0]
assert scaled_square(gn.empty(5, device="meta")).shape == (5,)
assert set(opcheck(scaled_square, (x,)).values()) == {"SUCCESS"}

place = gn.zeros(3)
fill(place, 4)
assert place.tolist() == [4.0, 4.0, 4.0]
assert gn.ops.typing_programs.scaled_square(x).tolist() == [1.0, 4.0]

library = gn.library.Library("typing_programs", "FRAGMENT")
library.define("twice(Tensor x) -> Tensor")


def twice(x: Tensor) -> Tensor:
    return x + x


library.impl("twice", twice, "CompositeImplicitAutograd")
assert gn.ops.typing_programs.twice(gn.ones(2)).tolist() == [2.0, 2.0]
