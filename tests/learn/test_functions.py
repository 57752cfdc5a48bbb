"""learn/functions.py: a function runs once, and all operators that it calls are explained."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

import gnomon as gn
from gnomon.dispatch.dispatcher import aten
from gnomon.dispatch.mode import mode_word
from gnomon.dispatch.record_function import callbacks
from gnomon.learn.report import Report
from gnomon.values.dispatch_key import OBSERVED_BIT, TRACED_BIT

pytestmark = pytest.mark.both_tiers


def headings(report: Report) -> list[str]:
    return [each.heading for each in report.sections]


def rows_of(report: Report, heading: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in report[heading].table().rows]


def test_the_call_runs_once_and_its_result_is_kept(device: str) -> None:
    x, ran = gn.ones(2), []

    def call() -> gn.Tensor:
        ran.append(1)
        return x.add_(1)

    report = gn.explain(call)
    assert ran == [1] and report.result is x and x.tolist() == [2.0, 2.0] and x._version == 1
    assert report.error is None and report.title == "A call of aten::add_.Tensor"
    assert rows_of(report, "Arguments")[0][4] == 0  # the version before the call


def test_several_calls_are_told_and_the_last_in_full(device: str) -> None:
    x = gn.rand(3, 4)
    report = gn.explain(lambda: x.t().contiguous())
    assert report.title == "2 calls, the last of aten::contiguous"
    assert report["Call 1: t"].fact("call") == "aten::t(float32 (3, 4)) -> float32 (4, 3)"
    assert report["Call 1: t"].fact("keys passed") == ("ADInplaceOrView", "Dense")
    (_, tree) = report["Calls"].blocks
    (clone,) = tree.children
    assert clone.label == "aten::clone(float32 (4, 3), gnomon.contiguous_format) -> float32 (4, 3)"
    assert [each.label.split("(")[0] for each in clone.children] == [
        "aten::empty_like",
        f"kernel copy_ on {gn.device(device)}",
    ]
    assert report["Overload"].fact("called") == aten.contiguous.default.schema.text
    assert report["Result"].fact("strides, because").startswith("empty_like made the result")


def test_what_a_call_raises_is_explained(device: str) -> None:
    x = gn.ones(2, 3)
    report = gn.explain(lambda: gn.add(x, gn.ones(4)))
    assert isinstance(report.error, RuntimeError) and report.result is None
    assert {"Result", "Kernel", "Plan", "Node"}.isdisjoint(headings(report))
    assert report["Error"].fact("by the check in") == "broadcast_sizes"


def test_the_function_may_catch_errors(device: str) -> None:
    x = gn.ones(2, 3)

    def call() -> gn.Tensor:
        with contextlib.suppress(RuntimeError):
            gn.add(x, gn.ones(4))
        return x * 2

    report = gn.explain(call)
    assert report.error is None and report.title == "3 calls, the last of aten::mul.Tensor"
    assert report["Call 2: add.Tensor"].fact("call").endswith("-> raised")


def test_nothing_is_observed_afterwards(device: str) -> None:
    gn.explain(lambda: gn.ones(2) + 1)
    assert callbacks() == () and not mode_word() & (OBSERVED_BIT | TRACED_BIT)


def test_a_call_that_matches_no_overload_after_others(device: str) -> None:
    report = gn.explain(lambda: gn.max(gn.ones(2), "a"))
    assert report.title == "TypeError: no overload of max matched" and isinstance(report.error, TypeError)
    assert headings(report)[-3:] == ["Call 1: ones", "Overload", "Error"]
    report = gn.explain(lambda: gn.ones(2).nothing)
    assert report.title == "A call of aten::ones" and report["Error"].fact("raised") == "AttributeError"


def test_of_many_calls_the_last_are_told_by_their_numbers(device: str) -> None:
    x = gn.ones(2)
    report = gn.explain(lambda: [x + number for number in range(50)])
    assert report.title == "50 calls, the last of aten::add.Tensor"
    calls = [each for each in headings(report) if each.startswith("Call ")]
    assert calls[0] == "Call 10: add.Tensor" and calls[-1] == "Call 49: add.Tensor" and len(calls) == 40
    assert report["Calls"].blocks[-1].label == "and 10 more"
