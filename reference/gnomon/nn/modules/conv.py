"""Convolutions and transposed convolutions over one, two or three dimensions.

``kernel_size``, ``stride``, ``padding``, ``dilation`` and ``output_padding`` are one number, or one for each
spatial dimension.

Source: torch/nn/modules/conv.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from .. import functional, init
from ..common_types import ConvolutionPadding, PaddingMode, Sizes
from ..parameter import Parameter, UninitializedParameter
from .lazy import LazyModuleMixin
from .module import Module
from .utils import _ntuple, _reverse_repeat_tuple

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """What all convolutions share; ``_spatial`` is the number of spatial dimensions."""

    _spatial: int

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: ConvolutionPadding | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: PaddingMode,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
            if padding == "same" and any(each != 1 for each in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _PADDING_MODES:
            known = ", ".join(map(repr, _PADDING_MODES))
            raise ValueError(
                f"padding_mode must be one of {{{known}}}, but got padding_mode='{padding_mode}'"
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding: Any = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._pads()
        ends = (in_channels, out_channels // groups) if transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(gn.empty((*ends, *kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(gn.empty((out_channels,), device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _pads(self) -> Sequence[int]:
        """The padding as ``functional.pad`` takes it: last dimension first, before and after."""
        if not isinstance(self.padding, str):
            return _reverse_repeat_tuple(self.padding, 2)
        pads = []
        for dilation, size in zip(reversed(self.dilation), reversed(self.kernel_size)):
            total = dilation * (size - 1) if self.padding == "same" else 0
            pads += [total // 2, total - total // 2]
        return pads

    def reset_parameters(self) -> None:
        """Reinitializes weight and bias with random numbers."""
        init.linear_like_(self.weight, self.bias)

    def extra_repr(self) -> str:
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        )
        if self.padding != (0,) * len(self.padding):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * len(self.dilation):
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * len(self.output_padding):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("padding_mode", "zeros")


class _Conv(_ConvNd):
    """A convolution that is not transposed."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: ConvolutionPadding | Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: PaddingMode = "zeros",
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        spread = _ntuple(self._spatial)
        super().__init__(
            in_channels,
            out_channels,
            spread(kernel_size),
            spread(stride),
            padding if isinstance(padding, str) else spread(padding),
            spread(dilation),
            False,
            spread(0),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] in_channels, *spatial) -> ([N,] out_channels, *new sizes)."""
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: gn.Tensor, weight: gn.Tensor, bias: gn.Tensor | None) -> gn.Tensor:
        """The convolution with a given weight and bias."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input = functional.pad(input, self._reversed_padding_repeated_twice, self.padding_mode)
            padding = (0,) * self._spatial
        convolution = (functional.conv1d, functional.conv2d, functional.conv3d)[self._spatial - 1]
        return convolution(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_Conv):
    """Cross-correlation of ([N,] in_channels, L) with ``weight``, plus ``bias``: ([N,] out_channels, L').

    ``weight`` is (out_channels, in_channels / groups, *kernel_size).  ``padding`` is a number for each
    dimension, 'valid' (none) or 'same' (the same sizes; stride 1 only).  ``padding_mode`` is 'zeros',
    'reflect', 'replicate' or 'circular'.  Raises ValueError for numbers of channels that ``groups`` does not
    divide, and for an unknown padding.  Source: torch.nn.Conv1d.
    """

    _spatial = 1


class Conv2d(_Conv):
    """The same as Conv1d for ([N,] in_channels, H, W).  Source: torch.nn.Conv2d."""

    _spatial = 2


class Conv3d(_Conv):
    """The same as Conv1d for ([N,] in_channels, D, H, W).  Source: torch.nn.Conv3d."""

    _spatial = 3


