"""Determines which backend, operator and tier a test belongs to, and its outcome.

The outcome combines pytest's passed, failed or skipped with the kernels that ran; plugin.py calls these
functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from gnomon.memory.backend import claim_of, get_backend

from ..collection import selection, tiers
from ..comparison.error_measurement import Measured
from ..comparison.expectations import Expectations, read
from ..execution.last_call import LastCall
from ..inputs.description import COMPLEX, DTYPES
from .outcomes import (
    BLOCKED,
    COMPOSED,
    FAIL,
    FELL_BACK,
    NOT_CLAIMED,
    NOT_OWN,
    OWN,
    PASS,
    STALE,
    Result,
)
from .reproduction import explain

PROPERTY = "gnomon"  # the name of the user property that carries a Result in pytest's reports

foundations_key: pytest.StashKey[dict[str, dict[str, str]]] = pytest.StashKey()
_notes_key: pytest.StashKey[Notes] = pytest.StashKey()

_TRAIT_OF_DTYPE = {"float64": "float64", "float16": "half", "bfloat16": "half"} | dict.fromkeys(
    COMPLEX, "complex"
)
_TRAIT_OF_TIER = {"autograd": "autograd", "random": "random", "threads": "threads"}


class Subject(NamedTuple):
    """What a test of a backend covers; ``test`` is its name in reports."""

    backend: str
    test: str
    check: str
    operator: str
    dtype: str
    tier: str


class Notes:
    """What has been recorded about a running test."""

    def __init__(self) -> None:
        self.skipped = ""  # the outcome for which it was skipped; ``reason`` says why
        self.reason = ""
        self.kernels: dict[str, str] = {}
        self.origin = NOT_OWN
        self.worst: dict[str, Any] | None = None
        self.not_claimed: list[str] = []
        self.broken: list[str] = []  # claimed kernels that did not run


def subject_of(item: Any) -> Subject | None:
    """The subject of a collected test; None if it does not test a backend."""
    callspec = getattr(item, "callspec", None)
    if callspec is None or callspec.params.get("backend") is None:
        return None
    parameters = dict(callspec.params)
    backend = parameters.pop("backend")
    operator = parameters.get("operator")
    if any(type(value).__name__ == "NotSetType" for value in parameters.values()):
        return None  # pytest's placeholder for an empty parameter set
    name = getattr(operator, "name", "") or parameters.get("name", "")
    dtype = parameters.get("dtype", "")
    mark = item.get_closest_marker("tier")
    if mark is not None:
        tier = mark.args[0]
    elif operator is not None:
        base = operator.record.base
        tier = tiers.tier_of(base.name if base is not None else operator.name)
    else:
        tier = tiers.tier_of_expression(name) if name else "memory"
    check = _check_of(item.originalname, item.module.__name__)
    return Subject(backend, _test_name(check, callspec.id, backend), check, name, dtype, tier)


def _check_of(function: str, module: str) -> str:
    check = function.removeprefix("test_")
    return module.rpartition(".")[2].removeprefix("test_") if check == "backend" else check


def _without(identifier: str, backend: str) -> str | None:
    """pytest's id of a test's parameters without the backend, which is first or last; None if it has none."""
    if identifier == backend:
        return ""
    if identifier.endswith(f"-{backend}"):
        return identifier.removesuffix(f"-{backend}")
    return identifier.removeprefix(f"{backend}-") if identifier.startswith(f"{backend}-") else None


def _test_name(check: str, identifier: str, backend: str) -> str:
    rest = _without(identifier, backend)
    return f"{check}[{rest}]" if rest else check


def crashed(nodeid: str, backends: list[str], message: str, call: LastCall | None = None) -> Result | None:
    """The Result of a test that crashed its process; None for a test of another suite."""
    path, _, rest = nodeid.rpartition("::")
    function, _, identifier = rest.rstrip("]").partition("[")
    backend = next((name for name in backends if _without(identifier, name) is not None), None)
    if backend is None:
        return None
    check = _check_of(function, path.removesuffix(".py").rpartition("/")[2])
    test = _test_name(check, identifier, backend)
    parts = (_without(identifier, backend) or "").split("-")
    dtype = parts.pop() if parts and parts[-1] in DTYPES else ""
    operator = "-".join(parts)
    try:
        tier = tiers.tier_of_expression(operator) if check == "expressions" else tiers.tier_of(operator)
    except KeyError:
        tier = "models"
    found = Result(backend, test, check, operator, dtype, tier, FAIL, message)
    called = None if call is None else selection.called(call.operator)
    if called is None or call is None:
        return found
    text = explain([message], called, call.sample, call.dtype, call.layout, ("reference", backend))
    shown, _, program = text.partition("\nTo reproduce:\n")
    claimed = get_backend(backend)
    name = (called.record.base or called).name
    kernels = {name: claimed.kernel_source(name)} if name in claimed.kernels else {}
    return found._replace(message=shown.strip("\n"), program=program.strip("\n"), kernels=kernels)


def expectations_of(config: Any, backend: Any) -> Expectations:
    """The expectations named on the command line, else the backend's own.  Raises what ``read`` raises."""
    path = config.getoption("gnomon_expectations", None) or backend.conformance_file
    return read(None if path is None else str(path))


