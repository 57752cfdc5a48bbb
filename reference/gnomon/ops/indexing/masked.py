"""Operators on masks and true elements: nonzero, argwhere, masked_select, masked_scatter, masked_fill.

Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.checks import can_be_read, check_mask, check_non_negative, refuse_limited
from ...calls.copies import row_major
from ...calls.native import native_function
from ...calls.outputs import warn_of_expanded
from ...calls.record import Inplace, Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...values import geometry
from ...values.dtype import FLOAT8, check_number_fits, complex32, int32, int64


def _nonzero_meta(self: Spec, size: int, fill_value: int) -> Spec:
    check_non_negative(size=size)
    if not -(2**63) <= fill_value < 2**63:
        raise ValueError(f"Overflow when unpacking long long: fill_value is {fill_value}")
    return self.contiguous((size, self.ndim), int64)


def _nonzero_kernel(output: Tensor, self: Tensor, size: int, fill_value: int) -> None:
    """Row i is the index of the i-th element that is not 0."""
    source, out = TensorAccessor(self), TensorAccessor(output)
    row = 0
    for position, offset in enumerate(source.offsets()):
        if source.read(offset) and row < size:
            rest = position
            for dim in range(len(source.sizes) - 1, -1, -1):
                rest, coordinate = divmod(rest, source.sizes[dim])
                out[row, dim] = coordinate
            row += 1
    for unused in range(row, size):
        for dim in range(len(source.sizes)):
            out[unused, dim] = fill_value


native_function(
    "nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor",
    meta=_nonzero_meta,
    kernel=_nonzero_kernel,
    limited=(complex32,),
    separate=("self",),
    out=Out(exact=True),
    doc="""Returns the indices of the first ``size`` nonzero elements, one per row; unused rows are filled
    with ``fill_value``.""",
)


def _nonzero(self: Any) -> Any:
    """nonzero_static with the exact size, and with PyTorch's strides: each column is contiguous."""
    count = int(aten.count_nonzero.default(self.detach(), None).item())
    made = aten.empty_strided.default((count, self.ndim), (1, count), int64, None, self.device, None)
    return aten.nonzero_static.out(self.detach(), count, -1, made)


nonzero = native_function(
    "nonzero(Tensor self) -> Tensor",
    composite=_nonzero,
    separate=("self",),
    out=Out(exact=True),
    doc="Returns the indices of the nonzero elements, one per row (int64).",
)

native_function(
    "argwhere(Tensor self) -> Tensor",
    composite=lambda self: aten.nonzero.default(self),
    doc="Returns the indices of the nonzero elements, one per row (int64); the same as nonzero.",
)


def _nonzero_columns(self: Any) -> Any:
    """nonzero's columns, one for each dimension; a 0-dim tensor counts as a 1-D tensor of one element."""
    found = aten.nonzero.default(self if self.ndim else self.unsqueeze(0))
    return tuple(found.unbind(1))


native_function(
    "nonzero_numpy(Tensor self) -> Tensor[]",
    composite=_nonzero_columns,
    doc="Returns the indices of the nonzero elements as one vector per dimension, for use as ``self[...]``.",
)


# -- masks -------------------------------------------------------------------------------------------------


def _chosen_meta(self: Spec, mask: Spec, size: int) -> Spec:
    check_mask(mask)
    geometry.broadcast_sizes(self.sizes, mask.sizes)
    check_non_negative(size=size)
    return self.contiguous((size,))


def _chosen_kernel(output: Tensor, self: Tensor, mask: Tensor, size: int) -> None:
    out, source, chosen = (TensorAccessor(each) for each in (output, self, mask))
    sizes = geometry.broadcast_sizes(source.sizes, chosen.sizes)
    elements, wanted = (
        geometry.offsets(sizes, geometry.expand_strides(each.sizes, each.strides, sizes), each.offset)
        for each in (source, chosen)
    )
    picked = [element for element, place in zip(elements, wanted) if chosen.read(place)]
    if len(picked) != size:
        raise RuntimeError(f"_masked_select: expected a mask with {size} true elements, got {len(picked)}")
    for to, element in zip(out.offsets(), picked):
        out.write(to, source.read(element))


native_function(
    "_masked_select(Tensor self, Tensor mask, SymInt size) -> Tensor",
    variants="function",
    meta=_chosen_meta,
    kernel=_chosen_kernel,
    limited=(*FLOAT8, complex32),
    derivatives={"self": lambda grad, self, mask: aten.masked_select_backward.default(grad, self, mask)},
    doc="masked_select with a given ``size``, the number of True elements of the broadcast mask.",
)


