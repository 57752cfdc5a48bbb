"""Rows of strided operands, which csrc/c/walk.c merges if they are short: results are as for dense ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gnomon as gn
from gnomon.memory.backend import get_backend

pytest.importorskip("gnomon_c")
if not get_backend("c").is_available()[0]:
    pytest.skip("the C backend was not built", allow_module_level=True)

WIDTHS = [1, 2, 7, 8, 9, 33, 255, 257]


def numbers(*sizes, dtype=gn.float32):
    """Different numbers of both signs."""
    count = 1
    for size in sizes:
        count *= size
    values = (gn.arange(count, device="c") * 7919 % 8191 - 4000).to(gn.float32) / 64
    return values.to(dtype).reshape(sizes)


LAYOUTS = {
    "dense": lambda rows, width, dtype: numbers(rows, width, dtype=dtype),
    "part of a row": lambda rows, width, dtype: numbers(rows, 3 * width + 1, dtype=dtype)[
        :, width : 2 * width
    ],
    "every other": lambda rows, width, dtype: numbers(rows, 2 * width, dtype=dtype)[:, ::2],
    "one row": lambda rows, width, dtype: numbers(1, width, dtype=dtype).expand(rows, width),
    "one column": lambda rows, width, dtype: numbers(rows, 1, dtype=dtype).expand(rows, width),
    "one element": lambda rows, width, dtype: numbers(1, 1, dtype=dtype).expand(rows, width),
    "every other row": lambda rows, width, dtype: numbers(2 * rows, width, dtype=dtype)[1::2],
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("right", LAYOUTS)
@pytest.mark.parametrize("left", LAYOUTS)
def test_two_operands(left, right, width):
    rows = 300 if width < 64 else 20
    a = LAYOUTS[left](rows, width, gn.float32)
    b = LAYOUTS[right](rows, width, gn.float32)
    dense_a, dense_b = a.contiguous(), b.contiguous()
    assert (a - b).tolist() == (dense_a - dense_b).tolist()
    assert (a < b).tolist() == (dense_a < dense_b).tolist()
    chosen = gn.where(dense_a < 0, a, b)
    assert chosen.tolist() == gn.where(dense_a < 0, dense_a, dense_b).tolist()


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int16", "int64", "bfloat16", "float16", "float64", "complex128"]
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_dtypes(layout, dtype):
    for width in (2, 5, 40):
        a = LAYOUTS[layout](100, width, getattr(gn, dtype))
        dense = a.contiguous()
        assert (a * a).tolist() == (dense * dense).tolist()
        assert (a == dense).all().item()
        assert a.to(gn.complex64).tolist() == dense.to(gn.complex64).tolist()


@pytest.mark.parametrize("width", WIDTHS)
def test_outputs_between_other_elements(width):
    rows = 300 if width < 64 else 20
    a, b = numbers(rows, width), numbers(rows, 2 * width)[:, width:]
    around = gn.full((rows, 3 * width), 7.5, device="c")
    out = around[:, width : 2 * width]
    gn.mul(a, b, out=out)
    assert out.tolist() == (a * b.contiguous()).tolist()
    out.add_(a)
    assert out.tolist() == (a * b.contiguous() + a).tolist()
    assert (around[:, :width] == 7.5).all().item() and (around[:, 2 * width :] == 7.5).all().item()


def test_half_types_into_strided_outputs():
    a = numbers(200, 24, dtype=gn.bfloat16)[:, :11]
    around = gn.zeros(200, 24, dtype=gn.bfloat16, device="c")
    gn.exp(a, out=around[:, 3:14])
    assert around[:, 3:14].tolist() == a.contiguous().exp().tolist()
    assert not around[:, :3].any().item() and not around[:, 14:].any().item()


@given(st.data())
def test_permuted_views(data):
    ndim = data.draw(st.integers(2, 4))
    sizes = data.draw(st.lists(st.integers(1, 9), min_size=ndim, max_size=ndim))
    views = []
    for _ in range(2):
        order = data.draw(st.permutations(range(ndim)))
        steps = data.draw(st.lists(st.integers(1, 2), min_size=ndim, max_size=ndim))
        base = numbers(*[sizes[dim] * step for dim, step in zip(order, steps)])
        for dim, step in enumerate(steps):
            base = base[(slice(None),) * dim + (slice(None, None, step),)]
        views.append(base.permute([order.index(dim) for dim in range(ndim)]))
    a, b = views
    assert list(a.shape) == sizes
    assert gn.maximum(a, b).tolist() == gn.maximum(a.contiguous(), b.contiguous()).tolist()


def test_threads_share_rows():
    a, b = numbers(9001, 24)[:, :13], numbers(9001, 1)
    before = gn.get_num_threads()
    try:
        gn.set_num_threads(1)
        alone = (a * b).tolist()
        gn.set_num_threads(2)
        assert (a * b).tolist() == alone
    finally:
        gn.set_num_threads(before)
