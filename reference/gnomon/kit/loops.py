"""The loops of the reference's kernels: a function of numbers becomes a kernel over a TensorIterator.

    kernel=pointwise(math.sinh)            out[i] = sinh(a[i])
    kernel=pointwise(lambda a, b, alpha: a + alpha * b)
    kernel=reduction(exact_sum)            out[i] = exact_sum([a[i, j] for all j])

A number is read exactly, computed with in float64 (or exactly, for integers), and rounded once, when stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..memory.accessor import TensorAccessor
from .iterator import TensorIterator


def for_each(iterator: TensorIterator, function: Callable[..., Any]) -> None:
    """Store ``function`` of the inputs' elements in the output's, one element after another."""
    write = TensorAccessor(iterator.tensor(0)).write
    inputs = range(1, len(iterator.operands))
    if len(inputs) == 1:
        read = TensorAccessor(iterator.tensor(1)).read
        for target, source in zip(iterator.offsets(0), iterator.offsets(1)):
            write(target, function(read(source)))
        return
    reads = [TensorAccessor(iterator.tensor(position)).read for position in inputs]
    if len(inputs) == 2:
        read_a, read_b = reads
        for target, source_a, source_b in zip(iterator.offsets(0), iterator.offsets(1), iterator.offsets(2)):
            write(target, function(read_a(source_a), read_b(source_b)))
        return
    for target, *sources in zip(iterator.offsets(0), *(iterator.offsets(position) for position in inputs)):
        write(target, function(*(read(source) for read, source in zip(reads, sources))))


def pointwise(function: Callable[..., Any]) -> Callable[..., None]:
    """The kernel that computes ``function(*elements, *arguments)`` for each element."""

    def kernel(iterator: TensorIterator, *arguments: Any) -> None:
        if arguments:
            for_each(iterator, lambda *elements: function(*elements, *arguments))
        else:
            for_each(iterator, function)

    kernel.__doc__ = function.__doc__
    return kernel


def reduction(function: Callable[..., Any]) -> Callable[..., None]:
    """The kernel that computes ``function(list of elements)`` over the reduced dimensions."""

    def kernel(iterator: TensorIterator, *arguments: Any) -> None:
        write = TensorAccessor(iterator.tensor(0)).write
        read = TensorAccessor(iterator.tensor(1)).read
        for target, sources in iterator.reduction_groups(1):
            write(target, function([read(source) for source in sources]))

    kernel.__doc__ = function.__doc__
    return kernel