class _ConvTransposeNd(_ConvNd):
    """A transposed convolution."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: PaddingMode = "zeros",
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        spread = _ntuple(self._spatial)
        super().__init__(
            in_channels,
            out_channels,
            spread(kernel_size),
            spread(stride),
            spread(padding),
            spread(dilation),
            True,
            spread(output_padding),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: gn.Tensor, output_size: Sequence[int] | None = None) -> gn.Tensor:
        """([N,] in_channels, *spatial) -> ([N,] out_channels, *sizes), which are ``output_size`` if given.

        Raises ValueError for an ``output_size`` that is not possible.
        """
        if self.padding_mode != "zeros":
            raise ValueError(f"Only `zeros` padding mode is supported for {type(self).__name__}")
        convolutions = (
            functional.conv_transpose1d,
            functional.conv_transpose2d,
            functional.conv_transpose3d,
        )
        return convolutions[self._spatial - 1](
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self._output_padding(input, output_size),
            self.groups,
            self.dilation,
        )

    def _output_padding(self, input: gn.Tensor, output_size: Sequence[int] | None) -> Sequence[int]:
        """What is added to the smallest possible sizes of the output."""
        if output_size is None:
            return self.output_padding
        spatial = self._spatial
        has_batch = input.dim() == spatial + 2
        others = 2 if has_batch else 1
        if len(output_size) == others + spatial:
            output_size = output_size[others:]
        if len(output_size) != spatial:
            raise ValueError(
                f"ConvTranspose{spatial}D: for {input.dim()}D input, output_size must have {spatial} or "
                f"{others + spatial} elements (got {len(output_size)})"
            )
        numbers = zip(input.shape[others:], self.stride, self.padding, self.dilation, self.kernel_size)
        least = [
            (size - 1) * stride - 2 * padding + dilation * (window - 1) + 1
            for size, stride, padding, dilation, window in numbers
        ]
        most = [size + stride - 1 for size, stride in zip(least, self.stride)]
        if not all(low <= size <= high for low, size, high in zip(least, output_size, most)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {least} to {most} "
                f"(for an input of {input.shape[2:]})"
            )
        return [size - low for size, low in zip(output_size, least)]


class ConvTranspose1d(_ConvTransposeNd):
    """The transposed convolution of ([N,] in_channels, L), plus ``bias``: ([N,] out_channels, L').

    It is the gradient of Conv1d with respect to its input.  ``weight`` is (in_channels, out_channels /
    groups, *kernel_size).  ``output_padding`` is added to one side of the output's sizes.  Raises ValueError
    for numbers of channels that ``groups`` does not divide, and for a ``padding_mode`` other than 'zeros'.
    Source: torch.nn.ConvTranspose1d.
    """

    _spatial = 1


class ConvTranspose2d(_ConvTransposeNd):
    """The same as ConvTranspose1d for ([N,] in_channels, H, W).  Source: torch.nn.ConvTranspose2d."""

    _spatial = 2


class ConvTranspose3d(_ConvTransposeNd):
    """The same as ConvTranspose1d for ([N,] in_channels, D, H, W).  Source: torch.nn.ConvTranspose3d."""

    _spatial = 3


class _LazyConvXdMixin(LazyModuleMixin, _ConvNd):
    """A convolution whose ``in_channels`` is the number of channels of the first input."""

    weight: UninitializedParameter
    bias: UninitializedParameter | None  # type: ignore[assignment]

    def _make_lazy(
        self, out_channels: int, bias: bool, device: gn.device | str | int | None, dtype: gn.dtype | None
    ) -> None:
        """Replaces the parameters, which have no elements, by uninitialized ones."""
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Reinitializes weight and bias with random numbers, if they are initialized."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: gn.Tensor, *args: Any, **kwargs: Any) -> None:
        """Materializes weight and bias for an input ([N,] in_channels, *spatial)."""
        if not self.has_uninitialized_params():
            return
        unbatched = self._spatial + 1
        if input.dim() not in (unbatched, unbatched + 1):
            raise RuntimeError(
                f"Expected {unbatched}D (unbatched) or {unbatched + 1}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        self.in_channels = input.shape[-unbatched]
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        ends = [self.out_channels, self.in_channels]
        if self.transposed:
            ends.reverse()
        self.weight.materialize((ends[0], ends[1] // self.groups, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


class _LazyConv(_LazyConvXdMixin, _Conv):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: ConvolutionPadding | Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: PaddingMode = "zeros",
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__(
            0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype
        )
        self._make_lazy(out_channels, bias, device, dtype)


class _LazyConvTranspose(_LazyConvXdMixin, _ConvTransposeNd):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: PaddingMode = "zeros",
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        window = (kernel_size, stride, padding, output_padding)
        super().__init__(0, 0, *window, groups, False, dilation, padding_mode, device, dtype)
        self._make_lazy(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """A Conv1d whose ``in_channels`` is that of the first input.  Source: torch.nn.LazyConv1d."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """A Conv2d whose ``in_channels`` is that of the first input.  Source: torch.nn.LazyConv2d."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """A Conv3d whose ``in_channels`` is that of the first input.  Source: torch.nn.LazyConv3d."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """A ConvTranspose1d whose ``in_channels`` is that of the first input.

    Source: torch.nn.LazyConvTranspose1d.
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """A ConvTranspose2d whose ``in_channels`` is that of the first input.

    Source: torch.nn.LazyConvTranspose2d.
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """A ConvTranspose3d whose ``in_channels`` is that of the first input.

    Source: torch.nn.LazyConvTranspose3d.
    """

    cls_to_become = ConvTranspose3d
