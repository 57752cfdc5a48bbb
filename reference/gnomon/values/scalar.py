"""Numbers: as kernels in C and C++ take them, the structure gn_scalar of csrc/gnomon.h; and NumPy's."""

from __future__ import annotations

from typing import Any

NO_INTEGER = -0x7FFFFFFFFFFFFFFF  # the `integer` of a number that was not given: GN_NO_INTEGER


def scalar_forms(value: Any) -> tuple[float, float, int]:
    """A Python number, or None, as its real part, its imaginary part, and an integer.

    What does not fit int64 wraps around if it is an int; of floats, NaN among them, -2**63 stands for it.
    """
    if value is None:
        return (float("nan"), 0.0, NO_INTEGER)
    real = value.real
    if isinstance(real, int):
        integer = (int(real) + 2**63) % 2**64 - 2**63
    else:
        # what does not fit (NaN does not either) goes to bool, where all but 0 is true; 2.0**63 goes to
        # int64, too, and wraps around
        integer = int(real) if -(2.0**63) <= real < 2.0**63 else -(2**63)
    try:
        return (float(real), float(value.imag), integer)
    except OverflowError:
        return (float("inf") if real > 0 else float("-inf"), 0.0, integer)


def is_numpy_scalar(value: Any) -> bool:
    """Is ``value`` a scalar of NumPy?  An array without dimensions, which can be written to, is none."""
    return (
        getattr(value, "shape", None) == () and hasattr(value, "item") and not hasattr(value, "__setitem__")
    )