def _masked_select(self: Any, mask: Any) -> Any:
    check_mask(mask._spec)
    sizes = geometry.broadcast_sizes(self._spec.sizes, mask._spec.sizes)
    count = int(aten.count_nonzero.default(mask.expand(sizes), None).item())
    return aten._masked_select.default(self, mask, count)


masked_select = native_function(
    "masked_select(Tensor self, Tensor mask) -> Tensor",
    explicit=_masked_select,
    derivatives={"self": lambda grad, self, mask: aten.masked_select_backward.default(grad, self, mask)},
    separate=("self", "mask"),
    out=Out(exact=True),
    doc="""Returns the elements where ``mask`` (bool) is True, as a vector; both broadcast.

    Raises RuntimeError for a mask of another dtype.""",
)


def _masked_select_backward(grad: Any, input: Any, mask: Any) -> Any:
    sizes = geometry.broadcast_sizes(input._spec.sizes, mask._spec.sizes)
    return aten.masked_scatter.default(aten.zeros_like(input.expand(sizes)), mask, grad)


native_function(
    "masked_select_backward(Tensor grad, Tensor input, Tensor mask) -> Tensor",
    variants="function",
    composite=_masked_select_backward,
    doc="""Returns zeros of the broadcast sizes of ``input`` and ``mask``, with ``grad`` written where the
    mask is True.""",
)


def _masked_scatter_meta(self: Spec, mask: Spec, source: Spec) -> Spec:
    if self.dtype is not source.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got "
            f"{self.dtype.name} and {source.dtype.name}"
        )
    check_mask(mask)
    return self.contiguous(geometry.broadcast_sizes(self.sizes, mask.sizes))


def _masked_scatter_kernel(output: Tensor, self: Tensor, mask: Tensor, source: Tensor) -> None:
    """``output = self``, with the elements of ``source`` in order where ``mask`` is true."""
    out, before, chosen, given = (TensorAccessor(each) for each in (output, self, mask, source))
    rest = given.offsets()
    offsets = [
        geometry.offsets(out.sizes, geometry.expand_strides(each.sizes, each.strides, out.sizes), each.offset)
        for each in (before, chosen)
    ]
    for target, offset, place in zip(out.offsets(), *offsets):
        if chosen.read(place):
            found = next(rest, None)
            if found is None:
                raise RuntimeError(
                    f"masked_scatter_: expected at least as many elements in source as the mask has True "
                    f"ones, but got {source._spec.numel}"
                )
            out.write(target, given.read(found))
        else:
            out.write(target, before.read(offset))


native_function(
    "masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
    meta=_masked_scatter_meta,
    kernel=_masked_scatter_kernel,
    derivatives={
        "self": lambda grad, mask: grad.masked_fill(mask, 0),
        "source": lambda grad, mask, source_spec: aten.masked_scatter_backward.default(
            grad, mask, source_spec.sizes
        ),
    },
    inplace=True,
    doc="""Returns a copy of ``self`` with the elements of ``source``, in row-major order, where ``mask``
    (bool) is True.

    ``self`` and ``mask`` broadcast.  Raises RuntimeError if ``source`` has fewer elements than the mask has
    True ones, and for other dtypes.""",
)


def _masked_scatter_backward(grad_output: Any, mask: Any, sizes: Sequence[int]) -> Any:
    """The gradients of the elements that were written, in order, and zeros for the rest of the source.

    The sizes do not depend on the mask's data, so that vmap works: gradients of elements that were not
    written go to one extra position at the front, which is dropped.  Raises RuntimeError if the mask is true
    for more elements than ``sizes`` has.
    """
    if any(size < 0 for size in sizes):
        raise RuntimeError(f"Trying to create tensor with negative dimension: {list(sizes)}")
    count = geometry.numel_of(sizes)
    chosen = mask.expand(grad_output._spec.sizes).reshape(-1)
    places = aten.where(chosen, chosen.cumsum(0), 0)
    try:
        taken = aten.scatter.src(grad_output.new_zeros((count + 1,)), 0, places, grad_output.reshape(-1))
    except RuntimeError as error:
        if "out of bounds" not in str(error):
            raise
        raise RuntimeError(
            f"expected sizes with as many elements as mask has True ones, but got {list(sizes)}"
        ) from error
    return aten.slice.Tensor(taken, 0, 1, count + 1, 1).reshape(sizes)


native_function(
    "masked_scatter_backward(Tensor grad_output, Tensor mask, SymInt[] sizes) -> Tensor",
    variants="function",
    composite=_masked_scatter_backward,
    doc="Computes the gradient of masked_scatter with respect to ``source``, which has sizes ``sizes``.",
)


