"""Repeated calls with keywords behave as with the argument parser."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import gnomon as gn
from gnomon.bindings.argument_parser import Signature
from gnomon.values.speedups import speedups

pytestmark = pytest.mark.both_tiers


def facts(result: Any) -> Any:
    if isinstance(result, gn.Tensor):
        return result.dtype, result.shape, result.stride(), result.tolist(), result.requires_grad
    if isinstance(result, tuple):
        return type(result), tuple(map(facts, result))
    return result


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return facts(call())
    except Exception as error:
        return type(error), str(error)


x = gn.arange(12.0).reshape(3, 4)
number = gn.tensor(2)
image, kernel = gn.arange(50.0).reshape(1, 2, 5, 5), gn.arange(36.0).reshape(2, 2, 3, 3)
CALLS: dict[str, Callable[[], Any]] = {
    "sum": lambda: gn.sum(x, dim=1, keepdim=True),
    "sum of two": lambda: x.sum(dim=(0, 1)),
    "sum of a list": lambda: x.sum(dim=[0]),
    "sum of none": lambda: x.sum(dim=None),
    "sum of nothing": lambda: x.sum(dim=()),
    "sum, dtype": lambda: x.sum(dtype=gn.float64),
    "sum, Python's dtype": lambda: x.sum(dtype=float),
    "sum, axis": lambda: x.sum(axis=1, keepdims=True),
    "sum, dim twice": lambda: x.sum(1, dim=1),
    "sum, both names": lambda: x.sum(dim=1, axis=1),
    "sum, out of range": lambda: x.sum(dim=7),
    "sum, of a tensor": lambda: x.sum(dim=gn.tensor(1)),
    "sum, of a bool": lambda: x.sum(dim=True),
    "sum, of a float": lambda: x.sum(dim=1.0),
    "sum, no such keyword": lambda: x.sum(dims=1),
    "sum, input": lambda: gn.sum(input=x, dim=1),
    "max": lambda: x.max(dim=1),
    "max, keepdim": lambda: gn.max(x, dim=0, keepdim=True),
    "max of two": lambda: gn.max(x, other=gn.full((4,), 5.0)),
    "softmax": lambda: gn.softmax(x, dim=1),
    "softmax in float64": lambda: gn.softmax(x, dim=1, dtype=gn.float64),
    "cat": lambda: gn.cat([x, x], dim=1),
    "cat by name": lambda: gn.cat(tensors=[x, x], dim=1),
    "cat by name, a tuple": lambda: gn.cat(tensors=(x, x)),
    "cat of what is none": lambda: gn.cat(tensors=[x, 3]),
    "cat of nothing": lambda: gn.cat(tensors=[], dim=0),
    "add": lambda: gn.add(x, x, alpha=2),
    "add, a float": lambda: gn.add(x, x, alpha=2.5),
    "add, too large": lambda: gn.add(x, x, alpha=2**70),
    "add, a tensor": lambda: gn.add(x, x, alpha=gn.tensor(2.0)),
    "add, a number by name": lambda: gn.add(x, other=3),
    "add, names": lambda: gn.add(input=x, other=x),
    "add, names the other way": lambda: gn.add(other=x, input=x * 2),
    "pow": lambda: gn.pow(x, exponent=2),
    "pow of a tensor": lambda: gn.pow(x, exponent=number),
    "pow of a number": lambda: gn.pow(self=2.0, exponent=x),
    "clamp": lambda: x.clamp(min=2),
    "clamp both": lambda: x.clamp(max=7.5, min=2),
    "clamp by tensors": lambda: x.clamp(min=gn.full((4,), 2.0)),
    "clamp by a tensor without dimensions": lambda: x.clamp(min=gn.tensor(2.0)),
    "clamp, none": lambda: x.clamp(min=None, max=3),
    "transpose": lambda: x.transpose(dim0=0, dim1=1),
    "transpose, turned": lambda: x.transpose(dim1=0, dim0=-1),
    "var": lambda: x.var(dim=1, correction=0),
    "zeros": lambda: gn.zeros(2, 3, dtype=gn.int64),
    "zeros, sizes by name": lambda: gn.zeros(size=(2, 3), device="reference"),
    "full": lambda: gn.full((2,), fill_value=3, dtype=gn.float32),
    "full, requires grad": lambda: gn.full((2,), fill_value=3.0, requires_grad=True),
    "zeros_like": lambda: gn.zeros_like(x, dtype=gn.int32),
    "flip": lambda: x.flip(dims=(0,)),
    "roll": lambda: gn.roll(x, shifts=1, dims=0),
    "layer_norm": lambda: gn.layer_norm(x, normalized_shape=(4,), eps=1e-3),
    "convolution": lambda: gn.conv2d(image, kernel, padding=1),
    "convolution, two ints that stand for lists": lambda: gn.conv2d(image, kernel, padding=1, stride=2),
    "convolution, an int and a list": lambda: gn.conv2d(image, kernel, stride=(2, 1), padding=1),
    "convolution, ints in their places": lambda: gn.conv2d(image, kernel, None, 2, 1, dilation=2),
    "convolution, padding by name": lambda: gn.conv2d(image, kernel, padding="same"),
    "convolution, a bool": lambda: gn.conv2d(image, kernel, padding=True),
    "convolution, negative": lambda: gn.conv2d(image, kernel, padding=-1),
    "pooling": lambda: gn.nn.functional.avg_pool2d(image, kernel_size=3, stride=2, padding=1),
    "topk": lambda: x.topk(k=2, dim=1, largest=False),
    "argmax": lambda: x.argmax(dim=1),
    "to": lambda: x.to(dtype=gn.float64),
    "where": lambda: gn.where(condition=x > 3, input=x, other=-x),
    "deprecated": lambda: x.add(2, other=x),
}


@pytest.fixture(scope="module")
def expected() -> Iterator[dict[str, Any]]:
    """The outcomes by the parser alone, as these are the first calls of their kinds."""
    if speedups is not None:
        speedups.forget_plans()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: outcome(call) for name, call in CALLS.items()}
    yield found


@pytest.mark.filterwarnings("ignore:This overload")
def test_calls_with_keywords(expected: dict[str, Any]) -> None:
    for _ in range(3):
        for name, call in CALLS.items():
            assert outcome(call) == expected[name], name


@pytest.mark.skipif(speedups is None, reason="needs the C speedups")
def test_the_parser_is_not_asked_twice(expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    names = [
        *("sum", "sum of two", "sum, axis", "max", "softmax", "cat by name", "add"),
        *(
            "add, names the other way",
            "pow",
            "clamp both",
            "transpose, turned",
            "var",
            "zeros_like",
            "topk",
            "to",
            "pooling",
        ),
        *("convolution", "convolution, two ints that stand for lists", "convolution, an int and a list"),
        "convolution, ints in their places",
    ]
    for name in names * 2:
        CALLS[name]()
    out = gn.empty(3, 4)
    for _ in range(2):
        gn.exp(x, out=out)
    monkeypatch.setattr(Signature, "bind", lambda *arguments: pytest.fail("was parsed again"))
    for name in names:
        assert outcome(CALLS[name]) == expected[name]
    assert gn.exp(x, out=out) is out


def test_out_by_keyword() -> None:
    y = x + 1
    for _ in range(3):
        out = gn.empty(3, 4)
        assert gn.add(x, y, out=out) is out
        assert gn.equal(out, x + y)
        assert gn.add(x, y, alpha=2, out=out) is out
        assert gn.equal(out, x + 2 * y)
        assert gn.add(x, y, out=out, alpha=3) is out
        assert gn.equal(out, x + 3 * y)
        small = gn.empty(0)
        assert gn.sum(x, 1, out=small).tolist() == x.sum(1).tolist()
        assert gn.sum(x, dim=1, keepdim=True, out=gn.empty(0)).shape == (3, 1)
        values, indices = gn.empty(0), gn.empty(0, dtype=gn.int64)
        result = gn.max(x, dim=1, out=(values, indices))
        assert result.values is values and result.indices is indices
        assert gn.exp(x, out=None) is not None
        for wrong in (3, (out, out), gn.empty(3, 4, dtype=gn.int64)):
            with pytest.raises((TypeError, RuntimeError)) as first:
                gn.exp(x, out=wrong)
            with pytest.raises(type(first.value)) as again:
                gn.exp(x, out=wrong)
            assert str(first.value) == str(again.value)
