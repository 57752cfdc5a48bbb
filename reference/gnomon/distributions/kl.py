"""The Kullback-Leibler divergence: a registry of functions for pairs of distributions.

Source: torch/distributions/kl.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import inf
from typing import Any

import gnomon as gn
from gnomon.nn import functional as F
from gnomon.values.errors import warn

from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .continuous_bernoulli import ContinuousBernoulli
from .dirichlet import Dirichlet
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .gumbel import Gumbel
from .half_normal import HalfNormal
from .independent import Independent
from .laplace import Laplace
from .lowrank_multivariate_normal import (
    LowRankMultivariateNormal,
    _batch_lowrank_logdet,
    _batch_lowrank_mahalanobis,
)
from .multivariate_normal import MultivariateNormal, _batch_mahalanobis, _half_log_det
from .normal import Normal
from .one_hot_categorical import OneHotCategorical
from .pareto import Pareto
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .utils import _sum_rightmost, euler_constant

__all__ = ["kl_divergence", "register_kl"]

Divergence = Callable[[Any, Any], gn.Tensor]
Pair = tuple[type, type]

_KL_REGISTRY: dict[Pair, Divergence] = {}
_KL_MEMOIZE: dict[Pair, Any] = {}  # what _dispatch_kl found


def register_kl(type_p: type, type_q: type) -> Callable[[Divergence], Divergence]:
    """A decorator: registers a function of p and q as the divergence of two classes and their subclasses.

    If several registered pairs fit, the most specific is used; if that of p and that of q differ, the one
    that is most specific for p, with a RuntimeWarning.  Raises TypeError for anything but classes.

    Source: torch.distributions.kl.register_kl.
    """
    for name, each in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(each, type):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {each}")

    def decorator(function: Divergence) -> Divergence:
        _KL_REGISTRY[type_p, type_q] = function
        _KL_MEMOIZE.clear()
        return function

    return decorator


def _depths(type_p: type, type_q: type, pair: Pair) -> tuple[int, int]:
    """How far the classes of a registered pair are from those of p and q: 0 for the same class."""
    return type_p.__mro__.index(pair[0]), type_q.__mro__.index(pair[1])


def _dispatch_kl(type_p: type, type_q: type) -> Any:
    """The function for the most specific registered pair, or NotImplemented."""
    pairs = [pair for pair in _KL_REGISTRY if issubclass(type_p, pair[0]) and issubclass(type_q, pair[1])]
    if not pairs:
        return NotImplemented
    by_p = min(pairs, key=lambda pair: _depths(type_p, type_q, pair))
    by_q = min(pairs, key=lambda pair: _depths(type_p, type_q, pair)[::-1])
    if _KL_REGISTRY[by_p] is not _KL_REGISTRY[by_q]:
        warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
            f"Please register_kl({by_p[0].__name__}, {by_q[1].__name__})",
            RuntimeWarning,
        )
    return _KL_REGISTRY[by_p]


def kl_divergence(p: Distribution, q: Distribution) -> gn.Tensor:
    """``KL(p || q)``, the expectation under p of ``log p(x) - log q(x)``, of shape ``batch_shape``.

    Raises NotImplementedError if no function is registered for the pair.

    Source: torch.distributions.kl.kl_divergence.
    """
    pair = type(p), type(q)
    if pair not in _KL_MEMOIZE:
        _KL_MEMOIZE[pair] = _dispatch_kl(*pair)
    function = _KL_MEMOIZE[pair]
    if function is NotImplemented:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
        )
    return function(p, q)


# -- pairs of the same family ------------------------------------------------------------------------------


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(p: Any, q: Any) -> Any:
    of_1 = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    of_1 = of_1.masked_fill(q.probs == 0, inf).masked_fill(p.probs == 0, 0)
    of_0 = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
    of_0 = of_0.masked_fill(q.probs == 1, inf).masked_fill(p.probs == 1, 0)
    return of_1 + of_0


@register_kl(Beta, Beta)
def _kl_beta_beta(p: Any, q: Any) -> Any:
    total_p = p.concentration1 + p.concentration0
    total_q = q.concentration1 + q.concentration0
    log_normalizer_q = q.concentration1.lgamma() + q.concentration0.lgamma() - total_q.lgamma()
    log_normalizer_p = p.concentration1.lgamma() + p.concentration0.lgamma() - total_p.lgamma()
    return (
        log_normalizer_q
        - log_normalizer_p
        + (p.concentration1 - q.concentration1) * gn.digamma(p.concentration1)
        + (p.concentration0 - q.concentration0) * gn.digamma(p.concentration0)
        + (total_q - total_p) * gn.digamma(total_p)
    )


@register_kl(Binomial, Binomial)
def _kl_binomial_binomial(p: Any, q: Any) -> Any:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    of_trial = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return (p.total_count * of_trial).masked_fill(p.total_count > q.total_count, inf)


@register_kl(Categorical, Categorical)
def _kl_categorical_categorical(p: Any, q: Any) -> Any:
    terms = p.probs * (p.logits - q.logits)
    return terms.masked_fill(q.probs == 0, inf).masked_fill(p.probs == 0, 0).sum(-1)


@register_kl(Cauchy, Cauchy)
def _kl_cauchy_cauchy(p: Any, q: Any) -> Any:
    # Chyzak and Nielsen, "A closed-form formula for the Kullback-Leibler divergence between Cauchy
    # distributions" (2019)
    distance = (p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)
    return distance.log() - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _kl_continuous_bernoulli_continuous_bernoulli(p: Any, q: Any) -> Any:
    of_p = p._cont_bern_log_norm() + gn.log1p(-p.probs)
    of_q = q._cont_bern_log_norm() + gn.log1p(-q.probs)
    return p.mean * (p.logits - q.logits) + of_p - of_q


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(p: Any, q: Any) -> Any:
    # http://bariskurt.com/kullback-leibler-divergence-between-two-dirichlet-and-beta-distributions/
    total_p = p.concentration.sum(-1)
    of_totals = total_p.lgamma() - q.concentration.sum(-1).lgamma()
    of_components = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    mean_logarithm = p.concentration.digamma() - total_p.digamma().unsqueeze(-1)
    return of_totals - of_components + ((p.concentration - q.concentration) * mean_logarithm).sum(-1)


@register_kl(Exponential, Exponential)
def _kl_exponential_exponential(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p: Any, q: Any) -> Any:
    """The Bregman divergence of the log normalizer."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot"
            + " " * 28
            + "be computed using Bregman divergences"
        )
    of_p = [each.detach().requires_grad_() for each in p._natural_params]
    of_q = q._natural_params
    log_normalizer = p._log_normalizer(*of_p)
    gradients: Any = gn.autograd.grad(log_normalizer.sum(), of_p, create_graph=True)
    result = q._log_normalizer(*of_q) - log_normalizer
    for parameter_p, parameter_q, gradient in zip(of_p, of_q, gradients):
        result = result - _sum_rightmost((parameter_q - parameter_p) * gradient, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _kl_gamma_gamma(p: Any, q: Any) -> Any:
    return (
        q.concentration * (p.rate / q.rate).log()
        + gn.lgamma(q.concentration)
        - gn.lgamma(p.concentration)
        + (p.concentration - q.concentration) * gn.digamma(p.concentration)
        + (q.rate - p.rate) * (p.concentration / p.rate)
    )


@register_kl(Gumbel, Gumbel)
def _kl_gumbel_gumbel(p: Any, q: Any) -> Any:
    ratio = p.scale / q.scale
    difference = (p.loc - q.loc) / q.scale
    exponential = gn.exp((1 + ratio).lgamma() - difference)
    return difference - ratio.log() + ratio * euler_constant + exponential - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _kl_geometric_geometric(p: Any, q: Any) -> Any:
    return -p.entropy() - gn.log1p(-q.probs) / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _kl_halfnormal_halfnormal(p: Any, q: Any) -> Any:
    return _kl_normal_normal(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _kl_independent_independent(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Laplace, Laplace)
def _kl_laplace_laplace(p: Any, q: Any) -> Any:
    # http://www.mast.queensu.ca/~communications/Papers/gil-msc11.pdf
    ratio = p.scale / q.scale
    distance = (p.loc - q.loc).abs()
    return distance / q.scale - ratio.log() + ratio * gn.exp(-distance / p.scale) - 1


def _check_event_shapes(p: Any, q: Any, kind: str) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {kind} with{' ' * 25}different event shapes cannot be computed"
        )


def _sum_of_squares(matrix: Any) -> Any:
    """``trace(A @ A.mT)`` of matrices."""
    return matrix.pow(2).sum((-2, -1))


def _low_rank(q: Any) -> tuple[Any, Any]:
    return q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag


def _log_det(p: Any) -> Any:
    """The logarithm of the covariance's determinant, of both kinds of multivariate normal distributions."""
    if isinstance(p, LowRankMultivariateNormal):
        return _batch_lowrank_logdet(*_low_rank(p), p._capacitance_tril)
    return 2 * _half_log_det(p._unbroadcasted_scale_tril)


def _low_rank_solver(q: Any) -> Any:
    """A with ``inverse(D) - A.mT @ A`` the precision matrix of q, whose covariance has a low rank plus D."""
    W, D = _low_rank(q)
    return gn.linalg.solve_triangular(q._capacitance_tril, W.mT / D.unsqueeze(-2), upper=False)


def _kl_of_normals(p: Any, q: Any, trace: Any, distance: Any) -> Any:
    """``(trace + distance + log(det(S_q) / det(S_p)) - n) / 2``, with S the covariances.

    ``trace`` is that of ``S_q**-1 @ S_p``, and ``distance`` is ``d.mT @ S_q**-1 @ d``, with d the difference
    of the means.
    """
    return 0.5 * (_log_det(q) - _log_det(p) + trace + distance - p.event_shape[0])


def _low_rank_distance(p: Any, q: Any) -> Any:
    return _batch_lowrank_mahalanobis(*_low_rank(q), q.loc - p.loc, q._capacitance_tril)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _kl_lowrankmultivariatenormal_lowrankmultivariatenormal(p: Any, q: Any) -> Any:
    _check_event_shapes(p, q, "Low Rank Multivariate Normals")
    (W, D), D_q = _low_rank(p), q._unbroadcasted_cov_diag
    solver = _low_rank_solver(q)
    of_diagonal = (D / D_q).sum(-1) + _sum_of_squares(W * D_q.rsqrt().unsqueeze(-1))
    of_factor = _sum_of_squares(solver * D.sqrt().unsqueeze(-2)) + _sum_of_squares(solver @ W)
    return _kl_of_normals(p, q, of_diagonal - of_factor, _low_rank_distance(p, q))


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _kl_multivariatenormal_lowrankmultivariatenormal(p: Any, q: Any) -> Any:
    _check_event_shapes(p, q, "(Low Rank) Multivariate Normals")
    L, D_q = p._unbroadcasted_scale_tril, q._unbroadcasted_cov_diag
    trace = _sum_of_squares(L * D_q.rsqrt().unsqueeze(-1)) - _sum_of_squares(_low_rank_solver(q) @ L)
    return _kl_of_normals(p, q, trace, _low_rank_distance(p, q))


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _kl_lowrankmultivariatenormal_multivariatenormal(p: Any, q: Any) -> Any:
    _check_event_shapes(p, q, "(Low Rank) Multivariate Normals")
    L, (W, D) = q._unbroadcasted_scale_tril, _low_rank(p)
    of_factor = gn.linalg.solve_triangular(L, W, upper=False)
    of_diagonal = gn.linalg.solve_triangular(L, gn.diag_embed(D.sqrt()), upper=False)
    trace = _sum_of_squares(of_factor) + _sum_of_squares(of_diagonal)
    return _kl_of_normals(p, q, trace, _batch_mahalanobis(L, q.loc - p.loc))


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariatenormal_multivariatenormal(p: Any, q: Any) -> Any:
    _check_event_shapes(p, q, "Multivariate Normals")
    L = q._unbroadcasted_scale_tril
    trace = _sum_of_squares(gn.linalg.solve_triangular(L, p._unbroadcasted_scale_tril, upper=False))
    return _kl_of_normals(p, q, trace, _batch_mahalanobis(L, q.loc - p.loc))


@register_kl(Normal, Normal)
def _kl_normal_normal(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + distance - 1 - ratio.log())


@register_kl(OneHotCategorical, OneHotCategorical)
def _kl_onehotcategorical_onehotcategorical(p: Any, q: Any) -> Any:
    return _kl_categorical_categorical(p._categorical, q._categorical)


@register_kl(Pareto, Pareto)
def _kl_pareto_pareto(p: Any, q: Any) -> Any:
    # http://www.mast.queensu.ca/~communications/Papers/gil-msc11.pdf
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return result.masked_fill(p.support.lower_bound < q.support.lower_bound, inf)


@register_kl(Poisson, Poisson)
def _kl_poisson_poisson(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _kl_transformed_transformed(p: Any, q: Any) -> Any:
    """A bijection of both does not change the divergence."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Uniform, Uniform)
def _kl_uniform_uniform(p: Any, q: Any) -> Any:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), inf)


# -- pairs of different families ---------------------------------------------------------------------------


def _register_infinite(type_p: type, parameter: str, *types_q: type) -> None:
    """The divergence is infinite: p has mass outside the support of q.  ``parameter`` of p has its shape."""

    def infinite(p: Any, q: Any) -> Any:
        return gn.full_like(getattr(p, parameter), inf)

    for type_q in types_q:
        register_kl(type_p, type_q)(infinite)


_ON_UNIT_INTERVAL = (Beta, ContinuousBernoulli)
_register_infinite(Beta, "concentration1", Pareto)
_register_infinite(ContinuousBernoulli, "probs", Pareto)
_register_infinite(Exponential, "rate", *_ON_UNIT_INTERVAL, Pareto, Uniform)
_register_infinite(Gamma, "concentration", *_ON_UNIT_INTERVAL, Pareto, Uniform)
_register_infinite(Gumbel, "loc", *_ON_UNIT_INTERVAL, Exponential, Gamma, Pareto, Uniform)
_register_infinite(Laplace, "loc", *_ON_UNIT_INTERVAL, Exponential, Gamma, Pareto, Uniform)
_register_infinite(Normal, "loc", *_ON_UNIT_INTERVAL, Exponential, Gamma, Pareto, Uniform)
_register_infinite(Pareto, "scale", *_ON_UNIT_INTERVAL, Uniform)
_register_infinite(Poisson, "rate", Bernoulli, Binomial)


def _log_normalizer_of_gamma(q: Any) -> Any:
    return q.concentration.lgamma() - q.concentration * q.rate.log()


@register_kl(Bernoulli, Poisson)
def _kl_bernoulli_poisson(p: Any, q: Any) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _kl_beta_continuous_bernoulli(p: Any, q: Any) -> Any:
    return -p.entropy() - p.mean * q.logits - gn.log1p(-q.probs) - q._cont_bern_log_norm()


@register_kl(Beta, Exponential)
def _kl_beta_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(Beta, Gamma)
def _kl_beta_gamma(p: Any, q: Any) -> Any:
    mean_logarithm = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    return (
        -p.entropy() + _log_normalizer_of_gamma(q) - (q.concentration - 1) * mean_logarithm + q.rate * p.mean
    )


@register_kl(Beta, Normal)
def _kl_beta_normal(p: Any, q: Any) -> Any:
    variance = q.scale.pow(2)
    mean_square = p.variance + p.mean.pow(2)
    distance = mean_square * 0.5 - q.loc * p.mean + q.loc.pow(2) * 0.5
    return -p.entropy() + 0.5 * (variance * 2 * math.pi).log() + distance / variance


@register_kl(Beta, Uniform)
def _kl_beta_uniform(p: Any, q: Any) -> Any:
    result = -p.entropy() + (q.high - q.low).log()
    return result.masked_fill((q.low > p.support.lower_bound) | (q.high < p.support.upper_bound), inf)


@register_kl(ContinuousBernoulli, Exponential)
def _kl_continuous_bernoulli_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() - gn.log(q.rate) + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _kl_continuous_bernoulli_normal(p: Any, q: Any) -> Any:
    normalizer = 0.5 * (math.log(2.0 * math.pi) + gn.square(q.loc / q.scale)) + gn.log(q.scale)
    moments = p.variance + gn.square(p.mean) - 2.0 * q.loc * p.mean
    return -p.entropy() + normalizer + moments / (2.0 * gn.square(q.scale))


@register_kl(ContinuousBernoulli, Uniform)
def _kl_continuous_bernoulli_uniform(p: Any, q: Any) -> Any:
    result = -p.entropy() + (q.high - q.low).log()
    # as in PyTorch, also infinite where the supports are equal
    outside = (q.low >= p.support.lower_bound) | (q.high <= p.support.upper_bound)
    return result.masked_fill(outside, inf)


@register_kl(Exponential, Gamma)
def _kl_exponential_gamma(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return (
        -q.concentration * gn.log(ratio)
        + ratio
        + q.concentration.lgamma()
        + q.concentration * euler_constant
        - (1 + euler_constant)
    )


@register_kl(Exponential, Gumbel)
def _kl_exponential_gumbel(p: Any, q: Any) -> Any:
    product = p.rate * q.scale
    ratio = q.loc / q.scale
    return product.log() - 1 - ratio + gn.exp(ratio) * product / (product + 1) + product.reciprocal()


@register_kl(Exponential, Normal)
def _kl_exponential_normal(p: Any, q: Any) -> Any:
    variance, square = q.scale.pow(2), p.rate.pow(2)
    distance = square.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5
    return 0.5 * gn.log(square * variance * 2 * math.pi) - 1 + distance / variance


@register_kl(Gamma, Exponential)
def _kl_gamma_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _kl_gamma_gumbel(p: Any, q: Any) -> Any:
    product = p.rate * q.scale
    ratio = q.loc / q.scale
    of_p = (p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration
    of_mean = product.log() + p.concentration / product
    exponential = gn.exp(ratio) * (1 + product.reciprocal()).pow(-p.concentration)
    return of_p + of_mean + exponential - ratio


@register_kl(Gamma, Normal)
def _kl_gamma_normal(p: Any, q: Any) -> Any:
    variance, square = q.scale.pow(2), p.rate.pow(2)
    of_p = (p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration
    mean_square = (p.concentration.pow(2) + p.concentration) / square
    distance = 0.5 * mean_square - q.loc * p.concentration / p.rate + 0.5 * q.loc.pow(2)
    return 0.5 * gn.log(square * variance * 2 * math.pi) + of_p + distance / variance


@register_kl(Gumbel, Normal)
def _kl_gumbel_normal(p: Any, q: Any) -> Any:
    ratio = p.scale / q.scale
    of_scale = (math.pi * ratio * 0.5).pow(2) / 3
    of_loc = ((p.mean - q.loc) / q.scale).pow(2) * 0.5
    return of_scale + of_loc - (ratio / math.sqrt(2 * math.pi)).log() - (euler_constant + 1)


@register_kl(Laplace, Normal)
def _kl_laplace_normal(p: Any, q: Any) -> Any:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    distance = 0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)
    return ratio - 0.5 * gn.log(2 * ratio / math.pi) + distance / variance - 1


@register_kl(Normal, Gumbel)
def _kl_normal_gumbel(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    difference = (p.loc - q.loc) / q.scale
    exponential = gn.exp(-difference + 0.5 * ratio)
    return difference - ratio.log() * 0.5 + exponential - 0.5 * (1 + math.log(2 * math.pi))


@register_kl(Normal, Laplace)
def _kl_normal_laplace(p: Any, q: Any) -> Any:
    difference = p.loc - q.loc
    ratio = difference / p.scale
    inside = math.sqrt(2 / math.pi) * p.scale * gn.exp(-0.5 * ratio.pow(2))
    outside = difference * gn.erf(math.sqrt(0.5) * ratio)
    constant = 0.5 * (1 + math.log(0.5 * math.pi))
    return (inside + outside) / q.scale - gn.log(p.scale / q.scale) - constant


@register_kl(Pareto, Exponential)
def _kl_pareto_exponential(p: Any, q: Any) -> Any:
    product = p.scale * q.rate
    result = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    return result.masked_fill(p.alpha <= 1, inf)


@register_kl(Pareto, Gamma)
def _kl_pareto_gamma(p: Any, q: Any) -> Any:
    mean_logarithm = p.scale.log() + p.alpha.reciprocal()
    result = (
        p.alpha.log()
        - mean_logarithm
        + _log_normalizer_of_gamma(q)
        + (1 - q.concentration) * mean_logarithm
        + q.rate * p.alpha * p.scale / (p.alpha - 1)
        - 1
    )
    return result.masked_fill(p.alpha <= 1, inf)


@register_kl(Pareto, Normal)
def _kl_pareto_normal(p: Any, q: Any) -> Any:
    ratio = p.scale / (p.alpha - 1)
    variance = p.alpha * ratio.pow(2) / (p.alpha - 2)
    distance = (variance + (p.alpha * ratio - q.loc).pow(2)) / (2 * q.scale.pow(2))
    normalizer = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log()
    return (normalizer - p.alpha.reciprocal() + distance - 1).masked_fill(p.alpha <= 2, inf)


def _mean_logarithm(low: Any, high: Any) -> Any:
    """The mean of ``log(x)`` of a uniform x."""
    width = high - low
    return (gn.xlogy(high, high) - gn.xlogy(low, low) - width) / width


@register_kl(Uniform, Beta)
def _kl_uniform_beta(p: Any, q: Any) -> Any:
    total = q.concentration1 + q.concentration0
    result = (
        q.concentration1.lgamma()
        + q.concentration0.lgamma()
        - total.lgamma()
        - gn.log(p.high - p.low)
        - (q.concentration1 - 1) * _mean_logarithm(p.low, p.high)
        - (q.concentration0 - 1) * _mean_logarithm(1 - p.high, 1 - p.low)
    )
    return result.masked_fill((p.high > q.support.upper_bound) | (p.low < q.support.lower_bound), inf)


@register_kl(Uniform, ContinuousBernoulli)
def _kl_uniform_continuous_bernoulli(p: Any, q: Any) -> Any:
    result = -p.entropy() - p.mean * q.logits - gn.log1p(-q.probs) - q._cont_bern_log_norm()
    # as in PyTorch, also infinite where the supports are equal
    return result.masked_fill((p.high >= q.support.upper_bound) | (p.low <= q.support.lower_bound), inf)


@register_kl(Uniform, Exponential)
def _kl_uniform_exponential(p: Any, q: Any) -> Any:
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return result.masked_fill(p.low < q.support.lower_bound, inf)


@register_kl(Uniform, Gamma)
def _kl_uniform_gamma(p: Any, q: Any) -> Any:
    result = (
        -(p.high - p.low).log()
        + _log_normalizer_of_gamma(q)
        + (1 - q.concentration) * _mean_logarithm(p.low, p.high)
        + q.rate * (p.high + p.low) / 2
    )
    return result.masked_fill(p.low < q.support.lower_bound, inf)


@register_kl(Uniform, Gumbel)
def _kl_uniform_gumbel(p: Any, q: Any) -> Any:
    ratio = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return ratio.log() + 0.5 * (high + low) - ratio * (gn.exp(-high) - gn.exp(-low))


@register_kl(Uniform, Normal)
def _kl_uniform_normal(p: Any, q: Any) -> Any:
    width = p.high - p.low
    distance = width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return (math.sqrt(math.pi * 2) * q.scale / width).log() + 0.5 * distance / q.scale.pow(2)


@register_kl(Uniform, Pareto)
def _kl_uniform_pareto(p: Any, q: Any) -> Any:
    normalizer = (q.alpha * q.scale.pow(q.alpha) * (p.high - p.low)).log()
    result = _mean_logarithm(p.low, p.high) * (q.alpha + 1) - normalizer
    return result.masked_fill(p.low < q.support.lower_bound, inf)


def _add_kl_info() -> None:
    """Names the pairs in the docstring of kl_divergence."""
    pairs = sorted((p.__name__, q.__name__) for p, q in _KL_REGISTRY)
    rows = "".join(f"\n    * {p} and {q}" for p, q in pairs)
    if kl_divergence.__doc__ is not None:  # python -OO removes it
        kl_divergence.__doc__ += f"\n\n    It is implemented for these pairs:\n{rows}\n"


_add_kl_info()
