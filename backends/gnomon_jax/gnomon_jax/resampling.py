"""Resampling by nearest neighbours or interpolation, and its gradients.

All of it is separable, computed by tables of positions and weights (tables.py).  Positions and weights are
rounded as in PyTorch, to float32 for all dtypes except float64 (and interpolated uint8), because a position
decides which neighbours are used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from gnomon.memory.prepared import BadValue
from gnomon.values.dtype import dtype

from .numbers import Array
from .programs import ALL, Family
from .tables import Table, picked, shared_out, summed

family = Family()

Round = Callable[[Any], Any]


def _single(number: Any) -> Any:
    """Numbers rounded to float32, stored as float64."""
    return np.asarray(number, np.float64).astype(np.float32).astype(np.float64)


def _double(number: Any) -> Any:
    return np.asarray(number, np.float64)


# ---------------------------------------------------------------------------------------------------------
# Positions and weights of each mode, along one dimension.


def _step(size: int, count: int, align_corners: bool, scale: float | None, rounded: Round) -> Any:
    """The distance in the input of two adjacent output positions."""
    if align_corners:
        return rounded((size - 1) / (count - 1)) if count > 1 else np.float64(0.0)
    return rounded(1.0 / scale) if scale is not None and scale > 0 else rounded(size / count)


def _sources(count: int, step: Any, align_corners: bool, rounded: Round) -> Any:
    """The positions in the input of the output positions."""
    at = np.arange(count)
    return rounded(step * at) if align_corners else rounded(rounded(step * (at + 0.5)) - 0.5)


def _table(positions: Any, weights: Any) -> Table:
    return Table(positions.astype(np.intp), np.ones(positions.shape, bool), weights)


def _identity(size: int) -> Table:
    return _table(np.arange(size)[:, None], np.ones((size, 1)))


def _within(places: Any, size: int, least: int = 0) -> Any:
    """Positions clamped to ``least`` … ``size - 1``; NaN becomes ``least``."""
    return np.clip(np.fmax(places, least), least, size - 1)


def _nearest(size: int, count: int, align_corners: bool, scale: float | None, rounded: Round) -> Table:
    """The neighbour at floor(position * scale)."""
    if count == size:
        return _identity(size)
    at = np.floor(rounded(np.arange(count) * _step(size, count, False, scale, rounded)))
    return _table(_within(at, size)[:, None], np.ones((count, 1)))


def _nearest_exact(size: int, count: int, align_corners: bool, scale: float | None, rounded: Round) -> Table:
    """The neighbour whose center is nearest: at floor((position + 1/2) * scale)."""
    at = np.floor(rounded((np.arange(count) + 0.5) * _step(size, count, False, scale, rounded)))
    return _table(_within(at, size)[:, None], np.ones((count, 1)))


def _linear(size: int, count: int, align_corners: bool, scale: float | None, rounded: Round) -> Table:
    """The two neighbours with linear weights; weight 0 is kept, because 0 times infinity must be NaN."""
    if count == size:
        at = np.arange(size)
        return _table(np.stack([at, at], 1), np.stack([np.ones(size), np.zeros(size)], 1))
    step = _step(size, count, align_corners, scale, rounded)
    source = np.fmax(_sources(count, step, align_corners, rounded), 0.0)
    left = _within(np.floor(source), size)
    share = np.clip(rounded(source - left), 0.0, 1.0)
    positions = np.stack([left, np.minimum(left + 1, size - 1)], 1)
    return _table(positions, np.stack([rounded(1.0 - share), share], 1))


def _cubic(size: int, count: int, align_corners: bool, scale: float | None, rounded: Round) -> Table:
    """Four neighbours, weighted by Keys' cubic; those outside are replaced by the border's element."""
    source = _sources(count, _step(size, count, align_corners, scale, rounded), align_corners, rounded)
    left = _within(np.floor(source), size, -4)
    share = np.clip(np.fmax(rounded(source - left), 0.0), 0.0, 1.0)
    positions = np.clip(left[:, None] + np.arange(-1, 3), 0, size - 1)
    return _table(positions, np.stack(cubic_weights(share), 1))


def cubic_weights(share: Any) -> list[Any]:
    """The weights of the four neighbours of a position ``share`` after the second of them."""
    a = -0.75

    def near(x: Any) -> Any:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Any) -> Any:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(share + 1), near(share), near(1 - share), far(2 - share)]


def _antialiased(filter: Callable[[Any, Round], Any], radius: float) -> Callable[..., Table]:
    """The antialiased mode with the weights ``filter``, which is 0 beyond ``radius``.

    The filter is stretched by the distance of adjacent output positions if that exceeds 1, and its weights
    are divided by their sum.
    """

    def mode(size: int, count: int, align_corners: bool, scale: float | None, rounded: Round) -> Table:
        step = _step(size, count, align_corners, scale, rounded)
        support = rounded(radius * step) if step >= 1 else np.float64(radius)
        inverse = rounded(1.0 / step) if step >= 1 else np.float64(1.0)
        center = rounded(step * (np.arange(count) + 0.5))
        first = _within(np.trunc(rounded(center - support) + 0.5), size + 2)
        length = np.minimum(_within(np.trunc(rounded(center + support) + 0.5), size + 2), size) - first
        length = np.clip(length, 0, size if support >= size else 2 * math.ceil(support) + 1)
        positions = first[:, None] + np.arange(int(np.max(length, initial=0)))
        exists = positions < (first + length)[:, None]
        distance = rounded((rounded(positions - center[:, None]) + 0.5) * inverse)
        weights = np.where(exists, filter(distance, rounded), 0.0)
        total = np.zeros(count)
        for column in range(weights.shape[1]):
            total = rounded(total + weights[:, column])
        divided = rounded(weights / np.where(total == 0, 1.0, total)[:, None])
        return Table(np.where(exists, positions, 0).astype(np.intp), exists, divided)

    return mode


def _triangle(x: Any, rounded: Round) -> Any:
    return np.where(np.abs(x) < 1, rounded(1.0 - np.abs(x)), 0.0)


def _keys(x: Any, rounded: Round) -> Any:
    """Keys' cubic with a = -0.5, which approximates a smooth function best."""
    x = np.abs(x)
    near = rounded((1.5 * x - 2.5) * x * x + 1)
    far = rounded(((-0.5 * x + 2.5) * x - 4) * x + 2)
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


