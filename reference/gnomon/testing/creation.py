"""``make_tensor``: random tensors for tests.

Source: torch/testing/_creation.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from ..values.errors import warn
from ..values.geometry import numel_of


def make_tensor(
    *shape: int | Sequence[int],
    dtype: gn.dtype,
    device: str | gn.device,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: gn.memory_format | None = None,
) -> gn.Tensor:
    """A tensor of the given sizes whose elements are drawn uniformly from ``[low, high)``.

    By default, bools are drawn from both values, integers from -9 to 9 (unsigned ones from 0 to 9), floats
    and the parts of complex numbers from ``[-9, 9)``.  Limits outside of the dtype's range are replaced by
    its limits.  ``noncontiguous`` makes a tensor with gaps and an offset if it has at least two elements.
    ``exclude_zero`` replaces zeros by 1, or by the smallest normal number of the dtype.

    Raises ValueError if ``low`` is not less than ``high``, for NaN, for limits that are both outside of the
    dtype's range, for ``requires_grad`` with an integer dtype, and for both ``noncontiguous`` and
    ``memory_format``.  Warns if ``low`` equals ``high`` for a floating point or complex dtype.
    Source: torch.testing.make_tensor.
    """
    sizes: list[Any] = [*shape[0]] if len(shape) == 1 and isinstance(shape[0], Sequence) else [*shape]
    is_integer = not (dtype.is_floating_point or dtype.is_complex)
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"{noncontiguous=} and {memory_format=}"
        )
    if requires_grad and is_integer:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}"
        )
    noncontiguous = noncontiguous and numel_of(sizes) > 1
    if noncontiguous:
        sizes[-1] *= 2  # every other element is dropped below
    low, high = _limits(dtype, low, high)
    if is_integer:
        made = gn.randint(math.ceil(low), math.ceil(high), sizes, device=device, dtype=dtype)
    else:
        made = gn.empty(sizes, device=device, dtype=dtype)
        parts = gn.view_as_real(made) if dtype.is_complex else made
        if high - low >= gn.finfo(dtype).max:  # more than uniform_ can draw from
            parts.uniform_(low / 2, high / 2).mul_(2)
        else:
            parts.uniform_(low, high)
    if noncontiguous:
        made = made[..., 1::2]
    elif memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        made[made == 0] = 1 if is_integer else gn.finfo(dtype).tiny
    return made.requires_grad_(requires_grad)


def _limits(kind: gn.dtype, low: float | None, high: float | None) -> tuple[float, float]:
    """The limits to draw from: the given or the usual ones, within the dtype's range."""
    least: float
    most: float
    if kind is gn.bool:
        least, most, usual_low, usual_high = 0, 2, 0, 2
    elif kind.is_floating_point or kind.is_complex:
        least, most, usual_low, usual_high = gn.finfo(kind).min, gn.finfo(kind).max, -9, 9
    else:
        # randint draws from 64-bit integers below its upper limit, so that it never gives the largest one
        least, most = gn.iinfo(kind).min, gn.iinfo(kind).max + (kind is not gn.int64)
        usual_low, usual_high = -9, 10
    low = usual_low if low is None else low
    high = usual_high if high is None else high
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and (kind.is_floating_point or kind.is_complex):
        warn(
            "Passing `low==high` to `gnomon.testing.make_tensor` for floating or complex types is deprecated "
            "since 2.1 and will be removed in 2.3. Use `gnomon.full(...)` instead.",
            FutureWarning,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < least or low >= most:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {kind} only supports "
            f"[{least}, {most})"
        )
    return min(max(low, least), most), min(max(high, least), most)
