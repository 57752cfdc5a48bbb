"""Schedules: in which order a stage computes the forward and backward of micro-batches.

Source: torch/distributed/pipelining/schedules.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import gnomon as gn

from ...memory.tensor import Tensor
from ...utils.pytree import flatten, tree_map
from .stage import PipelineStage

Actions = list[tuple[str, int]]


class PipelineScheduleSingle(ABC):
    """A schedule of processes that have one stage each.

    ``loss_fn(output, target)`` is called in the last stage for each micro-batch.  Without it there is no
    backward.  ``scale_grads``: whether gradients are divided by the number of micro-batches, as for a loss
    that is a mean; else they are summed.
    Source: torch.distributed.pipelining.schedules.PipelineScheduleSingle.
    """

    def __init__(
        self,
        stage: PipelineStage,
        n_microbatches: int,
        loss_fn: Callable[..., Tensor] | None = None,
        *,
        scale_grads: bool = True,
    ) -> None:
        self._stage = stage
        self._n_microbatches = n_microbatches
        self._loss_fn = loss_fn
        self.scale_grads = scale_grads

    @abstractmethod
    def _order(self) -> Actions:
        """What the stage does, in order: ("forward" or "backward", number of the micro-batch)."""

    def step(
        self,
        *args: Any,
        target: Tensor | None = None,
        losses: list[Tensor] | None = None,
        return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Compute a batch's loss and gradients, which are added to the parameters' ``grad``.  All stages call
        it.

        ``args`` are the first stage's inputs, ``target`` is the last one's; ``losses``, a list, gets the last
        stage's losses of all micro-batches.  ``kwargs`` go to the own stage's module, ``loss_kwargs`` to
        ``loss_fn``.  Tensors in ``args``, ``kwargs`` and ``target`` are cut along dimension 0.  The last
        stage returns the outputs of all micro-batches, joined, unless ``return_outputs`` is False; the others
        return None.

        Raises RuntimeError under ``no_grad``, ValueError for a batch with less examples than micro-batches.
        """
        if self._loss_fn is not None and not gn.is_grad_enabled():
            raise RuntimeError(
                "step() requires gradients to be enabled for backward computation; it should not be used "
                "under gn.no_grad() context. Please call eval() instead."
            )
        with gn.set_grad_enabled(self._loss_fn is not None):
            has_backward = self._loss_fn is not None
            return self._run(args, kwargs, target, losses, return_outputs, loss_kwargs or {}, has_backward)

    def eval(
        self, *args: Any, target: Tensor | None = None, losses: list[Tensor] | None = None, **kwargs: Any
    ) -> Any:
        """``step`` without backward."""
        with gn.no_grad():
            return self._run(args, kwargs, target, losses, True, {}, False)

    def _run(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        target: Tensor | None,
        losses: list[Tensor] | None,
        return_outputs: bool,
        loss_kwargs: dict[str, Any],
        has_backward: bool,
    ) -> Any:
        stage, count = self._stage, self._n_microbatches
        batches = [chunk_of((args, kwargs, target), number, count) for number in range(count)]
        outputs: list[Any] = []
        found: list[Tensor] = []
        for action, number in self._order():
            own_args, own_kwargs, own_target = batches[number]
            if action == "forward":
                output = stage.forward_one_chunk(number, own_args, own_kwargs)
                if stage.is_last and return_outputs:
                    outputs.append(tree_map(lambda each: each.detach(), output))
                if stage.is_last and self._loss_fn is not None and target is not None:
                    loss = self._loss_fn(output, own_target, **loss_kwargs)
                    found.append(loss.detach())
                    if has_backward:
                        stage.set_loss(number, loss / count if self.scale_grads else loss)
            elif has_backward:
                stage.backward_one_chunk(number)
        stage.finish()
        if losses is not None and stage.is_last:
            losses[:] = found
        return tree_map(lambda *each: gn.cat(each), *outputs) if outputs else None


class ScheduleGPipe(PipelineScheduleSingle):
    """All micro-batches' forward, then all backward.  Source: torch.distributed.pipelining.ScheduleGPipe."""

    def _order(self) -> Actions:
        numbers = range(self._n_microbatches)
        return [("forward", each) for each in numbers] + [("backward", each) for each in numbers]


class Schedule1F1B(PipelineScheduleSingle):
    """Forward until the pipeline is full, then backward and forward in turn, then the backward that is left.

    Raises ValueError for less micro-batches than stages.
    Source: torch.distributed.pipelining.Schedule1F1B.
    """

    def __init__(
        self,
        stage: PipelineStage,
        n_microbatches: int,
        loss_fn: Callable[..., Tensor] | None = None,
        *,
        scale_grads: bool = True,
    ) -> None:
        super().__init__(stage, n_microbatches, loss_fn, scale_grads=scale_grads)
        if n_microbatches < stage.num_stages:
            raise ValueError(
                f"Number of microbatches ({n_microbatches}) must be greater than "
                f"or equal to the number of stages ({stage.num_stages})."
            )

    def _order(self) -> Actions:
        count = self._n_microbatches
        ahead = self._stage.num_stages - self._stage.stage_index  # the stages from this one on
        order = [("forward", number) for number in range(ahead)]
        for number in range(count):
            order.append(("backward", number))
            if number + ahead < count:
                order.append(("forward", number + ahead))
        return order


def chunk_of(tree: Any, number: int, count: int) -> Any:
    """A nest with the part of micro-batch ``number`` of ``count`` of each tensor, along dimension 0.

    Raises ValueError for a tensor with less than ``count`` elements there.
    """
    for each in flatten(tree)[0]:
        if isinstance(each, Tensor) and (each.dim() == 0 or each.shape[0] < count):
            raise ValueError(f"a tensor of shape {tuple(each.shape)} is too small for {count} micro-batches")
    return tree_map(lambda each: each.tensor_split(count)[number] if isinstance(each, Tensor) else each, tree)


__all__ = ["PipelineScheduleSingle", "Schedule1F1B", "ScheduleGPipe"]
