"""Transforms and constraints against PyTorch's."""

from __future__ import annotations

import math
from typing import Any

import pytest

import gnomon as gn

pytestmark = pytest.mark.oracle

# Expressions of T (transforms), c (constraints), D (distributions) and t (a float64 tensor), and an argument.
TRANSFORMS = [
    ("T.ExpTransform()", [0.3, -1.0]),
    ("T.ExpTransform().inv", [0.3, 2.0]),
    ("T.PowerTransform(t([2.0, -0.5]))", [0.3, 2.0]),
    ("T.PowerTransform(3.0)", [0.3, 2.0]),
    ("T.SigmoidTransform()", [0.3, -40.0, 800.0]),
    ("T.SoftplusTransform()", [0.3, -2.0, 30.0]),
    ("T.TanhTransform()", [0.3, -2.0]),
    ("T.AbsTransform()", [0.3, -2.0]),
    ("T.AffineTransform(1.0, -2.0)", [0.3, -2.0]),
    ("T.AffineTransform(t([1.0, 2.0]), t([[2.0], [-3.0]]))", [[0.3, -2.0], [1.0, 0.5]]),
    ("T.AffineTransform(0.5, 2.0, event_dim=1)", [[0.3, -2.0], [1.0, 0.5]]),
    ("T.CorrCholeskyTransform()", [0.3, -2.0, 0.7]),
    ("T.CorrCholeskyTransform()", [[0.3], [-0.5]]),
    ("T.SoftmaxTransform()", [[0.3, -2.0, 0.7], [1.0, 1.0, 2.0]]),
    ("T.StickBreakingTransform()", [[0.3, -2.0, 0.7], [1.0, 1.0, 2.0]]),
    ("T.LowerCholeskyTransform()", [[0.3, -2.0], [0.7, 1.0]]),
    ("T.PositiveDefiniteTransform()", [[0.3, -2.0], [0.7, 1.0]]),
    ("T.ReshapeTransform((2, 2), (4,))", [[[0.3, -2.0], [0.7, 1.0]]]),
    ("T.IndependentTransform(T.ExpTransform(), 1)", [[0.3, -2.0], [0.7, 1.0]]),
    ("T.ComposeTransform([T.AffineTransform(1.0, 2.0), T.ExpTransform()])", [0.3, -2.0]),
    ("T.ComposeTransform([T.AffineTransform(1.0, 2.0), T.StickBreakingTransform()])", [[0.3, -2.0]]),
    ("T.ComposeTransform([T.ExpTransform(), T.AffineTransform(1.0, 2.0)]).inv", [3.0, 2.0]),
    ("T.ComposeTransform([])", [0.3, -2.0]),
    ("T.CatTransform([T.ExpTransform(), T.identity_transform], dim=0, lengths=[1, 2])", [0.3, -2.0, 1.0]),
    ("T.CatTransform([T.ExpTransform(), T.SigmoidTransform()], dim=-1)", [[0.3, -2.0]]),
    ("T.StackTransform([T.ExpTransform(), T.AffineTransform(1.0, 3.0)], dim=1)", [[0.3, -2.0], [0.1, 0.2]]),
    ("T.CumulativeDistributionTransform(D.Normal(t(0.5), t(2.0)))", [0.3, -2.0]),
    ("D.biject_to(c.positive)", [0.3, -2.0]),
    ("D.biject_to(c.greater_than(2.0))", [0.3, -2.0]),
    ("D.biject_to(c.less_than(t([1.0, 2.0])))", [0.3, -2.0]),
    ("D.biject_to(c.interval(-1.0, 3.0))", [0.3, -2.0]),
    ("D.biject_to(c.unit_interval)", [0.3, -2.0]),
    ("D.biject_to(c.half_open_interval(0, 1))", [0.3, -2.0]),
    ("D.biject_to(c.simplex)", [[0.3, -2.0]]),
    ("D.transform_to(c.simplex)", [[0.3, -2.0]]),
    ("D.transform_to(c.lower_cholesky)", [[0.3, -2.0], [0.7, 1.0]]),
    ("D.transform_to(c.positive_definite)", [[0.3, -2.0], [0.7, 1.0]]),
    ("D.biject_to(c.corr_cholesky)", [0.3, -2.0, 0.7]),
    ("D.biject_to(c.independent(c.positive, 1))", [[0.3, -2.0]]),
    ("D.biject_to(c.real_vector)", [[0.3, -2.0]]),
    ("D.biject_to(c.cat([c.positive, c.real], dim=0))", [0.3, -2.0]),
    ("D.transform_to(c.stack([c.positive, c.unit_interval], dim=0))", [0.3, -2.0]),
]
CONSTRAINTS = [
    ("c.boolean", [0.0, 1.0, 0.5]),
    ("c.cat([c.positive, c.boolean], 0, [1, 2])", [0.5, 1.0, 0.5]),
    ("c.corr_cholesky", [[1.0, 0.0], [0.6, 0.8]]),
    ("c.corr_cholesky", [[1.0, 0.0], [0.6, 0.9]]),
    ("c.greater_than(0.5)", [0.5, 1.0]),
    ("c.greater_than_eq(t([0.5, 2.0]))", [0.5, 1.0]),
    ("c.independent(c.positive, 1)", [[0.5, 1.0], [-1.0, 2.0]]),
    ("c.integer_interval(0, 3)", [0.0, 3.0, 1.5, 4.0]),
    ("c.interval(-1.0, 2.0)", [-1.0, 2.0, 2.5]),
    ("c.half_open_interval(-1.0, 2.0)", [-1.0, 2.0, 2.5]),
    ("c.less_than(1.0)", [0.5, 1.0]),
    ("c.lower_cholesky", [[[1.0, 0.0], [0.6, -0.8]], [[1.0, 0.0], [0.6, 0.9]]]),
    ("c.lower_triangular", [[[1.0, 0.5], [0.6, -0.8]], [[1.0, 0.0], [0.6, 0.9]]]),
    ("c.MixtureSameFamilyConstraint(c.interval(t([0.0, 1.0]), t([2.0, 3.0])))", [0.5, 1.5]),
    ("c.multinomial(4)", [[1.0, 2.0], [3.0, 2.0], [-1.0, 2.0]]),
    ("c.nonnegative", [0.0, -1.0]),
    ("c.nonnegative_integer", [0.0, -1.0, 1.5]),
    ("c.one_hot", [[0.0, 1.0], [1.0, 1.0]]),
    ("c.positive", [0.0, 1.0]),
    ("c.positive_semidefinite", [[[1.0, 0.5], [0.5, 2.0]], [[1.0, 2.0], [2.0, 1.0]]]),
    ("c.positive_definite", [[[1.0, 0.5], [0.5, 2.0]], [[1.0, 2.0], [2.0, 1.0]]]),
    ("c.positive_definite", [[1.0, 0.5], [0.6, 2.0]]),
    ("c.positive_integer", [0.0, 1.0]),
    ("c.real", [0.0, float("nan"), float("inf")]),
    ("c.real_vector", [[0.0, float("nan")], [1.0, 2.0]]),
    ("c.simplex", [[0.2, 0.8], [0.3, 0.8], [-0.1, 1.1]]),
    ("c.square", [[0.2, 0.8], [0.3, 0.8], [-0.1, 1.1]]),
    ("c.stack([c.positive, c.real], 0)", [[0.0, 1.0], [1.0, 2.0]]),
    ("c.symmetric", [[1.0, 0.5], [0.5, 2.0]]),
    ("c.unit_interval", [0.0, 1.0, 1.5]),
]


