"""A plan is not used for calls that mean something else or do more; on both tiers."""

from __future__ import annotations

from typing import Any

import pytest

import gnomon as gn

pytestmark = pytest.mark.both_tiers


def test_operands_that_were_one_tensor_are_told_apart_later(device: str) -> None:
    x, y = gn.full((3,), 2.0), gn.full((3,), 3.0)
    for _ in range(2):
        assert x.__rpow__(x).tolist() == [4.0] * 3
        assert x.__rsub__(x).tolist() == [0.0] * 3
    for _ in range(2):
        assert x.__rpow__(y).tolist() == [9.0] * 3
        assert y.__rpow__(x).tolist() == [8.0] * 3
        assert x.__rsub__(y).tolist() == [1.0] * 3
        assert gn.rsub(y, x).tolist() == [-1.0] * 3


def test_as_strided_asks_the_storage_each_time(device: str) -> None:
    for _ in range(2):
        wide, short = gn.arange(4.0)[:3], gn.arange(3.0)
        for _ in range(2):
            assert wide.as_strided((2, 2), (1, 1), 1).tolist() == [[1.0, 2.0], [2.0, 3.0]]
            with pytest.raises(RuntimeError, match="out of bounds for storage of size 12"):
                short.as_strided((2, 2), (1, 1), 1)
            later = gn.arange(5.0)[2:]
            assert later.as_strided((2,), (1,), 0).tolist() == [0.0, 1.0]
            assert gn.ops.aten.as_strided.default(later, (2,), (1,), 1).tolist() == [1.0, 2.0]
            assert gn.as_strided(later, (2,), (1,)).tolist() == [2.0, 3.0]


def test_what_is_warned_of_is_warned_of_each_time(device: str) -> None:
    for _ in range(3):
        repeated = gn.ones(1).expand(2)
        with pytest.warns(UserWarning, match="Use of index_fill_ on expanded tensors is deprecated"):
            repeated.index_fill_(0, gn.tensor([0]), 3)


def test_the_number_is_refused_before_the_index(device: str) -> None:
    x = gn.arange(2)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="value cannot be converted to type int64 without overflow"):
            x[9] = float("inf")
        with pytest.raises(IndexError, match="index 9 is out of bounds"):
            x[9] = 1
    assert x.tolist() == [0, 1]


def test_operands_of_derived_classes_stand_where_they_were_written(device: str) -> None:
    class Kept(gn.Tensor):
        pass

    class Reflected(gn.Tensor):
        def __radd__(self, other: Any) -> Any:
            return "reflected"

    x = gn.ones(2)
    for parameter in (gn.nn.Parameter(x), gn.Tensor._make_subclass(Kept, x, True)):
        for _ in range(3):
            edges = (x * parameter).grad_fn.next_functions
            assert [node and node.name() for node, _ in edges] == [None, "AccumulateGrad"]
            edges = (parameter * x).grad_fn.next_functions
            assert [node and node.name() for node, _ in edges] == ["AccumulateGrad", None]
    own = gn.Tensor._make_subclass(Reflected, x)
    assert x + own == "reflected" and (own + x).tolist() == [2.0, 2.0]
    assert (x - own).tolist() == [0.0, 0.0]
    Kept.__rsub__ = lambda self, other: "later"
    assert x - gn.Tensor._make_subclass(Kept, x) == "later"


def test_calls_in_calls_end_in_a_recursion_error(device: str) -> None:
    class Endless(gn.Tensor):
        @classmethod
        def __gnomon_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {}))

    x = gn.Tensor._make_wrapper_subclass(Endless, (2,))
    for call in (lambda: x + x, lambda: gn.stack([x, x]), lambda: x.sum(dim=0), lambda: x[0]):
        for _ in range(2):
            with pytest.raises(RecursionError):
                call()
    assert (gn.ones(2) + gn.ones(2)).tolist() == [2.0, 2.0]
