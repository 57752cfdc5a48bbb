"""PipelineStage: some layers of a model, and their messages to the stages beside them.

Source: torch/distributed/pipelining/stage.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gnomon as gn

from ... import nn
from ...autograd import engine
from ...memory.tensor import Tensor
from .. import object_collectives, point_to_point
from ..process_group import ProcessGroup, resolved
from ..work import Work

_FORWARD, _BACKWARD = 1, 2  # tags of activations, and of their gradients


@dataclass(frozen=True)
class _Outline:
    """What a tensor is that is to be received, and whether its gradient is to be sent back."""

    shape: tuple[int, ...]
    dtype: gn.dtype
    requires_grad: bool

    @classmethod
    def of(cls, tensor: Tensor) -> _Outline:
        return cls(tuple(tensor.shape), tensor.dtype, tensor.requires_grad)

    def new(self, device: gn.device) -> Tensor:
        return gn.empty(self.shape, dtype=self.dtype, device=device)


class PipelineStage:
    """Stage ``stage_index`` of ``num_stages``: a module that gets what the stage before returns, a tensor or
    a tuple of tensors, as its arguments.

    The stage's number is the rank of its process in ``group`` (default: all).  A stage tells the next one the
    shapes and dtypes of what it sends, whenever they change: ``input_args``, ``output_args`` and their
    gradients, which are examples of them, are ignored.
    Raises ValueError for a number that is not one of the stages, or not the rank of this process.
    Source: torch.distributed.pipelining.PipelineStage.
    """

    def __init__(
        self,
        submodule: nn.Module,
        stage_index: int,
        num_stages: int,
        device: Any,
        input_args: Any = None,
        output_args: Any = None,
        output_grads: Any = None,
        input_grads: Any = None,
        group: ProcessGroup | None = None,
    ) -> None:
        if not 0 <= stage_index < num_stages:
            raise ValueError(f"Stage index {stage_index} is out of range of {num_stages}")
        self.group = resolved(group)
        if self.group.size() != num_stages or self.group.rank() != stage_index:
            raise ValueError(
                f"PipelineStage: expected one stage for each process of the group, with its rank; got stage "
                f"{stage_index} of {num_stages} on rank {self.group.rank()} of {self.group.size()}"
            )
        self.submod = submodule.to(device)
        self.stage_index = stage_index
        self.num_stages = num_stages
        self.device = gn.device(device)
        # of micro-batches between forward and backward: the inputs, and the outputs or the loss
        self._held: dict[int, tuple[list[Tensor], list[Tensor]]] = {}
        # what the last inputs and outputs of each micro-batch were: told to the next stage when it changes
        self._inputs: dict[int, list[_Outline]] = {}
        self._outputs: dict[int, list[_Outline]] = {}
        self._sent: list[Work] = []

    @property
    def is_first(self) -> bool:
        """Does it get the batch?"""
        return self.stage_index == 0

    @property
    def is_last(self) -> bool:
        """Does it compute the loss?"""
        return self.stage_index == self.num_stages - 1

    def forward_one_chunk(self, chunk: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Receive a micro-batch's activations (the first stage is given ``args``), compute, send them on.

        Returns what the module does.
        """
        inputs: list[Tensor] = []
        if not self.is_first:
            inputs = self._received_inputs(chunk)
            args = tuple(inputs)
        result = self.submod(*args, **kwargs)
        outputs = list(result) if isinstance(result, (tuple, list)) else [result]
        if not self.is_last:
            self._send_outputs(chunk, outputs)
        if gn.is_grad_enabled():
            self._held[chunk] = inputs, outputs
        return result

    def set_loss(self, chunk: int, loss: Tensor) -> None:
        """What backward begins with, in the last stage."""
        self._held[chunk] = self._held[chunk][0], [loss]

    def backward_one_chunk(self, chunk: int) -> None:
        """Receive the gradients of a micro-batch's outputs, compute those of the parameters, which are added
        up, and of the inputs, which are sent back.
        """
        inputs, outputs = self._held.pop(chunk)
        roots = [each for each in outputs if each.requires_grad]
        grads: list[Tensor | None] = [None] * len(roots)
        if not self.is_last:
            places = [_Outline.of(each).new(self.device) for each in roots]
            for each in places:
                point_to_point.recv(each, group=self.group, tag=_BACKWARD, group_src=self.stage_index + 1)
            grads = list(places)
        if roots:
            engine.backward(roots, grads)
        for each in inputs:
            if each.requires_grad:
                self._send(gn.zeros_like(each) if each.grad is None else each.grad, -1, _BACKWARD)
        self._forget_sent()

    def finish(self) -> None:
        """Wait until all that was sent has been received."""
        for each in self._sent:
            each.wait()
        self._sent.clear()

    def _received_inputs(self, chunk: int) -> list[Tensor]:
        source = self.stage_index - 1
        is_new = gn.empty(1, dtype=gn.bool)
        point_to_point.recv(is_new, group=self.group, tag=_FORWARD, group_src=source)
        if is_new.item():
            told: list[Any] = [None]
            object_collectives.recv_object_list(told, group=self.group, group_src=source)
            self._inputs[chunk] = told[0]
        made = []
        for outline in self._inputs[chunk]:
            place = outline.new(self.device)
            point_to_point.recv(place, group=self.group, tag=_FORWARD, group_src=source)
            made.append(place.requires_grad_(outline.requires_grad))
        return made

    def _send_outputs(self, chunk: int, outputs: list[Tensor]) -> None:
        own = [_Outline.of(each) for each in outputs]
        is_new = self._outputs.get(chunk) != own
        self._send(gn.tensor([is_new]), 1, _FORWARD)
        if is_new:
            self._outputs[chunk] = own
            object_collectives.send_object_list([own], group=self.group, group_dst=self.stage_index + 1)
        for each in outputs:
            self._send(each.detach(), 1, _FORWARD)
        self._forget_sent()

    def _send(self, tensor: Tensor, step: int, tag: int) -> None:
        """Begin to send to the stage ``step`` further on."""
        work = point_to_point.isend(tensor, group=self.group, tag=tag, group_dst=self.stage_index + step)
        assert work is not None, "this process is in the group"
        self._sent.append(work)

    def _forget_sent(self) -> None:
        """Release what has been received.  (Asking also helps MPI along.)"""
        self._sent = [each for each in self._sent if not each.is_completed()]


__all__ = ["PipelineStage"]
