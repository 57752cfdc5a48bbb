"""Advanced indexing (index, index_put), and ``x[...]``.

Source: aten/src/ATen/native/IndexingUtils.cpp, TensorAdvancedIndexing.cpp, TensorIndexing.h;
torch/csrc/autograd/python_variable_indexing.cpp.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NoReturn

from ...calls.checks import can_be_read, check_dtype, check_mask, check_size
from ...calls.iterator import TensorIterator, converted_spec
from ...calls.native import native_function
from ...calls.record import Inplace
from ...dispatch.dispatcher import aten
from ...dispatch.python_dispatch import standard_indices
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.indexing import add_at, copy_elements, from_front
from ...values import geometry, late_bound
from ...values.dispatch_key import BATCHED
from ...values.dtype import (
    FLOAT8,
    LIMITED,
    QUANTIZED,
    bool_,
    check_number_fits,
    complex32,
    float32,
    int32,
    int64,
    uint8,
)
from ...values.errors import type_name, warn
from ...values.scalar import is_numpy_scalar
from ...values.speedups import speedups

# -- index and index_put -------------------------------------------------------------------------------------


def expand_masks(self: Tensor, indices: Sequence[Any]) -> list[Any]:
    """Replaces each bool index by the integer indices of its true elements, one per dimension of the mask."""
    expanded: list[Any] = []
    for index in indices:
        if index is not None and index._spec.dtype is uint8:
            warn(
                "indexing with dtype gnomon.uint8 is now deprecated, please use a dtype gnomon.bool instead.",
                UserWarning,
            )
        if index is None or index._spec.dtype not in (bool_, uint8):
            expanded.append(index)
            continue
        place = len(expanded)
        sizes = index._spec.sizes
        wanted = self._spec.sizes[place : place + len(sizes)]
        if sizes != wanted and not (standard_indices() and _is_empty_mask(sizes, wanted)):
            _raise_mask_mismatch(self, index, place)
        rows = int(aten.count_nonzero.default(index.detach(), None).item())
        found = aten.nonzero_static.default(index.detach(), rows, -1)
        expanded.extend([found.select(1, dim) for dim in range(len(sizes))])
    return expanded


def _is_empty_mask(sizes: geometry.Ints, wanted: geometry.Ints) -> bool:
    """Is a mask of these sizes as that of the wanted ones, but empty?  Only a dispatch mode allows it."""
    return len(sizes) == len(wanted) and all(size in (own, 0) for size, own in zip(sizes, wanted))


def _raise_mask_mismatch(self: Tensor, mask: Tensor, place: int) -> NoReturn:
    """Raises IndexError: the mask's sizes are not those of ``self`` from dimension ``place`` on."""
    sizes = [*self._spec.sizes[place:], *[None] * mask.ndim]
    wrong = next(dim for dim, (wanted, size) in enumerate(zip(sizes, mask._spec.sizes)) if wanted != size)
    raise IndexError(
        f"The shape of the mask {list(mask.shape)} at index {wrong} does not match the shape of the indexed "
        f"tensor {list(self.shape)} at index {place + wrong}"
    )


def _check_count(ndim: int, count: int, where: str = "") -> None:
    """Raises IndexError for more indices than dimensions."""
    if count > ndim:
        raise IndexError(f"{where}too many indices for tensor of dimension {ndim} (got {count})")


def prepare_indices(self: Tensor, indices: Sequence[Any]) -> list[Any]:
    """One index or None for each dimension of ``self``; masks are expanded, indices are int64 and broadcast.

    Raises IndexError for too many indices, an unsupported dtype, or shapes that do not broadcast.
    """
    for index in indices:
        if index is not None and index._spec.dtype not in (int64, int32, bool_, uint8):
            raise IndexError(
                "tensors used as indices must be long, int, byte or bool tensors, got "
                f"{index._spec.dtype.name}; index.long() converts"
            )
    _check_count(self.ndim, len(indices))  # counts 0-dim masks too, which index no dimension
    prepared = expand_masks(self, indices)
    _check_count(self.ndim, len(prepared))
    prepared += [None] * (self.ndim - len(prepared))
    shape: geometry.Ints = ()
    for index in prepared:
        if index is not None:
            try:
                shape = geometry.broadcast_sizes(shape, index._spec.sizes)
            except RuntimeError:
                shapes = ", ".join(str(list(each.shape)) for each in prepared if each is not None)
                raise IndexError(
                    f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
                ) from None
    return [
        index
        if index is None or (index._spec.sizes == shape and index._spec.dtype is int64)
        else index.expand(shape).to(int64)
        for index in prepared
    ]


