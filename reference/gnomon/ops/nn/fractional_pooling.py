"""Fractional max pooling: windows of one size whose places are drawn at random.

Source: aten/src/ATen/native/FractionalMaxPool2d.cpp, FractionalMaxPool3d.cpp; Graham, arXiv:1412.6071.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...calls.checks import check_dim_range, check_length, refuse_dtype
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...values.dtype import int64

_NAMES = {2: ("height", "width"), 3: ("time", "height", "width")}


def _check(self: Any, kernel_size: Sequence[int], output_size: Sequence[int], samples: Any) -> None:
    spatial = len(kernel_size)
    check_dim_range(spatial + 1, spatial + 3, self=self)
    batch = 1 if self.ndim == spatial + 1 else self.shape[0]
    channels, *sizes = self.shape[-spatial - 1 :]
    for dim, size in enumerate(self.shape):
        if size == 0 and dim != self.ndim - spatial - 2:
            raise RuntimeError(
                f"Expected input to have non-zero size for non-batch dimensions, but got {list(self.shape)} "
                f"with dimension {dim} being empty."
            )
    for name, size, width, count in zip(_NAMES[spatial], sizes, kernel_size, output_size):
        if width < 1 or count < 0:
            raise RuntimeError(
                f"fractional_max_pool{spatial}d: expected a kernel {name} of at least 1 and an output {name} "
                f"of at least 0, got {width} and {count}"
            )
        if count + width - 1 > size - (spatial == 3):  # PyTorch allows one less in three dimensions
            raise RuntimeError(f"pool {name} {width} too large relative to input {name} {size}")
    if samples.dtype is not self.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    if samples.ndim != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.ndim}")
    if samples.shape[0] < batch:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if samples.shape[1] != channels:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if samples.shape[2] != spatial:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {spatial}; got {samples.shape[2]}.")


def _starts(samples: Any, size: int, count: int, width: int) -> Any:
    """The first element of each window along a dimension (..., count), from a number of [0, 1) (...)."""
    last = aten.full_like.default(samples, size - width, dtype=int64).unsqueeze(-1)
    if count < 2:
        return last[..., :count]
    samples = samples.unsqueeze(-1)
    step = aten.full_like.default(samples, size - width) / (count - 1)
    numbers = aten.arange.default(count - 1, dtype=samples.dtype, device=samples.device)
    moved = ((numbers + samples) * step).to(int64) - (samples * step).to(int64)
    return aten.cat.default([moved, last], -1)


def _pooled(
    self: Any, kernel_size: Sequence[int], output_size: Sequence[int], samples: Any
) -> tuple[Any, Any]:
    _check(self, kernel_size, output_size, samples)
    spatial = len(kernel_size)
    outer, sizes = self.shape[:-spatial], self.shape[-spatial:]
    if self.ndim == spatial + 1:
        samples = samples[0]
    else:
        samples = samples[: self.shape[0]]
    places: Any = 0  # of each element of each window, in the plane: (*outer, *output_size, *kernel_size)
    for dim, (size, count, width) in enumerate(zip(sizes, output_size, kernel_size)):
        # the samples' order is that of 2-D pooling: width, height
        sample = samples[..., spatial - 1 - dim if spatial == 2 else dim]
        starts = _starts(sample.detach(), size, count, width)
        around = [1] * dim, [1] * (spatial - 1 - dim)
        starts = starts.reshape((*outer, *around[0], count, *around[1], *[1] * spatial))
        inside = aten.arange.default(width, dtype=int64, device=self.device)
        places = places * size + starts + inside.reshape((*around[0], width, *around[1]))
    windows = (*outer, *output_size, math.prod(kernel_size))
    shape = (*outer, *output_size, *kernel_size)
    places = places.expand(shape).reshape(windows)
    flat = self.flatten(len(outer)).gather(-1, places.flatten(len(outer))).reshape(windows)
    values, chosen = flat.max(-1)
    return values, places.gather(-1, chosen.unsqueeze(-1)).squeeze(-1)


def _define(spatial: int) -> None:
    arguments = f"Tensor self, int[{spatial}] kernel_size, int[{spatial}] output_size, Tensor random_samples"

    def composite(self: Any, kernel_size: Any, output_size: Any, random_samples: Any) -> tuple[Any, Any]:
        check_length(spatial, kernel_size=kernel_size, output_size=output_size)
        return _pooled(self, kernel_size, output_size, random_samples)

    native_function(
        f"fractional_max_pool{spatial}d({arguments}) -> (Tensor, Tensor)",
        composite=composite,
        variants="function",
        python_module="nn",
        out=Out(
            f"fractional_max_pool{spatial}d.output({arguments}, *, Tensor(a!) output, Tensor(b!) indices) -> "
            "(Tensor(a!), Tensor(b!))"
        ),
        doc=f"""Returns the maxima of windows of ``kernel_size`` and their indices (int64).

    ``self`` is ([N,] C, *) with {spatial} spatial dimensions, both results ([N,] C, *output_size).  Where the
    windows are along each dimension follows from a number of ``random_samples`` (N, C, {spatial}), of self's
    dtype, from 0 to before 1.  Raises RuntimeError for other shapes and for windows that do not fit,
    NotImplementedError for dtypes that are not floating point.""",
    )


_define(2)
_define(3)
