"""The kernel of products of sparse_csr and strided matrices, on each backend of the host."""

import re

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import gnomon as gn
from gnomon.backends.listing import backend_info
from gnomon.sparse.matrix_kernels import csr_mm

VALUES, CROW, COL = [1.0, 2.0, 3.0], [0, 2, 2, 3], [0, 2, 1]


@st.composite
def products(draw):
    """The sizes (rows, inner, columns), and for each row the columns of its elements, also repeated ones."""
    rows, inner, columns = draw(st.integers(0, 5)), draw(st.integers(1, 40)), draw(st.integers(0, 70))
    places = st.lists(st.integers(0, inner - 1), max_size=12)
    return (rows, inner, columns), draw(st.lists(places, min_size=rows, max_size=rows))


@pytest.mark.parametrize("where", ["reference", "c"])
@pytest.mark.parametrize("dtype", [gn.float16, gn.float32, gn.float64, gn.complex64, gn.int32])
@pytest.mark.parametrize("kind", [gn.int32, gn.int64])
@settings(max_examples=25)
@given(product=products())
def test_product_is_that_of_the_dense_matrix(where, dtype, kind, product):
    if not backend_info(where).available:
        pytest.skip(f"backend {where} is not available here")
    with gn.device(where):
        check_product(dtype, kind, product)


def check_product(dtype, kind, product):
    (rows, inner, columns), places = product
    flat = [place for each in places for place in each]
    starts = [sum(map(len, places[:row])) for row in range(rows + 1)]
    values = gn.tensor([k % 5 - 2 for k in range(len(flat))], dtype=dtype)
    dense = gn.zeros(rows, inner, dtype=dtype)
    for row, each in enumerate(places):
        for k, place in enumerate(each, starts[row]):
            dense[row, place] += values[k]
    other = (gn.arange(inner * columns) % 7 - 3).view(columns, inner).to(dtype)
    expected = dense @ other.t()
    for mat2 in (other.t(), other.t().contiguous()):
        found = csr_mm(values, gn.tensor(starts, dtype=kind), gn.tensor(flat, dtype=kind), mat2)
        assert found.dtype is dtype and found.stride() == expected.stride()
        assert found.tolist() == expected.tolist()


def test_strided_parts(device):
    values, crow, col = (gn.tensor(each).repeat_interleave(2)[::2] for each in (VALUES, CROW, COL))
    assert values.stride() == crow.stride() == col.stride() == (2,)
    found = csr_mm(values, crow, col, gn.arange(6.0).view(2, 3).t())
    assert found.tolist() == [[4.0, 13.0], [0.0, 0.0], [3.0, 12.0]]


@pytest.mark.parametrize(
    ("change", "kind", "text"),
    [
        (
            {"col": [0, 3, 1]},
            RuntimeError,
            "col_indices takes value 3 which is not in the valid range [0, 3)",
        ),
        (
            {"col": [0, -1, 1]},
            RuntimeError,
            "col_indices takes value -1 which is not in the valid range [0, 3)",
        ),
        (
            {"crow": [0, 2, 2, 4]},
            RuntimeError,
            "crow_indices takes value 4 which is not in the valid range [0, 4)",
        ),
        (
            {"crow": [-1, 2, 2, 3]},
            RuntimeError,
            "crow_indices takes value -1 which is not in the valid range [0, 4)",
        ),
        (
            {"crow": [9, 2, 2, 3]},
            RuntimeError,
            "crow_indices takes value 9 which is not in the valid range [0, 4)",
        ),
        (
            {"crow": [0, 2, 2, -3]},
            RuntimeError,
            "crow_indices takes value -3 which is not in the valid range [0, 4)",
        ),
        ({"values": [1.0]}, RuntimeError, "but got [4], [3] and [1]"),
        ({"crow": []}, RuntimeError, "expected crow_indices to have an element"),
        (
            {"values": [True] * 3},
            RuntimeError,
            "csr_mm: expected dtype bool for `mat2` but got dtype float32",
        ),
        ({"values": [[1.0]]}, RuntimeError, "expected values to be of dimension 1, but got 2"),
    ],
)
def test_refused(device, change, kind, text):
    given = {"values": VALUES, "crow": CROW, "col": COL, **change}
    values, crow, col = (
        gn.tensor(each, dtype=None if name == "values" else gn.int64) for name, each in given.items()
    )
    with pytest.raises(kind, match=re.escape(text)):
        csr_mm(values, crow, col, gn.ones(3, 2))


