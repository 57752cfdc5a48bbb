"""A function without arguments explained: it runs once, and each operator that it calls is explained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..autograd.node import Node
from .calls import add_call, call_text
from .errors import add_error, explain_error
from .nodes import explain_node
from .observation import Call, observe
from .operators import title_of
from .report import Block, Facts, Report, Tree

MOST_SHOWN = 40  # calls in a tree


def explain_call(function: Callable[[], Any]) -> Report:
    """Run ``function`` once, and explain each operator that it called, the last one in full.

    The Report's ``result`` is what the function returned, or its ``error`` what it raised.
    """
    calls, result, error = observe(function)
    refused = None if error is None or (calls and not calls[-1].is_done) else _refused(error)
    if not calls and refused is None:
        report = Report("No operator was called", result=result, error=error)
        if error is not None:
            add_error(report, error)
        return report
    report = Report(_title(calls) if refused is None else refused.title, result=result, error=error)
    if len(calls) > 1 or (calls and calls[-1].calls):
        report.add("Calls", *_trees(calls))
    before = calls if refused is not None else calls[:-1]
    for number, each in enumerate(before[-MOST_SHOWN:], max(len(before) - MOST_SHOWN, 0) + 1):
        if each.operator is not None:
            report.add(f"Call {number}: {each.name}", *_short(each))
    if refused is not None:
        report.sections += refused.sections
        return report
    add_call(report, calls[-1])
    if error is not None:
        add_error(report, error)
    node = made_node(calls[-1])
    del before
    each = calls[-1]
    del each
    calls.clear()  # tensors that only the observation refers to must not seem to be in use
    report.add("Node", *explain_node(node))
    return report


def _refused(error: Exception) -> Report | None:
    """The Report of an error that was raised before an operator was called: no overload matched, say."""
    try:
        return explain_error(error)
    except ValueError:  # no call of gnomon's raised it
        return None


def _title(calls: Sequence[Call]) -> str:
    last = calls[-1]
    name = last.name if last.operator is None else title_of(last.operator)
    return f"A call of {name}" if len(calls) == 1 else f"{len(calls)} calls, the last of {name}"


def made_node(call: Call) -> Node | None:
    """The Node that a call made; None if it was not recorded."""
    before = [seen.node for seen in call.seen.values()]
    for each in call.outputs():
        node = each.grad_fn
        if node is not None and not any(node is one for one in before):
            found: Node = node
            return found
    return None


def _trees(calls: Sequence[Call]) -> list[Tree]:
    left = [MOST_SHOWN]

    def tree(call: Call) -> Tree:
        left[0] -= 1
        inner = [tree(each) for each in call.calls if left[0] > 0]
        kernels = [Tree(f"kernel {name} on {launch.device}") for name, launch in call.launches]
        return Tree(call_text(call), [*inner, *kernels])

    shown = [tree(each) for each in calls if left[0] > 0]
    rest = sum(sum(1 for _ in each.walk()) for each in calls) - (MOST_SHOWN - left[0])
    return [*shown, *([Tree(f"and {rest} more")] if rest > 0 else [])]


def _short(call: Call) -> list[Block]:
    assert call.operator is not None
    facts: list[tuple[str, Any]] = [
        ("call", call_text(call)),
        ("keys passed", tuple([key.name for key in call.passed])),
    ]
    launched = tuple([name for each in call.walk() for name, _ in each.launches])
    facts.append(("kernels", launched or "none"))
    return [Facts(facts)]
