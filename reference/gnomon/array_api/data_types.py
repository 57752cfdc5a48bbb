"""Data types: which dtype several have in common, what a dtype can hold, and conversion."""

from __future__ import annotations

from typing import Any, NamedTuple

import gnomon as gn
from gnomon import Tensor, dtype

from .unsigned import SIGNED

KINDS: dict[str, tuple[dtype, ...]] = {
    "bool": (gn.bool,),
    "signed integer": (gn.int8, gn.int16, gn.int32, gn.int64),
    "unsigned integer": (gn.uint8, gn.uint16, gn.uint32, gn.uint64),
    "real floating": (gn.float32, gn.float64),
    "complex floating": (gn.complex64, gn.complex128),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]

# dtypes that the standard does not have, but which are of one of its kinds
_OTHERS = {
    "real floating": (gn.float16, gn.bfloat16),
    "complex floating": (gn.complex32,),
    "numeric": (gn.float16, gn.bfloat16, gn.complex32),
}


class FloatInfo(NamedTuple):
    """The limits of a floating point dtype; those of its parts for a complex one."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: dtype


class IntegerInfo(NamedTuple):
    """The limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: dtype


def isdtype(dtype: dtype, kind: Any) -> bool:
    """Is ``dtype`` of a kind: a dtype, a name such as ``"integral"``, or a tuple of these?

    Raises TypeError for another ``dtype`` or kind, ValueError for an unknown name.
    """
    if not isinstance(dtype, gn.dtype):
        raise TypeError(f"isdtype: argument 'dtype': expected a gnomon.dtype, got {type(dtype).__name__}")
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, gn.dtype):
        return dtype is kind
    if not isinstance(kind, str):
        raise TypeError(
            f"isdtype: argument 'kind': expected a dtype, a str or a tuple of them, got {type(kind).__name__}"
        )
    if kind not in KINDS:
        raise ValueError(f"isdtype: argument 'kind': expected one of {', '.join(KINDS)}, got {kind!r}")
    return dtype in KINDS[kind] + _OTHERS.get(kind, ())


def promoted(first: dtype, second: dtype) -> dtype:
    """The dtype that two dtypes have in common.  Raises TypeError for uint64 and a signed integer."""
    if first is second:
        return first
    if second in SIGNED and first not in SIGNED:
        first, second = second, first
    if first not in SIGNED:
        return gn.promote_types(first, second)
    if second in KINDS["unsigned integer"]:
        return max(first, second, key=lambda each: each.itemsize)
    if second is gn.bool:
        return first
    if second not in KINDS["signed integer"]:
        return second
    wider = [each for each in KINDS["signed integer"] if each.itemsize > first.itemsize]
    if not wider:
        raise TypeError(f"no integer dtype holds the values of {first} and {second}; convert one with astype")
    return max(wider[0], second, key=lambda each: each.itemsize)


def result_type(*arrays_and_dtypes: Any) -> dtype:
    """The dtype of the result of an operation on tensors, dtypes and Python numbers.

    Sizes do not matter: a tensor without dimensions counts as any other.  A Python number takes the dtype of
    the others, of the next kind if that can't represent numbers like it, or the default dtype of its own if
    there are none.  Raises TypeError for anything else, for no arguments, and where there is no common dtype.
    """
    if not arrays_and_dtypes:
        raise TypeError("result_type: expected at least one tensor, dtype or number, got none")
    found: dtype | None = None
    numbers = []
    for each in arrays_and_dtypes:
        if isinstance(each, (Tensor, dtype)):
            kind = each.dtype if isinstance(each, Tensor) else each
            found = kind if found is None else promoted(found, kind)
        elif isinstance(each, (bool, int, float, complex)):
            numbers.append(each)
        else:
            raise TypeError(f"result_type: expected tensors, dtypes and numbers, got {type(each).__name__}")
    for number in numbers:
        found = _with_number(found, number)
    assert found is not None
    return found


_CATEGORIES = ("bool", "integral", "real floating", "complex floating")
_NUMBERS = (bool, int, float, complex)


def _with_number(found: dtype | None, number: Any) -> dtype:
    """The common dtype of a dtype, or of nothing, and a Python number."""
    needed = next(place for place, each in enumerate(_NUMBERS) if isinstance(number, each))
    has = -1 if found is None else [isdtype(found, name) for name in _CATEGORIES].index(True)
    if found is not None and needed <= has:
        return found
    real = found if found is not None and found.is_floating_point else gn.get_default_dtype()
    return (gn.bool, gn.int64, real, gn.promote_types(real, gn.complex32))[needed]


def can_cast(from_: Any, to: dtype, /) -> bool:
    """Do the promotion rules convert the dtype, or a tensor's, to ``to``?  Raises TypeError for others."""
    if not isinstance(from_, (Tensor, gn.dtype)) or not isinstance(to, gn.dtype):
        raise TypeError(
            f"can_cast: expected a tensor or a dtype, and a dtype, got {type(from_).__name__} and "
            f"{type(to).__name__}"
        )
    kind = from_.dtype if isinstance(from_, Tensor) else from_
    try:
        return result_type(kind, to) is to
    except TypeError:
        return False


def finfo(type: Any, /) -> FloatInfo:
    """The limits of a floating point dtype, or of a tensor's.  Raises TypeError for another dtype."""
    kind = type.dtype if isinstance(type, Tensor) else type
    info = gn.finfo(kind)
    real = gn.empty((), dtype=kind, device="meta").real.dtype if kind.is_complex else kind
    return FloatInfo(info.bits, info.eps, info.max, info.min, info.smallest_normal, real)


def iinfo(type: Any, /) -> IntegerInfo:
    """The limits of an integer dtype, or of a tensor's.  Raises TypeError for another dtype."""
    kind = type.dtype if isinstance(type, Tensor) else type
    info = gn.iinfo(kind)
    return IntegerInfo(info.bits, info.max, info.min, kind)


def astype(x: Tensor, dtype: dtype, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """The elements converted to ``dtype``; with ``copy=False`` the tensor itself if nothing changes.

    Raises TypeError for complex numbers to a real dtype: choose ``real`` or ``abs``.
    """
    if x.dtype.is_complex and not dtype.is_complex and dtype is not gn.bool:
        raise TypeError(f"astype: {x.dtype} to {dtype} would discard imaginary parts; take real(x) first")
    return x.to(device=x.device if device is None else device, dtype=dtype, copy=copy)