def indexed_sizes(self: Spec, indices: Sequence[Spec | None]) -> tuple[geometry.Ints, int]:
    """The sizes of ``self[indices]``, and the dimension of it at which the indices' own shape begins.

    The shape of adjacent indices replaces the dimensions that they index; that of separated ones comes first.
    """
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    _check_count(self.ndim, len(indices))
    if len(indices) < self.ndim:
        raise IndexError(
            f"expected an index, or None, for each of {self.ndim} dimensions, but got {len(indices)}"
        )
    shapes = {index.sizes for index in indices if index is not None}
    if len(shapes) > 1:
        raise IndexError(f"expected indices of the same sizes, got {', '.join(map(str, sorted(shapes)))}")
    if not dims:
        return self.sizes, 0
    shape = indices[dims[0]].sizes  # type: ignore[union-attr]
    for index in indices:
        check_dtype(int64, indices=index)
    kept = tuple(size for dim, size in enumerate(self.sizes) if indices[dim] is None)
    adjacent = dims == list(range(dims[0], dims[-1] + 1))
    place = dims[0] if adjacent else 0
    return (*kept[:place], *shape, *kept[place:]), place


def _index_meta(self: Spec, indices: Sequence[Spec | None]) -> Spec:
    """The result has the strides that TensorIterator gives it for the selected elements and the indices.

    Source: AdvancedIndex, restride_src and reshape_indexer there.
    """
    sizes, place = indexed_sizes(self, indices)
    given = [index for index in indices if index is not None]
    if not given:
        return converted_spec(self, self.dtype)
    shape = given[0].sizes
    if geometry.numel_of(shape):
        for dim, index in enumerate(indices):
            if index is not None and self.sizes[dim] == 0:
                raise IndexError(f"index is out of bounds for dimension {dim} with size 0")
    kept = [stride for stride, index in zip(self.strides, indices) if index is None]
    picked = self.with_geometry(sizes, (*kept[:place], *([0] * len(shape)), *kept[place:]))
    around = ((1,) * place, (1,) * (len(kept) - place))
    shaped = []
    for index in given:
        to = (*around[0], *shape, *around[1])
        strides = geometry.view_strides(index.sizes, index.strides, to)
        shaped.append(index.with_geometry(to, strides or geometry.contiguous_strides(to)))
    return TensorIterator("", [picked, *shaped], [self.dtype], None, self.device).output_specs[0]


def _indexed_offsets(self: Tensor, indices: Sequence[Tensor | None]) -> list[int]:
    """The offset in ``self`` of each element of ``self[indices]``, in row-major order of the result."""
    spec = self._spec
    sizes, place = indexed_sizes(spec, [None if index is None else index._spec for index in indices])
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    kept = [dim for dim, index in enumerate(indices) if index is None]
    if not dims:
        return list(geometry.offsets(spec.sizes, spec.strides, self._storage_offset))
    if 0 in sizes:
        return []  # nothing is read, so indices are not checked
    accessors = [TensorAccessor(indices[dim]) for dim in dims]  # type: ignore[arg-type]
    picked = [0] * accessors[0]._tensor._spec.numel
    for dim, accessor in zip(dims, accessors):
        for position, offset in enumerate(accessor.offsets()):
            picked[position] += from_front(accessor.read(offset), spec.sizes[dim], dim) * spec.strides[dim]
    before, after = kept[:place], kept[place:]
    result: list[int] = []
    for start in geometry.offsets(
        [spec.sizes[dim] for dim in before], [spec.strides[dim] for dim in before], self._storage_offset
    ):
        for step in picked:
            result.extend(
                geometry.offsets(
                    [spec.sizes[dim] for dim in after], [spec.strides[dim] for dim in after], start + step
                )
            )
    return result


