"""TypedStorage: a storage whose elements have a dtype, an older interface than UntypedStorage.

Source: torch/storage.py (TypedStorage, _LegacyStorage).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from ..memory.backend import resolve_device
from ..memory.spec import contiguous_spec
from ..memory.storage import Storage
from ..memory.tensor import Tensor, empty_tensor, make_tensor
from ..values.device import device as device_type
from ..values.dtype import dtype as dtype_type
from ..values.dtype import get_default_dtype
from ..values.errors import type_name, warn
from ..values.library_name import LIBRARY
from .creation import tensor as tensor_from
from .tensor_types import NAMES


def _warn() -> None:
    warn(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only "
        "storage class. This should only matter to you if you are using storages directly.  To access "
        "UntypedStorage directly, use tensor.untyped_storage() instead of tensor.storage()",
        once=True,
    )


class TypedStorage:
    """The elements of a dtype in a storage, in one dimension.

    ``TypedStorage(3)`` has 3 elements, which are not initialized; ``TypedStorage([1, 2])`` those of a
    sequence; ``TypedStorage(wrap_storage=storage)`` those of a storage.  Deprecated: the first use warns.
    Raises TypeError for other arguments.  Source: torch.TypedStorage.
    """

    dtype: dtype_type
    _dtype: ClassVar[Any] = None  # of a subclass, such as FloatStorage

    def __init__(
        self,
        size_or_sequence: Any = 0,
        *,
        wrap_storage: Storage | None = None,
        dtype: dtype_type | None = None,
        device: Any = None,
    ) -> None:
        _warn()
        self.dtype = dtype or self._dtype or get_default_dtype()
        if wrap_storage is not None:
            if not isinstance(wrap_storage, Storage):
                raise TypeError(
                    f"Argument 'wrap_storage' must be UntypedStorage, but got {type_name(wrap_storage)}"
                )
            self._untyped_storage = wrap_storage
        elif isinstance(size_or_sequence, Sequence):
            made = tensor_from(size_or_sequence, dtype=self.dtype, device=device)
            self._untyped_storage = made.untyped_storage()
        else:
            try:
                size = operator.index(size_or_sequence)
            except TypeError:
                raise TypeError(
                    f"Argument type not recognized: {type_name(size_or_sequence)}; expected an int or a "
                    "sequence"
                ) from None
            made = empty_tensor(contiguous_spec((size,), self.dtype, resolve_device(device)))
            self._untyped_storage = made.untyped_storage()

    def _tensor(self) -> Any:
        """All elements as a tensor on the same memory."""
        storage = self._untyped_storage
        return make_tensor(contiguous_spec((len(self),), self.dtype, storage.device), storage)

    def untyped(self) -> Storage:
        """The storage without a dtype."""
        return self._untyped_storage

    @property
    def device(self) -> device_type:
        """The device of the memory."""
        return self._untyped_storage.device

    @property
    def is_cuda(self) -> bool:
        """Is this a GPU's memory?"""
        return self.device.type == "cuda"

    def size(self) -> int:
        """The number of elements."""
        return self._untyped_storage.nbytes() // self.dtype.itemsize

    __len__ = size

    def element_size(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._untyped_storage.nbytes()

    def data_ptr(self) -> int:
        """The address of the first element."""
        return self._untyped_storage.data_ptr()

    def tolist(self) -> list[Any]:
        """The elements as Python's numbers."""
        return self._tensor().tolist()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, index: int) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return self._tensor()[self._checked(index)].item()

    def __setitem__(self, index: int | slice, value: Any) -> None:
        self._tensor()[index if isinstance(index, slice) else self._checked(index)] = value

    def _checked(self, index: Any) -> int:
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self).__name__} with {type(index)}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return index

    def fill_(self, value: Any) -> TypedStorage:
        """Set all elements to ``value``; returns this storage."""
        self._tensor().fill_(value)
        return self

    def copy_(self, source: TypedStorage, non_blocking: bool = False) -> TypedStorage:
        """Copy the elements of another typed storage of the same size; returns this storage.

        Raises RuntimeError for another size.
        """
        if len(self) != len(source):
            raise RuntimeError(f"size mismatch: expected {len(self)} elements, got {len(source)}")
        self._tensor().copy_(source._tensor())
        return self

    def clone(self) -> TypedStorage:
        """A copy."""
        return self._like(self._tensor().clone())

    def cpu(self) -> TypedStorage:
        """The elements in host memory: this storage, if they are there."""
        return self if self._untyped_storage.backend.host_memory else self._like(self._tensor().cpu())

    def cuda(self, device: Any = None, non_blocking: bool = False) -> TypedStorage:
        """The elements on a GPU."""
        return self._like(self._tensor().cuda(device))

    def _like(self, tensor: Tensor) -> TypedStorage:
        return type(self)(wrap_storage=tensor.untyped_storage(), dtype=self.dtype)

    def _as(self, kind: dtype_type) -> TypedStorage:
        converted = self._tensor().to(kind)
        return TypedStorage(wrap_storage=converted.untyped_storage(), dtype=kind)

    def resize_(self, size: int) -> None:
        """Change the number of elements."""
        self._untyped_storage.resize_(size * self.dtype.itemsize)

    def is_shared(self) -> bool:
        """Is it shared memory?"""
        return self._untyped_storage.is_shared()

    def share_memory_(self) -> TypedStorage:
        """Move it to shared memory: ``UntypedStorage.share_memory_``."""
        self._untyped_storage.share_memory_()
        return self

    def is_pinned(self, device: Any = None) -> bool:
        """Is it pinned memory?"""
        return self._untyped_storage.is_pinned(device)  # type: ignore[attr-defined]

    def pin_memory(self, device: Any = None) -> TypedStorage:
        """A copy in pinned memory: ``UntypedStorage.pin_memory``."""
        pinned = self._untyped_storage.pin_memory(device)  # type: ignore[attr-defined]
        return type(self)(wrap_storage=pinned, dtype=self.dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypedStorage) and self.data_ptr() == other.data_ptr()

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        kind = f"(dtype={self.dtype}, device={self.device})"
        elements = "" if self.device.type == "meta" else " " + "\n ".join(map(str, self.tolist())) + "\n"
        return f"{elements}[{LIBRARY}.storage.TypedStorage{kind} of size {len(self)}]"


