"""Quantizers: how the integers of a quantized tensor represent real numbers.

An affine quantizer represents ``(q - zero_point) * scale`` by the integer q.  One scale and one zero point
serve the whole tensor, or each slice along the dimension ``axis`` has its own.

Source: aten/src/ATen/quantized/Quantizer.h, c10/core/QScheme.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.dtype import float32, float64, int64
from ..values.geometry import Ints
from ..values.library_name import LIBRARY


class qscheme:
    """A way to quantize: ``gnomon.per_tensor_affine`` and its kin."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"{LIBRARY}.{self.name}"

    def __reduce__(self) -> str:
        return self.name


per_tensor_affine = qscheme("per_tensor_affine")
per_channel_affine = qscheme("per_channel_affine")
per_tensor_symmetric = qscheme("per_tensor_symmetric")
per_channel_symmetric = qscheme("per_channel_symmetric")
per_channel_affine_float_qparams = qscheme("per_channel_affine_float_qparams")


@dataclass(frozen=True, slots=True)
class PerTensorAffine:
    """One scale and one zero point."""

    scale: float
    zero_point: int

    scheme = per_tensor_affine

    def suffixes(self) -> list[str]:
        """What a tensor prints of it."""
        return [f"scale={self.scale}", f"zero_point={self.zero_point}"]

    def same(self, other: Any) -> bool:
        """Do both represent the same numbers by the same integers?"""
        return self == other


@dataclass(frozen=True, slots=True, eq=False)
class PerChannelAffine:
    """A scale and a zero point, (channels,), for each slice along dimension ``axis``.

    They are float64 and int64, or both float32 in the scheme per_channel_affine_float_qparams.
    """

    scales: Tensor
    zero_points: Tensor
    axis: int

    @property
    def scheme(self) -> qscheme:
        """Are the zero points integers?"""
        if self.zero_points._spec.dtype.is_floating_point:
            return per_channel_affine_float_qparams
        return per_channel_affine

    def suffixes(self) -> list[str]:
        """What a tensor prints of it."""
        return [f"scale={self.scales!r}", f"zero_point={self.zero_points!r}", f"axis={self.axis}"]

    def same(self, other: Any) -> bool:
        """Do both represent the same numbers by the same integers?"""
        return (
            isinstance(other, PerChannelAffine)
            and self.scheme is other.scheme
            and self.axis == other.axis
            and aten.equal.default(self.scales, other.scales)
            and aten.equal.default(self.zero_points, other.zero_points)
        )

    def along(self, parameter: Tensor, ndim: int) -> Tensor:
        """The scales or the zero points in a shape that broadcasts to a tensor of ``ndim`` dimensions."""
        return parameter.view([-1 if dim == self.axis else 1 for dim in range(ndim)])


Quantizer: TypeAlias = "PerTensorAffine | PerChannelAffine"


def per_channel(scales: Tensor, zero_points: Tensor, axis: int) -> PerChannelAffine:
    """The quantizer of these parameters, (channels,) each.  Raises RuntimeError for other shapes."""
    if scales._spec.ndim != 1:
        raise RuntimeError("scale tensor must have dimension 1")
    if zero_points._spec.ndim != 1:
        raise RuntimeError("zero_points tensor must have dimension 1")
    if scales._spec.numel != zero_points._spec.numel:
        raise RuntimeError("number of elements in scales and zero_points must match")
    is_floating = zero_points._spec.dtype.is_floating_point
    kinds = (float32, float32) if is_floating else (float64, int64)
    made = [each.detach().to(kind).contiguous().clone() for each, kind in zip((scales, zero_points), kinds)]
    return PerChannelAffine(made[0], made[1], axis)


def check_axis(quantizer: PerChannelAffine, sizes: Ints) -> None:
    """Raises RuntimeError unless there is one scale for each index of the axis."""
    if not 0 <= quantizer.axis < len(sizes):
        raise RuntimeError(
            f"Channel axis out of range in per channel affine quantization. Got: {quantizer.axis}"
            f"Expected: [0, {len(sizes)})"
        )
    check_channels(quantizer, sizes)


def check_channels(quantizer: PerChannelAffine, sizes: Ints) -> None:
    """Raises RuntimeError unless the axis has as many indices as there are scales."""
    count = quantizer.scales._spec.numel
    if sizes[quantizer.axis] != count:
        raise RuntimeError(
            f"length of scales must equal to channel, expected {sizes[quantizer.axis]} got, {count}"
        )