def dtypes_with(backend: Any) -> list[str]:
    """The dtypes that a backend's traits allow."""
    return [dtype for dtype in DTYPES if _TRAIT_OF_DTYPE.get(dtype) in (None, *backend.traits)]


def begin(item: Any) -> None:
    """Before a test: skip it if it is not claimed, or is blocked."""
    subject = subject_of(item)
    if subject is None:
        return
    notes = item.stash[_notes_key] = Notes()
    backend = get_backend(subject.backend)
    wanted = {trait for mark in item.iter_markers("traits") for trait in mark.args}
    wanted |= {_TRAIT_OF_DTYPE.get(subject.dtype), _TRAIT_OF_TIER.get(subject.tier)} - {None}
    missing = sorted(wanted - set(backend.traits))
    broken = item.config.stash[foundations_key].get(subject.backend, {})
    below = [tier for tier in tiers.TIERS if broken.get(tier) and tier in tiers.rests_on(subject.tier)]
    if missing:
        notes.skipped, notes.reason = NOT_CLAIMED, f"{backend.name} lacks the trait {', '.join(missing)}"
    elif below:
        notes.skipped = BLOCKED
        notes.reason = f"the foundation of {below[0]!r} fails, on which {subject.tier!r} depends"
    if notes.skipped:
        pytest.skip(f"{notes.skipped}: {notes.reason}")


def note_runs(
    item: Any,
    backend: Any,
    native: Mapping[tuple[str, str], int],
    fallen: Mapping[tuple[str, str], int],
    declined: Mapping[tuple[str, str], int],
    measured: Measured,
) -> None:
    """After a test: record which backend's kernels ran, and the largest error."""
    notes = item.stash[_notes_key]
    notes.worst = measured.as_data()
    mine = backend.device_type
    notes.kernels = {
        name: backend.kernel_source(name)
        for device, name in sorted(native)
        if device == mine and name in backend.kernels
    }
    if notes.kernels:
        notes.origin = OWN if _kernel_of(item) in notes.kernels else COMPOSED
    for device, name in sorted(fallen):
        if device != mine:
            continue
        # A claim without a kernel counts like a kernel that declines.
        promised = (device, name) in declined or (
            claim_of(backend, name) is not None and name not in backend.kernels
        )
        (notes.broken if promised else notes.not_claimed).append(name)


def _kernel_of(item: Any) -> str:
    """The name of the kernel under test; "" if there is none."""
    operator = item.callspec.params.get("operator")
    if operator is None:
        return ""
    record = (operator.record.base or operator).record
    if record.kernel is None and record.launches is None:
        return ""
    return record.launches or record.kernel_name


def judge(item: Any, call: Any, report: Any) -> None:
    """Replace pytest's report of one phase of a test by the suite's outcome, and attach the Result."""
    notes = item.stash.get(_notes_key, None)
    subject = subject_of(item)
    if notes is None or subject is None:
        return
    if call.when == "setup" and not notes.skipped and report.outcome == "passed":
        return
    if call.when == "teardown" and report.outcome == "passed":
        return
    expected = expectations_of(item.config, get_backend(subject.backend)).reason(subject.test)
    text = str(report.longrepr) if report.outcome == "failed" else ""
    outcome, message, known = PASS, "", ""
    if notes.skipped:
        outcome, message = notes.skipped, notes.reason
    elif report.outcome == "failed":
        outcome, message, known = FAIL, text, expected
        if known:
            report.outcome = "skipped"
            report.wasxfail = f"reason: {known}"
    elif report.outcome == "skipped":
        outcome, message = NOT_CLAIMED, str(report.longrepr[-1] if report.longrepr else "")
    elif notes.broken:
        outcome = FELL_BACK
        message = f"{subject.backend} claims {', '.join(notes.broken)}, but the reference's kernel ran"
        report.outcome, report.longrepr = "failed", message
    elif notes.not_claimed:
        outcome = NOT_CLAIMED
        message = f"the reference's kernels ran for {', '.join(notes.not_claimed)}"
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, f"Skipped: {outcome}: {message}")
    elif expected and item.get_closest_marker("search") is None:  # a search may end before it finds a failure
        outcome = STALE
        message = f"it passes, but is expected to fail: {expected}"
        report.outcome, report.longrepr = "failed", message
    program = text.partition("To reproduce:\n")[2].strip("\n")
    result = Result(
        **subject._asdict(),
        outcome=outcome,
        message=message.partition("\nTo reproduce:")[0].strip("\n"),
        known=known,
        kernels=notes.kernels,
        worst=notes.worst,
        seconds=call.duration,
        program=program,
        origin=notes.origin,
    )
    report.user_properties.append((PROPERTY, result._asdict()))
