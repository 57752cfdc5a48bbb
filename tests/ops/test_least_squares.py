"""linalg.lstsq: what each driver returns, matrices without full rank, derivatives."""

from __future__ import annotations

import math
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import gradcheck, gradgradcheck
from gnomon.ops.linalg import least_squares

DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def drawn(*sizes: int, dtype: Any = gn.float64) -> gn.Tensor:
    return gn.randn(*sizes, dtype=dtype, generator=gn.Generator().manual_seed(1))


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_solution_and_what_comes_with_it(device: str, driver: str) -> None:
    for sizes in ((4, 3), (3, 4), (2, 4, 3)):
        a = drawn(*sizes, dtype=gn.complex128)
        b = drawn(*sizes[:-1], 2, dtype=gn.complex128)
        found = gn.linalg.lstsq(a, b, driver=driver)
        *batch, rows, columns = sizes
        assert gn.allclose(found.solution, gn.linalg.pinv(a) @ b)
        longer = max(rows, columns)
        assert found.solution.stride() == (*[2 * longer] * len(batch), 1, longer)
        if rows > columns and driver != "gelsy":
            squares = (a @ found.solution - b).abs().square().sum(-2)
            assert gn.allclose(found.residuals, squares) and found.residuals.dtype is gn.float64
        else:
            assert found.residuals.shape == (0,)
        ranks = gn.full(batch, 3)
        assert found.rank.tolist() == ([] if driver == "gels" else ranks.tolist())
        if driver in ("gelsd", "gelss"):
            assert gn.allclose(found.singular_values, gn.linalg.svdvals(a))
        else:
            assert found.singular_values.shape == (0,) and found.singular_values.dtype is gn.float64


def test_vectors(device: str) -> None:
    a, b = drawn(2, 4, 3), drawn(2, 4)
    found = gn.linalg.lstsq(a, b, driver="gels")
    assert found.solution.shape == (2, 3) and found.solution.stride() == (4, 1)
    assert found.residuals.shape == (2, 1)
    assert gn.allclose(found.solution, (gn.linalg.pinv(a) @ b.unsqueeze(-1)).squeeze(-1))


def test_matrices_without_full_rank(device: str) -> None:
    a = gn.tensor([[2.0, 0, 0], [0, 0.5, 0], [0, 0, 0], [0, 0, 0]])
    b = gn.ones(4, 1)
    for driver in DRIVERS[1:]:
        found = gn.linalg.lstsq(a, b, driver=driver)
        assert found.solution.flatten().tolist() == [0.5, 2, 0] and found.rank.item() == 2
        assert found.residuals.shape == (0,)
        found = gn.linalg.lstsq(a, b, 0.3, driver=driver)
        assert found.solution.flatten().tolist() == [0.5, 0, 0] and found.rank.item() == 1
    with pytest.raises(gn.linalg.LinAlgError, match=r"lstsq: The least .* full rank \(error code: 3\)\.$"):
        gn.linalg.lstsq(a, b, driver="gels")
    with pytest.raises(gn.linalg.LinAlgError, match=r"lstsq: \(Batch element 1\): The least squares"):
        gn.linalg.lstsq(gn.stack([gn.eye(2), gn.diag(gn.tensor([1.0, 0]))]), gn.ones(2, 2, 1), driver="gels")
    zeros = gn.linalg.lstsq(gn.zeros(3, 2), gn.ones(3, 1), driver="gels")
    assert zeros.solution.tolist() == [[0], [0]] and zeros.residuals.tolist() == [3]
    empty = gn.linalg.lstsq(gn.ones(3, 0), gn.ones(3, 2), driver="gelsd")
    assert empty.solution.shape == (0, 2) and empty.residuals.tolist() == [3, 3] and empty.rank.item() == 0


def test_an_rcond_of_1_or_more_means_what_the_driver_makes_of_it(device: str) -> None:
    a = gn.tensor([[2.0, 0], [0, 0.5]])
    for rcond in (1.0, 2.0, math.inf):
        for driver, rank, solution in (("gelsy", 1, [0.5, 0]), ("gelsd", 2, [0.5, 2]), ("gelss", 0, [0, 0])):
            found = gn.linalg.lstsq(a, gn.ones(2), rcond, driver=driver)
            assert found.rank.item() == rank and found.solution.tolist() == solution


@pytest.mark.parametrize("dtype", [gn.float64, gn.complex128])
def test_derivatives(dtype: Any) -> None:
    with gn.device("c" if gn.backends()["c"].available else "reference"):
        for sizes, driver in (((3, 2), "gels"), ((2, 3), "gelsd"), ((3, 2), None)):
            a = drawn(*sizes, dtype=dtype).requires_grad_()
            b = drawn(sizes[0], 1, dtype=dtype).requires_grad_()
            assert gradcheck(lambda a, b, d=driver: gn.linalg.lstsq(a, b, driver=d)[:2], (a, b))
            assert gradgradcheck(lambda a, b, d=driver: gn.linalg.lstsq(a, b, driver=d).solution, (a, b))


def test_bounds_are_not_less_than_what_they_bound(device: str) -> None:
    for seed in range(3):
        a = gn.randn(2, 9, 12, dtype=gn.float64, generator=gn.Generator().manual_seed(seed))
        largest = gn.linalg.svdvals(a)[:, 0]
        least_squares.LARGE, before = 4, least_squares.LARGE
        try:
            found = list(least_squares._bounds_of_norm(a))
        finally:
            least_squares.LARGE = before
        assert len(found) == 4 and all((bound >= largest).all().item() for bound in found)
        assert all((closer <= bound * (1 + 1e-9)).all() for bound, closer in zip(found[:2], found[2:]))
        triangles = a[:, :8, :8].triu()
        norms = gn.linalg.inv(triangles).flatten(1).norm(dim=1)
        exact = least_squares._bound_of_inverse(triangles, 0)
        assert gn.allclose(exact, norms)
        for halvings in (1, 2):
            assert (least_squares._bound_of_inverse(triangles, halvings) >= norms * (1 - 1e-9)).all()
