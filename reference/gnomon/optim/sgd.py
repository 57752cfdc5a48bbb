"""SGD: stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import gnomon as gn

from ..dispatch.dispatcher import aten
from .optimizer import (
    SingleTensorOptimizer,
    as_scalar,
    check_at_least_zero,
    check_fused,
    check_lr,
    is_fused,
    number_of,
)


class SGD(SingleTensorOptimizer):
    """``param -= lr * grad``, with momentum (``nesterov`` or not) and weight decay.

    The momentum buffer starts as the first gradient.  ``maximize`` maximizes the objective; with
    ``differentiable`` autograd records the step.  Raises ValueError for options out of range, RuntimeError
    for ``fused`` together with ``foreach`` or ``differentiable``.

    ``fused``: the step is one operator for all parameters, _fused_sgd_.  That is the default where it is
    possible; with False, or if ``foreach`` is given, each parameter is updated by a sequence of operators.
    Source: torch.optim.SGD; Sutskever and others 2013.
    """

    _later_options: ClassVar[dict[str, Any]] = {
        "nesterov": False,
        "maximize": False,
        "foreach": None,
        "differentiable": False,
        "fused": False,
    }

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | gn.Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | gn.Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_at_least_zero("momentum value", momentum)
        check_at_least_zero("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        check_fused(fused, foreach, differentiable)
        self._step_supports_amp_scaling = bool(fused)

    def _step(self, params: list[gn.Tensor], grads: list[gn.Tensor], group: dict[str, Any]) -> None:
        if is_fused(params, grads, group):
            self._step_fused(params, grads, group)
            return
        for param, grad in zip(params, grads):
            state = self.state[param] if group["momentum"] != 0 else {}
            self._update(param, -grad if group["maximize"] else grad, state, group)

    def _step_fused(self, params: list[gn.Tensor], grads: list[gn.Tensor], group: dict[str, Any]) -> None:
        momentum = group["momentum"]
        numbers = [number_of(group[name]) for name in ("weight_decay", "momentum", "lr", "dampening")]
        flags = group["nesterov"], group["maximize"]
        step = aten._fused_sgd_.default
        scaling = self._amp_scaling(params[0].device)
        if not momentum:
            step(params, grads, [], *numbers, *flags, False, *scaling)
            return
        buffers = [self.state[param].get("momentum_buffer") for param in params]
        for is_first in (True, False):
            chosen = [number for number, buffer in enumerate(buffers) if (buffer is None) is is_first]
            if not chosen:
                continue
            ours = [params[number] for number in chosen]
            # If nothing is written, because a gradient is not finite, a new buffer has to be defined.
            make = gn.empty_like if scaling[1] is None else gn.zeros_like
            found = [make(param) if is_first else buffers[number] for number, param in zip(chosen, ours)]
            step(ours, [grads[number] for number in chosen], found, *numbers, *flags, is_first, *scaling)
            for param, buffer in zip(ours, found):
                self.state[param]["momentum_buffer"] = buffer

    def _update(
        self, param: gn.Tensor, grad: gn.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        lr, momentum, weight_decay = as_scalar(group["lr"]), group["momentum"], group["weight_decay"]
        if weight_decay != 0:
            if isinstance(weight_decay, gn.Tensor) and weight_decay.requires_grad:
                grad = grad.addcmul(param.clone(), weight_decay)
            else:
                grad = grad.add(param, alpha=weight_decay)
        if momentum != 0:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = grad.detach().clone()
                state["momentum_buffer"] = buffer
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        if isinstance(lr, gn.Tensor) and lr.requires_grad:
            param.addcmul_(grad, lr, value=-1)
        else:
            param.add_(grad, alpha=-lr)
