"""Tensors as ndarrays.

A tensor's memory is an array of bytes.  ``raw`` returns an ndarray that views the elements in it, with the
tensor's strides.  NumPy has no bfloat16: its raw elements are 16-bit patterns, the upper halves of float32.
Those of 8-bit floats and of complex32 are bit patterns, too.

Kernels compute with ``numbers``: the raw elements if NumPy can compute with them, float32 for both 16-bit
floats.  ``store`` casts results back as the reference does: rounded once to nearest, ties to even; integers
wrap around.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from gnomon.calls.iterator import TensorIterator
from gnomon.memory.tensor import Tensor
from gnomon.values.dtype import FLOAT8, complex32, dtype, float8_e4m3fn, int64, uint32, uint64

Array = np.ndarray[Any, Any]

# How an element is stored.
STORED = {
    "bool": np.dtype(np.bool_),
    "uint8": np.dtype(np.uint8),
    "int8": np.dtype(np.int8),
    "int16": np.dtype(np.int16),
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
    "uint16": np.dtype(np.uint16),
    "uint32": np.dtype(np.uint32),
    "uint64": np.dtype(np.uint64),
    "float8_e4m3fn": np.dtype(np.uint8),
    "float8_e5m2": np.dtype(np.uint8),
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(np.uint16),
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
    "complex32": np.dtype(np.uint32),
    "complex64": np.dtype(np.complex64),
    "complex128": np.dtype(np.complex128),
}

# The NumPy dtype to compute in, by dtype; dtypes that are not listed are computed in their stored dtype.
OWN = {"float16": np.dtype(np.float32), "bfloat16": np.dtype(np.float32)}
# One step wider, for formulas of many steps: the final rounding removes their errors.
WIDE = {
    "float16": np.dtype(np.float64),
    "bfloat16": np.dtype(np.float64),
    "float32": np.dtype(np.float64),
    "complex64": np.dtype(np.complex128),
}
# Complex formulas have cancellation between the parts, where the real formula is accurate.
WIDE_COMPLEX = {**OWN, "complex64": np.dtype(np.complex128)}


# ---------------------------------------------------------------------------------------------------------
# Views of memory.


def shown(memory: Array, kind: dtype, shape: Sequence[int], strides: Sequence[int], offset: int) -> Array:
    """A view of elements in ``memory``; strides are in bytes, the offset in elements."""
    stored = STORED[kind.name]
    if 0 in shape:  # the offset may be out of range
        return np.empty(tuple(shape), stored)
    return np.ndarray(tuple(shape), stored, memory, offset * stored.itemsize, tuple(strides))


def raw(tensor: Tensor) -> Array:
    """A view of the elements as they are stored."""
    spec = tensor._spec
    itemsize = spec.dtype.itemsize
    strides = [stride * itemsize for stride in spec.strides]
    memory = tensor.untyped_storage().memory
    return shown(memory, spec.dtype, spec.sizes, strides, tensor._storage_offset)


def raw_operand(iterator: TensorIterator, position: int) -> Array:
    """A view of an iterator's operand in the iterator's shape; the iterator's dimension 0 is NumPy's last."""
    operand, tensor = iterator.operands[position], iterator.tensor(position)
    memory = tensor.untyped_storage().memory
    return shown(
        memory, tensor._spec.dtype, iterator.shape[::-1], operand.strides[::-1], tensor._storage_offset
    )


# ---------------------------------------------------------------------------------------------------------
# Conversion to numbers and back.


def decoded(stored: Array, kind: dtype, precision: dict[str, Any] = OWN) -> Array:
    """Stored elements as numbers to compute with; copied only if the types differ."""
    if kind.name == "bfloat16":
        stored = (stored.astype(np.uint32) << 16).view(np.float32)
    elif kind in FLOAT8:
        stored = _values_of(kind)[stored]
    elif kind is complex32:
        found = np.empty(stored.shape, np.complex64)
        found.real = (stored & 0xFFFF).astype(np.uint16).view(np.float16)
        found.imag = (stored >> 16).astype(np.uint16).view(np.float16)
        return found
    elif kind.category == 0:  # NumPy compares and sorts the bytes of bools, of which any but 0 is true
        stored = stored.view(np.uint8) != 0
    wanted = precision.get(kind.name)
    return stored if wanted is None or stored.dtype == wanted else stored.astype(wanted)


def numbers(tensor: Tensor, precision: dict[str, Any] = OWN) -> Array:
    """The elements as numbers to compute with, with the tensor's sizes."""
    return decoded(raw(tensor), tensor._spec.dtype, precision)


def maybe_numbers(tensor: Tensor | None, precision: dict[str, Any] = OWN) -> Array | None:
    """``numbers`` of an optional tensor; None for None."""
    return None if tensor is None else numbers(tensor, precision)


