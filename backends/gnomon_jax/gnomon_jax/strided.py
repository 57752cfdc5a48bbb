"""Reading and writing tensors of any strides in a flat, immutable array of words.

Of a large tensor the strides are a part of the program.  If it lies densely, in whatever order of its
dimensions, it is a slice, a reshape and a transpose of the flat array, and is written as one; of all others
the position of each element is computed, reading gathers the elements there, and writing scatters them.

Of a small tensor the strides are data: ``gather`` and ``scatter`` are programs for all tensors of up to so
many elements, which get sizes, strides and offset as an array.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from gnomon.values.dtype import dtype

from .memory import bucket

# At its usual level XLA fuses a product and a sum into one operation, which rounds differently.  And it would
# leave out a rounding to a smaller dtype between two others.
OPTIONS = {"xla_backend_optimization_level": 0, "xla_allow_excess_precision": False}

_FEWEST = 64  # elements of a program for small tensors
MOST = 4096
_MOST_DIMENSIONS = 16


class View(NamedTuple):
    """A tensor in one of a call's memories: which one, and where in it.  All counts are of elements."""

    slot: int
    dtype: dtype
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    @property
    def word(self) -> int:
        """The size in bytes of the words: a complex number consists of two."""
        return self.dtype.itemsize // self.parts

    @property
    def parts(self) -> int:
        """The number of words of an element."""
        return 2 if self.dtype.is_complex else 1

    @property
    def is_expanded(self) -> bool:
        """Are several elements at one place in memory, along a dimension without a stride?"""
        return any(size > 1 and not stride for size, stride in zip(self.sizes, self.strides))

    @property
    def is_small(self) -> bool:
        """Do ``gather`` and ``scatter`` take it?"""
        return math.prod(self.sizes) <= MOST and len(self.sizes) < _MOST_DIMENSIONS

    @property
    def places(self) -> int:
        """The number of elements that the programs for small tensors handle, at least its own."""
        return bucket(math.prod(self.sizes), _FEWEST)


# ---------------------------------------------------------------------------------------------------------
# Large tensors, in a program of their own.


def _order(view: View) -> list[int] | None:
    """The dimensions that differ in memory, outermost first, if the elements lie densely; else None."""
    moving = [at for at, size in enumerate(view.sizes) if size != 1 and view.strides[at] != 0]
    moving.sort(key=lambda at: -view.strides[at])
    expected = 1
    for at in reversed(moving):
        if view.strides[at] != expected:
            return None
        expected *= view.sizes[at]
    return moving


def positions(view: View) -> Any:
    """The position in memory of each element, counted in elements."""
    found = jnp.full(view.sizes, view.offset, jnp.int64)
    for at, stride in enumerate(view.strides):
        found = found + lax.broadcasted_iota(jnp.int64, view.sizes, at) * stride
    return found


def read(flat: Any, view: View) -> Any:
    """The words of a tensor, in its sizes; those of complex numbers have one dimension more, of size 2."""
    more = (2,) * (view.parts - 1)
    if 0 in view.sizes:
        return jnp.zeros((*view.sizes, *more), flat.dtype)
    flat = flat.reshape(-1, *more)
    order = _order(view)
    if order is None:
        return flat[positions(view)]
    sizes = [view.sizes[at] for at in order]
    dense = flat[view.offset : view.offset + math.prod(sizes)].reshape(*sizes, *more)
    kept = sorted(order)
    dense = dense.transpose(*(order.index(at) for at in kept), *range(len(order), dense.ndim))
    shape = [view.sizes[at] if at in kept else 1 for at in range(len(view.sizes))]
    return jnp.broadcast_to(dense.reshape(*shape, *more), (*view.sizes, *more))


def written(flat: Any, view: View, words: Any) -> Any:
    """``flat`` with the words of a tensor replaced."""
    more = (2,) * (view.parts - 1)
    if 0 in view.sizes:
        return flat
    order = _order(view)
    if order is None or view.is_expanded:
        rows, places, words = flat.reshape(-1, *more), positions(view).reshape(-1), words.reshape(-1, *more)
        if view.is_expanded:
            is_changed = rows[places] != words
            is_changed = jnp.any(is_changed, -1) if more else is_changed
            places = jnp.where(is_changed, places, rows.shape[0])
        return rows.at[places].set(words, mode="drop").reshape(-1)
    alone = [at for at in range(len(view.sizes)) if at not in order]
    dense = words.transpose(*alone, *order, *range(len(view.sizes), words.ndim)).reshape(-1)
    if view.offset == 0 and (flat.size - dense.size) * view.word < 16:  # all of it
        return jnp.pad(dense, (0, flat.size - dense.size))
    return lax.dynamic_update_slice(flat, dense, (view.offset * view.parts,))


# ---------------------------------------------------------------------------------------------------------
# Small tensors, by programs that they share.


@functools.lru_cache(maxsize=4096)
def layout(view: View) -> Any:
    """Sizes, strides and offset of a tensor's words as data; the sizes of missing dimensions are 1."""
    sizes, strides = view.sizes, [stride * view.parts for stride in view.strides]
    if view.parts == 2:
        sizes, strides = (*sizes, 2), [*strides, 1]
    missing = (4 if len(sizes) <= 4 else _MOST_DIMENSIONS) - len(sizes)
    offset = view.offset * view.parts
    return np.array([*[1] * missing, *sizes, *[0] * missing, *strides, offset], np.int64)


def _places(layout: Any, count: int) -> tuple[Any, Any]:
    """For each of ``count`` words its place in memory, and whether the tensor has it; else it is the last."""
    dimensions = layout.size // 2
    numel = math.prod(layout[at] for at in range(dimensions))
    number = jnp.arange(count)
    rest, found = jnp.minimum(number, numel - 1), jnp.full(count, layout[-1])
    for at in reversed(range(dimensions)):
        found = found + lax.rem(rest, layout[at]) * layout[dimensions + at]
        rest = lax.div(rest, layout[at])
    return found, number < numel


@functools.partial(jax.jit, static_argnums=2, compiler_options=OPTIONS)
def gather(flat: Any, layout: Any, count: int) -> Any:
    """The first ``count`` words of a tensor in row-major order; after its last one that one is repeated."""
    places, _ = _places(layout, count)
    return flat[places]


@functools.partial(jax.jit, static_argnums=3, compiler_options=OPTIONS)
def scatter(flat: Any, layout: Any, words: Any, is_expanded: bool = False) -> Any:
    """``flat`` with the words of a tensor replaced; what ``words`` has beyond them is dropped.

    Of an expanded tensor only what has changed is written: an element that an in-place operator leaves alone
    must not undo the change of another one at the same place.
    """
    places, is_one = _places(layout, words.size)
    if is_expanded:
        is_one = is_one & (flat[places] != words)
    return flat.at[jnp.where(is_one, places, flat.size)].set(words, mode="drop")
