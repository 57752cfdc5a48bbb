"""NumPy arrays of what is logged: tensors, grids of images, the frames of videos, figures.

Source: torch/utils/tensorboard/_convert_np.py, torch/utils/tensorboard/_utils.py.
"""

from __future__ import annotations

import math
from typing import Any

from ...memory.tensor import Tensor
from ...values import dtype as dtypes
from ...values.errors import type_name


def as_array(value: Any) -> Any:
    """A tensor or a number as an array; a number has one dimension.

    Raises NotImplementedError for any other object.
    """
    import numpy

    if isinstance(value, numpy.ndarray):
        return value
    if isinstance(value, Tensor):
        tensor = value.detach()
        return (tensor.to(dtypes.float32) if tensor.dtype is dtypes.bfloat16 else tensor).numpy(force=True)
    if isinstance(value, (list, tuple)) or not numpy.isscalar(value):
        raise NotImplementedError(f"Got {type_name(value)}, but numpy array or gnomon tensor are expected.")
    return numpy.array([value])


def to_grid(images: Any, columns: int = 8) -> Any:
    """Images (n, 1 or 3, h, w) in rows, as one (3, rows * h, columns * w); what is left is 0.

    Raises AssertionError for other sizes.
    """
    import numpy

    if images.ndim != 4 or images.shape[1] not in (1, 3):
        raise AssertionError("Input should be a 4D numpy array with 3 channels")
    count, _, height, width = images.shape
    columns = min(count, columns)
    rows = math.ceil(count / columns)
    cells = numpy.zeros((rows * columns, 3, height, width), images.dtype)
    cells[:count] = images  # one channel is copied to all three
    grid = cells.reshape(rows, columns, 3, height, width).transpose(2, 0, 3, 1, 4)
    return grid.reshape(3, rows * height, columns * width)


def to_height_width_channels(array: Any, dataformats: str) -> Any:
    """An image whose dimensions are called as in ``dataformats``, such as "CHW", as (h, w, c).

    Four dimensions are a grid of images; one channel, or none, becomes three.  Raises AssertionError for
    other dimensions.
    """
    import numpy

    if len(set(dataformats)) != len(dataformats):
        raise AssertionError(
            f"You can not use the same dimension shorthand twice. input_format: {dataformats}"
        )
    if array.ndim != len(dataformats):
        raise AssertionError(
            f"size of input tensor and input format are different. tensor shape: {array.shape}, "
            f"input_format: {dataformats}"
        )
    order = {4: "NCHW", 3: "HWC", 2: "HW"}[array.ndim]
    array = array.transpose([dataformats.upper().index(each) for each in order])
    if array.ndim == 4:
        return to_grid(array).transpose(1, 2, 0)
    if array.ndim == 2:
        array = array[:, :, None]
    return numpy.repeat(array, 3, 2) if array.shape[2] == 1 else array


def to_video_frames(videos: Any) -> Any:
    """Videos (n, t, c, h, w) as frames (t, rows * h, columns * w, c), each a grid of all videos.

    The number of videos is filled up with black ones to a power of two.
    """
    import numpy

    count, frames, channels, height, width = videos.shape
    total = 1 << max(count - 1, 0).bit_length()
    padded = numpy.zeros((total, *videos.shape[1:]), videos.dtype)
    padded[:count] = videos
    rows = 1 << (count.bit_length() - 1) // 2
    grid = padded.reshape(rows, total // rows, frames, channels, height, width).transpose(2, 0, 4, 1, 5, 3)
    return grid.reshape(frames, rows * height, total // rows * width, channels)


def figure_to_image(figure: Any, close: bool = True) -> Any:
    """A figure of matplotlib as an image (3, h, w) of uint8; of a list of figures, (n, 3, h, w)."""
    import matplotlib.pyplot as plt
    import numpy
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    if isinstance(figure, list):
        return numpy.stack([figure_to_image(each, close) for each in figure])
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    colors = numpy.asarray(canvas.buffer_rgba())[:, :, :3].transpose(2, 0, 1).copy()
    if close:
        plt.close(figure)
    return colors
