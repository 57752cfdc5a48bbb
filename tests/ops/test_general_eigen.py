"""Eigenvalues and eigenvectors of general matrices."""

from __future__ import annotations

import math
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import gradcheck, gradgradcheck

DTYPES = [gn.float32, gn.float64, gn.complex64, gn.complex128]
# Jordan blocks, permutations, zeros, repeated eigenvalues, triangles, and rows of very different sizes.
SPECIAL = {
    "zeros": [[0, 0], [0, 0]],
    "identity": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "turn": [[0, 1], [-1, 0]],
    "Jordan block": [[2, 1, 0], [0, 2, 1], [0, 0, 2]],
    "nilpotent": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
    "cycle": [[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]],
    "ones": [[1, 1, 1], [1, 1, 1], [1, 1, 1]],
    "lower triangle": [[1, 0, 0], [1, 1, 0], [1, 1, 1]],
    "badly scaled": [[1, 1e10], [1e-10, 1]],
    "repeated pair": [[0, 1, 1, 0], [-1, 0, 0, 1], [0, 0, 0, 1], [0, 0, -1, 0]],
    "large": [[1e300, 2e300], [-3e300, 1e299]],
    "small": [[1e-300, 2e-300], [-3e-300, 1e-301]],
}


def drawn(*sizes: int, dtype: Any = gn.float64) -> gn.Tensor:
    return gn.randn(*sizes, dtype=dtype, generator=gn.Generator().manual_seed(1))


def in_order(values: Any) -> list[complex]:
    return sorted(values.tolist(), key=lambda x: (round(x.real, 6), round(x.imag, 6)))


def check(a: Any, bound: float) -> None:
    """Asserts that ``A V = V diag(L)``, with V of norm 1, and that eigvals gives the same L."""
    values, vectors = gn.linalg.eig(a)
    size = max(a.abs().max().item(), 1e-308)
    wide = (a / size).to(vectors.dtype)
    assert gn.allclose(wide @ vectors, vectors * (values / size).unsqueeze(-2), atol=bound, rtol=0)
    assert gn.allclose(
        (vectors.abs() ** 2).sum(-2), gn.ones(values.shape, dtype=vectors.real.dtype), atol=bound
    )
    assert gn.allclose(gn.linalg.eigvals(a) / size, values / size, atol=bound)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(1, 1), (2, 4, 4), (7, 7), (3, 1, 5, 5)])
def test_eigenvectors(device: str, dtype: Any, sizes: tuple[int, ...]) -> None:
    a = drawn(*sizes, dtype=dtype)
    check(a, 1e-12 if dtype in (gn.float64, gn.complex128) else 2e-6)
    check(a.mT, 1e-12 if dtype in (gn.float64, gn.complex128) else 2e-6)
    values, vectors = gn.linalg.eig(a)
    assert values.dtype is vectors.dtype is dtype.to_complex()
    assert values.is_contiguous() and vectors.mT.is_contiguous()


@pytest.mark.parametrize("dtype", [gn.float64, gn.complex128])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_matrices(device: str, name: str, dtype: Any) -> None:
    check(gn.tensor(SPECIAL[name], dtype=dtype), 1e-14)


def test_eigenvalues_of_triangles_and_of_balanced_matrices(device: str) -> None:
    assert gn.linalg.eigvals(gn.ones(4, 4).tril()).tolist() == [1, 1, 1, 1]
    upper = gn.tensor([[1.0, 5, 7], [0, 2, 9], [0, 0, 3]])
    assert in_order(gn.linalg.eigvals(upper)) == in_order(gn.linalg.eigvals(upper.mT)) == [1, 2, 3]
    balanced = gn.linalg.eigvals(gn.tensor([[1, 1e10], [1e-10, 1]], dtype=gn.float64))
    assert gn.allclose(balanced.real, gn.tensor([2, 0], dtype=gn.float64), rtol=0, atol=1e-15)


