"""learn/overloads.py: which overload a call chose, and why not another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from gnomon.dispatch.dispatcher import aten

pytestmark = pytest.mark.both_tiers


def outcomes(call: Callable[[], Any]) -> list[tuple[Any, ...]]:
    """The rows of the table: in which order an overload is tried, its name, what came of it."""
    return [tuple(row) for row in gn.explain(call)["Overload"].table().rows]


def test_keywords_and_positions(device: str) -> None:
    x = gn.rand(2, 3)
    named = outcomes(lambda: gn.max(x, dim=1))
    assert [row[1] for row in named if row[2] == "chosen"] == ["dim"]
    rows = outcomes(lambda: gn.max(x, 1))
    assert rows[0] == (1, "default", "no: takes 1 positional arguments but 2 were given")
    assert rows[1] == (2, "other", "no: argument 'other' (position 2) must be Tensor, not int")
    assert rows[2] == (3, "dim", "chosen")


def test_the_first_that_matches_is_chosen(device: str) -> None:
    x = gn.rand(2, 3)
    for _ in range(3):  # the first calls pass the argument parser, later ones are repeated without it
        assert [row[2].split(":")[0] for row in outcomes(lambda: gn.max(x))] == ["chosen", "no", "no"]
        assert [row[2].split(":")[0] for row in outcomes(lambda: x.max(x))] == ["no", "chosen", "no"]
        rows = outcomes(lambda: gn.sum(x))
        assert rows[0][1:] == ("default", "chosen") and rows[1][2].startswith(
            "no: missing required argument 'dim'"
        )


def test_an_overload_that_would_match_later(device: str) -> None:
    x, index = gn.rand(2, 3), gn.tensor(1)
    rows = outcomes(lambda: gn.max(x, index))
    assert rows[1][1:] == ("other", "chosen")
    assert rows[2][1:] == ("dim", "would match, but is tried later")


def test_out_and_operators_called_directly(device: str) -> None:
    x, out = gn.rand(2), gn.empty(0)
    section = gn.explain(lambda: gn.add(x, 1, out=out))["Overload"]
    assert section.fact("called") == aten.add.out.schema.text and section.fact("because") == "out= was given"
    rows = outcomes(lambda: aten.max.dim(x, 0))
    assert [row[1] for row in rows if row[2] == "chosen"] == ["dim"]


def test_an_operator_with_one_overload_has_no_table(device: str) -> None:
    x = gn.rand(2)
    assert len(gn.explain(lambda: x.exp())["Overload"].blocks) == 1