@pytest.mark.parametrize("kind", [gn.int32, gn.int64])
@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize(
    ("crow", "columns"),
    [([1, 2, 2, 4], 2), ([1, 2, 2, 4], 1), ([0, 0, 0, 0], 2), ([2], 2), ([0, 2, 2, 5], 0), ([4, 5, 0, 1], 2),
     ([4, 5, 0, 2], 1)],
)  # fmt: skip
def test_columns_that_no_row_reads_are_checked(device, crow, columns, place, kind):
    col = gn.zeros(5, dtype=kind)
    given = (gn.tensor(crow, dtype=kind), col, gn.ones(3, columns))
    assert csr_mm(gn.ones(5), *given).shape == (len(crow) - 1, columns)
    for wrong in (3, -1):
        col[place] = wrong
        with pytest.raises(RuntimeError, match=rf"col_indices takes value {wrong} which is not in the"):
            csr_mm(gn.ones(5), *given)


def test_indices_of_two_dtypes_are_refused(device):
    with pytest.raises(RuntimeError, match="got col_indices of int64 and crow_indices of int32"):
        csr_mm(gn.tensor(VALUES), gn.tensor(CROW, dtype=gn.int32), gn.tensor(COL), gn.ones(3, 2))


def test_threads_give_the_same(device):
    """Rows are divided among threads; an index out of range is found by whichever has it."""
    side = 3000
    crow, col = gn.arange(0, 8 * side + 1, 8), gn.arange(8 * side) * 7 % side
    values, other = gn.arange(8.0 * side) % 9 - 4, (gn.arange(3.0 * side) % 5).view(side, 3)
    rows = values.view(side, 8, 1) * other[col].view(side, 8, 3)
    if device == "reference":
        pytest.skip("the reference has one thread")
    assert csr_mm(values, crow, col, other).equal(rows.sum(1))
    col[-1] = side
    with pytest.raises(RuntimeError, match=f"col_indices takes value {side} which"):
        csr_mm(values, crow, col, other)


@pytest.mark.parametrize("layout", [gn.sparse_coo, gn.sparse_csr, gn.sparse_csc])
def test_factors_of_addmm_do_not_change_the_dtype(layout):
    """Those that integers can not hold are refused, as of strided matrices; 1.0 is no factor."""
    whole = gn.eye(2, dtype=gn.int64).to_sparse(layout=layout)
    ones = gn.ones(2, 2, dtype=gn.int64)
    for add in (gn.addmm, gn.sparse.addmm):
        assert add(ones, whole, ones, beta=1.0, alpha=1.0).dtype is gn.int64
        found = add(ones, whole, ones, beta=3, alpha=2)
        assert found.dtype is gn.int64 and found.tolist() == [[5, 5], [5, 5]]
        for name in ("beta", "alpha"):
            with pytest.raises(RuntimeError, match=f"argument {name} must not be a floating point number"):
                add(ones, whole, ones, **{name: 2.5})


def test_products_with_what_is_no_matrix_are_refused(device: str) -> None:
    batch, vector = gn.ones(2, 3, 4).to_sparse_csr(), gn.ones(4)
    for call in (lambda: gn.mv(batch, vector), lambda: gn.addmv(gn.ones(3), batch, vector)):
        with pytest.raises(RuntimeError, match=r"vector \+ matrix @ vector expected, got 1, 3, 1"):
            call()
    with pytest.raises(RuntimeError, match=r"vector \+ matrix @ vector expected, got 1, 2, 2"):
        gn.mv(batch[0], gn.ones(4, 1))
    with pytest.raises(RuntimeError, match="bmm_sparse: Tensor 'self' must have 0 dense dims, but has 1"):
        gn.bmm(gn.ones(2, 3, 4).to_sparse(2), gn.ones(2, 4, 1))
