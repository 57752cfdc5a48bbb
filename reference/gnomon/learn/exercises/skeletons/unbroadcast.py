"""Gradients of broadcast operands.

In ``x + b`` with x of shape (2, 3) and b of shape (3,), each element of b is used twice.  The formula of
add gives a gradient of shape (2, 3) for both; the engine then makes it fit each of them.

Write ``unbroadcast``, which brings a gradient to the sizes of the operand.  The gradient's shape is one to
which the operand can be broadcast.  ``Tensor.sum_to_size`` does this; use ``sum`` and ``reshape`` instead.

    unbroadcast(gn.ones(2, 3), (3,))   ->  tensor([2., 2., 2.])
    unbroadcast(gn.ones(2, 3), (2, 1)) ->  tensor([[3.], [3.]])
"""

from __future__ import annotations

from gnomon import Tensor


def unbroadcast(gradient: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """The gradient of an operand of these sizes that was broadcast to the gradient's."""
    raise NotImplementedError
