"""ParameterGroup: parameters of which each process has a part, and which are gathered in one message.

Each forward makes new whole tensors, by the Function ``_Gather`` of the parts.  Their memory comes and goes
while their graph lives: a ``Gathered`` empties their storages and fills them again, beside autograd, to which
the values never change.  So what forward saved for backward takes no memory until backward comes to it.

    all_gather:          rank 0      rank 1                     weight             bias
        parts           w0 b0       w1 b1    ->  w0 b0 w1 b1  ->  w0 w1     and     b0 b1

A reduce_scatter of gradients goes the same way back.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import gnomon as gn

from ...autograd.function import Function, once_differentiable
from ...memory.tensor import Tensor
from ...nn import Module
from ...nn.parameter import Parameter
from .. import collectives
from ..process_group import ProcessGroup
from ..reduce_op import ReduceOp
from ..tensor.sharding import padded, shard, sharding_of
from ..work import Work
from .api import MixedPrecisionPolicy


class ParameterGroup:
    """The parameters of ``modules`` that are not cut among ``group`` yet: it cuts them.

    ``ignored`` ones stay whole.  ``replicas``: a group of processes that have the same parts; their gradients
    are averaged, too.  Raises ValueError for parameters without dimensions, and of different dtypes.
    """

    def __init__(
        self,
        modules: Sequence[Module],
        group: ProcessGroup,
        replicas: ProcessGroup | None,
        policy: MixedPrecisionPolicy,
        ignored: Container[Tensor] = (),
    ) -> None:
        self.group = group
        self.replicas = replicas
        self.policy = policy
        self.owners: dict[Parameter, list[tuple[Module, str]]] = {}  # a tied parameter has several
        for module in modules:
            for name, parameter in module._parameters.items():
                if parameter is None or parameter in ignored or _is_cut(parameter, group):
                    continue
                if parameter.dim() == 0:
                    raise ValueError(
                        "fully_shard doesn't support scalar parameters. Change "
                        f"{name} to a 1D tensor with numel equal to 1."
                    )
                self.owners.setdefault(parameter, []).append((module, name))
        kinds = {each.dtype for each in self.owners}
        if len(kinds) > 1:
            raise ValueError(f"fully_shard expects uniform parameter dtype but got {sorted(map(str, kinds))}")
        self.shapes = [tuple(each.shape) for each in self.owners]
        self.owners = {
            shard(each, group, 0, *(module for module, _ in places)): places
            for each, places in self.owners.items()
        }
        for module in modules:  # a state is of parts, also if the modules see whole parameters
            module.register_state_dict_pre_hook(lambda *_: self.reshard())
            module.register_load_state_dict_pre_hook(lambda *_: self.reshard())
        self.parts = list(self.owners)
        self.rows = [-(-shape[0] // group.size()) for shape in self.shapes]
        self.sizes = [rows * _product(shape[1:]) for rows, shape in zip(self.rows, self.shapes)]
        self.is_reducing = True
        self.unreduced: list[Tensor | None] = [None] * len(self.parts)  # gradients of the whole parameters
        self.current: Gathered | None = None  # what modules see; None: the parts
        self.begun: Gathered | None = None  # by ``begin``, for the next ``unshard``
        self._show(self.parts)

    def begin(self) -> None:
        """Begin to gather, for the next ``unshard``."""
        if self.parts and not self._is_usable(self.current):
            self.begun = Gathered(self)
            self.begun.begin()

    def unshard(self) -> Gathered | None:
        """Have the modules see whole parameters.  Returns what keeps their memory; None without
        parameters.
        """
        if not self.parts:
            return None
        if not self._is_usable(self.current):
            self.reshard()
            begun, self.begun = self.begun, None
            if begun is not None and not begun.is_fresh():
                begun.free()
                begun = None
            gathered = begun or Gathered(self)
            wholes = _Gather.apply(gathered, *self.parts)
            gathered.is_recorded = any(each.requires_grad for each in wholes)
            self.show(gathered, wholes)
        return self.current

    def show(self, gathered: Gathered, wholes: Sequence[Tensor]) -> None:
        """Have the modules see ``wholes``, whose memory ``gathered`` keeps."""
        self.current = gathered
        self._show(wholes)

    def reshard(self) -> None:
        """Have the modules see the parts, and free the memory of the whole parameters."""
        if self.current is not None:
            self.current.free()
            self.current = None
            self._show(self.parts)

    def wholes(self) -> list[Tensor]:
        """What the modules see."""
        return [module._parameters[name] for (module, name), *_ in self.owners.values()]  # type: ignore[misc]

    def flat(self) -> Tensor:
        """This process's parts, one after the other, as they are sent."""
        parts = [padded(each.detach(), rows).reshape(-1) for each, rows in zip(self.parts, self.rows)]
        return gn.cat(parts).to(self.policy.param_dtype or self.parts[0].dtype)

    def reduced(self, grads: Sequence[Tensor | None]) -> list[Tensor | None]:
        """The means of all processes' gradients of the whole parameters: of each this process's part."""
        size = self.group.size()
        present = [number for number, each in enumerate(grads) if each is not None]
        results: list[Tensor | None] = [None] * len(grads)
        if not present:
            return results
        rows = [
            padded(each, count * size).reshape(size, -1)
            for each, count in zip(grads, self.rows)
            if each is not None
        ]
        flat = gn.cat(rows, 1)
        if self.policy.reduce_dtype is not None:
            flat = flat.to(self.policy.reduce_dtype)
        own = gn.empty_like(flat[0])
        collectives.reduce_scatter_tensor(own, flat, ReduceOp.AVG, self.group)
        if self.replicas is not None:
            collectives.all_reduce(own, ReduceOp.AVG, self.replicas)
        for number, mean in zip(present, own.split([self.sizes[n] for n in present])):
            part = self.parts[number]
            # a copy: of its own memory, not the whole group's
            results[number] = mean[: part.numel()].view(part.shape).to(part.dtype, copy=True)
        return results

    def _is_usable(self, gathered: Gathered | None) -> bool:
        """Can another forward use it?"""
        if gathered is None or not gathered.is_filled or not gathered.is_fresh():
            return False
        return gathered.is_recorded or not gn.is_grad_enabled()

    def _show(self, tensors: Sequence[Tensor]) -> None:
        for places, tensor in zip(self.owners.values(), tensors):
            for module, name in places:
                module._parameters[name] = tensor  # type: ignore[assignment]