def _conversion(kind: dtype_type) -> Any:
    def convert(self: TypedStorage) -> TypedStorage:
        return self._as(kind)

    convert.__doc__ = f"A copy whose elements are converted to {kind}."
    return convert


# The types of storages by name, such as FloatStorage, and the methods that convert to them.
TYPES: dict[str, type[TypedStorage]] = {}
_METHODS = {
    "float": "Float",
    "double": "Double",
    "half": "Half",
    "bfloat16": "BFloat16",
    "int": "Int",
    "long": "Long",
    "short": "Short",
    "char": "Char",
    "byte": "Byte",
    "bool": "Bool",
    "complex_float": "ComplexFloat",
    "complex_double": "ComplexDouble",
}
for _method, _name in _METHODS.items():
    _kind = NAMES[f"{_name}Tensor"]
    TYPES[f"{_name}Storage"] = type(
        f"{_name}Storage",
        (TypedStorage,),
        {"_dtype": _kind, "__doc__": f"A TypedStorage of {_kind}.", "__module__": "gnomon"},
    )
    setattr(TypedStorage, _method, _conversion(_kind))


def storage(self: Tensor) -> Any:
    """The TypedStorage with this tensor's dtype.  Deprecated: the first use warns.

    Source: torch.Tensor.storage.
    """
    return TypedStorage(wrap_storage=self.untyped_storage(), dtype=self.dtype)


def storage_type(self: Tensor) -> Any:
    """The type of storages of this tensor's dtype, such as ``gnomon.FloatStorage``; None on meta.

    Source: torch.Tensor.storage_type.
    """
    _warn()
    if self.is_meta:
        return None
    return next(each for each in TYPES.values() if each._dtype is self.dtype)
