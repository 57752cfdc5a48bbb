"""The limits of a dtype: finfo for floats, iinfo for integers.

Source: torch/csrc/TypeInfo.cpp.
"""

from __future__ import annotations

from typing import Any

from . import dtype as dtypes
from .library_name import LIBRARY

# dtype: bits of the fraction, largest exponent, decimal digits that survive a round trip
_FORMATS = {
    dtypes.float16: (10, 15, 3),
    dtypes.bfloat16: (7, 127, 2),
    dtypes.float32: (23, 127, 6),
    dtypes.float64: (52, 1023, 15),
    dtypes.float8_e4m3fn: (3, 7, 0),
    dtypes.float8_e5m2: (2, 15, 0),
}
_DEFAULT: Any = object()


class _Limits:
    """Base class of finfo and iinfo: compared by dtype, immutable, not hashable."""

    __slots__ = ("_dtype",)
    __hash__ = None  # type: ignore[assignment]

    _dtype: dtypes.dtype

    def _accept(self, type: Any) -> dtypes.dtype:
        if not isinstance(type, dtypes.dtype):
            raise TypeError(
                f"{self.__class__.__name__}(): argument 'type' (position 1) must be {LIBRARY}.dtype, not "
                f"{type.__class__.__name__}"
            )
        return type

    @property
    def bits(self) -> int:
        """The bits of one number."""
        return self._dtype.bits

    @property
    def dtype(self) -> str:
        """The dtype's name; for a complex dtype that of its parts."""
        return self._dtype.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self.__class__) and self._dtype is other._dtype


class finfo(_Limits):
    """The limits of ``type``: a floating point dtype, by default the default dtype, or a complex one's parts.

    bits             the bits of one number
    eps              the distance from 1 to the next larger number
    max, min         the largest finite number, and its negative
    smallest_normal  the smallest positive number of full precision; ``tiny`` is its older name
    resolution       ``10 ** -digits``, for the decimal digits that every number of this dtype holds
    dtype            the dtype's name

    Raises TypeError for other dtypes.  Source: torch.finfo.
    """

    __slots__ = ()

    def __init__(self, type: dtypes.dtype = _DEFAULT):
        given = self._accept(dtypes.get_default_dtype() if type is _DEFAULT else type)
        if given.category < 2:
            raise TypeError(
                f"finfo() requires a floating point dtype, but got {given}; use iinfo for integer dtypes"
            )
        self._dtype = given.to_real()

    @property
    def eps(self) -> float:
        """The distance from 1 to the next larger number."""
        return 2.0 ** -_FORMATS[self._dtype][0]

    @property
    def max(self) -> float:
        """The largest finite number."""
        if self._dtype is dtypes.float8_e4m3fn:  # it has no infinities, and their exponent is that of numbers
            return 448.0
        return (2 - self.eps) * 2.0 ** _FORMATS[self._dtype][1]

    @property
    def min(self) -> float:
        """The lowest finite number."""
        return -self.max

    @property
    def smallest_normal(self) -> float:
        """The smallest positive number of full precision; subnormal numbers are smaller."""
        return 2.0 ** (1 - _FORMATS[self._dtype][1])

    tiny = smallest_normal

    @property
    def resolution(self) -> float:
        """``10 ** -digits``, for the decimal digits that every number of this dtype holds."""
        return float(f"1e-{_FORMATS[self._dtype][2]}")

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo(_Limits):
    """The limits of ``type``, an integer dtype.

    bits      the bits of one number
    max, min  the largest and the lowest number
    dtype     the dtype's name

    Raises TypeError for other dtypes, including bool.  Source: torch.iinfo.
    """

    __slots__ = ()

    def __init__(self, type: dtypes.dtype):
        self._dtype = self._accept(type)
        if self._dtype in dtypes.QUANTIZED:
            raise NotImplementedError(f"iinfo: not implemented for dtype {self._dtype.name}")
        if self._dtype.category != 1:
            raise TypeError(
                f"iinfo() requires an integer dtype, but got {self._dtype}; use finfo for floating point"
            )

    @property
    def max(self) -> int:
        """The largest number."""
        return 2 ** (self.bits - self._dtype.is_signed) - 1

    @property
    def min(self) -> int:
        """The lowest number."""
        return -self.max - 1 if self._dtype.is_signed else 0

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
