"""Linear algebra functions of the main namespace."""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon import Tensor

from .elementwise import multiply, operands
from .manipulation import axes_of
from .statistical import sum as total
from .unsigned import on_bits


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The matrix product (*, m, k), (*, k, n) -> (*, m, n); one of them, or both, may be a vector.

    Raises RuntimeError for other sizes.
    """
    return on_bits(gn.matmul)(*operands("matmul", x1, x2))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """Matrices (*, m, n) as (*, n, m), a view.  Raises ValueError for fewer than two dimensions."""
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose: argument 'x': expected at least 2 dimensions, got {x.ndim}")
    return x.transpose(-2, -1)


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: Any = 2) -> Tensor:
    """The sum of products over the last ``axes`` dimensions of ``x1`` and the first of ``x2``, or over pairs.

    axes: a number, or two sequences of axes.  Raises ValueError for sizes that differ: along these axes
    nothing broadcasts.
    """
    first, second = operands("tensordot", x1, x2)
    pairs = axes
    if isinstance(axes, int):
        pairs = (range(first.ndim - axes, first.ndim), range(axes))
    sizes = [[x.shape[axis] for axis in axes_of(side, x.ndim)] for x, side in zip((first, second), pairs)]
    if sizes[0] != sizes[1]:
        raise ValueError(f"tensordot: expected the same sizes along the axes, got {sizes[0]} and {sizes[1]}")
    return on_bits(gn.tensordot)(first, second, dims=axes)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The sum of the conjugates of ``x1`` times ``x2`` along ``axis``, which counts from the end.

    The other dimensions broadcast.  Raises ValueError for different sizes along it.
    """
    first, second = operands("vecdot", x1, x2)
    axes_of(axis, min(first.ndim, second.ndim))
    if first.shape[axis] != second.shape[axis]:
        raise ValueError(
            f"vecdot: expected one size along axis {axis}, got {first.shape[axis]} and {second.shape[axis]}"
        )
    first, second = first.movedim(axis, -1), second.movedim(axis, -1)
    products = multiply(first.conj() if first.is_complex() else first, second)
    return total(products, axis=-1, dtype=products.dtype)
