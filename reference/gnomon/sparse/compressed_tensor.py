"""CompressedTensor: the tensor of the layouts sparse_csr, sparse_csc, sparse_bsr and sparse_bsc.

``sparse_csr`` sorts the specified elements of a matrix by rows.  Elements ``crow_indices[i]`` to
``crow_indices[i + 1]`` of ``col_indices`` and ``values`` are those of row i: the row numbers of sparse_coo
are *compressed* to where rows begin, the column numbers are *plain*.  ``sparse_csc`` exchanges rows and
columns.  In ``sparse_bsr`` and ``sparse_bsc`` each value is a block, a small strided matrix, and the indices
number blocks.

The sizes are (*batch, rows, columns, *dense), the compressed indices (*batch, lines + 1), the plain ones
(*batch, nnz), the values (*batch, nnz, *blocksize, *dense).  Indices are int32 or int64.

Source: aten/src/ATen/SparseCsrTensorImpl.h, SparseCsrTensorUtils.h.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakValueDictionary

from ..memory.spec import Spec
from ..memory.storage import Storage
from ..memory.tensor import INFERENCE_VERSION, Tensor, bare_tensor, fill_slots
from ..memory.text import add_suffixes, device_suffixes, elements_text, heading, history_suffixes, is_implied
from ..values import geometry
from ..values.device import device, layout, sparse_bsc, sparse_bsr, sparse_csc, sparse_csr
from ..values.dispatch_key import AD_INPLACE_OR_VIEW, COMPRESSED_KEYS, INFERENCE_MODE_BIT, mode_word
from ..values.dtype import dtype
from ..values.geometry import Ints, Size

COMPRESSED = (sparse_csr, sparse_csc, sparse_bsr, sparse_bsc)
BY_ROWS = (sparse_csr, sparse_bsr)
BLOCKED = (sparse_bsr, sparse_bsc)
TRANSPOSED = {sparse_csr: sparse_csc, sparse_csc: sparse_csr, sparse_bsr: sparse_bsc, sparse_bsc: sparse_bsr}


class CompressedSpec(Spec):
    """The spec of a compressed tensor; ``blocksize`` is () for a layout without blocks."""

    __slots__ = ("blocksize",)

    blocksize: Ints


class CompressedTensor(Tensor):
    """A tensor of a compressed layout.  Created by ``gnomon.sparse_csr_tensor`` and ``to_sparse_csr``, for
    example.

    It has no memory of its own: operators on it run the kernels of the dispatch key SparseCsr, which compute
    with the three strided tensors that it holds.
    """

    __slots__ = ("held_compressed", "held_plain", "held_values")

    held_compressed: Tensor
    held_plain: Tensor
    held_values: Tensor

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("Cannot assign to a sparse tensor")

    @property
    def is_sparse_csr(self) -> bool:  # type: ignore[override]
        """Is the layout sparse_csr?"""
        return self._spec.layout is sparse_csr

    @property
    def held_nnz(self) -> int:
        """The number of specified elements, or blocks, of each matrix."""
        return self.held_plain._spec.sizes[-1]

    @property
    def batch_ndim(self) -> int:
        """The number of dimensions before the rows."""
        return self.held_compressed._spec.ndim - 1

    @property
    def dense_ndim(self) -> int:
        """The number of dimensions after the columns."""
        return self.held_values._spec.ndim - self.batch_ndim - 1 - len(self.blocksize)

    @property
    def blocksize(self) -> Ints:
        """The sizes of a block, or () for a layout without blocks."""
        return self._spec.blocksize  # type: ignore[attr-defined]

    @property
    def batch_sizes(self) -> Ints:
        """The sizes of the dimensions before the rows."""
        return self._spec.sizes[: self.batch_ndim]

    @property
    def grid_sizes(self) -> Ints:
        """The numbers of rows and columns, of blocks if there are some."""
        first = self.batch_ndim
        rows, columns = self.size(first), self.size(first + 1)  # an unchecked tensor may have neither
        height, width = self.blocksize or (1, 1)
        return rows // height, columns // width

    def _no(self, what: str) -> Any:
        raise RuntimeError(f"Sparse {self._spec.layout.name[-3:].upper()} tensors do not have {what}")

    def stride(self, dim: int | None = None) -> Any:
        """Raises RuntimeError: no memory has all elements."""
        self._no("strides")

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Raises RuntimeError: no memory has all elements."""
        return self._no("is_contiguous")

    def untyped_storage(self) -> Storage:
        """Raises NotImplementedError: the memory is that of the indices and the values."""
        raise NotImplementedError("Cannot access storage of SparseCsrTensorImpl")

    def data_ptr(self) -> int:
        """Raises RuntimeError: there is no memory with all elements."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def _take_data(self, source: Any) -> None:
        self._spec, self.held_values = source._spec, source.held_values
        self.held_compressed, self.held_plain = source.held_compressed, source.held_plain

    def _take_view(self, view: Any) -> None:
        self._take_data(view)

    def tolist(self) -> Any:
        """Raises RuntimeError, as PyTorch does; ``to_dense().tolist()`` gives all elements."""
        return self.data_ptr()

    def numpy(self, *, force: bool = False) -> Any:
        """Raises TypeError: NumPy has no sparse arrays."""
        name = self._spec.layout.title
        raise TypeError(f"can't convert {name} layout tensor to numpy. Use Tensor.to_dense() first.")

    def __repr__(self) -> str:
        prefix = "tensor("
        compressed, plain = names_of(self._spec.layout)
        parts = []
        for name, each in (
            (compressed, self.held_compressed),
            (plain, self.held_plain),
            ("values", self.held_values),
        ):
            start = f"{name}=tensor("
            text = "..." if self.is_meta else elements_text(each, len(prefix) + len(start))
            text += f", size={tuple(each._spec.sizes)}" if self.is_meta or not each.numel() else ""
            parts.append(f"{start}{text})")
        spec = self._spec
        suffixes = [*device_suffixes(self), f"size={tuple(spec.sizes)}"]
        suffixes += [] if self.is_meta else [f"nnz={self.held_nnz}"]
        suffixes += [] if is_implied(spec.dtype) else [f"dtype={spec.dtype!r}"]
        suffixes += [f"layout={spec.layout!r}", *history_suffixes(self)]
        text = heading(self) + prefix + (",\n" + " " * len(prefix)).join(parts)
        return add_suffixes(text, suffixes, len(prefix)) + ")"

    __str__ = __repr__


def names_of(layout: layout) -> tuple[str, str]:
    """The names of the compressed and of the plain indices."""
    return ("crow_indices", "col_indices") if layout in BY_ROWS else ("ccol_indices", "row_indices")


_interned: WeakValueDictionary[Any, CompressedSpec] = WeakValueDictionary()


def compressed_spec(sizes: Ints, dtype: dtype, device: device, layout: layout, blocksize: Ints) -> Spec:
    """The spec of a compressed tensor.  Its strides are zeros, since no memory has its elements."""
    key = (sizes, dtype, device, layout, blocksize)
    spec = _interned.get(key)
    if spec is None:
        spec = CompressedSpec()
        spec.sizes, spec.strides, spec.shape = sizes, (0,) * len(sizes), Size(sizes)
        spec.dtype, spec.device, spec.layout, spec.blocksize = dtype, device, layout, blocksize
        spec.ndim, spec.numel = len(sizes), geometry.numel_of(sizes)
        spec.is_contiguous, spec.extent_nbytes = False, 0
        spec = _interned.setdefault(key, spec)
    return spec


def make_compressed(parts: Sequence[Tensor], sizes: Ints, layout: layout) -> CompressedTensor:
    """A tensor of ``layout`` that holds ``parts`` as they are: compressed indices, plain ones, values."""
    compressed, plain, values = parts
    made: Any = bare_tensor(CompressedTensor)
    batch_ndim = compressed._spec.ndim - 1
    blocksize = values._spec.sizes[batch_ndim + 1 : batch_ndim + 3] if layout in BLOCKED else ()
    spec = compressed_spec(tuple(sizes), values._spec.dtype, values._spec.device, layout, blocksize)
    is_inference = mode_word() & INFERENCE_MODE_BIT
    keys = COMPRESSED_KEYS & ~AD_INPLACE_OR_VIEW if is_inference else COMPRESSED_KEYS
    fill_slots(made, spec, None, 0, keys, INFERENCE_VERSION if is_inference else None)
    made.held_compressed, made.held_plain, made.held_values = compressed, plain, values
    return made


def like(tensor: CompressedTensor, values: Tensor) -> CompressedTensor:
    """A tensor with the indices of ``tensor`` and other values, one for each of its own."""
    return make_compressed([*parts_of(tensor)[:2], values], tensor._spec.sizes, tensor._spec.layout)


def parts_of(tensor: CompressedTensor) -> tuple[Tensor, Tensor, Tensor]:
    """The three tensors that it holds."""
    return tensor.held_compressed, tensor.held_plain, tensor.held_values


def become(tensor: CompressedTensor, other: CompressedTensor) -> None:
    """Give ``tensor`` the indices, the values and the sizes of ``other``; its dtype and its layout stay.

    If they fit, they are written to the tensors that it holds, which others may share.
    """
    spec = tensor._spec
    if spec.layout is not other._spec.layout:
        raise RuntimeError(
            f"expected a result of layout {spec.layout.title}, but got {other._spec.layout.title}"
        )
    parts = list(zip(parts_of(tensor), parts_of(other)))
    if all(own._spec.sizes == new._spec.sizes for own, new in parts):
        for own, new in parts:
            if own is not new:
                own.copy_(new)
        return
    values = other.held_values.to(spec.dtype)
    tensor.held_compressed, tensor.held_plain, tensor.held_values = *parts_of(other)[:2], values
    tensor._spec = compressed_spec(other._spec.sizes, spec.dtype, spec.device, spec.layout, other.blocksize)
