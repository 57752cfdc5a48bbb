"""Eigenvalues and eigenvectors of Hermitian matrices; the singular value decomposition with vectors."""

from __future__ import annotations

from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import gradcheck, gradgradcheck

DTYPES = [gn.float32, gn.float64, gn.complex64, gn.complex128]


def drawn(*sizes: int, dtype: Any = gn.float64) -> gn.Tensor:
    return gn.randn(*sizes, dtype=dtype, generator=gn.Generator().manual_seed(1))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("side", ["L", "U"])
def test_eigenvectors(device: str, dtype: Any, side: str) -> None:
    x = drawn(2, 4, 4, dtype=dtype)
    a = x + x.mH
    values, vectors = gn.linalg.eigh(a.tril() if side == "L" else a.triu(), side)
    bound = 1e-10 if dtype in (gn.float64, gn.complex128) else 1e-4
    assert values.dtype is dtype.to_real() and values.stride() == (4, 1) and vectors.stride() == (16, 1, 4)
    assert values.diff(dim=-1).min().item() >= 0
    assert gn.allclose(a @ vectors, vectors * values.unsqueeze(-2), atol=bound, rtol=bound)
    assert gn.allclose(vectors.mH @ vectors, gn.eye(4, dtype=dtype).expand(2, 4, 4), atol=bound)
    assert gn.allclose(gn.linalg.eigvalsh(a, UPLO=side), values, atol=bound)
    assert gn.linalg.eigvalsh(gn.ones(2, 0, 0, dtype=dtype)).shape == (2, 0)


def test_repeated_eigenvalues_and_refusals(device: str) -> None:
    assert gn.linalg.eigh(2 * gn.eye(3))[0].tolist() == [2, 2, 2]
    with pytest.raises(RuntimeError, match=r"Expected UPLO argument to be 'L' or 'U', but got X"):
        gn.linalg.eigh(gn.eye(2), "X")
    with pytest.raises(RuntimeError, match=r"linalg.eigh: A must be batches of square matrices"):
        gn.linalg.eigvalsh(gn.ones(2, 3))
    with pytest.raises(
        gn.linalg.LinAlgError, match=r"^linalg.eigh: \(Batch element 0\): The algorithm failed to converge"
    ):
        gn.linalg.eigh(gn.full((1, 2, 2), float("nan")))
    with pytest.raises(
        gn.linalg.LinAlgError, match=r"^linalg.svd: The algorithm failed .* contained non-finite values.$"
    ):
        gn.linalg.svd(gn.full((2, 2), float("inf")))


@pytest.mark.parametrize("name", ["svd", "svdvals", "eigh", "eigvalsh"])
def test_numbers_that_are_not_finite_are_found_before_matrices_are_decomposed(name, device, monkeypatch):
    monkeypatch.setattr("gnomon.ops.linalg.svd.decompose", None)
    monkeypatch.setattr("gnomon.ops.linalg.eigen._diagonalize", None)
    matrices = gn.eye(3, device=device).expand(4, 3, 3).clone()
    matrices[2, 1, 0] = float("nan")
    with pytest.raises(
        gn.linalg.LinAlgError, match=r": \(Batch element 2\): The algorithm failed to converge"
    ):
        getattr(gn.linalg, name)(matrices)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(4, 3), (3, 4), (2, 3, 3)])
def test_the_singular_value_decomposition(device: str, dtype: Any, sizes: tuple[int, ...]) -> None:
    a = drawn(*sizes, dtype=dtype)
    bound = 1e-10 if dtype in (gn.float64, gn.complex128) else 1e-4
    rows, columns = sizes[-2:]
    U, S, Vh = gn.linalg.svd(a)
    assert U.shape[-2:] == (rows, rows) and Vh.shape[-2:] == (columns, columns)
    least = min(rows, columns)
    assert gn.allclose((U[..., :least] * S.unsqueeze(-2)) @ Vh[..., :least, :], a, atol=bound, rtol=bound)
    U, S, V = gn.svd(a)
    assert U.shape[-1] == V.shape[-1] == least
    assert gn.allclose((U * S.unsqueeze(-2)) @ V.mH, a, atol=bound, rtol=bound)
    U, S, V = gn.svd(a, compute_uv=False)
    assert U.abs().sum().item() == V.abs().sum().item() == 0 and V.shape[-2:] == (columns, columns)


@pytest.mark.parametrize("dtype", [gn.float64, gn.complex128])
def test_derivatives(dtype: Any) -> None:
    with gn.device("c" if gn.backends()["c"].available else "reference"):
        x = drawn(3, 3, dtype=dtype).requires_grad_()

        def invariant(x: Any) -> Any:
            values, vectors = gn.linalg.eigh(x + x.mH)
            return values, vectors.abs()

        def product(x: Any) -> Any:
            U, S, Vh = gn.linalg.svd(x, full_matrices=False)
            return S, (U * S.sqrt().unsqueeze(-2)) @ Vh

        for function in (invariant, product, lambda x: gn.linalg.eigvalsh(x + x.mH)):
            assert gradcheck(function, (x,), check_forward_ad=True)
            assert gradgradcheck(function, (x,))
        if dtype is gn.complex128:
            with pytest.raises(
                RuntimeError, match=r"^linalg_eigh_backward: The eigenvectors in the complex case"
            ):
                gn.linalg.eigh(x + x.mH)[1].real.sum().backward()
