"""Pooling: each module calls the function of the same name in ``functional``.

``kernel_size``, ``stride``, ``padding`` and ``dilation`` are one number, or one for each spatial dimension;
the default ``stride`` is ``kernel_size``.  ``ceil_mode`` adds a window that reaches beyond the end.

Source: torch/nn/modules/pooling.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gnomon as gn

from .. import functional
from ..common_types import OptionalSizes, Ratios, Sizes
from .module import Module
from .utils import _pair, _single, _triple


class _MaxPoolNd(Module):
    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _window(self) -> tuple[Any, ...]:
        window = (self.kernel_size, self.stride, self.padding, self.dilation)
        return (*window, self.ceil_mode, self.return_indices)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The largest element of each window of ([N,] C, L); with ``return_indices``, also its index.

    Source: torch.nn.MaxPool1d.
    """

    def forward(self, input: gn.Tensor) -> Any:
        """([N,] C, L) -> ([N,] C, L'), or with ``return_indices`` a pair of such tensors."""
        return functional.max_pool1d(input, *self._window())


class MaxPool2d(_MaxPoolNd):
    """The largest element of each window of ([N,] C, H, W).

    With ``return_indices``, also returns its index within the H x W plane.  Source: torch.nn.MaxPool2d.
    """

    def forward(self, input: gn.Tensor) -> Any:
        """([N,] C, H, W) -> ([N,] C, H', W'), or with ``return_indices`` a pair of such tensors."""
        return functional.max_pool2d(input, *self._window())


class MaxPool3d(_MaxPoolNd):
    """The largest element of each window of ([N,] C, D, H, W).

    With ``return_indices``, also returns its index within the volume.  Source: torch.nn.MaxPool3d.
    """

    def forward(self, input: gn.Tensor) -> Any:
        """([N,] C, D, H, W) -> ([N,] C, D', H', W'), or with ``return_indices`` a pair of such tensors."""
        return functional.max_pool3d(input, *self._window())


