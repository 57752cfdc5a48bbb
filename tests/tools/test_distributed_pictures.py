"""tools/distributed_pictures.py draws the pictures of docs/distributed.md."""

from __future__ import annotations

import runpy
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "tools" / "distributed_pictures.py"))


def test_the_page_shows_the_pictures_as_they_are_drawn(tool) -> None:
    page = (ROOT / "docs" / "distributed.md").read_text("utf-8")
    for name, draw in tool["PICTURES"].items():
        text = draw().svg()
        assert (ROOT / "docs" / f"{name}.svg").read_text("utf-8") == text, (
            "python tools/distributed_pictures.py docs"
        )
        assert ElementTree.fromstring(text).tag.endswith("svg") and f"]({name}.svg)" in page


def test_the_ring_ends_with_all_sums_everywhere(tool) -> None:
    text = tool["ring"]().svg()
    assert text.count(">a0+1+2<") == text.count(">b0+1+2<") == text.count(">c0+1+2<")
    last = text.rsplit(">copied<", 1)[1]
    assert [last.count(f">{part}0+1+2<") for part in "abc"] == [3, 3, 3]


@pytest.mark.parametrize("name", ["_gpipe", "_one_each"])
def test_schedules_do_everything_once_and_in_order(tool, name: str) -> None:
    stages, count = 3, 4
    found = tool[name](stages, count)
    when = {(stage, *work): time for (stage, time), work in found.items()}
    assert len(when) == len(found) == 2 * stages * count
    for stage in range(stages):
        for number in range(count):
            if stage:
                assert when[stage, "F", number] > when[stage - 1, "F", number]
                assert when[stage - 1, "B", number] > when[stage, "B", number]
            assert when[stage, "B", number] > when[stage, "F", number]
    assert max(time for _, time in found) == 2 * (count + stages - 1) - 1  # the same bubble


def test_one_forward_one_backward_keeps_few_activations(tool) -> None:
    kept = {"_gpipe": 4, "_one_each": 3}
    for name, most in kept.items():
        alive, highest = 0, 0
        for (stage, _), (kind, _) in sorted(tool[name](3, 4).items(), key=lambda each: each[0][1]):
            if stage == 0:
                alive += 1 if kind == "F" else -1
                highest = max(highest, alive)
        assert highest == most
