"""Operators on quantized tensors whose results are quantized alike, comparisons, and single numbers.

Source: aten/src/ATen/native/quantized/cpu (qrelu.cpp, qclamp.cpp, qsigmoid.cpp, qtanh.cpp, qprelu.cpp,
MinMax, Sorting.cpp, ReduceOps.cpp, BinaryOps.cpp).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.dtype import float32, float64, int64, qint8, qint32, quint8, round_to_float32
from ..values.geometry import wrap_dims
from .arithmetic import dequantize, parameters_of, quantize, to_integers
from .functions import leaky, replaced, sloped
from .quantizer import PerTensorAffine
from .registration import quantized_kernel
from .steps import numbers_of, quantized_like
from .tensor import QuantizedTensor, make_quantized


def like(self: QuantizedTensor, held: Tensor) -> QuantizedTensor:
    return make_quantized(held, self.quantizer)


def number_in(self: QuantizedTensor, value: Any) -> int:
    """The integer that represents a Python number."""
    parameters = parameters_of(self)
    number = aten.full.default((), float(value), float32, None, self._spec.device, None)
    return int(quantize(number, parameters, self._spec.dtype).held.item())


@quantized_kernel("_local_scalar_dense")
def _item(self: QuantizedTensor) -> float:
    return dequantize(self).item()


@quantized_kernel("equal")
def _equal(self: Tensor, other: Tensor) -> bool:
    if not isinstance(self, QuantizedTensor) or not isinstance(other, QuantizedTensor):
        return False
    if self._spec.dtype is not other._spec.dtype or not self.quantizer.same(other.quantizer):
        return False
    return aten.equal.default(self.held, other.held)


def _numbers(value: Any) -> Any:
    return dequantize(value) if isinstance(value, QuantizedTensor) else value


def _comparison(name: str) -> None:
    operator = aten._find(name)
    quantized_kernel(name)(lambda self, other: operator(_numbers(self), _numbers(other)))


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    for _overload in ("Tensor", "Scalar"):
        if _overload in aten._packets[_name].overloads:
            _comparison(f"{_name}.{_overload}")


# -- elements ------------------------------------------------------------------------------------------------


def _rectified(self: QuantizedTensor) -> Tensor:
    return self.held.clamp_min(parameters_of(self).zero_point)


quantized_kernel("relu")(lambda self: like(self, _rectified(self)))


@quantized_kernel("relu_")
def _relu_in_place(self: QuantizedTensor) -> QuantizedTensor:
    self.held.copy_(_rectified(self))
    return self


@quantized_kernel("clamp")
def _clamp(self: QuantizedTensor, min: Any, max: Any) -> QuantizedTensor:
    low, high = (None if each is None else number_in(self, each) for each in (min, max))
    return like(self, self.held.clamp(low, high))


@quantized_kernel("hardtanh")
def _hardtanh(self: QuantizedTensor, min_val: Any, max_val: Any) -> QuantizedTensor:
    return _clamp(self, min_val, max_val)


@quantized_kernel("fill_.Scalar")
def _fill(self: QuantizedTensor, value: Any) -> QuantizedTensor:
    if isinstance(self.quantizer, PerTensorAffine):
        self.held.fill_(number_in(self, value))
        return self
    numbers = aten.full.default(self._spec.sizes, float(value), float32, None, self._spec.device, None)
    self.held.copy_(to_integers(numbers, self.quantizer, self._spec.dtype))
    return self


def _full_like(self: QuantizedTensor, value: Any, *options: Any) -> QuantizedTensor:
    return _fill(aten.empty_like.default(self, *options), value)


quantized_kernel("full_like")(_full_like)
quantized_kernel("ones_like")(lambda self, *options: _full_like(self, 1.0, *options))


@quantized_kernel("masked_fill.Scalar")
def _masked_fill(self: QuantizedTensor, mask: Tensor, value: Any) -> QuantizedTensor:
    return like(self, self.held.masked_fill(mask, number_in(self, value)))


@quantized_kernel("masked_fill.Tensor")
def _masked_fill_by_tensor(self: QuantizedTensor, mask: Tensor, value: Tensor) -> QuantizedTensor:
    if value._spec.ndim:
        raise RuntimeError(
            "masked_fill only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._spec.ndim} dimension(s)."
        )
    return _masked_fill(self, mask, value.item())


# Of the results of sigmoid and tanh: the scale and the zero point, which serve the whole range.
_RANGES = {
    "sigmoid": {quint8: (1 / 256, 0), qint8: (1 / 256, -128), qint32: (1.0 / (1 << 32), 0)},
    "hardsigmoid": {quint8: (1 / 256, 0), qint8: (1 / 256, -128), qint32: (1.0 / (1 << 32), 0)},
    "tanh": {quint8: (2 / 256, 128), qint8: (2 / 256, 0), qint32: (2.0 / (1 << 32), 0)},
}


def _of_numbers(name: str) -> None:
    """Register the kernel of a function that is computed in float32, with a range of its own."""
    operator = aten._find(name)

    def run(self: QuantizedTensor) -> QuantizedTensor:
        parameters_of(self)
        kind = self._spec.dtype
        return quantize(operator(dequantize(self)), PerTensorAffine(*_RANGES[name][kind]), kind)

    quantized_kernel(name)(run)


for _name in _RANGES:
    _of_numbers(_name)


@quantized_kernel("hardsigmoid_")
def _hardsigmoid_in_place(self: QuantizedTensor) -> Tensor:
    return self.copy_(aten.hardsigmoid.default(self))


def _of_own_range(name: str) -> None:
    """Register the kernel of a function that is computed in float32, and quantized like its operand."""
    operator = aten._find(name)

    def run(self: QuantizedTensor, *arguments: Any) -> QuantizedTensor:
        own = parameters_of(self)
        return quantized_like(
            operator(numbers_of(self), *arguments),
            self._spec.dtype,
            round_to_float32(own.scale),
            own.zero_point,
        )

    quantized_kernel(name)(run)


_of_own_range("gelu")


@quantized_kernel("leaky_relu")
def _leaky_relu(self: QuantizedTensor, negative_slope: Any) -> QuantizedTensor:
    own = parameters_of(self)
    return leaky(self, negative_slope, own.scale, own.zero_point)


@quantized_kernel("leaky_relu_")
def _leaky_relu_in_place(self: QuantizedTensor, negative_slope: Any) -> QuantizedTensor:
    self.held.copy_(_leaky_relu(self, negative_slope).held)
    return self


@quantized_kernel("threshold")
def _threshold(self: QuantizedTensor, threshold: Any, value: Any) -> QuantizedTensor:
    return replaced(self, threshold, value)


@quantized_kernel("_prelu_kernel")
def _prelu(self: QuantizedTensor, weight: Tensor) -> QuantizedTensor:
    own = parameters_of(self)
    return sloped(self, weight, own.scale, own.zero_point)


@quantized_kernel("hardtanh_")
def _hardtanh_in_place(self: QuantizedTensor, min_val: Any, max_val: Any) -> QuantizedTensor:
    self.held.copy_(_clamp(self, min_val, max_val).held)
    return self


# -- order and reductions ------------------------------------------------------------------------------------


def _ordered(name: str) -> None:
    """Register the kernel of an operator that selects elements by their order: that of the integers."""
    operator = aten._find(name)

    def run(self: QuantizedTensor, *arguments: Any) -> Any:
        parameters_of(self)
        found = operator(self.held, *arguments)
        if isinstance(found, Tensor):
            return like(self, found)
        return (like(self, found[0]), *found[1:])

    quantized_kernel(name)(run)


for _name in ("max", "min", "max.dim", "min.dim", "sort", "sort.stable", "topk"):
    _ordered(_name)


def _of_last_dims(self: QuantizedTensor, dims: Sequence[int]) -> bool:
    """Whether a mean over ``dims`` (none: all) is one of elements that follow each other in memory."""
    ndim = self._spec.ndim
    reduced = wrap_dims(dims, ndim) or range(ndim)
    return self.held.is_contiguous() and sorted(reduced) == [*range(ndim - len(reduced), ndim)]


def _mean_of_dims(
    self: QuantizedTensor, dim: Sequence[int] | None, keepdim: bool, dtype: Any
) -> QuantizedTensor:
    """The mean of the integers over the last dimensions of a dense tensor, else that of the numbers.

    Only their roundings differ.  The sums are exact, so that halves are rounded alike on every backend.
    """
    own, dims = parameters_of(self), list(dim or ())
    if dtype not in (None, self._spec.dtype):
        raise RuntimeError(f"ScalarType {dtype.scalar_type} is not supported in new_qtensor.")
    if _of_last_dims(self, dims):
        sums = aten.sum.dim_IntList(self.held, dims, keepdim, int64)
        means = sums.to(float32) / (self._spec.numel // max(sums._spec.numel, 1))
        return like(self, to_integers(means, PerTensorAffine(1.0, 0), self._spec.dtype))
    means = aten.mean.dim(dequantize(self).to(float64), dims, keepdim, None)
    return quantize(means.to(float32).contiguous(), own, self._spec.dtype)


quantized_kernel("mean.dim")(_mean_of_dims)
quantized_kernel("mean")(lambda self, dtype: _mean_of_dims(self, None, False, dtype))


@quantized_kernel("std.correction")
def _std(self: QuantizedTensor, dim: Sequence[int] | None, correction: Any, keepdim: bool) -> QuantizedTensor:
    """That of the numbers, computed in float64, so that halves are rounded alike on every backend."""
    found = aten.std.correction(dequantize(self).to(float64), dim, correction=correction, keepdim=keepdim)
    return quantize(found.to(float32).contiguous(), parameters_of(self), self._spec.dtype)
