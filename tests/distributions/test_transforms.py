"""Transforms and constraints: inverses, Jacobians against autograd's, caches, composition, registries."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import gnomon as gn
from gnomon import distributions as D
from gnomon.distributions import constraints
from gnomon.distributions import transforms as T


def f64(*values: Any) -> gn.Tensor:
    return gn.tensor(values, dtype=gn.float64)


POINTWISE = [
    T.ExpTransform(),
    T.ExpTransform().inv.inv,
    T.SigmoidTransform(),
    T.SoftplusTransform(),
    T.TanhTransform(),
    T.AffineTransform(1.0, -2.0),
    T.ComposeTransform([T.AffineTransform(1.0, 2.0), T.SigmoidTransform()]),
    T.ComposeTransform([T.ExpTransform(), T.PowerTransform(f64(-0.5))]),
    T.CumulativeDistributionTransform(D.Normal(f64(0.5), 2.0)),
    D.biject_to(constraints.interval(-1.0, 3.0)),
    D.biject_to(constraints.less_than(2.0)),
]


@pytest.mark.parametrize("transform", POINTWISE, ids=repr)
def test_pointwise_transforms(transform: Any) -> None:
    x = f64(0.3, -1.0, 1.2).requires_grad_()
    y = transform(x)
    assert gn.allclose(transform.inv(y), x) and transform.codomain.check(y).all() and transform.bijective
    (derivative,) = gn.autograd.grad(y.sum(), x)
    assert gn.allclose(transform.log_abs_det_jacobian(x, y), derivative.abs().log())
    assert gn.allclose(transform.inv.log_abs_det_jacobian(y, x), -derivative.abs().log())
    assert (derivative.sign() == transform.sign).all()


@pytest.mark.parametrize(
    ("transform", "count", "coordinates"),
    [
        (T.StickBreakingTransform(), 3, lambda y: y[:-1]),
        (T.CorrCholeskyTransform(), 3, lambda y: gn.stack([y[1, 0], y[2, 0], y[2, 1]])),
        (T.ReshapeTransform((4,), (2, 2)), 4, lambda y: y.reshape(4)),
        (T.CatTransform([T.ExpTransform(), T.TanhTransform()], 0, [1, 2]), 3, lambda y: y),
        (T.StackTransform([T.ExpTransform(), T.TanhTransform()], 0), 2, lambda y: y),
        (T.IndependentTransform(T.ExpTransform(), 1), 3, lambda y: y),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, T.Transform) else "",
)
def test_jacobians_of_vectors(transform: Any, count: int, coordinates: Any) -> None:
    x = gn.linspace(-1.0, 0.8, count, dtype=gn.float64)
    y = transform(x)
    assert gn.allclose(transform.inv(y), x)
    assert transform.forward_shape(x.shape) == y.shape and transform.inverse_shape(y.shape) == x.shape
    jacobian = gn.autograd.functional.jacobian(lambda x: coordinates(transform(x)), x)
    found = transform.log_abs_det_jacobian(x, y).sum()
    assert gn.allclose(found, gn.linalg.slogdet(jacobian).logabsdet)


def test_a_cache_returns_the_argument_itself() -> None:
    transform = T.ExpTransform(cache_size=1)
    x = f64(0.5)
    y = transform(x)
    assert transform.inv(y) is x and transform(x) is y
    without = transform.with_cache(0)
    assert without.inv(y) is not x and transform.with_cache(1) is transform
    composed = T.ComposeTransform([T.AffineTransform(0.0, 2.0), T.ExpTransform()], cache_size=1)
    assert composed.inv(composed(x)) is x
    assert copy.deepcopy(transform) == transform
    with pytest.raises(ValueError, match="cache_size must be 0 or 1"):
        T.ExpTransform(cache_size=2)


def test_equality_and_repr() -> None:
    assert T.ExpTransform() == T.ExpTransform() and T.ExpTransform() != T.TanhTransform()
    assert T.AffineTransform(1.0, f64(2.0)) == T.AffineTransform(1.0, f64(2.0))
    assert T.AffineTransform(1.0, 2.0) != T.AffineTransform(1.0, 3.0)
    assert T.PowerTransform(2.0) == T.PowerTransform(2.0) and T.ExpTransform().inv == T.ExpTransform().inv
    assert T.CorrCholeskyTransform() != T.CorrCholeskyTransform()
    assert repr(T.ComposeTransform([T.ExpTransform(), T.ExpTransform().inv])) == (
        "ComposeTransform(\n    ExpTransform(),\n    _InverseTransform(ExpTransform())\n)"
    )
    assert T.identity_transform.inv.inv is T.identity_transform


def test_errors_of_transforms() -> None:
    texts = [
        (ValueError, lambda: T.ReshapeTransform((2,), (3,)), "different numbers of elements"),
        (ValueError, lambda: T.ReshapeTransform((2,), (2,)).forward_shape(gn.Size((3,))), "Shape mismatch"),
        (
            ValueError,
            lambda: T.StickBreakingTransform().forward_shape(gn.Size()),
            "Too few dimensions on input",
        ),
        (
            ValueError,
            lambda: T.StickBreakingTransform().event_dim + T.CorrCholeskyTransform().event_dim,
            "either",
        ),
        (
            ValueError,
            lambda: T.CorrCholeskyTransform()(gn.ones(2)),
            "cannot be expressed as the lower triangular",
        ),
        (
            ValueError,
            lambda: T.IndependentTransform(T.ExpTransform(), 1)(gn.tensor(1.0)),
            "Too few dimensions",
        ),
        (AssertionError, lambda: T.CatTransform([1]), "All elements of tseq must be Transform instances"),
        (
            AssertionError,
            lambda: T.CatTransform([T.ExpTransform()])(gn.ones(2)),
            r"x.size\(0\) = 2 must equal length 1",
        ),
        (
            AssertionError,
            lambda: T.StackTransform([T.ExpTransform()], 1).inv(gn.ones(2)),
            "dim 1 out of range for tensor with 1 dimensions",
        ),
        (
            NotImplementedError,
            lambda: D.biject_to(constraints.boolean),
            "Cannot transform _Boolean constraints",
        ),
        (TypeError, lambda: D.biject_to.register(1, len), "Constraint subclass or instance, but got 1"),
        (
            NotImplementedError,
            lambda: T.SoftmaxTransform().log_abs_det_jacobian(gn.ones(2), gn.ones(2)),
            None,
        ),
    ]
    for kind, call, text in texts:
        with pytest.raises(kind, match=text):
            call()


def test_transformed_distributions() -> None:
    base = D.Normal(f64(0.0), 1.0)
    log_normal = D.TransformedDistribution(base, [T.AffineTransform(0.5, -2.0), T.ExpTransform()])
    assert log_normal.has_rsample and repr(log_normal.support) == "GreaterThan(lower_bound=0.0)"
    x = f64(0.5)
    assert gn.allclose(log_normal.log_prob(x), D.LogNormal(f64(0.5), 2.0).log_prob(x))
    assert gn.allclose(log_normal.icdf(log_normal.cdf(x)), x)
    assert gn.allclose(log_normal.cdf(x), D.LogNormal(f64(0.5), 2.0).cdf(x))  # the sign of -2 is undone
    wide = D.TransformedDistribution(base, T.AffineTransform(gn.zeros(3, 1, dtype=gn.float64), 1.0))
    assert wide.batch_shape == (3, 1) and wide.sample((2,)).shape == (2, 3, 1)
    assert wide.expand((4, 3, 1)).batch_shape == (4, 3, 1)
    sticks = D.TransformedDistribution(D.Normal(gn.zeros(2), 1.0), T.StickBreakingTransform())
    assert (sticks.batch_shape, sticks.event_shape) == ((), (3,)) and sticks.log_prob(
        gn.ones(3) / 3
    ).shape == ()


# -- constraints -------------------------------------------------------------------------------------------


def test_constraints_check_whole_events() -> None:
    checks = [
        (constraints.simplex, [[0.2, 0.8], [0.3, 0.8]], [True, False]),
        (constraints.real, [0.0, float("nan")], [True, False]),
        (constraints.independent(constraints.positive, 1), [[1.0, 2.0], [0.0, 1.0]], [True, False]),
        (constraints.lower_cholesky, [[1.0, 0.0], [5.0, 2.0]], True),
        (constraints.lower_cholesky, [[1.0, 0.1], [5.0, 2.0]], False),
        (constraints.corr_cholesky, [[1.0, 0.0], [0.6, 0.8]], True),
        (constraints.positive_definite, [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]]], [True, False]),
        (constraints.positive_semidefinite, [[1.0, 1.0], [1.0, 1.5]], True),
        (constraints.square, [[1.0, 2.0]], False),
        (
            constraints.cat([constraints.positive, constraints.boolean], 0, [1, 2]),
            [3.0, 1.0, 3.0],
            [True, True, False],
        ),
        (constraints.stack([constraints.positive, constraints.real], 0), [-1.0, -1.0], [False, True]),
        (constraints.multinomial(3), [[1.0, 2.0], [2.0, 2.0]], [True, False]),
        (constraints._IntegerLessThan(3), [2.0, 2.5, 4.0], [True, False, False]),
    ]
    for constraint, value, expected in checks:
        found = constraint.check(gn.tensor(value, dtype=gn.float64))
        assert found.dtype is gn.bool and found.tolist() == expected, constraint


def test_properties_of_constraints() -> None:
    assert repr(constraints.interval(0.0, gn.tensor(2.0))) == "Interval(lower_bound=0.0, upper_bound=2.0)"
    assert repr(constraints.real_vector) == "IndependentConstraint(Real(), 1)"
    assert constraints.real_vector.event_dim == 1 and constraints.one_hot.is_discrete
    assert constraints.stack([constraints.simplex], dim=-1).event_dim == 1
    assert constraints.stack([constraints.simplex], dim=-2).event_dim == 2
    assert constraints.is_dependent(D.Uniform.support) and not constraints.is_dependent(constraints.real)
    assert D.Binomial.support.event_dim == 0 and D.Binomial.support.is_discrete
    dependent = constraints.dependent(is_discrete=True)
    assert dependent.is_discrete and dependent(event_dim=2).event_dim == 2
    with pytest.raises(NotImplementedError, match=r".event_dim cannot be determined statically"):
        dependent.event_dim  # noqa: B018
    with pytest.raises(ValueError, match="Cannot determine validity of dependent constraint"):
        dependent.check(gn.ones(1))
    with pytest.raises(ValueError, match=r"Expected value.dim\(\) >= 1 but got 0"):
        constraints.real_vector.check(gn.tensor(1.0))
    with pytest.raises(AssertionError, match="base_constraint must be a Constraint, got int"):
        constraints.independent(1, 1)


def test_registered_transforms_reach_their_constraint() -> None:
    gn.manual_seed(0)
    x = gn.randn(2, 3, 3, dtype=gn.float64)
    for constraint in (
        constraints.real,
        constraints.positive,
        constraints.greater_than(f64(1.0, 2.0, 3.0)),
        constraints.half_open_interval(0.0, 1.0),
        constraints.simplex,
        constraints.lower_cholesky,
        constraints.positive_definite,
        constraints.corr_cholesky,
        constraints.real_vector,
    ):
        transform = D.transform_to(constraint)
        y = transform(x)
        assert constraint.check(y).all(), constraint
        if transform.bijective:
            assert gn.allclose(transform.inv(y), x)


def test_triangular_matrices_as_vectors() -> None:
    matrix = gn.arange(9.0).view(3, 3)
    for diag in (-1, 0, 1):
        vector = D.utils.tril_matrix_to_vec(matrix, diag)
        assert vector.tolist() == [i * 3.0 + j for i in range(3) for j in range(3) if j <= i + diag]
        assert (D.utils.vec_to_tril_matrix(vector, diag) == matrix.tril(diag)).all()
    with pytest.raises(ValueError, match=r"diag \(3\) provided is outside \[-3, 2\]"):
        D.utils.tril_matrix_to_vec(matrix, 3)
