"""Every distribution against PyTorch's: values and gradients, over several parameters and dtypes."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest

import gnomon as gn

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]

MATRIX = [[2.0, 0.5], [0.5, 1.0]]
FACTOR = [[1.5, 0.0], [-0.3, 0.8]]
PROBS = [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]

# Class -> calls: lists are tensors, numbers stay numbers.
CASES: dict[str, list[dict[str, Any]]] = {
    "Bernoulli": [{"probs": [0.1, 0.5, 0.9]}, {"logits": [[-1.0, 2.0]]}, {"probs": 0.3}],
    "Beta": [
        {"concentration1": [0.5, 2.0], "concentration0": [[1.5], [3.0]]},
        {"concentration1": 2.0, "concentration0": 5.0},
    ],
    "Binomial": [{"total_count": 5, "probs": [0.2, 0.7]}, {"total_count": [7.0, 7.0], "logits": [0.3, -1.0]}],
    "Categorical": [{"probs": PROBS}, {"logits": [0.1, -2.0, 1.0]}],
    "Cauchy": [{"loc": [0.0, 1.0], "scale": [[0.5], [2.0]]}, {"loc": 0.5, "scale": 1.0}],
    "Chi2": [{"df": [0.7, 3.0]}, {"df": 2.0}],
    "ContinuousBernoulli": [{"probs": [0.1, 0.4995, 0.5, 0.8]}, {"logits": [-1.0, 0.0, 2.0]}],
    "Dirichlet": [{"concentration": [[0.5, 2.0, 1.5], [3.0, 1.0, 4.0]]}],
    "Exponential": [{"rate": [0.5, 2.0]}, {"rate": 1.5}],
    "FisherSnedecor": [{"df1": [1.5, 6.0], "df2": [3.0, 5.0]}],
    "Gamma": [{"concentration": [0.5, 3.0], "rate": [[1.0], [2.5]]}, {"concentration": 2.0, "rate": 0.5}],
    "GeneralizedPareto": [
        {"loc": [0.0, 1.0, 0.5], "scale": [1.0, 2.0, 1.5], "concentration": [0.3, 0.0, -0.4]}
    ],
    "Geometric": [{"probs": [0.2, 0.9]}, {"logits": [0.5, -1.0]}],
    "Gumbel": [{"loc": [0.0, 1.0], "scale": [0.5, 2.0]}, {"loc": 0.5, "scale": 1.0}],
    "HalfCauchy": [{"scale": [0.5, 2.0]}],
    "HalfNormal": [{"scale": [0.5, 2.0]}, {"scale": 1.5}],
    "InverseGamma": [{"concentration": [1.5, 3.0], "rate": [1.0, 2.5]}],
    "Kumaraswamy": [{"concentration1": [0.5, 2.0], "concentration0": [1.5, 3.0]}],
    "LKJCholesky": [{"dim": 3, "concentration": [0.5, 2.0]}, {"dim": 2, "concentration": 1.0}],
    "Laplace": [{"loc": [0.0, 1.0], "scale": [[0.5], [2.0]]}],
    "LogNormal": [{"loc": [0.0, 1.0], "scale": [0.5, 0.3]}],
    "LogisticNormal": [{"loc": [0.0, 1.0], "scale": [0.5, 0.3]}],
    "LowRankMultivariateNormal": [
        {"loc": [[0.0, 1.0], [2.0, 0.5]], "cov_factor": [[1.0], [0.5]], "cov_diag": [0.5, 1.5]}
    ],
    "Multinomial": [{"total_count": 4, "probs": PROBS}, {"total_count": 3, "logits": [0.1, -2.0, 1.0]}],
    "MultivariateNormal": [
        {"loc": [[0.0, 1.0], [2.0, 0.5]], "covariance_matrix": MATRIX},
        {"loc": [0.0, 1.0], "precision_matrix": MATRIX},
        {"loc": [0.0, 1.0], "scale_tril": [FACTOR, FACTOR]},
    ],
    "NegativeBinomial": [
        {"total_count": [3.0, 0.5], "probs": [0.2, 0.7]},
        {"total_count": 2, "logits": [0.3]},
    ],
    "Normal": [{"loc": [0.0, 1.0], "scale": [[0.5], [2.0]]}, {"loc": 0.5, "scale": 1.0}],
    "OneHotCategorical": [{"probs": PROBS}, {"logits": [0.1, -2.0, 1.0]}],
    "Pareto": [{"scale": [0.5, 2.0], "alpha": [3.0, 2.5]}],
    "Poisson": [{"rate": [0.5, 4.0]}, {"rate": 2.0}],
    "RelaxedBernoulli": [{"temperature": [0.7], "probs": [0.2, 0.6]}],
    "RelaxedOneHotCategorical": [{"temperature": [0.7], "probs": PROBS}],
    "StudentT": [{"df": [0.7, 1.5, 4.0], "loc": [0.0, 1.0, 2.0], "scale": [1.0, 0.5, 2.0]}],
    "Uniform": [{"low": [0.0, -1.0], "high": [0.5, 2.0]}, {"low": 0.0, "high": 3.0}],
    "VonMises": [{"loc": [0.0, 1.0], "concentration": [0.5, 6.0]}],
    "Weibull": [{"scale": [0.5, 2.0], "concentration": [1.5, 3.0]}],
    "Wishart": [
        {"df": [3.5, 4.0], "covariance_matrix": MATRIX},
        {"df": 4.0, "precision_matrix": MATRIX},
        {"df": 5.0, "scale_tril": FACTOR},
    ],
}
ALL = [(name, index) for name, calls in CASES.items() for index in range(len(calls))]


def made(library: Any, name: str, call: dict[str, Any], dtype: str = "float64") -> tuple[Any, list[Any]]:
    """The distribution, and its parameters that are tensors."""
    arguments = {
        key: library.tensor(value, dtype=getattr(library, dtype), requires_grad=True)
        if isinstance(value, list)
        else value
        for key, value in call.items()
    }
    parameters = [each for each in arguments.values() if isinstance(each, library.Tensor)]
    if "scale_tril" in arguments:  # PyTorch's cholesky_solve also has gradients above the diagonal
        arguments["scale_tril"] = arguments["scale_tril"].tril()
    return getattr(library.distributions, name)(**arguments), parameters


def same(found: Any, expected: Any, where: str = "", digits: float = 1e-9) -> None:
    assert tuple(found.shape) == tuple(expected.shape), where
    dtype = str(expected.dtype).removeprefix("torch.")
    assert found.dtype.name == dtype, where
    tolerance = 2e-4 if dtype == "float32" else digits
    pairs = zip(found.detach().reshape(-1).tolist(), expected.detach().reshape(-1).tolist())
    for a, b in pairs:
        both_nan = a != a and b != b
        assert both_nan or a == b or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance), (where, a, b)


def attempt(function: Any) -> Any:
    """What a call returns, or the kind of its error."""
    try:
        return function()
    except NotImplementedError:
        return NotImplementedError


def gradients(library: Any, result: Any, inputs: list[Any]) -> list[Any]:
    if not result.requires_grad:
        return []
    total = result.sum()
    found = attempt(lambda: library.autograd.grad(total, inputs, allow_unused=True, retain_graph=True))
    return [] if found is NotImplementedError else list(found)


def compare(torch: Any, ours: Any, theirs: Any, function: Any, dtype: str, where: str) -> None:
    """The value of ``function`` of both distributions, and its gradients by the parameters."""
    found = attempt(lambda: function(gn, ours[0]))
    expected = attempt(lambda: function(torch, theirs[0]))
    if NotImplementedError in (found, expected):
        assert found is expected, where
        return
    same(found, expected, where)
    if dtype != "float64":
        return
    of_ours, of_theirs = gradients(gn, found, ours[1]), gradients(torch, expected, theirs[1])
    assert len(of_ours) == len(of_theirs), where
    for a, b in zip(of_ours, of_theirs):
        a = gn.zeros(()) if a is None else a
        b = torch.zeros(()) if b is None else b
        if a.dim() == 0 or b.dim() == 0:  # None stands for zeros
            assert not (a.abs().sum().item() or b.abs().sum().item()) or a.shape == b.shape, where
            continue
        same(a, b, f"gradient of {where}", 1e-7)  # PyTorch's trigamma has nine digits


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "index"), ALL)
def test_values_and_gradients(name: str, index: int, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    if name == "GeneralizedPareto":  # PyTorch's compares with a tensor of the default dtype
        zero = torch.tensor(0.0, dtype=getattr(torch, dtype))
        isclose = torch.isclose
        monkeypatch.setattr(torch, "isclose", lambda a, b: isclose(a, zero.expand_as(a)))
    torch.manual_seed(index)
    call = CASES[name][index]
    ours, theirs = made(gn, name, call, dtype), made(torch, name, call, dtype)
    p, q = ours[0], theirs[0]
    assert tuple(p.batch_shape) == tuple(q.batch_shape) and tuple(p.event_shape) == tuple(q.event_shape)
    assert p.has_rsample == q.has_rsample and p.has_enumerate_support == q.has_enumerate_support
    assert repr(p) == repr(q).replace("torch.", "gnomon.")
    assert repr(p.support).split("(")[0] == repr(q.support).split("(")[0]
    for member in ("mean", "mode", "variance", "stddev"):
        compare(torch, ours, theirs, lambda _, each, member=member: getattr(each, member), dtype, member)
    for member in ("entropy", "perplexity"):
        compare(torch, ours, theirs, lambda _, each, member=member: getattr(each, member)(), dtype, member)
    value = q.sample((2,))
    as_list, kind = value.tolist(), str(value.dtype).split(".")[-1]

    def at(library: Any, function: str, values: Any, kind: str) -> Any:
        def run(library: Any, each: Any) -> Any:
            return getattr(each, function)(library.tensor(values, dtype=getattr(library, kind)))

        return run

    compare(torch, ours, theirs, at(gn, "log_prob", as_list, kind), dtype, "log_prob")
    compare(torch, ours, theirs, at(gn, "cdf", as_list, kind), dtype, "cdf")
    if not q.event_shape:
        chances = torch.rand(2, *q.batch_shape).tolist()
        compare(torch, ours, theirs, at(gn, "icdf", chances, dtype), dtype, "icdf")
    if q.has_enumerate_support:
        for expand in (True, False):
            same(p.enumerate_support(expand), q.enumerate_support(expand))
    larger = (3, *q.batch_shape)
    wide, theirs_wide = p.expand(larger), q.expand(larger)
    assert tuple(wide.batch_shape) == larger and repr(wide) == repr(theirs_wide).replace("torch.", "gnomon.")
    same(wide.log_prob(gn.tensor(value[0].tolist(), dtype=getattr(gn, kind))), theirs_wide.log_prob(value[0]))
    assert tuple(p.sample((4,)).shape) == tuple(q.sample((4,)).shape)
    assert p.sample().dtype is getattr(gn, kind)


def test_every_distribution_is_compared() -> None:
    torch = pytest.importorskip("torch")
    assert set(torch.distributions.__all__) <= set(gn.distributions.__all__)
    classes = {
        name
        for name in torch.distributions.__all__
        if isinstance(each := getattr(torch.distributions, name), type)
        and issubclass(each, torch.distributions.Distribution)
    }
    others = {
        "Distribution",
        "ExponentialFamily",
        "Independent",
        "MixtureSameFamily",
        "TransformedDistribution",
    }
    assert classes - others - {"OneHotCategoricalStraightThrough"} == set(CASES)


# -- divergences -------------------------------------------------------------------------------------------

SECOND: dict[str, dict[str, Any]] = {
    "Bernoulli": {"probs": [0.3, 0.6, 0.4]},
    "Beta": {"concentration1": [1.5, 0.7], "concentration0": [[2.0], [0.8]]},
    "Binomial": {"total_count": 5, "probs": [0.4, 0.5]},
    "Categorical": {"probs": [[0.3, 0.3, 0.4], [0.1, 0.2, 0.7]]},
    "ContinuousBernoulli": {"probs": [0.3, 0.7, 0.2, 0.5]},
    "Dirichlet": {"concentration": [[1.5, 1.0, 0.5], [2.0, 2.5, 1.0]]},
    "LowRankMultivariateNormal": {"loc": [0.5, -1.0], "cov_factor": [[0.3], [1.5]], "cov_diag": [1.0, 0.7]},
    "MultivariateNormal": {"loc": [0.5, -1.0], "scale_tril": FACTOR},
    "OneHotCategorical": {"probs": [[0.3, 0.3, 0.4], [0.1, 0.2, 0.7]]},
}
SCALARS = {
    "Bernoulli": {"probs": [0.3, 0.6]},
    "Beta": {"concentration1": [1.5, 0.7], "concentration0": [2.0, 0.8]},
    "Binomial": {"total_count": 5, "probs": [0.4, 0.5]},
    "ContinuousBernoulli": {"probs": [0.3, 0.7]},
    "Exponential": {"rate": [0.6, 1.5]},
    "Gamma": {"concentration": [1.5, 0.8], "rate": [0.7, 2.0]},
    "Gumbel": {"loc": [0.3, -1.0], "scale": [1.5, 0.7]},
    "Laplace": {"loc": [0.3, -1.0], "scale": [1.5, 0.7]},
    "Normal": {"loc": [0.3, -1.0], "scale": [1.5, 0.7]},
    "Pareto": {"scale": [0.1, 0.2], "alpha": [2.2, 3.5]},
    "Poisson": {"rate": [0.7, 3.0]},
    "Uniform": {"low": [0.1, 0.3], "high": [0.9, 0.8]},
}


def test_divergences_of_all_registered_pairs() -> None:
    torch = pytest.importorskip("torch")
    from torch.distributions import kl

    names = sorted((p.__name__, q.__name__) for p, q in kl._KL_REGISTRY)
    assert names == sorted((p.__name__, q.__name__) for p, q in gn.distributions.kl._KL_REGISTRY)
    compared = 0
    for p, q in names:
        if {p, q} & {"ExponentialFamily", "Independent", "TransformedDistribution"}:
            continue
        if p == q:
            calls = CASES[p][0], SECOND.get(q, SCALARS.get(q, CASES[q][-1]))
        elif p in SCALARS:
            calls = {"Pareto": CASES["Pareto"][0]}.get(p, SCALARS[p]), SCALARS[q]
        else:
            calls = CASES[p][0], SECOND[q]
        ours = [made(gn, *each) for each in zip((p, q), calls)]
        theirs = [made(torch, *each) for each in zip((p, q), calls)]
        pairs = [([each[0][0], each[1][0]], each[0][1] + each[1][1]) for each in (ours, theirs)]
        compare(
            torch,
            pairs[0],
            pairs[1],
            lambda library, both: library.distributions.kl_divergence(*both),
            "float64",
            f"KL({p} || {q})",
        )
        compared += 1
    assert compared == len(names) - 3


def test_divergences_of_compositions() -> None:
    torch = pytest.importorskip("torch")

    def of(library: Any) -> list[Any]:
        D = library.distributions
        one, two = (
            made(library, "Normal", SCALARS["Normal"])[0],
            made(library, "Normal", SCALARS["Laplace"])[0],
        )
        two = D.Normal(two.loc * 2, two.scale + 1)
        laplace = made(library, "Laplace", SCALARS["Laplace"])[0]
        independent = D.Independent(one, 1), D.Independent(two, 1)
        log_normal = D.LogNormal(one.loc, one.scale), D.LogNormal(two.loc, two.scale)
        poisson = D.Poisson(library.tensor([0.5])), D.Poisson(library.tensor([1.5]))
        return [
            D.kl_divergence(*independent),
            D.kl_divergence(*log_normal),
            D.kl_divergence(one, laplace),
            D.kl.__dict__["_kl_expfamily_expfamily"](*poisson),
            D.kl.__dict__["_kl_expfamily_expfamily"](one, two),
        ]

    for found, expected in zip(of(gn), of(torch)):
        same(found, expected)


def test_mixtures() -> None:
    torch = pytest.importorskip("torch")

    def of(library: Any, event: bool) -> Any:
        D = library.distributions
        loc = library.tensor([[0.0, 2.0], [1.0, -1.0]], dtype=library.float64)
        weights = library.tensor([[0.3, 0.7], [0.5, 0.5]], dtype=library.float64)
        components = D.Normal(loc, 0.5)
        if event:
            components = D.Independent(D.Normal(loc.unsqueeze(-1).expand(2, 2, 3), 0.5), 1)
        return D.MixtureSameFamily(D.Categorical(weights), components)

    for event in (False, True):
        ours, theirs = of(gn, event), of(torch, event)
        value = theirs.sample((3,))
        assert tuple(ours.sample((3,)).shape) == tuple(value.shape)
        x = gn.tensor(value.tolist(), dtype=gn.float64)
        same(ours.log_prob(x), theirs.log_prob(value))
        same(ours.mean, theirs.mean)
        same(ours.variance, theirs.variance)
        assert repr(ours) == repr(theirs).replace("torch.", "gnomon.")
        assert tuple(ours.expand((3, 2)).batch_shape) == (3, 2)
        if not event:
            same(ours.cdf(x), theirs.cdf(value))


# -- implicit gradients ------------------------------------------------------------------------------------


def test_implicit_gradients() -> None:
    """PyTorch approximates them with three to four digits, those of the beta distribution with two."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    a = torch.tensor([0.05, 0.3, 1.0, 2.5, 9.0, 70.0, 1000.0], dtype=torch.float64).repeat(20, 1)
    x = torch._standard_gamma(a)
    expected = torch._standard_gamma_grad(a, x)
    found = gn.ops.aten._standard_gamma_grad(*(gn.tensor(each.tolist(), dtype=gn.float64) for each in (a, x)))
    torch.testing.assert_close(
        torch.tensor(found.tolist(), dtype=torch.float64), expected, rtol=2e-3, atol=1e-9
    )
    alpha = torch.tensor([[0.3, 2.0, 5.0], [8.0, 12.0, 0.9], [1.0, 1.0, 1.0]], dtype=torch.float64).repeat(
        20, 1
    )
    x = torch._sample_dirichlet(alpha)
    total = alpha.sum(-1, True).expand_as(alpha)
    expected = torch._dirichlet_grad(x, alpha, total)
    arguments = (gn.tensor(each.tolist(), dtype=gn.float64) for each in (x, alpha, total))
    found = torch.tensor(gn.ops.aten._dirichlet_grad(*arguments).tolist(), dtype=torch.float64)
    torch.testing.assert_close(found, expected, rtol=2e-2, atol=1e-3)


