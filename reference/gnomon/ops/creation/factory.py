"""Factories: new tensors of given sizes, from numbers, or like another tensor.

Source: aten/src/ATen/native/TensorFactories.cpp.
"""

from __future__ import annotations

from typing import Any

from ...calls.checks import check_options, refuse_limited
from ...calls.iterator import TensorIterator, result_type
from ...calls.native import native_function
from ...calls.outputs import allocate, resize_tensor
from ...dispatch.dispatcher import aten
from ...memory.backend import resolve_device
from ...memory.spec import check_dims, check_size_nonnegative, spec_of
from ...memory.tensor import Tensor, alias_tensor
from ...values import geometry
from ...values.device import channels_last, channels_last_3d, contiguous_format, preserve_format
from ...values.dtype import FLOAT8, dtype_of_number, get_default_dtype


def _checked_sizes(size: Any) -> tuple[int, ...]:
    """Sizes as a tuple.

    Raises RuntimeError for negative sizes, too many dimensions, or more bytes than an int64 can count.
    """
    sizes = tuple(size)
    check_size_nonnegative(sizes)
    check_dims(len(sizes))
    if geometry.numel_of(sizes) >= 2**60:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(sizes)}")
    return sizes


def format_strides(sizes: tuple[int, ...], memory_format: Any) -> tuple[int, ...]:
    """The strides of a new dense tensor in a memory format.

    Raises RuntimeError for sizes that do not support the format.
    """
    if memory_format in (None, contiguous_format):
        return geometry.contiguous_strides(sizes)
    wanted = {channels_last: 4, channels_last_3d: 5}.get(memory_format)
    if wanted is None:
        raise RuntimeError(f"unsupported memory format {memory_format}")
    if len(sizes) != wanted:
        raise RuntimeError(f"required rank {wanted} tensor to use {memory_format} format")
    return geometry.channels_last_strides(sizes)


def _empty(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any) -> Tensor:
    check_options(layout, pin_memory, dtype)
    sizes = _checked_sizes(size)
    strides = format_strides(sizes, memory_format)
    return allocate(spec_of(sizes, strides, dtype or get_default_dtype(), resolve_device(device)))


empty = native_function(
    "empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    explicit=_empty,
    launches="",
    doc="""Returns an uninitialized tensor of shape ``size``.

    ``dtype`` and ``device`` default to the default dtype and device.  Raises RuntimeError for negative or too
    large sizes, OutOfMemoryError if there is not enough memory.""",
)


def _empty_strided(size: Any, stride: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    check_options(layout, pin_memory, dtype)
    sizes = _checked_sizes(size)
    strides = tuple(stride)
    if len(sizes) != len(strides):
        raise RuntimeError(
            f"empty_strided: dimensionality of sizes ({len(sizes)}) must match dimensionality of strides "
            f"({len(strides)})"
        )
    for each in strides:
        if each < 0 and 0 not in sizes:
            raise RuntimeError(
                f"empty_strided: negative strides are not supported, got strides: {list(strides)}"
            )
    return allocate(spec_of(sizes, strides, dtype or get_default_dtype(), resolve_device(device)))


empty_strided = native_function(
    "empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None) -> Tensor",
    explicit=_empty_strided,
    launches="",
    doc="Returns an uninitialized tensor of shape ``size`` with strides ``stride`` (in elements).",
)


def _empty_permuted(
    size: Any, physical_layout: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    check_options(layout, pin_memory, dtype)
    sizes, order = _checked_sizes(size), tuple(physical_layout)
    if len(order) != len(sizes):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(sizes)} is not equal to len(physical_layout) = {len(order)}"
        )
    for position, dim in enumerate(order):
        if not 0 <= dim < len(sizes):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(sizes) - 1}, but got {dim} at "
                f"index {position}).  Negative ones are not supported here."
            )
        if dim in order[:position]:
            raise RuntimeError("Duplicate dim not allowed")
    strides = [0] * len(sizes)
    for dim, stride in zip(order, geometry.contiguous_strides([sizes[dim] for dim in order])):
        strides[dim] = stride
    return allocate(spec_of(sizes, tuple(strides), dtype or get_default_dtype(), resolve_device(device)))


def _empty_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    check_options(layout, pin_memory, dtype)
    spec = self._spec
    dtype = dtype or spec.dtype
    where = spec.device if device is None else resolve_device(device)
    if memory_format in (None, preserve_format):
        if geometry.is_non_overlapping_and_dense(spec.sizes, spec.strides):
            return allocate(spec_of(spec.sizes, spec.strides, dtype, where))
        # with gaps or overlap: dense, in the same order of dimensions
        iterator = TensorIterator("empty_like", [spec], [dtype], None, where)
        return allocate(iterator.output_specs[0])
    return allocate(spec_of(spec.sizes, format_strides(spec.sizes, memory_format), dtype, where))


