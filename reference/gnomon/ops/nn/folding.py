"""im2col and col2im: the windows of an image as columns (``unfold``), and their sums (``fold``).

Accumulation: col2im sums the elements of overlapping windows; the sum is exactly rounded in float64 and
rounded once to the dtype.  im2col only moves elements.

Source: aten/src/ATen/native/Im2Col.cpp, Col2Im.cpp.
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


def _im2col_meta(self: Spec, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Spec:
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


def _col2im_meta(
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
    meta=_im2col_meta,
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
    meta=_col2im_meta,
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