class Gathered:
    """The memory of the whole parameters that one forward made.

    It is there or not (``is_filled``).  ``fill`` may be called at any time, and ``free`` whenever nothing is
    computed with them: backward fills it again.
    """

    def __init__(self, group: ParameterGroup) -> None:
        self.group = group
        self.versions = [each._version for each in group.parts]
        self.is_filled = False
        self.is_recorded = False
        self.is_done = False  # backward has used it
        self._places: list[Tensor] = []  # aliases, which autograd does not see
        self._begun: tuple[Work | None, Tensor, Tensor] | None = None

    def is_fresh(self) -> bool:
        """Are the parts those that were gathered?"""
        return self.versions == [each._version for each in self.group.parts]

    def new_wholes(self) -> list[Tensor]:
        """The whole parameters, filled."""
        group = self.group
        dtype = group.policy.param_dtype or group.parts[0].dtype
        made = [gn.empty(shape, dtype=dtype, device=group.parts[0].device) for shape in group.shapes]
        self._places = [each.data for each in made]
        self._empty()
        self.fill()
        return made

    def nbytes(self) -> int:
        """The memory that the whole parameters take now."""
        return sum(each.untyped_storage().nbytes() for each in self._places)

    def begin(self) -> None:
        """Begin to fill: what is sent is on the way."""
        if self.is_filled or self.is_done or self._begun is not None:
            return
        own = self.group.flat()
        everything = own.new_empty(self.group.group.size() * own.numel())
        work = collectives.all_gather_into_tensor(everything, own, self.group.group, async_op=True)
        self._begun = work, everything, own

    def fill(self) -> None:
        """Have the memory and the values of the whole parameters.

        Raises RuntimeError if the parts have been changed since they were gathered first.
        """
        if self.is_filled:
            return
        if not self.is_fresh():
            raise RuntimeError(
                "fully_shard: parameters needed for backward have been modified since forward, as by an "
                "optimizer's step"
            )
        self.is_done = False
        self.begin()
        everything = self._end()
        group = self.group
        by_rank = everything.view(group.group.size(), -1).split(group.sizes, 1)
        for place, rows in zip(self._places, by_rank):
            place.untyped_storage().resize_(place.numel() * place.dtype.itemsize)
            place.copy_(rows.reshape(-1, *place.shape[1:])[: place.shape[0]])
        self.is_filled = True

    def free(self) -> None:
        """Give the memory back."""
        if self._begun is not None:
            self._end()
        self._empty()

    def _end(self) -> Tensor:
        assert self._begun is not None
        work, everything, _ = self._begun
        if work is not None:
            work.wait()
        self._begun = None
        return everything

    def _empty(self) -> None:
        for each in self._places:
            each.untyped_storage().resize_(0)
        self.is_filled = False


class _Gather(Function):
    """The whole parameters of the parts.  Its backward is the end of their group's backward."""

    @staticmethod
    def forward(ctx: Any, gathered: Gathered, *parts: Tensor) -> tuple[Tensor, ...]:
        ctx.gathered = gathered
        ctx.set_materialize_grads(False)
        wholes = gathered.new_wholes()
        frozen = [whole for whole, needed in zip(wholes, ctx.needs_input_grad[1:]) if not needed]
        ctx.mark_non_differentiable(*frozen)
        return tuple(wholes)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        gathered: Gathered = ctx.gathered
        group = gathered.group
        if group.current is gathered:
            group.reshard()
        gathered.free()
        gathered.is_done = True
        sums = [_sum(each, other) for each, other in zip(group.unreduced, grads)]
        if not group.is_reducing:
            group.unreduced = sums
            return None, *[None for _ in grads]
        group.unreduced = [None for _ in grads]
        return None, *group.reduced(sums)


def _is_cut(parameter: Tensor, group: ProcessGroup) -> bool:
    sharding = sharding_of(parameter)
    return sharding is not None and sharding.group is group


def _sum(one: Tensor | None, other: Tensor | None) -> Tensor | None:
    if one is None or other is None:
        return one if other is None else other
    return one + other


def _product(sizes: Sequence[int]) -> int:
    result = 1
    for each in sizes:
        result *= each
    return result


__all__ = ["Gathered", "ParameterGroup"]
