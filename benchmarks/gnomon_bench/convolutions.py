"""Benchmarks of layers for images: convolutions, pools, padding."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from . import training
from .benchmark import Cost, Work
from .defining import add, on_tensors, ramp
from .library import Library

IMAGES = ((8, 64, 56), (1, 4, 12), (16, 16, 28))  # batch, channels, side


def _image(shape: tuple[int, int, int]) -> list[tuple[numpy.ndarray, str]]:
    batch, channels, side = shape
    return [(ramp(batch, channels, side, side), "float32"), (ramp(channels, channels, 3, 3), "float32")]


def _convolved(shape: tuple[int, int, int]) -> Cost:
    batch, channels, side = shape
    return Cost(18 * batch * channels**2 * side**2, 4 * (2 * batch * channels * side**2 + 9 * channels**2))


def _multiplied(shape: tuple[int, int, int]) -> float:
    return _convolved(shape).operations / 2


def _channels_last(library: Library, kernel: int) -> Work:
    """A convolution whose image and weight lie channels last."""
    module = library.module
    image, weight = (
        library.tensor(ramp(*sizes), "float32").contiguous(memory_format=module.channels_last)
        for sizes in ((8, 64, 56, 56), (64, 64, kernel, kernel))
    )
    return lambda: module.nn.functional.conv2d(image, weight, padding=kernel // 2)


def _layer(
    name: str,
    function: Callable[..., Any],
    *sizes: tuple[int, ...],
    operations: float,
    group: str = "convolutions",
) -> None:
    """``function`` applied to tensors of these sizes, the first of which is the image."""
    on_tensors(
        name,
        group,
        lambda: [(ramp(*size), "float32") for size in sizes],
        {"torch": function},
        elements=lambda: operations / 2,
    )


def define() -> None:
    """Define them, after those defined before."""
    on_tensors(
        "conv2d 3x3",
        "convolutions",
        _image,
        {
            "torch": lambda module, x, w: module.nn.functional.conv2d(x, w, padding=1),
            "tinygrad": lambda module, x, w: x.conv2d(w, padding=1),
        },
        axes={"shape": IMAGES},
        cost=_convolved,
        elements=_multiplied,
    )
    for wanted in ("image", "weight"):
        add(
            f"conv2d backward, {wanted}",
            "convolutions",
            training.convolution_backward(wanted),
            axes={"shape": IMAGES},
            cost=_convolved,
            elements=_multiplied,
            is_timed=True,
        )
    for name in ("max_pool2d", "avg_pool2d"):
        on_tensors(
            f"{name} 2x2",
            "convolutions",
            lambda shape: _image(shape)[:1],
            {"torch": lambda module, x, name=name: getattr(module.nn.functional, name)(x, 2)},
            axes={"shape": IMAGES},
            cost=lambda shape: Cost(math.prod(shape) * shape[2], 5 * math.prod(shape) * shape[2]),
            elements=lambda shape: math.prod(shape) * shape[2],
        )
    add(
        "conv2d, channels last",
        "convolutions",
        _channels_last,
        axes={"kernel": (3, 1)},
        cost=lambda kernel: Cost(2 * 8 * 64**2 * 56**2 * kernel**2, 8 * 8 * 64 * 56**2),
        elements=lambda kernel: 8 * 64**2 * 56**2 * kernel**2,
    )
    _layer(
        "conv2d depthwise 8x128x28^2",
        lambda module, x, w: module.nn.functional.conv2d(x, w, padding=1, groups=128),
        *((8, 128, 28, 28), (128, 1, 3, 3)),
        operations=18 * 8 * 128 * 28**2,
    )
    _layer(
        "conv2d one image of 28^2 to eight",
        lambda module, x, w: module.nn.functional.conv2d(x, w, padding=1),
        *((1, 1, 28, 28), (8, 1, 3, 3)),
        operations=18 * 8 * 28**2,
    )
    _layer(
        "conv2d 8x256x14^2",
        lambda module, x, w: module.nn.functional.conv2d(x, w, padding=1),
        *((8, 256, 14, 14), (256, 256, 3, 3)),
        operations=18 * 8 * 256**2 * 14**2,
    )
    _layer(
        "conv_transpose2d 8x64x28^2",
        lambda module, x, w: module.nn.functional.conv_transpose2d(x, w, stride=2, padding=1),
        *((8, 64, 28, 28), (64, 32, 4, 4)),
        operations=32 * 8 * 64 * 32 * 28**2,
    )
    _layer(
        "pad reflect 8x64x56^2",
        lambda module, x: module.nn.functional.pad(x, (3, 3, 3, 3), mode="reflect"),
        (8, 64, 56, 56),
        operations=2 * 8 * 64 * 62**2,
        group="copies",
    )
