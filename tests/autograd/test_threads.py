"""Threads that share leaves, and the worker threads of graphs that span several devices."""

from __future__ import annotations

import os
import threading
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import engine, node, workers
from gnomon.memory import backend
from time_limits import LIMIT, exit_code, join, start


def in_threads(count: int, work: Any) -> None:
    """Run ``work(number)`` on ``count`` threads that start together; raise what one of them raised."""
    barrier = threading.Barrier(count, timeout=LIMIT)
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            barrier.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    join(*[start(run, number) for number in range(count)])
    if errors:
        raise errors[0]


@pytest.mark.parametrize("size", [4, 50_000])
def test_eight_threads_on_shared_leaves(lib: Any, size: int) -> None:
    """Forward and backward, twenty times on eight threads: every gradient is added, none twice."""
    weight = lib.full((size,), 2.0, requires_grad=True)
    bias = lib.zeros(size, requires_grad=True)

    def work(number: int) -> None:
        for _ in range(20):
            y = weight * float(number + 1) + bias
            (y * y).sum().backward()

    in_threads(8, work)
    # d/dw of (w n + b)^2 is 2 n (2 n), and n runs from 1 to 8
    assert weight.grad.tolist() == [20.0 * sum(4 * n * n for n in range(1, 9))] * size
    assert bias.grad.tolist() == [20.0 * sum(4 * n for n in range(1, 9))] * size


