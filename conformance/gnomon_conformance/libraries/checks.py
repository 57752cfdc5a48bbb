"""The tests of a library: for each operator that it has, results, problematic numbers, errors, gradients."""

from __future__ import annotations

import difflib
import inspect
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ..collection import selection
from ..collection.foundation import CALLS
from ..collection.tiers import TIERS, rests_on, tier_of
from ..comparison.expectations import Expectations
from ..execution.runner import Gnomon, run
from ..inputs.description import DTYPES, LIMITED, Sample, Stored, complete, descriptions, layouts_for, stored
from ..inputs.variants import fills_of, holds_data, refilled, resized, spread
from ..reporting.outcomes import FAIL, NOT_CLAIMED, PASS, STALE, Result
from ..samples import bad_samples, good_samples
from . import graphs
from .adaptor import Library
from .apart import Subject
from .calls import Declined, forward_differences, gradient_problems, row_major
from .written import WrittenLibrary, kind_of, single_elements

VALUE_SAMPLES = 3  # of an operator, evenly spaced in its list, that are called with problematic numbers
SHORT_ROW, LONG_ROW = 3, 33  # elements
SHOWN_ELEMENTS = 6  # of a tensor in a message
REFERENCE = Gnomon("reference")
GRADIENT_DTYPES = ("float32", "float64", "complex64")


class Problem(NamedTuple):
    """The first difference of a test in words, "" if there is none, and a program that shows it, if the
    adaptor can write one.
    """

    text: str = ""
    program: str = ""


class Check(NamedTuple):
    """One test; ``problem`` makes its calls, and returns the first difference, or raises Declined if the
    library has none of them.
    """

    name: str
    kind: str
    operator: str
    dtype: str
    tier: str
    problem: Callable[[], Problem]

    def result(
        self, library: str, outcome: str, message: str = "", known: str = "", program: str = ""
    ) -> Result:
        """Its Result, of the library with this name."""
        made = Result(library, self.name, self.kind, self.operator, self.dtype, self.tier, outcome)
        return made._replace(message=message, known=known, program=program)


def problem_of(library: Library) -> str:
    """What is wrong with an adaptor itself, or ""."""
    for field in ("name", "dtypes", "functions"):
        if not getattr(library, field):
            return f"{type(library).__name__}.{field} is empty"
    for dtype in library.dtypes:
        if dtype not in (*DTYPES, *LIMITED):
            return f"{library.name}: dtypes: expected some of {', '.join(DTYPES)}, got {dtype!r}"
    known = selection.operators()
    for name in library.functions:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            return f"{library.name}: functions: there is no operator {name!r}{hint}"
        if any(argument.is_written for argument in known[name].schema.arguments):
            return f"{library.name}: functions: {name!r} writes to its arguments, which is not tested here"
        try:
            inspect.signature(library.functions[name]).bind(*known[name].schema.arguments)
        except TypeError as error:
            expected = f"expected a function of the arguments of {known[name].schema}"
            return f"{library.name}: functions: {name!r}: {expected}: {error}"
        except ValueError:
            pass  # a function in C, whose signature is not known
    return ""


def checks_of(library: Library, tiers: Sequence[str] = ()) -> list[Check]:
    """All tests of a library, in the order of the tiers; those of ``tiers`` only, if there are any."""
    found = []
    differentiates = type(library).track is not Library.track
    for name in library.functions:
        operator, tier = selection.operators()[name], tier_of(name)
        for dtype in selection.dtypes_of(operator):
            if dtype in library.dtypes:
                found.append(_check("forward", operator, dtype, tier, library, _forward))
                if _has_values(operator, dtype):
                    found.append(_check("values", operator, dtype, tier, library, _values))
                if differentiates and dtype in GRADIENT_DTYPES and _has_gradient(operator):
                    found.append(_check("gradient", operator, dtype, "autograd", library, _gradient))
        if bad_samples(name):
            found.append(_check("errors", operator, "", tier, library, _errors))
    if differentiates and graphs.is_tested(library):
        found.append(Check("graphs", "graphs", "", "", "autograd", lambda: Problem(graphs.problem(library))))
    order = list(TIERS)
    return sorted(
        (each for each in found if not tiers or each.tier in tiers), key=lambda each: order.index(each.tier)
    )


def _has_values(operator: Any, dtype: str) -> bool:
    return (
        selection.has_dtype_axis(operator)
        and "complex" not in dtype
        and not selection.UNDETERMINED.match(operator.name)
        and not selection.ILL_CONDITIONED.match(operator.name)
    )


def _has_gradient(operator: Any) -> bool:
    return (
        operator.name not in selection.random_operators()
        and not selection.UNDETERMINED.match(operator.name)
        and selection.has_dtype_axis(operator)
    )


def _check(
    kind: str,
    operator: Any,
    dtype: str,
    tier: str,
    library: Library,
    problem: Callable[[Library, Any, str], Problem],
) -> Check:
    where = f"{operator.name}-{dtype}" if dtype else operator.name
    return Check(
        f"{kind}[{where}]", kind, operator.name, dtype, tier, lambda: problem(library, operator, dtype)
    )


Calls = Iterator[tuple[Sample, str, str]]  # samples with a dtype and a layout


