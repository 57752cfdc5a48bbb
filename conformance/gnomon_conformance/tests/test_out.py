"""``out=``: an output of the right sizes, one that is resized, one with gaps, and ones of other dtypes."""

import warnings

import pytest

from gnomon.values.geometry import is_non_overlapping_and_dense

from ..collection import selection
from ..collection.selection import variants
from ..comparison.differences import failure_differences, result_differences
from ..comparison.tolerances import Tolerance
from ..execution.runner import Gnomon, failure_of, observe_tensor, prepare, run, written_arguments
from ..inputs.description import Stored, complete, strides_of
from ..reporting.reproduction import explain
from ..samples import good_samples

DTYPES = ("float32", "float64", "int64", "bool", "float16")

pytestmark = pytest.mark.traits("strided_out")


def pytest_generate_tests(metafunc):
    found = {name: each for name, each in variants("out").items() if not selection.UNDETERMINED.match(name)}
    selection.parametrize_operators(metafunc, found, DTYPES)


def output(framework, wanted, how):
    """An output for one result, filled with a number that no result has by accident."""
    sizes, dtype = wanted.sizes, wanted.dtype
    if how == "resized":
        sizes = (*sizes, 2)
    if how == "narrow":
        dtype = {"float32": "int32", "float64": "int64", "float16": "int16", "complex64": "float32"}.get(
            dtype, "bool"
        )
    if how == "wide":
        dtype = {"bool": "uint8", "int64": "float64", "float32": "float64", "float16": "float32"}.get(
            dtype, "complex128"
        )
    strides, offset = strides_of(sizes, "gapped" if how == "gapped" else "contiguous")
    count = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides)) + 3 if all(sizes) else 1
    filler = True if dtype == "bool" else 80  # every dtype has it
    return framework.build(Stored((filler,) * count, sizes, strides, offset, dtype))


def call_out(framework, operator, sample, dtype, wanted, how):
    """Make the ``out=`` call; return outputs, storages, whether they were returned, warnings, exception.

    As in ``wanted``, the outputs are followed by the arguments that the operator writes to.
    """
    schema = operator.record.base.schema
    call = prepare(framework, schema, sample, dtype, "contiguous")
    written = list(written_arguments(schema, call.values))
    outputs = [output(framework, each, how) for each in wanted[: len(wanted) - len(written)]]
    tensors = [tensor for _, tensor in outputs]
    kinds, failure, returned = [], None, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = framework.call(operator, [*call.values, *tensors])
            results = tuple(result) if isinstance(result, (tuple, list)) else (result,)
            returned = (
                all(mine is tensor for mine, tensor in zip(results, tensors))
                if operator.schema.returns
                else result is None  # of a list of outputs
            )
        except Exception as error:  # compared below
            failure = failure_of(error)
    kinds = [each.category.__name__ for each in caught if "GNOMON_FALLBACK" not in str(each.message)]
    found = [observe_tensor(framework, tensor) for tensor in (*tensors, *written)]
    wholes = [framework.numbers(whole) for whole, _ in outputs]
    return found, wholes, returned, kinds, failure


def check_accumulating(framework, operator, sample, dtype, functional, how):
    """The problems with an output of another dtype, if the operator accumulates in the output's dtype."""
    base = operator.record.base
    found, _, _, _, failure = call_out(framework, operator, sample, dtype, functional.results, how)
    given = complete(base.schema, sample)[base.record.dtype_position]
    if given is not None:
        refused = failure is not None and "Expected out tensor to have dtype" in failure.text
        return [] if refused else [f"an output of another dtype than {given} was not refused ({failure})"]
    asked = sample._replace(kwargs={**sample.kwargs, "dtype": found[0].dtype})
    expected = run(Gnomon("reference"), base, asked, dtype, "contiguous")
    if expected.failure is not None or failure is not None:
        return failure_differences(failure, expected.failure, texts=False)
    bounds = Tolerance(base, asked, dtype, "contiguous").bounds(expected.results[0], 0)
    wanted = expected.results[0]._replace(alias=None)
    return result_differences(found[0], wanted, bounds, "the output", strides=False)