class _MaxUnpoolNd(Module):
    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Puts the maxima of MaxPool1d, with their indices, back to where they were; 0 elsewhere.

    Source: torch.nn.MaxUnpool1d.
    """

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = self.kernel_size if stride is None else _single(stride)
        self.padding = _single(padding)

    def forward(
        self, input: gn.Tensor, indices: gn.Tensor, output_size: Sequence[int] | None = None
    ) -> gn.Tensor:
        """([N,] C, L) and indices of that shape -> ([N,] C, L')."""
        return functional.max_unpool1d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class MaxUnpool2d(_MaxUnpoolNd):
    """Puts the maxima of MaxPool2d, with their indices, back to where they were; 0 elsewhere.

    Source: torch.nn.MaxUnpool2d.
    """

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        super().__init__()
        self.kernel_size = _pair(kernel_size)
        self.stride = self.kernel_size if stride is None else _pair(stride)
        self.padding = _pair(padding)

    def forward(
        self, input: gn.Tensor, indices: gn.Tensor, output_size: Sequence[int] | None = None
    ) -> gn.Tensor:
        """([N,] C, H, W) and indices of that shape -> ([N,] C, H', W')."""
        return functional.max_unpool2d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class MaxUnpool3d(_MaxUnpoolNd):
    """Puts the maxima of MaxPool3d, with their indices, back to where they were; 0 elsewhere.

    Source: torch.nn.MaxUnpool3d.
    """

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        super().__init__()
        self.kernel_size = _triple(kernel_size)
        self.stride = self.kernel_size if stride is None else _triple(stride)
        self.padding = _triple(padding)

    def forward(
        self, input: gn.Tensor, indices: gn.Tensor, output_size: Sequence[int] | None = None
    ) -> gn.Tensor:
        """([N,] C, D, H, W) and indices of that shape -> ([N,] C, D', H', W')."""
        return functional.max_unpool3d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class _FractionalMaxPoolNd(Module):
    def __init__(
        self,
        listed: Callable[[Any], Any],
        kernel_size: Sizes,
        output_size: Sizes | None,
        output_ratio: Ratios | None,
        return_indices: bool,
        _random_samples: gn.Tensor | None,
    ) -> None:
        super().__init__()
        self.kernel_size = listed(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else listed(output_size)
        self.output_ratio = None if output_ratio is None else listed(output_ratio)
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"{type(self).__name__} requires specifying either an output size, or a pooling ratio"
            )
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def _arguments(self) -> tuple[Any, ...]:
        sizes = (self.kernel_size, self.output_size, self.output_ratio)
        return (*sizes, self.return_indices, self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The maxima of windows of ([N,] C, H, W) at places that are drawn.

    With ``return_indices``, also returns their indices.  The result's sizes are ``output_size``, or
    ``output_ratio`` of the input's.  Raises ValueError unless one of both is given.  Source:
    torch.nn.FractionalMaxPool2d; arXiv:1412.6071.
    """

    def __init__(
        self,
        kernel_size: Sizes,
        output_size: Sizes | None = None,
        output_ratio: Ratios | None = None,
        return_indices: bool = False,
        _random_samples: gn.Tensor | None = None,
    ) -> None:
        super().__init__(_pair, kernel_size, output_size, output_ratio, return_indices, _random_samples)

    def forward(self, input: gn.Tensor) -> Any:
        """([N,] C, H, W) -> ([N,] C, H', W'), or with ``return_indices`` a pair of such tensors."""
        return functional.fractional_max_pool2d(input, *self._arguments())


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """Like FractionalMaxPool2d, of ([N,] C, T, H, W).  Source: torch.nn.FractionalMaxPool3d."""

    def __init__(
        self,
        kernel_size: Sizes,
        output_size: Sizes | None = None,
        output_ratio: Ratios | None = None,
        return_indices: bool = False,
        _random_samples: gn.Tensor | None = None,
    ) -> None:
        super().__init__(_triple, kernel_size, output_size, output_ratio, return_indices, _random_samples)

    def forward(self, input: gn.Tensor) -> Any:
        """([N,] C, T, H, W) -> ([N,] C, T', H', W'), or with ``return_indices`` a pair of such tensors."""
        return functional.fractional_max_pool3d(input, *self._arguments())


class _AvgPoolNd(Module):
    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of ([N,] C, L), with or without the padding (``count_include_pad``).

    Source: torch.nn.AvgPool1d.
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(kernel_size if stride is None else stride)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C, L) -> ([N,] C, L')."""
        return functional.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class _AvgPoolWithDivisor(_AvgPoolNd):
    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def _window(self) -> tuple[Any, ...]:
        window = (self.kernel_size, self.stride, self.padding, self.ceil_mode)
        return (*window, self.count_include_pad, self.divisor_override)


class AvgPool2d(_AvgPoolWithDivisor):
    """The mean of each window of ([N,] C, H, W), with or without the padding (``count_include_pad``).

    ``divisor_override`` divides the sums instead of the number of elements.  Source: torch.nn.AvgPool2d.
    """

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C, H, W) -> ([N,] C, H', W')."""
        return functional.avg_pool2d(input, *self._window())


class AvgPool3d(_AvgPoolWithDivisor):
    """The mean of each window of ([N,] C, D, H, W), with or without the padding (``count_include_pad``).

    ``divisor_override`` divides the sums instead of the number of elements.  Source: torch.nn.AvgPool3d.
    """

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C, D, H, W) -> ([N,] C, D', H', W')."""
        return functional.avg_pool3d(input, *self._window())


class _LPPoolNd(Module):
    def __init__(
        self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def _window(self) -> tuple[Any, ...]:
        return float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """The ``norm_type``-norm of each window of ([N,] C, L), without absolute values.

    Source: torch.nn.LPPool1d.
    """

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C, L) -> ([N,] C, L')."""
        return functional.lp_pool1d(input, *self._window())


class LPPool2d(_LPPoolNd):
    """The same as LPPool1d for ([N,] C, H, W).  Source: torch.nn.LPPool2d."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C, H, W) -> ([N,] C, H', W')."""
        return functional.lp_pool2d(input, *self._window())


class LPPool3d(_LPPoolNd):
    """The same as LPPool1d for ([N,] C, D, H, W).  Source: torch.nn.LPPool3d."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C, D, H, W) -> ([N,] C, D', H', W')."""
        return functional.lp_pool3d(input, *self._window())


class _AdaptiveMaxPoolNd(Module):
    def __init__(self, output_size: OptionalSizes, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The maximum of each of ``output_size`` windows of ([N,] C, L); with ``return_indices``, also its index.

    Source: torch.nn.AdaptiveMaxPool1d.
    """

    def forward(self, input: gn.Tensor) -> Any:
        """([N,] C, L) -> ([N,] C, output_size), or with ``return_indices`` a pair of such tensors."""
        return functional.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The same as AdaptiveMaxPool1d for ([N,] C, H, W); None keeps a size.

    Source: torch.nn.AdaptiveMaxPool2d.
    """

    def forward(self, input: gn.Tensor) -> Any:
        """([N,] C, H, W) -> ([N,] C, *output_size), or with ``return_indices`` a pair of such tensors."""
        return functional.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The same as AdaptiveMaxPool1d for ([N,] C, D, H, W); None keeps a size.

    Source: torch.nn.AdaptiveMaxPool3d.
    """

    def forward(self, input: gn.Tensor) -> Any:
        """([N,] C, D, H, W) -> ([N,] C, *output_size), or with ``return_indices`` a pair of such tensors."""
        return functional.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class _AdaptiveAvgPoolNd(Module):
    def __init__(self, output_size: OptionalSizes) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The mean of each of ``output_size`` windows of ([N,] C, L).  Source: torch.nn.AdaptiveAvgPool1d."""

    output_size: Sizes

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C, L) -> ([N,] C, output_size)."""
        return functional.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The same as AdaptiveAvgPool1d for ([N,] C, H, W); None keeps a size.

    Source: torch.nn.AdaptiveAvgPool2d.
    """

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C, H, W) -> ([N,] C, *output_size)."""
        return functional.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The same as AdaptiveAvgPool1d for ([N,] C, D, H, W); None keeps a size.

    Source: torch.nn.AdaptiveAvgPool3d.
    """

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C, D, H, W) -> ([N,] C, *output_size)."""
        return functional.adaptive_avg_pool3d(input, self.output_size)
