"""Convolutions."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from .arguments import pair


def conv2d(
    input: gn.Tensor,
    weight: gn.Tensor,
    bias: gn.Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> gn.Tensor:
    """Cross-correlation of (N, C, H, W) with weight (out, C / groups, h, w) -> (N, out, H', W').

    ``padding`` is a size, a pair, 'valid' or 'same'.
    """
    if isinstance(padding, str):
        return gn.ops.aten.conv2d.padding(input, weight, bias, pair(stride), padding, pair(dilation), groups)
    return gn.ops.aten.conv2d(input, weight, bias, pair(stride), pair(padding), pair(dilation), groups)
