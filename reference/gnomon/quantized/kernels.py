"""Operators on quantized tensors whose results are quantized alike, comparisons, and single numbers.

Source: aten/src/ATen/native/quantized/cpu (qrelu.cpp, qclamp.cpp, qsigmoid.cpp, qtanh.cpp, qmax_pool, MinMax,
Sorting.cpp, ReduceOps.cpp, BinaryOps.cpp).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.dtype import float32, float64, int64, qint8, qint32, quint8
from ..values.geometry import wrap_dims
from .arithmetic import dequantize, parameters_of, quantize, to_integers
from .construction import quantized_function
from .functions import leaky, numbers_of, quantized_like, replaced
from .quantizer import PerTensorAffine
from .registration import quantized_kernel
from .tensor import QuantizedTensor, make_quantized


def _like(self: QuantizedTensor, held: Tensor) -> QuantizedTensor:
    return make_quantized(held, self.quantizer)


def _number_in(self: QuantizedTensor, value: Any) -> int:
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
    if self._spec.dtype is qint32:
        raise NotImplementedError("relu: not implemented for dtype qint32")
    return self.held.clamp_min(parameters_of(self).zero_point)


quantized_kernel("relu")(lambda self: _like(self, _rectified(self)))


@quantized_kernel("relu_")
def _relu_in_place(self: QuantizedTensor) -> QuantizedTensor:
    self.held.copy_(_rectified(self))
    return self


@quantized_kernel("clamp")
def _clamp(self: QuantizedTensor, min: Any, max: Any) -> QuantizedTensor:
    low, high = (None if each is None else _number_in(self, each) for each in (min, max))
    return _like(self, self.held.clamp(low, high))


@quantized_kernel("hardtanh")
def _hardtanh(self: QuantizedTensor, min_val: Any, max_val: Any) -> QuantizedTensor:
    return _clamp(self, min_val, max_val)


@quantized_kernel("fill_.Scalar")
def _fill(self: QuantizedTensor, value: Any) -> QuantizedTensor:
    self.held.fill_(_number_in(self, value))
    return self


@quantized_kernel("masked_fill.Scalar")
def _masked_fill(self: QuantizedTensor, mask: Tensor, value: Any) -> QuantizedTensor:
    return _like(self, self.held.masked_fill(mask, _number_in(self, value)))


# Of the results of sigmoid and tanh: the scale and the zero point, which serve the whole range.
_RANGES = {
    "sigmoid": {quint8: (1 / 256, 0), qint8: (1 / 256, -128), qint32: (1.0 / (1 << 32), -(1 << 31))},
    "hardsigmoid": {quint8: (1 / 256, 0), qint8: (1 / 256, -128), qint32: (1.0 / (1 << 32), -(1 << 31))},
    "tanh": {quint8: (2 / 256, 128), qint8: (2 / 256, 0), qint32: (2.0 / (1 << 32), 0)},
}


def _of_numbers(name: str) -> None:
    """Register the kernel of a function that is computed in float32, with a range of its own."""
    operator = aten._find(name)

    def run(self: QuantizedTensor) -> QuantizedTensor:
        kind = self._spec.dtype
        return quantize(operator(dequantize(self)), PerTensorAffine(*_RANGES[name][kind]), kind)

    quantized_kernel(name)(run)


for _name in _RANGES:
    _of_numbers(_name)


def _of_own_range(name: str) -> None:
    """Register the kernel of a function that is computed in float32, and quantized like its operand."""
    operator = aten._find(name)

    def run(self: QuantizedTensor, *arguments: Any) -> QuantizedTensor:
        own = parameters_of(self)
        return quantized_like(
            operator(numbers_of(self), *arguments), self._spec.dtype, own.scale, own.zero_point
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
            return _like(self, found)
        return (_like(self, found[0]), *found[1:])

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
    dims = list(dim or ())
    if dtype is None and isinstance(self.quantizer, PerTensorAffine) and _of_last_dims(self, dims):
        sums = aten.sum.dim_IntList(self.held, dims, keepdim, int64)
        means = sums.to(float32) / (self._spec.numel // max(sums._spec.numel, 1))
        return _like(self, to_integers(means, PerTensorAffine(1.0, 0), self._spec.dtype))
    numbers = dequantize(self)
    if dtype is None:
        numbers = numbers.to(float64)
    means = aten.mean.dim(numbers, dims, keepdim, dtype)
    return quantize(means.to(float32).contiguous(), self.quantizer, self._spec.dtype)


quantized_kernel("mean.dim")(_mean_of_dims)
quantized_kernel("mean")(lambda self, dtype: _mean_of_dims(self, None, False, dtype))


# -- pooling and resampling ----------------------------------------------------------------------------------


def _max_pool(
    self: QuantizedTensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> QuantizedTensor:
    """The integers are exact in float32; what pads them is below all."""
    parameters_of(self)
    function = aten.max_pool1d if len(kernel_size) == 1 else aten.max_pool2d
    found = function.default(self.held.to(float32), kernel_size, stride, padding, dilation, ceil_mode)
    return _like(self, found.to(self.held._spec.dtype))


for _ndim, _name in enumerate(("max_pool1d", "max_pool2d"), 1):
    quantized_kernel(_name)(_max_pool)
    quantized_function(
        f"quantized_{_name}(Tensor self, int[{_ndim}] kernel_size, int[{_ndim}] stride=[], "
        f"int[{_ndim}] padding=0, int[{_ndim}] dilation=1, bool ceil_mode=False) -> Tensor",
        f"{_name} of a quantized tensor.  Raises NotImplementedError for one that is not.",
        None,
        _max_pool,
    )


def _by_numbers(name: str) -> None:
    """Register the kernel of a layer that takes means: of the integers without the zero point, in float32."""
    operator = aten._find(name)

    def run(self: QuantizedTensor, *arguments: Any) -> QuantizedTensor:
        zero_point = parameters_of(self).zero_point
        differences = (self.held.to(int64) - zero_point).to(float32)
        unscaled = PerTensorAffine(1.0, zero_point)
        return _like(self, to_integers(operator(differences, *arguments), unscaled, self._spec.dtype))

    quantized_kernel(name)(run)


for _name in ("avg_pool2d", "adaptive_avg_pool2d", "upsample_nearest2d"):
    if _name in aten._packets:
        _by_numbers(_name)
