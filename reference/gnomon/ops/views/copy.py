"""Copies, conversions and fills.

Source: aten/src/ATen/native/Copy.cpp, TensorConversions.cpp, Fill.cpp.
"""

from __future__ import annotations

from typing import Any

from ...calls import launch
from ...calls.checks import check_same_layout
from ...calls.copies import clone_with_strides
from ...calls.iterator import TensorIterator
from ...calls.native import native_function
from ...calls.outputs import allocate, check_no_internal_overlap, check_no_partial_overlap
from ...calls.running import argument_key
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor, elements
from ...memory.backend import reference_backend, resolve_device
from ...memory.tensor import Tensor, is_alias_of
from ...numerics.loops import for_each
from ...values import geometry
from ...values.device import channels_last, channels_last_3d, contiguous_format, preserve_format
from ...values.dtype import bfloat16, check_number_fits, float16, float64


def copy_kernel(iterator: TensorIterator) -> None:
    """``output = input``, converted to the output's dtype."""
    for_each(iterator, lambda a: a)


def _copy_(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    """Writes ``src``, broadcast and converted, into ``self``; the devices may differ."""
    if not isinstance(src, Tensor):
        src = launch.number_tensor(src, self._spec.dtype, self._spec.device)
    if self is src:
        return self
    if src._spec.sizes != self._spec.sizes:
        geometry.check_expandable(src._spec.sizes, self._spec.sizes)
    check_no_internal_overlap("copy_", self._spec)
    check_no_partial_overlap("copy_", self, [src])
    if src._spec.device is not self._spec.device:
        src = to_device(src, self._spec.device)
    elif is_alias_of(src, self) and self._spec.numel:
        if src._spec is self._spec and src._storage_offset == self._storage_offset:
            return self
        src = launch.convert(src, src._spec.dtype)  # memory may overlap: copy first
    if self._spec.numel:
        launch.copy_into(self, src)
    return self


def to_device(self: Tensor, device: Any) -> Tensor:
    """A copy with the same sizes and dtype on another device."""
    made = aten.empty_like.default(self, None, None, device, None, None)
    if device.type == "meta":
        return made
    if self._spec.device.type == "meta":
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    source = self
    if made._spec.strides != source._spec.strides or source._storage_offset:
        source = launch.convert(source, source._spec.dtype)  # dense, with the strides that empty_like chose
    nbytes = made._spec.extent_nbytes
    if nbytes:
        made.untyped_storage().copy_from(source.untyped_storage(), nbytes)
    return made


reference_backend.kernels["copy_"] = copy_kernel

copy_ = native_function(
    "copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
    variants="method",
    numbers="src",
    explicit=_copy_,
    launches="copy_",
    derivatives={
        "self": lambda grad: aten.zeros_like(grad),
        "src": lambda grad, src_spec: _copy_grad(grad, src_spec),
    },
    node_name="CopyBackwards",
    doc="""Copies ``src`` into ``self``, broadcast to its sizes and converted to its dtype and device; returns
    ``self``.  ``src`` may be a number.

    Raises RuntimeError if ``src`` does not broadcast, or if elements of ``self`` share memory.""",
)


native_function(
    "copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
    variants="none",
    explicit=lambda self, src, non_blocking: _copy_(clone_with_strides(self), src, non_blocking),
    doc="""Returns a copy of ``src``, broadcast to the sizes of ``self`` and converted to its dtype, with the
    strides of ``self``.

    Raises RuntimeError if ``src`` does not broadcast.  A core operator that is not a function in PyTorch, and
    has no derivative.""",
)


def _copy_grad(grad: Any, src_spec: Any) -> Any:
    return grad.to(src_spec.device) if src_spec is not None and hasattr(src_spec, "device") else grad


def _fill_meta(self: Any, value: Any) -> TensorIterator:
    return TensorIterator("", [], [self.dtype], None, self.device, static_sizes=self.sizes, outputs=[self])


def fill_kernel(iterator: TensorIterator, value: Any) -> None:
    """``output = value``."""
    write = TensorAccessor(iterator.tensor(0)).write
    for target in iterator.offsets(0):
        write(target, value)


reference_backend.kernels["fill_.Scalar"] = fill_kernel


def _fill_(self: Tensor, value: Any) -> Tensor:
    """Fills; in a tensor of one half-precision element an overflow becomes inf, in larger ones it is refused.

    Source: PyTorch's scalar_fill.
    """
    spec = self._spec
    is_one_half = spec.numel == 1 and spec.dtype in (float16, bfloat16)
    check_number_fits(value, float64 if is_one_half else spec.dtype)
    if spec.numel:
        plans = fill_.meta_results
        found = plans.get(spec)
        if found is None:
            found = plans[spec] = _fill_meta(spec, value), {}
        iterator, prepared = found
        key = argument_key((value,))
        launch.launch("fill_.Scalar", spec.device, spec.dtype, [self], 1, iterator, (value,), prepared, key)
    return self


fill_ = native_function(
    "fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)",
    variants="function, method",
    explicit=_fill_,
    launches="fill_.Scalar",
    derivatives={"self": lambda grad: aten.zeros_like(grad)},
    node_name="FillBackward0",
    doc="Fills ``self`` with the number ``value``; returns ``self``.",
)


def _number_to_fill_with(value: Tensor) -> Any:
    if value._spec.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value._spec.ndim} dimensions."
        )
    return value


