"""gnomon_speedups/explaining.py: what is said of a call's plan is what C then does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from gnomon.calls.launch import Launch
from gnomon.dispatch.record_function import KERNEL, RecordFunctionCallback, observing
from gnomon.values.speedups import speedups

pytestmark = pytest.mark.skipif(speedups is None, reason="there are no C speedups here")


def launched_in_c(call: Callable[[], Any]) -> list[bool]:
    """For each kernel that the fourth call of its kind launched: did C launch it?"""
    for _ in range(3):
        call()
    seen: list[bool] = []
    with observing(
        RecordFunctionCallback(lambda scope, name, told: seen.append(len(told) == 2), scopes=(KERNEL,))
    ):
        call()
    return seen


def calls() -> dict[str, Callable[[], Any]]:
    x, y, i = gn.rand(3, 4), gn.rand(4), gn.arange(4)
    grad = gn.rand(3, 4, requires_grad=True)
    out = gn.empty(3, 4)
    return {
        "two operands": lambda: x + y,
        "a number": lambda: x * 2,
        "converted": lambda: x + i,
        "in place": lambda: x.mul_(1),
        "out=": lambda: gn.mul(x, x, out=out),
        "several results": lambda: gn.max(x, 1),
        "recorded": lambda: grad.exp(),
        "a reduction": lambda: x.sum(1),
        "a list": lambda: gn.cat([x, x]),
    }


@pytest.mark.parametrize("device", ["reference", "c"])
@pytest.mark.parametrize("name", list(calls()))
def test_a_call_with_a_plan_is_repeated_in_c(device: str, name: str) -> None:
    with gn.device(device):
        call = calls()[name]
        section = gn.explain(call)["Plan"]
        has_plan = section.fact("other runs").endswith("by this plan")
        launched = launched_in_c(call)
    assert launched and all(launched) == has_plan and any(launched) == has_plan
    assert has_plan == (device == "c" and name != "converted")


def test_calls_that_python_repeats() -> None:
    x = gn.rand(3, 4)
    grad = gn.rand(3, 4, requires_grad=True) * 1

    def says(call: Callable[[], Any]) -> Any:
        return gn.explain(call)["Plan"].fact("other runs")

    class Mode(gn.DispatchMode):
        pass

    def within() -> Any:
        with Mode():
            return x + 1

    assert says(within) == "keys beside Dense, ADInplaceOrView and Autograd run in Python: Python"
    assert says(lambda: grad.mul_(2)).startswith("a call that writes to its arguments and is recorded")
    assert says(lambda: x.to_sparse() + x.to_sparse()).startswith("keys beside Dense")
    with gn.inference_mode():
        assert says(lambda: x + 1).startswith("calls in inference mode")
    with gn.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor):
        assert says(lambda: x + 1).startswith("a mode of the thread is active")


def test_the_facts_of_plans() -> None:
    with gn.device("c"):
        x = gn.rand(3, 4)
        plan = gn.explain(lambda: x[1])["Plan"]
        assert (plan.fact("kind"), plan.fact("entry")) == ("VIEW", "NOTHING")
        assert plan.fact("offsets of the views, in elements") == (4,)
        plan = gn.explain(lambda: x.add_(1))["Plan"]
        assert (plan.fact("kind"), plan.fact("entry")) == ("WRITTEN", "RUN_NUMBER")
        assert plan.fact("arguments that it writes to") == (0,)


def test_a_callback_gets_the_prepared_call() -> None:
    told: list[Launch] = []
    callback = RecordFunctionCallback(
        lambda scope, name, launch: told.append(launch), scopes=(KERNEL,), is_traced=True
    )
    with gn.device("c"):
        x = gn.ones(2)
        with observing(callback):
            x + x
    assert told[0].call is not None and told[0].call.is_claimed
    with gn.device("reference"):
        x = gn.ones(2)
        with observing(callback):
            x + x
    assert told[1].call is None
