"""Tensors on a given storage: set_, is_set_to, is_same_size.

Source: aten/src/ATen/native/TensorFactories.cpp, TensorShape.cpp (set_), TensorProperties.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.native import native_function
from ...memory.spec import check_size_nonnegative
from ...memory.storage import Storage
from ...memory.tensor import Tensor, empty_tensor, is_alias_of
from ...values import geometry
from ...values.geometry import contiguous_strides


def _untyped(self: Tensor, source: Any) -> Storage:
    """The storage of a TypedStorage, which must have the dtype of ``self``, or ``source`` itself."""
    if isinstance(source, Storage):
        return source
    if source.dtype is not self._spec.dtype:
        raise RuntimeError(
            f"Expected a Storage of type {self._spec.dtype.name} or an UntypedStorage, but got type "
            f"{source.dtype.name} for argument 1 'storage'"
        )
    untyped: Storage = source.untyped()
    return untyped


def _set_geometry(
    self: Tensor, source: Any, storage_offset: int, size: Sequence[int], stride: Sequence[int]
) -> Tensor:
    storage = _untyped(self, source)
    sizes = tuple(size)
    check_size_nonnegative(sizes)
    strides = tuple(stride) if stride or not sizes else contiguous_strides(sizes)
    if len(strides) != len(sizes):
        raise RuntimeError(f"unequal size length ({len(sizes)}) and stride length ({len(strides)})")
    if storage_offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {storage_offset}")
    itemsize = self._spec.dtype.itemsize
    needed = (storage_offset + geometry.extent(sizes, strides)) * itemsize if 0 not in sizes else 0
    if any(each < 0 for each in strides) or needed >= 2**63:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(sizes)} and strides={list(strides)}"
        )
    if storage.device is not self._spec.device:
        raise RuntimeError(
            f'Attempted to set the storage of a tensor on device "{self._spec.device}" to a storage on '
            f'different device "{storage.device}".  This is no longer allowed; the devices must match.'
        )
    if needed > storage.nbytes():
        storage.resize_(needed)
    self._storage = storage
    self._spec = self._spec.with_geometry(sizes, strides)
    self._storage_offset = storage_offset
    return self


def _set_storage(self: Tensor, source: Any) -> Tensor:
    count = _untyped(self, source).nbytes() // self._spec.dtype.itemsize
    return _set_geometry(self, source, 0, (count,), ())


def _set_tensor(self: Tensor, source: Tensor) -> Tensor:
    if source._spec.dtype is not self._spec.dtype:
        raise RuntimeError(
            f"Could not set tensor of type {source._spec.dtype.name} to a tensor of type "
            f"{self._spec.dtype.name}"
        )
    spec = source._spec
    return _set_geometry(self, source.untyped_storage(), source._storage_offset, spec.sizes, spec.strides)


def _set_part(
    self: Tensor, source: Tensor, storage_offset: int, size: Sequence[int], stride: Sequence[int]
) -> Tensor:
    if not source.is_contiguous():
        raise RuntimeError("passed in tensor to be used as storage must be contiguous")
    offset = storage_offset + source._storage_offset
    return _set_geometry(self, source.untyped_storage(), offset, size, stride)


native_function(
    "set_.source_Tensor(Tensor(a!) self, Tensor source) -> Tensor(a!)",
    variants="method",
    explicit=_set_tensor,
    doc="""Lets ``self`` use the storage, sizes, strides and offset of ``source``; no element is copied.

    Raises RuntimeError if the devices or the dtypes differ.""",
)

native_function(
    "set_.source_Tensor_storage_offset(Tensor(a!) self, Tensor source, SymInt storage_offset, SymInt[] size, "
    "SymInt[] stride=[]) -> Tensor(a!)",
    variants="method",
    explicit=_set_part,
    doc="""Lets ``self`` use the storage of the contiguous tensor ``source``, with other sizes and strides.

    ``storage_offset`` is relative to that of ``source``; without ``stride`` it is contiguous.  The storage
    grows if necessary.  Raises RuntimeError if the devices differ, for a ``source`` that is not contiguous,
    and for negative numbers.""",
)

native_function(
    "set_.source_Storage(Tensor(a!) self, Storage source) -> Tensor(a!)",
    variants="method",
    explicit=_set_storage,
    doc="""Makes ``self`` the vector of all elements of a storage.

    Raises RuntimeError if the devices differ, or the dtype of a TypedStorage.""",
)

native_function(
    "set_.source_Storage_storage_offset(Tensor(a!) self, Storage source, SymInt storage_offset, SymInt[] "
    "size, SymInt[] stride=[]) -> Tensor(a!)",
    variants="method",
    explicit=_set_geometry,
    doc="""Lets ``self`` use a storage, with these sizes and strides; without ``stride`` it is contiguous.

    The storage grows if necessary.  Raises RuntimeError if the devices differ, and for negative numbers.""",
)

native_function(
    "set_(Tensor(a!) self) -> Tensor(a!)",
    variants="method",
    explicit=lambda self: _set_storage(
        self, empty_tensor(self._spec.with_geometry((0,), (1,))).untyped_storage()
    ),
    doc="Makes ``self`` an empty vector with a storage of its own.",
)


def _is_set_to(self: Tensor, tensor: Tensor) -> bool:
    mine, theirs = self._spec, tensor._spec
    return (
        is_alias_of(self, tensor)
        and self._storage_offset == tensor._storage_offset
        and (mine.sizes, mine.strides) == (theirs.sizes, theirs.strides)
    )


native_function(
    "is_set_to(Tensor self, Tensor tensor) -> bool",
    variants="method",
    composite=_is_set_to,
    doc="Returns True if both tensors have one storage, and the same sizes, strides and offset.",
)

native_function(
    "is_same_size(Tensor self, Tensor other) -> bool",
    composite=lambda self, other: self.shape == other.shape,
    doc="Returns True if both tensors have the same sizes.",
)
