"""The orthogonal polynomials of torch.special, by their recurrences, for float32.

In float64 the recurrences lose digits with the order.  So they are claimed for float32 only, and a call with
an order above 64, or whose numbers overflow on the way, is left to the reference.
"""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
from jax import lax

from .numbers import Array
from .programs import Family, refuse_if

family = Family()

_LAST = 64.0  # order
Step = Callable[[Array, Array, Array, Array], Array]  # of x, k, and the polynomials of the orders k - 1 and k


def _polynomial(name: str, first: Callable[[Array], Array], step: Step, at_infinity: float = 1.0) -> None:
    """``first``: that of order 1; ``at_infinity``: the sign of the leading coefficient of odd orders."""

    @family.elementwise(f"special_{name}", ("float32",))
    def polynomial(x: Array, n: Array) -> Array:
        """The order is truncated; below 0 the result is 0, as in PyTorch."""
        x, n = jnp.broadcast_arrays(x, n)
        order = jnp.where((n >= -(2.0**63)) & (n < 2.0**63), jnp.trunc(n), -1.0)
        is_finite = jnp.isfinite(x)
        refuse_if(is_finite & (order > _LAST))
        order = jnp.where(order > _LAST, jnp.fmod(order, 2.0) + 2, order)  # its parity is used for infinities
        argument = jnp.where(is_finite, x, 0.0)

        def advance(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
            k, before, value = state
            following = step(argument, k, before, value)
            is_open = k < order
            return k + 1, jnp.where(is_open, value, before), jnp.where(is_open, following, value)

        start = jnp.float64(1.0), jnp.ones_like(argument), first(argument)
        _, _, value = lax.while_loop(lambda state: state[0] < jnp.max(order), advance, start)
        refuse_if((order > 0) & ~jnp.isfinite(value))
        far = jnp.where(jnp.fmod(order, 2.0) == 0, jnp.inf, at_infinity * x)
        found = jnp.where(is_finite, value, jnp.where(x != x, jnp.nan, far))
        return jnp.where(order > 0, found, jnp.where(order == 0, 1.0, 0.0))


def _shifted(x: Array) -> Array:
    return 2 * x - 1


for _kind, _first in {
    "t": lambda x: x,
    "u": lambda x: 2 * x,
    "v": lambda x: 2 * x - 1,
    "w": lambda x: 2 * x + 1,
}.items():
    _polynomial(f"chebyshev_polynomial_{_kind}", _first, lambda x, k, before, value: 2 * x * value - before)
    _polynomial(
        f"shifted_chebyshev_polynomial_{_kind}",
        lambda x, first=_first: first(_shifted(x)),  # type: ignore[misc]
        lambda x, k, before, value: 2 * _shifted(x) * value - before,
    )
_polynomial(
    "hermite_polynomial_h", lambda x: 2 * x, lambda x, k, before, value: 2 * x * value - 2 * k * before
)
_polynomial("hermite_polynomial_he", lambda x: x, lambda x, k, before, value: x * value - k * before)
_polynomial(
    "laguerre_polynomial_l",
    lambda x: 1 - x,
    lambda x, k, before, value: ((2 * k + 1 - x) * value - k * before) / (k + 1),
    at_infinity=-1.0,
)
_polynomial(
    "legendre_polynomial_p",
    lambda x: x,
    lambda x, k, before, value: ((2 * k + 1) * x * value - k * before) / (k + 1),
)
