"""SparseTensor: the tensor of the layout sparse_coo, which holds the coordinates of its elements and their
values.

``indices`` (sparse_dim, nnz) has one column for each specified element, ``values`` (nnz, *) its value, which
has ``dense_dim`` dimensions: a *hybrid* tensor has some.  All other elements are zero.  Several columns may
be equal: the element is the sum of their values.  In a *coalesced* tensor the columns are unique and sorted.

Source: aten/src/ATen/SparseTensorImpl.h; aten/src/ATen/native/sparse/SparseTensor.cpp.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

from ..dispatch.dispatcher import aten
from ..memory.spec import Spec
from ..memory.storage import Storage
from ..memory.tensor import (
    INFERENCE_VERSION,
    Tensor,
    bare_tensor,
    fill_slots,
)
from ..memory.text import add_suffixes, device_suffixes, elements_text, heading, history_suffixes, is_implied
from ..values import geometry
from ..values.device import device, sparse_coo
from ..values.dispatch_key import AD_INPLACE_OR_VIEW, INFERENCE_MODE_BIT, SPARSE_KEYS, mode_word
from ..values.dtype import dtype, int64
from ..values.geometry import Ints, Size


class SparseTensor(Tensor):
    """A tensor of layout ``gnomon.sparse_coo``.  Created by ``gnomon.sparse_coo_tensor`` and ``to_sparse``.

    It has no memory of its own: operators on it run the kernels of the dispatch key Sparse, which compute
    with the two strided tensors that it holds.
    """

    __slots__ = ("coalesced", "held_indices", "held_values")

    held_indices: Tensor
    held_values: Tensor
    coalesced: bool

    is_sparse = True

    def untyped_storage(self) -> Storage:
        """Raises NotImplementedError: the memory is that of the indices and the values."""
        raise NotImplementedError("Cannot access storage of SparseTensorImpl")

    def data_ptr(self) -> int:
        """Raises RuntimeError: there is no memory with all elements."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def _take_data(self, source: Any) -> None:
        self._spec, self.coalesced = source._spec, source.coalesced
        self.held_indices, self.held_values = source.held_indices, source.held_values

    def _take_view(self, view: Any) -> None:
        self._take_data(view)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("Cannot assign to a sparse tensor")

    def tolist(self) -> Any:
        """Raises RuntimeError, as PyTorch does; ``to_dense().tolist()`` gives all elements."""
        return self.data_ptr()

    def numpy(self, *, force: bool = False) -> Any:
        """Raises TypeError: NumPy has no sparse arrays."""
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    def __repr__(self) -> str:
        prefix = "tensor("
        parts = []
        for name, each in (("indices", self.held_indices), ("values", self.held_values)):
            start = f"{name}=tensor("
            text = elements_text(each, len(prefix) + len(start))
            text += "" if each.numel() else f", size={tuple(each._spec.sizes)}"
            parts.append(f"{start}{text})")
        spec = self._spec
        suffixes = [*device_suffixes(self), f"size={tuple(spec.sizes)}", f"nnz={self.held_nnz}"]
        suffixes += [] if is_implied(spec.dtype) else [f"dtype={spec.dtype!r}"]
        suffixes += [f"layout={spec.layout!r}", *history_suffixes(self)]
        between = ",\n" + " " * len(prefix)
        # the suffixes begin a line
        text = add_suffixes(prefix, suffixes, len(prefix))[len(prefix) + len(", ") :]
        return f"{heading(self)}{prefix}{between.join([*parts, text])})"

    __str__ = __repr__

    @property
    def held_nnz(self) -> int:
        """The number of specified elements."""
        return self.held_values._spec.sizes[0]

    @property
    def sparse_ndim(self) -> int:
        """The number of dimensions that the indices have."""
        return self.held_indices._spec.sizes[0]

    @property
    def dense_ndim(self) -> int:
        """The number of dimensions of each value."""
        return self.held_values._spec.ndim - 1

    @property
    def sparse_sizes(self) -> Ints:
        """The sizes of the dimensions that the indices have."""
        return self._spec.sizes[: self.sparse_ndim]


