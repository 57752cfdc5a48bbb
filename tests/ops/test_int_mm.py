"""_int_mm: products of bytes, across the edges of the blocks and panels of the C kernel."""

import pytest

import gnomon as gn


@pytest.mark.parametrize("unsigned", [False, True])
@pytest.mark.parametrize(
    "sizes",
    [
        (1, 1, 1),
        (7, 33, 17),
        (25, 700, 31),
        (130, 513, 40),
        (3, 5, 700),
        (1, 2053, 9),
        (2, 1100, 5),
        (3, 77, 4),
        (2, 1101, 70),
        (3, 6, 64),
        (17, 2051, 65),
    ],
)
def test_products_are_exact(sizes, unsigned):
    m, k, n = sizes
    kind, low, high = (gn.uint8, 0, 256) if unsigned else (gn.int8, -128, 128)
    generator = gn.Generator().manual_seed(0)
    a = gn.randint(low, high, (m, k), dtype=kind, generator=generator, device="c")
    b = gn.randint(-128, 128, (n, k), dtype=gn.int8, generator=generator, device="c")
    expected = gn.mm(a.int(), b.int().t())
    for right in (b.t(), b.t().contiguous()):
        found = gn._int_mm(a, right)
        assert found.dtype is gn.int32 and found.shape == (m, n) and found.stride() == (n, 1)
        assert found.equal(expected)
    assert gn._int_mm(a.t().contiguous().t(), b.t()).equal(expected)
    out = gn.empty(n, m, dtype=gn.int32, device="c").t()
    assert gn._int_mm(a, b.t(), out=out) is out and out.equal(expected) and out.stride() == (1, m)


def test_the_largest_products(device: str):
    least = gn.full((2, 4), -128, dtype=gn.int8, device=device)
    assert gn._int_mm(least, least.t()).tolist() == [[65536] * 2] * 2
    most = gn.full((2, 4), 255, dtype=gn.uint8, device=device)
    assert gn._int_mm(most, least.t()).tolist() == [[-130560] * 2] * 2
    for kind, value in [(gn.int8, -128), (gn.int8, 127), (gn.uint8, 255)]:
        left = gn.full((9, 70), value, dtype=kind, device=device)
        assert gn._int_mm(left, least[:1].expand(70, 4)).tolist() == [[-128 * 70 * value] * 4] * 9
    assert gn._int_mm(least[:, :0], least[:, :0].t()).tolist() == [[0, 0], [0, 0]]


def test_refused(device: str):
    a = gn.ones(3, 4, dtype=gn.int8, device=device)
    for left, right, text in [
        (a, a, r"self.size\(1\) needs to match mat2.size\(0\) but got 4 and 3"),
        (a[0], a, "Expected self to be of dimension 2 but got 1"),
        (a.int(), a.t(), "Expected self dtype to be int8 or uint8 but got int32"),
        (a, a.t().int(), "Expected mat2 dtype to be of type int8 but got int32"),
    ]:
        with pytest.raises(RuntimeError, match=text):
            gn._int_mm(left, right)
