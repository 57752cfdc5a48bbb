"""RMSprop: steps divided by the root of the running mean of squared gradients."""

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


class RMSprop(FunctionalOptimizer):
    """``param -= lr * grad / (sqrt(v) + eps)``: v is the running mean, with ``alpha``, of squared gradients.

    ``centered`` subtracts from v the square of the mean gradient.  With ``momentum`` the quotients are
    accumulated in a buffer, which is the step.  ``weight_decay`` adds to the gradient; ``maximize`` maximizes
    the objective.  ``foreach`` chooses the form.  With ``differentiable`` autograd records the step;
    ``capturable`` needs CUDA.  Raises ValueError for options out of range; the step raises AssertionError for
    ``capturable`` on other devices.  Source: torch.optim.RMSprop; Hinton 2012; arXiv:1308.0850 (centered).
    """

    _later_options: ClassVar[dict[str, Any]] = {
        "momentum": 0,
        "centered": False,
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }
    _numbers = ("step",)

    def __init__(
        self,
        params: ParamsT,
        lr: float | gn.Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_at_least_zero("epsilon value", eps)
        check_at_least_zero("momentum value", momentum)
        check_at_least_zero("weight_decay value", weight_decay)
        check_at_least_zero("alpha value", alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        state = {"step": self._new_number(0.0, param, group), "square_avg": gn.zeros_like(param)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = gn.zeros_like(param)
        if group["centered"]:
            state["grad_avg"] = gn.zeros_like(param)
        return state

    def _step(self, params: Tensors, grads: Tensors, group: dict[str, Any]) -> None:
        names = ("square_avg", "grad_avg", "momentum_buffer", "step")
        square_avgs, grad_avgs, buffers, steps = self._lists(params, grads, group, *names)
        rmsprop(
            params,
            grads,
            square_avgs,
            grad_avgs,
            buffers,
            steps,
            foreach=group["foreach"],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
            lr=group["lr"],
            alpha=group["alpha"],
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            momentum=group["momentum"],
            centered=group["centered"],
        )


def rmsprop(
    params: Tensors,
    grads: Tensors,
    square_avgs: Tensors,
    grad_avgs: Tensors,
    momentum_buffer_list: Tensors,
    state_steps: Tensors,
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lr: float | gn.Tensor,
    alpha: float,
    eps: float,
    weight_decay: float,
    momentum: float,
    centered: bool,
) -> None:
    """The step of RMSprop: updates ``params`` along ``grads``, and the state, which are lists as long.

    ``grad_avgs`` may be empty unless ``centered``, and ``momentum_buffer_list`` without ``momentum``.
    ``has_complex`` is not used: complex parameters are found.  Raises RuntimeError unless ``state_steps`` are
    tensors, AssertionError for ``foreach`` together with ``differentiable``, and for ``capturable`` on other
    devices than CUDA.  Source: torch.optim.rmsprop.rmsprop.
    """
    check_numbers("state_steps", state_steps)
    check_capturable(capturable, params, state_steps)
    rate = as_scalar(lr)

    def update(
        each: Each,
        params: Tensors,
        grads: Tensors,
        square_avgs: Tensors,
        grad_avgs: Tensors,
        buffers: Tensors,
        steps: Tensors,
    ) -> None:
        each("add_", steps, 1)
        if weight_decay != 0:
            grads = each("add", grads, params, alpha=weight_decay)
        each("mul_", square_avgs, alpha)
        each("addcmul_", square_avgs, grads, grads, value=1 - alpha)
        variances = square_avgs
        if centered:
            each("lerp_", grad_avgs, grads, 1 - alpha)
            variances = each("addcmul", square_avgs, grad_avgs, grad_avgs, value=-1)
        denominators = each("add", each("sqrt", variances), eps)
        if momentum > 0:
            each("mul_", buffers, momentum)
            each("addcdiv_", buffers, grads, denominators, value=1)
            each("add_", params, buffers, alpha=-rate)
        else:
            each("addcdiv_", params, grads, denominators, value=-rate)

    update_tensors(
        update,
        params,
        grads,
        (square_avgs, grad_avgs, momentum_buffer_list, state_steps),
        foreach=foreach,
        numbers=(lr, alpha, eps, weight_decay, momentum),
        maximize=maximize,
        differentiable=differentiable,
        capturable=capturable,
    )