_interned: WeakValueDictionary[Any, Spec] = WeakValueDictionary()


def sparse_spec(sizes: Ints, dtype: dtype, device: device) -> Spec:
    """The spec of a sparse tensor: its strides are zeros, since no memory has its elements."""
    key = (sizes, dtype, device)
    spec = _interned.get(key)
    if spec is None:
        spec = Spec()
        spec.sizes, spec.strides, spec.shape = sizes, (0,) * len(sizes), Size(sizes)
        spec.dtype, spec.device, spec.layout = dtype, device, sparse_coo
        spec.ndim, spec.numel = len(sizes), geometry.numel_of(sizes)
        spec.is_contiguous, spec.extent_nbytes = False, 0
        spec = _interned.setdefault(key, spec)
    return spec


def make_sparse(indices: Tensor, values: Tensor, sizes: Ints, coalesced: bool = False) -> SparseTensor:
    """A sparse tensor that holds ``indices`` (sparse_dim, nnz), int64, and ``values`` (nnz, *) themselves.

    Fewer than two elements are coalesced.
    """
    made: Any = bare_tensor(SparseTensor)
    spec = sparse_spec(tuple(sizes), values._spec.dtype, values._spec.device)
    is_inference = mode_word() & INFERENCE_MODE_BIT
    keys, version = (
        (SPARSE_KEYS & ~AD_INPLACE_OR_VIEW, INFERENCE_VERSION) if is_inference else (SPARSE_KEYS, None)
    )
    fill_slots(made, spec, None, 0, keys, version)
    made.held_indices, made.held_values = indices, values
    made.coalesced = coalesced or values._spec.sizes[0] < 2
    return made


def like(tensor: SparseTensor, values: Tensor, coalesced: bool | None = None) -> SparseTensor:
    """A sparse tensor with the indices of ``tensor`` and other values, one for each of its own."""
    sizes = (*tensor.sparse_sizes, *values._spec.sizes[1:])
    return make_sparse(
        tensor.held_indices, values, sizes, tensor.coalesced if coalesced is None else coalesced
    )


def become(tensor: SparseTensor, other: SparseTensor) -> None:
    """Give ``tensor`` the indices, the values and the sizes of ``other``; its dtype stays."""
    spec = tensor._spec
    values = other.held_values
    if values._spec.dtype is not spec.dtype:
        values = values.to(spec.dtype)
    tensor.held_indices, tensor.held_values, tensor.coalesced = other.held_indices, values, other.coalesced
    tensor._spec = sparse_spec(other._spec.sizes, spec.dtype, spec.device)


def positions_of(tensor: SparseTensor) -> Tensor:
    """The position of each column of the indices among all elements of the sparse dimensions, (nnz,)."""
    return flat_positions(tensor.held_indices, tensor.sparse_sizes)


def flat_positions(indices: Tensor, sizes: Ints) -> Tensor:
    """The row-major position of each column of ``indices`` in ``sizes``."""
    if not sizes:
        return aten.zeros.default((indices._spec.sizes[1],), int64, None, indices._spec.device, None)
    strides = geometry.contiguous_strides(sizes)
    terms = [indices.select(0, dim) * stride for dim, stride in enumerate(strides)]
    return sum(terms[1:], terms[0])


def columns_of(positions: Tensor, sizes: Ints) -> Tensor:
    """The inverse of ``flat_positions``: the indices (sparse_dim, nnz)."""
    rows = []
    for size in reversed(sizes):
        rows.append(positions % max(size, 1))
        positions = positions.floor_divide(max(size, 1))
    if not rows:
        return aten.empty.memory_format(
            (0, positions._spec.sizes[0]), int64, None, positions._spec.device, None, None
        )
    return aten.stack.default(rows[::-1], 0)
