"""The strides of a view.

``x.view(6)`` gives a tensor of another shape with the same memory, if there are strides that reach the same
elements in the same order.  If there are none (a transposed matrix as one dimension), ``view`` raises an
error and ``reshape`` copies.  PyTorch decides this in ``computeStride``.

Write ``view_strides``: the strides for the new sizes, or None if a copy is needed.  The new sizes always
have as many elements as the old ones.  A tensor of one element without dimensions has strides of 1 in every
new shape, and a new dimension of size 1 continues the dimensions inside it: its stride is their number of
elements times the stride of the innermost.  Without elements there is always an answer: the old strides if
the sizes are the same, else those of a contiguous tensor.

    view_strides((2, 3), (3, 1), (6,))         ->  (1,)
    view_strides((2, 3), (1, 2), (6,))         ->  None
    view_strides((4, 3), (6, 1), (2, 2, 3))    ->  (12, 6, 1)
    view_strides((2,), (5,), (1, 2))           ->  (10, 5)
"""

from __future__ import annotations


def view_strides(
    sizes: tuple[int, ...], strides: tuple[int, ...], to: tuple[int, ...]
) -> tuple[int, ...] | None:
    """The strides of a view of shape ``to`` of a tensor of ``sizes`` and ``strides``, or None."""
    raise NotImplementedError