@pytest.mark.parametrize("replacement", [None, 7.0])
@pytest.mark.parametrize("uses", [1, 2])
def test_grad_may_be_dropped_while_a_backward_adds_to_it(
    device: str, uses: int, replacement: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if another thread set ``.grad`` between the check and the addition."""
    weight = gn.ones(3, requires_grad=True)
    weight.grad = before = gn.full((3,), 5.0)
    other = None if replacement is None else gn.full((3,), replacement)
    looked = node._can_add

    def look_and_drop(present: gn.Tensor, gradient: gn.Tensor) -> bool:
        answer = looked(present, gradient)
        weight.grad = other
        return answer

    monkeypatch.setattr(node, "_can_add", look_and_drop)
    sum((weight * 2).sum() for _ in range(uses)).backward()
    assert weight.grad is other
    assert before.tolist() == [5.0 + 2 * uses] * 3
    assert other is None or other.tolist() == [7.0] * 3


def test_one_graph_run_by_several_threads(lib: Any) -> None:
    x = lib.ones(3, requires_grad=True)
    y = (x * x).exp().sum()
    results = []

    def work(number: int) -> None:
        results.append(lib.autograd.grad(y, x, retain_graph=True)[0].tolist())

    in_threads(4, work)
    assert len(results) == 4 and all(each == results[0] for each in results)


@pytest.fixture
def two_devices(device: str) -> list[str]:
    """Two devices that are available here."""
    if not gn.backends()["c"].available:
        pytest.skip("there is but one device here")
    return ["reference", "c"]


def spanning_graph(devices: list[str], seen: list[tuple[str, str]]) -> tuple[gn.Tensor, gn.Tensor]:
    """A leaf and a loss on the first device, by way of both; hooks log on which thread each device runs."""
    first, second = devices
    x = gn.arange(4.0, device=first).requires_grad_()
    here = (x * 3).exp()
    there = (x.to(second) * 2).sin()
    for tensor in (here, there):
        tensor.grad_fn.register_prehook(
            lambda outputs: seen.append((outputs[0].device.type, threading.current_thread().name))
        )
    return x, (here + there.to(first)).sum()


def test_a_graph_on_two_devices_has_a_worker_each(two_devices: list[str]) -> None:
    seen: list[tuple[str, str]] = []
    x, loss = spanning_graph(two_devices, seen)
    loss.backward()
    assert sorted(seen) == [
        ("c", "gnomon backward on c"),
        ("reference", "gnomon backward on reference"),
    ]
    expected = gn.arange(4.0, device="reference").requires_grad_()
    ((expected * 3).exp() + (expected * 2).sin()).sum().backward()
    assert all(abs(a - b) <= 1e-3 * abs(b) for a, b in zip(x.grad.tolist(), expected.grad.tolist()))
    assert x.grad.device.type == "reference"


def test_without_multithreading_the_caller_runs_it_all(two_devices: list[str]) -> None:
    seen: list[tuple[str, str]] = []
    x, loss = spanning_graph(two_devices, seen)
    with gn.autograd.set_multithreading_enabled(False):
        loss.backward(retain_graph=True)
    name = threading.current_thread().name
    assert sorted(seen) == [("c", name), ("reference", name)]
    alone, x.grad = x.grad, None
    loss.backward()
    assert alone.tolist() == x.grad.tolist() and sorted(seen)[1] == ("c", "gnomon backward on c")


def test_workers_run_in_the_callers_mode(two_devices: list[str]) -> None:
    modes: list[bool] = []
    x, loss = spanning_graph(two_devices, [])
    loss.grad_fn.next_functions[0][0].register_prehook(lambda outputs: modes.append(gn.is_grad_enabled()))
    (first,) = gn.autograd.grad(loss, x, create_graph=True)
    assert modes == [True] and first.requires_grad
    (second,) = gn.autograd.grad(first.sum(), x)
    assert second.requires_grad is False


def test_an_error_on_a_worker_reaches_the_caller(two_devices: list[str]) -> None:
    x, loss = spanning_graph(two_devices, [])
    y = x.to(two_devices[1]) * 5
    y.register_hook(lambda gradient: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        (loss + y.sum().to(two_devices[0])).backward()
    assert x.grad is None
    assert not [each for each in threading.enumerate() if each.name.startswith("gnomon backward on")]


def test_backward_inside_backward_on_workers(two_devices: list[str]) -> None:
    x, loss = spanning_graph(two_devices, [])
    inner: list[gn.Tensor] = []

    def hook(gradient: gn.Tensor) -> None:
        with gn.enable_grad():
            other, total = spanning_graph(two_devices, [])
        total.backward()
        inner.append(other.grad)

    y = x.to(two_devices[1]) * 5
    y.register_hook(hook)
    (loss + y.sum().to(two_devices[0])).backward()
    assert inner[0].tolist() == pytest.approx([value - 5 for value in x.grad.tolist()], rel=1e-4)


def test_one_device_needs_no_worker(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(workers.Workers, "__init__", lambda *arguments: made.append(arguments))
    x = gn.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    assert made == []


def test_hooks_on_two_devices(two_devices: list[str]) -> None:
    first, second = two_devices
    x = gn.ones(2, device=first, requires_grad=True)
    order: list[str] = []
    y = x.to(second)
    y.register_hook(lambda gradient: order.append("there") or gradient * 2)
    x.register_hook(lambda gradient: order.append("here") or gradient * 3)
    (y * 5).sum().backward()
    assert order == ["there", "here"] and x.grad.tolist() == [30.0, 30.0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
# the registry's lock is different: a fork waits until it is free (tests/memory/test_backend.py)
@pytest.mark.parametrize(("module", "name"), [(engine, "_accumulating")])
def test_a_child_of_fork_waits_for_no_lock_of_a_thread_that_it_has_not(
    module: Any, name: str, device: str
) -> None:
    lock = getattr(module, name)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            done.wait(LIMIT)

    holder = start(hold)
    assert held.wait(LIMIT)
    try:
        child = os.fork()
        if child == 0:
            x = gn.ones(3, requires_grad=True)
            (x * x).sum().backward()
            same = gn.zeros(3).untyped_storage().nbytes() == 12 and x.grad.tolist() == [2.0, 2.0, 2.0]
            os._exit(0 if same and backend.backend_status(device)[1] else 1)
        assert exit_code(child) == 0
    finally:
        done.set()
        join(holder)
    assert getattr(module, name) is lock  # the parent keeps its own


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_who_forks_with_a_lock_held_opens_it_on_both_sides() -> None:
    with engine._accumulating:
        child = os.fork()
    if child == 0:
        os._exit(1 if engine._accumulating.locked() else 0)
    assert exit_code(child) == 0
    assert not engine._accumulating.locked()
