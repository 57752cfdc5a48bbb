"""Stochastic weight averaging: a model whose parameters are the mean of those on a training trajectory.

    averaged = AveragedModel(model)
    scheduler = SWALR(optimizer, swa_lr=0.05)
    for inputs, targets in loader:
        ...  # a step of the optimizer
        averaged.update_parameters(model)
        scheduler.step()
    update_bn(loader, averaged)

Source: torch.optim.swa_utils; arXiv:1803.05407.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from typing import Any, Literal

import gnomon as gn

from ..nn import Module
from ..nn.modules.batchnorm import _BatchNorm
from .lr_scheduler import LRScheduler, _for_each_group
from .optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Tensors = Sequence[gn.Tensor]


def _is_fractional(tensor: gn.Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[[Tensors, Tensors, Any], None]:
    """A function that updates exponential moving averages of several tensors in place.

    ``averaged = decay * averaged + (1 - decay) * current``.  Raises ValueError for a decay outside of [0, 1].
    Source: torch.optim.swa_utils.get_ema_multi_avg_fn.
    """
    _check_decay(decay)

    @gn.no_grad()
    def ema_update(averaged_params: Tensors, current_params: Tensors, num_averaged: Any) -> None:
        for averaged, current in zip(averaged_params, current_params):
            if _is_fractional(averaged):
                averaged.lerp_(current, 1 - decay)
            else:
                averaged.copy_(averaged * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[[Tensors, Tensors, Any], None]:
    """A function that updates the means of several tensors in place, given of how many they are the mean.

    Source: torch.optim.swa_utils.get_swa_multi_avg_fn.
    """

    @gn.no_grad()
    def swa_update(averaged_params: Tensors, current_params: Tensors, num_averaged: Any) -> None:
        count = num_averaged + 1
        for averaged, current in zip(averaged_params, current_params):
            if _is_fractional(averaged):
                weight = 1 / count
                averaged.lerp_(current, weight.item() if isinstance(weight, gn.Tensor) else weight)
            elif isinstance(count, gn.Tensor):
                averaged.addcdiv_(current - averaged, count)
            else:
                averaged.add_(current - averaged, alpha=1.0 / count)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[[gn.Tensor, gn.Tensor, Any], gn.Tensor]:
    """A function that returns the new exponential moving average of one tensor.

    Raises ValueError for a decay outside of [0, 1].  Source: torch.optim.swa_utils.get_ema_avg_fn.
    """
    _check_decay(decay)

    @gn.no_grad()
    def ema_update(averaged: gn.Tensor, current: gn.Tensor, num_averaged: Any) -> gn.Tensor:
        return decay * averaged + (1 - decay) * current

    return ema_update


def get_swa_avg_fn() -> Callable[[gn.Tensor, gn.Tensor, Any], gn.Tensor]:
    """A function that returns the new mean of one tensor, given of how many the old one is the mean.

    Source: torch.optim.swa_utils.get_swa_avg_fn.
    """

    @gn.no_grad()
    def swa_update(averaged: gn.Tensor, current: gn.Tensor, num_averaged: Any) -> gn.Tensor:
        return averaged + (current - averaged) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of ``model`` on ``device``, whose parameters are means of those of the model.

    ``update_parameters`` adds the model's present ones.  The mean is that of ``avg_fn`` (of the mean, the
    parameter, and how many were averaged; returns the new mean), or of ``multi_avg_fn`` (of lists, in place);
    by default all count the same.  Buffers are averaged with ``use_buffers``, else copied.

    n_averaged  an int64 tensor, a buffer: how many were averaged

    Raises AssertionError if both functions are given.
    Source: torch.optim.swa_utils.AveragedModel; arXiv:1803.05407.
    """

    n_averaged: gn.Tensor

    def __init__(
        self,
        model: Module,
        device: gn.device | str | int | None = None,
        avg_fn: Callable[[gn.Tensor, gn.Tensor, Any], gn.Tensor] | None = None,
        multi_avg_fn: Callable[[Tensors, Tensors, Any], None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", gn.tensor(0, dtype=gn.int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the averaged model."""
        return self.module(*args, **kwargs)

    def _averaged(self, model: Module) -> Iterator[gn.Tensor]:
        buffers = model.buffers() if self.use_buffers else ()
        return itertools.chain(model.parameters(), buffers)

    def update_parameters(self, model: Module) -> None:
        """Adds the parameters of ``model`` to the means; the first ones are copied."""
        pairs = [
            (mean.detach(), current.detach().to(mean.device))
            for mean, current in zip(self._averaged(self.module), self._averaged(model))
        ]
        if self.n_averaged == 0:
            for mean, current in pairs:
                mean.copy_(current)
        elif self.multi_avg_fn is not None:
            groups: defaultdict[Any, list[tuple[gn.Tensor, gn.Tensor]]] = defaultdict(list)
            for mean, current in pairs:
                groups[mean.device, mean.dtype].append((mean, current))
            for (device, _), group in groups.items():
                means, currents = map(list, zip(*group))
                self.multi_avg_fn(means, currents, self.n_averaged.to(device))
        else:
            avg_fn = self.avg_fn or get_swa_avg_fn()
            for mean, current in pairs:
                mean.copy_(avg_fn(mean, current, self.n_averaged.to(mean.device)))
        if not self.use_buffers:
            for buffer, current in zip(self.module.buffers(), model.buffers(), strict=True):
                buffer.detach().copy_(current.detach())
        self.n_averaged += 1


@gn.no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: gn.device | str | int | None = None) -> None:
    """Computes the running statistics of the model's batch norms anew, as means over all of ``loader``.

    Each element of ``loader`` is a batch of inputs, or a list or tuple that begins with one; it is moved to
    ``device``.  Source: torch.optim.swa_utils.update_bn.
    """
    norms = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    if not norms:
        return
    momenta = [module.momentum for module in norms]
    was_training = model.training
    model.train()
    try:
        for module in norms:
            module.reset_running_stats()
            module.momentum = None  # all batches count the same
        for batch in loader:
            inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(inputs if device is None else inputs.to(device))
    finally:
        for module, momentum in zip(norms, momenta):
            module.momentum = momentum
        model.train(was_training)


class SWALR(LRScheduler):
    """From the present learning rates to ``swa_lr`` in ``anneal_epochs``, along a cosine or a line; it stays.

    ``swa_lr`` may be a list with one for each group.  Raises ValueError for a list of another length, another
    ``anneal_strategy``, and for ``anneal_epochs`` that is not an int >= 0.
    Source: torch.optim.swa_utils.SWALR.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float,
        anneal_epochs: int = 10,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(_for_each_group("swa_lr", optimizer, swa_lr), optimizer.param_groups):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _part(self, step: int) -> float:
        """The part of the way that has been made at a step."""
        time = max(0, min(1, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * time)) / 2 if self._anneal_strategy == "cos" else time

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        last_part, part = self._part(step - 1), self._part(step)
        rates = []
        for group in self.optimizer.param_groups:
            end = group["swa_lr"]
            # Where the way began follows from where it was at the last step.
            start = end if last_part == 1 else (group["lr"] - last_part * end) / (1 - last_part)
            rates.append(end * part + start * (1 - part))
        return rates
