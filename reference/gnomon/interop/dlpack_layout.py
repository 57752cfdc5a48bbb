"""DLPack's structures, and the capsules that carry them from one library to another.

A producer fills in a ``DLManagedTensorVersioned`` (or the older ``DLManagedTensor``) and puts its address
into a capsule named "dltensor_versioned" ("dltensor").  A consumer takes the address, and renames the capsule
to "used_dltensor…": from then on it owns the structure, and calls ``deleter`` once when it needs the memory
no more.  A capsule that was never consumed calls the deleter itself.

Source: dlpack.h of DLPack 1.1, and the Python specification of DLPack.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from ..values import dtype as dtypes
from ..values.dtype import dtype
from ..values.speedups import speedups

VERSION = (1, 1)  # of the structures that are written; a consumer reads all of the same major version
READ_ONLY, IS_COPIED = 1, 2  # the bits of ``flags``
NAMES = {False: b"dltensor", True: b"dltensor_versioned"}  # by whether the structure has a version
USED_NAMES = {False: b"used_dltensor", True: b"used_dltensor_versioned"}


# (DLDataTypeCode, bits) of each dtype; a vector of several lanes is no dtype of ours.
CODES: dict[dtype, tuple[int, int]] = {
    dtypes.int8: (0, 8),
    dtypes.int16: (0, 16),
    dtypes.int32: (0, 32),
    dtypes.int64: (0, 64),
    dtypes.uint8: (1, 8),
    dtypes.uint16: (1, 16),
    dtypes.uint32: (1, 32),
    dtypes.uint64: (1, 64),
    dtypes.float16: (2, 16),
    dtypes.float32: (2, 32),
    dtypes.float64: (2, 64),
    dtypes.bfloat16: (4, 16),
    dtypes.complex32: (5, 32),
    dtypes.complex64: (5, 64),
    dtypes.complex128: (5, 128),
    dtypes.bool_: (6, 8),
    dtypes.float8_e4m3fn: (10, 8),
    dtypes.float8_e5m2: (12, 8),
}
DTYPES = {code: kind for kind, code in CODES.items()}


class DLDevice(ctypes.Structure):
    """A device: its type, and its number among those of the type."""

    _fields_ = (("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32))


class DLDataType(ctypes.Structure):
    """A dtype: its kind, the bits of an element, and the elements of a vector."""

    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class DLTensor(ctypes.Structure):
    """A tensor: strides count elements; without strides it is contiguous."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class DLManagedTensor(ctypes.Structure):
    """A tensor and the function that releases it, before DLPack 1.0."""

    _fields_ = (("dl_tensor", DLTensor), ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class DLManagedTensorVersioned(ctypes.Structure):
    """A tensor and the function that releases it, with a version and flags."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("dl_tensor", DLTensor),
    )


MANAGED: dict[bool, Any] = {False: DLManagedTensor, True: DLManagedTensorVersioned}


class Opened(NamedTuple):
    """What is in a capsule that nobody has used."""

    version: tuple[int, int] | None  # None: of before versions
    flags: int
    device_type: int
    device_id: int
    code: int
    bits: int
    lanes: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None  # None: contiguous
    address: int


def _function(name: str, result: Any, *arguments: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_OBJECT, _POINTER, _TEXT = ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p
_is_valid = _function("PyCapsule_IsValid", ctypes.c_int, _POINTER, _TEXT)
_pointer = _function("PyCapsule_GetPointer", _POINTER, _POINTER, _TEXT)
_rename = _function("PyCapsule_SetName", ctypes.c_int, _OBJECT, _TEXT)


def new_capsule(
    keeper: Any,
    address: int,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    code: int,
    bits: int,
    device_type: int,
    device_id: int,
    versioned: bool,
    flags: int,
) -> Any:
    """A capsule whose consumer owns a reference to ``keeper``, which keeps the memory at ``address``.

    It is one that NumPy has made of an array without elements, with another description in it: the functions
    that release it must be C, because they are called while an exception is raised, without the lock, and
    after the interpreter has ended, when no Python can run.  A NumPy of before 2.1 writes no versions.
    """
    carrier = _carrier_type()(0)
    integers, pointer = ctypes.c_int64 * len(sizes), ctypes.POINTER(ctypes.c_int64)
    shape, steps = integers(*sizes), integers(*strides)
    carrier.kept = (keeper, shape, steps)
    try:
        capsule = carrier.__dlpack__(max_version=VERSION) if versioned else carrier.__dlpack__()
    except TypeError:
        capsule = carrier.__dlpack__()
    found = structure_in(capsule)
    assert found is not None
    managed = MANAGED[found[0]].from_address(found[1])
    managed.dl_tensor = DLTensor(
        address or None,
        DLDevice(device_type, device_id),
        len(sizes),
        DLDataType(code, bits, 1),
        ctypes.cast(shape, pointer),
        ctypes.cast(steps, pointer),
        0,
    )
    if found[0]:
        managed.major, managed.minor = VERSION
        managed.flags = flags
    return capsule


@functools.cache
def _carrier_type() -> Any:
    """NumPy's array with one attribute more.  Raises BufferError without NumPy."""
    try:
        import numpy
    except ImportError:
        raise BufferError("__dlpack__ needs the C speedups or NumPy: their deleters are C") from None

    class Carrier(numpy.ndarray):
        """What a capsule owns: ``kept`` lives as long as it does."""

        kept: Any

    return Carrier


def structure_in(capsule: Any) -> tuple[bool, int] | None:
    """Whether the structure in an unused capsule has a version, and its address; None for other objects."""
    for versioned, name in NAMES.items():
        if _is_valid(id(capsule), name):
            return versioned, _pointer(id(capsule), name)
    return None


def mark_used(capsule: Any, versioned: bool) -> None:
    """Renames a capsule: whoever calls this owns the structure."""
    _rename(capsule, USED_NAMES[versioned])


def opened(capsule: Any) -> tuple[Any, ...] | None:
    """The members of Opened, of a capsule that nobody has used; None for other objects."""
    found = structure_in(capsule)
    if found is None:
        return None
    versioned, address = found
    managed = MANAGED[versioned].from_address(address)
    version = (managed.major, managed.minor) if versioned else None
    if version is not None and version[0] != VERSION[0]:  # all but the version may be elsewhere
        return version, 0, 0, 0, 0, 0, 0, None, None, 0
    tensor = managed.dl_tensor
    place, dtype, ndim = tensor.device, tensor.dtype, tensor.ndim
    return (
        version,
        managed.flags if versioned else 0,
        place.device_type,
        place.device_id,
        dtype.code,
        dtype.bits,
        dtype.lanes,
        tuple(tensor.shape[:ndim]),
        tuple(tensor.strides[:ndim]) if tensor.strides else None,
        (tensor.data or 0) + tensor.byte_offset,
    )


class _Imported:
    """A structure that we own: releases it when nothing uses its memory any more."""

    __slots__ = ("_release",)

    def __init__(self, managed: Any):
        address, deleter = ctypes.addressof(managed), managed.deleter
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter) if deleter else None
        self._release: Callable[[], None] = lambda: function(address) if function else None

    def __del__(self) -> None:
        self._release()


def taken(capsule: Any, address: int, nbytes: int) -> Any:
    """The owner of a capsule's structure, from now on; it is also a buffer of the bytes at ``address``, if
    they are in host memory.
    """
    found = structure_in(capsule)
    assert found is not None
    versioned, structure = found
    mark_used(capsule, versioned)
    bytes_there: Any = (ctypes.c_uint8 * nbytes).from_address(address)
    bytes_there._owner = _Imported(MANAGED[versioned].from_address(structure))
    return bytes_there


if speedups is not None:
    new_capsule = speedups.dlpack_capsule
    opened = speedups.dlpack_opened
    taken = speedups.dlpack_taken
