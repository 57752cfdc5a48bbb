"""The registry of divergences, and divergences against sums over the support and integrals."""

from __future__ import annotations

from typing import Any

import pytest

import gnomon as gn
from gnomon import distributions as D
from gnomon.distributions import kl


def f64(*values: Any) -> gn.Tensor:
    return gn.tensor(values, dtype=gn.float64)


PAIRS = [
    (D.Normal(f64(0.5), 1.0), D.Normal(f64(-0.5), 2.0)),
    (D.Normal(f64(0.5), 1.0), D.Laplace(f64(-0.5), 2.0)),
    (D.Normal(f64(0.5), 1.0), D.Gumbel(f64(-0.5), 2.0)),
    (D.Laplace(f64(0.5), 0.5), D.Normal(f64(-0.5), 2.0)),
    (D.Gumbel(f64(0.5), 0.5), D.Normal(f64(-0.5), 2.0)),
    (D.Gumbel(f64(0.5), 0.5), D.Gumbel(f64(-0.5), 1.0)),
    (D.Laplace(f64(0.5), 0.5), D.Laplace(f64(-0.5), 1.0)),
    (D.Exponential(f64(2.0)), D.Exponential(f64(1.0))),
    (D.Exponential(f64(2.0)), D.Gamma(f64(1.5), 1.0)),
    (D.Exponential(f64(2.0)), D.Gumbel(f64(0.5), 1.0)),
    (D.Gamma(f64(3.0), 2.0), D.Gamma(f64(2.0), 1.0)),
    (D.Gamma(f64(3.0), 2.0), D.Exponential(f64(1.0))),
    (D.Gamma(f64(3.0), 2.0), D.Normal(f64(1.0), 2.0)),
    (D.Beta(f64(3.0), 2.0), D.Beta(f64(2.0), 2.5)),
    (D.Beta(f64(3.0), 2.0), D.Normal(f64(1.0), 2.0)),
    (D.Beta(f64(3.0), 2.0), D.Gamma(f64(1.0), 2.0)),
    (D.Beta(f64(3.0), 2.0), D.ContinuousBernoulli(f64(0.3))),
    (D.Uniform(f64(0.2), 0.9), D.Beta(f64(2.0), 2.5)),
    (D.Uniform(f64(0.2), 0.9), D.Normal(f64(1.0), 2.0)),
    (D.Uniform(f64(0.2), 0.9), D.ContinuousBernoulli(f64(0.3))),
    (D.ContinuousBernoulli(f64(0.7)), D.ContinuousBernoulli(f64(0.3))),
]


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_divergences_are_integrals(p: Any, q: Any) -> None:
    low, high = {D.Uniform: (0.2, 0.9), D.Beta: (0.0, 1.0), D.ContinuousBernoulli: (0.0, 1.0)}.get(
        type(p), (0.0 if p.support.check(f64(-1.0)).item() is False else -12.0, 20.0)
    )
    count = 20000
    x = gn.linspace(low, high, 2 * count + 1, dtype=gn.float64)[1::2]  # midpoints
    log_p = p.log_prob(x)
    found = (log_p.exp() * (log_p - q.log_prob(x))).sum().item() * (high - low) / count
    assert abs(D.kl_divergence(p, q).item() - found) < 5e-4  # near 0 logarithms are integrated less exactly


def test_divergences_are_sums() -> None:
    p, q = D.Categorical(f64(0.2, 0.3, 0.5)), D.Categorical(f64(0.4, 0.4, 0.2))
    expected = (p.probs * (p.probs / q.probs).log()).sum().item()
    assert abs(D.kl_divergence(p, q).item() - expected) < 1e-12
    one, two = D.Binomial(4, f64(0.3)), D.Binomial(4, f64(0.6))
    values = one.enumerate_support()
    expected = (one.log_prob(values).exp() * (one.log_prob(values) - two.log_prob(values))).sum().item()
    assert abs(D.kl_divergence(one, two).item() - expected) < 1e-12
    impossible = D.Bernoulli(f64(0.0, 1.0, 0.5)), D.Bernoulli(f64(0.5, 0.5, 0.0))
    found = D.kl_divergence(*impossible).tolist()
    assert found[2] == float("inf") and abs(found[0] - gn.log(f64(2.0)).item()) < 1e-6


def test_outside_of_the_support_divergences_are_infinite() -> None:
    normal = D.Normal(f64(0.0, 1.0), 1.0)
    assert D.kl_divergence(normal, D.Exponential(f64(1.0))).tolist() == [float("inf")] * 2
    wide, narrow = D.Uniform(f64(0.0), 2.0), D.Uniform(f64(0.0), 1.0)
    assert D.kl_divergence(wide, narrow).tolist() == [float("inf")]
    assert D.kl_divergence(D.Pareto(f64(1.0), 0.5), D.Exponential(f64(1.0))).tolist() == [float("inf")]


def test_multivariate_divergences_agree_between_parametrizations() -> None:
    factor, diagonal = f64([1.0], [0.5]), f64(0.5, 1.5)
    low_rank = D.LowRankMultivariateNormal(f64(0.0, 1.0), factor, diagonal)
    dense = D.MultivariateNormal(f64(0.0, 1.0), low_rank.covariance_matrix)
    other_low_rank = D.LowRankMultivariateNormal(f64(0.5, -1.0), f64([0.3], [1.5]), f64(1.0, 0.7))
    other_dense = D.MultivariateNormal(f64(0.5, -1.0), other_low_rank.covariance_matrix)
    found = [D.kl_divergence(p, q).item() for p in (low_rank, dense) for q in (other_low_rank, other_dense)]
    assert max(found) - min(found) < 1e-12 and found[0] > 0
    with pytest.raises(ValueError, match="different event shapes"):
        D.kl_divergence(dense, D.MultivariateNormal(f64(0.0), f64([1.0])))


def test_the_most_specific_function_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kl, "_KL_REGISTRY", dict(kl._KL_REGISTRY))
    monkeypatch.setattr(kl, "_KL_MEMOIZE", {})

    class Mine(D.Normal):
        pass

    assert D.kl_divergence(Mine(0.0, 1.0), Mine(0.0, 1.0)).item() == 0.0

    @D.register_kl(Mine, D.Normal)
    def of_mine(p: Any, q: Any) -> Any:
        return gn.tensor(1.0)

    assert D.kl_divergence(Mine(0.0, 1.0), D.Normal(0.0, 1.0)).item() == 1.0

    @D.register_kl(D.Normal, Mine)
    def onto_mine(p: Any, q: Any) -> Any:
        return gn.tensor(2.0)

    with pytest.warns(
        RuntimeWarning, match=r"Ambiguous kl_divergence\(Mine, Mine\). Please register_kl\(Mine, Mine\)"
    ):
        assert D.kl_divergence(Mine(0.0, 1.0), Mine(0.0, 1.0)).item() == 1.0


def test_errors() -> None:
    with pytest.raises(
        NotImplementedError, match=r"No KL.* is implemented for p type StudentT and q type Normal"
    ):
        D.kl_divergence(D.StudentT(3.0), D.Normal(0.0, 1.0))
    with pytest.raises(TypeError, match="Expected type_p to be a Distribution subclass but got 1"):
        D.register_kl(1, D.Normal)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match=r"Binomials where q\.total_count > p\.total_count"):
        D.kl_divergence(D.Binomial(2, gn.tensor(0.5)), D.Binomial(3, gn.tensor(0.5)))
    assert "Bernoulli and Poisson" in (D.kl_divergence.__doc__ or "")
