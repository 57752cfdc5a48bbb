"""TensorIterator.

A pointwise kernel should not know about broadcasting, transposed operands or dtypes of different sizes.
TensorIterator hides all of this behind a shape, and the strides in bytes of each operand.

Write ``tensor_iterator``, which

1. broadcasts the operands to one shape (an error is a RuntimeError), with stride 0 where an operand is
   expanded,
2. multiplies each operand's strides by its itemsize,
3. reorders the dimensions as in the exercise ``reorder_dimensions``: the first is the fastest,
4. coalesces: neighboring dimensions through which all operands go with a single stride become one.
   Dimensions of size 1 vanish, but for a shape of only one dimension, or if all have size 1 (then one is
   left).

Then write ``loop``, which yields the offsets in bytes of all operands, step by step.

    tensor_iterator([((2, 3), (3, 1), 4)])                       ->  ([6], [[4]])
    tensor_iterator([((2, 3), (3, 1), 4), ((3,), (1,), 8)])      ->  ([3, 2], [[4, 12], [8, 0]])
    list(loop([3], [[4], [0]]))                                  ->  [(0, 0), (4, 0), (8, 0)]
"""

from __future__ import annotations

from collections.abc import Iterator

Operand = tuple[tuple[int, ...], tuple[int, ...], int]  # sizes, strides in elements, itemsize


def tensor_iterator(operands: list[Operand]) -> tuple[list[int], list[list[int]]]:
    """The shape, and the strides in bytes of each operand, after all steps.

    Raises RuntimeError for shapes that do not broadcast.
    """
    raise NotImplementedError


def loop(shape: list[int], strides: list[list[int]]) -> Iterator[tuple[int, ...]]:
    """The offset in bytes of each operand, for each element; dimension 0 is the fastest."""
    raise NotImplementedError
