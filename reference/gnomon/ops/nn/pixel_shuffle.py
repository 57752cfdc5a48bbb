"""pixel_shuffle, pixel_unshuffle and channel_shuffle, which only move elements.

Source: aten/src/ATen/native/PixelShuffle.cpp, ChanelShuffle.cpp; Shi et al., "Real-Time Single Image and
Video Super-Resolution" (2016).
"""

from __future__ import annotations

from typing import Any

from ...calls.checks import refuse_limited
from ...calls.native import native_function
from ...calls.record import Batching
from ...dispatch.dispatcher import aten
from ...values import geometry
from ...values.device import channels_last, channels_last_3d, contiguous_format


def _copied(result: Any, input: Any) -> Any:
    """A copy of ``result``: channels last if ``input`` is, else contiguous."""
    spec = input._spec
    order = contiguous_format
    if geometry.lies_channels_last(spec.sizes, spec.strides):
        order = channels_last if result.ndim == 4 else channels_last_3d
    return aten.clone.default(result, order)


def _check_pixels(name: str, self: Any, factor: int) -> None:
    """Raises RuntimeError for fewer than three dimensions, and for a factor that is not positive."""
    if self.ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {self.ndim} dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive factor, but got {factor}")


def _pixel_shuffle(self: Any, upscale_factor: int) -> Any:
    _check_pixels("pixel_shuffle", self, upscale_factor)
    refuse_limited(self.dtype)
    *outer, channels, height, width = self.shape
    r = upscale_factor
    if r * r >= 2**63:
        raise ValueError(f"upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor={r}")
    if channels % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
            f"upscale_factor, but input.size(-3)={channels} is not divisible by {r * r}"
        )
    n = len(outer)
    split = self.reshape((*outer, channels // (r * r), r, r, height, width))
    moved = split.permute((*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return _copied(moved.reshape((*outer, channels // (r * r), height * r, width * r)), self)


def _pixel_unshuffle(self: Any, downscale_factor: int) -> Any:
    _check_pixels("pixel_unshuffle", self, downscale_factor)
    refuse_limited(self.dtype)
    *outer, channels, height, width = self.shape
    r = downscale_factor
    for name, size, dim in (("height", height, -2), ("width", width, -1)):
        if size % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                f"input.size({dim})={size} is not divisible by {r}"
            )
    n = len(outer)
    split = self.reshape((*outer, channels, height // r, r, width // r, r))
    moved = split.permute((*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return _copied(moved.reshape((*outer, channels * r * r, height // r, width // r)), self)


def _channel_shuffle(self: Any, groups: int) -> Any:
    refuse_limited(self.dtype)
    if self.ndim <= 2:
        raise RuntimeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(self.shape)}"
        )
    if groups <= 0:
        raise RuntimeError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )
    images, channels, *spatial = self.shape
    if channels % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )
    split = self.reshape((images, groups, channels // groups, *spatial))
    return _copied(split.transpose(1, 2).reshape(self.shape), self)


native_function(
    "pixel_shuffle(Tensor self, int upscale_factor) -> Tensor",
    explicit=_pixel_shuffle,
    variants="function",
    derivatives={"self": lambda grad, upscale_factor: aten.pixel_unshuffle.default(grad, upscale_factor)},
    batching=Batching("leading", 3),
    doc="""Rearranges (*, C * r * r, H, W) to (*, C, H * r, W * r), where r is ``upscale_factor``.

    The result has the dtype of ``self``.  Raises RuntimeError if the number of channels is not a multiple of
    r * r.""",
)

native_function(
    "pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor",
    explicit=_pixel_unshuffle,
    variants="function",
    derivatives={"self": lambda grad, downscale_factor: aten.pixel_shuffle.default(grad, downscale_factor)},
    batching=Batching("leading", 3),
    doc="""Rearranges (*, C, H * r, W * r) to (*, C * r * r, H, W), where r is ``downscale_factor``.

    The result has the dtype of ``self``.  Raises RuntimeError if the height or width is not a multiple of
    r.""",
)

native_function(
    "channel_shuffle(Tensor self, SymInt groups) -> Tensor",
    explicit=_channel_shuffle,
    variants="function",
    derivatives={
        "self": lambda grad, self_sizes, groups: aten.channel_shuffle.default(grad, self_sizes[1] // groups)
    },
    batching="composed",
    doc="""Divides the channels of (N, C, *) into ``groups`` groups and interleaves them.

    The result has the sizes and dtype of ``self``.  Raises RuntimeError if ``groups`` does not divide the
    number of channels.""",
)

native_function(
    "native_channel_shuffle(Tensor self, SymInt groups) -> Tensor",
    composite=_channel_shuffle,
    variants="function",
    doc="Equivalent to channel_shuffle: interleaves ``groups`` groups of the channels of (N, C, *).",
)
