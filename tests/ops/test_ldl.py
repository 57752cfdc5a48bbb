"""The LDL factorization of symmetric and Hermitian matrices, and systems with it."""

from __future__ import annotations

import math
from typing import Any

import pytest

import gnomon as gn

DTYPES = [gn.float32, gn.float64, gn.complex64, gn.complex128]


def drawn(*sizes: int, dtype: Any = gn.float64, seed: int = 1) -> gn.Tensor:
    return gn.randn(*sizes, dtype=dtype, generator=gn.Generator().manual_seed(seed))


def whole(lower: Any, hermitian: bool) -> Any:
    """The matrix with this lower triangle."""
    below, diagonal = lower.tril(-1), lower.diagonal(0, -2, -1)
    if hermitian and lower.is_complex():
        diagonal = diagonal.real.to(lower.dtype)
    return below + (below.mH if hermitian else below.mT) + gn.diag_embed(diagonal)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("hermitian", [False, True])
@pytest.mark.parametrize("count", [1, 2, 5, 12])
def test_solutions(device: str, dtype: Any, hermitian: bool, count: int) -> None:
    a = drawn(3, count, count, dtype=dtype)
    a = a - 0.9 * gn.diag_embed(a.diagonal(0, -2, -1))  # so that most blocks are of two rows
    LD, pivots, info = gn.linalg.ldl_factor_ex(a, hermitian=hermitian)
    assert info.tolist() == [0, 0, 0] and info.dtype is pivots.dtype is gn.int32
    assert LD.stride() == (count * count, 1, max(count, 1)) and LD.triu(1).abs().sum().item() == 0
    if count == 12:
        assert (pivots < 0).any().item()
    bound = 1e-9 if dtype in (gn.float64, gn.complex128) else 2e-3
    for b in (drawn(3, count, 2, dtype=dtype, seed=2), drawn(2, 1, count, 1, dtype=dtype, seed=3)):
        x = gn.linalg.ldl_solve(LD, pivots, b, hermitian=hermitian)
        assert x.mT.is_contiguous()
        assert gn.allclose(whole(a, hermitian) @ x, b.expand(x.shape), atol=bound, rtol=bound)
        for kind in (gn.int8, gn.int64):
            assert gn.equal(gn.linalg.ldl_solve(LD, pivots.to(kind), b, hermitian=hermitian), x)
    same = gn.linalg.ldl_factor(a, hermitian=hermitian)
    assert gn.equal(same.LD, LD) and gn.equal(same.pivots, pivots)


@pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
@pytest.mark.parametrize("dtype", [gn.float32, gn.float64])
@pytest.mark.parametrize("kind", ["small diagonal", "positive", "zeros", "graded"])
def test_large_matrices_on_c(kind: str, dtype: Any) -> None:
    """They are factored by panels, of which the last ones have any number of columns."""
    for count in (96, 97, 127, 128, 129, 200):
        a = drawn(2, count, count, dtype=gn.float64)
        a = (a + a.mT) / 2
        if kind == "positive":
            a = a @ a.mT
        elif kind == "graded":
            scale = gn.logspace(0, -4, count, dtype=gn.float64)
            a = scale.unsqueeze(-1) * a * scale
        else:
            a = a - 0.97 * gn.diag_embed(a.diagonal(0, -2, -1))
        a = a.to(dtype)
        if kind == "zeros":
            a[:, 40] = a[:, :, 40] = 0
        given = a.to("c")
        LD, pivots, info = gn.linalg.ldl_factor_ex(given.mT.contiguous().mT if count % 2 else given)
        assert kind == "zeros" or info.tolist() == [0, 0]
        assert LD.stride() == (count * count, 1, count) and LD.triu(1).abs().max().item() == 0
        assert kind not in ("small diagonal", "graded") or (pivots < 0).any().item()
        LD, wide = LD.double().cpu(), a.double().cpu()
        for matrix in range(2):  # P A P^T = L D L^T, one block after the other
            rest, k = wide[matrix].clone(), 0
            factor, chosen = LD[matrix], pivots[matrix].tolist()
            while k < count:
                width = 1 if chosen[k] > 0 else 2
                last, other = k + width - 1, abs(chosen[k]) - 1
                order = list(range(count))
                order[last], order[other] = other, last
                rest = rest[order][:, order]
                columns = factor[:, k : k + width].clone()
                block = columns[k : k + width].tril()
                block = block + block.tril(-1).mT
                columns[: k + width] = 0
                columns[k : k + width] = gn.eye(width, dtype=gn.float64, device=columns.device)
                if not (kind == "zeros" and block.abs().max().item() == 0):
                    rest = rest - columns @ block @ columns.mT
                tolerance = 40 * gn.finfo(dtype).eps * wide[matrix].abs().max().item() * count**0.5
                assert rest[k : k + width].abs().max().item() <= tolerance
                k += width


def test_pivots_are_those_of_lapack(device: str) -> None:
    a = gn.tensor([[0, 1.0, 2], [1, 0, 1], [2, 1, 0]])
    LD, pivots, info = gn.linalg.ldl_factor_ex(a)
    assert LD.tolist() == [[0, 0, 0], [2, 0, 0], [0.5, 0.5, -1]]
    assert pivots.tolist() == [-3, -3, 3] and info.item() == 0
    a = gn.tensor([[1 + 1j, 0, 0], [1 + 2j, 0, 0], [2, 1 - 3j, 0]])
    LD, pivots, _ = gn.linalg.ldl_factor_ex(a, hermitian=True)
    assert LD[0].tolist() == [1, 0, 0] and pivots.tolist() == [-2, -2, 3]
    assert gn.allclose(LD[2], gn.tensor([1.4 - 0.2j, 0.2 - 0.2j, -3.6]))


