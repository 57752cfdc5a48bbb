"""Indexing by tensors: index, index_put, gather, scatter_add, index_select, nonzero; and ``x[...]``.

Source: aten/src/ATen/native/IndexingUtils.cpp, TensorAdvancedIndexing.cpp;
torch/csrc/autograd/python_variable_indexing.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..kit.native import native_function
from ..memory.accessor import TensorAccessor
from ..memory.spec import Spec
from ..memory.tensor import Tensor
from ..values import geometry
from ..values.dtype import bool_, int32, int64, uint8
from ..values.geometry import wrap_dim


def checked_index(index: int, size: int, dim: int) -> int:
    """``index`` counted from the front.  Raises IndexError when it is out of range."""
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return index + size if index < 0 else index


# -- gather, scatter_add, index_select ---------------------------------------------------------------------


def _gather_rule(self: Spec, dim: int, index: Spec, sparse_grad: bool) -> Spec:
    dim = wrap_dim(dim, self.ndim)
    if index.dtype is not int64:
        raise RuntimeError(f"Expected dtype int64 for index, got {index.dtype.name}")
    if max(index.ndim, 1) != max(self.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for each in range(self.ndim if index.ndim else 0):
        if each != dim and index.sizes[each] > self.sizes[each]:
            raise RuntimeError(
                f"Size does not match at dimension {each} expected index {list(index.sizes)} to be no "
                f"larger than self {list(self.sizes)} apart from dimension {dim}"
            )
    return self.contiguous(index.sizes)


def _checked_position(index: int, size: int, dim: int) -> int:
    """``index`` as gather and scatter take it: never from the end.

    Raises RuntimeError when it is out of range.
    """
    if not 0 <= index < size:
        raise RuntimeError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return index


def _positions(
    index: TensorAccessor, sizes: geometry.Ints, strides: geometry.Ints, offset: int, dim: int
) -> Any:
    """For each element of ``index``: its offset, and the offset in the tensor that it points at along
    ``dim``.
    """
    if not index.sizes:
        position = _checked_position(index.read(index.offset), sizes[0] if sizes else 1, dim)
        yield index.offset, offset + position * (strides[0] if strides else 0)
        return
    along = strides[dim] if strides else 0
    size = sizes[dim] if sizes else 1
    others = tuple(0 if each == dim else stride for each, stride in enumerate(strides or (0,)))
    for at, base in zip(index.offsets(), geometry.offsets(index.sizes, others, offset)):
        yield at, base + _checked_position(index.read(at), size, dim) * along


def _gather_kernel(output: Tensor, self: Tensor, dim: int, index: Tensor, sparse_grad: bool) -> None:
    """``output[i][j] = self[index[i][j]][j]`` for dim 0, and so on."""
    source, where, out = TensorAccessor(self), TensorAccessor(index), TensorAccessor(output)
    dim = wrap_dim(dim, len(source.sizes))
    for target, (_, position) in zip(
        out.offsets(), _positions(where, source.sizes, source.strides, source.offset, dim)
    ):
        out.write(target, source.read(position))


gather = native_function(
    "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
    meta=_gather_rule,
    kernel=_gather_kernel,
    derivatives={
        "self": lambda grad, self_sizes, dim, index: aten.scatter_add.default(
            grad.new_zeros(self_sizes), dim, index, grad
        )
    },
    out="out",
    doc="Elements picked along ``dim`` by ``index`` (int64), whose sizes the result has.",
)


def _scatter_add_rule(self: Spec, dim: int, index: Spec, src: Spec) -> Spec:
    dim = wrap_dim(dim, self.ndim)
    if index.dtype is not int64:
        raise RuntimeError(f"Expected dtype int64 for index, got {index.dtype.name}")
    if src.dtype is not self.dtype:
        raise RuntimeError(
            f"Expected self.dtype to be equal to src.dtype, got {self.dtype.name} and {src.dtype.name}"
        )
    if index.numel and (max(index.ndim, 1) != max(self.ndim, 1) or max(index.ndim, 1) != max(src.ndim, 1)):
        raise RuntimeError("Index tensor must have the same number of dimensions as self and src tensors")
    for each in range(index.ndim if index.numel else 0):
        if index.sizes[each] > src.sizes[each] or (each != dim and index.sizes[each] > self.sizes[each]):
            raise RuntimeError(
                f"Expected index {list(index.sizes)} to be no larger than self {list(self.sizes)} apart "
                f"from dimension {dim} and to be no larger size than src {list(src.sizes)}"
            )
    return self.contiguous()


def _scatter_add_kernel(output: Tensor, self: Tensor, dim: int, index: Tensor, src: Tensor) -> None:
    """``output = self``, then ``output[index[i][j]][j] += src[i][j]`` for dim 0, and so on."""
    source, target, where, added = (TensorAccessor(each) for each in (self, output, index, src))
    for to, offset in zip(target.offsets(), source.offsets()):
        target.write(to, source.read(offset))
    if not index._spec.numel:
        return
    dim = wrap_dim(dim, len(target.sizes))
    sums: dict[int, list[Any]] = {}
    reads = geometry.offsets(where.sizes, added.strides if where.sizes else (), added.offset)
    for (_, position), offset in zip(
        _positions(where, target.sizes, target.strides, target.offset, dim), reads
    ):
        sums.setdefault(position, [target.read(position)]).append(added.read(offset))
    from ..kit.arithmetic import exact_sum

    for position, numbers in sums.items():
        target.write(position, exact_sum(numbers))


scatter_add = native_function(
    "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
    meta=_scatter_add_rule,
    kernel=_scatter_add_kernel,
    derivatives={"self": lambda grad: grad, "src": lambda grad, dim, index: grad.gather(dim, index)},
    inplace=True,
    out="out",
    doc="``self`` with the elements of ``src`` added at the positions along ``dim`` that ``index`` (int64) "
    "says.",
)


def _index_select_rule(self: Spec, dim: int, index: Spec) -> Spec:
    dim = wrap_dim(dim, self.ndim)
    if index.ndim > 1:
        raise IndexError(f"Index is supposed to be a vector, but got dim: {index.ndim}")
    if index.dtype not in (int32, int64):
        raise RuntimeError(f"Expected dtype int32 or int64 for index, got {index.dtype.name}")
    if not self.ndim:
        if index.numel != 1:
            raise RuntimeError(f"Index to scalar can have only 1 value, got {index.numel} value(s)")
        return self.contiguous(())
    return self.contiguous((*self.sizes[:dim], index.numel, *self.sizes[dim + 1 :]))


def _index_select_kernel(output: Tensor, self: Tensor, dim: int, index: Tensor) -> None:
    """``output[..., i, ...] = self[..., index[i], ...]``."""
    source, out, where = TensorAccessor(self), TensorAccessor(output), TensorAccessor(index)
    if not source.sizes:
        checked_index(where.read(where.offset), 1, 0)
        out.write(out.offset, source.read(source.offset))
        return
    dim = wrap_dim(dim, len(source.sizes))
    sizes = (*source.sizes[:dim], *source.sizes[dim + 1 :])
    source_strides = (*source.strides[:dim], *source.strides[dim + 1 :])
    out_strides = (*out.strides[:dim], *out.strides[dim + 1 :])
    for position, at in enumerate(where.offsets()):
        number = where.read(at)
        if not 0 <= number < source.sizes[dim]:
            raise IndexError(
                f"index_select(): index {number} is out of range for dimension {dim} with size "
                f"{source.sizes[dim]}"
            )
        starts = geometry.offsets(sizes, source_strides, source.offset + number * source.strides[dim])
        targets = geometry.offsets(sizes, out_strides, out.offset + position * out.strides[dim])
        for target, offset in zip(targets, starts):
            out.write(target, source.read(offset))


def _index_select_grad(grad: Any, self_sizes: Any, dim: int, index: Any) -> Any:
    if not self_sizes:
        return grad
    shape = [1] * len(self_sizes)
    dim = wrap_dim(dim, len(self_sizes))
    shape[dim] = -1
    return aten.scatter_add.default(
        grad.new_zeros(self_sizes), dim, index.to(int64).reshape(shape).expand(grad._spec.sizes), grad
    )


index_select = native_function(
    "index_select(Tensor self, int dim, Tensor index) -> Tensor",
    meta=_index_select_rule,
    kernel=_index_select_kernel,
    derivatives={"self": _index_select_grad},
    out="out",
    doc="The slices along ``dim`` that a vector ``index`` (int32 or int64) names.  Raises IndexError out of "
    "range.",
)


# -- nonzero -------------------------------------------------------------------------------------------------


def _nonzero_rule(self: Spec, size: int, fill_value: int) -> Spec:
    if size < 0:
        raise RuntimeError(f"'size' must be a non-negative integer, got {size}")
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
    meta=_nonzero_rule,
    kernel=_nonzero_kernel,
    doc="The indices of the first ``size`` elements that are not 0, one a row; unused rows hold "
    "``fill_value``.",
)


def _nonzero(self: Any) -> Any:
    """The rows of nonzero_static, as many as there are, in PyTorch's layout: each coordinate's column lies
    together.
    """
    count = int(aten.count_nonzero.default(self.detach(), None).item())
    rows = aten.nonzero_static.default(self.detach(), count, -1)
    made = aten.empty_strided.default((count, self.ndim), (1, count), int64, None, self.device, None)
    return aten.copy_.default(made, rows, False)


nonzero = native_function(
    "nonzero(Tensor self) -> Tensor",
    composite=_nonzero,
    doc="The indices of the elements that are not 0, one a row (int64).",
)


# -- index and index_put -------------------------------------------------------------------------------------


def expand_masks(self: Tensor, indices: Sequence[Any]) -> list[Any]:
    """Each bool index replaced by the integer indices of its true elements, one for each of its
    dimensions.
    """
    expanded: list[Any] = []
    for index in indices:
        if index is None or index._spec.dtype not in (bool_, uint8):
            expanded.append(index)
            continue
        for each in range(index.ndim):
            dim = len(expanded) + each
            if dim >= self.ndim or index.size(each) != self.size(dim):
                raise IndexError(
                    f"The shape of the mask {list(index.shape)} at index {each} does not match the shape of "
                    f"the indexed tensor {list(self.shape)} at index {dim}"
                )
        found = aten.nonzero.default(index)
        expanded.extend(found.select(1, dim) for dim in range(index.ndim))
    return expanded


def prepare_indices(self: Tensor, indices: Sequence[Any]) -> list[Any]:
    """One index or None for each dimension of ``self``, masks resolved, int64, broadcast together.

    Raises IndexError for too many indices, a dtype that is none of an index, or shapes that do not broadcast.
    """
    for index in indices:
        if index is not None and index._spec.dtype not in (int64, int32, bool_, uint8):
            raise IndexError(
                "tensors used as indices must be long, int, byte or bool tensors, got "
                f"{index._spec.dtype.name}"
            )
    prepared = expand_masks(self, indices)
    if len(prepared) > self.ndim:
        raise IndexError(f"too many indices for tensor of dimension {self.ndim} (got {len(prepared)})")
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
    return [None if index is None else index.to(int64).expand(shape) for index in prepared]


def indexed_sizes(self: Spec, indices: Sequence[Spec | None]) -> tuple[geometry.Ints, int]:
    """The sizes of ``self[indices]``, and at which dimension of it the indices' own shape stands.

    Adjacent indices stand where the dimensions were that they index; separated ones come first.
    """
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    if not dims:
        return self.sizes, 0
    shape = indices[dims[0]].sizes  # type: ignore[union-attr]
    kept = tuple(size for dim, size in enumerate(self.sizes) if indices[dim] is None)
    adjacent = dims == list(range(dims[0], dims[-1] + 1))
    place = dims[0] if adjacent else 0
    return (*kept[:place], *shape, *kept[place:]), place


def _index_rule(self: Spec, indices: Sequence[Spec | None]) -> Spec:
    return self.contiguous(indexed_sizes(self, indices)[0])


def _indexed_offsets(self: Tensor, indices: Sequence[Tensor | None]) -> list[int]:
    """The offset in ``self`` of each element of ``self[indices]``, in row-major order of the result."""
    spec = self._spec
    _, place = indexed_sizes(spec, [None if index is None else index._spec for index in indices])
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    kept = [dim for dim, index in enumerate(indices) if index is None]
    if not dims:
        return list(geometry.offsets(spec.sizes, spec.strides, self._storage_offset))
    accessors = [TensorAccessor(indices[dim]) for dim in dims]  # type: ignore[arg-type]
    picked = [0] * accessors[0]._tensor._spec.numel
    for dim, accessor in zip(dims, accessors):
        for position, offset in enumerate(accessor.offsets()):
            picked[position] += checked_index(accessor.read(offset), spec.sizes[dim], dim) * spec.strides[dim]
    before, after = kept[:place], kept[place:]
    result = []
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
    meta=_index_rule,
    kernel=_index_kernel,
    derivatives={
        "self": lambda grad, self_sizes, indices: aten._index_put.default(
            grad.new_zeros(self_sizes), indices, grad, True
        )
    },
    node_name="IndexBackward0",
    doc="index with one int64 tensor or None for each dimension, the tensors broadcast to one shape.",
)

index = native_function(
    "index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
    composite=lambda self, indices: aten._index.default(self, prepare_indices(self, indices)),
    doc="""Elements at the positions that a list of tensors names: one for each dimension, None for a whole
    one.

    int64, int32 (counting from the end where negative) or bool; they broadcast.  Raises IndexError for too
    many, for other dtypes, and out of range.""",
)


def _index_put_rule(self: Spec, indices: Sequence[Spec | None], values: Spec, accumulate: bool) -> Spec:
    if values.dtype is not self.dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {self.dtype.name} for the "
            f"destination and {values.dtype.name} for the source."
        )
    dense = geometry.is_non_overlapping_and_dense(self.sizes, self.strides)
    return self if dense else self.contiguous()  # as a clone of self would lie


def _index_put_kernel(
    output: Tensor, self: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool
) -> None:
    """``output = self``, then ``output[indices] = values`` (or ``+=``, adding up where an index repeats)."""
    source, out, given = TensorAccessor(self), TensorAccessor(output), TensorAccessor(values)
    for target, offset in zip(out.offsets(), source.offsets()):
        out.write(target, source.read(offset))
    for target, offset in zip(_indexed_offsets(output, indices), given.offsets()):
        value = given.read(offset)
        out.write(target, out.read(target) + value if accumulate else value)


native_function(
    "_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate) -> Tensor",
    meta=_index_put_rule,
    kernel=_index_put_kernel,
    derivatives={
        "self": lambda grad, indices, values_spec, accumulate: (
            grad
            if accumulate
            else aten._index_put.default(grad, indices, grad.new_zeros(values_spec.sizes), False)
        ),
        "values": lambda grad, indices: aten._index.default(grad, indices),
    },
    node_name="IndexPutBackward0",
    inplace=True,
    doc="index_put with indices as for _index, and values of the indexed sizes.",
)


def _prepared_put(self: Any, indices: Sequence[Any], values: Any) -> tuple[list[Any], Any]:
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
    return aten._index_put.default(self, *_prepared_put(self, indices, values), accumulate)


native_function(
    "index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
    composite=_index_put,
    doc="``self`` with ``values`` (broadcast) at the indexed positions, or added to what is there.",
)

native_function(
    "index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)",
    variants="method",
    composite=lambda self, indices, values, accumulate: aten._index_put_.default(
        self, *_prepared_put(self, indices, values), accumulate
    ),
    doc="Write ``values`` (broadcast) to the indexed positions of ``self``, or add them to what is there.",
)


# -- x[...] --------------------------------------------------------------------------------------------------


def _apply_basic(self: Tensor, items: Sequence[Any]) -> tuple[Tensor, list[Any]]:
    """Apply ints, slices, None and Ellipsis as views; returns the view and what tensors are left to index
    with.

    Source: applySlicing in TensorIndexing.h.
    """
    consumed = sum(_dimensions_consumed(item) for item in items)
    if consumed > self.ndim:
        raise IndexError(f"too many indices for tensor of dimension {self.ndim}")
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    view = self
    dim = 0  # of the view so far
    real_dim = 0  # of self, for messages
    tensors: list[Any] = []

    def at(position: int, index: Any) -> None:
        tensors.extend([None] * (position + 1 - len(tensors)))
        tensors[position] = index

    for item in items:
        if item is None:
            view = view.unsqueeze(dim)
            dim += 1
        elif item is Ellipsis:
            dim += self.ndim - consumed
            real_dim += self.ndim - consumed
        elif isinstance(item, bool):
            view = view.unsqueeze(dim)
            at(dim, _bool_index(item, view))
            dim += 1
        elif isinstance(item, slice):
            step = 1 if item.step is None else item.step.__index__()
            if step <= 0:
                raise ValueError("step must be greater than zero")
            bounds = [None if bound is None else bound.__index__() for bound in (item.start, item.stop)]
            if bounds != [None, None] or step != 1:
                view = aten.slice.Tensor(view, dim, bounds[0], bounds[1], step)
            dim += 1
        elif isinstance(item, Tensor):
            if item._spec.dtype in (bool_, uint8) and item.ndim == 0:
                view = view.unsqueeze(dim)
                at(dim, _bool_index(bool(item.item()), view))
                dim += 1
            else:
                at(dim, item)
                dim += item.ndim if item._spec.dtype in (bool_, uint8) else 1
        else:
            position = item.__index__()
            size = view._spec.sizes[dim]
            if not -size <= position < size:
                raise IndexError(
                    f"index {position} is out of bounds for dimension {real_dim} with size {size}"
                )
            view = aten.select.int(view, dim, position)
        real_dim += _dimensions_consumed(item)
    return view, tensors


def _dimensions_consumed(item: Any) -> int:
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, Tensor) and item._spec.dtype in (bool_, uint8):
        return item.ndim
    return 1


def _bool_index(value: bool, view: Tensor) -> Tensor:
    """A 0-dim bool takes a new dimension whole or not at all."""
    return aten.zeros.default((1 if value else 0,), int64, None, view.device, None)


def normalize_index(self: Tensor, index: Any) -> list[Any]:
    """The items of ``x[index]``: sequences of numbers become tensors.

    Raises IndexError for what is no index.
    """
    items = list(index) if isinstance(index, tuple) else [index]
    normalized: list[Any] = []
    for item in items:
        if isinstance(item, (list, tuple, range)) or (
            hasattr(item, "__array_interface__") and not isinstance(item, Tensor)
        ):
            item = make_index_tensor(item, self.device)
        if isinstance(item, Tensor):
            if item._spec.dtype.category == 1 and item.ndim == 0 and item._spec.dtype is not uint8:
                normalized.append(item)
                continue
            if item._spec.dtype.category >= 2:
                raise IndexError(
                    "tensors used as indices must be long, int, byte or bool tensors, got "
                    f"{item._spec.dtype.name}"
                )
        elif not (item is None or item is Ellipsis or isinstance(item, slice) or hasattr(item, "__index__")):
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                f"indices (got {type(item).__name__})"
            )
        normalized.append(item)
    return normalized


def make_index_tensor(data: Any, device: Any) -> Tensor:
    """A tensor of nested numbers; set by the floor above, which makes tensors from data."""
    raise NotImplementedError


def getitem(self: Tensor, index: Any) -> Tensor:
    """``self[index]``: a view for ints, slices, None and Ellipsis; a copy where a tensor (or list) indexes.

    Raises IndexError for too many indices, what is no index, and out of range.  Source: THPVariable_getitem.
    """
    if index.__class__ is int and self._spec.ndim:
        size = self._spec.sizes[0]
        if -size <= index < size:
            return aten.select.int(self, 0, index)
    view, tensors = _apply_basic(self, normalize_index(self, index))
    if not tensors:
        return aten.alias.default(view) if view is self else view
    return aten.index.Tensor(view, tensors)


def setitem(self: Tensor, index: Any, value: Any) -> None:
    """``self[index] = value``: the value broadcasts, and is converted to the dtype of ``self``.

    Raises IndexError as ``self[index]`` does, RuntimeError for a value that does not broadcast.
    Source: THPVariable_setitem.
    """
    view, tensors = _apply_basic(self, normalize_index(self, index))
    if not isinstance(value, Tensor):
        value = aten.scalar_tensor.default(value, self._spec.dtype, None, self.device, None)
    if not tensors:
        while value.ndim > view.ndim and value._spec.sizes[0] == 1:
            value = value.squeeze(0)
        aten.copy_.default(view, value, False)
        return
    aten.index_put_.default(view, tensors, value, False)
