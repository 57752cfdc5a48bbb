"""What a program runs, line by line: operators, the dispatch keys that they pass, kernels, Nodes, and memory.

    with tracing() as trace:
        (a + b).sum().backward()
    print(trace.text())

``RecordFunction`` reports the calls, so the trace sees what passes through the dispatcher, on any backend, in
an ordinary build.  Every call runs in the readable tier meanwhile, and takes longer.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import re
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from ..dispatch.record_function import (
    BACKWARD_FUNCTION,
    DISPATCH,
    FUNCTION,
    KERNEL,
    USER_SCOPE,
    RecordFunctionCallback,
    RecordScope,
    observing,
)
from ..memory.tensor import Tensor
from ..values.dispatch_key import WRAPPER_KEYS
from .observation import tensors_in

_SCOPES = {
    FUNCTION: "operator",
    BACKWARD_FUNCTION: "node",
    USER_SCOPE: "block",
    KERNEL: "kernel",
    DISPATCH: "key",
}


class Event:
    """One call.

    scope       "operator", "key" (the kernel of a dispatch key), "kernel" (a backend's), "node" (of backward)
                or "block" (that the program has named)
    name        of the operator or Node, or of the key; of a kernel with its backend's device
    place       for calls of the program: the file and the line that made it
    given       the arguments that are tensors, as dtype and sizes
    notes       what came out: its memory is new, an argument's, or a view of an argument's
    start, end  nanoseconds of ``time.perf_counter_ns``
    children    the calls within
    """

    __slots__ = ("children", "end", "given", "inputs", "name", "notes", "place", "scope", "start", "thread")

    def __init__(self, scope: str, name: str):
        self.scope = scope
        self.name = name
        self.place: tuple[str, int] | None = None
        self.given = ""
        self.inputs: list[Tensor] = []
        self.notes: list[str] = []
        self.children: list[Event] = []
        self.thread = threading.get_ident()
        self.start = self.end = 0

    def line(self) -> str:
        """The event as one line of text, without its time."""
        parts = [f"{self.scope} {self.name}"]
        if self.given:
            parts.append(f"({self.given})")
        if self.notes:
            parts.append(f"-> {', '.join(self.notes)}")
        return " ".join(parts)

    def all(self) -> Iterator[Event]:
        """The event and all within it, in order."""
        yield self
        for each in self.children:
            yield from each.all()


class Trace:
    """The calls of a program, in order; those within others are their ``children``."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._open: dict[int, list[Event]] = {}

    def text(self, pattern: str = "", depth: int | None = None, with_times: bool = True) -> str:
        """The calls as an indented tree below the lines of the program that made them.

        pattern     a regular expression: only calls whose line contains it are shown, and those around them
        depth       only calls less deep than this
        with_times  each line begins with the time in microseconds

        Raises ValueError for a pattern that is no regular expression.
        """
        try:
            compiled = re.compile(pattern)
        except re.error as error:
            raise ValueError(f"not a regular expression: {pattern!r}: {error}") from None
        lines: list[str] = []
        place = None
        for event in self.events:
            found = list(_lines(event, compiled, 1, depth, with_times))
            if not found:
                continue
            if event.place != place:
                place = event.place
                lines.append(_source(place))
            lines += found
        return "\n".join(lines)

    def chrome_trace(self) -> dict[str, Any]:
        """The calls as events of Chrome's trace format, for ``chrome://tracing`` and ui.perfetto.dev."""
        first = min((each.start for each in self.events), default=0)
        events = []
        for top in self.events:
            for each in top.all():
                place = "" if top.place is None else f"{top.place[0]}:{top.place[1]}"
                events.append(
                    {
                        "ph": "X",
                        "pid": os.getpid(),
                        "tid": each.thread,
                        "name": each.name,
                        "cat": each.scope,
                        "ts": (each.start - first) / 1e3,
                        "dur": (each.end - each.start) / 1e3,
                        "args": {"line": place, "arguments": each.given, "notes": each.notes},
                    }
                )
        return {"traceEvents": events, "displayTimeUnit": "ns"}

    def begin(self, scope: RecordScope, name: str, arguments: Sequence[Any]) -> Event:
        """A call begins; the result is given to ``finish``."""
        event = Event(_SCOPES[scope], name)
        if scope is KERNEL:
            event.name = f"{name} on {arguments[0].type}"
            if name == "copy_":
                source = arguments[1][1]._spec
                event.notes.append(f"copies {source.numel * source.dtype.itemsize} bytes")
        elif scope is DISPATCH:
            event.name = f"{arguments[1].name} of {name}"
        else:
            event.inputs = list(tensors_in(arguments))
            event.given = ", ".join(map(_text_of, event.inputs))
        within = self._open.setdefault(event.thread, [])
        if within:
            within[-1].children.append(event)
        else:
            event.place = _place()
            self.events.append(event)
        within.append(event)
        event.start = time.perf_counter_ns()
        return event

    def finish(self, event: Event, is_done: bool, outputs: Any) -> None:
        """The call ends, with what it returned."""
        event.end = time.perf_counter_ns()
        self._open[event.thread].pop()
        if not is_done:
            event.notes.append("raised" if event.scope != "kernel" else "declined")
        elif event.scope == "operator":
            given = outputs if isinstance(outputs, (list, tuple)) else [outputs]
            event.notes += [_origin(each, event.inputs) for each in tensors_in(given)]
        event.inputs = []  # a trace keeps no tensor alive


def _lines(
    event: Event, pattern: re.Pattern[str], level: int, depth: int | None, with_times: bool
) -> Iterator[str]:
    """The event's line and those of its children, if one of them contains the pattern."""
    if depth is not None and level > depth:
        return
    within = [line for each in event.children for line in _lines(each, pattern, level + 1, depth, with_times)]
    if within or pattern.search(event.line()):
        time_of = f"{(event.end - event.start) / 1e3:10.1f} us  " if with_times else ""
        yield f"{time_of}{'  ' * level}{event.line()}"
        yield from within


def _source(place: tuple[str, int] | None) -> str:
    if place is None:
        return "(no line of the program)"
    file, line = place
    return f"{os.path.basename(file)}:{line}  {linecache.getline(file, line).strip()}".rstrip()


def _place() -> tuple[str, int] | None:
    """The innermost line of the stack that is not gnomon's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("gnomon"):
        frame = frame.f_back
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def _text_of(tensor: Tensor) -> str:
    return f"{tensor._spec.dtype.name}{list(tensor._spec.sizes)}"


def _origin(output: Tensor, inputs: Sequence[Tensor]) -> str:
    """The result, and whose memory it has."""
    text = _text_of(output)
    if any(each is output for each in inputs):
        return f"{text}, written in place"
    storage = _storage(output)
    if storage is None:
        return text
    if any(_storage(each) is storage for each in inputs):
        return f"{text}, a view with strides {list(output._spec.strides)}"
    return f"{text}, {storage.size} new bytes"


def _storage(tensor: Tensor) -> Any:
    """The storage; None for a tensor without one of its own, such as a sparse or a batched tensor."""
    return None if tensor._keys & WRAPPER_KEYS or tensor._storage is None else tensor.untyped_storage()


@contextlib.contextmanager
def tracing() -> Iterator[Trace]:
    """A Trace of what runs inside the block, on this thread and in its backward passes."""
    trace = Trace()
    callback = RecordFunctionCallback(trace.begin, trace.finish, _SCOPES, needs_outputs=True)
    with observing(callback):
        yield trace
