"""Transposed compressed tensors, and parts of them.  The results are new tensors that share values.

Source: aten/src/ATen/native/TensorShape.cpp (sparse_compressed_transpose);
aten/src/ATen/native/sparse/SparseCsrTensor.cpp (select_sparse_csr_worker).
"""

from __future__ import annotations

from typing import Any

from ..calls.native import native_function
from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..ops.views.view_inplace import check_inplace_view
from ..values import geometry
from ..values.dispatch_key import DispatchKey
from ..values.dtype import int64
from .compressed_construction import compressed_kernel
from .compressed_conversion import expand_indices
from .compressed_tensor import BY_ROWS, TRANSPOSED, CompressedTensor, make_compressed, parts_of
from .registration import autograd_sparse_kernel, sparse_kernel
from .tensor import make_sparse


def transposed(self: CompressedTensor) -> CompressedTensor:
    """Rows and columns exchanged: the same indices in the layout that compresses the others."""
    sizes = list(self._spec.sizes)
    first = self.batch_ndim
    sizes[first : first + 2] = sizes[first + 1], sizes[first]
    values = self.held_values
    if self.blocksize:
        values = values.transpose(first + 1, first + 2)
    layout = TRANSPOSED[self._spec.layout]
    return make_compressed([*parts_of(self)[:2], values], tuple(sizes), layout)


def _kind(self: CompressedTensor, dim: int) -> str:
    return "Batch" if dim < self.batch_ndim else "Sparse" if dim < self.batch_ndim + 2 else "Dense"


@compressed_kernel("transpose.int")
def _transpose(self: CompressedTensor, dim0: int, dim1: int) -> CompressedTensor:
    first, second = (geometry.wrap_dim(dim, self._spec.ndim) for dim in (dim0, dim1))
    if first == second:
        copies = [each.clone() for each in parts_of(self)]
        return make_compressed(copies, self._spec.sizes, self._spec.layout)
    if self.dense_ndim:
        raise RuntimeError(
            "transpose(): hybrid sparse compressed tensors with dense dimensions are not supported"
        )
    kinds = _kind(self, first), _kind(self, second)
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            "transpose(): can only transpose dimensions of the same type (Batch, Sparse, Dense), got "
            f"{dim0}({kinds[0]}) and {dim1}({kinds[1]})"
        )
    if kinds[0] == "Sparse":
        return transposed(self)
    sizes = list(self._spec.sizes)
    sizes[first], sizes[second] = sizes[second], sizes[first]
    parts = [each.transpose(first, second) for each in parts_of(self)]
    return make_compressed(parts, tuple(sizes), self._spec.layout)


@compressed_kernel("t")
def _t(self: CompressedTensor) -> CompressedTensor:
    if self._spec.ndim != 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self._spec.ndim}D")
    return transposed(self)


@compressed_kernel("t_", "transpose_", "swapaxes_", "swapdims_")
def _transpose_(self: CompressedTensor, *dims: int) -> Any:
    check_inplace_view(self)
    raise RuntimeError(
        f"gnomon.transpose_: in-place transposition is not supported for {self._spec.layout.title} layout"
    )


@compressed_kernel("unsqueeze_")
def _unsqueeze_(self: CompressedTensor, dim: int) -> Any:
    check_inplace_view(self)
    geometry.wrap_dim(dim, self._spec.ndim + 1)
    return self.stride()  # raises RuntimeError


@compressed_kernel("squeeze_", "squeeze_.dim", "squeeze_.dims")
def _squeeze_(self: CompressedTensor, *dims: Any) -> Any:
    check_inplace_view(self)
    return self.stride()  # raises RuntimeError


