"""An exception explained: the operator's call that raised it, up to the check that refused it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import FrameType, TracebackType
from typing import Any

from ..autograd.saved_variable import raise_version_mismatch
from ..dispatch.dispatcher import OpOverload
from ..memory.contract import place_of
from ..values import geometry
from ..values.dispatch_key import DispatchKey
from .calls import add_call, value_text
from .observation import Call, PythonCall, is_dispatcher, is_parser, python_call
from .overloads import table_of_overloads
from .report import Facts, Lines, Report, Table
from .watching import explain_writer

_MODIFIED = raise_version_mismatch.__code__


def _chain(error: BaseException) -> list[BaseException]:
    """An exception, and those that were being handled when it was raised, the earliest last."""
    chain = [error]
    while (inner := chain[-1].__context__) is not None and inner not in chain:
        chain.append(inner)
    return chain


def _frames(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    """The frames of a traceback with their lines, the outermost first."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def _raised_in(error: BaseException) -> tuple[FrameType, int] | None:
    """The frame of gnomon that raised an exception, before the operator's name was put in front of it."""
    for each in reversed(_chain(error)):
        if str(each) not in str(error):
            continue
        ours = [
            (frame, line)
            for frame, line in _frames(each)
            if (name := frame.f_globals.get("__name__", "")).startswith("gnomon")
            and not name.startswith("gnomon.learn")
        ]
        if ours:
            return ours[-1]
    return None


def add_error(report: Report, error: BaseException) -> None:
    """Add what was raised, and by which check."""
    facts: list[tuple[str, Any]] = [("raised", type(error).__name__)]
    raised = _raised_in(error)
    if raised is not None:
        frame, line = raised
        facts.append(("by the check in", getattr(frame.f_code, "co_qualname", frame.f_code.co_name)))
        facts.append(("file", place_of(frame.f_code, line)))
        if frame.f_code is geometry.broadcast_sizes.__code__:
            report.add("Broadcast", _sizes_beside(frame.f_locals["first"], frame.f_locals["second"]))
    report.add("Error", Facts(facts), Lines(str(error).splitlines() or ["without a message"]))


def _sizes_beside(a: Sequence[int], b: Sequence[int]) -> Table:
    """Two shapes, aligned at the last dimension, and where they do not broadcast."""
    ndim = max(len(a), len(b))
    rows = [(name, *[None] * (ndim - len(sizes)), *sizes) for name, sizes in (("a", a), ("b", b))]
    fits = [
        left is None or right is None or left == right or 1 in (left, right)
        for left, right in zip(rows[0][1:], rows[1][1:])
    ]
    rows.append(("broadcasts", *fits))
    return Table(("sizes", *(f"dimension {dim}" for dim in range(ndim))), rows)


def explain_error(error: BaseException) -> Report:
    """Explain the call that raised ``error``, from the frames of its traceback; the call is not made again.

    An error of backward about a saved tensor that was modified is explained by its Node and that tensor; one
    that gnomon raised outside of a call, by the check that raised it.  Raises ValueError for any other.
    """
    modified = next((frame for frame, _ in _frames(error) if frame.f_code is _MODIFIED), None)
    if modified is not None:
        return _explain_modified(error, modified)
    outer: tuple[OpOverload, Any, FrameType] | None = None
    parsed: FrameType | None = None
    for frame, _ in _frames(error):
        if is_parser(frame):
            parsed = parsed or frame
        elif is_dispatcher(frame) and outer is None:
            operator, arguments = frame.f_locals["self"], frame.f_locals["arguments"]
            if len(arguments) == operator.arity:
                outer = operator, arguments, frame
    if outer is None and parsed is None:
        return _explain_check(error)
    matched = None if parsed is None else _matched(parsed)
    if outer is None and matched is not None:  # C called it
        report = Report(f"{type(error).__name__} in a call of {matched.name}", error=error)
        add_call(report, matched)
    elif outer is None:
        assert parsed is not None
        found = parsed.f_locals
        report = Report(f"{type(error).__name__}: no overload of {found['packet'].name} matched", error=error)
        call = PythonCall(found["packet"], found["args"], found["kwargs"], found["signatures"])
        rows = table_of_overloads(call.signatures, call.args, call.kwargs, None)
        report.add("Overload", Table(("tried", "overload", "outcome"), rows))
    else:
        operator, arguments, frame = outer
        report = Report(f"{type(error).__name__} in a call of {operator.name}", error=error)
        refused = Call(operator.name, arguments, operator)
        refused.passed = _passed(error, operator)
        refused.python = python_call(frame.f_back, operator)
        add_call(report, refused)
    add_error(report, error)
    return report


def _matched(frame: FrameType) -> Call | None:
    """The call that the argument parser found, in whose frame an error was raised; None if it found none."""
    found = frame.f_locals
    for signature in found["signatures"]:
        try:
            values = signature.bind(found["args"], found["kwargs"])
        except Exception:  # it does not match
            continue
        call = Call(signature.operator.name, values, signature.operator)
        call.python = PythonCall(found["packet"], found["args"], found["kwargs"], found["signatures"])
        return call
    return None


def _explain_check(error: BaseException) -> Report:
    """An error that gnomon raised outside of a call.  Raises ValueError if it did not raise it."""
    frames = [frame for frame, _ in _frames(error)]
    origin = frames[-1].f_globals.get("__name__", "") if frames else ""
    if not origin.startswith("gnomon.") or origin.startswith("gnomon.learn"):
        raise ValueError(
            "explain: there is no call of an operator in the exception's traceback: "
            f"{type(error).__name__}: {error}"
        )
    report = Report(f"{type(error).__name__} of {origin}, outside of a call of an operator", error=error)
    add_error(report, error)
    return report


def _explain_modified(error: BaseException, frame: FrameType) -> Report:
    """The Node that saved a tensor, the tensor, and the versions that do not agree."""
    node, tensor = frame.f_locals["node"], frame.f_locals["tensor"]
    report = Report(f"{type(error).__name__} of {node.name()}: a saved tensor was modified", error=error)
    facts: list[tuple[str, Any]] = [
        ("Node", node.name()),
        ("sequence_nr", node.sequence_nr),
        ("tensor", value_text(tensor)),
        ("it is", "an output of the Node" if frame.f_locals["output_nr"] >= 0 else "an input of the Node"),
        ("version when it was saved", frame.f_locals["expected"]),
        ("version now", tensor._version),
    ]
    report.add("Saved tensor", Facts(facts), explain_writer(tensor))
    add_error(report, error)
    return report


def _passed(error: BaseException, operator: OpOverload) -> list[Any]:
    """The keys whose kernels had begun: the traceback has a frame of ``redispatch`` for each."""
    return [
        DispatchKey(frame.f_locals["key"])
        for frame, _ in _frames(error)
        if is_dispatcher(frame)
        and frame.f_code.co_name == "redispatch"
        and frame.f_locals["self"] is operator
        and "key" in frame.f_locals
    ]
