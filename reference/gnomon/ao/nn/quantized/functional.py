"""Functions of quantized tensors.  Source: torch/ao/nn/quantized/functional.py."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from ....nn.common_types import PaddingMode
from ....quantized.products import convolution
from ....quantized.products import linear as _linear


def linear(
    input: gn.Tensor,
    weight: gn.Tensor,
    bias: gn.Tensor | None = None,
    scale: float | None = None,
    zero_point: int | None = None,
) -> gn.Tensor:
    """``input`` (*, k), quint8, times the transpose of ``weight`` (n, k), qint8, plus ``bias``, float32.

    The result is quint8 with ``scale`` and ``zero_point``, by default those of ``input``.  Raises
    RuntimeError for other dtypes and sizes.  Source: torch.ao.nn.quantized.functional.linear.
    """
    scale = input.q_scale() if scale is None else scale
    zero_point = input.q_zero_point() if zero_point is None else zero_point
    return _linear(input, weight, bias, scale, zero_point)


def _convolve(
    ndim: int, input: gn.Tensor, weight: gn.Tensor, bias: Any, geometry: Any, groups: int, options: Any
) -> gn.Tensor:
    padding_mode, scale, zero_point, dtype = options
    if padding_mode != "zeros":
        raise NotImplementedError("Only zero-padding is supported!")
    if dtype is not gn.quint8:
        raise NotImplementedError("Only gnomon.quint8 is supported for activation tensor!")
    if input.ndim != ndim + 2:
        raise ValueError(f"Input shape must be `(N, C, {', '.join(['L', 'HW'][ndim - 1])})`!")
    stride, padding, dilation = (
        (each,) * ndim if isinstance(each, int) else tuple(each) for each in geometry
    )
    return convolution(input, weight, bias, stride, padding, dilation, groups, scale, zero_point)


def conv1d(
    input: gn.Tensor,
    weight: gn.Tensor,
    bias: gn.Tensor | None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    padding_mode: PaddingMode = "zeros",
    scale: float = 1.0,
    zero_point: int = 0,
    dtype: gn.dtype = gn.quint8,
) -> gn.Tensor:
    """``input`` (N, C, L), quint8, convolved with ``weight``, qint8.  See ``conv2d``."""
    options = padding_mode, scale, zero_point, dtype
    return _convolve(1, input, weight, bias, (stride, padding, dilation), groups, options)


def conv2d(
    input: gn.Tensor,
    weight: gn.Tensor,
    bias: gn.Tensor | None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    padding_mode: PaddingMode = "zeros",
    scale: float = 1.0,
    zero_point: int = 0,
    dtype: gn.dtype = gn.quint8,
) -> gn.Tensor:
    """``input`` (N, C, H, W), quint8, convolved with ``weight``, qint8, plus ``bias``, float32.

    The result is quint8 with ``scale`` and ``zero_point``.  Raises RuntimeError, NotImplementedError or
    ValueError for other dtypes, sizes and paddings.  Source: torch.ao.nn.quantized.functional.conv2d.
    """
    options = padding_mode, scale, zero_point, dtype
    return _convolve(2, input, weight, bias, (stride, padding, dilation), groups, options)