def _index_kernel(output: Tensor, self: Tensor, indices: Sequence[Tensor | None]) -> None:
    """``output = self[indices]``."""
    source, out = TensorAccessor(self), TensorAccessor(output)
    for target, offset in zip(out.offsets(), _indexed_offsets(self, indices)):
        out.write(target, source.read(offset))


_index = native_function(
    "_index(Tensor self, Tensor?[] indices) -> Tensor",
    meta=_index_meta,
    kernel=_index_kernel,
    limited=LIMITED,
    derivatives={
        "self": lambda grad, self_sizes, indices: aten._index_put.default(
            grad.new_zeros(self_sizes), indices, grad, True
        )
    },
    linear=("self",),
    node_name="IndexBackward0",
    doc="index with one int64 tensor or None for each dimension, the tensors broadcast to one shape.",
)


def _index_composite(self: Tensor, indices: Sequence[Any]) -> Tensor:
    if not indices:
        raise IndexError("at least one index must be provided")
    prepared = prepare_indices(self, indices)
    if _without_dimensions(indices) and all(each is None for each in prepared):
        raise RuntimeError("a 0-dim mask must be combined with at least one other index")
    return aten._index.default(self, prepared)


def _without_dimensions(indices: Sequence[Any]) -> list[Any]:
    """The 0-dim masks, which index no dimension."""
    masks = [index for index in indices if index is not None and index._spec.dtype in (bool_, uint8)]
    return [mask for mask in masks if not mask.ndim]


if speedups is not None:
    _index_composite = speedups.index_of_mask(_index_composite)

index = native_function(
    "index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
    composite=_index_composite,
    doc="""Returns ``self[indices]``: one index tensor per dimension, or None for a full slice.

    Indices are int64 or int32 (negative ones count from the end) or bool masks, and broadcast.  Raises
    IndexError for too many indices, for other dtypes, and if out of range.""",
)


def _index_put_meta(self: Spec, indices: Sequence[Spec | None], values: Spec, accumulate: bool) -> Spec:
    if values.dtype is not self.dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {self.dtype.name} for the "
            f"destination and {values.dtype.name} for the source."
        )
    check_size(indexed_sizes(self, indices)[0], values=values)
    dense = geometry.is_non_overlapping_and_dense(self.sizes, self.strides)
    return self if dense else converted_spec(self, self.dtype)  # the strides of a clone of self


def _index_put_kernel(
    output: Tensor, self: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool
) -> None:
    """``output = self``, then ``output[indices] = values`` (or ``+=``; repeated indices accumulate)."""
    out, given = TensorAccessor(output), TensorAccessor(values)
    copy_elements(out, TensorAccessor(self))
    pairs = zip(_indexed_offsets(output, indices), map(given.read, given.offsets()))
    if accumulate:
        add_at(out, pairs)
        return
    for target, value in pairs:
        out.write(target, value)


native_function(
    "_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate) -> Tensor",
    meta=_index_put_meta,
    kernel=_index_put_kernel,
    limited=(*FLOAT8, complex32),
    derivatives={
        "self": lambda grad, indices, values_spec, accumulate: (
            grad
            if accumulate
            else aten._index_put.default(grad, indices, grad.new_zeros(values_spec.sizes), False)
        ),
        "values": lambda grad, indices: aten._index.default(grad, indices),
    },
    node_name="IndexPutBackward0",
    separate=("indices", "values"),
    inplace=Inplace(on_expanded=True, updates=True),
    doc="index_put with indices as for _index, and ``values`` of the indexed sizes.",
)


