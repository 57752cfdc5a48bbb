"""Backends may not cheat: results come from the current inputs, and from the backend's own kernels."""

import math
import warnings

import pytest

import gnomon as gn
from gnomon.memory.backend import reference_backend

from ..collection import selection
from ..collection.selection import UNDETERMINED, operators, random_operators
from ..comparison.differences import differences
from ..comparison.tolerances import Tolerance
from ..execution import instrumentation
from ..execution.runner import Gnomon, TensorOutcome, prepare, run, run_call
from ..inputs.description import FLOATS, INTEGERS, complete, descriptions, grown
from ..reporting.reproduction import explain
from ..samples import good_samples

SAMPLES = 2  # of each operator: the arguments matter little here
DTYPES = ("float32", "int64")
RUNS = 4
MOST = 5000  # elements of a larger input
FACTOR = 7  # enlarges inputs, so that a sum has more terms than a vector and its order may vary

pytestmark = pytest.mark.short("float32")


def pytest_generate_tests(metafunc):
    found = {name: each for name, each in operators().items() if not UNDETERMINED.match(name)}
    selection.parametrize_operators(
        metafunc, found, DTYPES if metafunc.function not in (test_own, test_memory_of_calls) else DTYPES[:1]
    )


def numel(operator, sample):
    """The number of elements of a call's largest tensor."""
    tensors = descriptions(complete(operator.schema, sample))
    return max((math.prod(each.sizes) for each in tensors), default=0)


def turned(contents, description):
    """The same tensor with its numbers reversed, if they are arbitrary."""
    if description.values.startswith("below ") or contents.dtype not in (*FLOATS, *INTEGERS):
        return contents
    return contents._replace(numbers=contents.numbers[::-1])


def report(problems, operator, sample, dtype, backend):
    if problems:
        devices = ("reference", backend.device_type)
        pytest.fail(explain(problems, operator, sample, dtype, "contiguous", devices), pytrace=False)


def test_fresh(operator, dtype, backend):
    """Other numbers with the same sizes, or in the same memory, give other results: none is cached."""
    if operator.name in random_operators():
        return
    reference, candidate = Gnomon("reference"), Gnomon(backend.device_type)
    for _, sample in good_samples(operator.name, dtype)[:SAMPLES]:
        expected = run(reference, operator, sample, dtype, "contiguous", turned)
        if expected.failure is not None:
            continue
        call = prepare(candidate, operator.schema, sample, dtype, "contiguous")
        run_call(candidate, operator, call)
        others = prepare(candidate, operator.schema, sample, dtype, "contiguous", turned)
        calls = [others]
        is_same = all(whole.shape == other.shape for whole, other in zip(call.wholes, others.wholes))
        if is_same and not operator.schema.is_inplace:  # an in-place call has changed the tensor itself
            calls.append(call)
            for whole, other in zip(call.wholes, others.wholes):
                whole.copy_(other)
        for other in calls:
            actual = run_call(candidate, operator, other)
            results = differences(actual, expected, Turned(operator, sample, dtype, "contiguous"))
            report(results, operator, sample, dtype, backend)


class Turned(Tolerance):
    """The tolerance of a call with reversed numbers: the largest bound of any element."""

    def exact(self, expected, position):
        return None

    def bounds(self, expected, position):
        bounds = super().bounds(expected, position)
        return None if bounds is None else [max(bounds, default=0.0)] * len(bounds)


@pytest.mark.traits("deterministic")
def test_deterministic(operator, dtype, backend):
    """The same call gives bitwise identical results each time."""
    candidate = Gnomon(backend.device_type)
    samples = [sample for _, sample in good_samples(operator.name, dtype)[:SAMPLES]]
    larger = [grown(each, FACTOR) for each in samples]
    for sample in [*samples, *(each for each in larger if numel(operator, each) <= MOST)]:
        first, *others = (run(candidate, operator, sample, dtype, "contiguous") for _ in range(RUNS))
        if sample in larger and operator.name not in random_operators():  # no other test has these calls
            expected = run(Gnomon("reference"), operator, sample, dtype, "contiguous")
            tolerance = Tolerance(operator, sample, dtype, "contiguous")
            mine, wanted = (each._replace(failure=None) for each in (first, expected))
            report(differences(mine, wanted, tolerance), operator, sample, dtype, backend)
        problems = [
            f"result {place} of call {count} differs from that of the first"
            for count, each in enumerate(others, 2)
            for place, (mine, wanted) in enumerate(zip(each.results, first.results))
            if repr(mine) != repr(wanted)
        ]
        report(problems, operator, sample, dtype, backend)


