"""Pooling.  Inputs are (N, C, *spatial) or (C, *spatial)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import gnomon as gn

aten = gn.ops.aten

# These take the operators' arguments as they are.
avg_pool1d = aten.avg_pool1d.parser
avg_pool2d = aten.avg_pool2d.parser
avg_pool3d = aten.avg_pool3d.parser
adaptive_avg_pool1d = aten.adaptive_avg_pool1d.parser


def max_pool1d_with_indices(
    input: gn.Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[gn.Tensor, gn.Tensor]:
    """``max_pool1d``, and the positions of the elements it chose (int64)."""
    return aten.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices(
    input: gn.Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[gn.Tensor, gn.Tensor]:
    """``max_pool2d``, and the flat positions in their planes of the elements it chose (int64)."""
    return aten.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_with_indices(
    input: gn.Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[gn.Tensor, gn.Tensor]:
    """``max_pool3d``, and the flat positions in their volumes of the elements it chose (int64)."""
    return aten.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool(values: Any, with_indices: Callable[..., Any], spatial: int) -> Callable[..., Any]:
    """max_pool1d, 2d or 3d: ``return_indices`` decides which of two functions is meant."""

    def max_pool(
        input: gn.Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        window = (kernel_size, stride, padding, dilation, ceil_mode)
        return with_indices(input, *window) if return_indices else values(input, *window)

    max_pool.__name__ = max_pool.__qualname__ = f"max_pool{spatial}d"
    max_pool.__doc__ = f"""The largest element of each window of ([N,] C, *{spatial} dimension(s)).

    ``stride`` is ``kernel_size`` unless given.  With ``return_indices`` a pair: the values, and their int64
    positions in the planes."""
    return max_pool


max_pool1d = _max_pool(aten.max_pool1d, max_pool1d_with_indices, 1)
max_pool2d = _max_pool(aten.max_pool2d, max_pool2d_with_indices, 2)
max_pool3d = _max_pool(aten.max_pool3d, max_pool3d_with_indices, 3)


def _with_default(output_size: Any, sizes: Sequence[int]) -> Any:
    """``output_size`` with the input's size where it has None.  Raises ValueError for too many numbers."""
    if isinstance(output_size, int):
        return output_size
    if len(sizes) <= len(output_size):
        raise ValueError(
            f"Input dimension should be at least {len(output_size) + 1}, but got {len(sizes)} dimensions"
        )
    kept = sizes[-len(output_size) :]
    return [size if each is None else each for each, size in zip(output_size, kept)]


def adaptive_avg_pool2d(input: gn.Tensor, output_size: Any) -> gn.Tensor:
    """The means of ``output_size`` windows a dimension; None in it keeps the input's size."""
    return aten.adaptive_avg_pool2d(input, _with_default(output_size, input.shape))


def adaptive_avg_pool3d(input: gn.Tensor, output_size: Any) -> gn.Tensor:
    """The means of ``output_size`` windows a dimension; None in it keeps the input's size."""
    return aten.adaptive_avg_pool3d(input, _with_default(output_size, input.shape))


def adaptive_max_pool1d_with_indices(
    input: gn.Tensor, output_size: Any, return_indices: bool = False
) -> tuple[gn.Tensor, gn.Tensor]:
    """``adaptive_max_pool1d``, and the positions of the elements it chose (int64)."""
    return aten.adaptive_max_pool1d(input, output_size)


def adaptive_max_pool2d_with_indices(
    input: gn.Tensor, output_size: Any, return_indices: bool = False
) -> tuple[gn.Tensor, gn.Tensor]:
    """``adaptive_max_pool2d``, and the flat positions in their planes of the elements it chose (int64)."""
    return aten.adaptive_max_pool2d(input, _with_default(output_size, input.shape))


def adaptive_max_pool3d_with_indices(
    input: gn.Tensor, output_size: Any, return_indices: bool = False
) -> tuple[gn.Tensor, gn.Tensor]:
    """``adaptive_max_pool3d``, and the flat positions in their volumes of the elements it chose (int64)."""
    return aten.adaptive_max_pool3d(input, _with_default(output_size, input.shape))


def adaptive_max_pool1d(input: gn.Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of ``output_size`` windows; with ``return_indices`` also their positions."""
    found = adaptive_max_pool1d_with_indices(input, output_size)
    return found if return_indices else found[0]


def adaptive_max_pool2d(input: gn.Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of ``output_size`` windows a dimension (None keeps the input's size).

    With ``return_indices`` also their positions.
    """
    found = adaptive_max_pool2d_with_indices(input, output_size)
    return found if return_indices else found[0]


def adaptive_max_pool3d(input: gn.Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of ``output_size`` windows a dimension (None keeps the input's size).

    With ``return_indices`` also their positions.
    """
    found = adaptive_max_pool3d_with_indices(input, output_size)
    return found if return_indices else found[0]


def _lp_pool(spatial: int) -> Callable[..., gn.Tensor]:
    """lp_pool1d, 2d or 3d, over the average and maximum pooling of as many dimensions."""
    average = (avg_pool1d, avg_pool2d, avg_pool3d)[spatial - 1]
    maximum = (max_pool1d, max_pool2d, max_pool3d)[spatial - 1]

    def lp_pool(
        input: gn.Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> gn.Tensor:
        if norm_type == math.inf:
            return maximum(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
        if norm_type == -math.inf:
            return -maximum(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
        mean = average(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
        count = kernel_size
        if spatial > 1:
            count = kernel_size**spatial if isinstance(kernel_size, int) else math.prod(kernel_size)
        return (gn.sign(mean) * gn.relu(gn.abs(mean))).mul(count).pow(1.0 / norm_type)

    lp_pool.__name__ = lp_pool.__qualname__ = f"lp_pool{spatial}d"
    lp_pool.__doc__ = f"""The norm of each window of ([N,] C, *{spatial} dimension(s)):
    ``sum(x ** norm_type)`` to the power of 1 / norm_type, without absolute values.

    For inf and -inf the largest and the least absolute value."""
    return lp_pool


lp_pool1d, lp_pool2d, lp_pool3d = _lp_pool(1), _lp_pool(2), _lp_pool(3)
