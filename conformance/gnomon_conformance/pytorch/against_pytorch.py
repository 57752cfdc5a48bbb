"""Differences between the reference and PyTorch's results, live or recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import gnomon as gn

from ..collection.selection import UNDETERMINED, called, random_operators
from ..comparison.differences import (
    differences,
    failure_differences,
    gradient_differences,
    result_differences,
)
from ..comparison.tolerances import Tolerance, gradient_bounds
from ..execution.runner import (
    Framework,
    Gnomon,
    TensorOutcome,
    differentiate,
    differentiate_twice,
    prepare,
    returned_results,
    run,
)
from ..inputs import placements
from ..inputs.description import QUANTIZED_LAYOUTS, Sample, Stored, complete, descriptions, layouts_for
from ..inputs.variants import spread
from ..reporting.reproduction import explain
from ..samples import bad_samples, good_samples, good_sparse_samples

GRADIENT_DTYPES = ("float32", "float64", "complex128")
PLACE_SAMPLES = 3  # of a variant, which are tested with memory overlap
CRASHES_TWICE = re.compile("_pdist")  # PyTorch crashes when it differentiates these twice


class Difference(NamedTuple):
    """The differences, and the call that they occur in."""

    problems: list[str]
    sample: Sample
    layout: str


def compares_numbers(name: str) -> bool:
    """Whether the arguments determine the numbers of the result."""
    return name not in random_operators() and not UNDETERMINED.match(name)


def live_place_differences(variant: Any, dtype: str) -> list[str]:
    """The calls of a variant that PyTorch refuses because of memory overlap, and the reference accepts.

    The reference refuses more: some of PyTorch's kernels do not check, and write out of bounds if the output
    is expanded, so those calls are not made here.
    """
    from .oracle import Torch

    found = []
    make = placements.inplace_places if variant.schema.is_inplace else placements.out_places
    for sample in spread(
        [sample for _, sample in good_samples(variant.record.base.name, dtype)], PLACE_SAMPLES
    ):
        for place in make(variant, sample, dtype):
            if place.name == "is expanded" and variant.schema.is_out:
                continue
            expected = run(Torch(), variant, place.sample, dtype, "contiguous").failure
            if expected is None or "unsupported operation" not in expected.text:
                continue
            actual = run(Gnomon("reference"), variant, place.sample, dtype, "contiguous").failure
            problems = failure_differences(actual, expected, texts=False)
            if problems:
                problems = [f"what is written to {place.name}", *problems]
                where = ("contiguous", ("reference",))
                found.append(explain(problems, variant, place.sample, dtype, *where))
    return found


def quantized_calls(name: str, dtype: str) -> list[Sample]:
    """The calls of an operator with quantized tensors, and those of one that makes one."""
    found = good_sparse_samples(name, dtype)
    if name in gn.quantized.OPERATORS:
        return found
    schema = called(name).schema
    return [
        each
        for each in found
        if any(tensor.layout in QUANTIZED_LAYOUTS for tensor in descriptions(complete(schema, each)))
    ]


def live_quantized_differences(operator: Any, dtype: str) -> list[Difference]:
    """The calls of ``quantized_calls`` that differ: integers and scales have to be equal."""
    from .oracle import Torch

    found = []
    for sample in quantized_calls(operator.name, dtype):
        expected = run(Torch(), operator, sample, dtype, "contiguous")
        problems = check_forward(operator, sample, dtype, "contiguous", expected)
        if problems:
            found.append(Difference(problems, sample, "contiguous"))
    return found


# Variants whose output PyTorch leaves with other strides or sizes.
RESIZED_OTHERWISE = {
    "take.out": "PyTorch's output lies as the indices do, where its result is row-major",
    "fft_ihfft2.out": "of one dimension PyTorch leaves the output as it was",
    "fft_ihfftn.out": "of one dimension PyTorch leaves the output as it was",
    "binary_cross_entropy.out": "PyTorch does not resize the output",
    "diff.out": "PyTorch refuses a tensor without elements, of which it gives the differences",
}


def live_resized_differences(variant: Any, dtype: str) -> list[str]:
    """The calls of an ``out=`` variant after which an output that had no elements has other sizes or strides
    than PyTorch's.
    """
    from .oracle import Torch

    found = []
    base = variant.record.base
    for _, sample in good_samples(base.name, dtype):
        for layout in layouts_for(sample, base.schema, dtype, few=False):
            outcome = run(Gnomon("reference"), base, sample, dtype, layout)
            if outcome.failure is not None:
                continue
            frameworks: list[Framework] = [Torch(), Gnomon("reference")]
            both = [_resized(each, variant, sample, dtype, layout, outcome) for each in frameworks]
            if None not in both and both[0] != both[1]:
                problems = [f"the outputs of {variant} lie as {both[1]}, expected {both[0]}"]
                found.append(explain(problems, base, sample, dtype, layout, ("reference",)))
    return found


def _resized(
    framework: Framework, variant: Any, sample: Sample, dtype: str, layout: str, outcome: Any
) -> Any:
    """Sizes and strides (of dimensions longer than 1) of outputs that had no elements; None for a failure."""
    schema = variant.record.base.schema
    call = prepare(framework, schema, sample, dtype, layout)
    returned = returned_results(schema, outcome.results)
    outputs = [framework.build(Stored((), (0,), (1,), 0, each.dtype))[1] for each in returned]
    try:
        framework.call(variant, [*call.values, *outputs])
    except Exception:  # errors are compared elsewhere
        return None
    observed = [framework.observe(each) for each in outputs]
    return [
        (sizes, [stride for size, stride in zip(sizes, strides) if size > 1 and 0 not in sizes])
        for _, sizes, strides, _, _ in observed
    ]


def check_forward(operator: Any, sample: Sample, dtype: str, layout: str, expected: Any) -> list[str]:
    """Where the reference's outcome differs from PyTorch's."""
    actual = run(Gnomon("reference"), operator, sample, dtype, layout)
    tolerance = Tolerance(operator, sample, dtype, layout, rounded_steps=2)
    storages = any(argument.is_written for argument in operator.schema.arguments)
    # the strides of a tensor without elements depend on the code path that PyTorch happened to take
    results = tuple(
        mine._replace(strides=wanted.strides)
        if isinstance(mine, TensorOutcome)
        and isinstance(wanted, TensorOutcome)
        and mine.sizes == wanted.sizes
        and 0 in mine.sizes
        else mine
        for mine, wanted in zip(actual.results, expected.results)
    )
    if len(results) == len(actual.results):
        actual = actual._replace(results=tuple(map(_with_truth, results)))
    return differences(
        actual, expected, tolerance, texts=False, values=compares_numbers(operator.name), storages=storages
    )


def _with_truth(result: Any) -> Any:
    """The result with bools as truth values, not bytes, because PyTorch's bytes are not compared."""
    if not isinstance(result, TensorOutcome) or result.dtype != "bool" or result.numbers is None:
        return result
    return result._replace(numbers=tuple(map(bool, result.numbers)))


