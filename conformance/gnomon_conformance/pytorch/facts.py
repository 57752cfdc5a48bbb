"""Facts about each operator that are found only by calling it, for ``gnomon operators`` to print.

They are determined when the goldens are recorded, and stored with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.dispatch.record_function import DISPATCH, RecordFunctionCallback, RecordScope, observing

from ..collection.selection import dtypes_of
from ..execution.runner import Gnomon, run
from ..inputs.description import DTYPES, complete, descriptions
from ..samples import bad_samples, good_samples
from .against_pytorch import forward_cases, gradient_cases, live_differences, live_error_differences
from .departures import DEPARTURES, OWN_OPERATORS


def accepted_dtypes(operator: Any) -> list[str]:
    """The dtypes for which some sample runs that has a tensor without a dtype of its own."""
    reference = Gnomon("reference")
    return [
        dtype
        for dtype in DTYPES
        if any(
            run(reference, operator, sample, dtype, "contiguous").failure is None
            for _, sample in good_samples(operator.name, dtype)
            if any(each.dtype is None for each in descriptions(complete(operator.schema, sample)))
        )
    ]


def parts(operator: Any) -> list[str]:
    """The operators that a composite calls, over all its samples, including those in nested composites.

    Operators that are called to build the arguments do not count.
    """
    found: set[str] = set()

    def note(scope: RecordScope, name: str, passed: Sequence[Any]) -> None:
        called = passed[0]
        if called is not operator and called.record is not None:
            found.add(called.schema.name)

    class Observed(Gnomon):
        def call(self, operator: Any, values: Sequence[Any]) -> Any:
            with observing(RecordFunctionCallback(note, scopes=(DISPATCH,))):
                return super().call(operator, values)

    for _, sample in good_samples(operator.name, "float32"):
        run(Observed("reference"), operator, sample, "float32", "contiguous")
    return sorted(found - {operator.schema.name})


def oracle_status(operator: Any) -> dict[str, Any]:
    """The number of calls compared with PyTorch, the number that agree, and the departures of the others."""
    calls = differing = 0
    reasons: set[str] = set()
    unexplained = 0
    comparisons = []
    for dtype in dtypes_of(operator):
        calls += sum(1 for _ in forward_cases(operator, dtype, few=False))
        calls += sum(1 for _ in gradient_cases(operator, dtype, few=False))
        comparisons += [(dtype, each.problems) for each in live_differences(operator, dtype)]
    calls += sum(len(sample.dtypes or ("float32",)) for _, sample in bad_samples(operator.name))
    comparisons += [("float32", each.problems) for each in live_error_differences(operator)]
    for dtype, problems in comparisons:
        differing += 1
        for problem in problems:
            covering = [each.reason for each in DEPARTURES if each.covers(operator.name, dtype, problem)]
            reasons.update(covering[:1])
            unexplained += not covering
    return {
        "calls": calls,
        "agree": calls - differing,
        "departures": sorted(reasons),
        "unexplained": unexplained,
    }


def facts(operator: Any) -> dict[str, Any]:
    """All facts about an operator."""
    composite = operator.record.composite is not None
    return {
        "dtypes": accepted_dtypes(operator),
        "parts": parts(operator) if composite else [],
        "oracle": None if operator.name in OWN_OPERATORS else oracle_status(operator),
    }
