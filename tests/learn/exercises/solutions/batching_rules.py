"""A model answer."""

from __future__ import annotations

from gnomon import Tensor

Batched = tuple[Tensor, int]


def mul_rule(x: Tensor, x_dim: int | None, y: Tensor, y_dim: int | None) -> Batched:
    ndim = max(x.dim() - (x_dim is not None), y.dim() - (y_dim is not None))  # of the examples
    return in_front(x, x_dim, ndim) * in_front(y, y_dim, ndim), 0


def in_front(x: Tensor, x_dim: int | None, ndim: int) -> Tensor:
    """The batch dimension first, then ones, so that each example has ``ndim`` dimensions."""
    if x_dim is None:
        return x
    x = x.movedim(x_dim, 0)
    return x.reshape(x.shape[0], *[1] * (ndim + 1 - x.dim()), *x.shape[1:])


def sum_rule(x: Tensor, x_dim: int, dim: int, keepdim: bool) -> Batched:
    return x.movedim(x_dim, 0).sum(dim % (x.dim() - 1) + 1, keepdim), 0


def transpose_rule(x: Tensor, x_dim: int, dim0: int, dim1: int) -> Batched:
    ndim = x.dim() - 1
    return x.movedim(x_dim, 0).transpose(dim0 % ndim + 1, dim1 % ndim + 1), 0


def mm_rule(x: Tensor, x_dim: int | None, y: Tensor, y_dim: int | None) -> Batched:
    x = x if x_dim is None else x.movedim(x_dim, 0)
    y = y if y_dim is None else y.movedim(y_dim, 0)
    return x @ y, 0
