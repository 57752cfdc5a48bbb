"""Adagrad: steps divided by the root of the sum of all squared gradients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import gnomon as gn

from ..dispatch.dispatcher import aten
from .optimizer import (
    Each,
    MultiTensorOptimizer,
    Tensors,
    as_scalar,
    check_at_least_zero,
    check_fused,
    check_lr,
    is_fused,
    number_of,
)


class Adagrad(MultiTensorOptimizer):
    """``param -= lr / (1 + (t - 1) * lr_decay) * grad / (sqrt(s) + eps)`` at step t.

    s is the sum of the squared gradients, and starts at ``initial_accumulator_value``.  ``weight_decay`` adds
    to the gradient; ``maximize`` maximizes the objective.  With ``differentiable`` autograd records the step.

    ``fused``: the step is one operator for all parameters, _fused_adagrad_.  That is the default where it is
    possible, if ``foreach`` does not choose another form.

    Raises ValueError for options out of range, RuntimeError for ``fused`` together with ``foreach`` or
    ``differentiable``, and in the step for ``fused`` with parameters that are not floating point.
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
        self._step_supports_amp_scaling = bool(fused)
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param].update(self._new_state(param, param, group))

    def _new_state(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        initial = self.defaults["initial_accumulator_value"]
        if param.is_complex():
            initial = complex(initial, initial)
        return {"step": self._new_number(0.0, param, group), "sum": gn.full_like(param, initial)}

    def share_memory(self) -> None:
        """Moves the sums of squared gradients to memory that several processes share."""
        for state in self.state.values():
            state["sum"].share_memory_()

    def _step(self, params: list[gn.Tensor], grads: list[gn.Tensor], group: dict[str, Any]) -> None:
        if is_fused(params, grads, group):
            self._step_fused(params, grads, group)
        else:
            super()._step(params, grads, group)

    def _step_fused(self, params: list[gn.Tensor], grads: list[gn.Tensor], group: dict[str, Any]) -> None:
        states = [self._state_of(param, grad, group) for param, grad in zip(params, grads)]
        sums = [state["sum"] for state in states]
        steps = self._steps_on(params[0].device, states)
        options = ("lr", "lr_decay", "weight_decay", "eps")
        numbers = [number_of(group[name]) for name in options]
        scale, found_inf = self._amp_scaling(params[0].device)
        aten._foreach_add_.Scalar(steps, 1)
        step = aten._fused_adagrad_.default
        step(params, grads, sums, steps, *numbers, group["maximize"], scale, found_inf)
        if found_inf is not None:
            aten._foreach_sub_.List(steps, [found_inf] * len(steps))  # nothing was done

    def _update_each(
        self, each: Each, params: Tensors, grads: Tensors, state: dict[str, Tensors], group: dict[str, Any]
    ) -> None:
        lr, decay = as_scalar(group["lr"]), group["lr_decay"]
        each("add_", state["step"], 1)
        if group["weight_decay"] != 0:
            grads = each("add", grads, params, alpha=group["weight_decay"])
        each("addcmul_", state["sum"], grads, grads, value=1)
        denominators = each("add", each("sqrt", state["sum"]), group["eps"])
        sizes = [-lr / (1 + (step.item() - 1) * decay) for step in state["step"]]
        each("addcdiv_", params, grads, denominators, value=sizes)
