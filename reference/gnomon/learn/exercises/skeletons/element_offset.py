"""The offset of an element.

``x[1, -1]`` of a tensor is one number in its storage.  Which one follows from the strides, and from the
storage offset: the place of the tensor's first element.

Write ``element_offset``.  ``index`` has a number for each dimension, or for the first few of them (then the
rest counts as 0).  A negative number counts from the end of its dimension.  A number outside its dimension,
and more numbers than there are dimensions, raise IndexError.

    element_offset((1, -1), (2, 3), (3, 1), 0)  ->  5
    element_offset((2, 0), (2, 3), (3, 1), 0)   ->  IndexError
"""

from __future__ import annotations


def element_offset(
    index: tuple[int, ...], sizes: tuple[int, ...], strides: tuple[int, ...], storage_offset: int
) -> int:
    """The offset of an element in its storage, counted in elements.

    Raises IndexError if there is no such element.
    """
    raise NotImplementedError
