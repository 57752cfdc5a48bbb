"""What operators are called with: for each operator by its full name, a list of Samples.

A family's file fills ``SAMPLES`` by ``samples_of``.  In-place and ``out=`` variants are called with the
samples of the operator that they are variants of.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable

from ..inputs.description import Sample

SAMPLES: dict[str, list[Sample]] = {}
TOLERANCES: dict[str, str] = {}  # operator -> how its results may differ: a kind of comparison/tolerances.py
FAMILIES: dict[str, list[str]] = {}  # operator -> the files here that call it
KINDS = ("exact", "arithmetic", "choice", "elementary", "terms", "composed")


def samples_of(names: str | Iterable[str], samples: Iterable[Sample], tolerance: str = "") -> None:
    """These samples are for these operators: a name, or several names in one string.

    ``tolerance`` says how floating point results are computed, and so how far two correct ones may lie apart:
    one of KINDS, "exact" where nothing is said; see comparison/tolerances.py.  Raises ValueError for another
    word, and where an operator is told two kinds.
    """
    if tolerance and tolerance not in KINDS:
        raise ValueError(f"samples_of: tolerance: expected one of {', '.join(KINDS)}, got {tolerance!r}")
    samples = list(samples)
    family = sys._getframe(1).f_globals["__name__"].rpartition(".")[2]
    for name in names.split() if isinstance(names, str) else names:
        SAMPLES.setdefault(name, []).extend(samples)
        FAMILIES.setdefault(name, []).append(family)
        if tolerance and TOLERANCES.setdefault(name, tolerance) != tolerance:
            raise ValueError(f"samples_of: {name} is {TOLERANCES[name]} already, got {tolerance!r}")


@functools.cache
def all_samples() -> dict[str, list[Sample]]:
    """Operator name -> its samples, good and bad."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")  # which fills SAMPLES
    return SAMPLES


def families_of(name: str) -> list[str]:
    """The files here that call an operator; of a variant, those of its functional form; none for others."""
    all_samples()
    packet, dot, overload = name.partition(".")
    for each in (name, f"{packet.removesuffix('_')}{dot}{overload}"):
        if each in FAMILIES:
            return FAMILIES[each]
    stem = packet.removesuffix("_")
    return next((FAMILIES[each] for each in FAMILIES if each.partition(".")[0] in (packet, stem)), [])


def good_samples(name: str, dtype: str) -> list[tuple[int, Sample]]:
    """The samples of an operator for a dtype, with their numbers, that are no errors."""
    return [
        (number, each)
        for number, each in enumerate(all_samples().get(name, ()))
        if each.fails is None and (each.dtypes is None or dtype in each.dtypes)
    ]


def bad_samples(name: str) -> list[tuple[int, Sample]]:
    """The samples of an operator that have to raise, with their numbers."""
    return [
        (number, each) for number, each in enumerate(all_samples().get(name, ())) if each.fails is not None
    ]


def digest() -> str:
    """A digest of all sample definitions: what recorded results are good for."""
    return hashlib.sha256(repr(sorted(all_samples().items())).encode()).hexdigest()[:16]


__all__ = [
    "KINDS",
    "SAMPLES",
    "TOLERANCES",
    "Callable",
    "all_samples",
    "bad_samples",
    "digest",
    "families_of",
    "good_samples",
    "samples_of",
]