def _one_number_for_a_mask(self: Any, indices: Sequence[Any], values: Any) -> Any:
    """``values`` converted to the dtype of ``self`` if it is one element for one mask, as for masked_fill_.

    Raises RuntimeError for a mask of another dtype than bool, as masked_fill_ would, and for a number that
    does not fit.  Source: canDispatchToMaskedFill.
    """
    given = [index for index in indices if index is not None]
    if values.numel() != 1 or len(given) != 1 or given[0]._spec.dtype not in (bool_, uint8):
        return values
    check_mask(given[0])
    if values._spec.dtype is not self._spec.dtype and can_be_read(values):
        check_number_fits(values.item(), self._spec.dtype)
    return values.to(self.dtype)


def _prepared_put(self: Any, indices: Sequence[Any], values: Any, accumulate: bool) -> tuple[list[Any], Any]:
    if not accumulate:
        values = _one_number_for_a_mask(self, indices, values)
    prepared = prepare_indices(self, indices)
    sizes, _ = indexed_sizes(self._spec, [None if each is None else each._spec for each in prepared])
    if values._spec.dtype is not self._spec.dtype:
        raise RuntimeError(
            f"index_put_: Index put requires the source and destination dtypes match, got {self.dtype.name} "
            f"for the destination and {values.dtype.name} for the source."
        )
    try:
        return prepared, values.expand(sizes)
    except RuntimeError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing "
            f"result of shape {list(sizes)}"
        ) from None


def _index_put(self: Any, indices: Sequence[Any], values: Any, accumulate: bool) -> Any:
    prepared, values = _prepared_put(self, indices, values, accumulate)
    if any(each is not None for each in prepared):
        made = aten._index_put.default(self, prepared, values, accumulate)
    else:
        made = aten.add.Tensor(self, values, 1) if accumulate else aten.copy.default(self, values, False)
    for mask in _without_dimensions(indices):
        made = aten.where.self(mask.to(bool_), made, self)
    return made


def _index_put_(self: Any, indices: Sequence[Any], values: Any, accumulate: bool) -> Any:
    if _without_dimensions(indices):
        return aten.copy_.default(self, _index_put(self, indices, values, accumulate), False)
    prepared, values = _prepared_put(self, indices, values, accumulate)
    return aten._index_put_.default(self, prepared, values, accumulate)


native_function(
    "index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
    composite=_index_put,
    doc="""Returns a copy of ``self`` with ``values`` (broadcast) written to the indexed elements, or added if
    ``accumulate`` is True.

    The result has the sizes and the dtype of ``self``.  Raises IndexError if out of range, RuntimeError if
    the dtype of ``values`` differs or their sizes do not broadcast.""",
)

native_function(
    "index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)",
    composite=_index_put_,
    doc="""Writes ``values`` (broadcast) to the indexed elements of ``self`` in-place, or adds them if
    ``accumulate`` is True.""",
)


# -- x[...] --------------------------------------------------------------------------------------------------


def _is_mask(item: Any) -> bool:
    return isinstance(item, Tensor) and item._spec.dtype in (bool_, uint8)


def _dimensions_consumed(item: Any) -> int:
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    return item.ndim if _is_mask(item) else 1


def _apply_basic(self: Tensor, items: Sequence[Any]) -> tuple[Tensor, list[Any]]:
    """Applies ints, slices, None and Ellipsis as views; returns the view and the tensors that index it.

    Source: applySlicing in TensorIndexing.h.
    """
    consumed = sum(_dimensions_consumed(item) for item in items)
    _check_count(self.ndim, consumed, "x[...]: ")
    view = self
    dim = 0  # of the view so far
    tensors: list[Any] = []
    covered = 0  # dimensions of the view that ``tensors`` has entries for

    def index_with(tensor: Tensor) -> int:
        """Records that ``tensor`` indexes the view from ``dim`` on; returns the number of its dimensions."""
        nonlocal covered
        dims = tensor.ndim if _is_mask(tensor) else 1
        tensors.extend([None] * (dim - covered))
        tensors.append(tensor)
        covered = dim + dims
        return dims

    for real_dim, item in enumerate(items):
        if item is None:
            view = view.unsqueeze(dim)
            dim += 1
        elif item is Ellipsis:
            dim += self.ndim - consumed
        elif isinstance(item, bool) or (_is_mask(item) and item.ndim == 0):
            view = view.unsqueeze(dim)
            dim += index_with(_bool_index(bool(item), view))
        elif isinstance(item, slice):
            start, stop, step = _bounds(item)
            if step < 0:
                view = _reversed(view, dim, item)
            elif (start, stop, step) != (None, None, 1):
                view = aten.slice.Tensor(view, dim, start, stop, step)
            dim += 1
        elif isinstance(item, Tensor) and (item.ndim or item._keys & BATCHED):
            dim += index_with(item)
        else:
            position = operator.index(item)
            size = view._spec.sizes[dim]
            if not -size <= position < size:
                raise IndexError(
                    f"x[...]: index {position} is out of bounds for dimension {real_dim} with size {size}; "
                    f"expected an index from {-size} to {size - 1}"
                    if size
                    else f"x[...]: index {position} is out of bounds for dimension {real_dim} with size 0"
                )
            view = aten.select.int(view, dim, position)
    return view, tensors


