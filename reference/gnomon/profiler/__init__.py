"""The profiler: measures time and memory of operators, kernels and Nodes, on every backend.

    with gn.profiler.profile() as p:
        train_step()
    print(p.key_averages().table(sort_by="self_cpu_time_total", row_limit=10))
    p.export_chrome_trace("trace.json")          # a flame view: chrome://tracing, or ui.perfetto.dev

It times what passes through the dispatcher: operators (composites included), the kernels that they launch,
Nodes of backward, and blocks marked by ``record_function``.  The profiled time thus has four parts: kernels;
gnomon's Python code around them; the program's code, outside of any operator; and at the end the wait for
asynchronous devices.

It costs nothing while it is off.  While it is on, callbacks run when each call begins and ends
(dispatch/record_function.py), so small calls take longer: compare them with each other, not with the time of
a call without a profiler.

Source: torch.profiler, torch.autograd.profiler_util.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import pathlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from types import TracebackType
from typing import Any, NamedTuple

from ..dispatch.record_function import (
    BACKWARD_FUNCTION,
    FUNCTION,
    KERNEL,
    USER_SCOPE,
    RecordFunctionCallback,
    RecordScope,
    Token,
    add_thread_local_callback,
    callbacks,
    end,
    remove_callback,
    start,
)
from ..memory.backend import backend_of, get_default_device, get_device_module
from ..memory.tensor import Tensor

# The names of scopes in tables and events, and in a trace.
_NAMES = {FUNCTION: "operator", BACKWARD_FUNCTION: "node", USER_SCOPE: "user", KERNEL: "kernel"}
_CATEGORIES = {"operator": "cpu_op", "node": "cpu_op", "user": "user_annotation", "kernel": "kernel"}


class ProfilerActivity(Enum):
    """PyTorch's selection of activities; it has no effect here, because active devices are detected."""

    CPU = 0
    CUDA = 2


class FunctionEvent:
    """One call: of an operator, a kernel, a Node or a named block.

    name          the operator with its overload, as ``add.Tensor``; the Node's class; the block's name
    scope         "operator", "kernel", "node" or "user"
    start, end    nanoseconds of ``time.perf_counter_ns``
    thread        the thread's number
    parent        the call that this one is nested in, or None
    input_shapes  with ``record_shapes``: the sizes of its tensors
    memory        with ``profile_memory``: the bytes allocated at its end minus those at its start
    device_start  for a kernel on an asynchronous device: its start there, on the clock of ``start``
    device_ns     and its duration there in nanoseconds
    """

    __slots__ = (
        "children_memory",
        "children_ns",
        "device",
        "device_ns",
        "device_start",
        "end",
        "input_shapes",
        "marks",
        "memory",
        "name",
        "parent",
        "scope",
        "start",
        "thread",
    )

    def __init__(self, name: str, scope: str, thread: int):
        self.name = name
        self.scope = scope
        self.parent: FunctionEvent | None = None
        self.thread = thread
        self.input_shapes: tuple[tuple[int, ...], ...] = ()
        self.memory = self.children_memory = 0
        self.children_ns = self.device_ns = self.device_start = 0
        self.device = ""
        self.marks: Any = None
        self.start = self.end = 0

    @property
    def cpu_time_total(self) -> float:
        """Microseconds from start to end, on the host."""
        return (self.end - self.start) / 1e3

    @property
    def self_cpu_time_total(self) -> float:
        """``cpu_time_total`` without nested calls."""
        return (self.end - self.start - self.children_ns) / 1e3

    def __repr__(self) -> str:
        return f"<FunctionEvent {self.scope} {self.name}: {self.cpu_time_total:.3f}us>"


class FunctionEventAvg(NamedTuple):
    """All calls of one name (and optionally of the same shapes) together; times are in microseconds.

    ``kernel_time_total`` is that of the nested kernels, on an asynchronous device measured there.
    """

    key: str
    scope: str
    input_shapes: tuple[tuple[int, ...], ...]
    count: int  # type: ignore[assignment]
    cpu_time_total: float
    self_cpu_time_total: float
    kernel_time_total: float
    memory_usage: int
    self_memory_usage: int

    @property
    def cpu_time(self) -> float:
        """Microseconds per call."""
        return self.cpu_time_total / self.count

    @property
    def kernel_time(self) -> float:
        """Microseconds of kernels per call."""
        return self.kernel_time_total / self.count


