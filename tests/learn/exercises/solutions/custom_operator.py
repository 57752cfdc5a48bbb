"""A model answer."""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon import Tensor


def smooth_abs(x: Tensor, width: float = 1.0) -> Tensor:
    return (x * x + width * width).sqrt() - width


def fake(x: Tensor, width: float = 1.0) -> Tensor:
    return gn.empty_like(x)


def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, ctx.width = inputs
    ctx.save_for_backward(x)


def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
    (x,) = ctx.saved_tensors
    return grad * x / (x * x + ctx.width * ctx.width).sqrt(), None


def define() -> gn.library.CustomOpDef:
    operator = gn.library.custom_op("exercises::smooth_abs", mutates_args=())(smooth_abs)
    operator.register_fake(fake)
    operator.register_autograd(backward, setup_context=setup_context)
    return operator
