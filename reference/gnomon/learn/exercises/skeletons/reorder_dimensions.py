"""The order of dimensions.

TensorIterator walks through memory forwards, if it can: its first dimension, the fastest, is the one with
the smallest strides.  With several operands there may be no order that suits all, so operands are asked one
after the other.

Write ``should_swap`` and ``reorder_dimensions``.

``should_swap`` asks the operands in their order about two dimensions.  An operand for which one of both
strides is 0 says nothing.  Different strides decide: the smaller one comes first.  If they are equal, and
the size of dim0 is larger than that of dim1, dim0 comes after dim1; else the next operand is asked.

``reorder_dimensions`` begins with the dimensions from the last to the first (row-major order), and sorts
them by insertion: each dimension, from the second on, is compared with those before it, nearest first, and
changes places with the other where ``should_swap(the other, it)`` is 1; -1 ends this, and 0 goes on to the
next without a change of places.  (No library function sorts like this, because "says nothing" is not
"equal".)

    reorder_dimensions((2, 3), [(3, 1)])          ->  [1, 0]
    reorder_dimensions((2, 3), [(1, 2)])          ->  [0, 1]
    reorder_dimensions((2, 3), [(0, 1), (1, 2)])  ->  [0, 1]
"""

from __future__ import annotations


def should_swap(dim0: int, dim1: int, shape: tuple[int, ...], strides: list[tuple[int, ...]]) -> int:
    """1 if dim0 must come after dim1, -1 if it must come before it, 0 if no operand says so."""
    raise NotImplementedError


def reorder_dimensions(shape: tuple[int, ...], strides: list[tuple[int, ...]]) -> list[int]:
    """The dimensions, the fastest first; ``strides`` has the strides of each operand."""
    raise NotImplementedError
