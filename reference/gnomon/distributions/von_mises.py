"""The von Mises distribution.  Source: torch/distributions/von_mises.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all, lazy_property

__all__ = ["VonMises"]

# Polynomials for the modified Bessel functions of order 0 and 1, with errors of at most 2e-7: in
# (x / 3.75)**2 up to 3.75, and in 3.75 / x above.  Abramowitz and Stegun, 9.8.1 to 9.8.4.
_SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
_LARGE = (
    (
        *(0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2),
        *(-0.2057706e-1, 0.2635537e-1, -0.1647633e-1, 0.392377e-2),
    ),
    (
        *(0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1),
        *(0.2282967e-1, -0.2895312e-1, 0.1787654e-1, -0.420059e-2),
    ),
)


def _eval_poly(y: gn.Tensor, coefficients: Sequence[float]) -> Any:
    """The polynomial in y, constant term first, by Horner's rule."""
    result: Any = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        result = coefficient + y * result
    return result


def _log_modified_bessel_fn(x: gn.Tensor, order: int = 0) -> gn.Tensor:
    """The logarithm of the modified Bessel function of order 0 or 1, of positive x."""
    if order not in (0, 1):
        raise AssertionError(f"order must be 0 or 1, got {order}")
    small = _eval_poly((x / 3.75) ** 2, _SMALL[order])
    if order == 1:
        small = x.abs() * small
    large = x - 0.5 * x.log() + _eval_poly(3.75 / x, _LARGE[order]).log()
    return gn.where(x < 3.75, small.log(), large)


def _rejection_sample(
    loc: gn.Tensor, concentration: gn.Tensor, proposal_r: gn.Tensor, shape: Sequence[int]
) -> gn.Tensor:
    """Samples by rejection from a wrapped Cauchy distribution.

    Source: Best and Fisher, "Efficient simulation of the von Mises distribution" (1979).
    """
    x = gn.empty(shape, dtype=loc.dtype, device=loc.device)
    done = gn.zeros(shape, dtype=gn.bool, device=loc.device)
    while not done.all():
        u1, u2, u3 = gn.rand((3, *shape), dtype=loc.dtype, device=loc.device).unbind()
        z = gn.cos(math.pi * u1)
        f = (1 + proposal_r * z) / (proposal_r + z)
        c = concentration * (proposal_r - f)
        accept = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
        x = gn.where(accept, (u3 - 0.5).sign() * f.acos(), x)
        done = done | accept
    return (x + math.pi + loc) % (2 * math.pi) - math.pi


class VonMises(Distribution):
    """Angles in radians, around ``loc``, with the density in proportion to
    ``exp(concentration * cos(x - loc))``.  Samples are in [-pi, pi), and drawn in float64.

    Source: torch.distributions.VonMises.
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(
        self, loc: gn.Tensor | float, concentration: gn.Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, gn.Size(), validate_args)

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        unnormalized = self.concentration * gn.cos(value - self.loc)
        return unnormalized - math.log(2 * math.pi) - _log_modified_bessel_fn(self.concentration, order=0)

    @lazy_property
    def _loc(self) -> gn.Tensor:
        return self.loc.to(gn.double)

    @lazy_property
    def _concentration(self) -> gn.Tensor:
        return self.concentration.to(gn.double)

    @lazy_property
    def _proposal_r(self) -> gn.Tensor:
        """The parameter of the wrapped Cauchy distribution."""
        kappa = self._concentration
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        # for small kappa, where rho cancels, its Taylor expansion
        return gn.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        with gn.no_grad():
            shape = self._extended_shape(sample_shape)
            samples = _rejection_sample(self._loc, self._concentration, self._proposal_r, shape)
            return samples.to(self.loc.dtype)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return type(self)(
            self.loc.expand(batch_shape),
            self.concentration.expand(batch_shape),
            validate_args=self.__dict__.get("_validate_args"),
        )

    @property
    def mean(self) -> gn.Tensor:
        """The circular mean."""
        return self.loc

    @property
    def mode(self) -> gn.Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> gn.Tensor:
        """The circular variance, 1 minus the mean of ``cos(x - loc)``."""
        order1 = _log_modified_bessel_fn(self.concentration, order=1)
        return 1 - (order1 - _log_modified_bessel_fn(self.concentration, order=0)).exp()
