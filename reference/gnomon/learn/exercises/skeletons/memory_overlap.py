"""Internal overlap.

Writing to a tensor in place is refused if two of its elements are the same memory: which of the two numbers
should remain?  To know it exactly for any strides is expensive (it is a problem of whole numbers), so
PyTorch asks a cheap question, to which there are three answers:

- "yes": surely.  A dimension of more than one index has stride 0.
- "no": surely not.  With the dimensions in order of their strides, each stride is larger than the distance
  that the dimensions before it can reach together.
- "maybe": neither.

Write ``memory_overlap``.  Strides are never negative.  A tensor without elements does not overlap.

    memory_overlap((2, 3), (3, 1))  ->  "no"
    memory_overlap((2, 3), (0, 1))  ->  "yes"
    memory_overlap((2, 3), (1, 1))  ->  "maybe"
"""

from __future__ import annotations


def memory_overlap(sizes: tuple[int, ...], strides: tuple[int, ...]) -> str:
    """ "yes", "no" or "maybe": do two indices refer to the same element?"""
    raise NotImplementedError
