"""ZeroRedundancyOptimizer: each process keeps the optimizer's state of some of the parameters only.

In data-parallel training all processes have all parameters and all gradients, and would make the same update
with the same state, of which Adam has two numbers for each parameter.  Here every parameter has one *owner*.
A step is

    1. each process updates the parameters that it owns, by an optimizer of its own that has only these;
    2. each process broadcasts them.

The update of a parameter is what it would be without this, computed once: the result is the same, bit for
bit, for optimizers that update parameters one by one (all but LBFGS).  A process's state is about 1/N of the
whole.  Owners are chosen greedily: the largest parameter first, each to the process that has the least so
far.

Source: Rajbhandari et al., "ZeRO: memory optimizations toward training trillion parameter models", 2020
(stage 1); torch/distributed/optim/zero_redundancy_optimizer.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import gnomon as gn

from ...memory.tensor import Tensor
from ...optim import Optimizer
from ...utils.pytree import flatten, tree_map
from ...values.errors import type_name
from .. import collectives, object_collectives, point_to_point
from ..process_group import ProcessGroup, resolved
from ..work import Work

Groups = list[dict[str, Any]]


class ZeroRedundancyOptimizer(Optimizer):
    """An optimizer that is divided among the processes of a group.

    ``optimizer_class`` and ``defaults`` are the optimizer that each process has for its own parameters
    (``optim``).  All processes give the same parameters, in the same order, and call ``step``,
    ``add_param_group`` and ``consolidate_state_dict`` together; gradients must be the same everywhere
    (DistributedDataParallel sees to that).  ``param_groups`` has all parameters; options that are changed
    there, as by a learning rate scheduler, hold for the next step.

    ``parameters_as_bucket_view``: each process's parameters lie in one piece of memory, and travel as one
    message instead of one each.

    Raises TypeError for ``params`` of another type, ValueError for none, and for parameters that are sparse
    or of different dtypes; NotImplementedError for ``overlap_with_ddp``.
    Source: torch.distributed.optim.ZeroRedundancyOptimizer.
    """

    def __init__(
        self,
        params: Iterable[Any],
        optimizer_class: type[Optimizer],
        process_group: ProcessGroup | None = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> None:
        if overlap_with_ddp:
            raise NotImplementedError("ZeroRedundancyOptimizer: overlap_with_ddp=True is not supported")
        given = _checked(params)
        self.process_group = resolved(process_group)
        self.world_size = self.process_group.size()
        self.rank = self.process_group.rank()
        self.parameters_as_bucket_view = parameters_as_bucket_view
        self.optim: Optimizer | None = None
        self._sizes = [0] * self.world_size  # the elements that each rank owns
        self._owned: list[list[list[Tensor]]] = []  # [group][rank]: parameters
        self._buckets: list[Tensor] = []
        self._consolidated: list[dict[str, Any]] = []  # every rank's state, after consolidate_state_dict
        super().__init__(given, defaults)
        self.optim = optimizer_class(
            [{**group, "params": owned[self.rank]} for group, owned in zip(self.param_groups, self._owned)],
            **defaults,
        )
        _copy_options(self.optim.param_groups, self.param_groups)
        self._build_buckets()

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters, which are divided, too.  All processes must call it."""
        super().add_param_group(param_group)
        owned: list[list[Tensor]] = [[] for _ in range(self.world_size)]
        for param in sorted(param_group["params"], key=lambda each: -each.numel()):
            rank = self._sizes.index(min(self._sizes))
            owned[rank].append(param)
            self._sizes[rank] += param.numel()
        self._owned.append(owned)
        if self.optim is not None:
            self.optim.add_param_group({**param_group, "params": owned[self.rank]})
            _copy_options(self.optim.param_groups, self.param_groups)
            self._build_buckets()

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Update this process's parameters, and exchange all.  ``kwargs`` go to the optimizer's step.

        Returns what ``closure`` does.
        """
        own = self._own()
        _copy_options(self.param_groups, own.param_groups)
        loss = own.step(**kwargs) if closure is None else own.step(closure=closure, **kwargs)
        _copy_options(own.param_groups, self.param_groups)
        works = [work for rank in range(self.world_size) for work in self._broadcast(rank)]
        for work in works:
            work.wait()
        return loss

    def _broadcast(self, rank: int) -> list[Work]:
        """Begin to send the parameters of ``rank`` to all."""
        tensors = [self._buckets[rank]] if self._buckets else self._owned_by(rank)
        begun = (
            collectives.broadcast(each.detach(), group=self.process_group, group_src=rank, async_op=True)
            for each in tensors
            if each.numel()
        )
        return [work for work in begun if work is not None]

    # -- state -----------------------------------------------------------------------------------------------

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Bring the state of all processes to rank ``to`` of the group, on the host, for its ``state_dict``.

        All processes must call it.  Tensors travel as they are; only what else a state has is pickled.
        """
        own = self._own()
        _copy_options(self.param_groups, own.param_groups)
        state = own.state_dict()
        outline = tree_map(lambda each: _Place.of(each) if isinstance(each, Tensor) else each, state)
        outlines: list[Any] = [None] * self.world_size if self.rank == to else []
        object_collectives.gather_object(outline, outlines or None, group=self.process_group, group_dst=to)
        self._consolidated = []
        if self.rank != to:
            for each in flatten(state)[0]:
                if isinstance(each, Tensor):
                    point_to_point.send(each, group=self.process_group, group_dst=to)
            return
        for rank, each in enumerate(outlines):
            if rank == self.rank:
                made = tree_map(
                    lambda one: one.to("cpu", copy=True) if isinstance(one, Tensor) else one, state
                )
            else:
                made = self._filled(each, rank)
            self._consolidated.append(made)

    def _filled(self, outline: Any, rank: int) -> Any:
        """What ``outline`` describes, with the tensors that ``rank`` sends."""

        def received(place: Any) -> Any:
            if not isinstance(place, _Place):
                return place
            made = gn.empty(place.shape, dtype=place.dtype, device="cpu")
            point_to_point.recv(made, group=self.process_group, group_src=rank)
            return made

        return tree_map(received, outline)

    def state_dict(self) -> dict[str, Any]:
        """The whole optimizer's state, as one process without this class would have it.

        It is that of the last ``consolidate_state_dict``; raises RuntimeError if that was never called to
        this rank.
        """
        if not self._consolidated:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save the "
                "global state."
            )
        return self._numbered(dict(enumerate(self._consolidated)))

    def _own_state_dict(self) -> dict[str, Any]:
        """The whole optimizer's state dict, with the state of this process's parameters only."""
        own = self._own()
        _copy_options(self.param_groups, own.param_groups)
        return self._numbered({self.rank: own.state_dict()})

    def _numbered(self, states: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
        """The states of the optimizers of some ranks, by the numbers of parameters in the whole optimizer."""
        whole = super().state_dict()
        numbers = self._number_of()
        for rank, local in states.items():
            for number, param in enumerate(self._owned_by(rank)):
                if number in local["state"]:
                    whole["state"][numbers[param]] = local["state"][number]
        whole["state"] = dict(sorted(whole["state"].items()))
        return whole

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what ``state_dict`` returned, here or in a process without this class: this process keeps the
        part that it owns.  Every process must be given the whole.

        Raises ValueError if the groups do not match.
        """
        super().load_state_dict({**state_dict, "state": {}})
        own, numbers = self._own(), self._number_of()
        local = own.state_dict()
        local["state"] = {
            number: state_dict["state"][numbers[param]]
            for number, param in enumerate(self._owned_by(self.rank))
            if numbers[param] in state_dict["state"]
        }
        _copy_options(self.param_groups, local["param_groups"])
        own.load_state_dict(local)

    # -- who owns what ---------------------------------------------------------------------------------------

    def _own(self) -> Optimizer:
        assert self.optim is not None, "the constructor makes it"
        return self.optim

    def _owned_by(self, rank: int) -> list[Tensor]:
        """The parameters of a rank, in the order of its optimizer."""
        return [param for owned in self._owned for param in owned[rank]]

    def _number_of(self) -> dict[Tensor, int]:
        """The number of each parameter in the whole optimizer's state dict."""
        return {param: number for number, param in enumerate(self._parameters())}

    def _build_buckets(self) -> None:
        """Move each rank's parameters into one tensor."""
        if not self.parameters_as_bucket_view:
            return
        self._buckets = []
        for rank in range(self.world_size):
            params = self._owned_by(rank)
            like = next(self._parameters())
            bucket = gn.empty(sum(each.numel() for each in params), dtype=like.dtype, device=like.device)
            for param, place in zip(params, bucket.split([each.numel() for each in params])):
                place.copy_(param.detach().reshape(-1))
                param.data = place.view(param.shape)
            self._buckets.append(bucket)


@dataclass(frozen=True)
class _Place:
    """What a tensor is, for a process that is to receive it."""

    shape: tuple[int, ...]
    dtype: gn.dtype

    @classmethod
    def of(cls, tensor: Tensor) -> _Place:
        return cls(tuple(tensor.shape), tensor.dtype)


def _checked(params: Any) -> list[Any]:
    """The parameters or groups as a list, which can be gone through twice.  Raises as the class says."""
    if isinstance(params, Tensor):
        raise TypeError(f"`params` argument should be an iterable of Tensors, but got {type_name(params)}")
    try:
        given = list(params)
    except TypeError as error:
        raise TypeError(
            f"`params` argument should be an iterable of Tensors or dicts, but got {type_name(params)}"
        ) from error
    if not given:
        raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
    if all(isinstance(each, dict) for each in given):
        for group in given:
            if "params" not in group:
                raise ValueError(
                    "Each parameter group passed-in via `params` must have a 'params' key mapping to the "
                    "parameters in the group"
                )
            members = group["params"]
            group["params"] = [members] if isinstance(members, Tensor) else list(members)
        tensors = [param for group in given for param in group["params"]]
    elif all(isinstance(each, Tensor) for each in given):
        tensors = given
    else:
        raise TypeError("`params` argument should be an iterable of Tensors or dicts")
    kinds = list(dict.fromkeys(each.type() for each in tensors))
    if len(kinds) > 1 or any(each.layout is not gn.strided for each in tensors):
        raise ValueError(
            "ZeroRedundancyOptimizer only supports using the same dense type for all parameters but got "
            f"{' and '.join(kinds)}"
        )
    return given


def _copy_options(source: Groups, target: Groups) -> None:
    """Give the groups in ``target`` the options of those in ``source``: all but the parameters."""
    for one, other in zip(source, target):
        other.update({name: value for name, value in one.items() if name not in ("params", "param_names")})


__all__ = ["ZeroRedundancyOptimizer"]
