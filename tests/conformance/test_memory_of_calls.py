"""The suite's check for leaks finds what a kernel keeps of a call, but not what Python itself caches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from gnomon_conformance.execution import instrumentation
from gnomon_conformance.mutation import runner
from gnomon_conformance.mutation.loopback import DEVICE, Loopback, right

KEPT: list[Any] = []
CHECK = "memory_of_calls[exp-float32]"


@pytest.fixture(autouse=True)
def _leave_nothing() -> Iterator[None]:
    yield
    from gnomon.memory import backend

    KEPT.clear()
    backend._backends.pop(DEVICE, None)
    backend._by_device_type.pop(DEVICE, None)


def makes_a_tuple_from_a_generator(iterator: Any) -> None:
    tuple(each for each in range(3))  # Python allocates room for ten and caches it as a tuple of three
    right["exp"](iterator)


def keeps(iterator: Any) -> None:
    KEPT.append(object())
    right["exp"](iterator)


def test_what_python_keeps_for_later_is_not_kept() -> None:
    found = runner.results_of(Loopback({"exp": makes_a_tuple_from_a_generator}), [CHECK])[CHECK]
    assert (found.outcome, found.message) == ("pass", "")


def test_an_object_of_each_call_is() -> None:
    found = runner.results_of(Loopback({"exp": keeps}), [CHECK])[CHECK]
    assert found.outcome == "fail"
    assert "exp keeps something of each call: 40 objects of Python's after 40 calls" in found.message


def test_there_is_a_least_of_each_kind() -> None:
    assert len(instrumentation.HELD) == len(instrumentation.LEAST_HELD)
