"""Batching rules.

``vmap`` runs a function written for one example on a whole batch at once: each tensor has one dimension
more than the function sees.  For each operator there is a rule that says how to call it on the whole
tensors.

Write four rules.  A rule gets each tensor with its batch dimension, or None if it is the same tensor for
all examples; in ``mul_rule`` and ``mm_rule`` at most one of them is None.  It returns the result, and where
its batch dimension is (anywhere you like).  Dimensions and shapes that the other arguments mean are those
of one example.

    sum_rule(gn.ones(5, 3), 0, 0, False)      ->  (tensor of 5 threes, 0)
    mul_rule(gn.ones(2, 5), 1, gn.ones(2), None)  ->  a result with 5 examples of shape (2,)
"""

from __future__ import annotations

from gnomon import Tensor

Batched = tuple[Tensor, int]


def mul_rule(x: Tensor, x_dim: int | None, y: Tensor, y_dim: int | None) -> Batched:
    """``x * y``; the examples are broadcast, and may have different numbers of dimensions."""
    raise NotImplementedError


def sum_rule(x: Tensor, x_dim: int, dim: int, keepdim: bool) -> Batched:
    """``x.sum(dim, keepdim)``; ``dim`` may be negative."""
    raise NotImplementedError


def transpose_rule(x: Tensor, x_dim: int, dim0: int, dim1: int) -> Batched:
    """``x.transpose(dim0, dim1)``; both may be negative."""
    raise NotImplementedError


def mm_rule(x: Tensor, x_dim: int | None, y: Tensor, y_dim: int | None) -> Batched:
    """``x.mm(y)``, the product of two matrices."""
    raise NotImplementedError
