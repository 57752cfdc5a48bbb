"""Numbers as kernels in C and C++ take them (gn_scalar of csrc/gnomon.h), and NumPy's scalars."""

from __future__ import annotations

from typing import Any

NO_INTEGER = -0x7FFFFFFFFFFFFFFF  # `integer` of an absent number: GN_NO_INTEGER


def scalar_forms(value: Any) -> tuple[float, float, int]:
    """Convert a Python number, or None, to its real part, its imaginary part, and an integer.

    An int that does not fit int64 wraps around, and so does a float below 2**64; one that does not fit, or
    NaN, gives -2**63.
    """
    if value is None:
        return (float("nan"), 0.0, NO_INTEGER)
    real = value.real
    if isinstance(real, int):
        integer = (int(real) + 2**63) % 2**64 - 2**63
    else:
        # For bool, any nonzero integer is right for a float that does not fit, NaN included; int64 accepts
        # 2.0**63, too, which wraps around to this, as greater ones do for uint64.
        integer = int(real) if -(2.0**63) <= real < 2.0**64 else -(2**63)
        integer = (integer + 2**63) % 2**64 - 2**63
    try:
        return (float(real), float(value.imag), integer)
    except OverflowError:
        return (float("inf") if real > 0 else float("-inf"), 0.0, integer)


def is_numpy_scalar(value: Any) -> bool:
    """Is ``value`` a NumPy scalar?  A 0-dim array, which can be written to, is not."""
    return (
        getattr(value, "shape", None) == () and hasattr(value, "item") and not hasattr(value, "__setitem__")
    )
