"""Functions of which the standard and PyTorch define some special values differently.

gnomon's kernels have PyTorch's values, which are named below; these functions correct them.
"""

from __future__ import annotations

import gnomon as gn
from gnomon import Tensor


def expm1(x: Tensor) -> Tensor:
    """Of complex numbers with an infinite real part, or NaN, what ``exp`` has, less 1; PyTorch has NaN in one
    part more.  The real part of +-0 is 0, not -0.
    """
    if not x.is_complex():
        return gn.expm1(x)
    made = gn.where(gn.isfinite(x.real), gn.expm1(x), gn.exp(x) - 1)
    return gn.complex(gn.where(x == 0, 0.0, made.real), made.imag)


def floor_divide(x1: Tensor, x2: Tensor) -> Tensor:
    """An infinite number divided by a finite one is infinite, in PyTorch NaN; and a finite one divided by an
    infinite one is zero with a sign, in PyTorch -1 if the signs differ.
    """
    made = gn.floor_divide(x1, x2)
    if not made.is_floating_point():
        return made
    exact = (gn.isinf(x1) & gn.isfinite(x2)) | (gn.isfinite(x1) & gn.isinf(x2))
    return gn.where(exact, x1 / x2, made)


def remainder(x1: Tensor, x2: Tensor) -> Tensor:
    """Zero has the sign of ``x2``, in PyTorch that of ``x1``."""
    made = gn.remainder(x1, x2)
    return gn.where(made == 0, gn.copysign(made, x2), made) if made.is_floating_point() else made


def tanh(x: Tensor) -> Tensor:
    """Beside an infinite real part the imaginary one is zero with the sign of ``x.imag``, in PyTorch with
    that of ``sin(2 * x.imag)``.
    """
    made = gn.tanh(x)
    if not x.is_complex():
        return made
    zero = gn.isinf(x.real) & gn.isfinite(x.imag)
    signed = gn.copysign(gn.zeros_like(x.imag), x.imag)
    return gn.complex(made.real, gn.where(zero, signed, made.imag))


def sign(x: Tensor) -> Tensor:
    """The sign of NaN is NaN, in PyTorch 0."""
    made = gn.sgn(x)
    return gn.where(gn.isnan(x), x, made) if x.is_floating_point() else made
