"""Transposed compressed tensors, and parts of them.  The results are new tensors that share values.

Source: aten/src/ATen/native/TensorShape.cpp (sparse_compressed_transpose);
aten/src/ATen/native/sparse/SparseCsrTensor.cpp (select_sparse_csr_worker).
"""

from __future__ import annotations

from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values import geometry
from ..values.device import sparse_csr
from ..values.dtype import int64
from .compressed_construction import compressed_kernel
from .compressed_conversion import to_coo
from .compressed_tensor import TRANSPOSED, CompressedTensor, make_compressed, parts_of
from .conversion import coalesced
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
    if self.blocksize and is_view:
        raise RuntimeError("select(): no view exists for the given input, consider using gnomon.select_copy.")
    if not self.blocksize and dim == (0 if spec.layout is sparse_csr else 1):  # shares the values
        start, end = self.held_compressed[index : index + 2].tolist()
        indices = self.held_plain[start:end].unsqueeze(0).to(int64)
        return make_sparse(indices, self.held_values[start:end], sizes, coalesced=True)
    return coalesced(aten.select.int(to_coo(self), dim, index))


@compressed_kernel("select.int")
def _select(self: CompressedTensor, dim: int, index: int) -> Tensor:
    return _selected(self, dim, index, True)


@compressed_kernel("select_copy.int")
def _select_copy(self: CompressedTensor, dim: int, index: int) -> Tensor:
    return _selected(self, dim, index, False).clone()


@compressed_kernel("unbind.int")
def _unbind(self: CompressedTensor, dim: int) -> tuple[Tensor, ...]:
    dim = geometry.wrap_dim(dim, self._spec.ndim)
    return tuple(_selected(self, dim, index, True) for index in range(self._spec.sizes[dim]))


@compressed_kernel("expand")
def _expand(self: CompressedTensor, size: Any, implicit: bool) -> Tensor:
    raise RuntimeError(f"expand is unsupported for {self._spec.layout.title} tensors")
