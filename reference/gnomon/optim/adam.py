"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gnomon as gn

from .optimizer import Optimizer, check_at_least_zero


class Adam(Optimizer):
    """``param -= lr * m / (sqrt(v) + eps)``: m and v are running means of the gradient and of its square.

    Both means are corrected for starting at zero.  ``amsgrad`` divides by the largest v so far;
    ``weight_decay`` adds to the gradient, or with ``decoupled_weight_decay`` shrinks the parameter;
    ``maximize`` goes uphill.  Raises ValueError for options out of range.  Source: torch.optim.Adam;
    arXiv:1412.6980.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:
        check_at_least_zero("learning rate", lr)
        check_at_least_zero("epsilon value", eps)
        for index, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {index}: {beta}")
        check_at_least_zero("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def _update(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> None:
        lr = group["lr"]
        beta1, beta2 = group["betas"]
        state = self.state[param]
        if not state:
            # A float32 tensor, as in PyTorch: checkpoints go both ways.
            state["step"] = gn.zeros((), dtype=gn.float32, device=param.device)
            state["exp_avg"] = gn.zeros_like(param)
            state["exp_avg_sq"] = gn.zeros_like(param)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = gn.zeros_like(param)
        if group["maximize"]:
            grad = -grad
        exp_avg = state["exp_avg"]
        exp_avg_sq = state["exp_avg_sq"]
        state["step"].add_(1)
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                param.mul_(1 - lr * group["weight_decay"])
            else:
                grad = grad.add(param, alpha=group["weight_decay"])
        exp_avg.lerp_(grad, 1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        step = state["step"].item()
        step_size = lr / (1 - beta1**step)
        bias_correction2_sqrt = (1 - beta2**step) ** 0.5
        second_moment = exp_avg_sq
        if group["amsgrad"]:
            second_moment = state["max_exp_avg_sq"]
            gn.maximum(second_moment, exp_avg_sq, out=second_moment)
        denominator = (second_moment.sqrt() / bias_correction2_sqrt).add_(group["eps"])
        param.addcdiv_(exp_avg, denominator, value=-step_size)


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameter directly.

    Source: torch.optim.AdamW; arXiv:1711.05101.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, decoupled_weight_decay=True
        )
