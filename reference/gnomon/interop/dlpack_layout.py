"""DLPack's structures, and the capsules that carry them from one library to another.

A producer fills in a ``DLManagedTensorVersioned`` (or the older ``DLManagedTensor``) and puts its address
into a capsule named "dltensor_versioned" ("dltensor").  A consumer takes the address, and renames the capsule
to "used_dltensor…": from then on it owns the structure, and calls ``deleter`` once when it needs the memory
no more.  A capsule that was never consumed calls the deleter itself.

Source: dlpack.h of DLPack 1.1, and the Python specification of DLPack.
"""

from __future__ import annotations

import ctypes
from typing import Any

from ..values import dtype as dtypes
from ..values.dtype import dtype

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


def _function(name: str, result: Any, *arguments: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_OBJECT, _POINTER, _TEXT = ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p
new_capsule = _function("PyCapsule_New", _OBJECT, _POINTER, _TEXT, _POINTER)
_is_valid = _function("PyCapsule_IsValid", ctypes.c_int, _POINTER, _TEXT)
_pointer = _function("PyCapsule_GetPointer", _POINTER, _POINTER, _TEXT)
_rename = _function("PyCapsule_SetName", ctypes.c_int, _OBJECT, _TEXT)
keep = _function("Py_IncRef", None, _OBJECT)


def opened(capsule: Any) -> tuple[bool, int] | None:
    """Whether the structure in an unused capsule has a version, and its address; None for other objects."""
    return opened_at(id(capsule))


def opened_at(address: int) -> tuple[bool, int] | None:
    """The same of the object at an address, which may be one that is being destroyed."""
    for versioned, name in NAMES.items():
        if _is_valid(address, name):
            return versioned, _pointer(address, name)
    return None


def mark_used(capsule: Any, versioned: bool) -> None:
    """Renames a capsule: whoever calls this owns the structure."""
    _rename(capsule, USED_NAMES[versioned])
