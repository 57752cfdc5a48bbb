"""Calls on the same rows repeated many thousand times, whose result follows from that for one copy of them.

The reference would take minutes for the large call.  If the operator treats each row, column or image alike,
the result follows from a small call.  The reference shows whether it does, and along which dimension: when
its tensors are repeated two and three times, its results are repeated as often, or do not change.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import gnomon as gn
from gnomon.calls.launch import fallbacks
from gnomon.memory.accessor import elements
from gnomon.values import dtype as dtypes

from ..comparison.differences import result_differences
from ..comparison.tolerances import Tolerance
from ..execution.runner import Framework, Gnomon, Outcome, TensorOutcome, run
from ..reporting.reproduction import explain
from ..samples import good_samples
from .description import (
    GivenTensor,
    Sample,
    Stored,
    TensorDescription,
    complete,
    descriptions,
    given,
    stored,
)
from .variants import spread

LARGE = 65_537  # more rows than a 16-bit grid dimension has, and than int16 or uint16 can count
MOST = 700_000  # the most elements of a tensor
SAMPLES = 5  # of an operator, among which a suitable one is searched for


class Plan(NamedTuple):
    """How a call is repeated.

    sample   the number of the sample
    size     tensors that have this size in ``dim`` (the first or the last dimension) are repeated there
    dims     for each result, the dimension in which it is repeated; None: it does not change
    """

    sample: int
    dim: int
    size: int
    dims: tuple[int | None, ...]


def materialized(schema: Any, sample: Sample, dtype: str) -> list[Any]:
    """The arguments of a call, with a dense GivenTensor in place of each description."""
    numbers = itertools.count()

    def of(value: Any) -> Any:
        if isinstance(value, TensorDescription):
            position = next(numbers)
            contents = stored(value, dtype, "contiguous", position)
            return value if isinstance(value, GivenTensor) else given(*contents)
        return [of(each) for each in value] if type(value) is list else value

    return [of(value) for value in complete(schema, sample)]


def _is_repeated(each: Any, dim: int, size: int) -> bool:
    return bool(each.sizes) and each.sizes[dim] == size and len(each.contents.numbers) == _numel(each.sizes)


def _numel(sizes: Sequence[int]) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count


def _blocks(sizes: Sequence[int], dim: int) -> tuple[int, int]:
    """For a dense tensor: the number of blocks before ``dim``, and the length of each."""
    dim %= len(sizes)
    return _numel(sizes[:dim]), _numel(sizes[dim:])


def _repeated(each: GivenTensor, dim: int, times: int) -> GivenTensor:
    """The tensor repeated ``times`` along ``dim``."""
    outer, length = _blocks(each.sizes, dim)
    numbers = each.contents.numbers
    made = [numbers[at * length : (at + 1) * length] * times for at in range(outer)]
    sizes = list(each.sizes)
    sizes[dim] *= times
    return given(list(itertools.chain(*made)), sizes, _strides(sizes), 0, each.contents.dtype)


def _strides(sizes: Sequence[int]) -> tuple[int, ...]:
    strides = [1] * len(sizes)
    for dim in range(len(sizes) - 2, -1, -1):
        strides[dim] = strides[dim + 1] * max(sizes[dim + 1], 1)
    return tuple(strides)


def _changed(arguments: Sequence[Any], dim: int, size: int, change: Any) -> list[Any]:
    def of(value: Any) -> Any:
        if isinstance(value, GivenTensor):
            return change(value) if _is_repeated(value, dim, size) else value
        return [of(each) for each in value] if type(value) is list else value

    return [of(value) for value in arguments]


def _dims(small: Outcome, other: Outcome, times: int) -> tuple[int | None, ...] | None:
    """The dimension in which each result is repeated ``times``; None if a result is anything else."""
    if other.failure is not None or len(small.results) != len(other.results):
        return None
    found: list[int | None] = []
    for mine, wanted in zip(other.results, small.results):
        if not isinstance(mine, TensorOutcome) or not isinstance(wanted, TensorOutcome):
            return None
        dim = _dim(mine, wanted, times)
        if isinstance(dim, str):  # "neither"
            return None
        found.append(dim)
    return tuple(found)


def _dim(mine: TensorOutcome, wanted: TensorOutcome, times: int) -> int | str | None:
    if repr((mine.sizes, mine.numbers)) == repr((wanted.sizes, wanted.numbers)):
        return None
    for dim, size in enumerate(wanted.sizes):
        sizes = list(wanted.sizes)
        sizes[dim] = size * times
        if tuple(sizes) != mine.sizes or 0 in sizes:
            continue
        outer, length = _blocks(wanted.sizes, dim)
        numbers = wanted.numbers or ()
        expected = [numbers[at * length : (at + 1) * length] * times for at in range(outer)]
        if repr(tuple(itertools.chain(*expected))) == repr(tuple(mine.numbers or ())):
            return dim
    return "neither"


@functools.cache
def plans(operator: Any, dtype: str) -> tuple[Plan, ...]:
    """At most two plans: one for the first dimension and one for the last."""
    framework = Gnomon("reference")
    found = []
    usable = good_samples(operator.name, dtype)
    for dim in (0, -1):
        for number, sample in spread(usable, SAMPLES):
            plan = _plan(framework, operator, number, sample, dtype, dim)
            if plan is not None:
                found.append(plan)
                break
    return tuple(found)


def _plan(
    framework: Framework, operator: Any, number: int, sample: Sample, dtype: str, dim: int
) -> Plan | None:
    arguments = materialized(operator.schema, sample, dtype)
    tensors = list(descriptions(arguments))
    if not tensors or any(0 in each.sizes for each in tensors):
        return None
    small = run(framework, operator, Sample(tuple(arguments), {}), dtype, "contiguous")
    if small.failure is not None or not small.results:
        return None
    sizes = [each.sizes[dim] for each in tensors if each.sizes]
    for size in dict.fromkeys(sizes):
        shown = []
        for times in (2, 3):
            made = _changed(arguments, dim, size, functools.partial(_repeated, dim=dim, times=times))
            other = run(framework, operator, Sample(tuple(made), {}), dtype, "contiguous")
            shown.append(_dims(small, other, times))
            if shown[0] is None:
                break
        if shown[0] is not None and shown[0] == shown[-1] and len(shown) == 2:
            return Plan(number, dim, size, shown[0])
    return None


def _large(each: GivenTensor, dim: int, times: int, device: str) -> Any:
    """The tensor repeated ``times`` along ``dim``, built on the device from its bytes."""
    contents = each.contents
    dtype = dtypes.dtype_named(contents.dtype)
    data = packed(contents.numbers, dtype)
    outer, length = _blocks(each.sizes, dim)
    step = length * dtype.itemsize
    sizes = list(each.sizes)
    sizes[dim] *= times
    made = gn.empty(sizes, dtype=dtype, device=device)
    whole = b"".join(data[at * step : (at + 1) * step] * times for at in range(outer))
    made.untyped_storage().copy_in(0, memoryview(whole))
    return made


def packed(numbers: Sequence[Any], dtype: Any) -> bytes:
    """These numbers as bytes of ``dtype``."""
    data = bytearray(len(numbers) * dtype.itemsize)
    write = dtype.writer(memoryview(data))
    for place, number in enumerate(numbers):
        write(place, number)
    return bytes(data)


def _unpacked(data: bytes, dtype: Any, sizes: Sequence[int]) -> tuple[Any, ...]:
    made = gn.empty(sizes, dtype=dtype, device="reference")
    made.untyped_storage().copy_in(0, memoryview(data))
    return tuple(elements(made))


def check(operator: Any, plan: Plan, dtype: str, device: str) -> str:
    """Make the large call of a plan on ``device``; return how it differs from the small call, or ""."""
    sample = dict(good_samples(operator.name, dtype)).get(plan.sample)
    if sample is None:
        return ""
    arguments = materialized(operator.schema, sample, dtype)
    small = run(Gnomon("reference"), operator, Sample(tuple(arguments), {}), dtype, "contiguous")
    if small.failure is not None:
        return ""
    tensors = [each for each in descriptions(arguments) if _is_repeated(each, plan.dim, plan.size)]
    most = max((_numel(each.sizes) for each in tensors), default=0)
    most = max([most, *(_numel(each.sizes) for each in small.results)])
    times = LARGE // max(plan.size, 1) + 1
    if not tensors or times * most > MOST:
        times = MOST // max(most, 1)
    found = functools.partial(_problems, operator, plan, arguments, small, dtype)
    before = _fallbacks(device)
    found(2, device)
    if _fallbacks(device) != before:
        return ""  # the test has its outcome, and the reference would take minutes for the large call
    problems = found(times, device)
    # Plans are made with one dtype. Which elements are zeros or equal, on which a result may depend, differs
    # in others: then the reference's own results are not repeated either.
    if not problems or found(2, "reference") or found(3, "reference"):
        return ""
    heading = (
        f"its tensors {times} times in a row along dimension {plan.dim}, where they have size {plan.size}"
    )
    text = explain([heading, *problems], operator, sample, dtype, "contiguous", ("reference", device))
    return text.replace("To reproduce:", "The call that is repeated:")


def _fallbacks(device: str) -> int:
    """How often the reference's kernels have run in the place of the device's."""
    return sum(count for (device_type, _), count in fallbacks.items() if device_type == device)


def _problems(
    operator: Any, plan: Plan, arguments: Sequence[Any], small: Outcome, dtype: str, times: int, device: str
) -> list[str]:
    """How the results of the call with tensors repeated ``times`` differ from those of the ``small`` call."""
    candidate = Gnomon(device)
    values = _changed(arguments, plan.dim, plan.size, lambda each: _large(each, plan.dim, times, device))
    values = [
        _placed(candidate, argument, value) for argument, value in zip(operator.schema.arguments, values)
    ]
    result = candidate.call(operator, values)
    results = result if isinstance(result, (tuple, list)) else (result,)
    tolerance = Tolerance(operator, Sample(tuple(arguments), {}), dtype, "contiguous")
    problems = []
    for place, (mine, wanted, dim) in enumerate(zip(results, small.results, plan.dims)):
        problems += _differences(mine, wanted, dim, times, tolerance, place)
    return problems


def _placed(framework: Framework, argument: Any, value: Any) -> Any:
    if isinstance(value, GivenTensor):
        return framework.build(value.contents)[1]
    if type(value) is list:
        return tuple(_placed(framework, argument, each) for each in value)
    if value is not None and argument.type in ("ScalarType", "Layout", "MemoryFormat", "Generator"):
        return framework.special(argument.type, value)
    return value


def _differences(
    mine: Any, wanted: TensorOutcome, dim: int | None, times: int, tolerance: Tolerance, place: int
) -> list[str]:
    sizes = list(wanted.sizes)
    if dim is not None:
        sizes[dim] *= times
    if tuple(mine.shape) != tuple(sizes) or mine.dtype.name != wanted.dtype:
        return [f"result {place} has sizes {tuple(mine.shape)} and dtype {mine.dtype.name}, expected {sizes}"]
    data = _bytes_of(mine)
    outer, length = (1, _numel(wanted.sizes)) if dim is None else _blocks(wanted.sizes, dim)
    count = 1 if dim is None else times
    step = length * mine.dtype.itemsize
    numbers = tuple(wanted.numbers or ())
    bounds: Sequence[float] | None = None
    is_bounded = False
    for at in range(outer):
        block = data[at * step * count : (at + 1) * step * count]
        expected = numbers[at * length : (at + 1) * length]
        right = packed(expected, mine.dtype)
        if block == right * count:
            continue
        if not is_bounded:  # bounds are computed only if some block is not bitwise equal
            is_bounded = True
            bounds = tolerance.bounds(wanted, place)
            if dim is None and bounds is not None:  # a reduction over ``times`` as many terms
                bounds = [bound * times for bound in bounds]
        seen = {right}
        part = None if bounds is None else bounds[at * length : (at + 1) * length]
        for turn in range(count):
            chunk = block[turn * step : (turn + 1) * step]
            if chunk in seen:
                continue
            seen.add(chunk)
            found = Stored(_unpacked(chunk, mine.dtype, (length,)), (length,), (1,), 0, wanted.dtype)
            one = wanted._replace(sizes=(length,), strides=(1,), offset=0, alias=None)
            problems = result_differences(
                one._replace(numbers=found.numbers), one._replace(numbers=expected), part, f"result {place}"
            )
            if problems:
                return [f"the {turn}th time: {problem}" for problem in problems]
    return []


def _bytes_of(tensor: Any) -> bytes:
    dense = tensor if tensor.is_contiguous() else tensor.contiguous()
    size = dense.dtype.itemsize
    start = dense.storage_offset() * size
    return bytes(dense.untyped_storage().copy_out())[start : start + dense.numel() * size]
