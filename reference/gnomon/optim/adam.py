"""Adam: adaptive moment estimation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import gnomon as gn

from ..dispatch.dispatcher import aten
from .optimizer import (
    SingleTensorOptimizer,
    as_scalar,
    check_at_least_zero,
    check_betas,
    check_fused,
    check_lr,
    check_one_element,
    is_fused,
    number_of,
)

_NO_TENSOR = "as a Tensor is not supported for capturable=False and foreach=True"


class Adam(SingleTensorOptimizer):
    """``param -= lr * m / (sqrt(v) + eps)``: m and v are running means of the gradient and of its square.

    Both means are corrected for starting at zero.  ``amsgrad`` divides by the largest v so far;
    ``weight_decay`` adds to the gradient, or with ``decoupled_weight_decay`` shrinks the parameter;
    ``maximize`` maximizes the objective.  ``lr`` and both ``betas`` may be one-element tensors.  With
    ``differentiable`` autograd records the step; with ``capturable`` it reads no number back from the device,
    which must be CUDA.  Raises ValueError for options out of range, RuntimeError for ``fused`` together with
    ``foreach`` or ``differentiable``; the step raises AssertionError for ``capturable`` on other devices.

    ``fused``: the step is one operator for all parameters, _fused_adam_ or _fused_adamw_.  That is the
    default where it is possible; with False, or if ``foreach`` is given, each parameter is updated by a
    sequence of operators.  Source: torch.optim.Adam; arXiv:1412.6980.
    """

    _later_options: ClassVar[dict[str, Any]] = {
        "amsgrad": False,
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
        "fused": None,
    }
    _numbers = ("step",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | gn.Tensor = 1e-3,
        betas: tuple[float | gn.Tensor, float | gn.Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, gn.Tensor) and foreach and not capturable:
            raise ValueError(f"lr {_NO_TENSOR}")
        check_lr(lr)
        check_at_least_zero("epsilon value", eps)
        check_betas(betas)
        check_at_least_zero("weight_decay value", weight_decay)
        if [isinstance(beta, float) for beta in betas] != [
            not isinstance(beta, gn.Tensor) for beta in betas
        ] or isinstance(betas[0], float) != isinstance(betas[1], float):
            raise ValueError("betas must be either both floats or both Tensors")
        for index, beta in enumerate(betas):
            if isinstance(beta, gn.Tensor):
                if foreach and not capturable:
                    raise ValueError(f"betas[{index}] {_NO_TENSOR}")
                check_one_element(f"betas[{index}]", beta)
        defaults = {
            "lr": lr,
            "betas": tuple(map(as_scalar, betas)),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)
        check_fused(fused, foreach, differentiable)
        self._step_supports_amp_scaling = bool(fused)

    def _new_state(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        averages = ("exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if group["amsgrad"] else []))
        # The fused step, which is the default, counts on the parameter's device.
        step = self._new_number(0.0, param, group).to(param.device)
        return {"step": step, **{name: gn.zeros_like(param) for name in averages}}

    def _step(self, params: list[gn.Tensor], grads: list[gn.Tensor], group: dict[str, Any]) -> None:
        if group["foreach"] and isinstance(group["lr"], gn.Tensor) and not group["capturable"]:
            raise RuntimeError(f"lr {_NO_TENSOR}")
        if is_fused(params, grads, group):
            self._step_fused(params, grads, group)
        else:
            super()._step(params, grads, group)

    def _step_fused(self, params: list[gn.Tensor], grads: list[gn.Tensor], group: dict[str, Any]) -> None:
        amsgrad = group["amsgrad"]
        states = [self._state_of(param, grad, group) for param, grad in zip(params, grads)]
        lists = [[state[name] for state in states] for name in ("exp_avg", "exp_avg_sq")]
        lists.append([state["max_exp_avg_sq"] for state in states] if amsgrad else [])
        where = params[0].device
        steps = self._steps_on(where, states)
        aten._foreach_add_.Scalar(steps, 1)
        beta1, beta2 = group["betas"]
        options = (group["lr"], beta1, beta2, group["weight_decay"], group["eps"])
        packet = aten._fused_adamw_ if group["decoupled_weight_decay"] else aten._fused_adam_
        numbers = map(number_of, options)
        grad_scale, found_inf = self._amp_scaling(where)
        flags = amsgrad, group["maximize"]
        packet.default(params, grads, *lists, steps, *numbers, *flags, grad_scale, found_inf)
        if found_inf is not None:
            aten._foreach_sub_.List(steps, [found_inf] * len(steps))  # nothing was done

    def _update(
        self, param: gn.Tensor, grad: gn.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        lr, eps, weight_decay = as_scalar(group["lr"]), group["eps"], group["weight_decay"]
        beta1, beta2 = map(as_scalar, group["betas"])
        exp_avg, exp_avg_sq = state["exp_avg"], state["exp_avg_sq"]
        differentiable = group["differentiable"]
        if differentiable and state["step"].requires_grad:
            raise RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")
        state["step"].add_(1)
        if weight_decay != 0:
            if group["decoupled_weight_decay"]:
                param.mul_(1 - lr * weight_decay)
            elif isinstance(weight_decay, gn.Tensor) and weight_decay.requires_grad:
                grad = grad.addcmul(param.clone(), weight_decay)
            else:
                grad = grad.add(param, alpha=weight_decay)
        weight = 1 - beta1
        exp_avg.lerp_(grad, weight.to(param) if isinstance(weight, gn.Tensor) else weight)
        if isinstance(beta2, gn.Tensor) and beta2.requires_grad:
            exp_avg_sq.lerp_(grad.square(), 1 - beta2)  # addcmul's value can not be recorded
        else:
            exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        second_moment = exp_avg_sq
        if group["amsgrad"]:
            second_moment = state["max_exp_avg_sq"]
            second_moment.copy_(gn.maximum(second_moment.clone(), exp_avg_sq))
        if group["capturable"] or differentiable:
            # Numbers stay tensors, so that nothing is read back and autograd records what it must.
            step = state["step"].clone()
            negative_step_size = -(lr / (1 - beta1**step))
            correction = (1 - beta2**step).sqrt()
            denominator = second_moment.sqrt() / (correction * negative_step_size) + eps / negative_step_size
            param.addcdiv_(exp_avg.clone(), denominator)
        else:
            step = state["step"].item()
            step_size = lr / (1 - beta1**step)
            denominator = (second_moment.sqrt() / (1 - beta2**step) ** 0.5).add_(eps)
            param.addcdiv_(exp_avg, denominator, value=-step_size)
