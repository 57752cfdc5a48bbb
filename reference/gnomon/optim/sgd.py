"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gnomon as gn

from ..dispatch.dispatcher import aten
from .optimizer import Optimizer, check_at_least_zero, check_fused, is_fused, number_of


class SGD(Optimizer):
    """``param -= lr * grad``, with momentum (``nesterov`` or not) and weight decay.

    The momentum buffer starts as the first gradient.  ``maximize`` maximizes the objective.  Raises
    ValueError for options out of range.

    ``fused``: the step is one operator for all parameters, _fused_sgd_.  That is the default where it is
    possible; with False, or if ``foreach`` is given, each parameter is updated by a sequence of operators.
    Source: torch.optim.SGD; Sutskever and others 2013.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        fused: bool | None = None,
    ) -> None:
        check_fused(fused, foreach)
        check_at_least_zero("learning rate", lr)
        check_at_least_zero("momentum value", momentum)
        check_at_least_zero("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(
                f"Nesterov momentum requires a momentum and zero dampening, but got {momentum} and "
                f"{dampening}"
            )
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _step(self, params: list[gn.Tensor], grads: list[gn.Tensor], group: dict[str, Any]) -> None:
        if not is_fused(params, grads, group):
            super()._step(params, grads, group)
            return
        momentum = group["momentum"]
        numbers = [float(number_of(group[name])) for name in ("weight_decay", "momentum", "lr", "dampening")]
        flags = group["nesterov"], group["maximize"]
        step = aten._fused_sgd_.default
        if not momentum:
            step(params, grads, [], *numbers, *flags, False, None, None)
            return
        buffers = [self.state[param].get("momentum_buffer") for param in params]
        for is_first in (True, False):
            chosen = [number for number, buffer in enumerate(buffers) if (buffer is None) is is_first]
            if not chosen:
                continue
            ours = [params[number] for number in chosen]
            found = [
                gn.empty_like(param) if is_first else buffers[number] for number, param in zip(chosen, ours)
            ]
            step(ours, [grads[number] for number in chosen], found, *numbers, *flags, is_first, None, None)
            for param, buffer in zip(ours, found):
                self.state[param]["momentum_buffer"] = buffer

    def _update(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> None:
        momentum = group["momentum"]
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"] != 0:
            grad = grad.add(param, alpha=group["weight_decay"])
        if momentum != 0:
            state = self.state[param]
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = grad.detach().clone()
                state["momentum_buffer"] = buffer
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        param.add_(grad, alpha=-group["lr"])