def encoded(values: Array, kind: dtype) -> Array:
    """Converts numbers to stored elements of this dtype: rounded, truncated or wrapped around.

    complex to real drops the imaginary part.  Floats of 16 and 8 bits are rounded from float32, as in the
    reference.
    """
    stored = STORED[kind.name]
    if kind is complex32:
        parts = (part.astype(np.float32).astype(np.float16) for part in (values.real, values.imag))
        real, imag = (part.view(np.uint16).astype(np.uint32) for part in parts)
        return real | imag << 16
    if kind in FLOAT8:
        return _float8_bits(values.real.astype(np.float32), kind)
    if values.dtype == stored and kind.name != "bfloat16":
        return values
    if kind.category == 0:
        return values != 0
    if values.dtype.kind == "c" and not kind.is_complex:
        values = values.real
    if kind.category == 1:
        return _to_integers(values, kind) if values.dtype.kind == "f" else values.astype(stored)
    if values.dtype.kind in "iu" and kind.name != "float32":  # otherwise an integer would be rounded twice
        values = values.astype(np.float64)
    if kind.itemsize == 2 and not kind.is_complex:
        single = values.astype(np.float32)
        return single.astype(np.float16) if kind.name == "float16" else _bfloat16_bits(single)
    return values.astype(stored)


def _to_integers(values: Array, kind: dtype) -> Array:
    """Truncates; a value that does not fit 32 (or 64) bits becomes their least integer, then wraps around.

    Of uint64, what is beyond 64 bits becomes 0.
    """
    if kind is uint64:
        beyond = values >= 2.0**63
        above = np.where(beyond & (values < 2.0**64), values, 0).astype(np.uint64)
        return np.where(beyond, above, _to_integers(values, int64).astype(np.uint64))
    bits = 64 if kind is uint32 else max(kind.bits, 32)
    limit = 2.0 ** (bits - 1)
    fits = np.abs(values) < limit  # false for NaN
    whole = np.where(fits, values, 0).astype(np.int64)
    return np.where(fits, whole, -(2 ** (bits - 1))).astype(STORED[kind.name])


def _bfloat16_bits(single: Array) -> Array:
    """The upper half of float32, rounded to nearest, ties to even; all NaN get the same bits."""
    bits = np.ascontiguousarray(single).view(np.uint32).reshape(single.shape)
    rounded = (bits + (0x7FFF + ((bits >> 16) & 1)).astype(np.uint32)) >> 16
    return np.where(np.isnan(single), 0x7FC0, rounded).astype(np.uint16)


@functools.lru_cache(maxsize=len(FLOAT8))
def _values_of(kind: dtype) -> Array:
    """The numbers of all 256 bit patterns of an 8-bit float."""
    read = kind.reader(memoryview(bytes(range(256))))
    return np.array([read(code) for code in range(256)], np.float32)


def _float8_bits(single: Array, kind: dtype) -> Array:
    """The patterns of the nearest 8-bit floats, ties to even; what is too large saturates or is infinite."""
    positive = _values_of(kind)[: 0x7F if kind is float8_e4m3fn else 0x7C]
    middles = (positive[:-1] + positive[1:]) / 2
    size = np.abs(single)
    code = np.searchsorted(middles, size, side="left")  # that of a middle is the lower one
    is_middle = np.append(middles, np.nan)[code] == size
    code = code + (is_middle & (code % 2 == 1))
    if kind is not float8_e4m3fn:
        code = np.where(size >= positive[-1] + (positive[-1] - positive[-2]) / 2, 0x7C, code)
    code = np.where(np.isnan(single), 0x7F, code)
    return (code | np.where(np.signbit(single), 0x80, 0)).astype(np.uint8)


def store(tensor: Tensor | None, values: Any) -> None:
    """Writes numbers, which broadcast, to a tensor; does nothing for None."""
    if tensor is not None:
        put(raw(tensor), tensor._spec.dtype, values)


def put(stored: Array, kind: dtype, values: Any) -> None:
    """Writes numbers, which broadcast, to a view of elements of this dtype."""
    stored[...] = encoded(np.asarray(values), kind)


def scalar(value: Any, kind: dtype) -> Array:
    """A number as one stored element; integers beyond 64 bits wrap around too."""
    return encoded(np.asarray(kind.cast(value)), kind)


def wrapped(dim: int, ndim: int) -> int:
    """A dimension as a non-negative number; a 0-dim tensor counts as 1-D."""
    return dim % max(ndim, 1)


def at_least_1d(array: Array) -> Array:
    """The array, or a 1-D view of a 0-dim one."""
    return array.reshape(1) if array.ndim == 0 else array


def zeros_for(tensor: Tensor, precision: dict[str, Any] = OWN) -> Array:
    """Zeros with the tensor's sizes, in the dtype to compute in."""
    kind = tensor._spec.dtype
    return np.zeros(tensor._spec.sizes, precision.get(kind.name, STORED[kind.name]))
