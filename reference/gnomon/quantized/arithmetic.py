"""From numbers to integers and back.

The result of a rounding depends on the order of the steps, which is that of PyTorch's vectorized kernels.

Source: aten/src/ATen/native/quantized/AffineQuantizer.cpp, fbgemm's QuantUtils.h (Quantize, Dequantize,
ChooseQuantizationParams).
"""

from __future__ import annotations

import math

from ..memory.tensor import Tensor
from ..numerics.quantization import choose_scale
from ..values.dtype import QUANTIZED, dtype, float32, float64, int64, qint32, quint8, round_to_float32
from .quantizer import PerChannelAffine, PerTensorAffine, Quantizer
from .tensor import QuantizedTensor, make_quantized


def limits_of(kind: dtype) -> tuple[int, int]:
    """The least and the largest integer of a quantized dtype."""
    most = 2 ** (kind.bits - kind._is_signed) - 1
    return (-most - 1 if kind._is_signed else 0), most


def inverse_of(scale: float) -> float:
    """1 / scale in float32."""
    single = round_to_float32(scale)
    return round_to_float32(1.0 / single) if single else math.copysign(math.inf, single)


def check_zero_point(zero_point: int, kind: dtype, name: str) -> None:
    """Raises RuntimeError for a zero point that the dtype does not have."""
    least, most = limits_of(kind)
    if zero_point < least:
        raise RuntimeError(f"{name} zero_point {zero_point} is below lower bound.")
    if zero_point > most:
        raise RuntimeError(f"{name} zero_point {zero_point} is above upper bound.")


def to_integers(numbers: Tensor, quantizer: Quantizer, kind: dtype) -> Tensor:
    """The integers, of the dtype that ``kind`` holds, that represent float32 ``numbers`` of any layout.

    Halves are rounded to even, after the zero point is added; what is too large for ``kind`` becomes its
    largest or least integer.  The product with 1 / scale and the sum with the zero point are rounded once for
    8 bits and one scale (an fma), else each of them is.
    """
    least, most = limits_of(kind)
    nan = most
    if isinstance(quantizer, PerTensorAffine):
        inverse = inverse_of(quantizer.scale)
        if kind is qint32:
            steps = numbers * inverse + quantizer.zero_point
        else:
            steps = (numbers.to(float64) * inverse + quantizer.zero_point).to(float32)
    else:
        ndim = numbers._spec.ndim
        scales, zero_points = (
            quantizer.along(each, ndim).to(float32) for each in (quantizer.scales, quantizer.zero_points)
        )
        steps = numbers * scales.reciprocal() + zero_points
        nan = least
    steps = steps.round().to(float64).nan_to_num(nan, most, least)  # float32 has not the limits of qint32
    return steps.clamp(least, most).to(QUANTIZED[kind])


def to_numbers(held: Tensor, quantizer: Quantizer) -> Tensor:
    """The float32 numbers that integers represent."""
    if isinstance(quantizer, PerTensorAffine):
        return (held.to(int64) - quantizer.zero_point).to(float32) * round_to_float32(quantizer.scale)
    ndim = held._spec.ndim
    scales = quantizer.along(quantizer.scales, ndim).to(float32)
    zero_points = quantizer.along(quantizer.zero_points, ndim)
    if zero_points._spec.dtype is int64:
        return (held.to(int64) - zero_points).to(float32) * scales
    return (held.to(float32) - zero_points) * scales


def quantize(numbers: Tensor, quantizer: Quantizer, kind: dtype) -> QuantizedTensor:
    """A new quantized tensor of float32 ``numbers``, which are contiguous or in channels_last."""
    return make_quantized(to_integers(numbers, quantizer, kind), quantizer)


def dequantize(tensor: QuantizedTensor) -> Tensor:
    """Its numbers, float32."""
    return to_numbers(tensor.held, tensor.quantizer)


def choose_parameters(
    low: float, high: float, kind: dtype = quint8, reduce_range: bool = False
) -> tuple[float, int]:
    """The scale and the zero point for numbers from ``low`` to ``high``, so that 0 is represented exactly.

    ``reduce_range``: half of the integers, so that sums of two products of 8 bits fit 16.
    """
    least, most = limits_of(kind)
    if reduce_range:
        least, most = int(least / 2), int(most / 2)
    return choose_scale(low, high, least, most)


def parameters_of(tensor: QuantizedTensor) -> PerTensorAffine:
    """The only scale and zero point.  Raises RuntimeError for one that is quantized per channel."""
    if not isinstance(tensor.quantizer, PerTensorAffine):
        raise RuntimeError(
            f"expected the scheme gnomon.per_tensor_affine, got {tensor.quantizer.scheme!r}: each channel "
            "has a scale"
        )
    return tensor.quantizer


def channels_of(tensor: QuantizedTensor) -> PerChannelAffine:
    """The scales and zero points.  Raises RuntimeError for a tensor that is quantized as a whole."""
    if not isinstance(tensor.quantizer, PerChannelAffine):
        raise RuntimeError(
            "expected the scheme gnomon.per_channel_affine, got gnomon.per_tensor_affine: there is one scale"
        )
    return tensor.quantizer
