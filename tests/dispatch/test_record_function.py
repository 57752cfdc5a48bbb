"""dispatch/record_function.py: which callbacks run, in which order, on which thread, and after errors."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import node
from gnomon.backends.listing import backend_info
from gnomon.calls import launch
from gnomon.dispatch import record_function
from gnomon.dispatch.record_function import (
    BACKWARD_FUNCTION,
    DISPATCH,
    FUNCTION,
    KERNEL,
    USER_SCOPE,
    RecordFunctionCallback,
    RecordScope,
    add_thread_local_callback,
    callbacks,
    observing,
    remove_callback,
)
from gnomon.values.dispatch_key import OBSERVED_BIT, TRACED_BIT, DispatchKey, mode_word
from gnomon_conformance.execution.instrumentation import native_runs
from time_limits import join, start

pytestmark = pytest.mark.both_tiers

needs_c = pytest.mark.skipif(not backend_info("c").available, reason="needs the C backend")


class Log:
    """A log that several callbacks write to, with their names."""

    def __init__(self) -> None:
        self.lines: list[tuple[Any, ...]] = []

    def callback(self, name: str, *scopes: RecordScope, **options: Any) -> RecordFunctionCallback:
        """A callback that logs its calls."""

        def start(scope: RecordScope, what: str, arguments: Sequence[Any]) -> str:
            self.lines.append((name, "start", what))
            return what

        def end(started: str, is_done: bool) -> None:
            self.lines.append((name, "end" if is_done else "failed", started))

        return RecordFunctionCallback(start, end, scopes, **options)


def told(*scopes: RecordScope) -> tuple[list[Any], RecordFunctionCallback]:
    """A list, and a callback that appends the scope, the name and the arguments of each start to it."""
    seen: list[Any] = []
    return seen, RecordFunctionCallback(lambda *started: seen.append(started), scopes=scopes)


def warm(call: Callable[[], Any]) -> None:
    """Call it often enough that plans exist."""
    for _ in range(3):
        call()


def bits() -> int:
    return mode_word() & (OBSERVED_BIT | TRACED_BIT)


@pytest.fixture(autouse=True)
def nothing_stays():
    assert not callbacks() and not bits()
    yield
    assert not callbacks() and not bits()


def test_an_operator_is_told_with_its_arguments_and_what_it_is_made_of(device):
    x = gn.ones(2)
    warm(lambda: gn.nn.functional.linear(x, gn.ones(3, 2), gn.ones(3)))
    seen, callback = told(FUNCTION)
    with observing(callback):
        x.mul(3)
    assert [(scope, name) for scope, name, _ in seen] == [(FUNCTION, "mul.Tensor")]
    assert seen[0][2][0] is x and seen[0][2][1] == 3
    seen.clear()
    with observing(callback):
        gn.nn.functional.linear(x, gn.ones(3, 2), gn.ones(3))
    names = [name for _, name, _ in seen]
    assert names.count("linear") == 1 and names.index("linear") < names.index(
        "addmv" if "addmv" in names else "addmm"
    )


def test_each_key_that_a_call_passes_is_told(device):
    w, x = gn.ones(2, requires_grad=True), gn.ones(2)
    warm(lambda: w * x)
    seen, callback = told(DISPATCH)
    with observing(callback):
        w * x
    assert [(scope, name) for scope, name, _ in seen] == [(DISPATCH, "mul.Tensor")] * 2
    assert [passed[:2] for _, _, passed in seen] == [
        (gn.ops.aten.mul.Tensor, DispatchKey.Autograd),
        (gn.ops.aten.mul.Tensor, DispatchKey.Dense),
    ]
    assert all(passed[2][0] is w and passed[2][1] is x for _, _, passed in seen)


def test_a_kernel_is_told_with_what_it_is_launched_with(device):
    x = gn.ones(2, 3)
    warm(lambda: x.add(x, alpha=2))
    seen: list[Any] = []
    callback = RecordFunctionCallback(lambda *started: seen.append(started), scopes=[KERNEL], is_traced=True)
    with observing(callback):
        result = x.add(x, alpha=2)
    ((scope, name, made),) = seen
    assert (scope, name) == (KERNEL, "add.Tensor")
    assert made.device is gn.device(device) and made[:2] == (made.device, made.tensors)
    assert made.tensors[0] is result and made.tensors[1] is x
    assert made.key_dtype is gn.float32 and made.output_count == 1
    assert made.iterator is not None and made.walk is made.iterator and list(made.kernel_arguments) == [2]


def test_nodes_and_named_blocks_are_told(device):
    x = gn.ones(2, requires_grad=True)
    warm(lambda: (x * 2).sum().backward())
    seen, callback = told(BACKWARD_FUNCTION, USER_SCOPE)
    with observing(callback):
        loss = (x * 2).sum()
        with gn.profiler.record_function("backwards"):
            loss.backward()
    assert [(scope, name) for scope, name, _ in seen] == [
        (USER_SCOPE, "backwards"),
        (BACKWARD_FUNCTION, "SumBackward0"),
        (BACKWARD_FUNCTION, "MulBackward0"),
    ]
    assert seen[1][2][0].tolist() == 1.0


def test_the_bits_say_whether_somebody_is_told_and_whether_speedups_may_go_on():
    log = Log()
    plain = log.callback("plain", FUNCTION, KERNEL, BACKWARD_FUNCTION, USER_SCOPE)
    with observing(plain):
        assert bits() == OBSERVED_BIT
        for traced in (log.callback("keys", DISPATCH), log.callback("all", FUNCTION, is_traced=True)):
            with observing(traced):
                assert bits() == OBSERVED_BIT | TRACED_BIT
                with observing(plain):
                    assert bits() == OBSERVED_BIT | TRACED_BIT
            assert bits() == OBSERVED_BIT


def test_two_are_told_in_order_and_of_the_end_in_the_other(device):
    x = gn.ones(2)
    warm(lambda: x.exp())
    log = Log()
    with observing(log.callback("outer", FUNCTION, KERNEL)), observing(log.callback("inner", FUNCTION)):
        x.exp()
    assert log.lines == [
        ("outer", "start", "exp"),
        ("inner", "start", "exp"),
        ("outer", "start", "exp"),  # its kernel
        ("outer", "end", "exp"),
        ("inner", "end", "exp"),
        ("outer", "end", "exp"),
    ]


def test_callbacks_come_and_go_in_any_order(device):
    x, log = gn.ones(2), Log()
    first, second = log.callback("first", FUNCTION), log.callback("second", FUNCTION, is_traced=True)
    add_thread_local_callback(first)
    add_thread_local_callback(second)
    assert callbacks() == (first, second) and bits() == OBSERVED_BIT | TRACED_BIT
    remove_callback(first)
    assert bits() == OBSERVED_BIT | TRACED_BIT
    x.exp()
    assert {line[0] for line in log.lines} == {"second"}
    add_thread_local_callback(first)
    assert callbacks() == (second, first) and bits() == OBSERVED_BIT | TRACED_BIT
    remove_callback(second)
    assert bits() == OBSERVED_BIT
    remove_callback(first)
    with pytest.raises(ValueError):
        remove_callback(first)


def test_who_was_told_the_start_is_told_the_end(device):
    x, log = gn.ones(2), Log()
    outer = log.callback("outer", FUNCTION)
    late = log.callback("late", FUNCTION)

    def swap(scope: RecordScope, name: str, made: Any) -> None:
        remove_callback(outer)
        add_thread_local_callback(late)

    add_thread_local_callback(outer)
    swapping = RecordFunctionCallback(swap, scopes=(KERNEL,))
    add_thread_local_callback(swapping)
    x.exp()
    remove_callback(swapping)
    remove_callback(late)
    assert log.lines == [("outer", "start", "exp"), ("outer", "end", "exp")]


def test_a_scope_that_is_none_is_refused():
    with pytest.raises(ValueError, match="'x' is not a valid RecordScope"):
        RecordFunctionCallback(lambda *told: None, scopes=["x"])


@pytest.mark.parametrize("is_traced", [False, True])
def test_an_end_that_needs_the_outputs_gets_them(is_traced, device):
    ends = []
    callback = RecordFunctionCallback(
        lambda scope, name, arguments: (scope, name),
        lambda started, is_done, outputs: ends.append((*started, is_done, outputs)),
        (RecordScope.FUNCTION, RecordScope.KERNEL),
        is_traced,
        needs_outputs=True,
    )
    x = gn.arange(6.0).reshape(2, 3).clone()
    calls = (lambda: x + 1, lambda: x.t(), lambda: x.unbind(0), lambda: x.zero_(), lambda: x.softmax(0))
    for _ in range(3):
        for call in calls:
            ends.clear()
            with observing(callback):
                result = call()
            of_calls = [outputs for scope, _, is_done, outputs in ends if scope is RecordScope.FUNCTION]
            assert all(each is other for each, other in zip(_listed(of_calls[-1]), _listed(result)))
            assert len(_listed(of_calls[-1])) == len(_listed(result))
            assert all(outputs is None for scope, _, _, outputs in ends if scope is RecordScope.KERNEL)
        ends.clear()
        with observing(callback), pytest.raises(RuntimeError):
            x + gn.ones(4)
        assert ends[-1][2:] == (False, None)


def _listed(value):
    return value if isinstance(value, (list, tuple)) else [value]


def test_a_call_that_raises_is_told_as_one_that_is_not_done(device):
    log = Log()
    with observing(log.callback("one", FUNCTION)):
        with pytest.raises(RuntimeError):
            gn.ones(2, 2) @ gn.ones(3, 3)
        assert log.lines[-1][1] == "failed"
        gn.ones(2).exp()
    assert log.lines[-1] == ("one", "end", "exp")


@needs_c
def test_a_kernel_that_declines_has_not_run():
    x, index = gn.ones(3, device="c"), gn.tensor([1, 2], device="c")
    with native_runs() as runs:
        x.index_select(0, index)
        assert runs["c", "index_select"] == 1
        with pytest.raises(IndexError):
            x.index_select(0, index + 5)
    assert runs["c", "index_select"] == 1 and runs["reference", "index_select"] == 0
    log = Log()
    with observing(log.callback("one", KERNEL)), pytest.raises(IndexError):
        x.index_select(0, index + 5)
    assert log.lines[-4:] == [("one", each, "index_select") for each in ("start", "failed")] * 2


class Surprise(BaseException):
    """An exception that no code handles by mistake."""


def raising(*_: Any) -> None:
    raise Surprise


def test_a_prepared_kernel_that_raises_is_told_the_end_of(monkeypatch):
    x = gn.ones(2, device="reference")
    prepared = SimpleNamespace(prepare=lambda *given: SimpleNamespace(run=raising))
    monkeypatch.setattr(launch, "find_kernel", lambda *asked: prepared)
    log = Log()
    with observing(log.callback("one", KERNEL)), pytest.raises(Surprise):
        gn.ops.aten.exp.default.dispatch(x)
    assert log.lines == [("one", "start", "exp"), ("one", "failed", "exp")]


@pytest.mark.parametrize("scope", list(RecordScope), ids=lambda each: each.name)
def test_what_a_start_raises_keeps_the_call_from_being_made(scope, device):
    x, log = gn.ones(2, requires_grad=True), Log()
    y = (x * 2).sum()
    before, after = log.callback("before", scope), log.callback("after", scope)
    with pytest.raises(Surprise):
        with observing(before), observing(RecordFunctionCallback(raising, scopes=[scope])), observing(after):
            with gn.profiler.record_function("block"):
                y.backward()
    (first, second) = log.lines
    assert first[:2] == ("before", "start") and second == ("before", "failed", first[2])
    assert x.grad is None


@pytest.mark.parametrize("scope", list(RecordScope), ids=lambda each: each.name)
def test_what_an_end_raises_reaches_the_caller_and_the_others_are_told(scope, device):
    x, log = gn.ones(2, requires_grad=True), Log()
    y = (x * 2).sum()
    faulty = RecordFunctionCallback(lambda *_: None, raising, [scope])
    with pytest.raises(Surprise):
        with (
            observing(log.callback("before", scope)),
            observing(faulty),
            observing(log.callback("after", scope)),
        ):
            with gn.profiler.record_function("block"):
                y.backward()
    started = [(line[0], line[2]) for line in log.lines if line[1] == "start"]
    ended = [(line[0], line[2]) for line in log.lines if line[1] != "start"]
    assert started and sorted(started) == sorted(ended)
    assert x._version == 0 and gn.is_grad_enabled()


def test_an_interrupt_in_a_kernel_ends_all_that_had_begun(device):
    def interrupt(scope: RecordScope, name: str, made: Any) -> None:
        raise KeyboardInterrupt

    log = Log()
    x = gn.ones(2, requires_grad=True)
    y = x.exp().sum()
    with observing(log.callback("all", *RecordScope)):
        with observing(RecordFunctionCallback(interrupt, scopes=(KERNEL,))), pytest.raises(KeyboardInterrupt):
            y.backward()
        assert [line[1] for line in log.lines].count("start") * 2 == len(log.lines)
        assert all(line[1] != "end" for line in log.lines if line[2] == "autograd::engine::execute")
        log.lines.clear()
        y.detach().exp()
    assert ("all", "end", "exp") in log.lines


def test_another_thread_tells_nobody_here():
    seen, callback = told(*RecordScope)
    found: list[Any] = []

    def work() -> None:
        found.append((callbacks(), bits()))
        gn.ones(2).tan()

    with observing(callback):
        join(start(work))
    assert found == [((), 0)] and not seen


@needs_c
def test_a_backward_s_workers_tell_and_the_backward_s_thread_of_its_own_too(monkeypatch):
    monkeypatch.setattr(node, "spans_devices", False)  # a graph on two devices sets it for good
    x, y = gn.ones(2, device="c", requires_grad=True), gn.ones(2, device="reference", requires_grad=True)
    loss = x.exp().sum().to("reference") + y.sin().sum()
    threads: dict[str, int] = {}

    def note(scope: RecordScope, name: str, arguments: Any) -> None:
        threads[name] = threading.get_ident()

    with observing(RecordFunctionCallback(note, scopes=(BACKWARD_FUNCTION,))):
        loss.backward()
    assert threads["ExpBackward0"] != threads["SinBackward0"]
    assert threading.get_ident() not in threads.values()


def test_each_task_has_its_own():
    async def watched(name: str) -> list[str]:
        seen, callback = told(FUNCTION)
        with observing(callback):
            for _ in range(3):
                getattr(gn, name)(gn.ones(2))
                await asyncio.sleep(0)
        return [what for _, what, _ in seen if what in ("sin", "cos", "tan")]

    async def unwatched() -> tuple[Any, ...]:
        for _ in range(3):
            gn.tan(gn.ones(2))
            await asyncio.sleep(0)
        return callbacks()

    async def together() -> list[Any]:
        return await asyncio.gather(watched("sin"), watched("cos"), unwatched())

    assert asyncio.run(together()) == [["sin"] * 3, ["cos"] * 3, ()]


def test_a_profiler_and_another_callback_are_told_side_by_side(device):
    seen, callback = told(FUNCTION)
    x = gn.ones(2)
    with observing(callback), gn.profiler.profile() as p:
        x.exp()
    x.exp()
    assert [name for _, name, _ in seen] == ["exp"]
    assert [each.name for each in p.events()] == ["exp", "exp"]


@needs_c
def test_anomaly_mode_keeps_all_threads_from_speedups():
    x = gn.ones(2, device="c", requires_grad=True)
    warm(lambda: x * 2)
    made: list[gn.Tensor] = []
    with pytest.warns(UserWarning), gn.autograd.detect_anomaly():
        join(start(lambda: made.append(x * 2)))
    assert "traceback_" in made[0].grad_fn.metadata
    assert not record_function.readable_everywhere
    assert "traceback_" not in (x * 2).grad_fn.metadata


def test_a_call_that_nobody_watches_comes_by_no_function_for_watching():
    x = gn.ones(2, device="reference", requires_grad=True)
    files: list[str] = []

    def note(frame: Any, event: str, argument: Any) -> None:
        if event == "call":
            files.append(frame.f_code.co_filename)

    def work() -> None:
        gn.ops.aten.mul.Tensor.dispatch(x, x).sum().backward()

    work()
    sys.setprofile(note)
    try:
        work()
        assert len(files) > 10
        assert not [each for each in files if each.endswith("dispatch/record_function.py")]
        with observing(RecordFunctionCallback(lambda *started: None)):
            work()
    finally:
        sys.setprofile(None)
    assert [each for each in files if each.endswith("dispatch/record_function.py")]
