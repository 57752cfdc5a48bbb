"""Other shapes of sparse tensors: permuted, joined, cut.  The results are new tensors, not views.

Source: aten/src/ATen/native/sparse/SparseTensor.cpp; aten/src/ATen/native/TensorShape.cpp.
"""

from __future__ import annotations

from typing import Any

from ..calls.native import native_function
from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..ops.views.view_inplace import check_inplace_view
from ..values import geometry
from ..values.device import strided
from ..values.geometry import Ints
from .registration import autograd_sparse_kernel, no_kernel, sparse_kernel
from .tensor import SparseTensor, make_sparse


def permuted(self: SparseTensor, dims: Any) -> SparseTensor:
    """The dimensions in the order ``dims``; sparse ones stay before dense ones."""
    ndim, sparse_ndim = self._spec.ndim, self.sparse_ndim
    if len(dims) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
            "desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(dims)}"
        )
    order = [geometry.wrap_dim(dim, ndim) for dim in dims]
    if len(set(order)) != ndim:
        raise RuntimeError("permute(sparse_coo): duplicate dims are not allowed.")
    if order == list(range(ndim)):
        return make_sparse(self.held_indices, self.held_values, self._spec.sizes, self.coalesced)
    first, last = order[:sparse_ndim], order[sparse_ndim:]
    if any(dim >= sparse_ndim for dim in first):
        raise RuntimeError(
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed.Only "
            "transpositions "
            "within sparse and dense dimensions are supported."
        )
    is_sorted = first == sorted(first)
    indices = self.held_indices if is_sorted else self.held_indices[first]
    values = self.held_values
    if last != sorted(last):
        values = values.permute(0, *[dim - sparse_ndim + 1 for dim in last])
    sizes = tuple(self._spec.sizes[dim] for dim in order)
    return make_sparse(indices, values, sizes, self.coalesced and is_sorted)


sparse_kernel("permute")(permuted)


def _uncoalesced(indices: Tensor, values: Tensor, sizes: Ints) -> SparseTensor:
    """A sparse tensor whose columns nobody has looked at, even if there is only one."""
    made = make_sparse(indices, values, sizes)
    made.coalesced = False
    return made


@sparse_kernel("transpose.int")
def _transpose(self: SparseTensor, dim0: int, dim1: int) -> Tensor:
    first, second = (geometry.wrap_dim(dim, self._spec.ndim) for dim in (dim0, dim1))
    if first == second:
        return self.clone()
    if max(first, second) >= self.sparse_ndim:
        raise RuntimeError(
            "sparse transpose: transposed dimensions must be sparse Got sparse_dim: "
            f"{self.sparse_ndim}, d0: {first}, d1: {second}"
        )
    rows, sizes = list(range(self.sparse_ndim)), list(self._spec.sizes)
    for swapped in (rows, sizes):
        swapped[first], swapped[second] = swapped[second], swapped[first]
    return _uncoalesced(self.held_indices[rows], self.held_values.clone(), tuple(sizes))


@sparse_kernel("t")
def _t(self: SparseTensor) -> Tensor:
    if self.sparse_ndim > 2 or self.dense_ndim:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {self.sparse_ndim} "
            f"sparse and {self.dense_ndim} dense dimensions"
        )
    return _transpose(self, 0, self._spec.ndim - 1) if self._spec.ndim else self


@sparse_kernel("unsqueeze")
def _unsqueeze(self: SparseTensor, dim: int) -> SparseTensor:
    dim = geometry.wrap_dim(dim, self._spec.ndim + 1)
    sizes = (*self._spec.sizes[:dim], 1, *self._spec.sizes[dim:])
    indices, values = self.held_indices, self.held_values
    if dim > self.sparse_ndim:
        return make_sparse(indices, values.unsqueeze(dim - self.sparse_ndim + 1), sizes)
    row = aten.zeros.default((1, self.held_nnz), indices._spec.dtype, None, indices._spec.device, None)
    return make_sparse(aten.cat.default([indices[:dim], row, indices[dim:]], 0), values, sizes)


@sparse_kernel("unsqueeze_")
def _unsqueeze_(self: SparseTensor, dim: int) -> Any:
    check_inplace_view(self)
    geometry.wrap_dim(dim, self._spec.ndim + 1)
    raise no_kernel("as_strided_", "SparseCPU")


@sparse_kernel("squeeze_", "squeeze_.dim", "squeeze_.dims")
def _squeeze_(self: SparseTensor, *dims: Any) -> Any:
    check_inplace_view(self)
    raise no_kernel("as_strided_", "SparseCPU")


@sparse_kernel("as_strided_")
def _as_strided_(self: SparseTensor, *geometry: Any) -> Any:
    check_inplace_view(self)
    raise no_kernel("as_strided_", "SparseCPU")