def test_incomplete_gamma_functions() -> None:
    torch = pytest.importorskip("torch")
    inf, nan = math.inf, math.nan
    a = [0.1, 0.5, 1.0, 2.5, 10.0, 40.0, 100.0, 1000.0]
    pairs = [(each, each * factor) for each in a for factor in (0.1, 0.7, 1.0, 1.3, 4.0)]
    pairs += [
        (-1.0, 1.0),
        (0.0, 0.0),
        (0.0, 1.0),
        (0.0, inf),
        (1.0, 0.0),
        (1.0, -1.0),
        (inf, 1.0),
        (inf, inf),
    ]
    pairs += [(1.0, inf), (nan, 1.0), (1.0, nan)]
    left, right = ([pair[i] for pair in pairs] for i in (0, 1))
    for name in ("igamma", "igammac"):
        found = getattr(gn, name)(gn.tensor(left, dtype=gn.float64), gn.tensor(right, dtype=gn.float64))
        expected = getattr(torch, name)(
            torch.tensor(left, dtype=torch.float64), torch.tensor(right, dtype=torch.float64)
        )
        found = torch.tensor(found.tolist(), dtype=torch.float64)
        torch.testing.assert_close(found, expected, rtol=1e-8, atol=1e-300, equal_nan=True)
    for p in (1, 2, 4):
        x = [2.0, 3.5, 10.0]
        same(
            gn.mvlgamma(gn.tensor(x, dtype=gn.float64), p),
            torch.mvlgamma(torch.tensor(x, dtype=torch.float64), p),
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(gn.mvlgamma(gn.tensor([3, 4]), 2), torch.mvlgamma(torch.tensor([3, 4]), 2))
