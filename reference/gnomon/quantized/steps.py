"""The steps of PyTorch's kernels for quantized tensors, and the check of their operands.

Source: aten/src/ATen/cpu/vec/vec512/vec512_qint.h.
"""

from __future__ import annotations

from typing import Any

from ..memory.tensor import Tensor
from ..values.dtype import QUANTIZED, dtype, float32, float64, int64, qint32, round_to_float32
from .arithmetic import check_zero_point, inverse_of, limits_of, parameters_of, quantize
from .quantizer import PerTensorAffine
from .registration import no_kernel, place_of
from .tensor import QuantizedTensor, make_quantized


def check_quantized(name: str, *tensors: Any) -> None:
    for each in tensors:
        if not isinstance(each, QuantizedTensor):
            raise no_kernel(f"quantized::{name}", place_of(each))


def numbers_of(tensor: QuantizedTensor) -> Tensor:
    """Its numbers, as PyTorch's vectorized kernels compute them: ``scale * q - scale * zero_point``, rounded
    once after the difference.
    """
    parameters = parameters_of(tensor)
    scale = round_to_float32(parameters.scale)
    shift = round_to_float32(scale * -parameters.zero_point)
    return (tensor.held.to(float64) * scale + shift).to(float32)


def quantized_like(numbers: Tensor, kind: dtype, scale: float, zero_point: int) -> QuantizedTensor:
    """``numbers``, float32, as ``kind`` with this scale and zero point.

    As in PyTorch's vectorized kernels, halves of 8 bits are rounded to even before the zero point is added.
    """
    check_zero_point(zero_point, kind, "quantize:")
    output = PerTensorAffine(scale, zero_point)
    return (
        quantize(numbers, output, kind)
        if kind is qint32
        else of_steps(numbers * inverse_of(scale), kind, output)
    )


def of_steps(steps: Tensor, kind: dtype, output: PerTensorAffine, relu: bool = False) -> QuantizedTensor:
    """The integers nearest to ``steps``, float32, plus the zero point.  ``relu``: with nothing below it."""
    least, most = limits_of(kind)
    whole = steps.round().to(float64).nan_to_num(least, most, least) + output.zero_point
    held = whole.clamp(output.zero_point if relu else least, most).to(QUANTIZED[kind])
    return make_quantized(held, output)


def differences_of(tensor: QuantizedTensor) -> Tensor:
    """The integers without the zero point, int64."""
    return tensor.held.to(int64) - parameters_of(tensor).zero_point


def exact_numbers(tensor: Any) -> Tensor:
    """Its numbers in float64, which holds the product of an integer and a float32 scale exactly."""
    quantizer, ndim = tensor.quantizer, tensor._spec.ndim
    if isinstance(quantizer, PerTensorAffine):
        return differences_of(tensor).to(float64) * round_to_float32(quantizer.scale)
    scales = quantizer.along(quantizer.scales, ndim).to(float32).to(float64)
    return (tensor.held.to(float64) - quantizer.along(quantizer.zero_points, ndim)) * scales