_LIKE_OPTIONS = (
    "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
    "MemoryFormat? memory_format=None"
)
_OPTIONS = "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"

native_function(
    f"empty_permuted(SymInt[] size, int[] physical_layout, {_OPTIONS}) -> Tensor",
    explicit=_empty_permuted,
    launches="",
    doc="""Returns an uninitialized dense tensor of shape ``size`` with dimensions in a given memory order.

    ``physical_layout`` lists the dimensions, outermost first.  Raises RuntimeError unless it contains each
    dimension once, as a nonnegative number.""",
)

empty_like = native_function(
    f"empty_like(Tensor self, {_LIKE_OPTIONS}) -> Tensor",
    explicit=_empty_like,
    launches="",
    derivatives={},
    batching="leading",
    doc="Returns an uninitialized tensor with the sizes, dtype, device and memory order of ``self``.",
)


def filled(made: Tensor, value: Any) -> Tensor:
    """Fills a new tensor and returns it.  Not dispatched, so that the new tensor has version 0.

    Only for ``explicit`` operators: they run below dispatch modes and wrapper subclasses, which have seen the
    call of the factory, and on tensors with data.
    """
    return aten.fill_.Scalar.record.explicit(made, value)


def _full(size: Any, fill_value: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    dtype = dtype or dtype_of_number(fill_value, get_default_dtype())
    return filled(aten.empty.memory_format(size, dtype, layout, device, pin_memory, None), fill_value)


full = native_function(
    f"full(SymInt[] size, Scalar fill_value, {_OPTIONS}) -> Tensor",
    explicit=_full,
    launches="fill_.Scalar",
    doc="""Returns a tensor of shape ``size`` filled with ``fill_value``; ``dtype`` defaults to that of the
    number.""",
)

zeros = native_function(
    f"zeros(SymInt[] size, {_OPTIONS}) -> Tensor",
    explicit=lambda size, dtype, *options: _full(size, 0, dtype or get_default_dtype(), *options),
    launches="fill_.Scalar",
    doc="Returns a tensor of shape ``size`` filled with 0; ``dtype`` defaults to the default dtype.",
)

ones = native_function(
    f"ones(SymInt[] size, {_OPTIONS}) -> Tensor",
    explicit=lambda size, dtype, *options: _full(size, 1, dtype or get_default_dtype(), *options),
    launches="fill_.Scalar",
    doc="Returns a tensor of shape ``size`` filled with 1; ``dtype`` defaults to the default dtype.",
)

full_like = native_function(
    f"full_like(Tensor self, Scalar fill_value, {_LIKE_OPTIONS}) -> Tensor",
    explicit=lambda self, fill_value, *options: filled(aten.empty_like.default(self, *options), fill_value),
    launches="fill_.Scalar",
    derivatives={},
    batching="leading",
    doc="""Returns a tensor of the sizes of ``self`` filled with ``fill_value``.

    It has the strides, dtype and device of ``self`` unless others are given.""",
)

zeros_like = native_function(
    f"zeros_like(Tensor self, {_LIKE_OPTIONS}) -> Tensor",
    explicit=lambda self, *options: filled(aten.empty_like.default(self, *options), 0),
    launches="fill_.Scalar",
    derivatives={},
    batching="leading",
    doc="""Returns a tensor of the sizes of ``self`` filled with 0.

    It has the strides, dtype and device of ``self`` unless others are given.""",
)

ones_like = native_function(
    f"ones_like(Tensor self, {_LIKE_OPTIONS}) -> Tensor",
    explicit=lambda self, *options: filled(aten.empty_like.default(self, *options), 1),
    launches="fill_.Scalar",
    derivatives={},
    batching="leading",
    doc="""Returns a tensor of the sizes of ``self`` filled with 1.

    It has the strides, dtype and device of ``self`` unless others are given.""",
)


def _new(name: str, value: Any) -> Any:
    def make(self: Tensor, size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
        spec = self._spec
        made = aten.empty.memory_format(
            size, dtype or spec.dtype, layout, device or spec.device, pin_memory, None
        )
        return made if value is None else filled(made, value)

    return native_function(
        f"{name}(Tensor self, SymInt[] size, {_OPTIONS}) -> Tensor",
        variants="method",
        explicit=make,
        launches="" if value is None else "fill_.Scalar",
        derivatives={},
        batching="for_each",
        doc=f"Returns a tensor of shape ``size`` with the dtype and device of ``self``, like ``{name[4:]}``.",
    )


new_empty = _new("new_empty", None)
new_zeros = _new("new_zeros", 0)
new_ones = _new("new_ones", 1)


def _new_empty_strided(self: Tensor, size: Any, stride: Any, dtype: Any, *options: Any) -> Tensor:
    layout, device, pin_memory = options
    spec = self._spec
    return aten.empty_strided.default(
        size, stride, dtype or spec.dtype, layout, device or spec.device, pin_memory
    )


native_function(
    f"new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, {_OPTIONS}) -> Tensor",
    variants="method",
    explicit=_new_empty_strided,
    launches="",
    derivatives={},
    batching="for_each",
    doc="""Returns an uninitialized tensor of shape ``size`` with strides ``stride`` (in elements).

    It has the dtype and device of ``self`` unless others are given.""",
)


def _new_full(
    self: Tensor, size: Any, fill_value: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    spec = self._spec
    made = aten.empty.memory_format(
        size, dtype or spec.dtype, layout, device or spec.device, pin_memory, None
    )
    return filled(made, fill_value)


new_full = native_function(
    f"new_full(Tensor self, SymInt[] size, Scalar fill_value, {_OPTIONS}) -> Tensor",
    variants="method",
    explicit=_new_full,
    launches="fill_.Scalar",
    derivatives={},
    batching="for_each",
    doc="""Returns a tensor of shape ``size`` filled with ``fill_value``, with the dtype and device of
    ``self``.""",
)

scalar_tensor = native_function(
    f"scalar_tensor(Scalar s, {_OPTIONS}) -> Tensor",
    explicit=lambda s, dtype, *options: _full((), s, dtype or get_default_dtype(), *options),
    launches="fill_.Scalar",
    doc="Returns a 0-dim tensor that holds the number ``s``.",
)


def _eye(n: int, m: int, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    if n < 0 or m < 0:
        raise RuntimeError(f"{'n' if n < 0 else 'm'} must be greater or equal to 0, got {min(n, m)}")
    made = aten.zeros.default((n, m), dtype, layout, device, pin_memory)
    refuse_limited(made._spec.dtype, FLOAT8)
    if made._spec.numel:
        filled(alias_tensor(made, made._spec.with_geometry((min(n, m),), (m + 1,)), 0), 1)
    return made


native_function(
    f"eye(SymInt n, {_OPTIONS}) -> Tensor",
    explicit=lambda n, *options: _eye(n, n, *options),
    doc="Returns the identity matrix (n, n).",
)

native_function(
    f"eye.m(SymInt n, SymInt m, {_OPTIONS}) -> Tensor",
    explicit=_eye,
    doc="Returns a matrix (n, m) with 1 on the diagonal and 0 elsewhere.",
)


def _resize_(self: Tensor, size: Any, memory_format: Any) -> Tensor:
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    sizes = _checked_sizes(size)
    if sizes != self._spec.sizes or memory_format is not None:  # the strides may change
        resize_tensor(self, sizes, format_strides(sizes, memory_format))
    return self


resize_ = native_function(
    "resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
    variants="method",
    explicit=_resize_,
    doc="""Resizes ``self`` in place to ``size``.

    The storage grows if necessary; new elements are uninitialized.""",
)


def _resize_as_(self: Tensor, the_template: Tensor, memory_format: Any) -> Tensor:
    spec = the_template._spec
    if memory_format is preserve_format:
        is_last = geometry.lies_channels_last(spec.sizes, spec.strides)
        memory_format = {4: channels_last, 5: channels_last_3d}[spec.ndim] if is_last else contiguous_format
    return _resize_(self, spec.sizes, memory_format)


native_function(
    "resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
    explicit=_resize_as_,
    doc="Resizes ``self`` in place to the sizes of ``the_template``; see resize_.",
)

native_function(
    "result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType",
    composite=lambda tensor, other: result_type(*(getattr(each, "_spec", each) for each in (tensor, other))),
    doc="Returns the common dtype of two operands by type promotion.",
)

native_function(
    "result_type.Scalar_Tensor(Scalar scalar, Tensor tensor) -> ScalarType",
    composite=lambda scalar, tensor: result_type(scalar, tensor._spec),
    doc="Returns the common dtype of a number and a tensor by type promotion.",
)

native_function(
    "result_type.Scalar(Tensor tensor, Scalar other) -> ScalarType",
    variants="function",
    explicit=lambda tensor, other: result_type(tensor._spec, other),
    batching="composed",
    doc="Returns the common dtype of a tensor and a number by type promotion.",
)

native_function(
    "result_type.Scalar_Scalar(Scalar scalar1, Scalar scalar2) -> ScalarType",
    explicit=lambda scalar1, scalar2: result_type(scalar1, scalar2),
    doc="Returns the common dtype of two numbers by type promotion.",
)
