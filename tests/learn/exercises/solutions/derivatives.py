"""A model answer."""

from __future__ import annotations

import gnomon as gn
from gnomon import Tensor


def exp(grad: Tensor, self: Tensor, result: Tensor) -> tuple[Tensor]:
    return (grad * result,)


def mul(grad: Tensor, self: Tensor, other: Tensor, result: Tensor) -> tuple[Tensor, Tensor]:
    return grad * other, grad * self


def div(grad: Tensor, self: Tensor, other: Tensor, result: Tensor) -> tuple[Tensor, Tensor]:
    return grad / other, -grad * self / (other * other)


def tanh(grad: Tensor, self: Tensor, result: Tensor) -> tuple[Tensor]:
    return (grad * (1 - result * result),)


def mm(grad: Tensor, self: Tensor, mat2: Tensor, result: Tensor) -> tuple[Tensor, Tensor]:
    return grad @ mat2.t(), self.t() @ grad


def pow(grad: Tensor, self: Tensor, exponent: float, result: Tensor) -> tuple[Tensor]:
    if exponent == 0:
        return (gn.zeros_like(self),)
    return (grad * exponent * self ** (exponent - 1),)
