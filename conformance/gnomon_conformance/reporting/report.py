"""The report of a run: a JSON file, a page and a badge made from it, and a comparison of two reports.

docs/conformance_report.md describes the JSON's schema.
"""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import platform
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any, NamedTuple
from xml.etree import ElementTree

from gnomon.memory.backend import CONTRACT_VERSION, version_of

from .. import SUITE_VERSION
from ..collection.tiers import TIERS
from ..comparison.expectations import Loosened
from . import page
from .outcomes import FAIL, ORIGINS, PASS, VERSIONS, Result, counts, origins, score

SCHEMA = 2  # of the JSON; incremented when the meaning of an entry changes


class Run(NamedTuple):
    """The data of one run.

    foundations  tier -> the problem of its basic calls, "" if they succeed
    environment  name -> text, for the machine and the versions
    coverage     operator -> what it was called with (coverage.Met.as_data)
    selection    the options that selected the tests, as written on the command line
    began        seconds since 1970
    """

    backend: str
    results: Sequence[Result]
    foundations: Mapping[str, str]
    loosened: Sequence[Loosened]
    environment: Mapping[str, str]
    coverage: Mapping[str, Mapping[str, Any]]
    selection: str
    began: float
    seconds: float

    @property
    def is_bad(self) -> bool:
        """Whether anything failed that the author's file does not expect."""
        return any(self.foundations.values()) or any(each.is_bad for each in self.results)


def environment(backend: Any) -> dict[str, str]:
    """The machine and the versions that a run depends on."""
    found = {
        "suite": str(SUITE_VERSION),
        "gnomon": metadata.version("gnomon"),
        "contract": _dotted(CONTRACT_VERSION),
        "backend's contract": _dotted(version_of(backend)),
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": processor(),
        "processors": str(os.cpu_count()),
        "backend": f"{backend.name} ({type(backend).__module__})",
        "threads": " by ".join([str(backend.num_threads()), *backend.thread_pools()[:1]]),
    }
    distribution = type(backend).__module__.partition(".")[0]
    try:
        found["backend's version"] = metadata.version(distribution)
    except metadata.PackageNotFoundError:
        pass  # registered by hand, or part of another distribution
    found |= {name: value for name, value in sorted(os.environ.items()) if name.startswith("GNOMON_")}
    return found


def _dotted(version: Sequence[int]) -> str:
    return ".".join(map(str, version))


def processor() -> str:
    """The processor's name, if the system reports it."""
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def as_data(run: Run) -> dict[str, Any]:
    """The run as plain data, as in the JSON."""
    passed, claimed = score(run.results)
    began = datetime.datetime.fromtimestamp(run.began, datetime.timezone.utc)
    by_tier = {}
    for tier in TIERS:
        found = [each for each in run.results if each.tier == tier]
        if found:
            share, part = score(found)
            by_tier[tier] = {"score": share, "claimed": part, **counts(found)}
    return {
        "schema": SCHEMA,
        "suite": SUITE_VERSION,
        "backend": run.backend,
        "began": began.isoformat(timespec="seconds"),
        "seconds": round(run.seconds, 3),
        "selection": run.selection,
        "score": passed,
        "claimed": claimed,
        "counts": counts(run.results),
        "origins": origins(run.results),
        "tiers": by_tier,
        "foundations": dict(run.foundations),
        "loosened": [each._asdict() for each in run.loosened],
        "environment": dict(run.environment),
        "coverage": dict(run.coverage),
        "results": [each._asdict() for each in sorted(run.results, key=lambda each: each.test)],
    }


def write(run: Run, folder: pathlib.Path) -> None:
    """Write report.json, report.html, junit.xml and badge.svg into ``folder``, each atomically."""

    data = as_data(run)
    write_whole(folder / "report.json", json.dumps(compacted(data), separators=(",", ":")))
    write_whole(folder / "junit.xml", junit(run))
    write_whole(folder / "report.html", page.html(data))
    write_whole(folder / "badge.svg", page.badge(data))


WORST_KEPT = 100  # passes for which the largest error is kept


def compacted(data: dict[str, Any]) -> dict[str, Any]:
    """The same data with each pass as a short list: [tier, origin, milliseconds, kernels, worst].

    The first two are indices into ``tier_names`` and ``origin_names``, the fourth is one into
    ``kernel_sets``; dtypes are indices into ``dtype_names``.
    """
    tiers, dtypes, rest = list(TIERS), {"": 0}, []
    kernel_sets: dict[str, int] = {}
    passes: dict[str, dict[str, Any]] = {}
    measured = [each for each in data["results"] if each["worst"] and each["outcome"] == PASS]
    measured.sort(key=lambda each: -each["worst"]["ulps"] / max(each["worst"]["allowed"], 1e-300))
    kept = {each["test"] for each in measured[:WORST_KEPT]}
    for each in data["results"]:
        if each["outcome"] != PASS or each["test"] != _test_of(each):
            rest.append(each)
            continue
        kernels = json.dumps(each["kernels"])
        place = kernel_sets.setdefault(kernels, len(kernel_sets))
        row = [tiers.index(each["tier"]), ORIGINS.index(each["origin"]), round(each["seconds"] * 1000), place]
        if each["test"] in kept:
            row.append(each["worst"])
        dtype = dtypes.setdefault(each["dtype"], len(dtypes))
        passes.setdefault(each["check"], {}).setdefault(each["operator"], {})[str(dtype)] = row
    names: dict[str, Any] = {
        "tier_names": tiers,
        "origin_names": list(ORIGINS),
        "dtype_names": list(dtypes),
    }
    words: dict[str, int] = {}
    coverage = {
        name: {
            key: [words.setdefault(each, len(words)) for each in value] if isinstance(value, list) else value
            for key, value in met.items()
        }
        for name, met in data["coverage"].items()
    }
    names["words"] = list(words)
    places: dict[tuple[str, str], int] = {}
    names["kernel_sets"] = [
        [places.setdefault(each, len(places)) for each in json.loads(one).items()] for one in kernel_sets
    ]
    names["kernels"] = list(places)
    return {**data, "coverage": coverage, "results": rest, "passes": {**names, "checks": passes}}


