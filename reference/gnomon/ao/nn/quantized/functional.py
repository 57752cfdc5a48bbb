"""Functions of quantized tensors.  Source: torch/ao/nn/quantized/functional.py."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from ....nn import functional as _float
from ....nn.common_types import PaddingMode
from ....quantized import functions
from ....quantized.products import convolution
from ....quantized.products import linear as _linear
from ....values.errors import warn


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
        raise ValueError(f"Input shape must be `(N, C, {', '.join(['L', 'HW', 'DHW'][ndim - 1])})`!")
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


def conv3d(
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
    """``input`` (N, C, D, H, W), quint8, convolved with ``weight``, qint8.  See ``conv2d``."""
    options = padding_mode, scale, zero_point, dtype
    return _convolve(3, input, weight, bias, (stride, padding, dilation), groups, options)


# -- functions that are those of nn.functional, but refuse tensors that are not quantized --------------------


def _check(name: str, input: gn.Tensor) -> None:
    """Raises ValueError, as PyTorch does, for a tensor that is not quantized."""
    if not input.is_quantized:
        raise ValueError(f"Input to 'quantized.{name}' must be quantized!")


def avg_pool2d(
    input: gn.Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> gn.Tensor:
    """``nn.functional.avg_pool2d``.  Raises ValueError for a tensor that is not quantized."""
    _check("avg_pool2d", input)
    options = ceil_mode, count_include_pad, divisor_override
    return _float.avg_pool2d(input, kernel_size, stride, padding, *options)


def avg_pool3d(
    input: gn.Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> gn.Tensor:
    """``nn.functional.avg_pool3d``.  Raises ValueError for a tensor that is not quantized."""
    _check("avg_pool3d", input)
    options = ceil_mode, count_include_pad, divisor_override
    return _float.avg_pool3d(input, kernel_size, stride, padding, *options)


def adaptive_avg_pool2d(input: gn.Tensor, output_size: Any) -> gn.Tensor:
    """``nn.functional.adaptive_avg_pool2d``.  Raises ValueError for a tensor that is not quantized."""
    _check("functional.adaptive_avg_pool2d", input)
    return _float.adaptive_avg_pool2d(input, output_size)


def adaptive_avg_pool3d(input: gn.Tensor, output_size: Any) -> gn.Tensor:
    """``nn.functional.adaptive_avg_pool3d``.  Raises ValueError for a tensor that is not quantized."""
    _check("functional.adaptive_avg_pool3d", input)
    return _float.adaptive_avg_pool3d(input, output_size)


def max_pool1d(
    input: gn.Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> gn.Tensor:
    """``nn.functional.max_pool1d``.  Raises NotImplementedError for ``return_indices``."""
    if return_indices:
        raise NotImplementedError("return_indices is not yet implemented!")
    return _float.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(
    input: gn.Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> gn.Tensor:
    """``nn.functional.max_pool2d``.  Raises NotImplementedError for ``return_indices``."""
    if return_indices:
        raise NotImplementedError("return_indices is not yet implemented!")
    return _float.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


def interpolate(
    input: gn.Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: Any = "nearest",
    align_corners: bool | None = None,
) -> gn.Tensor:
    """``nn.functional.interpolate`` with the modes nearest, nearest-exact and bilinear.

    Raises ValueError for a tensor that is not quantized, NotImplementedError for other modes.
    """
    _check("interpolate", input)
    return _float.interpolate(input, size, scale_factor, mode, align_corners)


def _deprecated(name: str) -> None:
    warn(f"nn.quantized.functional.{name} is deprecated. Use nn.quantized.functional.interpolate instead.")


def upsample(
    input: gn.Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: Any = "nearest",
    align_corners: bool | None = None,
) -> gn.Tensor:
    """``interpolate``, with a warning that this name is deprecated."""
    _deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_bilinear(input: gn.Tensor, size: Any = None, scale_factor: Any = None) -> gn.Tensor:
    """``interpolate`` with mode bilinear and align_corners, with a warning that this name is deprecated."""
    _deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, "bilinear", True)


def upsample_nearest(input: gn.Tensor, size: Any = None, scale_factor: Any = None) -> gn.Tensor:
    """``interpolate`` with mode nearest, with a warning that this name is deprecated."""
    _deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor)


def hardtanh(
    input: gn.Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> gn.Tensor:
    """``nn.functional.hardtanh``.  Raises ValueError for a tensor that is not quantized."""
    _check("hardtanh", input)
    return _float.hardtanh(input, min_val, max_val, inplace)


def hardsigmoid(input: gn.Tensor, inplace: bool = False) -> gn.Tensor:
    """``nn.functional.hardsigmoid``.  Raises ValueError for a tensor that is not quantized."""
    _check("hardsigmoid", input)
    return _float.hardsigmoid(input, inplace)


def clamp(input: gn.Tensor, min_: float, max_: float) -> gn.Tensor:
    """``gnomon.clamp``.  Raises ValueError for a tensor that is not quantized."""
    _check("clamp", input)
    return gn.clamp(input, min_, max_)


def threshold(input: gn.Tensor, threshold: float, value: float) -> gn.Tensor:
    """``value`` for numbers that are not above ``threshold``.  Raises ValueError for a tensor that is not
    quantized, and for None.
    """
    _check("threshold", input)
    if threshold is None:
        raise ValueError("Input to 'threshold' must be specified!")
    if value is None:
        raise ValueError("Input to 'value' must be specified!")
    return functions.threshold(input, threshold, value)


def leaky_relu(
    input: gn.Tensor,
    negative_slope: float = 0.01,
    inplace: bool = False,
    scale: float | None = None,
    zero_point: int | None = None,
) -> gn.Tensor:
    """Negative numbers times ``negative_slope``, with ``scale`` and ``zero_point`` if both are given.

    Raises AssertionError for these with ``inplace``.
    """
    if scale is None or zero_point is None:
        return _float.leaky_relu(input, negative_slope, inplace)
    if inplace:
        raise AssertionError("Cannot rescale with `inplace`")
    return functions.leaky_relu(input, negative_slope, False, scale, int(zero_point))


def hardswish(input: gn.Tensor, scale: float, zero_point: int) -> gn.Tensor:
    """``nn.functional.hardswish``, with ``scale`` and ``zero_point``.  Raises ValueError for a tensor that is
    not quantized.
    """
    _check("hardswish", input)
    return functions.hardswish(input, scale, zero_point)


def elu(input: gn.Tensor, scale: float, zero_point: int, alpha: float = 1.0) -> gn.Tensor:
    """``nn.functional.elu``, with ``scale`` and ``zero_point``.  Raises ValueError for a tensor that is not
    quantized.
    """
    _check("elu", input)
    return functions.elu(input, scale, zero_point, alpha)


def celu(input: gn.Tensor, scale: float, zero_point: int, alpha: float = 1.0) -> gn.Tensor:
    """``nn.functional.celu``, with ``scale`` and ``zero_point``.  Raises ValueError for a tensor that is not
    quantized.
    """
    _check("celu", input)
    return functions.celu(input, scale, zero_point, alpha)