def test_own(operator, dtype, backend):
    """No claimed kernel calls the reference's kernel of the same operator, or computes on the host."""
    if backend is reference_backend:
        return
    candidate = Gnomon(backend.device_type)
    for _, sample in good_samples(operator.name, dtype)[:1]:
        call = prepare(candidate, operator.schema, sample, dtype, "contiguous")
        with instrumentation.reference_kernels_run() as underneath:
            run_call(candidate, operator, call)
        borrowed = underneath & claimed_kernels(operator, backend, dtype)
        if not backend.host_memory:
            call = prepare(candidate, operator.schema, sample, dtype, "contiguous")
            with instrumentation.host_copies(backend) as copied:
                run_call(candidate, operator, call)
            borrowed |= copied
        for name in borrowed:
            instrumentation.note_fallback(backend, name)


CALLS = 40  # a leak grows by at least one object per call


def test_memory_of_calls(operator, dtype, backend):
    """A call that has ended keeps nothing: no tensors, no objects, no memory of a library."""
    if operator.record.kernel is None:
        return
    candidate = Gnomon(backend.device_type)
    for _, sample in good_samples(operator.name, dtype)[:1]:
        call = prepare(candidate, operator.schema, sample, dtype, "contiguous")
        kept = kept_by(candidate, operator, call, backend, thorough=False)
        if kept:  # rare; the thorough check takes long
            kept = kept_by(candidate, operator, call, backend, thorough=True)
        if kept:
            pytest.fail(f"{operator.name} keeps something of each call: {'; '.join(kept)}", pytrace=False)


def kept_by(candidate, operator, call, backend, thorough):
    """What grows with each call; nothing if the call raises, which test_forward tests."""
    growths = []
    for _ in range(4):
        before = instrumentation.held(backend, thorough)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(CALLS):
                try:
                    candidate.call(operator, call.values)
                except Exception:
                    return []
        after = instrumentation.held(backend, thorough)
        growths.append([now - was for now, was in zip(after, before)])
    # the first rounds fill caches; growth by at least the number of calls in each round is a leak
    return [
        f"{each[-1]} {what} after {CALLS} calls, {each}"
        for what, least, *each in zip(instrumentation.HELD, instrumentation.LEAST_HELD, *growths)
        if min(each[1:]) >= CALLS * least
    ]


def claimed_kernels(operator, backend, dtype):
    """The kernel that this operator may run on the backend: its own, if it has one."""
    name = operator.record.kernel_name if operator.record.kernel is not None else operator.name
    return {name} if name in backend.kernels else set()


def test_poison(operator, dtype, backend):
    """The previous contents of a block never appear in a result."""
    candidate = Gnomon(backend.device_type)
    for _, sample in good_samples(operator.name, dtype)[:SAMPLES]:
        found = []
        specs = result_specs(operator, sample, dtype)
        for byte in instrumentation.POISONS:
            call = prepare(candidate, operator.schema, sample, dtype, "contiguous")
            instrumentation.poison(backend, specs, byte)
            found.append(run_call(candidate, operator, call))
        problems = [
            f"result {place} depends on what its memory held before"
            for each in found[1:]
            for place, (mine, wanted) in enumerate(zip(each.results, found[0].results))
            if repr(mine) != repr(wanted)
        ]
        report(problems, operator, sample, dtype, backend)


def result_specs(operator, sample, dtype):
    """The specs of the tensors that a call allocates."""
    made = run(Gnomon("reference"), operator, sample, dtype, "contiguous")
    return [
        gn.empty(each.sizes, dtype=getattr(gn, each.dtype), device="meta")._spec
        for each in made.results
        if isinstance(each, TensorOutcome) and each.alias is None
    ]