def _reversed(view: Tensor, dim: int, item: slice) -> Tensor:
    """A slice with a negative step, a copy; only a dispatch mode allows it."""
    taken = range(view._spec.sizes[dim])[item]
    if not taken:
        return view.narrow(dim, 0, 0)
    places = aten.arange(taken.start, taken.stop, taken.step, device=view.device)
    return aten.index.Tensor(view, [*[None] * dim, places])


def _write_reversed(self: Tensor, index: Any, value: Tensor) -> None:
    """``self[index] = value`` for an index that gives no view: by the places of the elements in ``self``."""
    places = aten.arange(self._spec.numel, device=self.device).reshape(self._spec.sizes)[index]
    indices: list[Tensor] = []
    for size in reversed(self._spec.sizes):
        indices.insert(0, aten.remainder.Tensor(places, size))
        places = aten.floor_divide(places, size)
    aten.index_put_.default(self, indices, value, False)


def _has_negative_step(index: Any) -> bool:
    """Is one of the slices of an index backwards?"""
    items = index if isinstance(index, tuple) else (index,)
    return any(isinstance(each, slice) and each.step is not None and each.step < 0 for each in items)


def _bounds(item: slice) -> tuple[int | None, int | None, int]:
    """A slice's start, stop and step.

    Raises ValueError for a step less than 1, TypeError for values that are not integers.
    """
    given = item.start, item.stop, item.step
    for each in given:
        if each is not None and not hasattr(each, "__index__"):
            raise TypeError(
                "x[...]: slice indices must be integers or None or have an __index__ method, got "
                f"{type_name(each)}"
            )
    start, stop, step = (None if each is None else operator.index(each) for each in given)
    if step is None:
        step = 1
    if step == 0 or (step < 0 and not standard_indices()):
        raise ValueError(
            f"x[...]: slice step {'must be greater than' if step else 'cannot be'} zero, got {step}"
            f"{'; x.flip(dim) reverses' if step < 0 else ''}"
        )
    return start, stop, step


def _bool_index(value: bool, view: Tensor) -> Tensor:
    """The index that selects a new dimension of size 1 if ``value`` is true, else nothing."""
    return aten.zeros.default((1 if value else 0,), int64, None, view.device, None)


def is_array(item: Any) -> bool:
    """Is it an array of NumPy, 0-dim included?  NumPy scalars are excluded: they are not writable."""
    if isinstance(item, Tensor):  # it has the interface, too
        return False
    return hasattr(item, "__array_interface__") and hasattr(item, "__setitem__")


def _is_sequence(item: Any) -> bool:
    """A list, a tuple, a range, an array: anything with ``__len__`` and ``__getitem__``."""
    return not isinstance(item, (Tensor, dict)) and hasattr(item, "__len__") and hasattr(item, "__getitem__")


def _stands_for_tuple(index: Any) -> bool:
    """Is a sequence that is not a tuple treated as one, with one item for each dimension?

    Yes if it is short and has an item other than a number: a slice, a tensor, a sequence, None.  An array is
    not.  Source: treatSequenceAsTuple, which follows NumPy.
    """
    if is_array(index) or not _is_sequence(index) or len(index) >= 32:
        return False
    return any(
        each is None or each is Ellipsis or isinstance(each, (slice, Tensor)) or _is_sequence(each)
        for each in index
    )


