"""Cholesky, QR and LU: reconstructions, strides, info, error texts, derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import gradcheck, gradgradcheck

DTYPES = [gn.float32, gn.float64, gn.complex64, gn.complex128]


def drawn(*sizes: int, dtype: Any = gn.float64, seed: int = 1) -> gn.Tensor:
    return gn.randn(*sizes, dtype=dtype, generator=gn.Generator().manual_seed(seed))


def definite(*sizes: int, dtype: Any = gn.float64) -> gn.Tensor:
    x = drawn(*sizes, dtype=dtype)
    return x @ x.mH + 2 * gn.eye(sizes[-1], dtype=dtype)


def is_near(a: gn.Tensor, b: gn.Tensor) -> bool:
    is_wide = a.dtype in (gn.float64, gn.complex128)
    return a.shape == b.shape and bool(
        gn.allclose(a, b, rtol=1e-10 if is_wide else 1e-4, atol=1e-10 if is_wide else 1e-4)
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("upper", [False, True])
def test_the_cholesky_factor(device: str, dtype: Any, upper: bool) -> None:
    a = definite(2, 3, 3, dtype=dtype)
    spoiled = a.tril() if not upper else a.triu()  # the other triangle is not read
    found, info = gn.linalg.cholesky_ex(spoiled + 0 * a, upper=upper)
    assert found.dtype is dtype and found.stride() == (9, 1, 3)
    assert info.dtype is gn.int32 and info.tolist() == [0, 0]
    assert (found.tril(-1) if upper else found.triu(1)).abs().sum().item() == 0
    assert is_near(found.mH @ found if upper else found @ found.mH, a)
    assert is_near(gn.cholesky(a, upper), found) and is_near(gn.linalg.cholesky(a, upper=upper), found)


@pytest.mark.parametrize("count", [60, 100])
def test_factors_of_large_matrices(count: int) -> None:
    if not gn.backends()["c"].available:
        pytest.skip("the reference is slow")
    with gn.device("c"):
        for dtype in (gn.float64, gn.complex128):
            a, x = definite(count, count, dtype=dtype), drawn(count, count, dtype=dtype)
            L = gn.linalg.cholesky(a)
            assert is_near(L @ L.mH / count, a / count)
            for part in (x, x[:, :55], x[:55]):
                P, L, U = gn.linalg.lu(part)
                assert is_near(P @ L @ U, part)
                Q, R = gn.linalg.qr(part)
                assert is_near(Q @ R, part) and is_near(Q.mH @ Q, gn.eye(Q.shape[1], dtype=dtype))
            right = drawn(count, 3, dtype=dtype)
            L = gn.linalg.cholesky(a)
            assert is_near(gn.linalg.solve_triangular(L, L @ right, upper=False), right)
            assert is_near(gn.linalg.solve_triangular(L.mH, L.mH @ right, upper=True), right)


def test_a_matrix_that_is_not_positive_definite(device: str) -> None:
    a = gn.tensor([[4.0, 2, 3], [2, 0, 1], [3, 1, 5]])
    found, info = gn.linalg.cholesky_ex(a)
    assert info.shape == () and info.item() == 2
    assert found.tolist() == [[2, 0, 0], [1, -1, 0], [1.5, 1, 5]]  # what follows the pivot is left as it was
    text = (
        "factorization could not be completed because the input is not positive-definite "
        r"\(the leading minor of order 2"
    )
    with pytest.raises(gn.linalg.LinAlgError, match=f"^linalg.cholesky: The {text}"):
        gn.linalg.cholesky(a)
    with pytest.raises(gn.linalg.LinAlgError, match=rf"^cholesky: \(Batch element 1\): The {text}"):
        gn.cholesky(gn.stack([gn.eye(3), a]))
    with pytest.raises(gn.linalg.LinAlgError, match=f"^linalg.cholesky_ex: The {text}"):
        gn.linalg.cholesky_ex(a, check_errors=True)
    assert issubclass(gn.linalg.LinAlgError, RuntimeError)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(5, 3), (3, 5), (2, 3, 3), (2, 0, 3), (3, 0), (1, 1)])
def test_the_qr_factorization(device: str, dtype: Any, sizes: tuple[int, ...]) -> None:
    a = drawn(*sizes, dtype=dtype)
    rows, columns = sizes[-2:]
    least = min(rows, columns)
    Q, R = gn.linalg.qr(a)
    assert Q.shape == (*sizes[:-1], least) and R.shape == (*sizes[:-2], least, columns)
    assert Q.stride()[-2:] == (1, max(rows, 1)) and R.stride()[-2:] == (1, max(least, 1))
    assert is_near(Q @ R, a) and is_near(
        Q.mH @ Q, gn.eye(least, dtype=dtype).expand(*sizes[:-2], least, least)
    )
    assert is_near(R, R.triu())
    full, R = gn.linalg.qr(a, "complete")
    assert full.shape == (*sizes[:-1], rows) and R.shape == sizes
    assert is_near(full @ R, a)
    assert is_near(full.mH @ full, gn.eye(rows, dtype=dtype).expand(*sizes[:-2], rows, rows))
    none, R = gn.linalg.qr(a, "r")
    assert none.shape == (0,) and R.shape == (*sizes[:-2], least, columns)


def test_reflections(device: str) -> None:
    a = drawn(4, 3)
    reflections, tau = gn.geqrf(a)
    assert reflections.stride() == (1, 4) and tau.shape == (3,)
    H = gn.eye(4, dtype=gn.float64)
    for k in range(3):
        v = gn.cat([gn.zeros(k, dtype=gn.float64), gn.ones(1, dtype=gn.float64), reflections[k + 1 :, k]])
        H = H @ (gn.eye(4, dtype=gn.float64) - tau[k] * gn.outer(v, v))
    Q = gn.linalg.householder_product(reflections, tau)
    assert is_near(Q, H[:, :3]) and is_near(gn.orgqr(reflections, tau), Q)
    assert gn.geqrf(gn.zeros(2, 2))[1].tolist() == [0, 0]  # no reflection where nothing is to be removed


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(5, 3), (3, 5), (2, 3, 3), (2, 0, 3)])
def test_the_lu_factorization(device: str, dtype: Any, sizes: tuple[int, ...]) -> None:
    a = drawn(*sizes, dtype=dtype)
    LU, pivots, info = gn.linalg.lu_factor_ex(a)
    assert LU.stride()[-2:] == (1, max(sizes[-2], 1)) and pivots.dtype is gn.int32 and info.dtype is gn.int32
    P, L, U = gn.lu_unpack(LU, pivots)
    assert is_near(P @ L @ U, a) and is_near(L.triu(), L.triu(1) + gn.eye(*L.shape[-2:], dtype=dtype))
    for mine, other in zip(gn.linalg.lu(a), (P, L, U)):
        assert is_near(mine, other) and mine.is_contiguous()
    largest = 2**0.5 if dtype.is_complex else 1  # pivots are chosen by |re| + |im|
    assert all(part <= largest + 1e-6 for part in L.abs().flatten().tolist())


def test_a_singular_matrix_has_an_lu_factorization(device: str) -> None:
    a = gn.tensor([[1.0, 2], [2, 4]])
    LU, pivots, info = gn.linalg.lu_factor_ex(a)
    assert LU.tolist() == [[2, 4], [0.5, 0]] and pivots.tolist() == [2, 2] and info.item() == 2
    with pytest.raises(
        RuntimeError, match=r"^gnomon.linalg.lu_factor: U\[2,2\] is zero and using it on lu_solve"
    ):
        gn.linalg.lu_factor(a)
    with pytest.raises(
        RuntimeError, match=r"^gnomon.linalg.lu_factor_ex: \(Batch element 0\): U\[2,2\] is zero"
    ):
        gn.linalg.lu_factor_ex(a.expand(2, 2, 2), check_errors=True)
    with pytest.raises(RuntimeError, match=r"pivots passed to lu_unpack must be between 1 and LU"):
        gn.lu_unpack(LU, gn.tensor([0, 2], dtype=gn.int32))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda x: gn.linalg.cholesky(x),
            "linalg.cholesky: A must be batches of square matrices, but they are 3 by 2 matrices",
        ),
        (lambda x: gn.cholesky(x), "cholesky: A must be batches of square matrices"),
        (
            lambda x: gn.linalg.cholesky(x[:2].int()),
            "linalg.cholesky_ex: Expected a floating point or complex tensor as input. Got int32",
        ),
        (
            lambda x: gn.linalg.eig(x[:2].int()),
            "linalg.eig: Expected a floating point or complex tensor as input. Got int32",
        ),
        (
            lambda x: gn.linalg.cholesky(x[0]),
            "linalg.cholesky: The input tensor A must have at least 2 dimensions.",
        ),
        (
            lambda x: gn.linalg.qr(x, "q"),
            "qr received unrecognized mode 'q' but expected one of 'reduced' (default), 'r', or 'complete'",
        ),
        (
            lambda x: gn.linalg.qr(x.int()),
            "linalg.qr: Expected a floating point or complex tensor as input. Got int32",
        ),
        (
            lambda x: gn.linalg.lu(x, pivot=False),
            "linalg.lu_factor: LU without pivoting is not implemented on the CPU",
        ),
        (
            lambda x: gn.linalg.householder_product(x.mT, x[0]),
            "input.shape[-2] must be greater than or equal to input.shape[-1]",
        ),
        (
            lambda x: gn.linalg.householder_product(x, gn.ones(3)),
            "input.shape[-1] must be greater than or equal to tau.shape[-1]",
        ),
    ],
)
def test_refusals(device: str, call: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(RuntimeError) as error:
        call(gn.ones(3, 2))
    assert text in str(error.value)


def sum_of_square(dtype: Any) -> gn.Tensor:
    return definite(3, 3, dtype=dtype).requires_grad_()


@pytest.mark.parametrize("dtype", [gn.float64, gn.complex128])
def test_derivatives(dtype: Any) -> None:
    with gn.device("c" if gn.backends()["c"].available else "reference"):
        square = sum_of_square(dtype)
        tall, wide = (drawn(*sizes, dtype=dtype).requires_grad_() for sizes in ((4, 3), (2, 3)))
        hermitian: list[Callable[[Any], Any]] = [
            lambda x: gn.linalg.cholesky((x + x.mH) / 2),
            lambda x: gn.cholesky((x + x.mH) / 2, True),
        ]
        for function in hermitian:
            assert gradcheck(function, (square,), check_forward_ad=True)
            assert gradgradcheck(function, (square,))
        for x in (tall, wide, square):
            for function in (
                gn.linalg.qr,
                lambda x: gn.linalg.lu(x)[1:],
                lambda x: gn.linalg.lu_factor(x)[0],
            ):
                assert gradcheck(function, (x,), check_forward_ad=True)
                assert gradgradcheck(function, (x,))
        tau = drawn(2, dtype=dtype).requires_grad_()
        assert gradcheck(gn.linalg.householder_product, (tall, tau), check_forward_ad=True)
        assert gradgradcheck(gn.linalg.householder_product, (tall, tau))


def test_what_has_no_derivative() -> None:
    x = drawn(3, 2).requires_grad_()
    with pytest.raises(RuntimeError, match=r"not differentiable when mode='complete' and nrows > ncols"):
        gn.linalg.qr(x, "complete")[0].sum().backward()
    with pytest.raises(
        RuntimeError, match=r"The derivative of linalg.qr depends on Q, which is not computed"
    ):
        gn.linalg.qr(x, "r")[1].sum().backward()
    with pytest.raises(RuntimeError, match=r"derivative for aten::geqrf is not implemented"):
        gn.geqrf(x)[0].sum().backward()


def test_vmap_of_what_is_not_asked_for() -> None:
    """Each example has the empty result of a separate call."""
    LU, pivots, _ = gn.linalg.lu_factor_ex(drawn(2, 3, 3))
    P, L, U = gn.func.vmap(lambda *factors: gn.lu_unpack(*factors, unpack_data=False))(LU, pivots)
    assert (P.shape, L.shape, U.shape) == ((2, 3, 3), (2, 0), (2, 0))


def test_the_tangent_of_a_wide_complex_qr() -> None:
    wide = drawn(2, 3, dtype=gn.complex128).requires_grad_()
    assert gradcheck(gn.linalg.qr, (wide,), check_forward_ad=True)


def test_cholesky_of_numbers_whose_squares_overflow(device: str) -> None:
    large = gn.tensor([[1.0, 1e200], [1e200, 1.0]], dtype=gn.float64)
    assert gn.linalg.cholesky_ex(large).info.item() == 2


@pytest.mark.parametrize("dtype", [gn.int64, gn.bool])
def test_cholesky_of_integers_is_refused(dtype, device: str) -> None:
    matrix = gn.tensor([[4, 1], [1, 5]], device=device).to(dtype)
    for function in (gn.linalg.cholesky, gn.linalg.cholesky_ex):
        with pytest.raises(RuntimeError, match=f"Expected a floating .* input. Got {dtype.name}"):
            function(matrix)
    with pytest.raises(NotImplementedError, match=f"cholesky: not implemented for dtype {dtype.name}"):
        gn.cholesky(matrix)  # PyTorch's deprecated function has another error
