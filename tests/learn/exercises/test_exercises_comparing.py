"""learn/exercises/comparing.py: what counts as the same, and how a difference is worded."""

from __future__ import annotations

import math
from types import ModuleType

import pytest

import gnomon as gn
from gnomon.learn.exercises import comparing
from gnomon.learn.exercises.comparing import Outcome

MODULE = ModuleType("answer")
MODULE.__file__ = "folder/answer.py"


@pytest.mark.parametrize(
    ("got", "expected", "is_same"),
    [
        ([1, (2, 3)], (1, [2, 3]), True),
        ((1, 2), (1, 2, 3), False),
        (math.nan, math.nan, True),
        (0.0, math.nan, False),
        (-math.inf, math.inf, False),
        (1, True, False),
        (0, None, False),
        (3, 3.0, True),
        ("3", 3, False),
        ({"a": [1]}, {"a": (1,)}, True),
        ({"a": 1}, {"b": 1}, False),
        (gn.tensor([1.0]), gn.tensor([1.0]), True),
        (gn.tensor([1.0]), gn.tensor([1]), False),
        (gn.tensor([1.0]), gn.tensor([[1.0]]), False),
        ([1.0], gn.tensor([1.0]), False),
    ],
)
def test_equal(got: object, expected: object, is_same: bool) -> None:
    assert comparing.equal(got, expected) is is_same


def test_nearly() -> None:
    same = comparing.nearly(1e-3)
    assert same([1.0005], [1.0]) and same(1000.5, 1000.0)
    assert not same(1.002, 1.0) and not same("1", 1.0)


def test_the_simplest_case_is_shown() -> None:
    MODULE.__dict__["double"] = lambda x: x + x if x < 10 else x
    found = comparing.compare(MODULE, "double", lambda x: 2 * x, [(1000,), (3,), (25,), (200,)])
    assert found == ["double(25)\n  gave:     25\n  expected: 50"]


def test_an_expected_error() -> None:
    def oracle(x: int) -> int:
        raise IndexError(f"no {x}")

    def wrong(x: int) -> int:
        raise ValueError("bad")

    MODULE.__dict__["pick"] = lambda x: x
    (found,) = comparing.compare(MODULE, "pick", oracle, [(1,)])
    assert found == "pick(1)\n  gave:     1\n  expected: IndexError (gnomon says: no 1)"
    MODULE.__dict__["pick"] = wrong
    (found,) = comparing.compare(MODULE, "pick", oracle, [(1,)])
    assert found.startswith("pick(1)\n  gave:     ValueError: bad\n")
    MODULE.__dict__["pick"] = oracle
    assert comparing.compare(MODULE, "pick", oracle, [(1,)]) == []


def test_an_answer_can_not_change_the_case() -> None:
    def wrong(numbers: list[int]) -> int:
        numbers.append(0)
        return sum(numbers[:1])

    MODULE.__dict__["total"] = wrong
    (found,) = comparing.compare(MODULE, "total", sum, [([1, 2],)])
    assert found == "total([1, 2])\n  gave:     1\n  expected: 3"


@pytest.mark.parametrize(
    ("got", "expected", "where"),
    [
        ([["x" * 80], 1], [["x" * 80], 2], "at [1], 1 instead of 2"),
        (["x" * 80, [1, [2]]], ["x" * 80, [1, [3]]], "at [1][1][0], 2 instead of 3"),
        (["x" * 80, [1]], ["x" * 80, [1, 2]], "[1] has 1 items instead of 2"),
        (["x" * 80], ["x" * 80, 1], "has 1 items instead of 2"),
    ],
)
def test_the_place_of_a_difference_in_long_values(got: object, expected: object, where: str) -> None:
    text = comparing.difference(MODULE, "case", Outcome(got, None), Outcome(expected, None))
    assert text.splitlines()[-1] == f"  differs:  {where}"


def test_long_values_are_cut() -> None:
    assert comparing.shown(list(range(1000))).endswith(" … (4890 characters)")
