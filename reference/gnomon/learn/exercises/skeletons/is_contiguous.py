"""Is a tensor contiguous?

Many kernels have a fast loop for tensors whose elements are in row-major order without gaps.
``is_contiguous`` decides from sizes and strides alone.

It asks about the order of elements in memory, not whether the strides are those of ``contiguous_strides``:
these are different questions where a size is 0 or 1.  Think about which strides are used at all to reach
the elements that exist.

    is_contiguous((2, 3), (3, 1))  ->  True
    is_contiguous((2, 3), (1, 2))  ->  False
"""

from __future__ import annotations


def is_contiguous(sizes: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Are the elements of such a tensor in row-major order without gaps?"""
    raise NotImplementedError
