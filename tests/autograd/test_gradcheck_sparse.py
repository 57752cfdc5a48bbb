"""autograd/gradcheck_sparse.py: gradcheck of functions of sparse tensors."""

from __future__ import annotations

import pytest

import gnomon as gn
from gnomon.autograd import gradcheck, gradgradcheck
from gnomon.autograd.gradcheck import GradcheckError

LAYOUTS = ["sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"]


def sparse(layout, dtype=gn.float64):
    """[[1, 0], [2, 3]] in that layout, which requires grad."""
    strided = gn.tensor([[1.0, 0.0], [2.0, 3.0]], dtype=dtype)
    blocksize = (1, 1) if layout.startswith("sparse_bs") else None
    return strided.to_sparse(layout=getattr(gn, layout), blocksize=blocksize).detach().requires_grad_()


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_conversions_and_products(layout, masked, fast_mode):
    options = {"masked": masked, "fast_mode": fast_mode}
    assert gradcheck(lambda s: (s * s).to_dense(masked_grad=masked), sparse(layout), **options)
    assert gradcheck(lambda s: s.to_dense(masked_grad=masked), sparse(layout, gn.complex128), **options)
    strided = gn.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=gn.float64, requires_grad=True)
    assert gradcheck(lambda s, d: s @ d, (sparse(layout), strided), fast_mode=fast_mode)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_gradient_of_unspecified_elements_is_compared(layout):
    """s @ d has a gradient for all elements of s; if only specified ones change, that of [0, 1] is wrong."""
    strided = gn.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=gn.float64)
    with pytest.raises(GradcheckError, match=r"input element \(0, 1\)"):
        gradcheck(lambda s: s @ strided, sparse(layout), masked=True)


def test_a_wrong_derivative_is_found():
    class Twice(gn.autograd.Function):
        @staticmethod
        def forward(ctx, s):
            return s * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    with pytest.raises(GradcheckError, match=r"numerical: 2.*analytical: 3"):
        gradcheck(lambda s: Twice.apply(s).to_dense(), sparse("sparse_coo"))


def test_hybrid_and_uncoalesced_tensors():
    values = gn.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=gn.float64)
    hybrid = gn.sparse_coo_tensor([[0, 2, 0]], values, (4, 2)).requires_grad_()
    for masked in (False, True):
        assert gradcheck(lambda s, masked=masked: s.to_dense(masked_grad=masked), hybrid, masked=masked)
    assert not hybrid.is_coalesced()


def test_sparse_results_are_refused_unless_made_strided():
    with pytest.raises(ValueError, match="Sparse output is not supported at gradcheck yet"):
        gradcheck(lambda s: s * 2, sparse("sparse_coo"))
    strided = gn.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=gn.float64, requires_grad=True)
    with pytest.raises(ValueError, match="Sparse output is not supported at gradcheck yet"):
        gradcheck(lambda d: d.to_sparse(), strided)
    for masked in (False, True):
        check = gn.sparse.as_sparse_gradcheck(gradcheck)
        assert check(lambda s: (s * 2, s), sparse("sparse_csr"), masked=masked)
        assert check(lambda d: d.to_sparse(), strided)
    assert check.__name__ == "gradcheck"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_as_sparse_gradcheck_of_specified_elements(layout):
    check = gn.sparse.as_sparse_gradcheck(gradcheck)
    strided = gn.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=gn.float64, requires_grad=True)
    assert check(lambda s, d: s @ d, (sparse(layout), strided), masked=True)
    assert check(lambda s: (s * 2).to_dense(masked_grad=False).sum(), sparse(layout), masked=True)
    assert check(lambda s: s.to_dense(masked_grad=True), sparse(layout), masked=True, fast_mode=True)


def test_a_sparse_gradient_of_a_strided_input_is_refused():
    strided = gn.ones(2, 2, dtype=gn.float64, requires_grad=True)
    with pytest.raises(
        GradcheckError, match=r"grad is incorrect layout \(gnomon.sparse_coo is not gnomon.strided\)"
    ):
        gradcheck(lambda x: x.clone().mul_(sparse("sparse_coo").detach()), strided)


def test_second_derivatives():
    assert gradgradcheck(lambda s: (s * s).to_dense(masked_grad=False), sparse("sparse_coo"))
    assert gradgradcheck(lambda s: (s * s).to_dense(masked_grad=True), sparse("sparse_csr"), masked=True)