def test_a_real_matrix_has_real_eigenvalues_and_exact_conjugates(device: str) -> None:
    for count in range(2, 9):
        a = drawn(count, count)
        values, vectors = gn.linalg.eig(a)
        k = 0
        while k < count:
            value, vector = values[k].item(), vectors[:, k]
            if value.imag == 0:
                assert vector.imag.abs().max().item() == 0
                k += 1
            else:
                assert value.imag > 0 and values[k + 1].item() == value.conjugate()
                assert gn.equal(vectors[:, k + 1], vector.conj())
                assert vector[vector.abs().argmax()].imag.item() == 0
                k += 2
        symmetric = gn.linalg.eigvals(a + a.mT)
        assert symmetric.imag.abs().max().item() == 0
        assert gn.allclose(symmetric.real.sort()[0], gn.linalg.eigvalsh(a + a.mT))


def test_refusals(device: str) -> None:
    with pytest.raises(
        RuntimeError, match=r"^linalg.eig: A must be batches of square matrices, but they are 2"
    ):
        gn.linalg.eig(gn.ones(2, 3))
    with pytest.raises(RuntimeError, match=r"^linalg.eigvals: The input tensor A must have at least 2 dim"):
        gn.linalg.eigvals(gn.ones(3))
    for function in (gn.linalg.eig, gn.linalg.eigvals):
        for number in (float("nan"), float("inf")):
            with pytest.raises(
                RuntimeError, match=r"^gnomon.linalg.eig(vals)?: input tensor should not contain infs or NaNs"
            ):
                function(gn.tensor([[[1, 0], [0, 1]], [[1, number], [0, 1]]]))
        with pytest.raises(RuntimeError, match=r"Expected a floating point or complex tensor .* Got int64"):
            function(gn.ones(2, 2, dtype=gn.int64))
        assert function(gn.ones(2, 0, 0))[0].shape[0] in (0, 2)
    with pytest.raises(RuntimeError, match=r"result type complex64 can't be cast to the desired output type"):
        gn.linalg.eigvals(gn.ones(2, 2), out=gn.empty(2))


@pytest.mark.parametrize("dtype", [gn.float64, gn.complex128])
@pytest.mark.parametrize("size", [1e200, 1e300])
def test_numbers_whose_squares_are_out_of_range(size: float, dtype: Any, device: str) -> None:
    """Columns whose numbers are so much smaller than others' are scaled, too."""
    found = gn.linalg.eigvals(gn.tensor([[1.29, size], [1.689, -0.287]], dtype=dtype))
    root = math.sqrt(1.689) * math.sqrt(size)
    assert sorted(x.real / root for x in found.tolist()) == pytest.approx([-1, 1], rel=1e-12)
    assert all(abs(x.imag) <= 1e-12 * root for x in found.tolist())


@pytest.mark.parametrize("dtype", [gn.float64, gn.complex128])
def test_derivatives(dtype: Any) -> None:
    with gn.device("c" if gn.backends()["c"].available else "reference"):
        x = drawn(3, 3, dtype=dtype).requires_grad_()

        def invariant(x: Any) -> Any:
            values, vectors = gn.linalg.eig(x)
            return values, vectors.abs()

        functions = (invariant, gn.linalg.eigvals, lambda x: gn.linalg.eig(x).eigenvectors.abs())
        for function in functions:
            assert gradcheck(function, (x,), check_forward_ad=True)
            assert gradgradcheck(function, (x,))
        with pytest.raises(
            RuntimeError, match=r"^linalg_eig_backward: The eigenvectors in the complex case are specified up"
        ):
            gn.linalg.eig(x).eigenvectors.sum().abs().backward()
        with pytest.raises(RuntimeError, match=r"derivative for .*_linalg_eigvals is not implemented"):
            gn.ops.aten._linalg_eigvals(x).abs().sum().backward()


def test_eigenvalues_of_each_example_of_a_batch(device: str) -> None:
    a = drawn(3, 4, 4)
    assert gn.equal(gn.vmap(gn.linalg.eigvals)(a), gn.linalg.eig(a)[0])
    assert gn.equal(gn.vmap(gn.linalg.eig)(a)[1], gn.linalg.eig(a)[1])
