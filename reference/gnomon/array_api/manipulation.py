"""Manipulation functions: other shapes, and other places of elements."""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon import Tensor

from .data_types import result_type
from .unsigned import on_bits


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes, counted from 0, of an int, several ints, or None for all.  Raises IndexError for others."""
    axes = range(ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    for each in axes:
        if not -ndim <= each < ndim:
            raise IndexError(f"axis {each} is out of range for {ndim} dimensions")
    return tuple([each % ndim for each in axes])


def _promoted(arrays: Any) -> list[Tensor]:
    """Tensors of their common dtype."""
    common = result_type(*arrays)
    return [each.to(common) for each in arrays]


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """The tensors in the shape to which they broadcast, as views.  Raises RuntimeError if there is none."""
    return tuple(gn.broadcast_tensors(*arrays)) if arrays else ()


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape to which shapes broadcast.  Raises ValueError if there is none."""
    try:
        return tuple(gn.broadcast_shapes(*shapes)) if shapes else ()
    except RuntimeError as error:
        raise ValueError(str(error)) from None


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """The elements repeated to ``shape``, a view.  Raises RuntimeError for sizes that do not broadcast."""
    return x.broadcast_to(tuple(shape))


def concat(arrays: Any, /, *, axis: int | None = 0) -> Tensor:
    """The tensors one after the other along ``axis``; with None each as a vector.

    Raises RuntimeError for other sizes in the other dimensions.
    """
    promoted = _promoted(arrays)
    if axis is None:
        promoted = [each.reshape(-1) for each in promoted]
    return gn.cat(promoted, 0 if axis is None else axis)


def expand_dims(x: Tensor, /, axis: Any) -> Tensor:
    """A view with dimensions of size 1 at the places ``axis`` of its shape.

    Raises IndexError for a place out of range, ValueError for one twice.
    """
    count = 1 if isinstance(axis, int) else len(axis)
    places = axes_of(axis, x.ndim + count)
    if len(set(places)) < count:
        raise ValueError(f"expand_dims: argument 'axis': expected different places, got {axis}")
    for place in sorted(places):
        x = x.unsqueeze(place)
    return x


def flip(x: Tensor, /, *, axis: Any = None) -> Tensor:
    """The elements in reverse order along some axes, or all.  Raises IndexError for one out of range."""
    return on_bits(gn.flip)(x, axes_of(axis, x.ndim))


def moveaxis(x: Tensor, source: Any, destination: Any, /) -> Tensor:
    """A view with dimensions at other places.  Raises IndexError for one out of range."""
    return gn.moveaxis(x, source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """A view with the dimensions in the order ``axes``.  Raises RuntimeError unless it names each once."""
    return x.permute(tuple(axes))


def repeat(x: Tensor, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    """Each element several times in a row, along ``axis``, or as a vector.

    repeats: one number, or a tensor with one for each element along the axis.  Raises RuntimeError for any
    other number of them.
    """
    if isinstance(repeats, Tensor):
        repeats = repeats.to(gn.int64)
    return on_bits(gn.repeat_interleave)(x, repeats, dim=axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The elements in another shape; one size may be -1, for what remains.

    copy: True always copies, False never, None only if necessary.  Raises ValueError if ``copy=False`` is
    impossible, RuntimeError for another number of elements.
    """
    made = x.reshape(tuple(shape))
    if copy:
        return made.clone() if made._is_view() or made is x else made
    if copy is False and x.numel() and made.data_ptr() != x.data_ptr():
        raise ValueError(
            f"reshape: copy=False: no view of sizes {tuple(x.shape)} and strides {x.stride()} has sizes"
            f" {shape}"
        )
    return made


def roll(x: Tensor, /, shift: Any, *, axis: Any = None) -> Tensor:
    """The elements moved on by ``shift`` along ``axis``, the last ones to the front; or as a vector.

    Raises IndexError for an axis out of range, ValueError for shifts and axes of different numbers.
    """
    if axis is None:
        flat = x.reshape(-1)
        return gn.roll(flat, shift if isinstance(shift, int) else sum(shift)).reshape(x.shape)
    axes = axes_of(axis, x.ndim)
    shifts = (shift,) * len(axes) if isinstance(shift, int) else tuple(shift)
    if len(shifts) != len(axes):
        raise ValueError(f"roll: expected as many shifts as axes, got {len(shifts)} and {len(axes)}")
    return gn.roll(x, shifts, axes) if axes else x.clone()


def squeeze(x: Tensor, /, axis: Any) -> Tensor:
    """A view without some dimensions of size 1.

    Raises ValueError for a dimension of another size, IndexError for one out of range.
    """
    axes = axes_of(axis, x.ndim)
    for each in axes:
        if x.shape[each] != 1:
            raise ValueError(f"squeeze: argument 'axis': expected dimensions of size 1, got {x.shape[each]}")
    return x.squeeze(axes)


def stack(arrays: Any, /, *, axis: int = 0) -> Tensor:
    """Tensors of one shape along a new dimension.  Raises RuntimeError for different shapes."""
    return gn.stack(_promoted(arrays), axis)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """The tensor several times along each dimension, of which the last are meant if there are fewer."""
    return gn.tile(x, tuple(repetitions))


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The parts along a dimension, as views without it.  Raises IndexError for one out of range."""
    return tuple(gn.unbind(x, axes_of(axis, x.ndim)[0]))
