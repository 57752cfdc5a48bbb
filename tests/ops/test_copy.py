"""ops/views/copy.py: copies and fills that are refused, and leave the tensor as it was."""

from __future__ import annotations

import math

import pytest

import gnomon as gn


def test_copying_between_overlapping_elements_is_refused(device: str) -> None:
    x = gn.arange(4).view(2, 2)
    with pytest.raises(RuntimeError, match="copy_: unsupported operation: some elements of the input tensor"):
        x.t().copy_(x)
    with pytest.raises(RuntimeError, match="copy_: unsupported operation"):
        x.view(4)[1:].copy_(x.view(4)[:-1])
    assert x.tolist() == [[0, 1], [2, 3]]
    assert x.copy_(x).tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("dtype", "number"),
    [
        (gn.uint8, 300),
        (gn.uint8, -300),
        (gn.int32, math.inf),
        (gn.int32, math.nan),
        (gn.int64, 2**63),
        (gn.float16, 1e6),
        (gn.float32, 1 + 2j),
    ],
)
def test_a_number_that_the_dtype_can_not_hold_is_refused(device: str, dtype: gn.dtype, number: float) -> None:
    text = f"value cannot be converted to type {dtype.name} without overflow"
    with pytest.raises(RuntimeError, match=f"full: {text}"):
        gn.full((2,), number, dtype=dtype)
    x = gn.ones(2, dtype=dtype)
    with pytest.raises(RuntimeError, match=text):
        x.fill_(number)
    assert x.tolist() == [1, 1]


def test_what_fits_is_filled(device: str) -> None:
    assert gn.full((1,), -3, dtype=gn.uint8).tolist() == [253]
    assert gn.full((1,), math.inf, dtype=gn.float16).tolist() == [math.inf]
    assert gn.full((3,), math.nan, dtype=gn.bool).tolist() == [True] * 3
    assert gn.full((1,), 0.5, dtype=gn.bool).tolist() == [True]


def test_a_number_is_copied_like_a_tensor_of_its_own_dtype(device: str) -> None:
    assert gn.ones(2, 2).copy_(2).tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert gn.ones(1, dtype=gn.float64).copy_(0.1).tolist() == [0.1]  # not rounded to float32 before
    assert gn.ones(1, dtype=gn.int8).copy_(300).tolist() == [44]  # converted, where fill_ refuses
    assert gn.ones(1, dtype=gn.bool).copy_(other=2.5, non_blocking=True).tolist() == [True]
    assert gn.ops.aten.copy_(gn.ones(1), 2).tolist() == [2.0]
    x = gn.ones(2, requires_grad=True)
    y = x.clone().copy_(3)
    assert y.grad_fn is not None and y.grad_fn.name() == "CopyBackwards"
    (y * x).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [3.0, 3.0]


def test_a_list_is_no_source_of_a_copy(device: str) -> None:
    with pytest.raises(TypeError, match=r"^copy_\(\): argument 'src' .* must be Tensor, not list"):
        gn.ones(2).copy_([1, 2])  # type: ignore[arg-type]
