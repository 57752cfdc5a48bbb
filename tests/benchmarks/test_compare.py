"""benchmarks/compare.py: the targets of a group of tasks."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    yield importlib.import_module("compare")
    for name in ("compare", "tasks"):
        sys.modules.pop(name, None)


def test_the_mean_of_a_group_is_judged_where_all_of_it_ran(
    compare: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    group = compare.Group("a group", mean=1.0, each=2.0)
    for name in "abc":
        group.add(name, lambda library: lambda: None)
    assert compare.print_mean(group, [2.0, 2.0, 2.0])
    assert capsys.readouterr().out.split() == ["geometric", "mean", "2.00", "1.00", "above"]
    assert not compare.print_mean(group, [0.5, 0.5, 0.5])
    assert capsys.readouterr().out.split() == ["geometric", "mean", "0.50", "1.00"]
    assert not compare.print_mean(group, [4.0, 4.0])  # the tasks that did not run may be fast
    assert capsys.readouterr().out.split() == "geometric mean of 2 of 3 tasks 4.00".split()
    assert not compare.print_mean(group, [4.0])
    assert not compare.print_mean(compare.Group("no target", None, None, group.tasks), [4.0] * 3)
    assert capsys.readouterr().out == ""
