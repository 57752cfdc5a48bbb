"""The names that tests of the suite can have, to find lines of an expectations file that match none.

A misspelt line would have no effect and stay in the file for ever, because the failure that it expects can
never be missed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from importlib import resources

from ..comparison.expectations import Expectations, Expected
from ..expressions import all_expressions
from ..inputs.description import DTYPES
from ..inputs.models import MODELS
from .selection import operators, variants


@functools.cache
def checks() -> frozenset[str]:
    """The first part of tests' names: "forward", "gradient", "out", ..."""
    found = set()
    for module in (resources.files("gnomon_conformance") / "tests").iterdir():
        if module.name.startswith("test_") and module.name.endswith(".py"):
            for function in re.findall(
                r"^def test_(\w+)\(.*\bbackend\b", module.read_text("utf-8"), re.MULTILINE
            ):
                found.add(module.name[5:-3] if function == "backend" else function)
    return frozenset(found)


@functools.cache
def subjects() -> frozenset[str]:
    """What tests are parametrized with: operators, their variants, public names, models."""
    return frozenset([*operators(), *variants("inplace"), *variants("out"), *all_expressions(), *MODELS])


def _names() -> Iterator[str]:
    """Every name that a test can have, and many that none has, since operators do not have all dtypes."""
    yield from checks()
    for check in checks():
        for subject in subjects():
            yield f"{check}[{subject}]"
            yield from (f"{check}[{subject}-{dtype}]" for dtype in DTYPES)


def _means_a_test(line: Expected) -> bool:
    if "*" in line.test or "{" in line.test:
        return any(map(line.pattern.fullmatch, _names()))
    check, _, inside = line.test.removesuffix("]").partition("[")
    subject, _, dtype = inside.rpartition("-")
    known = not inside or inside in subjects() or (subject in subjects() and dtype in DTYPES)
    return known and check in checks()


def strangers(expectations: Expectations) -> list[str]:
    """The problem of each line that matches no test or no operator."""
    found = [
        f"line {each.line}: no test has a name like {each.test!r}"
        for each in expectations.failures
        if not _means_a_test(each)
    ]
    for each in expectations.loosened:
        if each.operator not in subjects() and f"{each.operator}.default" not in subjects():
            found.append(f"line {each.line}: there is no operator {each.operator!r}")
        if each.dtype not in DTYPES:
            found.append(f"line {each.line}: there is no dtype {each.dtype!r}")
    return found
