"""Adagrad: steps divided by the root of the sum of all squared gradients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import gnomon as gn

from .optimizer import (
    SingleTensorOptimizer,
    as_scalar,
    check_at_least_zero,
    check_fused,
    check_fused_param,
    check_lr,
)


class Adagrad(SingleTensorOptimizer):
    """``param -= lr / (1 + (t - 1) * lr_decay) * grad / (sqrt(s) + eps)`` at step t.

    s is the sum of the squared gradients, and starts at ``initial_accumulator_value``.  ``weight_decay`` adds
    to the gradient; ``maximize`` maximizes the objective.  ``foreach`` and ``fused`` change no number; with
    ``differentiable`` autograd records the step.  Raises ValueError for options out of range, RuntimeError
    for ``fused`` together with ``foreach`` or ``differentiable``, and in the step for ``fused`` with
    parameters that are not floating point.
    Source: torch.optim.Adagrad; Duchi, Hazan and Singer 2011.
    """

    _later_options: ClassVar[dict[str, Any]] = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "fused": None,
    }
    _numbers = ("step",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | gn.Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_at_least_zero("lr_decay value", lr_decay)
        check_at_least_zero("weight_decay value", weight_decay)
        check_at_least_zero("initial_accumulator_value value", initial_accumulator_value)
        check_at_least_zero("epsilon value", eps)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        check_fused(fused, foreach, differentiable)
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param].update(self._new_state(param, param, group))

    def _new_state(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        initial = self.defaults["initial_accumulator_value"]
        if param.is_complex():
            initial = complex(initial, initial)
        return {"step": self._new_number(0.0, param, group), "sum": gn.full_like(param, initial)}

    def _step(self, params: list[gn.Tensor], grads: list[gn.Tensor], group: dict[str, Any]) -> None:
        if group["fused"]:
            for param in params:
                check_fused_param(param)
        super()._step(params, grads, group)

    def _update(
        self, param: gn.Tensor, grad: gn.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        state["step"].add_(1)
        step = state["step"].item()
        if group["weight_decay"] != 0:
            grad = grad.add(param, alpha=group["weight_decay"])
        lr = as_scalar(group["lr"]) / (1 + (step - 1) * group["lr_decay"])
        state["sum"].addcmul_(grad, grad, value=1)
        param.addcdiv_(grad, state["sum"].sqrt() + group["eps"], value=-lr)
