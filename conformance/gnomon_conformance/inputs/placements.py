"""Placements: calls of in-place and ``out=`` variants whose output shares memory with an input or itself.

An output may be an input, or be in the same storage next to it, between its elements, or overlapping them; it
may overlap itself; and it may be laid out as a window, a column or a permutation.  PyTorch accepts some of
these calls and refuses others.  The reference determines what is expected.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ..execution.runner import Gnomon, TensorOutcome, returned_results, run, with_list_of_outputs
from .description import (
    GivenTensor,
    Sample,
    Stored,
    TensorDescription,
    complete,
    given,
    stored,
    strides_of,
)

# The layouts in which a tensor that is written to is tested.
LAYOUTS = ("transposed", "permuted", "window", "column", "gapped", "odd ones")


class Place(NamedTuple):
    """One call.

    name        the placement of the output, in words
    sample      the call of the variant
    functional  the call of the functional operator with the same numbers, which determines the tolerance
    """

    name: str
    sample: Sample
    functional: Sample


def _place(variant: Any, name: str, called: Sequence[Any], read: Sequence[Any]) -> Place:
    """The Place of a call of ``variant`` with ``called``, and of its functional operator with ``read``."""
    names = [argument.name for argument in variant.record.base.schema.arguments]
    called = with_list_of_outputs(variant.schema, called)
    return Place(name, Sample(tuple(called), {}), Sample((), dict(zip(names, read))))


def _dense(sizes: Sequence[int]) -> tuple[int, ...]:
    return strides_of(sizes, "contiguous")[0]


class _Pair(NamedTuple):
    """An input and an output in one storage: its length, and the strides and offset of each.

    ``is_same``: they are one tensor object, not two tensors with the same elements.  ``times``: how often
    each number of the input is written to the storage in a row, so that the input has its own numbers.
    """

    length: int
    input: tuple[tuple[int, ...], int]
    output: tuple[tuple[int, ...], int]
    is_same: bool = False
    times: int = 1


def _same(sizes: tuple[int, ...]) -> _Pair:
    return _Pair(math.prod(sizes), (_dense(sizes), 0), (_dense(sizes), 0), is_same=True)


def _same_elements(sizes: tuple[int, ...]) -> _Pair:
    return _same(sizes)._replace(is_same=False)


def _behind(sizes: tuple[int, ...]) -> _Pair:
    numel = math.prod(sizes)
    return _Pair(2 * numel, (_dense(sizes), 0), (_dense(sizes), numel))


def _in_front(sizes: tuple[int, ...]) -> _Pair:
    numel = math.prod(sizes)
    return _Pair(2 * numel, (_dense(sizes), numel), (_dense(sizes), 0))


def _upon(sizes: tuple[int, ...]) -> _Pair | None:
    numel = math.prod(sizes)
    return _Pair(numel + 1, (_dense(sizes), 0), (_dense(sizes), 1)) if numel > 1 else None


def _between(sizes: tuple[int, ...]) -> _Pair | None:
    numel = math.prod(sizes)
    strides = tuple(2 * stride for stride in _dense(sizes))
    return _Pair(2 * numel, (strides, 0), (strides, 1), times=2) if numel > 1 else None


def _transposed(sizes: tuple[int, ...]) -> _Pair | None:
    if len(set(sizes)) != 1 or len(sizes) < 2 or sizes[0] < 2:
        return None
    return _Pair(math.prod(sizes), (_dense(sizes), 0), (_dense(sizes)[::-1], 0))


# Two tensors of the same sizes and dtype; None if these sizes do not allow it.
PAIRS: dict[str, Callable[[tuple[int, ...]], _Pair | None]] = {
    "is the input": _same,
    "has the elements of the input": _same_elements,
    "lies behind the input": _behind,
    "lies in front of the input": _in_front,
    "lies upon a part of the input": _upon,
    "lies between the elements of the input": _between,
    "is the input, transposed": _transposed,
}


def materialized(schema: Any, sample: Sample, dtype: str) -> list[Any]:
    """The arguments of a call, with a contiguous GivenTensor in place of each description."""
    numbers = itertools.count()

    def of(value: Any) -> Any:
        if isinstance(value, TensorDescription):
            position = next(numbers)
            made = stored(value, dtype, "contiguous", position)
            return given(*made, storage=position)
        return [of(each) for each in value] if type(value) is list else value

    return [of(value) for value in complete(schema, sample)]


def _longer(numbers: Sequence[Any], length: int) -> tuple[Any, ...]:
    """The numbers, repeated until there are ``length`` of them."""
    return tuple(itertools.islice(itertools.cycle(numbers), length))


def _pairs(arguments: Sequence[Any], sizes: tuple[int, ...], dtype: str, first: int) -> Iterator[Any]:
    """(name, position, input, output) for each argument from ``first`` on that can share with an output."""
    for position in range(first, len(arguments)):
        value = arguments[position]
        if not isinstance(value, GivenTensor) or not math.prod(sizes):
            continue
        if value.contents.dtype != dtype or tuple(value.sizes) != sizes:
            continue
        for name, make in PAIRS.items():
            pair = make(sizes)
            if pair is None:
                continue
            own = [number for number in value.contents.numbers for _ in range(pair.times)]
            numbers = _longer(own, pair.length)
            one = given(numbers, sizes, *pair.input, dtype, value.storage)
            other = one if pair.is_same else given(numbers, sizes, *pair.output, dtype, value.storage)
            yield name, position, one, other


def _laid(contents: Stored, layout: str, storage: int | None, numbers: Sequence[Any]) -> GivenTensor:
    """A tensor of these sizes in ``layout``, whose storage is filled with ``numbers``, repeated."""
    strides, offset = strides_of(contents.sizes, layout)
    count = offset + 3
    if all(contents.sizes):
        count += sum((size - 1) * stride for size, stride in zip(contents.sizes, strides))
    return given(_longer(numbers, count), contents.sizes, strides, offset, contents.dtype, storage)


def _layouts(sizes: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    """(name, layout) for the layouts whose strides differ for these sizes."""
    seen = {(_dense(sizes), 0)}
    for layout in LAYOUTS:
        found = strides_of(sizes, layout)
        if found not in seen:
            seen.add(found)
            yield f"lies {layout}", layout


def _expanded(sizes: tuple[int, ...]) -> list[tuple[str, str]]:
    """As ``_layouts``, for the expanded layout, whose elements overlap."""
    return [("is expanded", "expanded")] if any(size > 1 for size in sizes) else []


def inplace_layouts(variant: Any, sample: Sample, dtype: str) -> Iterator[Place]:
    """The calls of an in-place variant with ``self`` in each layout."""
    return _inplace(variant, sample, dtype, _layouts)


def inplace_places(variant: Any, sample: Sample, dtype: str) -> Iterator[Place]:
    """The calls of an in-place variant whose ``self`` overlaps itself or another operand."""
    # If an operator accepts an expanded ``self``, the result depends on the order of its writes.
    if not variant.record.base.record.inplace.on_expanded:
        yield from _inplace(variant, sample, dtype, _expanded)
    arguments = materialized(variant.record.base.schema, sample, dtype)
    own = arguments[0]
    if isinstance(own, GivenTensor):
        for name, position, one, other in _pairs(arguments, tuple(own.sizes), own.contents.dtype, 1):
            # both have the numbers of the input, so their roles may be exchanged
            called = (other, *arguments[1:position], one, *arguments[position + 1 :])
            yield _place(variant, name, called, called)


def _inplace(variant: Any, sample: Sample, dtype: str, layouts: Any) -> Iterator[Place]:
    arguments = materialized(variant.record.base.schema, sample, dtype)
    own = arguments[0]
    if isinstance(own, GivenTensor):
        for name, layout in layouts(tuple(own.sizes)):
            laid = _laid(own.contents, layout, own.storage, own.contents.numbers or (0,))
            called = (laid, *arguments[1:])
            yield _place(variant, name, called, called)


def _outputs(variant: Any, sample: Sample, dtype: str) -> list[Stored]:
    """Sizes and dtypes of the outputs; none if the call fails or returns anything but tensors."""
    functional = run(Gnomon("reference"), variant.record.base, sample, dtype, "contiguous")
    if any(not isinstance(each, TensorOutcome) for each in functional.results):
        return []
    returned = returned_results(variant.record.base.schema, functional.results)
    return [Stored((), each.sizes, (), 0, each.dtype) for each in returned]


def _made(outputs: Sequence[Stored], layout: str) -> list[GivenTensor]:
    """Outputs, each in its own storage, filled with a number that no result has by accident."""
    return [
        _laid(each, layout, 1000 + number, (True if each.dtype == "bool" else 80,))
        for number, each in enumerate(outputs)
    ]


def out_layouts(variant: Any, sample: Sample, dtype: str) -> Iterator[Place]:
    """The calls of an ``out=`` variant with its outputs in each layout."""
    return _out(variant, sample, dtype, _layouts)


def out_places(variant: Any, sample: Sample, dtype: str) -> Iterator[Place]:
    """The calls of an ``out=`` variant whose first output overlaps itself or shares memory with inputs."""
    yield from _out(variant, sample, dtype, _expanded)
    outputs = _outputs(variant, sample, dtype)
    arguments = materialized(variant.record.base.schema, sample, dtype)
    if outputs:
        sizes = outputs[0].sizes
        for name, position, one, other in _pairs(arguments, sizes, outputs[0].dtype, 0):
            read = (*arguments[:position], one, *arguments[position + 1 :])
            written = (other, *_made(outputs, "contiguous")[1:])
            yield _place(variant, name, (*read, *written), read)


def out_inputs(variant: Any, sample: Sample, dtype: str) -> Iterator[Place]:
    """The calls of an ``out=`` variant with each suitable input in turn as its first output."""
    arguments = materialized(variant.record.base.schema, sample, dtype)
    if not any(isinstance(each, GivenTensor) and all(each.sizes) and each.sizes for each in arguments):
        return
    outputs = _outputs(variant, sample, dtype)
    for position, value in enumerate(arguments if outputs else ()):
        if not isinstance(value, GivenTensor) or tuple(value.sizes) != tuple(outputs[0].sizes):
            continue
        if value.contents.dtype != outputs[0].dtype or not math.prod(value.sizes):
            continue
        written = (value, *_made(outputs, "contiguous")[1:])
        yield _place(variant, f"is argument {position}", (*arguments, *written), arguments)


def _out(variant: Any, sample: Sample, dtype: str, layouts: Any) -> Iterator[Place]:
    outputs = _outputs(variant, sample, dtype)
    arguments = materialized(variant.record.base.schema, sample, dtype)
    for name, layout in layouts(outputs[0].sizes) if outputs else ():
        yield _place(variant, name, (*arguments, *_made(outputs, layout)), arguments)