@sparse_kernel("cat")
def _cat(tensors: Any, dim: int) -> SparseTensor:
    if not all(isinstance(each, SparseTensor) for each in tensors):
        raise RuntimeError("cat: expected all tensors to be sparse, since one is")
    first = tensors[0]
    dim = geometry.wrap_dim(dim, first._spec.ndim)
    for position, each in enumerate(tensors[1:], 1):
        if (each.sparse_ndim, each.dense_ndim) != (first.sparse_ndim, first.dense_ndim):
            raise RuntimeError(
                "All tensors must have the same numbers of sparse and dense dimensions, but tensor at "
                "position "
                f"{position} has {each.sparse_ndim} and {each.dense_ndim}, where the first one has "
                f"{first.sparse_ndim} "
                f"and {first.dense_ndim}"
            )
        for place, (size, expected) in enumerate(zip(each._spec.sizes, first._spec.sizes)):
            if place != dim and size != expected:
                raise RuntimeError(
                    "Sizes of tensors must match except in dimension "
                    f"{dim}. Expected size {expected} but got size {size} for tensor number {position} in "
                    "the list."
                )
    sizes = list(first._spec.sizes)
    sizes[dim] = sum(each._spec.sizes[dim] for each in tensors)
    starts = [sum(each._spec.sizes[dim] for each in tensors[:place]) for place in range(len(tensors))]
    dtype = aten.cat.default([each.held_values[:0].reshape(-1) for each in tensors], 0)._spec.dtype
    values = []
    indices = []
    for start, each in zip(starts, tensors):
        columns, numbers = each.held_indices, each.held_values.to(dtype)
        if dim < first.sparse_ndim:
            shift = aten.zeros.default(
                (first.sparse_ndim, 1), columns._spec.dtype, None, columns._spec.device, None
            )
            shift[dim] = start
            columns = columns + shift
        else:  # each has zeros in the places of the others
            shape = list(numbers._spec.sizes)
            place = dim - first.sparse_ndim + 1
            shape[place] = sizes[dim]
            padded = aten.zeros.default(tuple(shape), dtype, None, columns._spec.device, None)
            padded.narrow(place, start, each._spec.sizes[dim]).copy_(numbers)
            numbers = padded
        indices.append(columns)
        values.append(numbers)
    return make_sparse(aten.cat.default(indices, 1), aten.cat.default(values, 0), tuple(sizes))


@sparse_kernel("stack")
def _stack(tensors: Any, dim: int) -> Tensor:
    return _cat([_unsqueeze(each, dim) for each in tensors], dim)


@autograd_sparse_kernel("reshape")
def _reshape(self: Tensor, shape: Any) -> Tensor:
    raise RuntimeError("reshape is not implemented for sparse tensors")


def _kept(self: SparseTensor, is_kept: Tensor) -> tuple[Tensor, Tensor]:
    return self.held_indices[:, is_kept], self.held_values[is_kept]


@sparse_kernel("select.int")
def _select(self: SparseTensor, dim: int, index: int) -> Tensor:
    ndim = self._spec.ndim
    if not ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = geometry.wrap_dim(dim, ndim)
    size = self._spec.sizes[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self._spec.sizes)} at dimension "
            f"{dim}"
        )
    index %= size
    sizes = (*self._spec.sizes[:dim], *self._spec.sizes[dim + 1 :])
    if dim >= self.sparse_ndim:
        values = self.held_values.select(dim - self.sparse_ndim + 1, index)
        return make_sparse(self.held_indices, values, sizes)
    indices, values = _kept(self, self.held_indices[dim] == index)
    if self.sparse_ndim == 1:
        return values.sum(0, dtype=values._spec.dtype)
    others = [each for each in range(self.sparse_ndim) if each != dim]
    return make_sparse(indices[others], values, sizes)


def _narrowed(self: SparseTensor, dim: int, start: int, length: int) -> SparseTensor:
    dim = geometry.wrap_dim(dim, self._spec.ndim)
    size = self._spec.sizes[dim]
    start = start + size if start < 0 else start
    if not 0 <= start <= size or length < 0 or start + length > size:
        raise RuntimeError(
            f"narrow_copy: start ({start}) + length ({length}) exceeds dimension size ({size})."
        )
    sizes = (*self._spec.sizes[:dim], length, *self._spec.sizes[dim + 1 :])
    if dim >= self.sparse_ndim:
        values = self.held_values.narrow(dim - self.sparse_ndim + 1, start, length).clone()
        return make_sparse(self.held_indices, values, sizes, self.coalesced)
    row = self.held_indices[dim]
    indices, values = _kept(self, (row >= start) & (row < start + length))
    indices[dim] -= start
    return make_sparse(indices, values, sizes, self.coalesced)


