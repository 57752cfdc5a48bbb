"""Devices, layouts and memory formats: the three small enumerations that a tensor carries.

Source: c10/core/Device.h, c10/core/Layout.h, c10/core/MemoryFormat.h.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, ClassVar

from . import late_bound
from .dispatch_key import COMPRESSED_KEYS, MKLDNN_KEYS, SPARSE_KEYS, TENSOR_KEYS
from .errors import type_name
from .library_name import LIBRARY
from .speedups import speedups


class device:
    """Where a tensor's memory is and whose kernels run on it: a backend's device type and an index.

    ``device("c")``, ``device("cuda:1")``, ``device("cuda", 1)``, ``device(other_device)``; ``device(1)`` is
    the accelerator's.  Interned, so two equal devices of tensors are the same object.  ``device("cpu")``,
    which no tensor has, equals the device that it stands for (AliasDevice).  As a context manager it is the
    default device inside the block.

    Raises RuntimeError for an invalid string, and for a number if there is no accelerator.
    """

    __slots__ = ("index", "type")
    _interned: ClassVar[dict[tuple[str, int | None], device]] = {}

    type: str
    index: int | None

    def __new__(cls, type: str | device | int, index: int | None = None) -> device:
        if isinstance(type, device):
            return type
        if isinstance(type, int) and not isinstance(type, bool) and index is None:
            if type < 0:
                raise RuntimeError(f"Device index must not be negative, got {type}")
            index, type = type, late_bound.find_accelerator()
        if not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' must be str, device or int, not {type_name(type)}")
        if ":" in type:
            if index is not None:
                raise RuntimeError(
                    f"device(): 'type' must not include an index because one was passed: {type!r}"
                )
            type, _, digits = type.partition(":")
            if not digits.isdecimal() or (digits[0] == "0" and digits != "0"):
                raise RuntimeError(
                    f"Invalid device string: '{type}:{digits}'; expected 'type' or 'type:index'"
                )
            index = int(digits)
        if not type.isidentifier():
            raise RuntimeError(f"Invalid device string: '{type}'; expected 'type' or 'type:index'")
        if index is not None and index < 0:
            raise RuntimeError(f"Device index must not be negative, got {index}")
        key = (type, index)
        made = cls._interned.get(key)
        if made is None:
            made = object.__new__(AliasDevice if type == "cpu" or index == 0 else device)
            made.type = type
            made.index = index
            cls._interned[key] = made
        return made

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (device, (self.type, self.index))

    def __enter__(self) -> device:
        around = _scoped_devices.get()
        try:
            _scoped_devices.set((self, around))
        except BaseException:  # an interrupt, after which __exit__ is not called
            _scoped_devices.set(around)
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        _scoped_devices.set(_scoped_devices.get()[1])  # type: ignore[index]


class AliasDevice(device):
    """A device that may be another name of one: ``cpu``, and index 0 of a backend with only one device.

    It equals, and hashes like, the device of tensors that are created on it; itself if there is none.  It has
    its own class because the devices of tensors are keys of many tables, and should hash in C.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and stands_for(self) is stands_for(other)

    def __hash__(self) -> int:
        return object.__hash__(stands_for(self))


def stands_for(asked: device) -> device:
    """The ``device`` of tensors that are created on ``asked``."""
    return late_bound.find_device(asked) if isinstance(asked, AliasDevice) else asked


# (device of the innermost active `with` block, the same of the enclosing block); None outside of all.  One
# per thread and async task.
_scoped_devices: ContextVar[tuple[device, Any] | None] = ContextVar("gnomon_scoped_devices", default=None)


def scoped_device() -> device | None:
    """The device of the innermost ``with device(...)`` block, or None outside of any."""
    scope = _scoped_devices.get()
    return None if scope is None else scope[0]


class layout:
    """How a tensor's elements are stored: ``strided``, ``sparse_coo`` (indices and values), or compressed.

    A compressed layout counts the elements of each row (``sparse_csr``) or column (``sparse_csc``), or the
    blocks of each row or column of blocks (``sparse_bsr``, ``sparse_bsc``).  ``_mkldnn`` is opaque: it has
    sizes but no strides.

    ``keys``: the dispatch keys of a tensor with the layout, and of a call that asks for one by ``layout=``.
    ``title``: its name in error messages.
    """

    __slots__ = ("keys", "name", "title")

    def __init__(self, name: str, keys: int, title: str):
        self.name = name
        self.keys = keys
        self.title = title

    def __repr__(self) -> str:
        return f"{LIBRARY}.{self.name}"

    def __reduce__(self) -> str:
        return self.name


strided = layout("strided", TENSOR_KEYS, "Strided")
sparse_coo = layout("sparse_coo", SPARSE_KEYS, "Sparse")
sparse_csr = layout("sparse_csr", COMPRESSED_KEYS, "SparseCsr")
sparse_csc = layout("sparse_csc", COMPRESSED_KEYS, "SparseCsc")
sparse_bsr = layout("sparse_bsr", COMPRESSED_KEYS, "SparseBsr")
sparse_bsc = layout("sparse_bsc", COMPRESSED_KEYS, "SparseBsc")
_mkldnn = layout("_mkldnn", MKLDNN_KEYS, "Mkldnn")


class memory_format:
    """The order of dimensions in memory of a new tensor."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"{LIBRARY}.{self.name}"

    def __reduce__(self) -> str:
        return self.name


contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


if speedups is not None:
    device.__exit__ = speedups.guard("leave_device", device.__exit__, _scoped_devices)  # type: ignore[method-assign]