class EventList(list[FunctionEventAvg]):
    """The result of ``key_averages``, the longest first."""

    wall_ns = 0
    has_shapes = has_memory = False

    def table(self, sort_by: str | None = None, row_limit: int = 100) -> str:
        """A table for a terminal.

        sort_by    a field or property of FunctionEventAvg; default: the self time
        row_limit  the maximum number of rows; -1: all

        Raises ValueError for an unknown ``sort_by``.
        """
        known = (*FunctionEventAvg._fields[3:], "cpu_time", "kernel_time")
        if sort_by is not None and sort_by not in known:
            raise ValueError(f"table: sort_by: expected one of {', '.join(known)}, got {sort_by!r}")
        order = sort_by or "self_cpu_time_total"
        rows = sorted(self, key=lambda each: getattr(each, order), reverse=True)
        heading = ["name", "kind", "self time", "of wall", "total", "kernels", "calls", "a call"]
        if self.has_memory:
            heading += ["memory", "self memory"]
        if self.has_shapes:
            heading.append("input shapes")
        lines = [heading]
        for each in rows if row_limit < 0 else rows[:row_limit]:
            line = [
                each.key,
                each.scope,
                _time(each.self_cpu_time_total),
                f"{each.self_cpu_time_total * 1e5 / max(self.wall_ns, 1):.1f}%",
                _time(each.cpu_time_total),
                _time(each.kernel_time_total),
                str(each.count),
                _time(each.cpu_time),
            ]
            if self.has_memory:
                line += [_bytes(each.memory_usage), _bytes(each.self_memory_usage)]
            if self.has_shapes:
                line.append(" ".join(str(list(sizes)) for sizes in each.input_shapes))
            lines.append(line)
        return _aligned(lines)


def _time(microseconds: float) -> str:
    for limit, factor, unit in ((1e3, 1.0, "us"), (1e6, 1e-3, "ms")):
        if microseconds < limit:
            return f"{microseconds * factor:.3f}{unit}"
    return f"{microseconds * 1e-6:.3f}s"


def _bytes(count: int) -> str:
    size = abs(count)
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >> shift:
            return f"{count / (1 << shift):.2f} {unit}"
    return f"{count} B"


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    """Pads columns to their widest cell: texts are left-aligned, numbers right-aligned."""
    texts = {"name", "kind", "input shapes"}
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    shown = []
    for line in lines:
        cells = [
            cell.ljust(width) if title in texts else cell.rjust(width)
            for title, cell, width in zip(lines[0], line, widths)
        ]
        shown.append("  ".join(cells).rstrip())
    shown.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(shown)


def _tensors_of(values: Iterable[Any]) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors_of(value)


class _Timing(RecordFunctionCallback):
    """The callback of a profiler."""

    __slots__ = ()


