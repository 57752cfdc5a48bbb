"""Benchmarks of special functions.  NumPy's peer is SciPy, where it has the function."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy

from .defining import K, on_tensors, ramp

# The name in ``special``, that in ``scipy.special`` if it has one, and the arguments' range.
OF_ONE = (
    ("airy_ai", None, -10, 10),
    ("bessel_j0", "j0", -20, 20),
    ("bessel_j1", "j1", -20, 20),
    ("bessel_y0", "y0", 0.1, 20),
    ("bessel_y1", "y1", 0.1, 20),
    ("modified_bessel_i0", "i0", -10, 10),
    ("modified_bessel_i1", "i1", -10, 10),
    ("modified_bessel_k0", "k0", 0.1, 10),
    ("modified_bessel_k1", "k1", 0.1, 10),
    ("scaled_modified_bessel_k0", "k0e", 0.1, 10),
    ("scaled_modified_bessel_k1", "k1e", 0.1, 10),
    ("spherical_bessel_j0", None, -20, 20),
    ("i0", "i0", -10, 10),
    ("i0e", "i0e", -10, 10),
    ("i1", "i1", -10, 10),
    ("i1e", "i1e", -10, 10),
    ("erf", "erf", -4, 4),
    ("erfc", "erfc", -4, 4),
    ("erfcx", "erfcx", -4, 10),
    ("erfinv", "erfinv", -0.99, 0.99),
    ("ndtr", "ndtr", -5, 5),
    ("ndtri", "ndtri", 0.01, 0.99),
    ("log_ndtr", "log_ndtr", -20, 5),
    ("digamma", "digamma", 0.1, 10),
    ("gammaln", "gammaln", -10, 10),
    ("entr", "entr", 0, 5),
    ("expit", "expit", -5, 5),
    ("exp2", "exp2", -5, 5),
    ("expm1", "expm1", -5, 5),
    ("log1p", "log1p", -0.9, 5),
    ("logit", "logit", 0.01, 0.99),
    ("sinc", None, -5, 5),
)
# The same, with the range of both arguments.
OF_TWO = (
    ("gammainc", "gammainc", 0.1, 10),
    ("gammaincc", "gammaincc", 0.1, 10),
    ("xlogy", "xlogy", 0.1, 10),
    ("xlog1py", "xlog1py", 0.1, 10),
    ("zeta", "zeta", 1.1, 10),
)
POLYNOMIALS = (
    ("chebyshev_polynomial_t", "eval_chebyt"),
    ("chebyshev_polynomial_u", "eval_chebyu"),
    ("chebyshev_polynomial_v", None),
    ("chebyshev_polynomial_w", None),
    ("shifted_chebyshev_polynomial_t", "eval_sh_chebyt"),
    ("hermite_polynomial_h", "eval_hermite"),
    ("hermite_polynomial_he", "eval_hermitenorm"),
    ("laguerre_polynomial_l", "eval_laguerre"),
    ("legendre_polynomial_p", "eval_legendre"),
)
HAS_SCIPY = find_spec("scipy") is not None


def _special(
    name: str,
    scipy_name: str | None,
    contents: Callable[[int], list[numpy.ndarray]],
    degrees: tuple[int, ...] = (),
) -> None:
    """``special.name`` of ``size`` elements each; of a polynomial, its degree too (SciPy's have it first)."""
    functions: dict[str, Callable[..., Any]] = {
        "torch": lambda module, *given: getattr(module.special, name)(*given, *degrees)
    }
    if HAS_SCIPY and scipy_name is not None:
        functions["numpy"] = lambda module, *given: getattr(
            importlib.import_module("scipy.special"), scipy_name
        )(*degrees, *given)
    on_tensors(
        name,
        "special",
        lambda size, dtype: [(each, dtype) for each in contents(size)],
        functions,
        axes={"size": (64 * K, 64), "dtype": ("float32", "float64")},
        elements=lambda size, dtype: 16 * size,
    )


def _between(low: float, high: float, count: int) -> Callable[[int], list[numpy.ndarray]]:
    return lambda size: list(ramp(count, size, low=low, high=high))


def define() -> None:
    """Define them, after those defined before."""
    for name, scipy_name, low, high in OF_ONE:
        _special(name, scipy_name, _between(low, high, 1))
    for name, scipy_name, low, high in OF_TWO:
        _special(name, scipy_name, _between(low, high, 2))
    for name, scipy_name in POLYNOMIALS:
        _special(name, scipy_name, _between(0, 1, 1), (5,))
