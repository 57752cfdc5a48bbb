"""Distributions without PyTorch: formulas, samples, gradients of samples, shapes, and errors."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest

import gnomon as gn
from gnomon import distributions as D

pytestmark = pytest.mark.filterwarnings("ignore:.*falling back to the reference")


def close(found: gn.Tensor, expected: Any, tolerance: float = 1e-9) -> None:
    expected = gn.tensor(expected, dtype=found.dtype)
    assert found.shape == expected.shape
    assert gn.allclose(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True), (found, expected)


def f64(*values: Any) -> gn.Tensor:
    return gn.tensor(values, dtype=gn.float64)


# Each with a value of its support and the density or mass there.
DENSITIES = [
    (lambda: D.Normal(f64(1.0), 2.0), 2.0, math.exp(-0.125) / (2 * math.sqrt(2 * math.pi))),
    (lambda: D.Bernoulli(f64(0.3)), 1.0, 0.3),
    (lambda: D.Binomial(5, f64(0.3)), 2.0, 10 * 0.3**2 * 0.7**3),
    (lambda: D.Poisson(f64(2.0)), 3.0, math.exp(-2.0) * 8 / 6),
    (lambda: D.Geometric(f64(0.3)), 2.0, 0.7**2 * 0.3),
    (lambda: D.NegativeBinomial(3, f64(0.4)), 2.0, 6 * 0.6**3 * 0.4**2),
    (lambda: D.Exponential(f64(2.0)), 0.5, 2 * math.exp(-1)),
    (lambda: D.Gamma(f64(3.0), 2.0), 0.5, 8 / 2 * 0.25 * math.exp(-1)),
    (lambda: D.InverseGamma(f64(3.0), 2.0), 0.5, 8 / 2 * 0.5**-4 * math.exp(-4)),
    (lambda: D.Chi2(f64(4.0)), 2.0, 0.5 * math.exp(-1)),
    (lambda: D.Beta(f64(2.0), 3.0), 0.25, 12 * 0.25 * 0.75**2),
    (lambda: D.Kumaraswamy(f64(2.0), 3.0), 0.5, 2 * 3 * 0.5 * 0.75**2),
    (lambda: D.Cauchy(f64(1.0), 2.0), 3.0, 1 / (math.pi * 2 * 2)),
    (lambda: D.HalfCauchy(f64(2.0)), 2.0, 2 / (math.pi * 2 * 2)),
    (lambda: D.HalfNormal(f64(2.0)), 2.0, 2 * math.exp(-0.5) / (2 * math.sqrt(2 * math.pi))),
    (lambda: D.Laplace(f64(1.0), 2.0), 3.0, math.exp(-1) / 4),
    (lambda: D.Gumbel(f64(1.0), 2.0), 1.0, math.exp(-1) / 2),
    (lambda: D.LogNormal(f64(0.0), 1.0), math.e, math.exp(-0.5) / (math.e * math.sqrt(2 * math.pi))),
    (lambda: D.Pareto(f64(1.0), 3.0), 2.0, 3 / 16),
    (lambda: D.Weibull(f64(2.0), 3.0), 2.0, 1.5 * math.exp(-1)),
    (lambda: D.Uniform(f64(1.0), 3.0), 2.0, 0.5),
    (lambda: D.StudentT(f64(3.0)), 0.0, 2 / (math.pi * math.sqrt(3))),
    (lambda: D.FisherSnedecor(f64(2.0), 4.0), 1.0, (1 + 0.5) ** -3),
    (lambda: D.GeneralizedPareto(f64(0.0), 1.0, 0.5), 2.0, 2.0**-3),
    (lambda: D.ContinuousBernoulli(f64(0.25)), 0.5, math.log(3) / 0.5 * math.sqrt(0.25 * 0.75)),
]


@pytest.mark.parametrize(("make", "value", "density"), DENSITIES)
def test_log_prob_is_the_formula(make: Any, value: float, density: float) -> None:
    close(make().log_prob(f64(value)), [math.log(density)])


def test_log_prob_of_vectors_and_matrices() -> None:
    probs = gn.tensor([0.2, 0.3, 0.5], dtype=gn.float64)
    close(D.Categorical(probs).log_prob(gn.tensor([0, 2])), [math.log(0.2), math.log(0.5)])
    close(D.OneHotCategorical(probs).log_prob(f64(0.0, 1.0, 0.0)), math.log(0.3))
    close(D.Multinomial(3, probs).log_prob(f64(1.0, 0.0, 2.0)), math.log(3 * 0.2 * 0.25))
    close(D.Dirichlet(f64(1.0, 2.0, 1.0)).log_prob(f64(0.2, 0.3, 0.5)), math.log(6 * 0.3))
    covariance = f64([2.0, 0.5], [0.5, 1.0])
    expected = -0.5 * (2 * math.log(2 * math.pi) + math.log(1.75) + 2 / 1.75)
    loc = f64(0.0, 0.0)
    for given in (
        {"covariance_matrix": covariance},
        {"precision_matrix": covariance.inverse()},
        {"scale_tril": gn.linalg.cholesky(covariance)},
    ):
        normal = D.MultivariateNormal(loc, **given)
        close(normal.log_prob(f64(0.0, 1.0)), expected)
        close(normal.covariance_matrix, covariance.tolist())
    low_rank = D.LowRankMultivariateNormal(loc, f64([1.0], [0.5]), f64(1.0, 0.75))
    close(low_rank.log_prob(f64(0.0, 1.0)), expected)
    close(low_rank.precision_matrix, covariance.inverse().tolist())
    # one dimension: a gamma distribution
    wishart = D.Wishart(3.0, f64([2.0]))
    close(wishart.log_prob(f64([1.5])), D.Gamma(f64(1.5), 0.25).log_prob(f64(1.5)).item())
    # of 2 x 2 matrices with a concentration of 1, the correlation is uniform
    close(D.LKJCholesky(2, f64(1.0)).log_prob(f64([1.0, 0.0], [0.6, 0.8])), [math.log(0.5 / 1.0)])


SAMPLED = [
    lambda: D.Bernoulli(gn.tensor([0.2, 0.7])),
    lambda: D.Beta(gn.tensor([0.5, 3.0]), gn.tensor([1.5, 2.0])),
    lambda: D.Binomial(gn.tensor([4.0, 60.0]), gn.tensor([0.7, 0.4])),
    lambda: D.Chi2(gn.tensor([1.0, 5.0])),
    lambda: D.ContinuousBernoulli(gn.tensor([0.2, 0.7])),
    lambda: D.Dirichlet(gn.tensor([0.5, 2.0, 4.0])),
    lambda: D.Exponential(gn.tensor([0.5, 2.0])),
    lambda: D.FisherSnedecor(gn.tensor([3.0]), gn.tensor([20.0])),
    lambda: D.Gamma(gn.tensor([0.5, 20.0]), gn.tensor([1.5, 2.0])),
    lambda: D.GeneralizedPareto(gn.tensor([0.5]), 1.0, -0.3),
    lambda: D.Geometric(gn.tensor([0.3, 0.8])),
    lambda: D.Gumbel(gn.tensor([0.5]), 2.0),
    lambda: D.HalfNormal(gn.tensor([0.5])),
    lambda: D.InverseGamma(gn.tensor([7.0]), 2.0),
    lambda: D.Kumaraswamy(gn.tensor([2.0]), 3.0),
    lambda: D.Laplace(gn.tensor([2.0]), 3.0),
    lambda: D.LogNormal(gn.tensor([0.2]), 0.3),
    lambda: D.LowRankMultivariateNormal(
        gn.tensor([0.0, 1.0]), gn.tensor([[1.0], [0.5]]), gn.tensor([0.5, 1.0])
    ),
    lambda: D.MixtureSameFamily(D.Categorical(gn.tensor([0.3, 0.7])), D.Normal(gn.tensor([0.0, 2.0]), 0.5)),
    lambda: D.Multinomial(5, gn.tensor([0.3, 0.2, 0.5])),
    lambda: D.MultivariateNormal(gn.tensor([0.0, 1.0]), gn.tensor([[1.0, 0.5], [0.5, 2.0]])),
    lambda: D.NegativeBinomial(3.0, gn.tensor([0.4])),
    lambda: D.Normal(gn.tensor([0.5]), 2.0),
    lambda: D.OneHotCategorical(gn.tensor([0.3, 0.2, 0.5])),
    lambda: D.Pareto(gn.tensor([0.5]), 6.0),
    lambda: D.Poisson(gn.tensor([0.5, 30.0])),
    lambda: D.StudentT(gn.tensor([8.0]), 1.0, 2.0),
    lambda: D.Uniform(gn.tensor([0.5]), 2.0),
    lambda: D.Weibull(gn.tensor([0.5]), 2.0),
    lambda: D.Wishart(4.0, gn.tensor([[1.0, 0.5], [0.5, 2.0]])),
]
COUNT = 1500


@pytest.mark.parametrize("make", SAMPLED)
def test_samples_have_the_mean_and_the_variance(make: Any) -> None:
    gn.manual_seed(1)
    distribution = make()
    samples = distribution.sample((COUNT,))
    assert samples.shape == (COUNT, *distribution.batch_shape, *distribution.event_shape)
    assert not samples.requires_grad and distribution.support.check(samples).all()
    mean, variance = distribution.mean, distribution.variance
    assert ((samples.mean(0) - mean).abs() < 5 * (variance / COUNT).sqrt()).all()
    assert ((samples.var(0) - variance).abs() < 0.25 * variance).all()


def test_samples_of_angles_categories_and_correlations() -> None:
    gn.manual_seed(0)
    angles = D.VonMises(gn.tensor([1.0]), gn.tensor([2.0])).sample((COUNT,))
    assert ((-math.pi <= angles) & (angles < math.pi)).all()
    assert abs((angles - 1).cos().mean().item() - 0.69777) < 0.05  # the ratio of Bessel functions at 2
    categories = D.Categorical(gn.tensor([[0.2, 0.8], [0.9, 0.1]])).sample((COUNT,))
    assert categories.dtype is gn.int64 and categories.shape == (COUNT, 2)
    assert (categories.float().mean(0) - gn.tensor([0.8, 0.1])).abs().max().item() < 0.04
    lkj = D.LKJCholesky(3, 2.0)
    factors = lkj.sample((COUNT,))
    assert lkj.support.check(factors).all() and factors.shape == (COUNT, 3, 3)
    correlations = (factors @ factors.mT)[:, 2, 1]
    assert abs(correlations.mean().item()) < 0.05 and abs(correlations.var().item() - 1 / 6) < 0.03
    relaxed = D.RelaxedBernoulli(gn.tensor([0.5]), gn.tensor([0.7])).rsample((COUNT,))
    assert abs((relaxed > 0.5).float().mean().item() - 0.7) < 0.03
    relaxed = D.RelaxedOneHotCategorical(gn.tensor([0.5]), gn.tensor([0.7, 0.3])).rsample((COUNT,))
    assert abs((relaxed[:, 0] > 0.5).float().mean().item() - 0.7) < 0.03
    assert (relaxed.sum(-1) - 1).abs().max().item() < 1e-5


REPARAMETRIZED = [
    (lambda a, b: D.Normal(a, b), 2),
    (lambda a, b: D.Laplace(a, b), 2),
    (lambda a, b: D.Gumbel(a, b), 2),
    (lambda a, b: D.Cauchy(a, b), 2),
    (lambda a, b: D.Uniform(a, a + b), 2),
    (lambda a, b: D.Exponential(a), 1),
    (lambda a, b: D.Weibull(a, b), 2),
    (lambda a, b: D.Pareto(a, b), 2),
    (lambda a, b: D.Kumaraswamy(a, b), 2),
    (lambda a, b: D.LogNormal(a, b), 2),
    (lambda a, b: D.ContinuousBernoulli(logits=a), 1),
    (lambda a, b: D.LogisticNormal(a, b), 2),
    (lambda a, b: D.MultivariateNormal(a, scale_tril=b.diag_embed()), 2),
]


@pytest.mark.parametrize(("make", "count"), REPARAMETRIZED)
def test_gradients_of_samples(make: Any, count: int) -> None:
    def sampled(*parameters: gn.Tensor) -> gn.Tensor:
        gn.manual_seed(3)
        return make(*parameters, *[None] * (2 - count)).rsample((2,))

    inputs = [f64(0.7, 1.3).requires_grad_(), f64(1.1, 0.4).requires_grad_()][:count]
    assert gn.autograd.gradcheck(sampled, inputs)


def test_implicit_gradients_of_gamma_samples() -> None:
    """x(a) is defined by igamma(a, x) = constant, which finite differences of igamma differentiate."""
    step = 1e-5
    for a, x in (
        (0.05, 1e-4),
        (0.3, 0.5),
        (1.0, 0.1),
        (2.5, 4.0),
        (9.0, 6.0),
        (70.0, 80.0),
        (1000.0, 1000.2),
    ):
        probability = [gn.igamma(f64(each), f64(x)).item() for each in (a - step * a, a + step * a)]
        by_a = (probability[1] - probability[0]) / (2 * step * a)
        density = D.Gamma(f64(a), 1.0).log_prob(f64(x)).exp().item()
        found = gn.ops.aten._standard_gamma_grad(f64(a), f64(x)).item()
        assert math.isclose(found, -by_a / density, rel_tol=1e-6)
    assert gn.ops.aten._standard_gamma_grad(f64(1.0), f64(2.0)).item() > 0
    for device in ("reference", "c") if gn.backends()["c"].available else ("reference",):
        smallest = f64(2.0**-1022).to(device)  # where the sum overflows before it is multiplied by the step
        found = gn.ops.aten._standard_gamma_grad(smallest, f64(1.65).to(device)).item()
        assert math.isclose(found, 3.0985435528569843e307, rel_tol=1e-14)


def test_implicit_gradients_of_beta_samples() -> None:
    """For concentrations of 1 the cdfs have closed forms: x**a, and 1 - (1 - x)**b."""
    grad = gn.ops.aten._dirichlet_grad
    for a in (0.1, 1.0, 3.0, 80.0):
        for x in (0.05, 0.5, 0.97):
            found = grad(f64(x), f64(a), f64(a + 1)).item() * (1 - x)
            assert math.isclose(found, -x * math.log(x) / a, rel_tol=1e-9)
            # moving the other concentration: 1 - x is a sample of Beta(b, 1)
            found = grad(f64(1 - x), f64(a), f64(a + 1)).item() * x
            assert math.isclose(found, -(1 - x) * math.log(1 - x) / a, rel_tol=1e-9)
    concentration = f64(0.7, 2.0, 1.5).requires_grad_()
    sample = D.Dirichlet(concentration).rsample()
    (gradient,) = gn.autograd.grad(sample.sum(), concentration, retain_graph=True)
    assert gradient.abs().max().item() < 1e-12  # the components sum to 1
    for i in range(3):
        (gradient,) = gn.autograd.grad(sample[i], concentration, retain_graph=True)
        assert gradient[i].item() > 0 and (gradient < 0).sum().item() == 2


def test_incomplete_gamma_functions() -> None:
    x = f64(0.1, 1.0, 5.0, 30.0)
    close(gn.igamma(gn.ones_like(x), x), (1 - (-x).exp()).tolist(), 1e-13)
    close(gn.igammac(gn.ones_like(x), x), (-x).exp().tolist(), 1e-13)
    close(gn.igamma(f64(0.5), f64(2.0)), [math.erf(math.sqrt(2.0))], 1e-13)
    close(gn.igamma(f64(500.0), f64(500.0)), [0.5059471460854689], 1e-9)
    close(gn.igamma(f64(-1.0, 0.0, 1.0), f64(1.0, 0.0, math.inf)), [math.nan, math.nan, 1.0])
    assert gn.ops.aten.special_gammainc(x, x).tolist() == gn.igamma(x, x).tolist()
    a = f64(0.5, 2.0, 7.0)
    x = f64(1.0, 0.3, 9.0).requires_grad_()
    assert gn.autograd.gradcheck(lambda x: gn.igamma(a, x), [x])
    with pytest.raises(NotImplementedError, match="the derivative for 'igamma: input' is not implemented"):
        gn.igamma(a.requires_grad_(), x).sum().backward()
    close(gn.mvlgamma(f64(3.0), 2), [0.5 * math.log(math.pi) + math.lgamma(3) + math.lgamma(2.5)])
    assert gn.tensor([3.0]).mvlgamma_(1).tolist() == gn.lgamma(gn.tensor([3.0])).tolist()
    with pytest.raises(RuntimeError, match="p has to be greater than or equal to 1"):
        gn.mvlgamma(f64(3.0), 0)


def test_random_numbers_at_the_ends_of_their_parameters() -> None:
    aten = gn.ops.aten
    smallest = gn.finfo(gn.float32).tiny
    found = aten._standard_gamma(gn.tensor([0.0, -1.0, math.nan, math.inf]))
    close(found, [smallest, math.nan, math.nan, math.inf])
    found = gn.binomial(gn.tensor([-1.0, 5.0, 5.0, math.nan, 5.0]), gn.tensor([0.5, 0.0, 1.5, 0.5, math.nan]))
    close(found, [0.0, 0.0, 5.0, math.nan, math.nan])
    assert gn.binomial(gn.full((3, 2), 4.0), gn.tensor([0.0, 1.0])).tolist() == [[0.0, 4.0]] * 3
    for call in (aten._standard_gamma, aten._sample_dirichlet):
        with pytest.raises(NotImplementedError, match="int64"):
            call(gn.tensor([1]))
    with pytest.raises(RuntimeError, match="Found dtype float64 but expected float32"):
        gn.binomial(gn.tensor([4.0]), f64(0.5))
    shares = aten._sample_dirichlet(gn.tensor([[1e-4, 1e-4], [2.0, 3.0]]))
    assert ((shares > 0) & (shares < 1)).all()
    gn.manual_seed(5)
    first = aten._standard_gamma(gn.ones(3)), gn.binomial(gn.full((3,), 40.0), gn.tensor(0.4))
    gn.manual_seed(5)
    second = aten._standard_gamma(gn.ones(3)), gn.binomial(gn.full((3,), 40.0), gn.tensor(0.4))
    assert [each.tolist() for each in first] == [each.tolist() for each in second]


def test_entropies_of_exponential_families_follow_from_the_log_normalizer() -> None:
    for distribution in (D.Normal(f64(1.0), 2.0), D.Exponential(f64(2.0)), D.Bernoulli(f64(0.3))):
        found = D.ExponentialFamily.entropy(distribution)
        close(found, distribution.entropy().tolist())


def test_errors_name_the_parameter_or_the_value() -> None:
    with pytest.raises(ValueError) as info:
        D.Normal(0.0, -1.0)
    assert str(info.value) == (
        "Expected parameter scale (Tensor of shape ()) of distribution Normal(loc: 0.0, scale: -1.0) to "
        "satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:\n-1.0"
    )
    D.Normal(0.0, -1.0, validate_args=False)
    with pytest.raises(ValueError) as info:
        D.Bernoulli(0.5).log_prob(gn.tensor([0.0, 2.0]))
    assert str(info.value) == (
        "Expected value argument (Tensor of shape (2,)) to be within the support (Boolean()) of the "
        "distribution Bernoulli(probs: 0.5), but found invalid values:\ntensor([0., 2.])"
    )
    texts = [
        (
            lambda: D.Normal(gn.zeros(2), 1.0).log_prob(gn.zeros(3)),
            r"not broadcastable with batch_shape\+event_shape",
        ),
        (
            lambda: D.Dirichlet(gn.ones(2)).log_prob(gn.ones(3) / 3),
            "right-most size of value must match event_shape",
        ),
        (lambda: D.Normal(0.0, 1.0).log_prob(1.0), "The value argument to log_prob must be a Tensor"),
        (lambda: D.Bernoulli(), "Either `probs` or `logits` must be specified, but not both."),
        (lambda: D.Categorical(gn.tensor(0.5)), "`probs` parameter must be at least one-dimensional"),
        (lambda: D.Normal("a", 1.0), "Input arguments must all be instances of Number, gnomon.Tensor"),
        (lambda: D.LKJCholesky(1), "Expected dim to be an integer greater than or equal to 2. Found dim=1."),
        (lambda: D.Independent(D.Normal(0.0, 1.0), 1), "Expected reinterpreted_batch_ndims"),
        (lambda: D.MultivariateNormal(gn.zeros(2)), "Exactly one of covariance_matrix or precision_matrix"),
        (
            lambda: D.MultivariateNormal(gn.zeros(2), gn.ones(2)),
            "covariance_matrix must be at least two-dimen",
        ),
        (lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), 1), "transforms must be a Transform or list"),
        (lambda: D.Geometric(gn.tensor([0.0])), "to be positive but found invalid values"),
        (lambda: D.Wishart(1.0, gn.eye(2)), "Value of df=1.0 expected to be greater than ndim - 1 = 1."),
    ]
    for call, text in texts:
        with pytest.raises(ValueError, match=text):
            call()
    with pytest.raises(NotImplementedError, match="Inhomogeneous total count not supported by `entropy`"):
        D.Binomial(gn.tensor([2.0, 3.0]), gn.tensor(0.5)).entropy()
    with pytest.raises(NotImplementedError, match="does not implement mode"):
        D.LogisticNormal(gn.zeros(2), 1.0).mode  # noqa: B018
    with pytest.raises(NotImplementedError, match=r"must also define a custom \.expand"):

        class Custom(D.Normal):
            def __init__(self) -> None:
                super().__init__(0.0, 1.0)

        Custom().expand((2,))


def test_shapes_and_expansion() -> None:
    normal = D.Normal(gn.zeros(3, 1), gn.ones(2))
    assert (
        normal.batch_shape == (3, 2) and normal.event_shape == () and isinstance(normal.batch_shape, gn.Size)
    )
    assert normal.rsample((4,)).shape == (4, 3, 2)
    wide = normal.expand((5, 3, 2))
    assert type(wide) is D.Normal and wide.loc.shape == (5, 3, 2) and wide.loc.stride()[0] == 0
    independent = D.Independent(normal, 1)
    assert (independent.batch_shape, independent.event_shape) == ((3,), (2,))
    assert independent.log_prob(gn.zeros(2)).shape == (3,) and repr(independent) == (
        "Independent(Normal(loc: gnomon.Size([3, 2]), scale: gnomon.Size([3, 2])), 1)"
    )
    assert D.Normal(0.0, 1.0).batch_shape == ()
    assert D.Categorical(gn.ones(4, 3)).enumerate_support().shape == (3, 4)
    assert D.Categorical(gn.ones(4, 3)).enumerate_support(expand=False).shape == (3, 1)
    with pytest.warns(FutureWarning, match="sample_n"):
        assert normal.sample_n(2).shape == (2, 3, 2)


def test_lazy_parameters_are_computed_once_and_keep_gradients() -> None:
    probs = gn.tensor([0.2, 0.6], requires_grad=True)
    bernoulli = D.Bernoulli(probs)
    assert "logits" not in vars(bernoulli)
    with gn.no_grad():
        logits = bernoulli.logits
    assert logits.requires_grad and bernoulli.logits is logits
    assert isinstance(D.Bernoulli.logits, property)


def test_validation_can_be_switched_off() -> None:
    assert D.Distribution._validate_args is True
    D.Distribution.set_default_validate_args(False)
    try:
        D.Normal(0.0, -1.0)
    finally:
        D.Distribution.set_default_validate_args(True)
    with pytest.raises(ValueError):
        D.Distribution.set_default_validate_args(2)  # type: ignore[arg-type]

    class Without(D.Distribution):
        pass

    with pytest.warns(UserWarning, match="does not define `arg_constraints`"):
        Without()


def test_no_singular_wishart_sample_goes_unnoticed() -> None:
    gn.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*falling back to the reference")
        samples = D.Wishart(gn.tensor([5.0, 6.0]), gn.eye(3)).rsample((10,))
    assert samples.shape == (10, 2, 3, 3)
    with pytest.warns(UserWarning, match="Low df values detected"):
        D.Wishart(2.5, gn.eye(3))


def test_binomial_names_itself_for_sizes_that_do_not_fit() -> None:
    with pytest.raises(RuntimeError, match=r"^binomial: The size of tensor a \(3\) must match the size of"):
        gn.binomial(gn.ones(3), gn.ones(2))
    with pytest.raises(RuntimeError, match=r"^binomial: expected prob to expand to .*\[2\], got \[3, 2\]"):
        gn.binomial(gn.ones(2), gn.ones(3, 2))
    assert gn.binomial(gn.full((2, 3), 4.0), gn.ones(3)).tolist() == [[4.0] * 3] * 2
