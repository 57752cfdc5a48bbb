"""Pointwise operators on opaque tensors: those of the strided tensors that they hold.

Source: aten/src/ATen/native/mkldnn/BinaryOps.cpp, Relu.cpp, Gelu.cpp, Prelu.cpp, UnaryOps.cpp, SoftMax.cpp.
"""

from __future__ import annotations

from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from .conversion import mkldnn_kernel
from .tensor import MkldnnTensor, dense, held_as, like, opaque_operand, packed


def _pair(name: str, self: Tensor, other: Tensor) -> tuple[MkldnnTensor, Tensor]:
    """The first operand, and the elements of the second one in its format."""
    first, second = opaque_operand(self), opaque_operand(other)
    if first._spec.sizes != second._spec.sizes:
        raise RuntimeError(
            f"{name}: currently mkldnn not support broadcasting, got sizes {list(first._spec.sizes)} and "
            f"{list(second._spec.sizes)}"
        )
    return first, held_as(second, first)


@mkldnn_kernel("add.Tensor")
def _add(self: Tensor, other: Any, alpha: Any) -> MkldnnTensor:
    first, held = _pair("mkldnn_add", self, other)
    return like(first, first.held.add(held, alpha=alpha))


@mkldnn_kernel("mul.Tensor")
def _mul(self: Tensor, other: Any) -> MkldnnTensor:
    if isinstance(self, MkldnnTensor) and (not isinstance(other, Tensor) or not other._spec.ndim):
        return like(self, self.held.mul(other))
    if isinstance(other, MkldnnTensor) and (not isinstance(self, Tensor) or not self._spec.ndim):
        return like(other, other.held.mul(self))
    first, held = _pair("mkldnn_mul_out", self, other)
    return like(first, first.held.mul(held))


def _unary(name: str) -> None:
    operator = getattr(aten, name).default
    mkldnn_kernel(name)(lambda self: like(self, operator(self.held)))


for _name in ("relu", "sigmoid", "tanh"):
    _unary(_name)


@mkldnn_kernel("gelu")
def _gelu(self: MkldnnTensor, approximate: str) -> MkldnnTensor:
    if approximate != "none":
        raise RuntimeError("mkldnn_gelu: fast, approximate gelu is not supported")
    return like(self, aten.gelu.default(self.held, approximate))


@mkldnn_kernel("gelu_backward")
def _gelu_backward(grad_output: Tensor, self: Tensor, approximate: str) -> MkldnnTensor:
    grad, held = _pair("mkldnn_gelu_backward", grad_output, self)
    return like(grad, aten.gelu_backward.default(grad.held, held, approximate))


@mkldnn_kernel("threshold_backward")
def _threshold_backward(grad_output: Tensor, self: Tensor, threshold: Any) -> MkldnnTensor:
    grad, held = _pair("mkldnn_relu_backward", grad_output, self)
    return like(grad, aten.threshold_backward.default(grad.held, held, threshold))


@mkldnn_kernel("_softmax")
def _softmax(self: MkldnnTensor, dim: int, half_to_float: bool) -> MkldnnTensor:
    if half_to_float:
        raise RuntimeError("softmax with half to float conversion is not supported on Mkldnn")
    return packed(aten._softmax.default(dense(self), dim, False))


@mkldnn_kernel("_prelu_kernel")
def _prelu(self: Tensor, weight: Tensor) -> MkldnnTensor:
    return packed(aten._prelu_kernel.default(dense(opaque_operand(self)), dense(weight)))


@mkldnn_kernel("_prelu_kernel_backward")
def _prelu_backward(grad_output: Tensor, self: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    given = (dense(each) for each in (grad_output, self, weight))
    of_input, of_weight = aten._prelu_kernel_backward.default(*given)
    return packed(of_input), packed(of_weight) if isinstance(weight, MkldnnTensor) else of_weight
