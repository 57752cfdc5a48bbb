"""Determinants: values, signs, singular matrices, error texts, derivatives."""

from __future__ import annotations

import math
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import gradcheck, gradgradcheck


def drawn(*sizes: int, dtype: Any = gn.float64) -> gn.Tensor:
    return gn.randn(*sizes, dtype=dtype, generator=gn.Generator().manual_seed(1))


def test_values(device: str) -> None:
    a = gn.tensor([[[1.0, 2], [3, 4]], [[2, 0], [0, 5]]], dtype=gn.float64)
    assert gn.linalg.det(a).tolist() == pytest.approx([-2, 10])
    sign, logarithm = gn.linalg.slogdet(a)
    assert sign.tolist() == [-1, 1] and logarithm.tolist() == pytest.approx([math.log(2), math.log(10)])
    assert math.isnan(gn.logdet(a)[0].item()) and gn.logdet(a)[1].item() == pytest.approx(math.log(10))
    assert gn.det(gn.ones(2, 0, 0)).tolist() == [1, 1]
    z = gn.tensor([[1j, 0], [0, 2.0]])
    assert gn.linalg.det(z).item() == 2j and gn.linalg.slogdet(z)[0].item() == 1j
    assert gn.logdet(z).item() == pytest.approx(complex(math.log(2), math.pi / 2), rel=1e-6)


def test_a_singular_matrix(device: str) -> None:
    a = gn.tensor([[1.0, 2], [2, 4]], dtype=gn.float64, requires_grad=True)
    assert gn.det(a).item() == 0
    sign, logarithm = gn.slogdet(a.detach())
    assert sign.item() == 0 and logarithm.item() == -math.inf
    (grad,) = gn.autograd.grad(gn.det(a), [a])
    assert gn.allclose(grad, gn.tensor([[4.0, -2], [-2, 1]], dtype=gn.float64))  # the cofactors
    (grad,) = gn.autograd.grad(gn.det(a), [a], create_graph=True)
    assert gn.allclose(grad, gn.tensor([[4.0, -2], [-2, 1]], dtype=gn.float64))
    batch = gn.stack([a.detach(), gn.eye(2, dtype=gn.float64)]).requires_grad_()
    (grad,) = gn.autograd.grad(gn.det(batch).sum(), [batch], create_graph=True)
    assert gn.allclose(grad, gn.tensor([[[4.0, -2], [-2, 1]], [[1, 0], [0, 1]]], dtype=gn.float64))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("linalg.det", "linalg.det: A must be batches of square matrices, but they are 2 by 3 matrices"),
        ("linalg.slogdet", "linalg.slogdet: A must be batches of square matrices"),
        ("logdet", "logdet: A must be batches of square matrices"),
    ],
)
def test_refusals(device: str, name: str, text: str) -> None:
    function: Any = gn
    for part in name.split("."):
        function = getattr(function, part)
    with pytest.raises(RuntimeError) as error:
        function(gn.ones(2, 3))
    assert text in str(error.value)
    is_det = name.endswith(".det")  # which has another error for these than slogdet and logdet
    refused = (
        "not implemented for dtype float16" if is_det else "Low precision dtypes not supported. Got float16"
    )
    with pytest.raises(NotImplementedError if is_det else RuntimeError, match=refused):
        function(gn.ones(2, 2, dtype=gn.float16))


@pytest.mark.parametrize("dtype", [gn.float64, gn.complex128])
def test_derivatives(dtype: Any) -> None:
    with gn.device("c" if gn.backends()["c"].available else "reference"):
        a = (drawn(2, 3, 3, dtype=dtype) + 2 * gn.eye(3, dtype=dtype)).requires_grad_()
        for function in (gn.linalg.det, gn.linalg.slogdet, lambda x: gn.logdet(x @ x.mH)):
            assert gradcheck(function, (a,), check_forward_ad=True)
            assert gradgradcheck(function, (a,))


def test_the_sign_of_a_real_determinant_has_no_gradient(device: str) -> None:
    """It is constant: a matrix that only the sign depends on gets none, as in PyTorch."""
    for function in (gn.linalg.slogdet, gn.slogdet):
        A = gn.tensor([[2.0, 1.0], [1.0, 3.0]], device=device, requires_grad=True)
        sign, logarithm = function(A)
        assert sign.requires_grad
        sign.backward(retain_graph=True)
        assert A.grad is None
        (sign + logarithm).backward()
        assert gn.allclose(A.grad, A.detach().inverse().T)
    A = gn.tensor([[2.0, 1.0j], [1.0, 3.0]], device=device, requires_grad=True)
    gn.linalg.slogdet(A)[0].imag.backward()
    assert A.grad.abs().sum().item() > 0


def test_tangents_of_a_singular_matrix_are_no_error(device: str) -> None:
    """The logarithm has no finite derivative there; only the determinant itself is checked by nothing."""
    A = gn.zeros(2, 2, device=device)
    for function in (gn.logdet, lambda a: gn.linalg.slogdet(a)[1]):
        assert gn.func.jacfwd(function)(A).isfinite().sum().item() == 0
