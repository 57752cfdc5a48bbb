"""RMSprop: steps divided by the root of the running mean of squared gradients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import gnomon as gn

from .optimizer import Each, MultiTensorOptimizer, Tensors, as_scalar, check_at_least_zero, check_lr


class RMSprop(MultiTensorOptimizer):
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
        params: Iterable[Any],
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

    def _update_each(
        self, each: Each, params: Tensors, grads: Tensors, state: dict[str, Tensors], group: dict[str, Any]
    ) -> None:
        lr, alpha, square_avgs = as_scalar(group["lr"]), group["alpha"], state["square_avg"]
        each("add_", state["step"], 1)
        if group["weight_decay"] != 0:
            grads = each("add", grads, params, alpha=group["weight_decay"])
        each("mul_", square_avgs, alpha)
        each("addcmul_", square_avgs, grads, grads, value=1 - alpha)
        variances = square_avgs
        if group["centered"]:
            grad_avgs = state["grad_avg"]
            each("lerp_", grad_avgs, grads, 1 - alpha)
            variances = each("addcmul", square_avgs, grad_avgs, grad_avgs, value=-1)
        denominators = each("add", each("sqrt", variances), group["eps"])
        if group["momentum"] > 0:
            buffers = state["momentum_buffer"]
            each("mul_", buffers, group["momentum"])
            each("addcdiv_", buffers, grads, denominators, value=1)
            each("add_", params, buffers, alpha=-lr)
        else:
            each("addcdiv_", params, grads, denominators, value=-lr)
