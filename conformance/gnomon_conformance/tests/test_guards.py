"""``out=`` inside a larger block: no memory around it is written, and its previous contents never show."""

import warnings

import pytest

from ..collection import selection
from ..collection.selection import variants
from ..comparison.differences import result_differences, same_number
from ..comparison.tolerances import Tolerance
from ..execution.runner import Gnomon, failure_of, observe_tensor, prepare, returned_results
from ..inputs.description import REAL_FLOATS, Stored, strides_of
from ..reporting.reproduction import explain
from .test_out import cases

GUARD = 64  # elements on both sides: more than a vector, and than an unrolled loop of vectors
SAMPLES = 4  # of an operator

pytestmark = pytest.mark.traits("strided_out")


def pytest_generate_tests(metafunc):
    found = {name: each for name, each in variants("out").items() if not selection.UNDETERMINED.match(name)}
    selection.parametrize_operators(metafunc, found, ("float32", "int64", "uint8", "bfloat16"))


def fillers(dtype):
    """Two numbers that outputs of a dtype are filled with before the calls."""
    if dtype == "bool":
        return (True, False)
    return (float("nan") if dtype in REAL_FLOATS else 112, 80)


def call_between_guards(framework, operator, sample, dtype, wanted, turn):
    """Make the call; return the outputs, and the exception or the guards that were written to."""
    call = prepare(framework, operator.record.base.schema, sample, dtype, "contiguous")
    made, filled = [], []
    for each in wanted:
        strides, _ = strides_of(each.sizes, "contiguous")
        count = 1
        for size in each.sizes:
            count *= size
        filler = fillers(each.dtype)[turn]
        contents = Stored((filler,) * (count + 2 * GUARD), each.sizes, strides, GUARD, each.dtype)
        made.append(framework.build(contents))
        filled.append(filler)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            framework.call(operator, [*call.values, *(tensor for _, tensor in made)])
        except Exception as error:  # reported as a difference
            return [], [f"raised {failure_of(error)}"]
    problems = []
    for (whole, _), filler in zip(made, filled):
        numbers = framework.numbers(whole)
        beside = [*range(GUARD), *range(len(numbers) - GUARD, len(numbers))]
        changed = [place - GUARD for place in beside if not same_number(numbers[place], filler, None)]
        if changed:
            problems.append(f"memory beside the output was written to, at its elements {changed[:8]}")
    return [observe_tensor(framework, tensor) for _, tensor in made], problems


@pytest.mark.short("float32")
def test_guards(operator, dtype, backend):
    base, candidate = operator.record.base, Gnomon(backend.device_type)
    for number, (sample, functional) in enumerate(cases(operator, dtype)):
        if number == SAMPLES:
            break
        tolerance = Tolerance(base, sample, dtype, "contiguous")
        returned = returned_results(base.schema, functional.results)
        for turn in (0, 1):
            found, problems = call_between_guards(candidate, operator, sample, dtype, returned, turn)
            for position, (mine, expected) in enumerate(zip(found, returned)):
                bounds = tolerance.bounds(expected, position)
                wanted = expected._replace(alias=None, offset=GUARD)
                problems += result_differences(mine, wanted, bounds, "the output", strides=False)
            if problems:
                filler = fillers(functional.results[0].dtype)[turn]
                message = [f"out= filled with {filler} before", *problems]
                devices = ("reference", backend.device_type)
                pytest.fail(explain(message, base, sample, dtype, "contiguous", devices), pytrace=False)
