"""Views of quantized tensors, and other tensors with some of the same integers in another order.

One that is quantized per channel has only the views under which each scale keeps its slice.

Source: aten/src/ATen/native/TensorShape.cpp (as_strided_qtensorimpl, create_subtensor_quantizer),
aten/src/ATen/native/quantized/TensorAdvancedIndexing.cpp, cpu/kernels/QuantizedOpKernels.cpp (qcat_nhwc).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import OpOverload, aten
from ..memory.tensor import INFERENCE_VERSION, Tensor, version_counter
from ..values.dtype import float32
from ..values.geometry import wrap_dim
from .arithmetic import dequantize, quantize
from .quantizer import PerChannelAffine, PerTensorAffine, Quantizer, check_channels
from .registration import quantized_kernel, view_of
from .tensor import QuantizedTensor, make_quantized

_OF_PARTS = ("split", "split_with_sizes", "unbind")
_OF_SHAPE = ("view", "_unsafe_view", "_reshape_alias", "detach", "alias")


def _view(operator: OpOverload, arguments: Sequence[Any]) -> Any:
    """The views of a quantized tensor that an operator returns."""
    self, name = arguments[0], operator.schema.name
    if name in _OF_PARTS and isinstance(self.quantizer, PerChannelAffine):
        return _parts(self, name, *arguments[1:])
    found = operator(self.held, *arguments[1:])
    version = self._version_counter
    version = version if version is INFERENCE_VERSION else version_counter(self)
    many = found if isinstance(found, tuple) else (found,)
    made = tuple(make_quantized(each, _viewed(operator, arguments, each), version) for each in many)
    return made if isinstance(found, tuple) else made[0]


view_of["default"] = _view


def _parts(self: QuantizedTensor, name: str, *arguments: Any) -> tuple[Tensor, ...]:
    """``split``, ``split_with_sizes`` or ``unbind``: views of one part each, with the scales of that part."""
    dim = wrap_dim(arguments[-1], self._spec.ndim)
    size = self._spec.sizes[dim]
    if name == "unbind":
        return tuple(self.select(dim, index) for index in range(size))
    held: Any = aten._find("split.Tensor" if name == "split" else name)(self.held, *arguments)
    lengths = [each._spec.sizes[dim] for each in held]
    starts = [sum(lengths[:place]) for place in range(len(lengths))]
    return tuple(self.narrow(dim, start, length) for start, length in zip(starts, lengths))


def _viewed(operator: OpOverload, arguments: Sequence[Any], view: Tensor) -> Quantizer:
    """The quantizer of a view.  Raises RuntimeError if one scale would not have one slice of it."""
    self: QuantizedTensor = arguments[0]
    quantizer = self.quantizer
    if isinstance(quantizer, PerTensorAffine):
        return quantizer
    name, axis, ndim = operator.schema.name, quantizer.axis, self._spec.ndim
    if name in _OF_SHAPE:
        if axis >= view._spec.ndim:
            raise RuntimeError("Channel axis out of range in per channel affine quantization.")
        check_channels(quantizer, view._spec.sizes)
        return quantizer
    if name in ("select", "slice"):
        dim = wrap_dim(arguments[1], ndim)
        if dim != axis:
            return _with_axis(quantizer, axis - (name == "select" and dim < axis))
        scales, zero_points = (
            operator(each, 0, *arguments[2:]) for each in (quantizer.scales, quantizer.zero_points)
        )
        if scales._spec.numel == 1:
            return PerTensorAffine(scales.to(float32).item(), int(zero_points.item()))
        return PerChannelAffine(scales, zero_points, axis)
    if name == "unsqueeze":
        return _with_axis(quantizer, axis + (wrap_dim(arguments[1], ndim + 1) <= axis))
    if name == "squeeze":
        dims = arguments[1] if len(arguments) > 1 else range(ndim)
        chosen = [wrap_dim(dim, ndim) for dim in ((dims,) if isinstance(dims, int) else dims)]
        gone = [dim for dim in chosen if self._spec.sizes[dim] == 1]
        if axis not in gone:
            return _with_axis(quantizer, axis - sum(dim < axis for dim in gone))
    raise RuntimeError("Setting strides is possible only on uniformly quantized tensor")


def _with_axis(quantizer: PerChannelAffine, axis: int) -> PerChannelAffine:
    return PerChannelAffine(quantizer.scales, quantizer.zero_points, axis)


# -- copies --------------------------------------------------------------------------------------------------


@quantized_kernel("clone")
def _clone(self: QuantizedTensor, memory_format: Any) -> QuantizedTensor:
    return make_quantized(aten.clone.default(self.held, memory_format), self.quantizer)


@quantized_kernel("copy_")
def _copy(self: Tensor, source: Tensor, non_blocking: bool) -> Tensor:
    """Quantizes numbers as ``self`` is; takes integers and quantizer of a quantized tensor."""
    if not isinstance(self, QuantizedTensor):
        raise RuntimeError(
            "Copying from quantized Tensor to non-quantized Tensor is not allowed, please use dequantize to "
            "get a float Tensor from a quantized Tensor"
        )
    if not isinstance(source, QuantizedTensor):
        if source._spec.dtype is not float32:
            raise RuntimeError(
                "Quantized copy only works with kFloat as source Tensor, got "
                f"{source._spec.dtype.scalar_type}"
            )
        self.held.copy_(quantize(source, self.quantizer, self._spec.dtype).held)
        return self
    if self._spec.dtype is not source._spec.dtype:
        raise RuntimeError(
            f"copy_: expected a source of dtype {self._spec.dtype.name}, got {source._spec.dtype.name}"
        )
    self.held.copy_(source.held)
    self.quantizer = source.quantizer
    return self


@quantized_kernel("_to_copy")
def _to_copy(
    self: QuantizedTensor,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    non_blocking: bool,
    memory_format: Any,
) -> QuantizedTensor:
    if dtype is not None and dtype is not self._spec.dtype:
        raise RuntimeError("Creation of quantized tensor requires quantized dtype like gnomon.quint8")
    held = aten._to_copy.default(self.held, None, layout, device, pin_memory, non_blocking, memory_format)
    return make_quantized(held, self.quantizer)


@quantized_kernel("t_")
def _t_(self: QuantizedTensor) -> QuantizedTensor:
    if self._spec.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self._spec.ndim}D")
    return _transpose_(self, 0, self._spec.ndim - 1) if self._spec.ndim else self


@quantized_kernel("transpose_", "swapaxes_", "swapdims_")
def _transpose_(self: QuantizedTensor, dim0: int, dim1: int) -> QuantizedTensor:
    """Unlike the view ``transpose``, it takes a tensor that is quantized per channel, if the axis stays."""
    first, second = (wrap_dim(dim, self._spec.ndim) for dim in (dim0, dim1))
    if first == second:
        return self
    quantizer, held = self.quantizer, self.held.transpose(first, second)
    if isinstance(quantizer, PerChannelAffine):
        check_channels(quantizer, held._spec.sizes)
        if quantizer.axis in (first, second):
            raise RuntimeError("Setting strides is possible only on uniformly quantized tensor")
    self._take_view(make_quantized(held, quantizer))
    version_counter(self).value += 1
    return self


@quantized_kernel("resize_")
def _resize_(self: QuantizedTensor, size: Any, memory_format: Any) -> QuantizedTensor:
    if not isinstance(self.quantizer, PerTensorAffine):
        raise RuntimeError("Can only resize quantized tensors with per-tensor schemes!")
    held = self.held.resize_(tuple(size), memory_format=memory_format)
    self._spec = make_quantized(held, self.quantizer)._spec
    return self


@quantized_kernel("resize_as_")
def _resize_as_(self: QuantizedTensor, the_template: Tensor, memory_format: Any) -> QuantizedTensor:
    return _resize_(self, the_template._spec.sizes, memory_format)


def _same_integers(name: str) -> None:
    """Register the kernel of an operator that only moves elements: that of the integers."""
    operator = aten._find(name)

    def run(self: QuantizedTensor, *arguments: Any) -> QuantizedTensor:
        if not isinstance(self.quantizer, PerTensorAffine):
            raise RuntimeError(f"{operator.schema.name}: expected a tensor that is quantized per tensor")
        return make_quantized(operator(self.held, *arguments), self.quantizer)

    quantized_kernel(name)(run)


for _name in ("index_select", "flip", "index.Tensor", "_index"):
    _packet, _, _overload = _name.partition(".")
    if _packet in aten._packets and _overload in aten._packets[_packet].overloads:
        _same_integers(_name)


@quantized_kernel("stack")
def _stack(tensors: Sequence[QuantizedTensor], dim: int) -> QuantizedTensor:
    place = wrap_dim(dim, tensors[0]._spec.ndim + 1)
    return aten.cat.default([each.unsqueeze(place) for each in tensors], place)


def _joined(tensors: Sequence[QuantizedTensor], dim: int, output: Quantizer) -> QuantizedTensor:
    """The tensors along ``dim``, those of another quantizer quantized again."""
    first = tensors[0]
    if any(each._spec.dtype is not first._spec.dtype for each in tensors):
        raise RuntimeError("All dtypes must be the same.")
    if not all(isinstance(each.quantizer, PerTensorAffine) for each in tensors):
        raise RuntimeError(
            "Only per-tensor quantization is supported in 'cat', but some tensors are quantized per channel"
        )
    held = []
    for each in tensors:
        same = each.quantizer.same(output)
        held.append(each.held if same else quantize(dequantize(each), output, first._spec.dtype).held)
    return make_quantized(aten.cat.default(held, dim), output)


@quantized_kernel("cat")
def _cat(tensors: Sequence[QuantizedTensor], dim: int) -> QuantizedTensor:
    """The result is quantized as the first tensor is."""
    return _joined(tensors, dim, tensors[0].quantizer)


@quantized_kernel("cat.out")
def _cat_out(tensors: Sequence[QuantizedTensor], dim: int, out: Tensor) -> Tensor:
    """The result is quantized as ``out`` is."""
    if not isinstance(out, QuantizedTensor):
        raise RuntimeError("cat: the tensors are quantized, and out is not")
    return out.copy_(_joined(tensors, dim, out.quantizer))


@quantized_kernel("index_put", below=False)
def _index_put(self: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool) -> Tensor:
    """Quantizes the numbers ``values`` as ``self`` is."""
    if not isinstance(self, QuantizedTensor):
        raise RuntimeError("index_put: the source is quantized, and the destination is not")
    if isinstance(values, QuantizedTensor):
        raise RuntimeError("Value argument for quantized input_put should not be quantized")
    if not isinstance(self.quantizer, PerTensorAffine):
        raise RuntimeError(
            "index_put for quantized tensors is currently only supported for per tensor quantized tensors"
        )
    if accumulate:
        raise RuntimeError("index_put for quantized tensors is currently only supported for accumulate=False")
    numbers = values.detach().to(float32).contiguous()
    written = quantize(numbers, self.quantizer, self._spec.dtype).held
    return make_quantized(self.held.index_put(indices, written), self.quantizer)


@quantized_kernel("index_put_", below=False)
def _index_put_(self: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool) -> Tensor:
    return self.copy_(_index_put(self, indices, values, accumulate))
