"""The loops of the reference's kernels: a function of numbers becomes a kernel over a TensorIterator.

    kernel=pointwise(math.sinh)            out[i] = sinh(a[i])
    kernel=pointwise(lambda a, b, alpha: a + alpha * b)
    kernel=reduction(exact_sum)            out[i] = exact_sum([a[i, j] for all j])

Numbers are read exactly, computed in float64 (or exactly, for integers), and rounded once, when stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..calls.iterator import TensorIterator
from ..memory.accessor import TensorAccessor
from ..memory.tensor import Tensor
from ..values import geometry
from ..values.dtype import float32
from ..values.geometry import wrap_dim


def for_each(iterator: TensorIterator, function: Callable[..., Any]) -> None:
    """Apply ``function`` to the inputs, element by element, and store the results in the output."""
    write = TensorAccessor(iterator.tensors[0]).write
    inputs = range(1, len(iterator.operands))
    if len(inputs) == 1:
        read = TensorAccessor(iterator.tensors[1]).read
        for target, source in zip(iterator.offsets(0), iterator.offsets(1)):
            write(target, function(read(source)))
        return
    if len(inputs) == 2:
        read_a = TensorAccessor(iterator.tensors[1]).read
        read_b = TensorAccessor(iterator.tensors[2]).read
        for target, source_a, source_b in zip(iterator.offsets(0), iterator.offsets(1), iterator.offsets(2)):
            write(target, function(read_a(source_a), read_b(source_b)))
        return
    reads = [TensorAccessor(iterator.tensors[position]).read for position in inputs]
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


def pointwise_with_numbers(function: Callable[..., Any]) -> Callable[..., None]:
    """Like ``pointwise``, with number arguments first rounded to the opmath type.

    A float32 element equals a threshold of 0.3 if it is float32's 0.3; half precision computes in float32.
    Booleans are not changed.
    """

    def kernel(iterator: TensorIterator, *arguments: Any) -> None:
        dtype = iterator.common_dtype
        cast = float32.cast if dtype.is_floating_point and dtype.itemsize == 2 else dtype.cast
        numbers = [each if isinstance(each, bool) or each is None else cast(each) for each in arguments]
        for_each(iterator, lambda *elements: function(*elements, *numbers))

    kernel.__doc__ = function.__doc__
    return kernel


def pointwise_in_steps(function: Callable[..., Any]) -> Callable[..., None]:
    """Like ``pointwise_with_numbers``, for ``function(held, *elements, *numbers)``.

    ``held`` rounds an intermediate result to the opmath type, whose range it may exceed: the product of 3e38
    and 4 is infinite in float32, whatever it is divided by afterwards.
    """

    def kernel(iterator: TensorIterator, *arguments: Any) -> None:
        dtype = iterator.common_dtype
        cast = float32.cast if dtype.is_floating_point and dtype.itemsize == 2 else dtype.cast
        numbers = [each if isinstance(each, bool) or each is None else cast(each) for each in arguments]
        for_each(iterator, lambda *elements: function(cast, *elements, *numbers))

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


def rows_along(self: Tensor, dim: int | None, outputs: Sequence[Tensor]) -> Any:
    """For each position outside ``dim`` (None: the only one): outputs' offsets, elements' offsets, elements.

    Outputs have the sizes of ``self`` without ``dim``, or with size 1 there.
    """
    accessor = TensorAccessor(self)
    if dim is None or not accessor.sizes:
        sources = list(accessor.offsets())
        targets = [output._storage_offset for output in outputs]
        yield targets, sources, [accessor.read(offset) for offset in sources]
        return
    dim = wrap_dim(dim, len(accessor.sizes))
    kept = [each for each in range(len(accessor.sizes)) if each != dim]
    sizes = [accessor.sizes[each] for each in kept]
    starts = geometry.offsets(sizes, [accessor.strides[each] for each in kept], accessor.offset)
    offsets = [starts]
    for output in outputs:
        strides = list(output._spec.strides)
        if len(strides) == len(accessor.sizes):
            del strides[dim]
        offsets.append(geometry.offsets(sizes, strides, output._storage_offset))
    step = accessor.strides[dim]
    for start, *targets in zip(*offsets):
        sources = [start + index * step for index in range(accessor.sizes[dim])]
        yield targets, sources, [accessor.read(offset) for offset in sources]
