"""gn.lobpcg: its methods, its parameters, batches, what a tracker sees, its gradient."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import gnomon as gn


@pytest.fixture(autouse=True)
def fast_device() -> Iterator[None]:
    with gn.device("c" if gn.backends()["c"].available else "reference"):
        yield


def drawn(*sizes: int) -> gn.Tensor:
    return gn.randn(*sizes, dtype=gn.float64, generator=gn.Generator().manual_seed(1))


def matrix(size: int) -> gn.Tensor:
    """A symmetric matrix with the eigenvalues 1, 2, ..."""
    Q = gn.linalg.qr(drawn(size, size))[0]
    return Q * gn.arange(1, size + 1, dtype=gn.float64) @ Q.mT


@pytest.mark.parametrize("method", ["ortho", "basic"])
@pytest.mark.parametrize("has_metric", [False, True])
def test_pairs_of_a_symmetric_problem(method: str, has_metric: bool) -> None:
    a = matrix(12)
    metric = matrix(12).flip(0, 1) / 12 + gn.eye(12, dtype=gn.float64) if has_metric else None
    for largest in (True, False):
        values, vectors = gn.lobpcg(a, 2, metric, drawn(12, 3), largest=largest, method=method)
        assert values.shape == (2,) and vectors.shape == (12, 2)
        image = vectors if metric is None else metric @ vectors
        assert gn.allclose(a @ vectors, image * values, atol=1e-5)
        assert gn.allclose(vectors.mT @ image, gn.eye(2, dtype=gn.float64))
        if metric is None:
            assert values.tolist() == pytest.approx([12, 11] if largest else [1, 2], abs=1e-6)


def test_batches_and_what_a_tracker_sees() -> None:
    a = matrix(9)
    values, vectors = gn.lobpcg(gn.stack([a, 2 * a]).unsqueeze(1), n=2)
    assert values.shape == (2, 1, 1) and vectors.shape == (2, 1, 9, 1)
    assert values.flatten().tolist() == pytest.approx([9, 18])
    steps = []

    def tracker(worker: Any) -> None:
        steps.append((worker.ivars["istep"], worker.X.shape, worker.R.shape))
        worker.bvars["force_stop"] = worker.ivars["istep"] == 3

    gn.lobpcg(a, 2, tracker=tracker)
    assert steps == [(step, (9, 2), (9, 2)) for step in (1, 2, 3)]
    gn.lobpcg(a, 1, tracker=tracker, niter=2, ortho_bparams={"ortho_use_drop": True})
    assert len(steps) == 5


def test_refusals() -> None:
    with pytest.raises(
        ValueError, match=r"^LOBPCG algorithm is not applicable when the number of A rows \(=5"
    ):
        gn.lobpcg(gn.ones(5, 5), 2)
    with pytest.raises(AssertionError, match=r"^A must be square, got shape"):
        gn.lobpcg(gn.ones(5, 4))
    with pytest.raises(AssertionError, match=r"^A and B must have same shape"):
        gn.lobpcg(gn.ones(5, 5), B=gn.ones(4, 4))
    a = matrix(6)
    values, _ = gn.lobpcg(a.requires_grad_(), B=gn.eye(6, dtype=gn.float64))
    with pytest.raises(ValueError, match=r"^lobpcg.backward does not support backward with B != I yet\.$"):
        values.sum().backward()


@pytest.mark.parametrize("largest", [True, False])
def test_the_gradient_is_that_of_all_eigenvectors(largest: bool) -> None:
    a, weights = matrix(7).requires_grad_(), drawn(7, 2)

    def loss(values: gn.Tensor, vectors: gn.Tensor) -> gn.Tensor:
        return (values**2).sum() + (vectors**2 * weights).sum()

    values, vectors = gn.lobpcg(a, 2, X=drawn(7, 2), largest=largest, niter=60, tol=1e-12)
    (found,) = gn.autograd.grad(loss(values, vectors), a)
    values, vectors = gn.linalg.eigh((a + a.mT) / 2)
    chosen = [6, 5] if largest else [0, 1]
    (expected,) = gn.autograd.grad(loss(values[chosen], vectors[:, chosen]), a)
    assert gn.allclose(found, expected, atol=1e-6) and gn.allclose(found, found.mT)
