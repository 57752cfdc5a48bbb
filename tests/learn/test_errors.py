"""learn/errors.py: an exception, explained by the call that it came from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.learn.report import Report

pytestmark = pytest.mark.both_tiers


def raised(call: Callable[[], Any]) -> Report:
    """The explanation of what a call raises."""
    try:
        call()
    except Exception as error:
        report = gn.explain(error)
        assert report.error is error
        return report
    raise AssertionError("it raised nothing")


def file_has(report: Report, text: str) -> bool:
    """Does the named line, or one of the two after it, contain a text?"""
    name, _, line = report["Error"].fact("file").rpartition(":")
    lines = (Path(gn.__file__).parent / name).read_text("utf-8").splitlines()
    return text in "\n".join(lines[int(line) - 1 : int(line) + 2])


def test_sizes_that_do_not_broadcast(device: str) -> None:
    a, b = gn.ones(2, 3), gn.ones(4)
    report = raised(lambda: a + b)
    assert report.title == "RuntimeError in a call of add.Tensor"
    assert report["Error"].fact("by the check in").endswith("broadcast_sizes")
    assert file_has(report, "The size of tensor a")
    assert [tuple(row) for row in report["Broadcast"].table().rows] == [
        ("a", 2, 3),
        ("b", None, 4),
        ("broadcasts", True, False),
    ]
    assert [tuple(row)[:2] for row in report["Arguments"].table().rows] == [
        ("self", "float32 (2, 3)"),
        ("other", "float32 (4,)"),
        ("alpha", "1"),
    ]
    assert [(row[0], row[3]) for row in report["Dispatch"].table().rows] == [
        ("ADInplaceOrView", ""),
        ("Dense", 1),
    ]
    assert "must match the size of tensor b (4)" in " ".join(str(report["Error"]).split())


def test_the_call_is_not_made_again(device: str) -> None:
    x = gn.zeros(2)
    try:
        x.add_(gn.ones(3))
    except RuntimeError as error:
        version = x._version
        gn.explain(error)
    assert x._version == version and x.tolist() == [0.0, 0.0]


def test_a_check_before_the_kernel(device: str) -> None:
    x = gn.ones(2, dtype=gn.int64)
    report = raised(lambda: x.add_(1.5))
    assert report["Error"].fact("by the check in").endswith("check_cast")
    assert report["Promotion"].fact("common dtype") == "float32"
    report = raised(lambda: gn.ones(3, 1).expand(3, 2).add_(1))
    assert report["Error"].fact("by the check in").endswith("check_no_internal_overlap")
    assert report["Arguments"].table().rows[0][2] == (1, 0)


def test_arguments_that_match_no_overload(device: str) -> None:
    x = gn.ones(2)
    report = raised(lambda: gn.max(x, "a", keepdim=True))
    assert report.title == "TypeError: no overload of max matched"
    assert [(row[1], row[2].split("'")[0]) for row in report["Overload"].table().rows] == [
        ("default", "no: takes 1 positional arguments but 2 were given"),
        ("other", "no: got an unexpected keyword argument "),
        ("dim", "no: argument "),
    ]


def test_an_error_inside_a_composite(device: str, tier: str) -> None:
    """It is that of the outer call, or if C called the composite's function, that of the inner one."""
    report = raised(lambda: gn.softmax(gn.ones(2), 5))
    if tier == "readable":
        assert report.title == "IndexError in a call of softmax.int"
        passed = [row[3] for row in report["Dispatch"].table().rows]
        assert passed == [1, "not reached"] or passed == [1]
    else:
        assert report.title in ("IndexError in a call of softmax.int", "IndexError in a call of _softmax")
    assert file_has(report, "raise IndexError")


def test_a_saved_tensor_that_was_modified(device: str) -> None:
    x = gn.ones(2, requires_grad=True)
    y = x.exp()
    loss = y.sum()
    with gn.explain.watch():
        y.add_(1)
        report = raised(loss.backward)
    assert report.title == "RuntimeError of ExpBackward0: a saved tensor was modified"
    section = report["Saved tensor"]
    assert section.fact("it is") == "an output of the Node" and section.fact("tensor") == "float32 (2,)"
    assert (section.fact("version when it was saved"), section.fact("version now")) == (0, 1)
    assert section.fact("last written by") == "add_.Tensor"
    assert "modified by an inplace operation" in " ".join(str(report["Error"]).split())
    a, b = gn.ones(2, requires_grad=True), gn.ones(2)
    loss = (a * b).sum()
    b.mul_(2)
    section = raised(loss.backward)["Saved tensor"]
    assert section.fact("it is") == "an input of the Node" and section.fact("Node") == "MulBackward0"


def test_an_error_of_backward_without_a_call(device: str) -> None:
    loss = gn.ones(2, requires_grad=True).exp().sum()
    loss.backward()
    report = raised(loss.backward)
    assert report.title == "RuntimeError of gnomon.autograd.saved_variable, outside of a call of an operator"
    assert "backward through the graph a second time" in str(report["Error"])


@pytest.mark.parametrize(
    ("wrong", "title"),
    [
        (lambda: gn.ones(3)[5], "IndexError of gnomon.ops.indexing.index, outside of a call of an operator"),
        (lambda: gn.nn.Linear(10, 5)(gn.rand(2, 8)), "RuntimeError in a call of linear"),
        (lambda: gn.rand(3).item(), "RuntimeError in a call of item"),
        (
            lambda: gn.tensor([[1], [1, 2]]),
            "ValueError of gnomon.bindings.creation, outside of a call of an operator",
        ),
    ],
)
def test_the_call_that_raised(device: str, wrong: Any, title: str) -> None:
    for _ in range(3):  # the third call runs in C, where that is built
        report = raised(wrong)
        assert report.title == title
        assert "Error" in [each.heading for each in report.sections]


def test_calls_before_the_error_are_not_blamed(device: str) -> None:
    report = gn.explain(lambda: gn.rand(3)[5])
    assert report.title == "IndexError of gnomon.ops.indexing.index, outside of a call of an operator"
    assert [each.heading for each in report.sections] == ["Calls", "Call 1: rand", "Error"]


def test_an_error_of_the_programs_own_code_is_not_gnomons() -> None:
    class Broken(gn.nn.Module):
        def forward(self) -> None:
            raise KeyError("of the program")

    with pytest.raises(ValueError, match="KeyError"):
        raised(Broken())


def test_exceptions_without_a_call(device: str) -> None:
    with pytest.raises(ValueError, match="ZeroDivisionError"):
        raised(lambda: 1 / 0)


def test_an_error_while_another_was_handled(device: str) -> None:
    def call() -> None:
        try:
            gn.ones(2) + gn.ones(3)
        except RuntimeError:
            gn.ones(2).view(7)

    report = raised(call)
    assert report.title == "RuntimeError in a call of view" and "Broadcast" not in report.text()
    assert file_has(report, "shape '")
