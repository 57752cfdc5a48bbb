"""Training with uneven inputs: a process without inputs answers the collectives of the others.

Without this, a process that has fewer batches would leave the others waiting for it in a collective.

    with Join([model]):
        for batch in own_batches:       # more of them on some processes
            ...

Source: torch/distributed/algorithms/join.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import Any, NamedTuple

import gnomon as gn

from ...values.errors import warn
from ..collectives import all_reduce
from ..process_group import get_rank
from ..work import Work

_MANY = 1000  # iterations without inputs after which it warns


class JoinHook:
    """What a process does when it has no inputs left.  Source: torch.distributed.algorithms.JoinHook."""

    def main_hook(self) -> None:
        """Answer the collectives of one iteration of the others.  Called until none has inputs left."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Called at the end; ``is_last_joiner``: whether this process was one of the last with inputs."""


class _JoinConfig(NamedTuple):
    """What a Joinable knows of the context that it is in."""

    enable: bool
    throw_on_early_termination: bool
    is_first_joinable: bool


class Joinable(ABC):
    """Something that uses collectives in each iteration: a model, an optimizer.

    Source: torch.distributed.algorithms.Joinable.
    """

    @abstractmethod
    def __init__(self) -> None:
        super().__init__()
        self._join_config = _JoinConfig(False, False, False)

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """The hook; ``kwargs`` are those given to ``Join``."""

    @property
    @abstractmethod
    def join_device(self) -> gn.device:
        """The device of the tensors by which processes tell each other that they go on."""

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """The group."""


class Join:
    """Inside, processes may run different numbers of iterations.

    ``joinables``, in the order in which each iteration uses them, must call ``notify_join_context`` before
    their collectives.  ``enable=False`` switches it off.  With ``throw_on_early_termination`` all processes
    raise RuntimeError as soon as one has no inputs left.  Other arguments are given to the hooks.

    Raises ValueError for no ``joinables``, and if they are of several groups.
    Source: torch.distributed.algorithms.Join.
    """

    def __init__(
        self,
        joinables: Sequence[Joinable],
        enable: bool = True,
        throw_on_early_termination: bool = False,
        **kwargs: Any,
    ) -> None:
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = joinables
        self._join_hooks = [each.join_hook(**kwargs) for each in joinables]
        self._enable = enable
        self._throw_on_early_termination = throw_on_early_termination
        for each in joinables:
            each._join_config = _JoinConfig(enable, throw_on_early_termination, each is joinables[0])
        groups = [each.join_process_group for each in joinables]
        if any(each is not groups[0] for each in groups):
            raise ValueError("Using join context manager with multiple process groups")
        self._process_group = groups[0]
        self._rank = get_rank(self._process_group)
        self._device = joinables[0].join_device

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._enable or kind is not None:
            return
        iterations = 0
        while self._others():
            if self._throw_on_early_termination:
                self._sum(1)
                raise RuntimeError(f"Rank {self._rank} exhausted all inputs.")
            for hook in self._join_hooks:
                hook.main_hook()
            iterations += 1
            if iterations == _MANY:
                warn(
                    f"Detected uneven input skew of greater than {_MANY}. This means that rank {self._rank} "
                    f"has at least {_MANY} fewer inputs than other currently-active ranks. This level of "
                    "skew could lead to performance degradation during training."
                )
        for hook in self._join_hooks:
            hook.post_hook(is_last_joiner=iterations == 0)

    def _others(self) -> int:
        """The number of processes that go on."""
        return self._sum(0)

    def _sum(self, number: int) -> int:
        total = gn.tensor([number], dtype=gn.float32, device=self._device)
        all_reduce(total, group=self._process_group)
        return int(total.item())

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Work | None:
        """Tell the others that this process goes on: to be called before an iteration's first collective.

        Only the first of the context's joinables does it; it gets the Work that counts those that go on.
        Raises RuntimeError with ``throw_on_early_termination`` if one does not.
        """
        if not hasattr(joinable, "_join_config"):
            raise AssertionError(
                f"Check that the {type(joinable)} constructor calls the ``Joinable`` constructor"
            )
        config = joinable._join_config
        if not config.is_first_joinable or not config.enable:
            return None
        group = joinable.join_process_group
        ones = gn.ones(1, device=joinable.join_device)
        work = all_reduce(ones, group=group, async_op=True)
        if config.throw_on_early_termination:
            ended = gn.zeros(1, device=joinable.join_device)
            all_reduce(ended, group=group)
            assert work is not None
            work.wait()
            if ended.item():
                raise RuntimeError(
                    "Detected at least one rank that exhausted inputs. Throwing across all ranks."
                )
        return work


__all__ = ["Join", "JoinHook", "Joinable"]
