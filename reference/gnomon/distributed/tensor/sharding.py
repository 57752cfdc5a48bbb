"""How parameters are cut along a dimension, and put together again.

N processes cut a dimension of n elements into parts of ceil(n / N), as ``chunk`` does: the last parts may be
shorter, or empty.  Where a collective needs equal parts, they are padded.

    n = 7, N = 3:     [0 1 2] [3 4 5] [6 . .]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gnomon as gn

from ...memory.tensor import Tensor
from ...nn.parameter import Parameter
from .. import collectives
from ..process_group import ProcessGroup
from ..reduce_op import ReduceOp

if TYPE_CHECKING:
    from ...nn import Module


@dataclass(frozen=True)
class Sharding:
    """How a parameter was cut: along dimension ``dim``, which had ``size`` elements, among ``group``.

    ``before``: how the tensor that was cut had been cut itself, among another group.
    """

    group: ProcessGroup
    dim: int
    size: int
    before: Sharding | None = None

    @property
    def most(self) -> int:
        """The elements of a part along the dimension, if it is not one of the last."""
        return -(-self.size // self.group.size())

    def range_of(self, rank: int) -> range:
        """The elements of the dimension that a rank has."""
        return range(min(self.most * rank, self.size), min(self.most * (rank + 1), self.size))

    def place(self, shape: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shape of the whole, and the offset of this process's part, which has the shape ``shape``."""
        sizes, offset = list(shape), [0] * len(shape)
        step: Sharding | None = self
        while step is not None:
            sizes[step.dim] = step.size
            offset[step.dim] += step.range_of(step.group.rank()).start
            step = step.before
        return tuple(sizes), tuple(offset)

    def norm_of_whole(self, norm: Tensor, norm_type: float) -> Tensor:
        """The norm of all parts together, from that of this process's part; of several tensors at once, in a
        1-d tensor.  All processes must call it.
        """
        step: Sharding | None = self
        while step is not None:
            if math.isinf(norm_type):
                collectives.all_reduce(norm, ReduceOp.MAX if norm_type > 0 else ReduceOp.MIN, step.group)
            elif norm_type == 0:
                collectives.all_reduce(norm, group=step.group)
            else:
                norm = norm**norm_type
                collectives.all_reduce(norm, group=step.group)
                norm = norm ** (1 / norm_type)
            step = step.before
        return norm

    @property
    def groups(self) -> tuple[ProcessGroup, ...]:
        """All among which it was cut."""
        return (self.group, *(self.before.groups if self.before is not None else ()))

    def part_of(self, tensor: Tensor) -> Tensor:
        """This process's part of the whole, as a view."""
        own = self.range_of(self.group.rank())
        return tensor.narrow(self.dim, own.start, len(own))


def sharding_of(parameter: Tensor) -> Sharding | None:
    """How a parameter was cut; None if it was not."""
    found: Sharding | None = getattr(parameter, "_sharding", None)
    return found


def marked(part: Tensor, sharding: Sharding | None) -> Tensor:
    """``part``, which from now on knows how it was cut."""
    if sharding is not None:
        part._sharding = sharding  # type: ignore[attr-defined]
    return part


def mark_state_dict(module: Module, state_dict: dict[str, Any], prefix: str, metadata: Any) -> None:
    """A hook of modules: the parts in a ``state_dict``, which are aliases of parameters, know how they were
    cut, too.
    """
    for name, parameter in module._parameters.items():
        if parameter is not None and prefix + name in state_dict:
            marked(state_dict[prefix + name], sharding_of(parameter))


def shard(parameter: Tensor, group: ProcessGroup, dim: int, *modules: Module) -> Parameter:
    """A parameter of ``modules`` that is this process's part of ``parameter``, with memory of its own."""
    dim = dim % parameter.dim()
    sharding = Sharding(group, dim, parameter.shape[dim], sharding_of(parameter))
    own = sharding.part_of(parameter.detach()).clone(memory_format=gn.contiguous_format)
    part = Parameter(own, requires_grad=parameter.requires_grad)
    marked(part, sharding)
    for module in modules:
        if mark_state_dict not in module._state_dict_hooks.values():
            module._register_state_dict_hook(mark_state_dict)
    return part


def padded(part: Tensor, rows: int) -> Tensor:
    """A part with as many rows as others have; what is added is zero."""
    if part.shape[0] == rows:
        return part
    return gn.cat([part, part.new_zeros((rows - part.shape[0], *part.shape[1:]))])


def full_tensor(parameter: Tensor) -> Tensor:
    """The whole of a parameter of which each process has a part, or of its gradient, as a new tensor in all.

    All processes of the group must call it.  Of a parameter that was not cut, a detached alias.
    Source: torch.distributed.tensor.DTensor.full_tensor.
    """
    return gathered(parameter.detach(), sharding_of(parameter))


def gathered(part: Tensor, sharding: Sharding | None) -> Tensor:
    """The whole of which each process has a ``part``."""
    while sharding is not None:
        own = padded(part.movedim(sharding.dim, 0), sharding.most).contiguous()
        rows = gn.empty(
            (own.shape[0] * sharding.group.size(), *own.shape[1:]), dtype=own.dtype, device=own.device
        )
        collectives.all_gather_into_tensor(rows, own, sharding.group)
        part = rows[: sharding.size].movedim(0, sharding.dim).contiguous()
        sharding = sharding.before
    return part


def full_state_dict(module: Module) -> dict[str, Tensor]:
    """The ``state_dict`` of the module as it was before its parameters were cut: whole, in every process.

    All processes must call it.  Source: torch.distributed.checkpoint.state_dict.get_model_state_dict with
    ``full_state_dict``.
    """
    members = module.state_dict(keep_vars=True)
    return {name: full_tensor(each) if isinstance(each, Tensor) else each for name, each in members.items()}


def load_full_state_dict(module: Module, state_dict: dict[str, Tensor]) -> None:
    """Load what ``full_state_dict`` returned, or a module whose parameters are not cut: every process takes
    its parts.

    Source: torch.distributed.checkpoint.state_dict.set_model_state_dict with ``full_state_dict``.
    """
    members = module.state_dict(keep_vars=True)
    module.load_state_dict(
        {
            name: own_part(each, sharding_of(members[name])) if name in members else each
            for name, each in state_dict.items()
        }
    )


def own_part(whole: Tensor, sharding: Sharding | None) -> Tensor:
    """This process's part of ``whole``, as a view; the inverse of ``gathered``."""
    if sharding is None:
        return whole
    return sharding.part_of(own_part(whole, sharding.before))


__all__ = [
    "Sharding",
    "full_state_dict",
    "full_tensor",
    "gathered",
    "load_full_state_dict",
    "mark_state_dict",
    "marked",
    "own_part",
    "padded",
    "shard",
    "sharding_of",
]