def _selected(self: CompressedTensor, dim: int, index: int, is_view: bool) -> Tensor:
    spec, name = self._spec, "select" if is_view else "select_copy"
    dim = geometry.wrap_dim(dim, spec.ndim)
    size = spec.sizes[dim]
    if not -size <= index < size:
        raise IndexError(
            f"{name}(): index {index} out of range for tensor of size {list(spec.sizes)} at dimension {dim}"
        )
    index %= size
    sizes = (*spec.sizes[:dim], *spec.sizes[dim + 1 :])
    if dim < self.batch_ndim:
        parts = [each.select(dim, index) for each in parts_of(self)]
        return make_compressed(parts, sizes, spec.layout)
    if dim >= self.batch_ndim + 2:
        place = dim - 1 + len(self.blocksize)
        values = self.held_values.select(place, index)
        return make_compressed([*parts_of(self)[:2], values], sizes, spec.layout)
    if self.batch_ndim:
        raise RuntimeError(
            f"{name}(): selecting sparse dimensions is not supported for batched sparse compressed tensors."
        )
    indices, values = _line(self, dim, index, is_view)
    return make_sparse(indices.unsqueeze(0), values, sizes, coalesced=True)


def _line(self: CompressedTensor, dim: int, index: int, is_view: bool) -> tuple[Tensor, Tensor]:
    """The places and the values of the elements of row (``dim`` 0) or column ``index``.

    As a view if they lie at equal distances.
    """
    blocksize = self.blocksize or (1, 1)
    line, within = divmod(index, blocksize[dim])
    if (dim == 0) is (self._spec.layout in BY_ROWS):
        start, end = self.held_compressed[line : line + 2].tolist()
        others, values = self.held_plain[start:end], self.held_values[start:end]
    else:
        found = (self.held_plain == line).nonzero().flatten()
        pair = expand_indices(self.held_compressed, self.held_plain, False, False)
        others = pair[0][found]
        places = found.tolist()
        step = places[1] - places[0] if len(places) > 1 else 1
        first = places[0] if places else 0
        if places == list(range(first, first + step * len(places), step)):
            values = self.held_values[first : first + step * len(places) : step]
        else:
            _refuse_view(is_view)
            values = self.held_values[found]
    others = others.to(int64)
    if self.blocksize:
        size = blocksize[1 - dim]
        inner = aten.arange.default(size, device=others._spec.device)
        others = (others.unsqueeze(1) * size + inner).flatten()
        values = values.select(1 + dim, within)
        sizes = (values._spec.sizes[0] * size, *values._spec.sizes[2:])
        if geometry.view_strides(values._spec.sizes, values._spec.strides, sizes) is None:
            _refuse_view(is_view)
        values = values.reshape(sizes)
    return others, values


def _refuse_view(is_view: bool) -> None:
    if is_view:
        raise RuntimeError("select(): no view exists for the given input, consider using gnomon.select_copy.")


@compressed_kernel("select.int")
def _select(self: CompressedTensor, dim: int, index: int) -> Tensor:
    return _selected(self, dim, index, True)


def _select_copy(self: Tensor, dim: int, index: int) -> Tensor:
    """A copy, also of elements of which there is no view."""
    return _selected(self, dim, index, False).clone() if isinstance(self, CompressedTensor) else self.select(
        dim, index).clone()  # fmt: skip


native_function(
    "_sparse_select_copy(Tensor self, int dim, int index) -> Tensor",
    variants="none",
    explicit=_select_copy,
    derivatives={
        "self": lambda grad, self_spec, dim, index: aten.select_backward.default(
            grad, self_spec.sizes, dim, index
        )
    },
    node_name="SelectBackward0",
    doc="``select_copy`` of a sparse tensor.",
)
for _key in (DispatchKey.Sparse, DispatchKey.SparseCsr):
    sparse_kernel("_sparse_select_copy", "select_copy.int", key=_key)(_select_copy)
    autograd_sparse_kernel("select_copy.int", _key)(
        lambda self, dim, index: aten._sparse_select_copy.default(self, dim, index)
    )


@compressed_kernel("unbind.int")
def _unbind(self: CompressedTensor, dim: int) -> tuple[Tensor, ...]:
    dim = geometry.wrap_dim(dim, self._spec.ndim)
    return tuple(_selected(self, dim, index, True) for index in range(self._spec.sizes[dim]))


@compressed_kernel("expand")
def _expand(self: CompressedTensor, size: Any, implicit: bool) -> Tensor:
    raise RuntimeError(f"expand is unsupported for {self._spec.layout.title} tensors")