class profile:
    """A context manager that times operators, kernels and Nodes, on this thread and on backward's threads.

    activities      accepted and ignored: active devices are detected
    record_shapes   record the sizes of operators' tensors
    profile_memory  record the memory that operators allocate, on backends with memory statistics
    with_stack      must be False: source lines are not recorded

    Can be entered once.  Raises RuntimeError inside another profile, and if results are requested before the
    block has ended.  Source: torch.profiler.profile.
    """

    def __init__(
        self,
        activities: Iterable[ProfilerActivity] | None = None,
        *,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
    ):
        if with_stack:
            raise NotImplementedError("profile: with_stack=True is not supported")
        self.activities = None if activities is None else frozenset(activities)
        self._record_shapes = record_shapes
        self._profile_memory = profile_memory
        self._events: list[FunctionEvent] = []
        self._callback = _Timing(self._enter, self._leave)
        self._waited = self._thread = 0
        self._start = self._end = 0

    # -- the block -----------------------------------------------------------------------------------------

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._end:
            return
        try:
            self.stop()
        except Exception:
            if error is None:  # else the program's exception takes precedence
                raise

    def start(self) -> None:
        """Starts recording."""
        if self._start:
            raise RuntimeError("profile: a profiler can be started only once; create a new one")
        if any(isinstance(each, _Timing) for each in callbacks()):
            raise RuntimeError("profile: a profiler is already active on this thread")
        add_thread_local_callback(self._callback)
        self._thread = threading.get_ident()
        self._start = time.perf_counter_ns()

    def stop(self) -> None:
        """Stops recording; waits for the asynchronous devices that were used.

        Raises RuntimeError on a thread or task other than the one that called ``start``.  A device's error is
        raised after recording has stopped.
        """
        if not self._start or self._end:
            raise RuntimeError("profile: the profiler is not active")
        if self._callback not in callbacks():
            raise RuntimeError(
                "profile: the profiler was started on another thread or task and must be stopped there"
            )
        remove_callback(self._callback)
        began = time.perf_counter_ns()
        try:
            for device, module in {each.device: each.marks[2] for each in self._events if each.marks}.items():
                module.synchronize(device)
        finally:
            self._end = time.perf_counter_ns()
            if any(each.marks for each in self._events):
                self._waited = self._end - began
            self._ask_devices()
            self._events = _nested(self._events)

    def _ask_devices(self) -> None:
        """Sets the start and duration of kernels on asynchronous devices, except of captured or failed ones.

        A device measures only the time between two events, so the first kernel is assumed to start at its
        launch.
        """
        before_it: dict[Any, tuple[Any, int]] = {}
        for event in self._events:
            if event.marks:
                before, after, _ = event.marks
                with contextlib.suppress(RuntimeError):
                    took = round(before.elapsed_time(after) * 1e6)
                    start = event.start
                    if event.device in before_it:
                        last, began = before_it[event.device]
                        start = began + round(last.elapsed_time(before) * 1e6)
                    before_it[event.device] = before, start
                    event.device_start, event.device_ns = start, took
                event.marks = None

    # -- callbacks ------------------------------------------------------------------------------------------

    def _enter(self, scope: RecordScope, name: str, arguments: Sequence[Any]) -> FunctionEvent:
        event = FunctionEvent(name, _NAMES[scope], threading.get_ident())
        if scope == KERNEL:
            device = arguments[0]
            event.device = device
            if "streams" in backend_of(device).traits:
                module: Any = get_device_module(device)
                before = module.Event(enable_timing=True)
                before.record()
                event.marks = (before, module.Event(enable_timing=True), module)
        elif self._record_shapes and scope != USER_SCOPE:
            event.input_shapes = tuple(tuple(each.shape) for each in _tensors_of(arguments))
        if self._profile_memory and scope != KERNEL:
            event.device, event.memory = _device_of(arguments), 0
            event.memory = -_allocated(event.device)
        event.start = time.perf_counter_ns()
        return event

    def _leave(self, entered: FunctionEvent, is_done: bool) -> None:
        entered.end = time.perf_counter_ns()
        if entered.marks:
            entered.marks[1].record()
        if self._profile_memory and entered.scope != "kernel":
            entered.memory += _allocated(entered.device)
        if not self._end:  # else the profiler was stopped within the call
            self._events.append(entered)

    # -- results -------------------------------------------------------------------------------------------

    def events(self) -> list[FunctionEvent]:
        """All calls, ordered by their start."""
        self._check_done()
        return list(self._events)

    def key_averages(self, group_by_input_shape: bool = False) -> EventList:
        """The calls grouped by name, or by name and shapes (with ``record_shapes``), ordered by self time.

        A call nested in one of the same name counts once in ``cpu_time_total``.
        """
        self._check_done()
        kernels: dict[int, int] = {}
        for event in self._events:
            if event.scope == "kernel":
                nanoseconds = event.device_ns or event.end - event.start
                within: FunctionEvent | None = event
                while within is not None:
                    kernels[id(within)] = kernels.get(id(within), 0) + nanoseconds
                    within = within.parent
        sums: dict[Any, list[Any]] = {}
        for event in self._events:
            shapes = event.input_shapes if group_by_input_shape else ()
            found = sums.setdefault((event.name, event.scope, shapes), [0, 0, 0, 0, 0, 0])
            found[0] += 1
            found[2] += event.end - event.start - event.children_ns
            found[5] += event.memory - event.children_memory
            if not _is_within_its_like(event):
                found[1] += event.end - event.start
                found[3] += kernels.get(id(event), 0)
                found[4] += event.memory
        averages = EventList(
            FunctionEventAvg._make((*key, count, *(each / 1e3 for each in times), memory_usage, self_memory))
            for key, (count, *times, memory_usage, self_memory) in sums.items()
        )
        averages.sort(key=lambda each: each.self_cpu_time_total, reverse=True)
        averages.wall_ns = self._end - self._start
        averages.has_shapes = group_by_input_shape
        averages.has_memory = self._profile_memory
        return averages

    @property
    def shares(self) -> dict[str, float]:
        """Fractions of the profiled time, which add up to 1: ``kernels``; ``gnomon``, the Python code around
        them; ``program``, outside of operators and backward (this includes the code of modules and
        optimizers); ``waiting`` for asynchronous devices at the block's end.

        For asynchronous devices, the host's time of launching kernels counts as ``kernels``.
        """
        self._check_done()
        wall = max(self._end - self._start, 1)
        here = [each for each in self._events if each.thread == self._thread]
        kernels = sum(
            each.end - each.start for each in here if each.scope == "kernel" and not _has(each, "kernel")
        )
        watched = sum(
            each.end - each.start
            for each in here
            if each.scope != "user" and not _has(each, "operator", "node", "kernel")
        )
        return {
            "kernels": kernels / wall,
            "gnomon": (watched - kernels) / wall,
            "program": (wall - watched - self._waited) / wall,
            "waiting": self._waited / wall,
        }

    def table(self, sort_by: str | None = None, row_limit: int = 20) -> str:
        """The table of ``key_averages``, and the ``shares`` of the profiled time."""
        parts = ", ".join(f"{share:.1%} {name}" for name, share in self.shares.items() if share)
        total = _time((self._end - self._start) / 1e3)
        return f"{self.key_averages().table(sort_by, row_limit)}\n{total} in all: {parts}"

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the calls as a trace file for chrome://tracing and ui.perfetto.dev.

        Each asynchronous device has its own row, and more rows for kernels that ran concurrently.  Source:
        the Trace Event Format.
        """
        self._check_done()
        trace: list[dict[str, Any]] = []
        process = os.getpid()
        rows = self._rows_of_devices()
        for event in self.events():
            told: dict[str, Any] = {}
            if event.input_shapes:
                told["Input Dims"] = [list(sizes) for sizes in event.input_shapes]
            if event.device:
                told["device"] = str(event.device)
            if event.memory:
                told["Bytes"] = event.memory
            trace.append(
                {
                    "ph": "X",
                    "cat": _CATEGORIES[event.scope],
                    "name": event.name,
                    "pid": process,
                    "tid": rows.get(id(event), event.thread),
                    "ts": ((event.device_start or event.start) - self._start) / 1e3,
                    "dur": (event.device_ns or event.end - event.start) / 1e3,
                    "args": told,
                }
            )
        target = pathlib.Path(path)
        beside = target.with_name(f".{target.name}.{process}")
        try:
            beside.write_text(json.dumps({"traceEvents": trace, "displayTimeUnit": "ms"}), "utf-8")
            os.replace(beside, target)
        finally:
            beside.unlink(missing_ok=True)

    def _rows_of_devices(self) -> dict[int, str]:
        """The row of each kernel on an asynchronous device, by its event: one that is free at the time."""
        rows: dict[int, str] = {}
        ends: dict[Any, list[int]] = {}
        for event in sorted(self._events, key=lambda each: each.device_start):
            if event.device_start:
                busy = ends.setdefault(event.device, [])
                row = next((row for row, end in enumerate(busy) if end <= event.device_start), len(busy))
                busy[row:] = [event.device_start + event.device_ns, *busy[row + 1 :]]
                rows[id(event)] = f"{event.device} ({row + 1})" if row else str(event.device)
        return rows

    def _check_done(self) -> None:
        if not self._end:
            raise RuntimeError("profile: results are available only after the profiler has stopped")


def _nested(seen: list[FunctionEvent]) -> list[FunctionEvent]:
    """All calls ordered by their start, with ``parent`` set to the enclosing call on the same thread."""
    # of two calls with equal start and end, the one recorded later encloses the other
    order = sorted(enumerate(seen), key=lambda each: (each[1].start, -each[1].end, -each[0]))
    on_the_way: dict[int, list[FunctionEvent]] = {}
    for _, event in order:
        calls = on_the_way.setdefault(event.thread, [])
        while calls and calls[-1].end < event.end:
            calls.pop()
        event.parent = calls[-1] if calls else None
        calls.append(event)
    kept = [event for _, event in order]
    for event in kept:
        if event.parent is not None:
            event.parent.children_ns += event.end - event.start
            event.parent.children_memory += event.memory
    return kept


def _has(event: FunctionEvent, *scopes: str) -> bool:
    """Is the call nested in one of these scopes?"""
    parent = event.parent
    while parent is not None:
        if parent.scope in scopes:
            return True
        parent = parent.parent
    return False


def _is_within_its_like(event: FunctionEvent) -> bool:
    parent = event.parent
    while parent is not None:
        if parent.name == event.name and parent.scope == event.scope:
            return True
        parent = parent.parent
    return False


def _device_of(arguments: Sequence[Any]) -> Any:
    first = next(_tensors_of(arguments), None)
    return get_default_device() if first is None else first.device


def _allocated(device: Any) -> int:
    if device.type == "meta":
        return 0
    return backend_of(device).memory_stats(device.index or 0).get("allocated", 0)


class record_function:
    """A block (or, as a decorator, a function) that the profiler shows under ``name``.

    Source: torch.profiler.record_function.
    """

    def __init__(self, name: str, args: str | None = None):
        self.name = name if args is None else f"{name}({args})"
        self._entered: list[Token] = []

    def __enter__(self) -> record_function:
        self._entered.append(start(USER_SCOPE, self.name, ()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._entered:
            end(self._entered.pop(), error is None)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def named(*args: Any, **kwargs: Any) -> Any:
            with record_function(self.name):
                return function(*args, **kwargs)

        return named


__all__ = [
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "ProfilerActivity",
    "profile",
    "record_function",
]