native_function(
    "fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)",
    variants="function, method",
    explicit=lambda self, value: _copy_(self, _number_to_fill_with(value), False),
    launches="copy_",
    derivatives={"self": lambda grad: aten.zeros_like(grad), "value": lambda grad: grad.sum()},
    node_name="FillBackward1",
    doc="Fills ``self`` with the value of a 0-dim tensor; returns ``self``.",
)

native_function(
    "fill.Scalar(Tensor self, Scalar value) -> Tensor",
    variants="function",
    explicit=lambda self, value: _fill_(aten.empty_like(self), value),
    launches="fill_.Scalar",
    derivatives={"self": lambda grad: aten.zeros_like(grad)},
    batching="leading",
    doc="Returns a tensor like ``self``, filled with the number ``value``.",
)

native_function(
    "fill.Tensor(Tensor self, Tensor value) -> Tensor",
    variants="function",
    explicit=lambda self, value: _copy_(aten.empty_like(self), _number_to_fill_with(value), False),
    derivatives={"self": lambda grad: aten.zeros_like(grad), "value": lambda grad: grad.sum()},
    node_name="FillBackward1",
    doc="Returns a tensor like ``self``, filled with the value of a 0-dim tensor.",
)

zero_ = native_function(
    "zero_(Tensor(a!) self) -> Tensor(a!)",
    composite=lambda self: fill_(self, 0),
    doc="Sets every element to 0; returns ``self``.",
)


def _clone(self: Tensor, memory_format: Any) -> Tensor:
    spec = self._spec
    if memory_format is None and geometry.is_non_overlapping_and_dense(spec.sizes, spec.strides):
        made = allocate(spec)
        if spec.numel:
            launch.copy_into(made, self)
        return made
    made = aten.empty_like.default(self, None, None, None, None, memory_format)
    return _copy_(made, self, False) if made._spec.numel else made


clone = native_function(
    "clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
    explicit=_clone,
    launches="copy_",
    derivatives={"self": lambda grad: grad},
    linear=("self",),
    batching="leading",
    doc="""Returns a copy of ``self``, with the same sizes and dtype; it preserves the memory format unless
    ``memory_format`` is given.""",
)


def _to_copy(
    self: Tensor,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    non_blocking: bool,
    memory_format: Any,
) -> Tensor:
    where = None if device is None else resolve_device(device)
    made = aten.empty_like.default(self, dtype, layout, where, pin_memory, memory_format)
    return _copy_(made, self, non_blocking) if made._spec.numel and made._spec.device.type != "meta" else made


to_copy = native_function(
    "_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
    explicit=_to_copy,
    launches="copy_",
    derivatives={"self": lambda grad, self_spec: _to_copy_grad(grad, self_spec)},
    linear=("self",),
    node_name="ToCopyBackward0",
    batching="leading",
    doc="Returns a copy of ``self`` with another dtype or on another device.",
)


def _to_copy_grad(grad: Any, self_spec: Any) -> Any:
    if grad.dtype.is_complex and not self_spec.dtype.is_complex:
        grad = aten.real(grad)
    return grad.to(device=self_spec.device, dtype=self_spec.dtype)


