"""Compares what the reader's code does with what gnomon does, and words the first difference."""

from __future__ import annotations

import linecache
import math
import traceback
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from ...memory.tensor import Tensor

_LONGEST = 300  # characters of a value in a finding
_LONG = 70  # from which on the place of the difference is shown, too
_NEARLY = 1e-6  # what floats may differ by where that place is looked for


class Finding(Exception):
    """Ends the marking of an exercise: the text says what is wrong."""


class Skipped(Exception):
    """The exercise can not be marked here; the text says why."""


class Outcome(NamedTuple):
    """What a call did: the value that it returned, or the error that it raised."""

    value: Any
    error: BaseException | None


def wanted(module: ModuleType, name: str) -> Any:
    """What the reader's module defines by this name.  Raises Finding if it does not."""
    if not hasattr(module, name):
        raise Finding(f"{_file_name(module)} does not define {name}; the task says what it should be.")
    return getattr(module, name)


def compare(
    module: ModuleType,
    name: str,
    oracle: Callable[..., Any],
    cases: Iterable[tuple[Any, ...]],
    same: Callable[[Any, Any], bool] | None = None,
) -> list[str]:
    """Call the reader's function ``name`` and ``oracle`` with each case's arguments: the first difference.

    Cases with short arguments come first.  If ``oracle`` raises, the function must raise an error of the same
    type.
    """
    function = wanted(module, name)
    return differences(
        module,
        sorted(cases, key=lambda case: len(_call(name, case))),
        lambda case: function(*copied(case)),
        lambda case: oracle(*copied(case)),
        lambda case: _call(name, case),
        same or equal,
    )


def differences(
    module: ModuleType,
    cases: Iterable[Any],
    own: Callable[[Any], Any],
    oracle: Callable[[Any], Any],
    describe: Callable[[Any], str],
    same: Callable[[Any, Any], bool] | None = None,
) -> list[str]:
    """The first case for which ``own`` and ``oracle`` differ, in plain words; nothing if there is none."""
    for case in cases:
        expected = outcome(oracle, case)
        got = outcome(own, case)
        if isinstance(got.error, Finding):
            raise got.error
        if got.error is not None and is_skeletons(module, got.error):
            raise Finding(not_written(module, got.error))
        if expected.error is not None:
            fits = isinstance(got.error, type(expected.error))
        else:
            fits = got.error is None and (same or equal)(got.value, expected.value)
        if not fits:
            return [difference(module, describe(case), got, expected)]
    return []


def difference(module: ModuleType, what: str, got: Outcome, expected: Outcome) -> str:
    """The text of a finding."""
    gave = shown(got.value) if got.error is None else error_text(module, got.error)
    error = expected.error
    right = shown(expected.value) if error is None else f"{type(error).__name__} (gnomon says: {error})"
    text = f"{what}\n  gave:     {gave}\n  expected: {right}"
    if got.error is None and error is None and max(len(gave), len(right)) > _LONG:
        text += _where(got.value, expected.value)
    return text


def _where(got: Any, expected: Any, path: str = "") -> str:
    """The place of the first difference in long values: a line for a finding; "" if it is the whole."""
    if not (isinstance(got, (list, tuple)) and isinstance(expected, (list, tuple))):
        return f"\n  differs:  at {path}, {shown(got)} instead of {shown(expected)}" if path else ""
    for place, (mine, right) in enumerate(zip(got, expected)):
        if not close(mine, right, _NEARLY):
            return _where(mine, right, f"{path}[{place}]")
    if len(got) == len(expected):
        return ""
    where = f"{path} " if path else ""
    return f"\n  differs:  {where}has {len(got)} items instead of {len(expected)}"


def outcome(function: Callable[..., Any], *arguments: Any) -> Outcome:
    """What a call does."""
    try:
        return Outcome(function(*arguments), None)
    except (Exception, SystemExit) as error:  # the reader's code may raise anything
        return Outcome(None, error)


def place_of(module: ModuleType, error: BaseException) -> str:
    """Where in the reader's file an error was raised: ", in line 3 of x.py: ``code``", or nothing."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == module.__file__ and frame.lineno is not None
    ]
    if not lines:
        return ""
    line = linecache.getline(str(module.__file__), lines[-1]).strip()
    return f", in line {lines[-1]} of {_file_name(module)}: {line}"


def error_text(module: ModuleType, error: BaseException) -> str:
    """An error of the reader's code, with its line."""
    text = str(error)
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    return f"{type(error).__name__}{f': {text}' if text else ''}{place_of(module, error)}"


def is_skeletons(module: ModuleType, error: BaseException) -> bool:
    """Was the error raised by a body that is still the skeleton's?"""
    where = place_of(module, error)
    return isinstance(error, NotImplementedError) and where.endswith(": raise NotImplementedError")


def not_written(module: ModuleType, error: BaseException) -> str:
    """The finding for a body that is still the skeleton's."""
    where = place_of(module, error)
    return f"Not written yet: NotImplementedError{where}. Replace this line by your code."


def copied(value: Any) -> Any:
    """A copy of nested lists and dicts, so that the reader's code can not change the case."""
    if isinstance(value, list):
        return [copied(each) for each in value]
    if type(value) is tuple:
        return tuple(copied(each) for each in value)
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    return bytearray(value) if isinstance(value, bytearray) else value


def equal(got: Any, expected: Any) -> bool:
    """Are both the same?  A list is as good as a tuple, and NaN equals NaN."""
    return close(got, expected, 0.0)


def nearly(tolerance: float) -> Callable[[Any, Any], bool]:
    """A comparison of values whose floats may differ by ``tolerance``, relative to numbers above 1."""
    return lambda got, expected: close(got, expected, tolerance)


def close(got: Any, expected: Any, tolerance: float) -> bool:
    """Are both the same, but for differences of floats up to ``tolerance``?"""
    if isinstance(expected, Tensor):
        return (
            isinstance(got, Tensor)
            and got.shape == expected.shape
            and got.dtype is expected.dtype
            and close(got.tolist(), expected.tolist(), tolerance)
        )
    if isinstance(expected, (list, tuple)):
        return (
            isinstance(got, (list, tuple))
            and len(got) == len(expected)
            and all(close(a, b, tolerance) for a, b in zip(got, expected))
        )
    if isinstance(expected, dict):
        return (
            isinstance(got, dict)
            and got.keys() == expected.keys()
            and all(close(got[key], expected[key], tolerance) for key in expected)
        )
    if isinstance(expected, float) and type(got) in (int, float):
        if math.isnan(expected) or math.isinf(expected):
            return str(float(got)) == str(expected)
        return abs(got - expected) <= tolerance * max(1.0, abs(expected))
    if expected is None or isinstance(expected, bool):
        return got is expected
    return bool(got == expected)


def shown(value: Any) -> str:
    """The repr of a value, shortened."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} … ({len(text)} characters)"


def _call(name: str, arguments: Sequence[Any]) -> str:
    return f"{name}({', '.join(shown(each) for each in arguments)})"


def _file_name(module: ModuleType) -> str:
    return str(module.__file__).replace("\\", "/").rpartition("/")[2]
