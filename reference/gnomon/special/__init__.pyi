"""Types of gnomon.special.  Written by tools/make_stubs.py."""

import builtins
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, overload

from ..memory.tensor import Tensor
from ..values.device import device, layout, memory_format
from ..values.dtype import dtype

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_dtype: TypeAlias = dtype
_device: TypeAlias = device
_layout: TypeAlias = layout
_memory_format: TypeAlias = memory_format
_Device: TypeAlias = device | str | _int
_Number: TypeAlias = _bool | _int | _float
_Scalar: TypeAlias = _Number | builtins.complex
_Operand: TypeAlias = Tensor | _Scalar

def airy_ai(x: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_airy_ai(Tensor x) -> Tensor

    Computes the Airy function Ai: NaN below -2**33.  Its results never require grad.
    """

def bessel_j0(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_bessel_j0(Tensor self) -> Tensor

    Computes the Bessel function of the first kind of order 0.  Its results never require grad.
    """

def bessel_j1(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_bessel_j1(Tensor self) -> Tensor

    Computes the Bessel function of the first kind of order 1.  Its results never require grad.
    """

def bessel_y0(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_bessel_y0(Tensor self) -> Tensor

    Computes the Bessel function of the second kind of order 0.  Its results never require grad.
    """

def bessel_y1(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_bessel_y1(Tensor self) -> Tensor

    Computes the Bessel function of the second kind of order 1.  Its results never require grad.
    """

@overload
def chebyshev_polynomial_t(x: Tensor, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor

    Chebyshev's polynomial of the first kind, ``cos(n * acos(x))``.
    """

@overload
def chebyshev_polynomial_t(x: _Scalar, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor"""

@overload
def chebyshev_polynomial_t(x: Tensor, n: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor"""

@overload
def chebyshev_polynomial_u(x: Tensor, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor

    Chebyshev's polynomial of the second kind, ``sin((n + 1) * acos(x)) / sin(acos(x))``.
    """

@overload
def chebyshev_polynomial_u(x: _Scalar, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor"""

@overload
def chebyshev_polynomial_u(x: Tensor, n: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor"""

@overload
def chebyshev_polynomial_v(x: Tensor, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor

    Chebyshev's polynomial of the third kind, ``cos((n + 1/2) * acos(x)) / cos(acos(x) / 2)``.
    """

@overload
def chebyshev_polynomial_v(x: _Scalar, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor"""

@overload
def chebyshev_polynomial_v(x: Tensor, n: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """special_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor"""

@overload
def chebyshev_polynomial_w(x: Tensor, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor

    Chebyshev's polynomial of the fourth kind, ``sin((n + 1/2) * acos(x)) / sin(acos(x) / 2)``.
    """

@overload
def chebyshev_polynomial_w(x: _Scalar, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor"""

@overload
def chebyshev_polynomial_w(x: Tensor, n: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor"""

def digamma(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_digamma(Tensor self) -> Tensor

    Alias for ``digamma``.
    """

def entr(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_entr(Tensor self) -> Tensor

    Computes the entropy ``-x * log(x)``: 0 for x = 0, -inf for negative numbers.
    """

def erf(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_erf(Tensor self) -> Tensor

    Alias for ``erf``.
    """

def erfc(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_erfc(Tensor self) -> Tensor

    Alias for ``erfc``.
    """

def erfcx(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_erfcx(Tensor self) -> Tensor

    Computes ``exp(x**2) * erfc(x)``, also where erfc(x) is 0.
    """

def erfinv(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_erfinv(Tensor self) -> Tensor

    Alias for ``erfinv``.
    """

def exp2(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_exp2(Tensor self) -> Tensor

    Alias for ``exp2``.
    """

def expit(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_expit(Tensor self) -> Tensor

    Alias for ``sigmoid``.
    """

def expm1(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_expm1(Tensor self) -> Tensor

    Alias for ``expm1``.
    """

def gammainc(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_gammainc(Tensor self, Tensor other) -> Tensor

    Alias for ``igamma``.
    """

def gammaincc(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_gammaincc(Tensor self, Tensor other) -> Tensor

    Alias for ``igammac``.
    """

def gammaln(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_gammaln(Tensor self) -> Tensor

    Alias for ``lgamma``.
    """

@overload
def hermite_polynomial_h(x: Tensor, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor

    Hermite's polynomial for the weight ``exp(-x**2)``.
    """

@overload
def hermite_polynomial_h(x: _Scalar, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor"""

@overload
def hermite_polynomial_h(x: Tensor, n: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor"""

@overload
def hermite_polynomial_he(x: Tensor, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_hermite_polynomial_he(Tensor x, Tensor n) -> Tensor

    Hermite's polynomial for the weight ``exp(-x**2 / 2)``.
    """

@overload
def hermite_polynomial_he(x: _Scalar, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor"""

@overload
def hermite_polynomial_he(x: Tensor, n: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor"""

def i0(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_i0(Tensor self) -> Tensor

    Alias for ``i0``.
    """

def i0e(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_i0e(Tensor self) -> Tensor

    Computes ``exp(-|x|) * i0(x)``.
    """

def i1(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_i1(Tensor self) -> Tensor

    Computes the modified Bessel function of the first kind of order 1.  NaN of infinities.
    """

def i1e(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_i1e(Tensor self) -> Tensor

    Computes ``exp(-|x|) * i1(x)``.
    """

@overload
def laguerre_polynomial_l(x: Tensor, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor

    Laguerre's polynomial.
    """

@overload
def laguerre_polynomial_l(x: _Scalar, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor"""

@overload
def laguerre_polynomial_l(x: Tensor, n: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor"""

@overload
def legendre_polynomial_p(x: Tensor, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_legendre_polynomial_p(Tensor x, Tensor n) -> Tensor

    Legendre's polynomial.
    """

@overload
def legendre_polynomial_p(x: _Scalar, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_legendre_polynomial_p.x_scalar(Scalar x, Tensor n) -> Tensor"""

@overload
def legendre_polynomial_p(x: Tensor, n: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """special_legendre_polynomial_p.n_scalar(Tensor x, Scalar n) -> Tensor"""

def log1p(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_log1p(Tensor self) -> Tensor

    Alias for ``log1p``.
    """

def log_ndtr(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_log_ndtr(Tensor self) -> Tensor

    Computes ``log(ndtr(x))``, also where ndtr(x) is 0.
    """

def log_softmax(input: Tensor, dim: _int, *, dtype: _dtype | None = ...) -> Tensor:
    """special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor

    Alias for ``log_softmax``.
    """

def logit(input: Tensor, eps: _float | None = ..., *, out: Tensor | None = ...) -> Tensor:
    """special_logit(Tensor self, float? eps=None) -> Tensor

    Alias for ``logit``.
    """

def logsumexp(
    input: Tensor, dim: Sequence[_int] | _int, keepdim: _bool = ..., *, out: Tensor | None = ...
) -> Tensor:
    """special_logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor

    Alias for ``logsumexp``.
    """

def modified_bessel_i0(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_modified_bessel_i0(Tensor self) -> Tensor

    Computes the modified Bessel function of the first kind of order 0.  Its results never require grad.
    """

def modified_bessel_i1(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_modified_bessel_i1(Tensor self) -> Tensor

    Computes the modified Bessel function of the first kind of order 1.  Its results never require grad.
    """

def modified_bessel_k0(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_modified_bessel_k0(Tensor self) -> Tensor

    Computes the modified Bessel function of the second kind of order 0.  Its results never require grad.
    """

def modified_bessel_k1(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_modified_bessel_k1(Tensor self) -> Tensor

    Computes the modified Bessel function of the second kind of order 1.  Its results never require grad.
    """

def multigammaln(input: Tensor, p: _int, *, out: Tensor | None = ...) -> Tensor:
    """special_multigammaln(Tensor self, int p) -> Tensor

    Alias for ``mvlgamma``.
    """

def ndtr(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_ndtr(Tensor self) -> Tensor

    Computes the distribution function of the standard normal distribution.
    """

def ndtri(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_ndtri(Tensor self) -> Tensor

    Computes the inverse of ndtr, the quantiles of the standard normal distribution: infinite at 0 and 1, NaN outside.
    """

def polygamma(n: _int, input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_polygamma(int n, Tensor self) -> Tensor

    Alias for ``polygamma``.
    """

def psi(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_psi(Tensor self) -> Tensor

    Alias for ``digamma``.
    """

def round(input: Tensor, *, decimals: _int = ..., out: Tensor | None = ...) -> Tensor:
    """special_round(Tensor self, *, int decimals=0) -> Tensor

    Alias for ``round``.
    """

def scaled_modified_bessel_k0(x: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_scaled_modified_bessel_k0(Tensor x) -> Tensor

    Computes ``exp(x) * modified_bessel_k0(x)``.  Its results never require grad.
    """

def scaled_modified_bessel_k1(x: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_scaled_modified_bessel_k1(Tensor x) -> Tensor

    Computes ``exp(x) * modified_bessel_k1(x)``.  Its results never require grad.
    """

@overload
def shifted_chebyshev_polynomial_t(x: Tensor, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor

    Chebyshev's polynomial of the first kind of ``2 * x - 1``.
    """

@overload
def shifted_chebyshev_polynomial_t(x: _Scalar, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_shifted_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor"""

@overload
def shifted_chebyshev_polynomial_t(x: Tensor, n: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor"""

@overload
def shifted_chebyshev_polynomial_u(x: Tensor, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_shifted_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor

    Chebyshev's polynomial of the second kind of ``2 * x - 1``.
    """

@overload
def shifted_chebyshev_polynomial_u(x: _Scalar, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_shifted_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor"""

@overload
def shifted_chebyshev_polynomial_u(x: Tensor, n: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """special_shifted_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor"""

@overload
def shifted_chebyshev_polynomial_v(x: Tensor, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor

    Chebyshev's polynomial of the third kind of ``2 * x - 1``.
    """

@overload
def shifted_chebyshev_polynomial_v(x: _Scalar, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor"""

@overload
def shifted_chebyshev_polynomial_v(x: Tensor, n: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor"""

@overload
def shifted_chebyshev_polynomial_w(x: Tensor, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_shifted_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor

    Chebyshev's polynomial of the fourth kind of ``2 * x - 1``.
    """

@overload
def shifted_chebyshev_polynomial_w(x: _Scalar, n: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_shifted_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor"""

@overload
def shifted_chebyshev_polynomial_w(x: Tensor, n: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """special_shifted_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor"""

def sinc(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_sinc(Tensor self) -> Tensor

    Alias for ``sinc``.
    """

def softmax(input: Tensor, dim: _int, dtype: _dtype | None = ...) -> Tensor:
    """special_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor

    Alias for ``softmax``.
    """

def spherical_bessel_j0(x: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """special_spherical_bessel_j0(Tensor x) -> Tensor

    Computes the spherical Bessel function of the first kind of order 0, ``sin(x) / x``.  Its results never require grad.
    """

def xlog1py(input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """special_xlog1py(Tensor self, Tensor other) -> Tensor

    Computes ``self * log1p(other)``; 0 if ``self`` is 0 and ``other`` is not NaN.
    """

def xlogy(input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """special_xlogy(Tensor self, Tensor other) -> Tensor

    Alias for ``xlogy``.
    """

def zeta(input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """special_zeta(Tensor self, Tensor other) -> Tensor

    Computes Hurwitz' zeta function, the sum of ``(other + k)**-self`` over k = 0, 1 …
    """
