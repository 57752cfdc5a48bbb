"""Products of reflections with matrices, lu, and decompositions of low rank."""

from __future__ import annotations

from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import gradcheck
from gnomon.dispatch.python_dispatch import DispatchMode


def drawn(*sizes: int, dtype: Any = gn.float64) -> gn.Tensor:
    return gn.randn(*sizes, dtype=dtype, generator=gn.Generator().manual_seed(1))


def test_ormqr_multiplies_by_the_whole_q(device: str) -> None:
    a = drawn(4, 2, dtype=gn.complex128)
    reflections, tau = gn.geqrf(a)
    Q = gn.linalg.qr(a, "complete")[0]
    tall, wide = drawn(4, 3, dtype=gn.complex128), drawn(3, 4, dtype=gn.complex128)
    assert gn.allclose(gn.ormqr(reflections, tau, tall), Q @ tall)
    assert gn.allclose(gn.ormqr(reflections, tau, tall, transpose=True), Q.mH @ tall)
    assert gn.allclose(gn.ormqr(reflections, tau, wide, False), wide @ Q)
    assert gn.allclose(gn.ormqr(reflections, tau, wide, False, True), wide @ Q.mH)
    assert gn.ormqr(reflections, tau, tall).stride() == (1, 4)
    assert gn.ormqr(reflections, tau, wide, False).stride() == (1, 3)
    with pytest.raises(RuntimeError, match=r"ormqr: other.shape\[-2\] must be equal to input.shape\[-2\]"):
        gn.ormqr(reflections, tau, wide)
    assert gradcheck(gn.ormqr, [each.requires_grad_() for each in (reflections, tau, tall)])


def test_ormqr_makes_no_square_matrix_of_many_rows(device: str) -> None:
    class Sizes(DispatchMode):
        most = 0

        def __gnomon_dispatch__(self, operator, types, args=(), kwargs=None):
            found = operator(*args, **(kwargs or {}))
            self.most = max(self.most, found.numel() if isinstance(found, gn.Tensor) else 0)
            return found

    a, c = drawn(40, 2), drawn(40, 3)
    reflections, tau = gn.geqrf(a)
    with Sizes() as sizes:
        found = gn.ormqr(reflections, tau, c)
    assert 120 <= sizes.most < 200
    assert gn.allclose(found, gn.linalg.qr(a, "complete")[0] @ c)
    none = gn.empty(3, 0, dtype=gn.float64), gn.empty(0, dtype=gn.float64)
    assert gn.equal(gn.ormqr(*none, drawn(3, 2)), drawn(3, 2))  # no reflections
    tau[0] = 0  # one that is the identity
    last = gn.eye(40, dtype=gn.float64) - tau[1] * gn.outer(v := reflections.tril(-1)[:, 1] + one(40, 1), v)
    assert gn.allclose(gn.ormqr(reflections, tau, c), last @ c)


def one(count: int, place: int) -> gn.Tensor:
    """A vector of zeros, and 1 at a place."""
    return gn.nn.functional.one_hot(gn.tensor(place), count).double()


def test_lu_returns_two_tensors_or_three(device: str) -> None:
    a = drawn(3, 3)
    found = a.lu(get_infos=True)
    assert type(found) is gn.return_types._lu_with_info
    factors, pivots, info = found
    assert info.item() == 0 and pivots.dtype is gn.int32
    P, L, U = gn.lu_unpack(factors, pivots)
    assert gn.allclose(P @ L @ U, a)
    out = (gn.empty(0, dtype=gn.float64), gn.empty(0, dtype=gn.int32))
    assert gn.lu(a, out=out) is out and out[0].tolist() == factors.tolist()
    assert gn.lu(gn.zeros(2, 2))[1].tolist() == [1, 2]  # a singular matrix is no error
    with pytest.raises(TypeError, match=r"^expected tuple of 3 elements but got 2$"):
        gn.lu(a, get_infos=True, out=out)


@pytest.mark.parametrize("sizes", [(7, 5), (5, 7), (2, 6, 4)])
def test_a_matrix_of_low_rank_is_decomposed(device: str, sizes: tuple[int, ...]) -> None:
    *batch, rows, columns = sizes
    for dtype in (gn.float64, gn.complex128):
        a = drawn(*batch, rows, 2, dtype=dtype) @ drawn(2, columns, dtype=dtype)
        U, S, V = gn.svd_lowrank(a, q=2)
        assert U.shape == (*batch, rows, 2) and S.shape == (*batch, 2) and V.shape == (*batch, columns, 2)
        assert S.dtype is gn.float64 and V.dtype is dtype
        assert gn.allclose(U * S.unsqueeze(-2) @ V.mH, a)
        mean = drawn(columns, dtype=dtype)
        U, S, V = gn.svd_lowrank(a + mean, q=2, niter=1, M=mean)
        assert gn.allclose(U * S.unsqueeze(-2) @ V.mH, a)


def test_principal_components(device: str) -> None:
    a = drawn(6, 3) @ gn.diag(gn.tensor([3.0, 2, 1], dtype=gn.float64)) + 10
    _, S, V = gn.pca_lowrank(a)
    assert S.tolist() == pytest.approx(gn.linalg.svdvals(a - a.mean(0)).tolist())
    assert gn.allclose((S**2 / 5).sum(), a.var(0).sum()) and V.shape == (3, 3)
    with pytest.raises(ValueError, match=r"^q\(=4\) must be non-negative integer and not greater than"):
        gn.pca_lowrank(a, 4)
    with pytest.raises(ValueError, match=r"^niter\(=-1\) must be non-negative integer$"):
        gn.pca_lowrank(a, niter=-1)
