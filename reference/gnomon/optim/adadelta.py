"""Adadelta: steps whose size adapts to the running means of past steps and gradients."""

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
    check_capturable,
    check_lr,
    check_numbers,
    update_tensors,
)


class Adadelta(FunctionalOptimizer):
    """``param -= lr * grad * sqrt(u + eps) / sqrt(v + eps)``.

    v and u are running means, with coefficient ``rho``, of the squares of the gradients and of the steps.
    ``weight_decay`` adds to the gradient; ``maximize`` maximizes the objective.  ``foreach`` chooses the
    form.  With ``differentiable`` autograd records the step; with ``capturable`` it reads no number back
    from the device, which must be CUDA.  Raises ValueError for options out of range; the step raises
    AssertionError for ``capturable`` on other devices.  Source: torch.optim.Adadelta; arXiv:1212.5701.
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
        lr: float | gn.Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_at_least_zero("epsilon value", eps)
        check_at_least_zero("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {
            "step": self._new_number(0.0, param, group),
            "square_avg": gn.zeros_like(param),
            "acc_delta": gn.zeros_like(param),
        }

    def _step(self, params: Tensors, grads: Tensors, group: dict[str, Any]) -> None:
        square_avgs, acc_deltas, steps = self._lists(params, grads, group, "square_avg", "acc_delta", "step")
        adadelta(
            params,
            grads,
            square_avgs,
            acc_deltas,
            steps,
            capturable=group["capturable"],
            foreach=group["foreach"],
            differentiable=group["differentiable"],
            lr=group["lr"],
            rho=group["rho"],
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            maximize=group["maximize"],
        )


def adadelta(
    params: Tensors,
    grads: Tensors,
    square_avgs: Tensors,
    acc_deltas: Tensors,
    state_steps: Tensors,
    capturable: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float | gn.Tensor,
    rho: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """The step of Adadelta: updates ``params`` along ``grads``, and the state, which are lists as long.

    ``has_complex`` is not used: complex parameters are found.  Raises RuntimeError unless ``state_steps`` are
    tensors, AssertionError for ``foreach`` together with ``differentiable``, and for ``capturable`` on other
    devices than CUDA.  Source: torch.optim.adadelta.adadelta.
    """
    check_numbers("state_steps", state_steps)
    check_capturable(capturable, params, state_steps)
    rate = as_scalar(lr)

    def update(
        each: Each,
        params: Tensors,
        grads: Tensors,
        square_avgs: Tensors,
        acc_deltas: Tensors,
        steps: Tensors,
    ) -> None:
        each("add_", steps, 1)
        if weight_decay != 0:
            grads = each("add", grads, params, alpha=weight_decay)
        each("mul_", square_avgs, rho)
        each("addcmul_", square_avgs, grads, grads, value=1 - rho)
        numerators = each("sqrt_", each("add", acc_deltas, eps))
        denominators = each("sqrt_", each("add", square_avgs, eps))
        deltas = each("mul", each("div", numerators, denominators), grads)
        each("mul_", acc_deltas, rho)
        each("addcmul_", acc_deltas, deltas, deltas, value=1 - rho)
        each("add_", params, deltas, alpha=-rate)

    update_tensors(
        update,
        params,
        grads,
        (square_avgs, acc_deltas, state_steps),
        foreach=foreach,
        numbers=(lr, rho, eps, weight_decay),
        maximize=maximize,
        differentiable=differentiable,
        capturable=capturable,
    )
