"""Adamax: Adam with the infinity norm."""

from __future__ import annotations

from typing import Any, ClassVar

import gnomon as gn

from .optimizer import (
    Each,
    FunctionalOptimizer,
    ParamsT,
    Tensors,
    as_scalar,
    check_at_least_zero,
    check_betas,
    check_capturable,
    check_lr,
    check_numbers,
    update_tensors,
)


class Adamax(FunctionalOptimizer):
    """``param -= lr / (1 - beta1**t) * m / u`` at step t.

    m is the running mean of the gradient; u is the larger one of ``beta2 * u`` and ``abs(grad) + eps``.
    ``weight_decay`` adds to the gradient; ``maximize`` maximizes the objective.  ``foreach`` chooses the
    form.  With ``differentiable`` autograd records the step; with ``capturable`` it reads no number back
    from the device, which must be CUDA.  Raises ValueError for options out of range; the step raises
    AssertionError for ``capturable`` on other devices.  Source: torch.optim.Adamax; arXiv:1412.6980.
    """

    _later_options: ClassVar[dict[str, Any]] = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }
    _numbers = ("step",)

    def __init__(
        self,
        params: ParamsT,
        lr: float | gn.Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check_at_least_zero("epsilon value", eps)
        check_betas(betas)
        check_at_least_zero("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _new_state(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {
            "step": self._new_number(0.0, param, group),
            "exp_avg": gn.zeros_like(param),
            "exp_inf": gn.zeros_like(param),
        }

    def _step(self, params: Tensors, grads: Tensors, group: dict[str, Any]) -> None:
        exp_avgs, exp_infs, steps = self._lists(params, grads, group, "exp_avg", "exp_inf", "step")
        beta1, beta2 = group["betas"]
        adamax(
            params,
            grads,
            exp_avgs,
            exp_infs,
            steps,
            foreach=group["foreach"],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
            eps=group["eps"],
            beta1=beta1,
            beta2=beta2,
            lr=group["lr"],
            weight_decay=group["weight_decay"],
        )


def adamax(
    params: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_infs: Tensors,
    state_steps: Tensors,
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float | gn.Tensor,
    weight_decay: float,
) -> None:
    """The step of Adamax: updates ``params`` along ``grads``, and the state, which are lists as long.

    ``has_complex`` is not used: complex parameters are found.  Raises RuntimeError unless ``state_steps`` are
    tensors, AssertionError for ``foreach`` together with ``differentiable``, and for ``capturable`` on other
    devices than CUDA.  Source: torch.optim.adamax.adamax.
    """
    check_numbers("state_steps", state_steps)
    check_capturable(capturable, params, state_steps)
    rate = as_scalar(lr)

    def update(
        each: Each, params: Tensors, grads: Tensors, exp_avgs: Tensors, exp_infs: Tensors, steps: Tensors
    ) -> None:
        each("add_", steps, 1)
        if weight_decay != 0:
            grads = each("add", grads, params, alpha=weight_decay)
        each("lerp_", exp_avgs, grads, 1 - beta1)
        each("mul_", exp_infs, beta2)
        each("clamp_min_", exp_infs, each("add_", each("abs", grads), eps))
        if capturable:
            denominators = each("mul", exp_infs, [(beta1**step - 1) / rate for step in steps])
            each("addcdiv_", params, exp_avgs, denominators, value=1)
        else:
            sizes = [-(rate / (1 - beta1 ** step.item())) for step in steps]
            each("addcdiv_", params, exp_avgs, exp_infs, value=sizes)

    update_tensors(
        update,
        params,
        grads,
        (exp_avgs, exp_infs, state_steps),
        foreach=foreach,
        numbers=(lr, beta1, beta2, eps, weight_decay),
        maximize=maximize,
        differentiable=differentiable,
        capturable=capturable,
    )
