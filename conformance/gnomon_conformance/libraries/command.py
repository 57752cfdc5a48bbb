"""``gnomon conform --library NAME``: test a library with tensors of its own."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pathlib
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from gnomon.backends.listing import table

from ..collection.tiers import TIERS
from ..comparison.expectations import Expectations
from ..reporting.outcomes import FAIL, NOT_CLAIMED, OUTCOMES, PASS, Result, counts, score
from . import apart, checks
from .adaptor import Library

SHOWN = 10  # failures shown
# The adaptors of the suite; those of torch and of array_api take an argument.
WITH_THE_SUITE = {
    name: f"gnomon_conformance.libraries.{name}_library"
    for name in ("numpy", "torch", "jax", "tinygrad", "array_api")
}


class LibraryError(ValueError):
    """A name that leads to no adaptor, or an adaptor that can not be tested."""


def load(name: str) -> Library:
    """The adaptor in ``FILE.py``, ``FILE.py:NAME``, ``MODULE`` or ``MODULE:NAME``, or one of WITH_THE_SUITE.

    Without a NAME, the file has one subclass of ``Library``.  An adaptor of the suite may take an argument
    instead: ``torch:cuda`` is PyTorch on a device, ``array_api:numpy`` the namespace of a module.  Raises
    LibraryError.
    """
    place, _, wanted = name.partition(":")
    with_the_suite = place in WITH_THE_SUITE
    argument = [wanted] if with_the_suite and wanted else []
    if with_the_suite:
        place, wanted = WITH_THE_SUITE[place], ""
    if not re.fullmatch(r"\w+(\.\w+)*", place) and not place.endswith(".py"):
        raise LibraryError(f"--library {name}: expected FILE.py, FILE.py:NAME, MODULE or MODULE:NAME")
    try:
        module = _module(place)
    except (Exception, SystemExit) as error:
        raise LibraryError(f"--library {name}: {type(error).__name__}: {error}") from error
    found = [
        each
        for each in vars(module).values()
        if inspect.isclass(each) and issubclass(each, Library) and each.__module__ == module.__name__
    ]
    if wanted:
        found = [each for each in [getattr(module, wanted, None)] if each is not None]
    if len(found) != 1:
        names = ", ".join(each.__name__ for each in found) or "none"
        raise LibraryError(f"--library {name}: expected one subclass of Library in {place}, found {names}")
    try:
        library = found[0](*argument) if inspect.isclass(found[0]) else found[0]
    except (Exception, SystemExit) as error:
        raise LibraryError(f"--library {name}: {type(error).__name__}: {error}") from error
    if not isinstance(library, Library):
        raise LibraryError(f"--library {name}: expected a subclass of Library, got {found[0]!r}")
    problem = checks.problem_of(library)
    if problem:
        raise LibraryError(problem)
    return library


def _module(place: str) -> Any:
    if not place.endswith(".py"):
        return importlib.import_module(place)
    path = pathlib.Path(place).resolve()
    if not path.is_file():
        raise FileNotFoundError(f"no file {place}")
    name = re.sub(r"\W", "_", path.stem)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))  # the file may import its neighbours
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


def run(
    library: Library,
    *,
    tiers: Sequence[str] = (),
    operators: str | None = None,
    dtypes: Sequence[str] | None = None,
    expectations: Expectations | None = None,
    watch: Callable[[int, Result], None] = lambda total, result: None,
) -> list[Result]:
    """Run the tests of a library: of these tiers, operators (a regular expression) and dtypes.

    ``watch`` is called after each with the number of all tests, and its result.
    """
    tests = chosen(library, tiers, operators, dtypes)
    results = []
    for each in tests:
        results.append(checks.result_of(library, each, expectations or Expectations()))
        watch(len(tests), results[-1])
    return results


def chosen(
    library: Library, tiers: Sequence[str], operators: str | None, dtypes: Sequence[str] | None
) -> list[checks.Check]:
    """The tests of a library that ``run`` runs, in their order."""
    return [
        each
        for each in checks.checks_of(library, tiers)
        if (operators is None or re.search(operators, each.operator))
        and (dtypes is None or not each.dtype or each.dtype in dtypes)
    ]


def passes(library: Library | apart.Subject, tier: str, results: Sequence[Result]) -> str:
    """Why a library does not pass a tier, from the results of its tests; "" if it does.

    It passes if it has the basic operators of the tier and of those that the tier depends on, and no test of
    the tier fails.
    """
    missing = checks.missing_foundations(library, tier)
    if missing:
        return f"has no {', '.join(missing)}"
    found = [each for each in results if each.tier == tier]
    bad = [each for each in found if each.is_bad or each.outcome == FAIL]
    if bad:
        return f"{len(bad)} of its tests fail"
    return "" if any(each.outcome == PASS for each in found) else "none of its tests ran"


def summary(library: Library | apart.Subject, results: Sequence[Result], seconds: float) -> str:
    """One row per tier, and the first failures."""
    shown = [each for each in OUTCOMES if each in (PASS, FAIL, NOT_CLAIMED) or counts(results)[each]]
    rows: list[tuple[str, ...]] = [("tier", *shown, "passes the tier")]
    for tier in TIERS:
        found = [each for each in results if each.tier == tier]
        if found:
            why = passes(library, tier, found)
            number = counts(found)
            rows.append((tier, *(str(number[each]) for each in shown), f"no: {why}" if why else "yes"))
    lines = [table(rows), ""]
    bad = [each for each in results if each.is_bad]
    for each in bad[:SHOWN]:
        lines += [f"{each.outcome}: {each.test}", *(f"    {line}" for line in each.message.splitlines()), ""]
    if len(bad) > SHOWN:
        lines += [f"... and {len(bad) - SHOWN} more; --ops and --dtypes select some", ""]
    known = Counter(each.known for each in results if each.outcome == FAIL and each.known)
    if known:
        lines += [
            "Expected to fail:",
            *(f"    {count:4} {reason}" for reason, count in known.most_common()),
            "",
        ]
    passed, _ = score(results)
    passing = sum(each.outcome == PASS for each in results)
    lines.append(
        f"{library.name}: {passing} tests pass, {passed:.2%} of those that it claims; "
        f"{len(library.functions)} operators, {len(library.dtypes)} dtypes; {seconds:.0f} s"
    )
    return "\n".join(lines)


def main(options: Any, bar: Any) -> int:
    """Run the command with the options of ``gnomon conform``; returns its exit status."""

    def watch(total: int, result: Result) -> None:
        bar.start(total)
        bar.count(result)

    began = time.time()
    try:
        library, results = apart.run(
            options.library,
            tiers=options.gnomon_tiers,
            operators=options.gnomon_ops,
            dtypes=options.gnomon_dtypes,
            expectations=options.gnomon_expectations,
            hang_limit=options.hang_limit,
            watch=watch,
        )
    except apart.LoadError as error:
        print(f"gnomon conform: {error}", file=sys.stderr)
        return 2
    finally:
        bar.stop()
    if not results:
        print("gnomon conform: no tests were selected", file=sys.stderr)
        return 2
    print(summary(library, results, time.time() - began))
    why = [passes(library, each, results) for each in options.gnomon_tiers]
    return 1 if any(each.is_bad for each in results) or any(why) else 0
