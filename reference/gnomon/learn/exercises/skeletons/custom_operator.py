"""A custom operator.

A smooth absolute value: sqrt(x * x + width * width) - width.  As an operator of its own it is one step for
autograd and for all modes, with a better derivative formula than that of its parts.

Write the operator ``exercises::smooth_abs`` with ``gn.library``: ``define`` registers it and returns it.
Its schema is ``(Tensor x, float width=1.0) -> Tensor``.  It needs

- a kernel (the function ``smooth_abs``; its annotations and its default make the schema),
- a fake kernel: a result without numbers, for the meta device, with the same sizes and strides,
- a derivative, which can itself be differentiated.

The page docs/custom_operators.md shows how each of these is registered.

    operator = define()
    operator(gn.tensor([0.0, 1.0]), 0.0)  ->  tensor([0., 1.])
    gn.ops.exercises.smooth_abs(x)        is the same operator
"""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon import Tensor


def smooth_abs(x: Tensor, width: float = 1.0) -> Tensor:
    """The kernel, in operators of tensors."""
    raise NotImplementedError


def fake(x: Tensor, width: float = 1.0) -> Tensor:
    """A tensor of the result's sizes, strides and dtype."""
    raise NotImplementedError


def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    """Keep what backward needs in ``ctx``."""
    raise NotImplementedError


def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
    """The gradient of x, and None for width."""
    raise NotImplementedError


def define() -> gn.library.CustomOpDef:
    """Define the operator with all of this, and return it."""
    raise NotImplementedError