def check(framework, operator, sample, dtype, functional, how):
    """The problems with one ``out=`` call, compared with what the functional operator returned."""
    if how in ("wide", "narrow") and operator.record.base.record.dtype_position is not None:
        return check_accumulating(framework, operator, sample, dtype, functional, how)
    allowed = {each.name for each in operator.record.base.record.out.dtypes}
    if how in ("wide", "narrow") and (operator.record.base.record.out.exact or allowed):
        found, _, _, _, failure = call_out(framework, operator, sample, dtype, functional.results, how)
        refused = failure is not None and "Expected out tensor to have dtype" in failure.text
        if found[0].dtype in {functional.results[0].dtype, *allowed}:
            return []  # it is the result's own dtype, or another one that is allowed
        return [] if refused else [f"an output of dtype {found[0].dtype} was not refused ({failure})"]
    wanted = functional.results
    found, wholes, returned, kinds, failure = call_out(framework, operator, sample, dtype, wanted, how)
    if how == "narrow":
        kind = operator.record.base.record.out.cast_error.__name__
        if failure is None or kind not in failure.kinds or "can't be cast" not in failure.text:
            return [f"an output of dtype {found[0].dtype} for {wanted[0].dtype} was not refused ({failure})"]
        return []
    if failure is not None:
        return [f"raised {failure.kinds[0]}: {failure.text}"]
    problems = [] if returned else ["did not return its out= argument"]
    tolerance = Tolerance(operator.record.base, sample, dtype, "contiguous")
    row_major = is_row_major(operator.record.base, sample, dtype)
    for position, (mine, expected) in enumerate(zip(found, wanted)):
        bounds = tolerance.bounds(expected, position) if how != "wide" else None
        if how == "wide":  # the result converted to the output's dtype
            if expected.dtype == "int64":  # beyond 2**53 the output has the nearest float64
                expected = expected._replace(numbers=tuple(float(number) for number in expected.numbers))
            expected = expected._replace(dtype=mine.dtype)
            bounds = tolerance.bounds(functional.results[position], position)
        expected = expected._replace(alias=None)
        if row_major:
            expected = expected._replace(strides=strides_of(expected.sizes, "contiguous")[0])
        has_strides = how == "resized" and not position  # those of a result with gaps are not an output's
        has_strides &= is_non_overlapping_and_dense(expected.sizes, expected.strides)
        problems += result_differences(mine, expected, bounds, "the output", strides=has_strides)
    if how == "resized":
        had_elements = any(0 not in (*each.sizes, 2) for each, _ in zip(wanted, wholes))
        if had_elements != ("UserWarning" in kinds):
            problems.append(f"an output of other sizes gave the warnings {kinds}")
    if how == "gapped":
        for mine, whole, expected in zip(found, wholes, wanted):
            problems += gaps_changed(whole, mine, expected)
    return problems


def is_row_major(base, sample, dtype):
    """Whether a resized output is row-major, regardless of the strides of the functional result."""
    answer = base.record.out.row_major
    return (
        answer(*prepare(Gnomon("reference"), base.schema, sample, dtype, "contiguous").values)
        if callable(answer)
        else answer
    )


def gaps_changed(whole, mine, expected):
    """Reports a write between the elements of an output with gaps."""
    if not all(mine.sizes):
        return []
    reached = {mine.offset}
    for size, stride in zip(mine.sizes, mine.strides):
        reached = {base + index * stride for base in reached for index in range(size)}
    changed = [
        place
        for place, number in enumerate(whole)
        if place not in reached and number != (number == number and 80) and number is not True
    ]
    return [f"memory between the elements of the output was written to, at {changed}"] if changed else []


def cases(operator, dtype):
    reference = Gnomon("reference")
    base = operator.record.base
    for _, sample in good_samples(base.name, dtype):
        functional = run(reference, base, sample, dtype, "contiguous")
        if functional.failure is None and not any(result is None for result in functional.results):
            yield sample, functional


def test_out_is_functional(operator, dtype):
    """On the reference: ``out=`` receives what the functional operator returns."""
    for sample, functional in cases(operator, dtype):
        for how in ("exact", "gapped", "resized", "wide", "narrow"):
            if how == "narrow" and functional.results[0].dtype in (
                "bool",
                "uint8",
                "int8",
                "int16",
                "int32",
                "int64",
            ):
                if functional.results[0].dtype == "bool":
                    continue
            problems = check(Gnomon("reference"), operator, sample, dtype, functional, how)
            if problems:
                pytest.fail(
                    explain(
                        [f"out= {how}", *problems],
                        operator.record.base,
                        sample,
                        dtype,
                        "contiguous",
                        ("reference",),
                    ),
                    pytrace=False,
                )


def test_out(operator, dtype, backend):
    for sample, functional in cases(operator, dtype):
        for how in ("exact", "gapped", "resized", "wide"):
            problems = check(Gnomon(backend.device_type), operator, sample, dtype, functional, how)
            if problems:
                devices = ("reference", backend.device_type)
                pytest.fail(
                    explain(
                        [f"out= {how}", *problems], operator.record.base, sample, dtype, "contiguous", devices
                    ),
                    pytrace=False,
                )