def _test_of(result: dict[str, Any]) -> str:
    """The name of the test with these fields."""
    inside = "-".join(filter(None, (result["operator"], result["dtype"])))
    return f"{result['check']}[{inside}]" if inside else result["check"]


def _expanded(data: dict[str, Any]) -> dict[str, Any]:
    """The inverse of ``compacted``, except for errors that it dropped."""
    passes = data.pop("passes")
    words = passes["words"]
    sets = [
        {passes["kernels"][at][0]: passes["kernels"][at][1] for at in one} for one in passes["kernel_sets"]
    ]
    for met in data["coverage"].values():
        met.update(
            {key: [words[at] for at in value] for key, value in met.items() if isinstance(value, list)}
        )
    found = list(data["results"])
    for check, operators in passes["checks"].items():
        for operator, dtypes in operators.items():
            for at, (tier, origin, milliseconds, place, *worst) in dtypes.items():
                dtype = passes["dtype_names"][int(at)]
                result = Result(
                    *(data["backend"], "", check, operator, dtype, passes["tier_names"][tier], PASS),
                    kernels=dict(sets[place]),
                    seconds=milliseconds / 1000,
                    worst=worst[0] if worst else None,
                    origin=passes["origin_names"][origin],
                )._asdict()
                found.append({**result, "test": _test_of(result)})
    return {**data, "results": sorted(found, key=lambda each: each["test"])}


def junit(run: Run) -> str:
    """The run as JUnit XML: one test case for each operator's passes, and one for each other test."""
    root = ElementTree.Element("testsuites", name=f"gnomon conform {run.backend}")
    for tier in TIERS:
        found = [each for each in run.results if each.tier == tier]
        suite = ElementTree.SubElement(root, "testsuite", name=tier, tests=str(len(found)))
        properties = ElementTree.SubElement(suite, "properties")
        for name in VERSIONS:
            if name in run.environment:
                ElementTree.SubElement(properties, "property", name=name, value=run.environment[name])
        passed: dict[str, float] = {}
        skipped: dict[str, float] = {}
        for each in found:
            if each.is_bad or each.outcome == FAIL:
                case = ElementTree.SubElement(suite, "testcase", classname=tier, name=each.test)
                kind = "failure" if each.is_bad else "skipped"
                what = ElementTree.SubElement(case, kind, message=f"{each.outcome} {each.known}".strip())
                what.text = _printable(each.message[:2000])
            else:
                group = passed if each.outcome == PASS else skipped
                group[each.operator or each.check] = (
                    group.get(each.operator or each.check, 0.0) + each.seconds
                )
        for name, seconds in passed.items():
            ElementTree.SubElement(suite, "testcase", classname=tier, name=name, time=f"{seconds:.3f}")
        for name in skipped.keys() - passed.keys():
            case = ElementTree.SubElement(suite, "testcase", classname=tier, name=name)
            ElementTree.SubElement(case, "skipped", message="not claimed")
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _printable(text: str) -> str:
    """The text without characters that XML cannot contain."""
    return "".join(each if each.isprintable() or each in "\n\t" else "?" for each in text)


def write_whole(path: pathlib.Path, text: str) -> None:
    """Write a file atomically: under a temporary name, then renamed."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, "utf-8")
    os.replace(beside, path)


def read(path: str) -> dict[str, Any]:
    """Read a report written by ``write``.  Raises OSError, and ValueError for any other file."""
    try:
        data = json.loads(pathlib.Path(path).read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not a report: {error}") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ValueError(f"{path} is not a report of schema {SCHEMA}")
    return _expanded(data) if "passes" in data else data


class Change(NamedTuple):
    """A test whose outcome differs between two reports; "" if a report does not have the test."""

    test: str
    before: str
    after: str

    @property
    def is_worse(self) -> bool:
        """Whether it passed before, and no longer does or no longer exists."""
        return self.before == PASS


def compare(before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    """All tests whose outcomes differ between two reports, sorted by name."""
    old, new = ({each["test"]: each["outcome"] for each in data["results"]} for data in (before, after))
    return [
        Change(test, old.get(test, ""), new.get(test, ""))
        for test in sorted({*old, *new})
        if old.get(test) != new.get(test)
    ]


def unlike(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The differences in suite, backend or selection that make two reports incomparable."""
    return [
        f"The {name} differs: {before.get(name) or 'none'} and {after.get(name) or 'none'}"
        for name in ("suite", "backend", "selection")
        if before.get(name) != after.get(name)
    ]


def changes_text(changes: Sequence[Change]) -> str:
    """The changes as lines for a terminal, those for the worse first."""
    lines = [
        f"{each.test}: {each.before or 'absent'} -> {each.after or 'absent'}"
        for each in sorted(changes, key=lambda each: not each.is_worse)
    ]
    worse = sum(each.is_worse for each in changes)
    return "\n".join([*lines, f"{len(changes)} tests differ, {worse} of them got worse"])
