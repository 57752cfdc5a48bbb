"""Linear systems and inverses: solutions, strides, info, error texts, derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import forward_ad, gradcheck, gradgradcheck

DTYPES = [gn.float32, gn.float64, gn.complex64, gn.complex128]


def drawn(*sizes: int, dtype: Any = gn.float64, seed: int = 1) -> gn.Tensor:
    return gn.randn(*sizes, dtype=dtype, generator=gn.Generator().manual_seed(seed))


def regular(*sizes: int, dtype: Any = gn.float64) -> gn.Tensor:
    return drawn(*sizes, dtype=dtype) + 3 * gn.eye(sizes[-1], dtype=dtype)


def is_near(a: gn.Tensor, b: gn.Tensor) -> bool:
    bound = 1e-10 if a.dtype in (gn.float64, gn.complex128) else 1e-4
    return a.shape == b.shape and bool(gn.allclose(a, b, rtol=bound, atol=bound))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("unitriangular", [False, True])
def test_triangular_systems(device: str, dtype: Any, upper: bool, unitriangular: bool) -> None:
    a = regular(2, 3, 3, dtype=dtype)
    T = a.triu() if upper else a.tril()
    if unitriangular:
        T = T - T.diagonal(dim1=-2, dim2=-1).diag_embed() + gn.eye(3, dtype=dtype)
    B = drawn(3, 4, dtype=dtype)
    X = gn.linalg.solve_triangular(a, B, upper=upper, unitriangular=unitriangular)
    assert X.stride() == (12, 1, 3) and is_near(T @ X, B.expand(2, 3, 4))
    X = gn.linalg.solve_triangular(a, B.mT, upper=upper, left=False, unitriangular=unitriangular)
    assert X.stride() == (12, 1, 4) and is_near(X @ T, B.mT.expand(2, 4, 3))
    X, copy = gn.triangular_solve(B, a, upper, unitriangular=unitriangular)
    assert is_near(T @ X, B.expand(2, 3, 4)) and copy.stride() == (9, 1, 3) and copy.tolist() == a.tolist()
    X = gn.triangular_solve(B, a, upper, True, unitriangular)[0]
    assert is_near(T.mT @ X, B.expand(2, 3, 4))


@pytest.mark.parametrize("dtype", DTYPES)
def test_systems_with_factors(device: str, dtype: Any) -> None:
    a, B = regular(2, 3, 3, dtype=dtype), drawn(3, 4, dtype=dtype)
    LU, pivots = gn.linalg.lu_factor(a)
    whole = B.expand(2, 3, 4)
    X = gn.linalg.lu_solve(LU, pivots, B)
    assert X.stride() == (12, 1, 3) and is_near(a @ X, whole) and is_near(gn.lu_solve(B, LU, pivots), X)
    assert is_near(a.mH @ gn.linalg.lu_solve(LU, pivots, B, adjoint=True), whole)
    X = gn.linalg.lu_solve(LU, pivots, B.mT, left=False)
    assert X.stride() == (12, 3, 1) and is_near(X @ a, whole.mT)
    assert is_near(gn.linalg.lu_solve(LU, pivots, B.mT, left=False, adjoint=True) @ a.mH, whole.mT)
    s = a @ a.mH
    L = gn.linalg.cholesky(s)
    assert is_near(s @ gn.cholesky_solve(B, L), whole) and is_near(
        s @ gn.cholesky_solve(B, L.mH, True), whole
    )
    ones = gn.eye(3, dtype=dtype).expand(2, 3, 3)
    assert is_near(s @ gn.cholesky_inverse(L), ones) and is_near(
        s @ gn.cholesky_inverse(L.mH, upper=True), ones
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_general_systems(device: str, dtype: Any) -> None:
    a, B = regular(2, 3, 3, dtype=dtype), drawn(2, 3, 4, dtype=dtype)
    X, info = gn.linalg.solve_ex(a, B)
    assert X.stride() == (12, 1, 3) and info.tolist() == [0, 0] and is_near(a @ X, B)
    assert is_near(gn.linalg.solve(a, B.mT, left=False) @ a, B.mT)
    vectors = gn.linalg.solve(a, B[..., 0])
    assert vectors.stride() == (1, 2) and is_near((a @ vectors.unsqueeze(-1)).squeeze(-1), B[..., 0])
    assert is_near(a @ gn.linalg.solve(a, B[0, :, 0]).unsqueeze(-1), B[0, :, :1].expand(2, 3, 1))
    inverse = gn.linalg.inv(a)
    assert inverse.stride() == (9, 1, 3) and is_near(a @ inverse, gn.eye(3, dtype=dtype).expand(2, 3, 3))
    assert is_near(a.inverse(), inverse)
    assert gn.linalg.solve(gn.ones(0, 0, dtype=dtype), gn.ones(0, 2, dtype=dtype)).shape == (0, 2)


def test_singular_matrices(device: str) -> None:
    a = gn.tensor([[1.0, 2], [2, 4]])
    assert gn.linalg.solve_ex(a, a)[1].item() == 2 and gn.linalg.inv_ex(a)[1].item() == 2
    texts: list[tuple[Callable[[], Any], str]] = [
        (
            lambda: gn.linalg.solve(a, a),
            "gnomon.linalg.solve: The solver failed because the input matrix is singular.",
        ),
        (
            lambda: gn.linalg.solve_ex(a.expand(1, 2, 2), a, check_errors=True),
            (
                "gnomon.linalg.solve_ex: (Batch element 0): The solver failed because the input matrix is "
                "singular."
            ),
        ),
        (
            lambda: a.inverse(),
            (
                "linalg.inv: The diagonal element 2 is zero, the inversion could not be completed because "
                "the input matrix is singular."
            ),
        ),
        (
            lambda: gn.cholesky_inverse(a * 0),
            (
                "cholesky_inverse: The diagonal element 1 is zero, the inversion could not be completed "
                "because the input matrix is singular."
            ),
        ),
    ]
    for call, text in texts:
        with pytest.raises(gn.linalg.LinAlgError) as error:
            call()
        assert str(error.value) == text


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda a, b: gn.linalg.solve(a, b),
            "linalg.solve: Incompatible shapes of A and B for the equation AX = B (3x3 and 2x3)",
        ),
        (lambda a, b: gn.linalg.solve(a, b, left=False), None),
        (
            lambda a, b: gn.linalg.solve(b, b),
            "linalg.solve: A must be batches of square matrices, but they are 2 by 3 matrices",
        ),
        (
            lambda a, b: gn.linalg.solve(a, b.double()),
            "linalg.solve: Expected A and B to have the same dtype",
        ),
        (
            lambda a, b: gn.linalg.solve_triangular(a, b, upper=True),
            "linalg.solve_triangular: Incompatible shapes of A and B",
        ),
        (
            lambda a, b: gn.cholesky_solve(b, a),
            "Incompatible matrix sizes for cholesky_solve: each A matrix is 3 by 3",
        ),
        (lambda a, b: gn.linalg.inv(a.half()), "linalg.inv: Low precision dtypes not supported. Got float16"),
        (
            lambda a, b: gn.linalg.lu_solve(a, gn.tensor([0, 1, 2], dtype=gn.int32), b.mT),
            "Pivots given to lu_solve must all be greater or equal to 1.",
        ),
    ],
)
def test_refusals(device: str, call: Callable[[Any, Any], Any], text: str | None) -> None:
    a, b = gn.eye(3), gn.ones(2, 3)
    if text is None:
        assert call(a, b).tolist() == b.tolist()
        return
    with pytest.raises(RuntimeError) as error:
        call(a, b)
    assert text in str(error.value)


@pytest.mark.parametrize("dtype", [gn.float64, gn.complex128])
def test_derivatives(dtype: Any) -> None:
    with gn.device("c" if gn.backends()["c"].available else "reference"):
        a, B = regular(3, 3, dtype=dtype).requires_grad_(), drawn(3, 2, dtype=dtype).requires_grad_()
        b = drawn(3, dtype=dtype).requires_grad_()
        calls: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
            (lambda a, b: gn.linalg.solve_triangular(a, b, upper=True), (a, B)),
            (
                lambda a, b: gn.linalg.solve_triangular(a, b.mT, upper=False, left=False, unitriangular=True),
                (a, B),
            ),
            (lambda a, b: gn.triangular_solve(b, a, True, True), (a, B)),
            (lambda a, b: gn.cholesky_solve(b, a.tril()), (a, B)),
            (lambda a, b: gn.cholesky_solve(b, a, True), (a, B)),
            (lambda a: gn.cholesky_inverse(a), (a,)),
            (gn.linalg.solve, (a, B)),
            (gn.linalg.solve, (a, b)),
            (lambda a, b: gn.linalg.solve(a, b.mT, left=False), (a, B)),
            (gn.linalg.inv, (a,)),
        ]
        for left in (True, False):
            for adjoint in (True, False):

                def solved(a: Any, b: Any, left: bool = left, adjoint: bool = adjoint) -> Any:
                    LU, pivots = gn.linalg.lu_factor(a)
                    return gn.linalg.lu_solve(LU, pivots, b if left else b.mT, left=left, adjoint=adjoint)

                calls.append((solved, (a, B)))
        for function, inputs in calls:
            assert gradcheck(function, inputs, check_forward_ad=True)
            assert gradgradcheck(function, inputs)


@pytest.mark.parametrize(
    "function", [gn.linalg.det, lambda x: gn.linalg.slogdet(x)[1], gn.linalg.inv, gn.linalg.solve]
)
def test_forward_mode_over_other_modes(function: Callable[..., gn.Tensor]) -> None:
    """A saved LU has no tangent: the derivatives of a first derivative solve anew."""
    point, along = regular(3, 3), drawn(3, 3, seed=2)
    arguments = (drawn(3, 1, seed=3),) if function is gn.linalg.solve else ()

    def slope(x: gn.Tensor) -> gn.Tensor:
        return gn.func.jvp(lambda each: function(each, *arguments), (x,), (drawn(3, 3, seed=4),))[1]

    def gradient(x: gn.Tensor) -> gn.Tensor:
        with gn.enable_grad():
            leaf = x if x.requires_grad else x.requires_grad_()
            return gn.autograd.grad(function(leaf, *arguments).sum(), leaf)[0]

    step = 1e-6
    expected = (slope(point + step * along) - slope(point - step * along)) / (2 * step)
    assert gn.allclose(gn.func.jvp(slope, (point,), (along,))[1], expected, 1e-5, 1e-7)
    expected = (gradient(point + step * along) - gradient(point - step * along)) / (2 * step)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(point.requires_grad_(), along)
        found = forward_ad.unpack_dual(gradient(dual)).tangent
    assert found is not None and gn.allclose(found, expected, 1e-5, 1e-7)
