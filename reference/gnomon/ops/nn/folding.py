"""im2col and col2im, pixel_shuffle and its relatives, one_hot.

Accumulation: col2im sums the elements of overlapping windows; the sum is exactly rounded in float64 and
rounded once to the dtype.  The other operators only move elements.

Source: aten/src/ATen/native/Im2Col.cpp, Col2Im.cpp, PixelShuffle.cpp, ChanelShuffle.cpp, Onehot.cpp; Shi et
al., "Real-Time Single Image and Video Super-Resolution" (2016), for pixel_shuffle.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ...calls.checks import check_batch_mode, check_length, check_non_negative, check_positive, refuse_dtype
from ...calls.native import native_function
from ...calls.record import Batching
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import exact_sum
from ...values import geometry
from ...values.device import channels_last, channels_last_3d, contiguous_format
from ...values.dtype import int64
from ...values.geometry import Ints, wrap_dim

# ---------------------------------------------------------------------------------------------------------
# im2col and col2im.


def _check_window(kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> None:
    """Raises RuntimeError for lists that are not pairs, or whose numbers are too small."""
    check_length(2, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    check_positive(kernel_size=kernel_size, dilation=dilation, stride=stride)
    check_non_negative(padding=min(padding))


def _blocks(
    sizes: Sequence[int], kernel: Sequence[int], dilation: Sequence[int], padding: Sequence[int], stride: Any
) -> Ints:
    """The number of windows that fit, vertically and horizontally.

    Raises RuntimeError if a padded size does not fit into the kernels' 64-bit integers.
    """
    for size, pad in zip(sizes, padding):
        if size + 2 * pad >= 2**63:
            raise RuntimeError(f"padding is too large: {size} elements with {pad} on either side")
    return tuple(
        (size + 2 * pad - spread * (taps - 1) - 1) // step + 1
        for size, taps, spread, pad, step in zip(sizes, kernel, dilation, padding, stride)
    )


def _im2col_rule(self: Spec, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Spec:
    _check_window(kernel_size, dilation, padding, stride)
    wrap_dim(2, self.ndim)
    check_batch_mode(3, self)
    blocks = _blocks(self.sizes[-2:], kernel_size, dilation, padding, stride)
    if min(blocks) < 1:
        raise RuntimeError(
            f"Given input with spatial size {self.sizes[-2:]}, kernel_size={tuple(kernel_size)}, dilation="
            f"{tuple(dilation)}, padding={tuple(padding)}, calculated shape of the array of sliding blocks "
            f"as {blocks}, but its components must be at least one"
        )
    refuse_dtype(self.dtype, "integer")
    columns = self.sizes[-3] * kernel_size[0] * kernel_size[1]
    return self.contiguous((*self.sizes[:-3], columns, blocks[0] * blocks[1]))


def _col2im_rule(
    self: Spec, output_size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> Spec:
    check_length(2, output_size=output_size)
    _check_window(kernel_size, dilation, padding, stride)
    check_batch_mode(2, self)
    taps = kernel_size[0] * kernel_size[1]
    if self.sizes[-2] % taps:
        raise RuntimeError(
            f"Expected size of input's dimension {self.ndim - 2} to be divisible by the product of "
            f"kernel_size, but got {self.sizes[-2]} and kernel_size={tuple(kernel_size)}."
        )
    blocks = _blocks(output_size, kernel_size, dilation, padding, stride)
    if blocks[0] * blocks[1] != self.sizes[-1] or min(blocks) < 1:
        raise RuntimeError(
            f"Given output_size={tuple(output_size)}, kernel_size={tuple(kernel_size)}, "
            f"dilation={tuple(dilation)}, padding={tuple(padding)}, stride={tuple(stride)}, expected size of "
            f"input's dimension {self.ndim - 1} to match the calculated number of sliding blocks {blocks}, "
            f"but got {self.sizes[-1]}."
        )
    if min(output_size) < 1:
        raise RuntimeError(f"Expected output spatial size to be positive, but got {list(output_size)}")
    refuse_dtype(self.dtype, "integer")
    return self.contiguous((*self.sizes[:-2], self.sizes[-2] // taps, *output_size))


def _meetings(
    channels: int,
    sizes: Sequence[int],
    kernel: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
) -> list[tuple[Ints, Ints | None]]:
    """Each (column, block) with the (channel, row, column) of its input element; None in the padding."""
    blocks = _blocks(sizes, kernel, dilation, padding, stride)
    found: list[tuple[Ints, Ints | None]] = []
    for channel, i, j in itertools.product(range(channels), range(kernel[0]), range(kernel[1])):
        column = (channel * kernel[0] + i) * kernel[1] + j
        for y, x in itertools.product(range(blocks[0]), range(blocks[1])):
            row = y * stride[0] - padding[0] + i * dilation[0]
            place = x * stride[1] - padding[1] + j * dilation[1]
            inside = 0 <= row < sizes[0] and 0 <= place < sizes[1]
            found.append(((column, y * blocks[1] + x), (channel, row, place) if inside else None))
    return found


def _images(sizes: Sequence[int], ndim: int) -> Any:
    """All indices of the dimensions before the last ``ndim``."""
    return itertools.product(*(range(size) for size in sizes[: len(sizes) - ndim]))


def _im2col_kernel(output: Tensor, self: Tensor, *window: Any) -> None:
    """Copies the elements of each window into its column; 0 in the padding."""
    out, source = TensorAccessor(output), TensorAccessor(self)
    found = _meetings(source.sizes[-3], source.sizes[-2:], *window)
    for image in _images(source.sizes, 3):
        for column, place in found:
            out[image + column] = 0 if place is None else source[image + place]


def _col2im_kernel(output: Tensor, self: Tensor, output_size: Any, *window: Any) -> None:
    """Each element is the sum of its elements in all windows."""
    out, source = TensorAccessor(output), TensorAccessor(self)
    columns: dict[Ints, list[Ints]] = {}
    for column, place in _meetings(out.sizes[-3], output_size, *window):
        if place is not None:
            columns.setdefault(place, []).append(column)
    for image in _images(out.sizes, 3):
        for place in itertools.product(*map(range, out.sizes[-3:])):
            out[image + place] = exact_sum([source[image + column] for column in columns.get(place, [])])


_WINDOW = "int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride"

native_function(
    f"im2col(Tensor self, {_WINDOW}) -> Tensor",
    python_module="nn",
    meta=_im2col_rule,
    kernel=_im2col_kernel,
    derivatives={
        "self": lambda grad, self_sizes, kernel_size, dilation, padding, stride: aten.col2im.default(
            grad, self_sizes[-2:], kernel_size, dilation, padding, stride
        )
    },
    node_name="Im2ColBackward0",
    batching=Batching("folded", 4),
    out="out",
    doc="""Returns the windows of ([N,] C, H, W), padded with zeros, as columns: ([N,] C * kernel height *
    kernel width, number of windows).

    Raises IndexError or RuntimeError for other numbers of dimensions, RuntimeError if no window fits,
    NotImplementedError for integer dtypes.""",
)

native_function(
    f"col2im(Tensor self, SymInt[2] output_size, {_WINDOW}) -> Tensor",
    python_module="nn",
    meta=_col2im_rule,
    kernel=_col2im_kernel,
    derivatives={
        "self": lambda grad, kernel_size, dilation, padding, stride: aten.im2col.default(
            grad, kernel_size, dilation, padding, stride
        )
    },
    node_name="Col2ImBackward0",
    batching=Batching("folded", 3),
    out="out",
    doc="""Combines columns ([N,] C * kernel height * kernel width, number of windows) into ([N,] C, H, W) of
    ``output_size``: the inverse of im2col, except that overlapping windows are summed.

    Raises RuntimeError for other numbers of dimensions and for columns that do not match the windows,
    NotImplementedError for integer dtypes.""",
)


# ---------------------------------------------------------------------------------------------------------
# Shuffles.


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


# ---------------------------------------------------------------------------------------------------------
# One-hot vectors.


def _one_hot(self: Any, num_classes: int) -> Any:
    if self.dtype is not int64:
        raise RuntimeError(
            f"one_hot is only applicable to index tensor of type int64, but got {self.dtype.name}"
        )
    if not self.numel():
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return self.new_zeros((*self.shape, num_classes))
    if not self.is_meta:
        if self.min().item() < 0:
            raise RuntimeError("Class values must be non-negative.")
        largest = self.max().item()
        if num_classes == -1:
            num_classes = largest + 1
        elif num_classes <= largest:
            raise RuntimeError("Class values must be smaller than num_classes.")
    elif num_classes < 1:
        raise RuntimeError("the number of classes must be given where there are no numbers to infer it from")
    classes = aten.arange(num_classes, device=self.device)
    return (self.contiguous().unsqueeze(-1) == classes).to(int64)


native_function(
    "one_hot(Tensor self, int num_classes=-1) -> Tensor",
    python_module="nn",
    composite=_one_hot,
    doc="""Returns a tensor (*, num_classes) with 1 at the index given by each element of ``self`` (*), int64,
    and 0 elsewhere.

    If ``num_classes`` is -1, it is the largest class plus 1.  Raises RuntimeError for other dtypes and for
    classes out of range.""",
)