def _first(
    library: Library,
    operator: Any,
    calls: Calls,
    differences: Callable[[Library, Any, Sample, str, str], list[str]],
) -> Problem:
    """The first call with differences.  Raises Declined if all calls were declined."""
    declined, made = "", False
    has_strides = type(library).strided is not Library.strided
    for sample, dtype, layout in calls:
        if layout != "contiguous" and not has_strides:
            continue
        try:
            problems = differences(library, operator, sample, dtype, layout)
        except Declined as error:
            declined = str(error)
            continue
        made = True
        if problems:
            text = "\n".join([_call_text(operator, sample, dtype, layout), *problems[:6]])
            return Problem(text, _program(library, operator, (sample, dtype, layout), problems, differences))
    if not made:
        raise Declined(declined or "no call that can be tested")
    return Problem()


def _program(
    library: Library, operator: Any, call: tuple[Sample, str, str], problems: list[str], differences: Any
) -> str:
    """A program that shows a difference of a call, if the adaptor writes programs; of one element, if that
    is enough.
    """
    if not isinstance(library, WrittenLibrary):
        return ""
    has_gradient = differences is gradient_problems
    for sample in single_elements(operator.schema, *call):
        try:
            found = differences(library, operator, sample, *call[1:])
        except Declined:
            break
        if found and kind_of(found[0]) == kind_of(problems[0]):
            return library.program(operator.name, sample, *call[1:], found, has_gradient)
    return library.program(operator.name, *call, problems, has_gradient)


def _call_text(operator: Any, sample: Sample, dtype: str, layout: str) -> str:
    """The call in words: each tensor by its dtype, sizes and, if there are few, its elements."""
    texts, position = [], 0
    for argument, value in zip(operator.schema.arguments, complete(operator.schema, sample)):
        found = []
        for each in descriptions([value]):
            found.append(_tensor_text(stored(each, dtype, layout, position)))
            position += 1
        shown = f"[{', '.join(found)}]" if isinstance(value, (list, tuple)) and found else ", ".join(found)
        texts.append(f"{argument.name}={shown or repr(value)}")
    return f"{operator.name}({', '.join(texts)}), layout {layout}"


def _tensor_text(contents: Stored) -> str:
    numbers = row_major(contents)
    shown = f" {numbers}" if len(numbers) <= SHOWN_ELEMENTS else ""
    return f"<{contents.dtype} {contents.sizes}{shown}>"


def _forward(library: Library, operator: Any, dtype: str) -> Problem:
    determined = operator.name not in selection.random_operators() and not selection.UNDETERMINED.match(
        operator.name
    )

    def differences(library: Library, operator: Any, sample: Sample, dtype: str, layout: str) -> list[str]:
        return forward_differences(library, operator, sample, dtype, layout, determined)

    calls = (
        (sample, dtype, layout)
        for _, sample in good_samples(operator.name, dtype)
        for layout in layouts_for(sample, operator.schema, dtype)
    )
    return _first(library, operator, calls, differences)


def _values(library: Library, operator: Any, dtype: str) -> Problem:
    usable = [
        sample
        for _, sample in good_samples(operator.name, dtype)
        if any(holds_data(each) for each in descriptions(complete(operator.schema, sample)))
    ]
    # in longer rows, more of the problematic numbers meet
    longer = [resized(sample, SHORT_ROW, LONG_ROW, also_numbers=True) for sample in usable]
    # but not with indices that are out of range by now: a library may write outside of its memory
    longer = [each for each in longer if run(REFERENCE, operator, each, dtype, "contiguous").failure is None]
    chosen = [*spread(usable, VALUE_SAMPLES), *spread(longer, VALUE_SAMPLES)]
    calls = (
        (refilled(sample, values), dtype, "contiguous")
        for sample in chosen
        for values in fills_of(operator, dtype)
    )
    return _first(library, operator, calls, forward_differences)


def _errors(library: Library, operator: Any, dtype: str) -> Problem:
    calls = (
        (sample, each, "contiguous")
        for _, sample in bad_samples(operator.name)
        for each in sample.dtypes or ()
    )
    return _first(library, operator, calls, forward_differences)


def _gradient(library: Library, operator: Any, dtype: str) -> Problem:
    calls = (
        (sample, dtype, layout)
        for _, sample in good_samples(operator.name, dtype)
        if sample.differentiable
        for layout in layouts_for(sample, operator.schema, dtype, few=True)
    )
    return _first(library, operator, calls, gradient_problems)


def result_of(library: Library, check: Check, expectations: Expectations) -> Result:
    """Run one test."""
    outcome, message, program = PASS, "", ""
    try:
        message, program = check.problem()
        outcome = FAIL if message else PASS
    except Declined as error:
        outcome, message = NOT_CLAIMED, str(error)
    except Exception:  # the adaptor's own fault
        outcome, message = FAIL, f"the adaptor raised\n{traceback.format_exc(limit=-3)}"
    known = expectations.reason(check.name)
    if known and outcome == PASS:
        outcome, message = STALE, f"expected to fail: {known}"
    return check.result(library.name, outcome, message, known if outcome == FAIL else "", program)


def missing_foundations(library: Library | Subject, tier: str) -> list[str]:
    """The basic operators of a tier, and of those it depends on, that a library does not have."""
    needed = [name for each in sorted({tier, *rests_on(tier)}) for name in CALLS[each]]
    return [name for name in dict.fromkeys(needed) if name not in library.functions]


__all__ = ["Check", "checks_of", "missing_foundations", "problem_of", "result_of"]
