"""Changes between whole tensors, parts and summands, with their derivatives.

A tensor that all processes have whole has a gradient that all have whole, and of a tensor in parts the
gradient is in the same parts.  Inside of a parallel layer there are two more: a whole tensor of which each
process uses a part has a gradient of which each has a summand; and for a tensor of summands, it is the other
way round.  So each change forward has its own change backward:

    from, to                            forward             backward
    whole, for use in parts             nothing             all_reduce
    parts, to whole for use in parts    all_gather          reduce_scatter
    summands, to whole                  all_reduce          nothing
    summands, to parts                  reduce_scatter      all_gather
    whole, to parts                     own part            all_gather
    parts, to whole                     all_gather          own part

Parts are equal here: a dimension is divisible by the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gnomon as gn

from ....autograd.function import Function
from ....memory.tensor import Tensor
from ... import collectives
from ...process_group import ProcessGroup
from ..placement_types import Placement, Shard

Change = Callable[[Tensor, ProcessGroup], Tensor]


def for_use_in_parts(tensor: Tensor, layout: Placement, group: ProcessGroup) -> Tensor:
    """The whole of a tensor, of which each process will use a part."""
    if isinstance(layout, Shard):
        return changed(tensor, _gather(layout.dim), _sum_part(layout.dim), group)
    return changed(tensor, _nothing, _sum, group)


def sum_of_parts(tensor: Tensor, layout: Placement, group: ProcessGroup) -> Tensor:
    """The sum of all processes' tensors: whole, or each its part."""
    if isinstance(layout, Shard):
        return changed(tensor, _sum_part(layout.dim), _gather(layout.dim), group)
    return changed(tensor, _sum, _nothing, group)


def redistribute(tensor: Tensor, source: Placement, target: Placement, group: ProcessGroup) -> Tensor:
    """A tensor that is whole or in parts, as ``source`` says, changed to ``target``."""
    if isinstance(source, Shard):
        source = Shard(source.dim % tensor.dim())
    if isinstance(target, Shard):
        target = Shard(target.dim % tensor.dim())
    if source == target:
        return tensor
    if isinstance(source, Shard):
        tensor = changed(tensor, _gather(source.dim), _own_part(source.dim), group)
    if isinstance(target, Shard):
        tensor = changed(tensor, _own_part(target.dim), _gather(target.dim), group)
    return tensor


def changed(tensor: Tensor, forward: Change, backward: Change, group: ProcessGroup) -> Tensor:
    """``forward(tensor)``, whose derivative is ``backward``."""
    return tensor if group.size() == 1 else _Change.apply(forward, backward, group, tensor)


class _Change(Function):
    """Two changes, each of which is the derivative of the other."""

    @staticmethod
    def forward(ctx: Any, there: Change, back: Change, group: ProcessGroup, tensor: Tensor) -> Tensor:
        ctx.there, ctx.back, ctx.group = there, back, group
        return there(tensor, group)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, None, _Change.apply(ctx.back, ctx.there, ctx.group, grad)


def _nothing(tensor: Tensor, group: ProcessGroup) -> Tensor:
    return tensor.view_as(tensor)


def _sum(tensor: Tensor, group: ProcessGroup) -> Tensor:
    total = tensor.clone(memory_format=gn.contiguous_format)
    collectives.all_reduce(total, group=group)
    return total


def _own_part(dim: int) -> Change:
    return lambda tensor, group: _chunks(tensor, dim, group)[group.rank()].contiguous()


def _gather(dim: int) -> Change:
    def gather(tensor: Tensor, group: ProcessGroup) -> Tensor:
        own = tensor.contiguous()
        parts = gn.empty((group.size(), *own.shape), dtype=own.dtype, device=own.device)
        collectives.all_gather_into_tensor(parts, own, group)
        return gn.cat(parts.unbind(0), dim)

    return gather


def _sum_part(dim: int) -> Change:
    def sum_part(tensor: Tensor, group: ProcessGroup) -> Tensor:
        parts = gn.stack(_chunks(tensor, dim, group))
        own = gn.empty_like(parts[0])
        collectives.reduce_scatter_tensor(own, parts, group=group)
        return own

    return sum_part


def _chunks(tensor: Tensor, dim: int, group: ProcessGroup) -> tuple[Tensor, ...]:
    """The parts of all ranks.  Raises ValueError if they are not equal."""
    if tensor.shape[dim] % group.size():
        raise ValueError(
            f"dimension {dim} of a tensor of shape {tuple(tensor.shape)} is not divisible among "
            f"{group.size()} processes"
        )
    return tensor.chunk(group.size(), dim)


__all__ = ["changed", "for_use_in_parts", "redistribute", "sum_of_parts"]