def test_blocks_of_zero(device: str) -> None:
    a = gn.tensor([[[1.0, 0], [0, 0]], [[0, 0], [0, 0]]])
    _, pivots, info = gn.linalg.ldl_factor_ex(a)
    assert info.tolist() == [2, 1] and pivots.tolist() == [[1, 2], [1, 2]]
    with pytest.raises(
        RuntimeError, match=r"^gnomon.linalg.ldl_factor: \(Batch element 0\): The block of D at"
    ):
        gn.linalg.ldl_factor(a)
    with pytest.raises(
        RuntimeError, match=r"^gnomon.linalg.ldl_factor_ex: The block of D .* element 1 is zero"
    ):
        gn.linalg.ldl_factor_ex(a[1], check_errors=True)


def test_refusals(device: str) -> None:
    eye, rows, b = gn.eye(3), gn.tensor([1, 2, 3]), gn.ones(3, 1)
    solve = gn.linalg.ldl_solve
    for pivots, problem in (
        ([1, 2, 4], r"all satisfy \|pivot\| <= LD.size\(-2\)"),
        ([1, 0, 3], r"all satisfy \|pivot\| >= 1"),
        ([1, 2, -3], "be negative in pairs"),
        ([-2, 2, 3], "be negative in pairs"),
    ):
        with pytest.raises(
            RuntimeError, match=rf"Pivots given to ldl_solve must {problem}. Did you properly"
        ):
            solve(eye, gn.tensor(pivots), b)
    with pytest.raises(RuntimeError, match=r"Expected pivots to be integers. Got float32"):
        solve(eye, rows.to(gn.float32), b)
    with pytest.raises(RuntimeError, match=r"pivots.shape to be the same, but got pivots with shape \[2\]"):
        solve(eye, rows[:2], b)
    with pytest.raises(RuntimeError, match=r"each A matrix is 3 by 3 but each b matrix is 2 by 1"):
        solve(eye, rows, gn.ones(2, 1))
    with pytest.raises(RuntimeError, match=r"found b of type float64 and A of type float32"):
        solve(eye, rows, b.to(gn.float64))
    with pytest.raises(IndexError, match=r"expected to be in range of \[-1, 0\], but got -2"):
        solve(eye, rows, gn.ones(3))
    with pytest.raises(
        RuntimeError, match=r"^gnomon.linalg.ldl_factor_ex: Expected a floating point or complex"
    ):
        gn.linalg.ldl_factor(gn.ones(2, 2, dtype=gn.int64))
    with pytest.raises(RuntimeError, match=r"^gnomon.linalg.ldl_factor_ex: A must be batches of square"):
        gn.linalg.ldl_factor(gn.ones(2, 3))
    with pytest.raises(NotImplementedError, match="not implemented for dtype float16"):
        gn.linalg.ldl_factor(gn.ones(2, 2, dtype=gn.float16))
    with pytest.raises(RuntimeError, match="is not implemented"):
        solve(eye, rows, gn.ones(3, 1, requires_grad=True)).sum().backward()


@pytest.mark.parametrize("hermitian", [False, True])
def test_numbers_that_are_not_finite(hermitian: bool, device: str) -> None:
    """NaN on the diagonal counts as a block of zeros, as LAPACK's; all backends choose the same pivots."""
    nan, inf = math.nan, math.inf
    for rows, pivots, info in [
        ([[nan]], [1], 1),
        ([[nan, 0.0], [0.0, 1.0]], [1, 2], 1),
        ([[1.0, nan], [nan, 1.0]], [-2, -2], 0),
        ([[0.0, inf], [inf, 0.0]], [-2, -2], 0),
        ([[inf, inf], [inf, inf]], [1, 2], 2),
    ]:
        a = gn.tensor(rows, dtype=gn.float64, device=device)
        found = gn.linalg.ldl_factor_ex(a, hermitian=hermitian)
        assert (found.pivots.tolist(), found.info.item()) == (pivots, info), rows


@pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
@pytest.mark.parametrize("dtype", [gn.float32, gn.float64])
def test_large_matrices_choose_among_numbers_that_are_not_finite(dtype: Any) -> None:
    """The last block of a block diagonal matrix is factored as if it were alone."""
    first, count = 96, 6
    numbers = gn.Generator().manual_seed(5)
    for _ in range(40):
        small = gn.randn(count, count, dtype=dtype, generator=numbers)
        places = gn.randint(0, count, (2, 2), generator=numbers).tolist()
        for (row, column), number in zip(places, (math.nan, math.inf)):
            small[max(row, column), min(row, column)] = number
        small = whole(small.tril(), False).to("c")
        large = gn.eye(first + count, dtype=dtype, device="c")
        large[first:, first:] = small
        expected, own, _ = gn.linalg.ldl_factor_ex(small)
        LD, pivots, _ = gn.linalg.ldl_factor_ex(large)
        assert (pivots[first:].abs() - first).tolist() == own.abs().tolist()
        assert ((pivots[first:] > 0) == (own > 0)).all().item()
        assert LD[first:, first:].allclose(expected, equal_nan=True, rtol=1e-4)