def _to(self: Tensor, dtype: Any, device: Any, non_blocking: bool, copy: bool, memory_format: Any) -> Tensor:
    where = self._spec.device if device is None else resolve_device(device)
    same = where is self._spec.device and (dtype is None or dtype is self._spec.dtype)
    if same and not copy:
        keeps = memory_format is None or memory_format is preserve_format
        if keeps or memory_format is _suggested_format(self._spec):
            return self
    return aten._to_copy.default(self, dtype, None, where, None, non_blocking, memory_format)


def _to_dtype_layout(
    self: Tensor,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    non_blocking: bool,
    copy: bool,
    memory_format: Any,
) -> Tensor:
    check_same_layout(self._spec, layout)
    return _to(self, dtype, device, non_blocking, copy, memory_format)


def _suggested_format(self: Any) -> Any:
    """channels_last if the strides are; else contiguous_format, even for a tensor that is not contiguous.

    Source: TensorImpl::suggest_memory_format.
    """
    if not geometry.lies_channels_last(self.sizes, self.strides):
        return contiguous_format
    return channels_last if self.ndim == 4 else channels_last_3d


def is_in_format(self: Tensor, memory_format: Any) -> bool:
    """Do the tensor's strides match the memory format?"""
    if memory_format in (None, contiguous_format):
        return self._spec.is_contiguous
    sizes = self._spec.sizes
    if len(sizes) != (4 if memory_format is channels_last else 5):
        return False
    wanted = geometry.channels_last_strides(sizes)
    return all(size == 1 or mine == theirs for size, mine, theirs in zip(sizes, self._spec.strides, wanted))


native_function(
    "to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> "
    "Tensor(a)",
    variants="method",
    composite=_to_dtype_layout,
    doc="""Returns ``self`` with another dtype or device; ``self`` itself if nothing changes and ``copy`` is
    False.""",
)

native_function(
    "to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, "
    "MemoryFormat? memory_format=None) -> Tensor(a)",
    variants="method",
    composite=lambda self, device, dtype, non_blocking, copy, memory_format: _to(
        self, dtype, device, non_blocking, copy, memory_format
    ),
    doc="Returns ``self`` on a device, with a dtype.",
)

native_function(
    "to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? "
    "memory_format=None) -> Tensor(a)",
    variants="method",
    composite=lambda self, dtype, non_blocking, copy, memory_format: _to(
        self, dtype, None, non_blocking, copy, memory_format
    ),
    doc="Returns ``self`` with another dtype.",
)

native_function(
    "to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? "
    "memory_format=None) -> Tensor(a)",
    variants="method",
    composite=lambda self, other, non_blocking, copy, memory_format: _to(
        self, other.dtype, other.device, non_blocking, copy, memory_format
    ),
    doc="Returns ``self`` with the dtype and device of ``other``.",
)

contiguous = native_function(
    "contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)",
    variants="method",
    composite=lambda self, memory_format: (
        self
        if is_in_format(self, memory_format)
        else aten.clone.default(self, memory_format or contiguous_format)
    ),
    doc="""Returns ``self`` if it is contiguous (in ``memory_format``), else a contiguous copy with the same
    sizes and dtype.""",
)

native_function(
    "is_contiguous(Tensor self, *, MemoryFormat memory_format=contiguous_format) -> bool",
    variants="method",
    composite=lambda self, memory_format: is_in_format(self, memory_format),
    doc="Returns True if the elements are contiguous in memory, in the order of ``memory_format``.",
)


def _first_element(self: Tensor) -> Any:
    if not self._spec.numel:
        raise RuntimeError("Empty tensor not supported")
    return elements(self)[0]


local_scalar_dense = native_function(
    "_local_scalar_dense(Tensor self) -> Scalar",
    explicit=_first_element,
    derivatives={},
    doc="Returns the only element as a Python number.",
)


def _item(self: Tensor) -> Any:
    if self._spec.numel != 1:
        raise RuntimeError(
            f"a Tensor with {self._spec.numel} elements cannot be converted to Scalar; item() requires "
            "exactly one, and tolist() takes any number"
        )
    if self._spec.device.type == "meta":
        raise RuntimeError("item: Tensor.item() cannot be called on meta tensors")
    return aten._local_scalar_dense.default(self)


item = native_function(
    "item(Tensor self) -> Scalar",
    variants="method",
    composite=_item,
    doc="""Returns the only element as a Python number.  Raises RuntimeError unless there is exactly one
    element.""",
)
