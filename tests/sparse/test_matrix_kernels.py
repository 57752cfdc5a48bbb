"""sparse/matrix_kernels.py: elements of products of matrices, also where there is no kernel for them."""

from __future__ import annotations

import pytest

import gnomon as gn
from gnomon.sparse import matrix_kernels
from gnomon.sparse.matrix_kernels import csr_product, csr_sampled_mm, sampled_product

INDICES = [0, 2, 2, 3], [3, 0, 1]  # of rows 0, 0 and 2


def indices(device, dtype=gn.int64):
    return [gn.tensor(each, dtype=dtype, device=device) for each in INDICES]


@pytest.mark.parametrize("inner", [0, 1, 5, 16, 39])
@pytest.mark.parametrize("dtype", [gn.int64, gn.int32])
def test_elements_of_a_product(device, dtype, inner):
    left = (gn.arange(3 * inner, dtype=gn.float64, device=device) % 7).reshape(3, inner)
    right = (gn.arange(4 * inner, dtype=gn.float64, device=device) % 5).reshape(4, inner).t()
    wanted = (left @ right).tolist()
    found = csr_sampled_mm(left, right, *indices(device, dtype))
    assert found.tolist() == [wanted[0][3], wanted[0][0], wanted[2][1]]
    assert (found.dtype, found.shape, found.stride()) == (gn.float64, (3,), (1,))
    assert csr_sampled_mm(left.flip(0), right.contiguous(), *indices(device, dtype)).tolist() == [
        wanted[2][3],
        wanted[2][0],
        wanted[0][1],
    ]


@pytest.mark.parametrize("inner", [1, 7, 8, 15, 17, 50])
@pytest.mark.parametrize("dtype", [gn.bfloat16, gn.float32, gn.complex64, gn.complex128])
def test_elements_that_are_computed_together(device, dtype, inner):
    """Rows of 0 to 9 elements, and numbers whose sums of products are exact in each dtype."""
    lengths = gn.arange(10, device=device)
    starts = gn.cat([lengths.new_zeros(1), lengths.cumsum(0)])
    columns = gn.arange(45, device=device) * 7 % 11
    left = (gn.arange(10 * inner, device=device) % 3 - 1).reshape(10, inner).to(dtype)
    right = (gn.arange(inner * 11, device=device) % 5 - 2).reshape(inner, 11).to(dtype)
    if dtype.is_complex:
        left, right = left * (1 - 2j), right * (2 + 1j) + 1j
    rows = lengths.repeat_interleave(lengths)
    found = csr_sampled_mm(left, right, starts, columns)
    assert found.equal((left[rows] * right.t()[columns]).sum(1))
    product = csr_product(found, starts, columns, right.t())
    dense = gn.zeros(10, 11, dtype=dtype, device=device)
    for row, column, value in zip(rows.tolist(), columns.tolist(), found):
        dense[row, column] = value
    assert product.equal(dense @ right.t()) and product.dtype is dtype


@pytest.mark.parametrize("dtype", [gn.float32, gn.float64, gn.complex64])
def test_the_same_without_a_kernel(device, dtype, monkeypatch):
    left = gn.arange(15.0, device=device).reshape(3, 5).to(dtype)
    right = gn.arange(20.0, device=device).reshape(5, 4).to(dtype) - 3
    values, starts_and_columns = gn.tensor([1.0, 2.0, -3.0], dtype=dtype, device=device), indices(device)
    by_kernel = sampled_product(left, right, *starts_and_columns)
    product = csr_product(values, *starts_and_columns, left.t().contiguous())
    monkeypatch.setattr(matrix_kernels, "_has_kernel", lambda operator, operand: False)
    assert sampled_product(left, right, *starts_and_columns).tolist() == by_kernel.tolist()
    assert csr_product(values, *starts_and_columns, left.t().contiguous()).tolist() == product.tolist()


@pytest.mark.parametrize(
    ("starts", "columns", "message"),
    [
        ([0, 2, 2, 4], [3, 0, 1], "crow_indices takes value 4 which is not in the valid range"),
        ([0, 2, 2, -1], [3, 0, 1], "crow_indices takes value -1"),
        ([0, 2, 2, 3], [3, 0, 4], "col_indices takes value 4 which is not in the valid range"),
        ([0, 2, 2, 3], [3, -1, 0], "col_indices takes value -1"),
        ([0, 2, 1, 3], [3, 0, 1], "expected crow_indices from 0 to 3 that do not decrease"),
        ([1, 2, 2, 3], [3, 0, 1], "expected crow_indices from 0 to 3 that do not decrease"),
        ([0, 2, 2, 2], [3, 0, 1], "expected crow_indices from 0 to 3 that do not decrease"),
    ],
)
def test_indices_that_are_not_valid_are_refused(device, starts, columns, message):
    given = [gn.tensor(each, device=device) for each in (starts, columns)]
    with pytest.raises(RuntimeError, match=f"_csr_sampled_mm: {message}"):
        csr_sampled_mm(gn.ones(3, 2, device=device), gn.ones(2, 4, device=device), *given)


def test_arguments_that_do_not_fit_are_refused():
    left, right = gn.ones(3, 2), gn.ones(2, 4)
    starts, columns = indices(None)
    for arguments, message in (
        ((left, right.t(), starts, columns), r"expected sizes \(n, k\) of mat1"),
        ((left, right, starts[1:], columns), r"expected sizes \(n, k\) of mat1"),
        ((left, right, starts, columns.int()), "expected indices of int32 or of int64"),
        ((left[0], right, starts, columns), "expected mat1 to be of dimension 2"),
        ((left, right.double(), starts, columns), "dtype"),
    ):
        with pytest.raises(RuntimeError, match=message):
            csr_sampled_mm(*arguments)


def test_gradients():
    left = gn.randn(3, 5, dtype=gn.complex128).requires_grad_()
    right = gn.randn(5, 4, dtype=gn.complex128).requires_grad_()
    function = lambda one, two: csr_sampled_mm(one, two, *indices(None))  # noqa: E731
    assert gn.autograd.gradcheck(function, (left, right))
    assert gn.autograd.gradgradcheck(function, (left, right))
