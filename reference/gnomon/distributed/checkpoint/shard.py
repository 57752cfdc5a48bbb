"""Parts of tensors: boxes of indices, and the tensors that fill them.

Source: torch.distributed._shard.metadata.ShardMetadata; torch.distributed.checkpoint.resharding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...memory.tensor import Tensor
from ..tensor.sharding import sharding_of


class Box(NamedTuple):
    """The elements of a tensor from ``offset`` on, ``shape`` of them along each dimension."""

    offset: tuple[int, ...]
    shape: tuple[int, ...]

    def __and__(self, other: Box) -> Box:
        """What both have."""
        begin = tuple(map(max, self.offset, other.offset))
        mine, others = self.end(), other.end()
        shape = tuple(max(min(a, b) - c, 0) for a, b, c in zip(mine, others, begin, strict=True))
        return Box(begin, shape)

    def end(self) -> tuple[int, ...]:
        """The first index along each dimension that is not in it."""
        return tuple(a + b for a, b in zip(self.offset, self.shape, strict=True))

    def numel(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def within(self, tensor: Tensor, origin: Sequence[int]) -> Tensor:
        """The part of a tensor, whose first element has the index ``origin``, that fills this box: a view."""
        for dim, (begin, size, first) in enumerate(zip(self.offset, self.shape, origin, strict=True)):
            tensor = tensor.narrow(dim, begin - first, size)
        return tensor


@dataclass(frozen=True)
class Shard:
    """This rank's part of a tensor that several ranks hold together.

    ``tensor``: the elements from ``offset`` on of a tensor of shape ``global_shape``.  Rows 4 to 7 of ten
    rows of three: ``Shard(rows, global_shape=(10, 3), offset=(4, 0))``.  The parts of all ranks must fill the
    whole tensor; a part that several ranks hold alike is written once.

    Raises ValueError for a part that is not within the whole.
    Source: torch.distributed._shard.sharded_tensor.Shard.
    """

    tensor: Tensor
    global_shape: tuple[int, ...]
    offset: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "global_shape", tuple(map(int, self.global_shape)))
        object.__setattr__(self, "offset", tuple(map(int, self.offset)))
        whole, dims = self.global_shape, self.tensor.dim()
        if len(whole) != dims or len(self.offset) != dims:
            raise ValueError(
                f"Shard: expected global_shape and offset of {dims} dimensions, as the tensor has, got "
                f"{list(whole)} and {list(self.offset)}"
            )
        inside = zip(self.offset, self.box.end(), whole, strict=True)
        if any(not 0 <= begin <= end <= size for begin, end, size in inside):
            raise ValueError(
                f"Shard: a tensor of shape {list(self.tensor.shape)} at offset {list(self.offset)} is not "
                f"within a tensor of shape {list(whole)}"
            )

    @property
    def box(self) -> Box:
        """Which elements of the whole it has."""
        return Box(self.offset, tuple(self.tensor.shape))


def part_of(value: Tensor | Shard) -> Shard:
    """A tensor as a part: as it was cut, by ``fully_shard`` or ``parallelize_module``, or all of it."""
    if isinstance(value, Shard):
        return value
    sharding = sharding_of(value)
    if sharding is None:
        return Shard(value, tuple(value.shape), (0,) * value.dim())
    return Shard(value, *sharding.place(value.shape))


def fault_of(boxes: Sequence[Box], whole: Sequence[int]) -> str | None:
    """Why these boxes do not fill the whole, each element once; None if they do."""
    for number, box in enumerate(boxes):
        for other in boxes[:number]:
            if (box & other).numel():
                return f"parts overlap: {_shown(other)} and {_shown(box)}"
    have, needed = sum(box.numel() for box in boxes), math.prod(whole)
    if have != needed:
        return f"its parts have {have} of {needed} elements: {', '.join(map(_shown, boxes)) or 'none'}"
    return None


def _shown(box: Box) -> str:
    inside = ", ".join(f"{a}:{b}" for a, b in zip(box.offset, box.end(), strict=True))
    return f"[{inside}]"
