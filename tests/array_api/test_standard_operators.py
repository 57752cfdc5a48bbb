"""standard_operators: Python's operators by the standard, and by PyTorch outside."""

import pytest

import gnomon as gn
import gnomon.array_api as xp

pytestmark = pytest.mark.usefixtures("device")


def test_promotion():
    small, large = gn.tensor([1], dtype=gn.int8), gn.tensor(1)
    with xp.standard_operators():
        assert (small + large).dtype is gn.int64 and (large - small).dtype is gn.int64
        assert (small + 1).dtype is gn.int8 and (1 - small).dtype is gn.int8
        assert (gn.ones(2, dtype=gn.int8) @ gn.ones(2, dtype=gn.int16)).dtype is gn.int16
        with pytest.raises(
            TypeError, match=r"add_: the result's dtype gnomon.int64 is not the tensor's gnomon.int8"
        ):
            small += large
    assert (small + large).dtype is gn.int8


@pytest.mark.parametrize("kind", [gn.uint16, gn.uint32, gn.uint64])
def test_unsigned_integers(kind):
    top = 2**kind.bits
    x = gn.tensor([1, 5, top - 1], dtype=kind)
    with xp.standard_operators():
        assert (x + 1).tolist() == [2, 6, 0] and (x // 2).tolist() == [0, 2, top // 2 - 1]
        assert (
            (7 // x).tolist() == [7, 1, 0] and (x % 4).tolist() == [1, 1, 3] and (5 - x).tolist() == [4, 0, 6]
        )
        assert (-x).tolist() == [top - 1, top - 5, 1] and (~x).tolist() == [top - 2, top - 6, 0]
        assert (x < 5).tolist() == [True, False, False] and (x**2).tolist() == [1, 25, 1]
        assert abs(x).tolist() == x.tolist() and (x >> 1).tolist() == [0, 2, top // 2 - 1]
        before, copy = x, x.clone()
        copy[copy > 1] = 9
        copy[gn.tensor([0, -1])] = gn.tensor([4, top - 3], dtype=kind)
        copy[1:1:-1] = 0
        assert copy.tolist() == [4, 9, top - 3]
        x *= 3
        assert x is before and x.tolist() == [3, 15, top - 3] and x.dtype is kind
    with pytest.raises(NotImplementedError, match="not implemented for dtype"):
        x + x


def test_slices_backwards():
    x = gn.arange(12).reshape(3, 4)
    with xp.standard_operators():
        assert x[::-1, 3:0:-2].tolist() == [[11, 9], [7, 5], [3, 1]]
        assert x[0:2:-1].shape == (0, 4) and x[None, -1, ::-3].tolist() == [[11, 8]]
        x[::-1, 1] = gn.tensor([20, 21, 22])
        x[1, ::-2] = 7
        assert x.tolist() == [[0, 22, 2, 3], [4, 7, 6, 7], [8, 20, 10, 11]]
    with pytest.raises(ValueError, match="step must be greater than zero"):
        x[::-1]
    with pytest.raises(ValueError, match="step must be greater than zero"):
        x[::-1] = 0


def test_empty_masks():
    with xp.standard_operators():
        assert gn.ones(2, 3)[gn.ones(0, 3, dtype=gn.bool)].tolist() == []
        with pytest.raises(IndexError, match="does not match the shape"):
            gn.ones(2, 3)[gn.ones(1, 3, dtype=gn.bool)]
    with pytest.raises(IndexError, match="does not match the shape"):
        gn.ones(2, 3)[gn.ones(0, 3, dtype=gn.bool)]


def test_special_cases():
    x = gn.tensor([float("inf"), 1.0])
    with xp.standard_operators():
        assert (x // 2).tolist() == [float("inf"), 0]
    assert (x // 2).isnan().tolist() == [True, False]


def test_gradients_are_recorded():
    x = gn.tensor([1.0, 2.0], requires_grad=True)
    with xp.standard_operators():
        y = (x * gn.tensor(3.0, dtype=gn.float64)).sum()
    y.backward()
    assert y.dtype is gn.float64 and x.grad.tolist() == [3, 3] and x.grad.dtype is gn.float32
