"""Quantized tensors from numbers, from integers, and empty ones; what they consist of.

Source: aten/src/ATen/native/quantized/QTensor.cpp, TensorFactories.cpp;
aten/src/ATen/quantized/Quantizer.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..calls.native import native_function
from ..dispatch.dispatcher import OpOverload, aten
from ..memory.backend import get_default_device, resolve_device
from ..memory.tensor import Tensor
from ..values.device import channels_last, preserve_format
from ..values.dtype import QUANTIZED, dtype, float32, qint8, quint8
from .arithmetic import (
    channels_of,
    check_zero_point,
    choose_parameters,
    dequantize,
    parameters_of,
    quantize,
)
from .quantizer import PerTensorAffine, Quantizer, check_axis, check_channels, per_channel
from .registration import quantized_kernel, refuse_plain
from .tensor import QUANTIZED_OF, QuantizedTensor, check_quantized_dtype, make_quantized

OPERATORS: list[str] = []  # those that only quantized tensors have, or that create one


def quantized_function(
    schema: str,
    doc: str,
    plain: Callable[..., Any] | None = None,
    quantized: Callable[..., Any] | None = None,
    variants: str = "function",
) -> OpOverload:
    """Define an operator with a kernel for tensors that are not quantized, and one for those that are.

    Either is refused if it is not given.  The results have no gradients.
    """
    name = schema.partition("(")[0]
    OPERATORS.append(name)
    operator = native_function(
        schema, explicit=plain or refuse_plain(name), derivatives={}, variants=variants, doc=doc
    )
    if quantized is not None:
        quantized_kernel(name)(quantized)
    return operator


# -- from numbers --------------------------------------------------------------------------------------------


def checked_numbers(self: Tensor) -> Tensor:
    """The numbers, contiguous or in channels_last.  Raises RuntimeError unless they are float32."""
    if self._spec.dtype is not float32:
        raise RuntimeError(f"Quantize only works on Float Tensor, got {self._spec.dtype.scalar_type}")
    is_last = self._spec.ndim == 4 and not self._spec.is_contiguous
    is_last = is_last and self.is_contiguous(memory_format=channels_last)
    return self.detach() if is_last else self.detach().contiguous()


def _per_tensor(self: Tensor, scale: float, zero_point: int, kind: dtype) -> QuantizedTensor:
    numbers = checked_numbers(self)
    kind = check_quantized_dtype(kind)
    check_zero_point(zero_point, kind, "quantize_tensor_per_tensor_affine")
    return quantize(numbers, PerTensorAffine(scale, zero_point), kind)


def _by_tensors(self: Tensor, scale: Tensor, zero_point: Tensor, kind: dtype) -> QuantizedTensor:
    return _per_tensor(self, scale.item(), int(zero_point.item()), kind)


def _each_by_tensors(
    tensors: Sequence[Tensor], scales: Tensor, zero_points: Tensor, kind: dtype
) -> tuple[Tensor, ...]:
    rows = enumerate(tensors)
    return tuple(_by_tensors(each, scales[row], zero_points[row], kind) for row, each in rows)


quantized_function(
    "quantize_per_tensor(Tensor self, float scale, int zero_point, ScalarType dtype) -> Tensor",
    """Quantizes ``self``, float32, to ``dtype`` with one scale: to round(self / scale + zero_point).

    ``dtype``: qint8, quint8 or qint32; what is beyond its limits is clamped.  Raises RuntimeError for other
    dtypes, and for a zero point that is beyond the limits.""",
    _per_tensor,
)
quantized_function(
    "quantize_per_tensor.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, ScalarType dtype) -> "
    "Tensor",
    "quantize_per_tensor with a scale and a zero point in tensors of one element.",
    _by_tensors,
)
quantized_function(
    "quantize_per_tensor.tensors(Tensor[] tensors, Tensor scales, Tensor zero_points, ScalarType dtype) -> "
    "Tensor[]",
    "quantize_per_tensor of each tensor, with its element of ``scales`` and ``zero_points``.",
    _each_by_tensors,
)


def _per_channel(
    self: Tensor, scales: Tensor, zero_points: Tensor, axis: int, kind: dtype
) -> QuantizedTensor:
    numbers = checked_numbers(self)
    quantizer = per_channel(scales, zero_points, axis)
    kind = check_quantized_dtype(kind)
    check_axis(quantizer, self._spec.sizes)
    if not quantizer.zero_points._spec.dtype.is_floating_point:
        for each in quantizer.zero_points.tolist():
            check_zero_point(each, kind, "quantize_tensor_per_channel_affine")
    return quantize(numbers, quantizer, kind)


quantized_function(
    "quantize_per_channel(Tensor self, Tensor scales, Tensor zero_points, int axis, ScalarType dtype) -> "
    "Tensor",
    """Quantizes ``self``, float32, with a scale and a zero point for each index of dimension ``axis``.

    ``scales`` and ``zero_points`` have shape (self.size(axis),).  With floating point ``zero_points`` the
    scheme is per_channel_affine_float_qparams.  Raises RuntimeError for other dtypes and shapes.""",
    _per_channel,
)


def _range_of(self: Tensor) -> tuple[float, float]:
    return self.min().item(), self.max().item()


def _dynamic(self: Tensor, kind: dtype, reduce_range: bool) -> QuantizedTensor:
    if kind not in (qint8, quint8):
        raise RuntimeError(f"dtype {kind.scalar_type}not supported")
    numbers = checked_numbers(self)
    return _per_tensor(numbers, *choose_parameters(*_range_of(numbers), kind, reduce_range), kind)


quantized_function(
    "quantize_per_tensor_dynamic(Tensor self, ScalarType dtype, bool reduce_range) -> Tensor",
    """Quantizes ``self``, float32, to ``dtype``, qint8 or quint8, with the scale that its range needs.

    ``reduce_range``: use half of the integers.  Raises RuntimeError for other dtypes.""",
    _dynamic,
)
quantized_function(
    "_choose_qparams_per_tensor(Tensor self, bool reduce_range=False) -> (float, int)",
    "The scale and the zero point with which quint8 represents the range of ``self``.",
    lambda self, reduce_range: choose_parameters(*_range_of(self), reduce_range=reduce_range),
)


# -- from integers -------------------------------------------------------------------------------------------


def _integers(self: Tensor) -> Tensor:
    if self._spec.dtype not in QUANTIZED_OF:
        raise RuntimeError(f"ScalarType {self._spec.dtype.scalar_type} is not supported in toQIntType.")
    return self.detach().contiguous().clone()


def _make_per_channel(self: Tensor, scale: Tensor, zero_point: Tensor, axis: int) -> QuantizedTensor:
    quantizer = per_channel(scale, zero_point, axis)
    check_axis(quantizer, self._spec.sizes)
    return make_quantized(_integers(self), quantizer)


quantized_function(
    "_make_per_tensor_quantized_tensor(Tensor self, float scale, int zero_point) -> Tensor",
    "The quantized tensor with the integers ``self``, int8, uint8 or int32, and one scale.",
    lambda self, scale, zero_point: make_quantized(_integers(self), PerTensorAffine(scale, zero_point)),
)
quantized_function(
    "_make_per_channel_quantized_tensor(Tensor self, Tensor scale, Tensor zero_point, int axis) -> Tensor",
    "The quantized tensor with the integers ``self``, int8, uint8 or int32, and a scale for each channel.",
    _make_per_channel,
)


# -- empty ---------------------------------------------------------------------------------------------------

_OPTIONS = "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"


def empty_quantized(
    sizes: Any, quantizer: Quantizer, kind: dtype | None, device: Any, memory_format: Any
) -> QuantizedTensor:
    """An uninitialized tensor.  Raises RuntimeError if ``kind`` is not a quantized dtype."""
    if kind not in QUANTIZED:
        raise RuntimeError("Creation of quantized tensor requires quantized dtype like gnomon.quint8")
    where = get_default_device() if device is None else resolve_device(device)
    order = None if memory_format is preserve_format else memory_format
    held = aten.empty.memory_format(tuple(sizes), QUANTIZED[kind], None, where, None, order)
    return make_quantized(held, quantizer)


def _empty_affine(
    size: Any, kind: Any, layout: Any, device: Any, pin_memory: Any, scale: float, zero_point: int, order: Any
) -> QuantizedTensor:
    return empty_quantized(size, PerTensorAffine(scale, zero_point), kind, device, order)


def _empty_per_channel(
    size: Any,
    scales: Tensor,
    zero_points: Tensor,
    axis: int,
    kind: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    order: Any,
) -> QuantizedTensor:
    quantizer = per_channel(scales, zero_points, axis)
    check_axis(quantizer, tuple(size))
    return empty_quantized(size, quantizer, kind, device, order)


quantized_function(
    f"_empty_affine_quantized(SymInt[] size, *, {_OPTIONS}, float scale=1, int zero_point=0, MemoryFormat? "
    "memory_format=contiguous_format) -> Tensor",
    """An uninitialized quantized tensor with one scale.  Raises RuntimeError for a dtype that is not
    quantized.""",
    _empty_affine,
)
quantized_function(
    f"_empty_per_channel_affine_quantized(SymInt[] size, *, Tensor scales, Tensor zero_points, int axis, "
    f"{_OPTIONS}, MemoryFormat? memory_format=contiguous_format) -> Tensor",
    """An uninitialized quantized tensor with a scale for each channel.  Raises RuntimeError for a dtype that
    is not quantized.""",
    _empty_per_channel,
)


def _empty_as(
    size: Any, qtensor: QuantizedTensor, kind: Any, layout: Any, device: Any, pin_memory: Any, order: Any
) -> QuantizedTensor:
    quantizer = qtensor.quantizer
    if not isinstance(quantizer, PerTensorAffine):
        check_channels(quantizer, tuple(size))
    spec = qtensor._spec
    return empty_quantized(size, quantizer, kind or spec.dtype, device or spec.device, order)


quantized_function(
    f"empty_quantized(int[] size, Tensor qtensor, *, {_OPTIONS}, MemoryFormat? memory_format=None) -> Tensor",
    "An uninitialized tensor that is quantized as ``qtensor`` is.",
    None,
    _empty_as,
)


@quantized_kernel("empty_like")
def _empty_like(
    self: QuantizedTensor, kind: Any, layout: Any, device: Any, pin_memory: Any, order: Any
) -> QuantizedTensor:
    if kind is not None and kind not in QUANTIZED:
        raise RuntimeError("Creation of quantized tensor requires quantized dtype like gnomon.quint8")
    spec = self._spec
    held = aten.empty_like.default(
        self.held, QUANTIZED[kind or spec.dtype], None, device or spec.device, None, order
    )
    return make_quantized(held, self.quantizer)


# -- the parts -----------------------------------------------------------------------------------------------

quantized_function(
    "dequantize.self(Tensor self) -> Tensor",
    "The numbers of a quantized tensor, float32; another tensor is converted to float32, as ``to`` does.",
    lambda self: self.to(float32),
    dequantize,
    variants="function, method",
)


def _each_dequantized(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    return tuple(aten.dequantize.self(each) for each in tensors)


quantized_function(
    "dequantize.tensors(Tensor[] tensors) -> Tensor[]",
    "``dequantize`` of each tensor.",
    _each_dequantized,
    _each_dequantized,
)

_BOTH = "function, method"
quantized_function(
    "int_repr(Tensor self) -> Tensor",
    """A copy of the integers of a quantized tensor: int8, uint8 or int32.  Raises NotImplementedError for a
    tensor that is not quantized.""",
    None,
    lambda self: self.held.clone(),
    _BOTH,
)
quantized_function(
    "q_scale(Tensor self) -> float",
    "The scale.  Raises RuntimeError for a tensor that is quantized per channel.",
    None,
    lambda self: parameters_of(self).scale,
    _BOTH,
)
quantized_function(
    "q_zero_point(Tensor self) -> int",
    "The zero point.  Raises RuntimeError for a tensor that is quantized per channel.",
    None,
    lambda self: parameters_of(self).zero_point,
    _BOTH,
)
quantized_function(
    "q_per_channel_scales(Tensor self) -> Tensor",
    "The scales (channels,), float64.  Raises RuntimeError for a tensor that is quantized as a whole.",
    None,
    lambda self: channels_of(self).scales,
    _BOTH,
)
quantized_function(
    "q_per_channel_zero_points(Tensor self) -> Tensor",
    "The zero points (channels,), int64.  Raises RuntimeError for a tensor that is quantized as a whole.",
    None,
    lambda self: channels_of(self).zero_points,
    _BOTH,
)
quantized_function(
    "q_per_channel_axis(Tensor self) -> int",
    "The dimension of the channels.  Raises RuntimeError for a tensor that is quantized as a whole.",
    None,
    lambda self: channels_of(self).axis,
    _BOTH,
)
quantized_function(
    "qscheme(Tensor self) -> QScheme",
    "How a tensor is quantized: gnomon.per_tensor_affine, for example.",
    None,
    lambda self: self.quantizer.scheme,
    "method",
)
