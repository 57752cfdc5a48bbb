"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gnomon as gn

from ..dispatch.dispatcher import aten
from .optimizer import Optimizer, check_at_least_zero, check_fused, is_fused, number_of


class Adam(Optimizer):
    """``param -= lr * m / (sqrt(v) + eps)``: m and v are running means of the gradient and of its square.

    Both means are corrected for starting at zero.  ``amsgrad`` divides by the largest v so far;
    ``weight_decay`` adds to the gradient, or with ``decoupled_weight_decay`` shrinks the parameter;
    ``maximize`` maximizes the objective.  Raises ValueError for options out of range.

    ``fused``: the step is one operator for all parameters, _fused_adam_ or _fused_adamw_.  That is the
    default where it is possible; with False, or if ``foreach`` is given, each parameter is updated by a
    sequence of operators.  Source: torch.optim.Adam; arXiv:1412.6980.
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
        foreach: bool | None = None,
        maximize: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        check_fused(fused, foreach)
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
            "foreach": foreach,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def _state_of(self, param: gn.Tensor, amsgrad: bool) -> dict[str, Any]:
        """The state of a parameter, created at its first gradient."""
        state = self.state[param]
        if not state:
            # A float32 tensor, as in PyTorch, so that state dicts are interchangeable.
            step = gn.zeros((), dtype=gn.float32, device=param.device)
            averages = ("exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if amsgrad else []))
            # all at once, so that an interrupt can not leave an incomplete state
            state.update({"step": step, **{name: gn.zeros_like(param) for name in averages}})
        return state

    def _step(self, params: list[gn.Tensor], grads: list[gn.Tensor], group: dict[str, Any]) -> None:
        if not is_fused(params, grads, group):
            super()._step(params, grads, group)
            return
        amsgrad = group["amsgrad"]
        states = [self._state_of(param, amsgrad) for param in params]
        lists = [[state[name] for state in states] for name in ("exp_avg", "exp_avg_sq")]
        lists.append([state["max_exp_avg_sq"] for state in states] if amsgrad else [])
        steps = [state["step"] for state in states]
        aten._foreach_add_.Scalar(steps, 1)
        lr = float(number_of(group["lr"]))
        beta1, beta2 = group["betas"]
        decay, eps = float(group["weight_decay"]), float(group["eps"])
        packet = aten._fused_adamw_ if group["decoupled_weight_decay"] else aten._fused_adam_
        numbers = (lr, float(beta1), float(beta2), decay, eps)
        packet.default(params, grads, *lists, steps, *numbers, amsgrad, group["maximize"], None, None)

    def _update(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> None:
        lr = group["lr"]
        beta1, beta2 = group["betas"]
        state = self._state_of(param, group["amsgrad"])
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
        foreach: bool | None = None,
        fused: bool | None = None,
    ) -> None:
        options: dict[str, Any] = {"maximize": maximize, "foreach": foreach, "fused": fused}
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, decoupled_weight_decay=True, **options
        )
