"""Strides of a contiguous tensor.

A tensor is a block of memory (its storage) and a way to walk through it: dimension d has a size, and a
stride, the number of elements from one index of this dimension to the next.  A tensor is contiguous if its
elements are in row-major order without gaps: the last index changes fastest.

Write ``contiguous_strides``.  A tensor without dimensions has no strides.  A size of 0 counts as 1, as in
PyTorch: the strides of an empty tensor are never used, but programs see them.

    contiguous_strides((2, 3))     ->  (3, 1)
    contiguous_strides((2, 0, 3))  ->  (3, 3, 1)
"""

from __future__ import annotations


def contiguous_strides(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The strides, in elements, of a contiguous tensor of these sizes."""
    raise NotImplementedError