def check_gradient(operator: Any, sample: Sample, dtype: str, layout: str, expected: Any) -> list[str]:
    """Where the reference's gradients differ from PyTorch's.  The strides of a gradient are unspecified."""
    actual = differentiate(Gnomon("reference"), operator, sample, dtype, layout)
    return gradient_differences(actual, expected, texts=False, strides=False)


def forward_cases(operator: Any, dtype: str, few: bool) -> Iterator[tuple[int, Sample, str]]:
    """Sample number, sample, layout."""
    for number, sample in good_samples(operator.name, dtype):
        for layout in layouts_for(sample, operator.schema, dtype, few):
            yield number, sample, layout


def gradient_cases(operator: Any, dtype: str, few: bool) -> Iterator[tuple[int, Sample, str]]:
    """As ``forward_cases``, for the samples that have gradients."""
    if dtype in GRADIENT_DTYPES and compares_numbers(operator.name):
        for number, sample, layout in forward_cases(operator, dtype, few=True):
            if sample.differentiable and (layout == "contiguous" or not few):
                yield number, sample, layout


def second_gradient_differences(operator: Any, sample: Sample) -> list[str]:
    """Where second gradients differ from PyTorch's; nothing if PyTorch has none.

    A gradient that is 0 everywhere may also be missing.
    """
    from .oracle import Torch

    expected = differentiate_twice(Torch(), operator, sample, "float64", "contiguous")
    if expected.failure is not None:
        return []
    actual = differentiate_twice(Gnomon("reference"), operator, sample, "float64", "contiguous")
    if actual.failure is not None:
        return [f"raised {actual.failure.kinds[0]}: {actual.failure.text}"]
    found = []
    count = max(len(actual.gradients), len(expected.gradients))
    pairs = [(*each.gradients, *(None,) * (count - len(each.gradients))) for each in (actual, expected)]
    for position, (mine, wanted) in enumerate(zip(*pairs)):
        if _is_nothing(mine) and _is_nothing(wanted):
            continue
        what = f"the second gradient of input {position}"
        if mine is None or wanted is None:
            found.append(f"{what} is {'missing' if mine is None else 'there'}")
            continue
        found += result_differences(mine, wanted, gradient_bounds(wanted), what, strides=False)
    return found


def _is_nothing(gradient: Any) -> bool:
    return gradient is None or all(number == 0 for number in gradient.numbers)


def second_gradient_cases(operator: Any) -> Iterator[tuple[int, Sample]]:
    """The samples that are differentiated twice."""
    writes = any(argument.is_written for argument in operator.schema.arguments)
    if not writes and compares_numbers(operator.name) and not CRASHES_TWICE.match(operator.name):
        for number, sample in good_samples(operator.name, "float64"):
            if sample.differentiable:
                yield number, sample


def live_differences(operator: Any, dtype: str) -> list[Difference]:
    """Every call of one operator with one dtype for which the reference and PyTorch differ."""
    from .oracle import Torch

    found = []
    for _, sample, layout in forward_cases(operator, dtype, few=False):
        problems = check_forward(
            operator, sample, dtype, layout, run(Torch(), operator, sample, dtype, layout)
        )
        if problems:
            found.append(Difference(problems, sample, layout))
    for _, sample, layout in gradient_cases(operator, dtype, few=False):
        problems = check_gradient(
            operator, sample, dtype, layout, differentiate(Torch(), operator, sample, dtype, layout)
        )
        if problems:
            found.append(Difference([f"gradient: {each}" for each in problems], sample, layout))
    for _, sample in second_gradient_cases(operator) if dtype == "float64" else ():
        problems = second_gradient_differences(operator, sample)
        if problems:
            found.append(Difference(problems, sample, "contiguous"))
    return found


def live_error_differences(operator: Any) -> list[Difference]:
    """Every invalid call of one operator that the reference and PyTorch refuse differently."""
    from .oracle import Torch

    found = []
    for _, sample in bad_samples(operator.name):
        for dtype in sample.dtypes or ("float32",):
            actual = run(Gnomon("reference"), operator, sample, dtype, "contiguous").failure
            expected = run(Torch(), operator, sample, dtype, "contiguous").failure
            problems = failure_differences(actual, expected, False)
            if expected is None:
                problems = ["raised what PyTorch accepts"]
            if problems:
                found.append(Difference([f"bad input: {each}" for each in problems], sample, "contiguous"))
    return found