def normalize_index(self: Tensor, index: Any) -> list[Any]:
    """The items of ``x[index]``: sequences of numbers become tensors.

    Raises IndexError for an item that is not an index, TypeError for a sequence with such items.
    """
    items = list(index) if isinstance(index, tuple) or _stands_for_tuple(index) else [index]
    normalized: list[Any] = []
    for item in items:
        if isinstance(item, str):
            raise TypeError(f"x[...]: an index must be made of integers, got {item!r}")
        if _is_sequence(item):
            item = late_bound.make_index_tensor(item, self.device)
        if isinstance(item, Tensor):
            if item._spec.dtype.category >= 2:
                raise IndexError(
                    "x[...]: tensors used as indices must be long, int, byte or bool tensors, got "
                    f"{item._spec.dtype.name}; index.long() converts"
                )
        elif not (item is None or item is Ellipsis or isinstance(item, slice) or hasattr(item, "__index__")):
            raise IndexError(
                "x[...]: only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
                f"valid indices (got {type_name(item)})"
            )
        normalized.append(item)
    return normalized


def getitem(self: Tensor, index: Any) -> Tensor:
    """``self[index]``: a view for ints, slices, None and Ellipsis; a copy if a tensor or list is an index.

    Raises IndexError for too many indices, invalid indices, and out of range.  Source: THPVariable_getitem.
    """
    if index.__class__ is int and self._spec.ndim:
        size = self._spec.sizes[0]
        if -size <= index < size:
            return aten.select.int(self, 0, index)
    if index.__class__ is Tensor and 0 < index._spec.ndim <= self._spec.ndim:
        if index._spec.dtype is int64 or index._spec.dtype is bool_:
            return aten.index.Tensor(self, [index])
    view, tensors = _apply_basic(self, normalize_index(self, index))
    if not tensors:
        return aten.alias.default(view) if view is self else view
    return aten.index.Tensor(view, tensors)


def _number_to_write(self: Tensor, value: Any) -> Tensor:
    """The number as a tensor with the dtype of ``self``, float32 if that is one of QUANTIZED.

    Raises TypeError for any other type.
    """
    if isinstance(value, (bool, int, float, complex)) or is_numpy_scalar(value):
        dtype = float32 if self._spec.dtype in QUANTIZED else self._spec.dtype
        return aten.scalar_tensor.default(value, dtype, None, self.device, None)
    raise TypeError(
        f"x[...] = value: can't assign a {type_name(value)} to a tensor of {self._spec.dtype.name}; "
        "expected a number or a tensor (convert with gnomon.tensor(value))"
    )


def setitem(self: Tensor, index: Any, value: Any) -> None:
    """``self[index] = value``: the value broadcasts, and is converted to the dtype of ``self``.

    Raises IndexError as ``self[index]`` does, RuntimeError for a value that does not broadcast.
    Source: THPVariable_setitem.
    """
    if not isinstance(value, Tensor):
        value = _number_to_write(self, value)
    if index is False:
        return
    if standard_indices() and _has_negative_step(index):
        return _write_reversed(self, index, value)
    view, tensors = _apply_basic(self, normalize_index(self, index))
    if not tensors and value._spec.sizes == view._spec.sizes:
        aten.copy_.default(view, value, False)
        return
    while value.ndim and value._spec.sizes[0] == 1:  # leading sizes of 1 are ignored
        value = value.squeeze(0)
    if tensors:
        aten.index_put_.default(view, tensors, value, False)
        return
    if value.ndim:
        try:
            geometry.check_expandable(value._spec.sizes, view._spec.sizes)
        except RuntimeError as error:
            raise RuntimeError(f"x[...] = value: {error}") from None
        value = value.expand(view._spec.sizes)  # copy_ recognizes the view itself by its strides
    aten.copy_.default(view, value, False)