def _plain(mask: Any) -> Any:
    """``mask`` in row-major order, unless it is expanded: gradients of ``where`` have its order."""
    return mask if 0 in mask._spec.strides else row_major(mask)


def _masked_fill(self: Any, mask: Any, value: Any) -> Any:
    dtype = self._spec.dtype
    check_mask(mask)
    refuse_limited(dtype, (complex32,))
    if not hasattr(value, "_spec"):
        check_number_fits(value, dtype)
        value = aten.scalar_tensor.default(value, dtype, None, self.device, None)
        return row_major(aten.where.self(_plain(mask), value, self))
    if value._spec.ndim:
        raise RuntimeError(
            "masked_fill only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._spec.ndim} dimension(s)."
        )
    if can_be_read(value):
        check_number_fits(value.item(), dtype)
    return row_major(aten.where.self(_plain(mask), value.to(self.device, dtype), self))


def _fill_expanded(self: Any, mask: Any, value: Any) -> Any:
    """Writes ``value`` to the memory of the elements where ``mask`` is true, and does not touch the rest.

    Elements of an expanded tensor share memory, so writing back unchanged elements could undo a write.
    """
    warn_of_expanded(aten.masked_fill_.Scalar)
    if not hasattr(value, "_spec"):
        value = aten.scalar_tensor(value, dtype=self.dtype, device=self.device)
    return aten.index_put_.default(self, (mask.expand(self.shape),), value, False)


for _schema in (
    "masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
    "masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor",
):
    native_function(
        _schema,
        composite=_masked_fill,
        inplace=Inplace(on_expanded=_fill_expanded),
        doc="""Fills the elements of ``self`` with ``value`` where ``mask`` is true; the dtype is kept.

        ``mask`` is bool and broadcasts; ``value`` is a number or a 0-dim tensor.  Raises RuntimeError for a
        value that the dtype cannot represent.""",
    )


# -- indices that only need to be valid where a mask is true -------------------------------------------------


def _valid_indices(self: Any, indices: Sequence[Any]) -> list[Any]:
    """The indices, of which those out of range become the first or the last valid one."""
    found = []
    for index, size in zip(indices, self.shape):
        if index is not None and index.dtype not in (int32, int64):
            raise RuntimeError(f"found unexpected index type {index.dtype.name}")
        found.append(None if index is None else index.clamp(-size, size - 1))
    return [*found, *indices[len(found) :]]


def _unsafe_masked_index(self: Any, mask: Any, indices: Sequence[Any], fill: Any) -> Any:
    valid = _valid_indices(self, indices)
    if not self.numel():  # no index is valid: index as if there was one element
        sizes = [size if each is None else 1 for size, each in zip(self.shape, valid)]
        sizes += self.shape[len(valid) :]
        zeros = [None if each is None else aten.zeros_like.default(each) for each in valid]
        return aten.full_like.default(aten.index.Tensor(self.new_zeros(sizes), zeros), fill)
    return aten.index.Tensor(self, valid).masked_fill(mask.logical_not(), fill)


native_function(
    "_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor",
    variants="function",
    explicit=_unsafe_masked_index,
    derivatives={
        "self": lambda grad, self_sizes, mask, indices: aten._unsafe_masked_index_put_accumulate.default(
            grad.new_zeros(self_sizes), mask, indices, grad
        )
    },
    batching="composed",
    doc="""Returns ``self[indices]`` where ``mask`` is true, which broadcasts to it, else ``fill``.

    Indices, int64 or int32, may be out of range: they then mean the first or the last element.  Raises
    RuntimeError for indices of another dtype.""",
)


def _unsafe_masked_index_put_accumulate(self: Any, mask: Any, indices: Sequence[Any], values: Any) -> Any:
    if not self.numel():
        return self.clone()
    chosen = values.masked_fill(mask.logical_not(), 0)
    return aten.index_put.default(self, _valid_indices(self, indices), chosen, True)


native_function(
    "_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> "
    "Tensor",
    variants="function",
    explicit=_unsafe_masked_index_put_accumulate,
    derivatives={
        "self": lambda grad: grad,
        "values": lambda grad, mask, indices: aten._unsafe_masked_index.default(grad, mask, indices, 0),
    },
    linear=("self values",),
    batching="composed",
    doc="""Returns ``self`` with ``values`` added at ``indices`` where ``mask`` is true.

    Indices may be out of range, as for _unsafe_masked_index.  Raises RuntimeError for indices that are
    neither int64 nor int32, and if the dtypes of ``self`` and ``values`` differ.""",
)