def names_of(library: Any) -> dict[str, Any]:
    D = library.distributions
    return {
        "T": D.transforms,
        "c": D.constraints,
        "D": D,
        "t": lambda value: library.tensor(value, dtype=library.float64),
    }


def flat(value: Any) -> list[Any]:
    return value.detach().reshape(-1).tolist()


def same(found: Any, expected: Any, where: str) -> None:
    assert tuple(found.shape) == tuple(expected.shape), where
    for a, b in zip(flat(found), flat(expected)):
        assert (a != a and b != b) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12), (where, a, b)


@pytest.mark.parametrize(("text", "value"), TRANSFORMS)
def test_transforms(text: str, value: Any) -> None:
    torch = pytest.importorskip("torch")
    results = []
    for library in (gn, torch):
        transform = eval(text, names_of(library))
        x = library.tensor(value, dtype=library.float64, requires_grad=True)
        y = transform(x)
        (grad,) = library.autograd.grad(y.sum(), x, retain_graph=True)
        try:
            jacobian = transform.log_abs_det_jacobian(x, y)
        except NotImplementedError:
            jacobian = library.zeros(())
        shapes = [
            tuple(f(x.shape if f == transform.forward_shape else y.shape))
            for f in (transform.forward_shape, transform.inverse_shape)
        ]
        dims = transform.domain.event_dim, transform.codomain.event_dim
        facts = repr(transform), transform.bijective, shapes, dims
        results.append((facts, y, transform.inv(y), grad, jacobian))
    (facts, *found), (expected_facts, *expected) = results
    assert facts == expected_facts
    for ours, theirs, where in zip(found, expected, ("forward", "inverse", "gradient", "jacobian")):
        same(ours, theirs, where)


@pytest.mark.parametrize(("text", "value"), CONSTRAINTS)
def test_constraints(text: str, value: Any) -> None:
    torch = pytest.importorskip("torch")
    found, expected = (eval(text, names_of(library)) for library in (gn, torch))
    ours = found.check(gn.tensor(value, dtype=gn.float64))
    theirs = expected.check(torch.tensor(value, dtype=torch.float64))
    assert ours.dtype is gn.bool and ours.tolist() == theirs.tolist()
    assert found.event_dim == expected.event_dim and found.is_discrete == expected.is_discrete
    assert repr(found).replace("gnomon.", "") == repr(expected).replace("torch.", "")


def test_the_public_names_are_pytorchs() -> None:
    torch = pytest.importorskip("torch")
    for module in ("constraints", "transforms", "constraint_registry", "kl"):
        ours, theirs = (getattr(each.distributions, module) for each in (gn, torch))
        assert sorted(ours.__all__) == sorted(theirs.__all__)
