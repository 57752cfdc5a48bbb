"""Pooling."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from .arguments import pair


def max_pool2d(
    input: gn.Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window: (N, C, H, W) -> (N, C, H', W').

    ``stride`` is ``kernel_size`` unless given.  With ``return_indices`` a pair: the values, and int64
    positions within each H x W plane.
    """
    kernel_size = pair(kernel_size)
    stride = kernel_size if stride is None else pair(stride)
    operator = gn.ops.aten.max_pool2d_with_indices if return_indices else gn.ops.aten.max_pool2d
    return operator(input, kernel_size, stride, pair(padding), pair(dilation), ceil_mode)