def _lanczos(x: Any, rounded: Round) -> Any:
    """sinc(x) * sinc(x / 3), for ``|x| < 3``."""
    angle = math.pi * np.where(x == 0, 1.0, x)
    value = rounded(3 * np.sin(angle) * np.sin(angle / 3) / (angle * angle))
    return np.where(x == 0, 1.0, np.where(np.abs(x) < 3, value, 0.0))


_MODES: dict[str, Callable[..., Table]] = {
    "nearest": _nearest,
    "nearest_exact": _nearest_exact,
    "linear": _linear,
    "cubic": _cubic,
    "linear_aa": _antialiased(_triangle, 1.0),
    "cubic_aa": _antialiased(_keys, 2.0),
    "lanczos_aa": _antialiased(_lanczos, 3.0),
}
# A program has a line for each term of an element's sum; XLA takes minutes to compile thousands.
_MOST_TERMS = 256
_INTERPOLATES = ("linear", "cubic", "linear_aa", "cubic_aa", "lanczos_aa")


def _tables(mode: str, sizes: Sequence[int], counts: Sequence[int], options: Any, kind: str) -> list[Table]:
    """A table for each spatial dimension; ``options``: ``align_corners``, if the mode has it, and scales."""
    align_corners, scales = (options[0], options[1:]) if mode in _INTERPOLATES else (False, options)
    is_double = kind == "float64" or (kind == "uint8" and mode in _INTERPOLATES)
    rounded = _double if is_double else _single
    tables = [
        _MODES[mode](size, count, align_corners, scale, rounded)
        for size, count, scale in zip(sizes, counts, scales)
    ]
    if any(table.positions.shape[1] > _MOST_TERMS for table in tables):
        raise BadValue  # the reference computes it
    return tables


