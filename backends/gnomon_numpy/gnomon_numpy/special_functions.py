"""The operators of torch.special: the reference's functions of numbers, element by element."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gnomon.numerics import special_functions

from .arrays import WIDE, Array
from .families import FLOATS, Family, Names

family = Family()

PRECISE: Names = ("float32", "float64")


def _each(function: Callable[..., float]) -> Callable[..., Array]:
    """``function`` of the elements of arrays."""
    return np.vectorize(function, otypes=[np.float64])


def _table(names: str, prefix: str = "special_") -> dict[str, Callable[..., Array]]:
    return {f"{prefix}{name}": _each(getattr(special_functions, name)) for name in names.split()}


family.elementwise_table(_table("i0", prefix=""), FLOATS, WIDE)
family.elementwise_table(_table("i0e i1 i1e entr ndtr xlog1py"), FLOATS, WIDE)
family.elementwise_table(
    {f"special_modified_bessel_i{order}": _each(getattr(special_functions, f"i{order}")) for order in (0, 1)},
    PRECISE,
    WIDE,
)
family.elementwise_table(
    _table(
        "modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1 bessel_j0 "
        "bessel_j1 bessel_y0 bessel_y1 spherical_bessel_j0 airy_ai erfcx log_ndtr ndtri zeta "
        "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w "
        "shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v "
        "shifted_chebyshev_polynomial_w hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l "
        "legendre_polynomial_p"
    ),
    PRECISE,
    WIDE,
)
