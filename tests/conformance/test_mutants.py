"""The suite kills every mutant by the tests that are named for it, and passes the control."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gnomon_conformance.mutation import loopback, mutants, runner

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _leave_no_mutant():
    """Remove the device after each test: other tests list and use all backends."""
    yield
    from gnomon.memory import backend

    backend._backends.pop(loopback.DEVICE, None)
    backend._by_device_type.pop(loopback.DEVICE, None)


@pytest.mark.parametrize("name", mutants.MUTANTS)
def test_mutant_is_killed(name: str) -> None:
    assert runner.survivals(name) == []


def test_the_control_passes() -> None:
    """Without a fault the same tests pass: they detect the fault, not the device."""
    killers = sorted({killer for each in mutants.MUTANTS.values() for killer in each.killers})
    if os.environ.get("GNOMON_TEST_ALL_MUTANTS") != "1":
        killers = killers[::9]
    failed = []
    for check in sorted({killer.partition("[")[0] for killer in killers}):
        chosen = [killer for killer in killers if killer.partition("[")[0] == check]
        found = runner.results_of(loopback.Loopback(), chosen)
        failed += [f"{each}: {found[each].outcome}" for each in chosen if found[each].outcome != "pass"]
    assert failed == []


def test_the_asynchronous_control_passes() -> None:
    """A backend that runs kernels only at synchronization passes the tests that kill its mutants."""
    killers = (
        "errors_agree[gather]",
        "forward[neg-float32]",
        "model[perceptron-float32]",
        "grain[neg-float32]",
    )
    for killer in killers:
        found = runner.results_of(loopback.Queueing(), [killer])
        assert found[killer].outcome == "pass", found[killer].message


def test_there_are_enough() -> None:
    assert len(mutants.MUTANTS) >= 40


def test_a_survivor_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    harmless = mutants.Mutant(
        "nothing is wrong", ("forward[neg-float32]", "forward[no-such]"), loopback.Loopback
    )
    monkeypatch.setitem(mutants.MUTANTS, "harmless", harmless)
    assert runner.survivals("harmless") == ["forward[neg-float32]: pass", "forward[no-such]: no such test"]


def test_the_table_is_fresh() -> None:
    table = (ROOT / "docs" / "mutants.md").read_text()
    assert table.rstrip("\n") == runner.markdown(), "python -m gnomon_conformance.mutation.runner --markdown"
