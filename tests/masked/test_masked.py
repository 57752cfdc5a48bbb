"""Reductions and normalizations of the elements that a mask selects."""

from __future__ import annotations

import math
from typing import Any

import pytest

import gnomon as gn

X = [[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]
MASK = [[True, False, True], [False, False, False]]
NAN, INF = math.nan, math.inf


def called(name: str, *args: Any, **options: Any) -> gn.Tensor:
    return getattr(gn.masked, name)(gn.tensor(X), *args, mask=gn.tensor(MASK), **options)


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("sum", (1,), [4.0, 0.0]),
        ("prod", (1,), [3.0, 1.0]),
        ("amax", (1,), [3.0, -INF]),
        ("amin", (1,), [1.0, INF]),
        ("mean", (1,), [2.0, NAN]),
        ("var", (1,), [2.0, NAN]),
        ("median", (1,), [1.0, NAN]),
        ("norm", (1.0, 1), [4.0, 0.0]),
        ("norm", (-INF, 1), [1.0, INF]),
        ("argmax", (1,), [2.0, 0.0]),
        ("cumsum", (1,), [[1.0, 1.0, 4.0], [0.0, 0.0, 0.0]]),
        ("cumprod", (1,), [[1.0, 1.0, 3.0], [1.0, 1.0, 1.0]]),
        ("normalize", (1.0, 1), [[0.25, 0.0, 0.75], [0.0, 0.0, 0.0]]),
    ],
)
def test_only_selected_elements_take_part(device: str, name: str, args: Any, expected: Any) -> None:
    found = called(name, *args)
    assert found.dtype is gn.float32
    gn.testing.assert_close(found, gn.tensor(expected), equal_nan=True)


def test_softmax_of_a_row_without_elements_is_nan(device: str) -> None:
    first = [1 / (1 + math.exp(2)), 0.0, 1 / (1 + math.exp(-2))]
    gn.testing.assert_close(called("softmax", 1)[0], gn.tensor(first))
    gn.testing.assert_close(called("softmin", 1)[0], gn.tensor(first[::-1]))
    gn.testing.assert_close(called("log_softmax", 1)[0], gn.tensor(first).log())
    assert called("softmax", 1)[1].isnan().all()


def test_dtypes_masks_and_dims() -> None:
    whole = gn.tensor([[1, 2], [3, 4]], dtype=gn.int32)
    mask = gn.tensor([1.0, 0.0])  # broadcast, and converted to bool
    assert gn.masked.sum(whole, mask=mask).dtype is gn.int64
    assert gn.masked.sum(whole, (0, 1), keepdim=True, mask=mask).tolist() == [[4]]
    assert gn.masked.cumsum(whole, 0, mask=mask).dtype is gn.int32
    assert gn.masked.amax(whole, 0, mask=mask).tolist() == [3, gn.iinfo(gn.int32).min]
    assert gn.masked.var(whole.double(), 0, correction=0, mask=mask).tolist()[0] == 1.0
    assert gn.masked.std(whole.half(), 0, mask=mask).dtype is gn.float16
    pair = gn.tensor([0.0, 1.0])
    found = gn.masked.logaddexp(pair, pair, other_mask=gn.tensor([True, False]))
    gn.testing.assert_close(found, gn.tensor([math.log(2), 1.0]))


def test_what_cannot_be_reduced_is_refused() -> None:
    x = gn.tensor(X)
    with pytest.raises(RuntimeError, match="dim=0 appears multiple times"):
        gn.masked.sum(x, (0, 0))
    with pytest.raises(IndexError, match="Dimension out of range"):
        gn.masked.amin(x, 2)
    with pytest.raises(IndexError, match="mask dimensionality higher"):
        gn.masked.sum(x, mask=gn.ones(1, 2, 3, dtype=gn.bool))
    with pytest.raises(ValueError, match="Could not infer output dtype"):
        gn.masked.mean(x.long())
    with pytest.raises(NotImplementedError, match="identity of amax"):
        gn.masked.amax(x.bool(), 1, mask=gn.tensor(MASK))
    with pytest.raises(ValueError, match="fully masked out rows"):
        gn.masked.median(x.long(), 1, mask=gn.tensor(MASK))
    with pytest.raises(AssertionError, match="Only one of"):
        gn.masked.var(x, 1, True, correction=0)


def test_gradients_are_of_selected_elements() -> None:
    x = gn.tensor(X, requires_grad=True)
    gn.masked.mean(x, mask=gn.tensor(MASK)).backward()
    assert x.grad is not None and x.grad.tolist() == [[0.5, 0.0, 0.5], [0.0, 0.0, 0.0]]