native_function(
    "_sparse_narrow(Tensor self, int dim, int start, int length) -> Tensor",
    variants="none",
    explicit=lambda self, dim, start, length: self.narrow_copy(dim, start, length),
    derivatives={"self": lambda grad, self, dim, start: _narrowed_grad(grad, self, dim, start)},
    node_name="NarrowCopyBackward0",
    doc="``narrow_copy`` of a sparse tensor.",
)
sparse_kernel("_sparse_narrow")(_narrowed)


def _narrowed_grad(grad: Tensor, self: SparseTensor, dim: int, start: int) -> Tensor:
    """The gradient with zeros before ``start`` and behind."""
    dim = geometry.wrap_dim(dim, self._spec.ndim)
    sizes = list(self._spec.sizes)
    length, size = grad._spec.sizes[dim], sizes[dim]
    parts = [grad]
    for place, count in ((0, start % max(size, 1)), (2, size - length - start % max(size, 1))):
        sizes[dim] = count
        part = aten.zeros.default(tuple(sizes), grad.dtype, None, grad.device, None)
        parts.insert(place, part if grad.layout is strided else part.to_sparse(self.sparse_dim()))
    return aten.cat.default(parts, dim)


@autograd_sparse_kernel("narrow_copy")
def _narrow_copy(self: SparseTensor, dim: int, start: int, length: int) -> Tensor:
    return aten._sparse_narrow.default(self, dim, start, length)


@sparse_kernel("index_select")
def _index_select(self: SparseTensor, dim: int, index: Tensor) -> SparseTensor:
    if not self._spec.ndim:
        raise IndexError("index_select() cannot be applied to a 0-dim tensor.")
    dim = geometry.wrap_dim(dim, self._spec.ndim)
    if index._spec.ndim != 1 or index._spec.dtype.name not in ("int32", "int64"):
        raise IndexError("index_select() argument index must be 1-D int32 or int64 tensor.")
    size, count = self._spec.sizes[dim], index._spec.numel
    sizes = (*self._spec.sizes[:dim], count, *self._spec.sizes[dim + 1 :])
    if dim >= self.sparse_ndim:
        values = self.held_values.index_select(dim - self.sparse_ndim + 1, index)
        return make_sparse(self.held_indices, values, sizes, self.coalesced)
    if count and (int(index.min()) < -size or int(index.max()) >= size):
        raise IndexError(
            f"index_select(): index contains elements that are out of range for a dimension of size {size}"
        )
    wanted = index.to(self.held_indices._spec.dtype).remainder(max(size, 1))
    is_equal = wanted.unsqueeze(1) == self.held_indices[dim].unsqueeze(0)
    places, columns = is_equal.nonzero().unbind(1)
    indices = self.held_indices[:, columns]
    indices[dim] = places
    return make_sparse(indices, self.held_values[columns], sizes)


@sparse_kernel("unbind.int")
def _unbind(self: SparseTensor, dim: int) -> tuple[Tensor, ...]:
    dim = geometry.wrap_dim(dim, self._spec.ndim)
    return tuple(_select(self, dim, index) for index in range(self._spec.sizes[dim]))


def broadcast(self: SparseTensor, size: Any) -> SparseTensor:
    """The elements repeated for the sizes ``size``.  Source: sparse_broadcast_to."""
    sizes = tuple(size)
    if sizes == self._spec.sizes:
        return self
    if geometry.broadcast_sizes(self._spec.sizes, sizes) != sizes:
        raise RuntimeError(
            f"The expanded size of the tensor ({list(sizes)}) must match the existing size "
            f"({list(self._spec.sizes)})"
        )
    added = len(sizes) - self._spec.ndim
    sparse_ndim = self.sparse_ndim + added
    before = (1,) * added + self.sparse_sizes
    grown = [dim for dim in range(sparse_ndim) if before[dim] != sizes[dim]]
    device = self._spec.device
    parts = [aten.arange.default(self.held_nnz, device=device)]
    parts += [aten.arange.default(sizes[dim], device=device) for dim in grown]
    of_self, *repeats = (each.flatten() for each in aten.meshgrid.indexing(parts, "ij"))
    rows = [
        repeats[grown.index(dim)] if dim in grown else self.held_indices[dim - added][of_self]
        for dim in range(sparse_ndim)
    ]
    values = self.held_values[of_self].expand(of_self._spec.sizes[0], *sizes[sparse_ndim:])
    return make_sparse(aten.stack.default(rows, 0), values, sizes)


native_function(
    "_sparse_broadcast_to(Tensor(a) self, int[] size) -> Tensor(a)",
    variants="none",
    explicit=lambda self, size: self.expand(size),
    derivatives={},
    doc="A sparse tensor whose elements are repeated for the sizes ``size``; not differentiable.",
)
sparse_kernel("_sparse_broadcast_to")(broadcast)


@sparse_kernel("expand")
def _expand(self: SparseTensor, size: Any, implicit: bool) -> Tensor:
    raise RuntimeError("expand is unsupported for Sparse tensors")
