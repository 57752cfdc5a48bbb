"""Derivative formulas.

Backward needs one formula for each operator: from the gradient of the result to the gradients of the
arguments.  In PyTorch they are in derivatives.yaml, in gnomon in each operator's record.

Write six of them.  Each function gets ``grad``, the operator's arguments and its result, and returns a
tuple with one gradient for each tensor argument.  All shapes are equal (but for mm), so nothing is
broadcast.  Use operators of tensors only (``*``, ``@``, ``exp()`` …): then the formulas can be
differentiated again, for second derivatives.

    exp(grad, self, result)  is  (grad * result,)  because the derivative of exp is exp

gradcheck marks your formulas: it compares them with finite differences.
"""

from __future__ import annotations

from gnomon import Tensor


def exp(grad: Tensor, self: Tensor, result: Tensor) -> tuple[Tensor]:
    """The gradient of ``self`` in ``self.exp()``."""
    raise NotImplementedError


def mul(grad: Tensor, self: Tensor, other: Tensor, result: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of ``self`` and ``other`` in ``self * other``."""
    raise NotImplementedError


def div(grad: Tensor, self: Tensor, other: Tensor, result: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of ``self`` and ``other`` in ``self / other``."""
    raise NotImplementedError


def tanh(grad: Tensor, self: Tensor, result: Tensor) -> tuple[Tensor]:
    """The gradient of ``self`` in ``self.tanh()``."""
    raise NotImplementedError


def mm(grad: Tensor, self: Tensor, mat2: Tensor, result: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of both matrices in ``self @ mat2``."""
    raise NotImplementedError


def pow(grad: Tensor, self: Tensor, exponent: float, result: Tensor) -> tuple[Tensor]:
    """The gradient of ``self`` in ``self ** exponent``, a number; also right at 0 if the exponent is 0."""
    raise NotImplementedError