# ---------------------------------------------------------------------------------------------------------
# Kernels.  They need the dtype, by which positions are rounded, which is that of the output.


def _kernel(name: str, mode: str, spatial: int) -> None:
    @family.kernel(name, ALL, is_typed=True)
    def kernel(kind: dtype, a: Array, output_size: Sequence[int], *options: Any) -> Array:
        """Each element is a weighted sum of its neighbours."""
        sizes = a.shape[-spatial:]
        tables = _tables(mode, sizes, output_size, options, kind.name)
        is_bytes = kind.name == "uint8" and mode in _INTERPOLATES
        if mode.endswith("_aa") or is_bytes:
            # a dimension that keeps its size is copied, whatever its scale
            tables = [
                _identity(size) if size == len(table.positions) else table
                for size, table in zip(sizes, tables)
            ]
        if mode not in _INTERPOLATES:
            return picked(a, tables)
        if is_bytes:
            return _resampled_bytes(a.astype(jnp.int64), tables)
        return summed(a if jnp.issubdtype(a.dtype, jnp.inexact) else a.astype(jnp.float64), tables)


def _resampled_bytes(a: Array, tables: Sequence[Table]) -> Array:
    """Resamples uint8 one dimension after another from the last, rounds half up and clamps to 0 … 255.

    The weights are 15-bit integers; weights of equal positions are added first.
    """
    for axis, table in reversed(list(zip(range(a.ndim - len(tables), a.ndim), tables))):
        weights = np.zeros((len(table.positions), a.shape[axis]))
        lines = np.arange(len(table.positions))
        for column in range(table.positions.shape[1]):
            weights[lines, table.positions[:, column]] += np.where(
                table.exists[:, column], table.weights[:, column], 0.0
            )
        bits, largest = 0, float(np.max(weights, initial=0.0))
        while bits < 22 and int(0.5 + largest * 2 ** (bits + 1)) < 2**15:
            bits += 1
        whole = np.trunc(np.copysign(0.5, weights) + weights * 2**bits).astype(np.int64)
        total = jnp.moveaxis(jnp.tensordot(a, jnp.asarray(whole), (axis, 1)), -1, axis)
        a = jnp.clip((total + (2 ** (bits - 1) if bits else 0)) >> bits, 0, 255)
    return a


def _backward_kernel(name: str, mode: str, spatial: int) -> None:
    @family.kernel(name, ALL, is_typed=True)
    def kernel(
        kind: dtype, grad: Array, output_size: Sequence[int], input_size: Sequence[int], *options: Any
    ) -> Array:
        """Each element's gradient is the weighted sum of the gradients of the outputs that use it."""
        sizes = input_size[-spatial:]
        if mode == "cubic" and list(sizes) == list(output_size):  # copied, whatever the scales
            return grad
        tables = _tables(mode, sizes, output_size, options, kind.name)
        if mode not in _INTERPOLATES:
            tables = [table._replace(weights=None) for table in tables]
        if not jnp.issubdtype(grad.dtype, jnp.inexact):
            grad = grad.astype(jnp.float64 if mode in _INTERPOLATES else jnp.int64)
        return shared_out(grad, tables, sizes)


for _name, _mode, _spatial in (
    *((f"upsample_nearest{dims}d", "nearest", dims) for dims in (1, 2, 3)),
    *((f"_upsample_nearest_exact{dims}d", "nearest_exact", dims) for dims in (1, 2, 3)),
    ("upsample_linear1d", "linear", 1),
    ("upsample_bilinear2d", "linear", 2),
    ("upsample_trilinear3d", "linear", 3),
    ("upsample_bicubic2d", "cubic", 2),
    ("_upsample_bilinear2d_aa", "linear_aa", 2),
    ("_upsample_bicubic2d_aa", "cubic_aa", 2),
    ("_upsample_lanczos2d_aa", "lanczos_aa", 2),
):
    _kernel(_name, _mode, _spatial)
    _backward_kernel(f"{_name}_backward", _mode, _spatial)
