"""The exponential and powers of matrices."""

from __future__ import annotations

import math
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import gradcheck, gradgradcheck


def drawn(*sizes: int, dtype: Any = gn.float64) -> gn.Tensor:
    return gn.randn(*sizes, dtype=dtype, generator=gn.Generator().manual_seed(1))


def test_the_exponential_of_a_rotation(device: str) -> None:
    for angle in (1e-9, 1e-4, 0.01, 0.1, 0.5, 2.0, 30.0):
        a = gn.tensor([[0.0, -angle], [angle, 0]], dtype=gn.float64)
        found = gn.linalg.matrix_exp(a)
        cosine, sine = math.cos(angle), math.sin(angle)
        assert found.flatten().tolist() == pytest.approx([cosine, -sine, sine, cosine], abs=1e-13)
        single = gn.matrix_exp(a.float())
        assert single.flatten().tolist() == pytest.approx([cosine, -sine, sine, cosine], abs=1e-5)


def test_a_batch_has_a_degree_for_each_matrix(device: str) -> None:
    a = drawn(3, 4, 4) * gn.tensor([1e-3, 1.0, 20.0], dtype=gn.float64).reshape(3, 1, 1)
    found = gn.linalg.matrix_exp(a)
    assert found.stride() == (16, 4, 1)
    for k in range(3):
        assert gn.allclose(found[k], gn.linalg.matrix_exp(a[k]), rtol=1e-12)
    nilpotent = gn.tensor([[0.0, 1, 2], [0, 0, 3], [0, 0, 0]])
    assert gn.matrix_exp(nilpotent).tolist() == [[1, 1, 3.5], [0, 1, 3], [0, 0, 1]]
    assert gn.matrix_exp(gn.ones(2, 0, 0)).shape == (2, 0, 0)
    assert gn.matrix_exp(gn.tensor([[math.inf]])).isnan().all().item()


def test_powers(device: str) -> None:
    a = drawn(2, 3, 3) + 2 * gn.eye(3, dtype=gn.float64)
    assert gn.linalg.matrix_power(a, 0).tolist() == gn.eye(3, dtype=gn.float64).expand(2, 3, 3).tolist()
    assert gn.allclose(gn.linalg.matrix_power(a, 5), a @ a @ a @ a @ a)
    assert gn.allclose(gn.matrix_power(a, -2) @ a @ a, gn.eye(3, dtype=gn.float64).expand(2, 3, 3))
    strides = {n: gn.matrix_power(a, n).stride() for n in (-3, -1, 0, 1, 2)}
    assert strides.pop(-1) == (9, 1, 3)  # the inverse itself, which is column-major
    assert set(strides.values()) == {(9, 3, 1)}
    assert gn.matrix_power(gn.tensor([[1, 1], [1, 0]]), 10).tolist() == [[89, 55], [55, 34]]
    with pytest.raises(gn.linalg.LinAlgError, match=r"^linalg.inv: The diagonal element 1 is zero"):
        gn.linalg.matrix_power(gn.zeros(2, 2), -1)
    with pytest.raises(RuntimeError, match=r"linalg.matrix_power: A must be batches of square matrices"):
        gn.linalg.matrix_power(gn.ones(2, 3), 2)
    with pytest.raises(RuntimeError, match=r"linalg.matrix_exp: A must be batches of square matrices"):
        gn.matrix_exp(gn.ones(2, 3))
    with pytest.raises(
        RuntimeError, match=r"Expected a floating point or complex tensor as input. Got int64"
    ):
        gn.matrix_exp(gn.ones(2, 2, dtype=gn.int64))


@pytest.mark.parametrize("dtype", [gn.float64, gn.complex128])
def test_derivatives(dtype: Any) -> None:
    with gn.device("c" if gn.backends()["c"].available else "reference"):
        a = drawn(2, 2, 2, dtype=dtype).requires_grad_()
        assert gradcheck(gn.linalg.matrix_exp, (a,), check_forward_ad=True)
        assert gradgradcheck(gn.linalg.matrix_exp, (a,))
        for n in (0, 3, -2):
            assert gradcheck(lambda x, n=n: gn.linalg.matrix_power(x, n), (a,))
