"""RAdam: Adam that adapts only once the variance of its steps is known well enough."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import gnomon as gn

from .optimizer import SingleTensorOptimizer, as_scalar, check_at_least_zero, check_betas, check_lr


class RAdam(SingleTensorOptimizer):
    """``param -= lr * m * r / (sqrt(v) + eps)``, or at first ``param -= lr * m``.

    m and v are the running means of the gradient and of its square, corrected for starting at zero.  v is
    used as soon as it averages over more than five gradients; r accounts for its uncertainty.

    ``weight_decay`` adds to the gradient, or with ``decoupled_weight_decay`` shrinks the parameter;
    ``maximize`` maximizes the objective.  ``foreach`` changes no number.  With ``differentiable`` autograd
    records the step; with ``capturable`` it reads no number back from the device, which must be CUDA.  Raises
    ValueError for options out of range; the step raises AssertionError for ``capturable`` on other devices.
    Source: torch.optim.RAdam; arXiv:1908.03265.
    """

    _later_options: ClassVar[dict[str, Any]] = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
        "capturable": False,
    }
    _numbers = ("step",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | gn.Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
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
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {
            "step": self._new_number(0.0, param, group),
            "exp_avg": gn.zeros_like(param),
            "exp_avg_sq": gn.zeros_like(param),
        }

    def _update(
        self, param: gn.Tensor, grad: gn.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        lr, (beta1, beta2), eps = as_scalar(group["lr"]), group["betas"], group["eps"]
        exp_avg, exp_avg_sq = state["exp_avg"], state["exp_avg_sq"]
        state["step"].add_(1)
        step = state["step"] if group["capturable"] else state["step"].item()
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                param.mul_(1 - lr * group["weight_decay"])
            else:
                grad = grad.add(param, alpha=group["weight_decay"])
        exp_avg.lerp_(grad, 1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        bias_correction2 = 1 - beta2**step
        update = exp_avg / (1 - beta1**step) * lr
        # The number of gradients that v averages over (the length of a simple moving average), and its limit.
        limit = 2 / (1 - beta2) - 1
        length = limit - 2 * step * beta2**step / bias_correction2

        def rectification() -> Any:
            return ((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)) ** 0.5

        def inverse_root() -> gn.Tensor:
            return bias_correction2**0.5 / (exp_avg_sq.sqrt() + eps)

        if group["capturable"]:
            update = update * gn.where(length > 5.0, rectification() * inverse_root(), 1.0)
        elif length > 5.0:
            update = update * inverse_root() * rectification()
        param.add_(update, alpha=-1.0)
