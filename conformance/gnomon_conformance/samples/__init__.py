"""The arguments that operators are called with: a list of Samples for each operator, by its full name.

The file of each family adds to ``SAMPLES`` with ``samples_of``.  In-place and ``out=`` variants are called
with the samples of their functional operator.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable

from ..inputs.description import Sample

SAMPLES: dict[str, list[Sample]] = {}
SPARSE_SAMPLES: dict[str, list[Sample]] = {}  # the calls with sparse tensors, which have tests of their own
TOLERANCES: dict[str, str] = {}  # operator -> its kind of tolerance (comparison/tolerances.py)
FAMILIES: dict[str, list[str]] = {}  # operator -> the files here that call it
KINDS = ("exact", "arithmetic", "choice", "elementary", "terms", "composed")


def samples_of(names: str | Iterable[str], samples: Iterable[Sample], tolerance: str = "") -> None:
    """Add samples for these operators: an iterable of names, or names separated by spaces.

    ``tolerance`` states how floating point results are computed, and so how far two correct ones may differ:
    one of KINDS, "exact" by default; see comparison/tolerances.py.  Raises ValueError for another word, and
    if an operator is given two kinds.
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


def sparse_samples_of(names: str, samples: Iterable[Sample], tolerance: str = "") -> None:
    """Add calls of these operators, with spaces between their names, in which a tensor or the result is
    sparse.

    ``tolerance`` as for ``samples_of``, for an operator that only sparse tensors have.
    """
    samples = list(samples)
    for name in names.split():
        SPARSE_SAMPLES.setdefault(name, []).extend(samples)
        if tolerance:
            TOLERANCES.setdefault(name, tolerance)


@functools.cache
def all_samples() -> dict[str, list[Sample]]:
    """Operator name -> its samples, valid and invalid."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")  # this fills SAMPLES
    return SAMPLES


def families_of(name: str) -> list[str]:
    """The files here that call an operator, or the functional form of a variant; none for unknown names."""
    all_samples()
    packet, dot, overload = name.partition(".")
    for each in (name, f"{packet.removesuffix('_')}{dot}{overload}"):
        if each in FAMILIES:
            return FAMILIES[each]
    stem = packet.removesuffix("_")
    return next((FAMILIES[each] for each in FAMILIES if each.partition(".")[0] in (packet, stem)), [])


def good_samples(name: str, dtype: str) -> list[tuple[int, Sample]]:
    """The valid samples of an operator for a dtype, with their numbers."""
    return [
        (number, each)
        for number, each in enumerate(all_samples().get(name, ()))
        if each.fails is None and (each.dtypes is None or dtype in each.dtypes)
    ]


def good_sparse_samples(name: str, dtype: str) -> list[Sample]:
    """The valid calls of an operator with sparse tensors, for a dtype."""
    all_samples()
    found = SPARSE_SAMPLES.get(name, ())
    return [each for each in found if each.fails is None and (each.dtypes is None or dtype in each.dtypes)]


def bad_samples(name: str) -> list[tuple[int, Sample]]:
    """The samples of an operator that have to raise, with their numbers."""
    return [
        (number, each) for number, each in enumerate(all_samples().get(name, ())) if each.fails is not None
    ]


__all__ = [
    "KINDS",
    "SAMPLES",
    "SPARSE_SAMPLES",
    "TOLERANCES",
    "Callable",
    "all_samples",
    "bad_samples",
    "families_of",
    "good_samples",
    "good_sparse_samples",
    "samples_of",
    "sparse_samples_of",
]
