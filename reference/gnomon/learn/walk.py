"""The path of one statement: every Python function that it calls, in order, with times and what it allocates.

    found = walk("a + b", setup="a, b = gn.ones(2), gn.ones(2)")
    print(found.text())

The profiling hook of Python (``sys.setprofile``) reports the calls, so a walk sees what runs in Python: with
the C speedups a call leaves little to see.  ``gnomon walk`` runs without them.
"""

from __future__ import annotations

import itertools
import os
import re
import sys
import sysconfig
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from ..backends.listing import kernel_operators
from ..calls.composites import checked
from ..calls.launch import launch
from ..dispatch.dispatcher import OpOverload
from ..memory.backend import backend_of
from ..memory.storage import Storage
from ..memory.tensor import alias_tensor
from ..values.dispatch_key import DispatchKey

STDLIB = "<stdlib>/"
STATEMENT = "<statement>"


@dataclass(frozen=True)
class Call:
    """A call of a Python function.

    name        the function, qualified by its class
    file        relative to gnomon's folder; ``<stdlib>/`` and the rest for the standard library
    line        where the function begins
    depth       the number of calls around it
    stage       what part of an operator's call begins here: "parser", a dispatch key and the operator
                ("Autograd add.Tensor"), "composite" and the operator, "meta", "kernel"; "" within a part
    notes       what it does with memory: "allocates 8 bytes on reference", "is a view", "copies 8 bytes …"
    start, end  nanoseconds of ``time.perf_counter_ns``; the hook makes calls longer than they are
    """

    name: str
    file: str
    line: int
    depth: int
    stage: str = ""
    notes: tuple[str, ...] = ()
    start: int = 0
    end: int = 0

    @property
    def launches(self) -> bool:
        """Whether it launches a backend's kernel."""
        return any(each.startswith("launches ") for each in self.notes)

    @property
    def is_kernel(self) -> bool:
        """Whether it is an operator's kernel of the reference."""
        return self.stage == "kernel"


@dataclass(frozen=True)
class Walk:
    """All calls of one statement, in order; ``shown`` are the places of those that ``text`` has."""

    calls: list[Call]
    shown: frozenset[int] | None = field(default=None)

    @property
    def to_kernel(self) -> int | None:
        """The number of calls up to and including the first kernel; None if none ran."""
        return next((count for count, each in enumerate(self.calls, 1) if each.is_kernel), None)

    @property
    def files(self) -> set[str]:
        """The files that the calls are in."""
        return {each.file for each in self.calls}

    def counts(self) -> str:
        """The counts, one per line."""
        launched = next((count for count, each in enumerate(self.calls, 1) if each.launches), None)
        if self.to_kernel is not None:
            to_kernel = f"{self.to_kernel} up to the kernel"
        elif launched is not None:
            to_kernel = f"{launched} up to the launch of a backend's kernel"
        else:
            to_kernel = "no kernel ran"
        return f"{len(self.calls)} Python calls, {to_kernel}\n{len(self.files)} files"

    def filtered(self, pattern: str = "", depth: int | None = None) -> Walk:
        """A walk that shows only some of its calls, and the calls around them.

        Those less than ``depth`` deep whose line of the text contains ``pattern``, a regular expression.

        Raises ValueError for a pattern that is none.
        """
        try:
            compiled = re.compile(pattern)
        except re.error as error:
            raise ValueError(f"not a regular expression: {pattern!r}: {error}") from None
        shown: set[int] = set()
        chain: list[int] = []
        for place, each in enumerate(self.calls):
            del chain[each.depth :]
            chain.append(place)
            if (depth is None or each.depth < depth) and compiled.search(_line(each, True)):
                shown.update(chain)
        return replace(self, shown=frozenset(shown))

    def returns(self, floor_of: Callable[[str], int]) -> list[Call]:
        """The calls on a floor that was left upwards before.

        ``floor_of`` maps the name of a module to its floor.  The rule applies to chains of callers: a call,
        its caller, and so on out to the statement.  In a chain, a floor is left upwards when a call on it
        makes a call on a higher floor; no call further in may be on that floor again.  A call that returns
        before the next one is made belongs to another chain, and does not count.  A kernel starts a new
        chain: it is on the floor of the operators, and computes with the floors below.
        """
        found: list[Call] = []
        chain: list[Call] = []
        for each in self.calls:
            del chain[each.depth :]
            chain.append(each)
            start = max((place for place, call in enumerate(chain) if call.is_kernel), default=0)
            ours = [call for call in chain[start:] if not call.file.startswith("<")]
            floors = [floor_of(call.file.removesuffix(".py").replace("/", ".")) for call in ours]
            left = {here for here, there in itertools.pairwise(floors) if there > here}
            if ours[-1:] == [each] and floors[-1] in left:
                found.append(each)
        return found

    def text(self, with_lines: bool = True, with_times: bool = True) -> str:
        """One line per call, and the counts.

        Line numbers, which change with every edit, are optional, and so are times.  ``>`` marks a kernel.
        """
        lines = []
        for place, each in enumerate(self.calls):
            if self.shown is None or place in self.shown:
                time_of = f"{(each.end - each.start) / 1e3:9.1f} us " if with_times else ""
                mark = ">" if each.is_kernel else " "
                lines.append(f"{time_of}{mark} {'  ' * each.depth}{_line(each, with_lines)}")
        if self.shown is not None:
            lines.append(f"… {len(self.calls) - len(lines)} more calls are not shown")
        return "\n".join([*lines, "", self.counts()])

    def chrome_trace(self) -> dict[str, Any]:
        """The calls as events of Chrome's trace format, for ``chrome://tracing`` and ui.perfetto.dev."""
        first = self.calls[0].start if self.calls else 0
        events = [
            {
                "ph": "X",
                "pid": os.getpid(),
                "tid": 0,
                "name": each.name,
                "cat": each.stage or "call",
                "ts": (each.start - first) / 1e3,
                "dur": (each.end - each.start) / 1e3,
                "args": {"file": f"{each.file}:{each.line}", "notes": list(each.notes)},
            }
            for each in self.calls
        ]
        return {"traceEvents": events, "displayTimeUnit": "ns"}


