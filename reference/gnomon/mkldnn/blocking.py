"""Blocked memory formats: how the elements of an opaque tensor lie in the strided tensor that it holds.

Eight channels, as many as a vector of eight float32 has, lie next to each other: a convolution reads and
writes them as one.  The formats have the names of oneDNN, where a capital letter is a dimension that is
divided into blocks, of the size that the small letter at the end has:

- ``nChw8c``: activations (N, C, H, W) lie as (N, C / 8, H, W, 8); those with three spatial
  dimensions similarly.
- ``OIhw8i8o``: weights of a convolution (O, I, H, W) lie as (O / 8, I / 8, H, W, 8 of I, 8 of O).
- ``plain``: any tensor, row-major.

The last block has zeros, or what operators make of them, in the place of channels that there are not.

Source: oneDNN's developer guide, "Understanding Memory Formats".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.device import contiguous_format
from ..values.geometry import Ints

BLOCK = 8


class Blocking(NamedTuple):
    """A format: ``pack`` makes the memory of a strided tensor, ``unpack`` a strided tensor of the memory and
    of the sizes.
    """

    name: str
    pack: Callable[[Tensor], Tensor]
    unpack: Callable[[Tensor, Ints], Tensor]


def _row_major(tensor: Tensor) -> Tensor:
    return aten.clone.default(tensor, contiguous_format)


def blocks(size: int) -> int:
    """The number of blocks of ``size`` channels."""
    return -(-size // BLOCK)


def _padded(tensor: Tensor, dims: int) -> Tensor:
    """``tensor`` with zeros behind each of its first ``dims`` dimensions after which it fills its blocks."""
    sizes = tensor._spec.sizes
    missing = [blocks(size) * BLOCK - size for size in sizes[:dims]]
    if not any(missing):
        return tensor
    pads = [0] * (2 * (len(sizes) - dims))
    for count in reversed(missing):
        pads += [0, count]
    return aten.constant_pad_nd.default(tensor, pads, 0)


def _pack_channels(tensor: Tensor) -> Tensor:
    images, channels, *spatial = tensor._spec.sizes
    filled = _padded(tensor.transpose(0, 1), 1).transpose(0, 1)
    split = filled.unflatten(1, (blocks(channels), BLOCK))
    return (
        _row_major(split.movedim(2, -1))
        if images
        else tensor.new_zeros((0, blocks(channels), *spatial, BLOCK))
    )


def _unpack_channels(held: Tensor, sizes: Ints) -> Tensor:
    split = _row_major(held.movedim(-1, 2))
    filled = split.view((sizes[0], split._spec.sizes[1] * BLOCK, *sizes[2:]))
    kept = filled[:, : sizes[1]]
    # contiguous() would keep the strides of a tensor without elements
    return kept.contiguous() if kept._spec.numel else _row_major(kept)


def _pack_weight(tensor: Tensor) -> Tensor:
    outputs, inputs = tensor._spec.sizes[:2]
    split = _padded(tensor, 2).unflatten(1, (blocks(inputs), BLOCK)).unflatten(0, (blocks(outputs), BLOCK))
    return _row_major(split.movedim((3, 1), (-2, -1)))


def _unpack_weight(held: Tensor, sizes: Ints) -> Tensor:
    split = held.movedim((-2, -1), (3, 1))
    return _row_major(split.flatten(2, 3).flatten(0, 1)[: sizes[0], : sizes[1]])


PLAIN = Blocking("plain", _row_major, lambda held, sizes: _row_major(held))
CHANNELS = Blocking("nChw8c", _pack_channels, _unpack_channels)
WEIGHT = Blocking("OIhw8i8o", _pack_weight, _unpack_weight)


def blocking_of(sizes: Ints) -> Blocking:
    """The format of a new tensor: in blocks of channels if it has two or three spatial dimensions."""
    return CHANNELS if len(sizes) in (4, 5) else PLAIN
