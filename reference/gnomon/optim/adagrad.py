"""Adagrad: steps divided by the root of the sum of all squared gradients."""

from __future__ import annotations

from typing import Any, ClassVar

import gnomon as gn

from ..dispatch.dispatcher import aten
from .optimizer import (
    Each,
    FunctionalOptimizer,
    ParamsT,
    Tensors,
    are_on,
    as_scalar,
    check_at_least_zero,
    check_fused,
    check_lr,
    check_numbers,
    check_unscaled,
    is_fused,
    number_of,
    update_tensors,
    with_values,
)


class Adagrad(FunctionalOptimizer):
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

    _takes_sparse_gradients = True

    def __init__(
        self,
        params: ParamsT,
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

    def _step(self, params: Tensors, grads: Tensors, group: dict[str, Any]) -> None:
        foreach, differentiable = group["foreach"], group["differentiable"]
        numbers = group["lr"], group["weight_decay"]
        fused = is_fused(params, grads, group["fused"], foreach, differentiable, numbers)
        grad_scale, found_inf = self._amp_scaling(params[0].device) if fused else (None, None)
        sums, steps = self._lists(params, grads, group, "sum", "step")
        adagrad(
            params,
            grads,
            sums,
            self._move_steps(params) if fused else steps,
            fused=fused,
            grad_scale=grad_scale,
            found_inf=found_inf,
            foreach=foreach,
            differentiable=differentiable,
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            lr_decay=group["lr_decay"],
            eps=group["eps"],
            maximize=group["maximize"],
        )


def adagrad(
    params: Tensors,
    grads: Tensors,
    state_sums: Tensors,
    state_steps: Tensors,
    fused: bool | None = None,
    grad_scale: gn.Tensor | None = None,
    found_inf: gn.Tensor | None = None,
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float | gn.Tensor,
    weight_decay: float,
    lr_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """The step of Adagrad: updates ``params`` along ``grads``, and the state, which are lists as long.

    ``fused`` and ``foreach`` are as in Adagrad.  ``has_sparse_grad`` and ``has_complex`` are not used:
    complex parameters are found.

    Raises RuntimeError unless ``state_steps`` are tensors, and for ``fused`` and ``differentiable`` together;
    AssertionError for ``foreach`` and ``differentiable`` together, and for ``grad_scale`` or ``found_inf`` if
    ``fused`` is not true.  Source: torch.optim.adagrad.adagrad.
    """
    check_numbers("state_steps", state_steps)
    check_unscaled(fused, grad_scale, found_inf)
    if not params:
        return
    if fused is None and are_on(state_steps, params[0].device):
        fused = is_fused(params, grads, fused, foreach, differentiable, (lr, weight_decay))
    if fused:
        if differentiable:
            raise RuntimeError("adagrad with fused=True does not support differentiable=True")
        options = map(number_of, (lr, lr_decay, weight_decay, eps))
        aten._foreach_add_.Scalar(state_steps, 1)
        step = aten._fused_adagrad_.default
        step(params, grads, state_sums, state_steps, *options, maximize, grad_scale, found_inf)
        if found_inf is not None:
            aten._foreach_sub_.List(state_steps, [found_inf] * len(state_steps))  # nothing was done
        return
    rate = as_scalar(lr)
    if any(grad.is_sparse for grad in grads):
        if weight_decay != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        is_sparse = [grad.is_sparse for grad in grads]
        columns = params, grads, state_sums, state_steps
        for param, grad, state_sum, step_of_param in zip(*columns):
            if grad.is_sparse:
                _sparse_step(param, grad, state_sum, step_of_param, rate, lr_decay, eps, maximize)
        params, grads, state_sums, state_steps = (
            [each for each, found in zip(column, is_sparse) if not found] for column in columns
        )
        if not params:
            return

    def update(each: Each, params: Tensors, grads: Tensors, sums: Tensors, steps: Tensors) -> None:
        each("add_", steps, 1)
        if weight_decay != 0:
            grads = each("add", grads, params, alpha=weight_decay)
        each("addcmul_", sums, grads, grads, value=1)
        denominators = each("add", each("sqrt", sums), eps)
        sizes = [-rate / (1 + (step.item() - 1) * lr_decay) for step in steps]
        each("addcdiv_", params, grads, denominators, value=sizes)

    update_tensors(
        update,
        params,
        grads,
        (state_sums, state_steps),
        foreach=foreach,
        numbers=(lr, lr_decay, weight_decay, eps),
        maximize=maximize,
        differentiable=differentiable,
    )


def _sparse_step(
    param: gn.Tensor,
    grad: gn.Tensor,
    state_sum: gn.Tensor,
    step: gn.Tensor,
    rate: Any,
    lr_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """The step of one parameter along a sparse gradient: where it has no elements, nothing changes."""
    step.add_(1)
    grad = (-grad if maximize else grad).coalesce()
    values = grad._values()
    if not values.numel():
        return
    state_sum.add_(with_values(grad, values.pow(2)))
    denominators = state_sum.sparse_mask(grad)._values().sqrt_().add_(eps)
    param.add_(with_values(grad, values / denominators), alpha=-rate / (1 + (step.item() - 1) * lr_decay))