def _line(call: Call, with_line: bool) -> str:
    place = f"{call.file}:{call.line}" if with_line else call.file
    stage = f"  [{call.stage}]" if call.stage else ""
    notes = f"  ({'; '.join(call.notes)})" if call.notes else ""
    return f"{call.name}  {place}{stage}{notes}"


def walk(
    statement: str,
    *,
    setup: str = "",
    before: str = "",
    call: int = 3,
    names: dict[str, Any] | None = None,
) -> Walk:
    """The calls of the ``call``-th time that a statement runs; the third finds all caches filled.

    statement  Python statements or an expression; ``gn`` is gnomon
    setup      statements that run once, before all
    before     statements that run before each time
    names      other names that it may use

    Raises what the statements raise.
    """
    import gnomon as gn

    space: dict[str, Any] = {"gn": gn, "grad": gn.autograd.grad, **(names or {})}
    code = compile(statement.strip(), STATEMENT, "exec")
    exec(setup, space)
    observer = _Observer(code)
    for _ in range(call):
        exec(before, space)
        observer.calls.clear()
        sys.setprofile(observer.note)
        try:
            exec(code, space)
        finally:
            sys.setprofile(None)
    return Walk([Call(**each) for each in observer.calls])


class _Observer:
    """Collects the calls within ``code``."""

    def __init__(self, code: CodeType):
        import gnomon

        self.code = code
        self.calls: list[dict[str, Any]] = []
        self.open: list[dict[str, Any] | None] = []
        self.root = str(Path(gnomon.__file__).parent) + os.sep
        self.stdlib = sysconfig.get_path("stdlib") + os.sep
        kernels = {each.record.kernel for each in kernel_operators()}
        self.kernels = {each.__code__ for each in kernels if hasattr(each, "__code__")}

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        if event not in ("call", "return") or frame.f_code is self.code:
            return
        if event == "return":
            if self.open and (ended := self.open.pop()) is not None:
                ended["end"] = time.perf_counter_ns()
            return
        depth, outer = 0, frame.f_back
        while outer is not None and outer.f_code is not self.code:
            depth, outer = depth + 1, outer.f_back
        if outer is None:  # a function that runs outside of the statement
            self.open.append(None)
            return
        function = frame.f_code
        file = function.co_filename.removeprefix(self.root).replace(self.stdlib, STDLIB)
        found = {
            "name": getattr(function, "co_qualname", function.co_name),  # 3.10 has only the last part
            "file": file.replace(os.sep, "/"),
            "line": function.co_firstlineno,
            "depth": depth,
            "stage": self.stage_of(frame),
            "notes": _notes_of(frame),
        }
        self.calls.append(found)
        self.open.append(found)
        found["start"] = time.perf_counter_ns()

    def stage_of(self, frame: FrameType) -> str:
        """The part of an operator's call that begins with this function."""
        function, caller = frame.f_code, frame.f_back
        if function in self.kernels:
            return "kernel"
        within = None if caller is None else caller.f_code
        if within is self.code and function.co_filename.endswith("argument_parser.py"):
            return "parser"
        if within is _REDISPATCHES and function.co_argcount == 3:  # a kernel of a dispatch key
            operator, keys, _ = (frame.f_locals[name] for name in function.co_varnames[:3])
            is_composite = operator.record is not None and operator.record.composite is not None
            part = "composite" if is_composite else DispatchKey(keys.bit_length() - 1).name
            return f"{part} {operator.name}"
        if within is _CHECKED and function is _meta_code(caller):
            return "meta"
        return ""


def _meta_code(caller: FrameType | None) -> CodeType | None:
    """The code of the meta function that ``checked`` is about to call."""
    record = None if caller is None else caller.f_locals["operator"].record
    return getattr(getattr(record, "meta", None), "__code__", None)


def _notes_of(frame: FrameType) -> tuple[str, ...]:
    """What the function that begins does with memory."""
    function, given = frame.f_code, frame.f_locals
    if function is _ALLOCATES:
        return (f"allocates {given['size']} bytes on {given['device']}",)
    if function is _VIEWS:
        return (f"a view: sizes {list(given['spec'].sizes)}, strides {list(given['spec'].strides)}",)
    if function is _LAUNCHES:
        name, device, tensors = given["name"], given["device"], given["tensors"]
        notes = [f"launches {name} on {backend_of(device).name}"]
        if name == "copy_":
            output, source = (each._spec for each in tensors[:2])
            where = "" if output.device == source.device else f" from {source.device}"
            notes.append(f"copies {output.numel * output.dtype.itemsize} bytes{where}")
        return tuple(notes)
    return ()


_REDISPATCHES = getattr(OpOverload.redispatch, "__code__", None)  # None: it is a speedup's
_CHECKED = checked.__code__
_ALLOCATES = Storage.__init__.__code__
_VIEWS = alias_tensor.__code__
_LAUNCHES = launch.__code__
