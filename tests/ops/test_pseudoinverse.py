"""The pseudoinverse, the rank, the condition number, and tensors as matrices."""

from __future__ import annotations

import math
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import gradcheck, gradgradcheck


def drawn(*sizes: int, dtype: Any = gn.float64) -> gn.Tensor:
    return gn.randn(*sizes, dtype=dtype, generator=gn.Generator().manual_seed(1))


def test_the_pseudoinverse_has_the_properties_of_penrose(device: str) -> None:
    for sizes in ((4, 3), (3, 4), (2, 4, 3)):
        a = drawn(*sizes, dtype=gn.complex128)
        found = gn.linalg.pinv(a)
        assert found.shape == (*sizes[:-2], sizes[-1], sizes[-2]) and found.dtype is gn.complex128
        assert gn.allclose(a @ found @ a, a) and gn.allclose(found @ a @ found, found)
        assert gn.allclose((a @ found).mH, a @ found) and gn.allclose((found @ a).mH, found @ a)


def test_what_counts_as_zero(device: str) -> None:
    a = gn.diag(gn.tensor([4.0, 1.0, 0.25, 0.0]))
    assert gn.linalg.pinv(a).diagonal().tolist() == [0.25, 1, 4, 0]
    assert gn.linalg.pinv(a, 0.1).diagonal().tolist() == [0.25, 1, 0, 0]
    assert gn.linalg.pinv(a, atol=1.0).diagonal().tolist() == [0.25, 0, 0, 0]
    assert gn.linalg.pinv(a, atol=0.3, rtol=gn.tensor(0.01).item()).diagonal().tolist() == [0.25, 1, 0, 0]
    assert gn.linalg.matrix_rank(a).item() == 3 and gn.linalg.matrix_rank(a).dtype is gn.int64
    assert gn.linalg.matrix_rank(a, 0.5).item() == 2
    small = gn.diag(gn.tensor([1.0, 1e-8]))  # a positive atol replaces the default of rtol
    assert gn.linalg.matrix_rank(small).item() == 1
    assert gn.linalg.matrix_rank(small, atol=1e-9).item() == 2
    assert gn.linalg.matrix_rank(small, atol=gn.tensor(1e-9)).item() == 2
    assert gn.linalg.matrix_rank(-a, hermitian=True).item() == 3
    ranks = gn.linalg.matrix_rank(a.expand(2, 4, 4), rtol=gn.tensor([[0.5], [0.1], [1.0]]))
    assert ranks.tolist() == [[1, 1], [2, 2], [0, 0]]
    assert gn.linalg.matrix_rank(a, out=gn.empty(0, dtype=gn.float32)).item() == 3
    assert gn.linalg.matrix_rank(gn.ones(2, 0, 3)).tolist() == [0, 0]
    assert gn.linalg.pinv(gn.ones(2, 0, 3)).shape == (2, 3, 0)


def test_condition_numbers(device: str) -> None:
    a = gn.tensor([[1.0, 2.0], [0.0, 4.0]])
    assert [gn.linalg.cond(a, p).item() for p in (1, -1, math.inf, -math.inf)] == [6, 0.75, 6, 0.75]
    assert gn.linalg.cond(a, "fro").item() == pytest.approx(5.25)
    values = gn.linalg.svdvals(a).tolist()
    assert gn.linalg.cond(a).item() == pytest.approx(values[0] / values[1])
    assert gn.linalg.cond(a, -2).item() == pytest.approx(values[1] / values[0])
    assert gn.linalg.cond(gn.zeros(2, 2, 2), 1).tolist() == [math.inf, math.inf]
    assert gn.linalg.cond(gn.ones(3, 0, 0), "nuc").tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match=r"linalg.cond got an invalid norm type: 3$"):
        gn.linalg.cond(a, 3)
    with pytest.raises(RuntimeError, match=r"linalg.cond\(ord=1\): A must be batches of square matrices"):
        gn.linalg.cond(gn.ones(2, 3), 1)


def test_tensors_as_matrices(device: str) -> None:
    a, b = drawn(6, 2, 3), drawn(6)
    inverse = gn.linalg.tensorinv(a, ind=1)
    assert inverse.shape == (2, 3, 6) and inverse.stride() == (3, 1, 6)
    solution = gn.linalg.tensorsolve(a, b)
    assert solution.shape == (2, 3) and gn.allclose(solution, gn.tensordot(inverse, b, 1))
    moved = gn.linalg.tensorsolve(a.permute(1, 0, 2), b, dims=(0, 2))
    assert gn.allclose(moved, solution)
    with pytest.raises(gn.linalg.LinAlgError, match=r"^inv: The diagonal element 1 is zero"):
        gn.linalg.tensorinv(gn.zeros(2, 2), ind=1)


def test_powers_of_a_vector(device: str) -> None:
    x = gn.tensor([2, 3], dtype=gn.int8)
    assert gn.linalg.vander(x, N=3).tolist() == [[1, 2, 4], [1, 3, 9]]
    assert gn.vander(x, 3).tolist() == [[4, 2, 1], [9, 3, 1]] and gn.vander(x).dtype is gn.int64
    assert gn.vander(x, 0).shape == (2, 0)
    with pytest.raises(RuntimeError, match=r"^linalg.vander: N must be greater than 1\.$"):
        gn.linalg.vander(x, N=1)


@pytest.mark.parametrize("dtype", [gn.float64, gn.complex128])
def test_derivatives(dtype: Any) -> None:
    with gn.device("c" if gn.backends()["c"].available else "reference"):
        tall, wide, square = (drawn(*s, dtype=dtype).requires_grad_() for s in ((3, 2), (2, 3), (2, 2)))
        for matrix in (tall, wide):
            assert gradcheck(gn.linalg.pinv, matrix)
            assert gradgradcheck(gn.linalg.pinv, matrix)
        for p in (1, "fro", "nuc", 2):
            assert gradcheck(lambda x, p=p: gn.linalg.cond(x, p), square)
