"""Adam: adaptive moment estimation."""

from __future__ import annotations

from typing import Any, ClassVar

import gnomon as gn

from ..dispatch.dispatcher import aten
from .optimizer import (
    FunctionalOptimizer,
    ParamsT,
    Tensors,
    are_on,
    as_real,
    as_scalar,
    check_at_least_zero,
    check_betas,
    check_capturable,
    check_fused,
    check_lr,
    check_numbers,
    check_one_element,
    check_unscaled,
    is_fused,
    number_of,
)

_NO_TENSOR = "as a Tensor is not supported for capturable=False and foreach=True"


class Adam(FunctionalOptimizer):
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

    _refusal_of_sparse = "Adam does not support sparse gradients, please consider SparseAdam instead"
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
        params: ParamsT,
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

    def _step(self, params: Tensors, grads: Tensors, group: dict[str, Any]) -> None:
        foreach, (beta1, beta2) = group["foreach"], group["betas"]
        is_recorded = group["differentiable"] or group["capturable"]
        numbers = group["lr"], group["weight_decay"], beta1, beta2
        fused = is_fused(params, grads, group["fused"], foreach, is_recorded, numbers)
        grad_scale, found_inf = self._amp_scaling(params[0].device) if fused else (None, None)
        names = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step")
        exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps = self._lists(params, grads, group, *names)
        adam(
            params,
            grads,
            exp_avgs,
            exp_avg_sqs,
            max_exp_avg_sqs if group["amsgrad"] else [],
            self._move_steps(params) if fused else steps,
            foreach=foreach,
            capturable=group["capturable"],
            differentiable=group["differentiable"],
            fused=fused,
            grad_scale=grad_scale,
            found_inf=found_inf,
            decoupled_weight_decay=group["decoupled_weight_decay"],
            amsgrad=group["amsgrad"],
            beta1=beta1,
            beta2=beta2,
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            maximize=group["maximize"],
        )


def adam(
    params: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_avg_sqs: Tensors,
    max_exp_avg_sqs: Tensors,
    state_steps: Tensors,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: gn.Tensor | None = None,
    found_inf: gn.Tensor | None = None,
    has_complex: bool = False,
    decoupled_weight_decay: bool = False,
    *,
    amsgrad: bool,
    beta1: float | gn.Tensor,
    beta2: float | gn.Tensor,
    lr: float | gn.Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """The step of Adam: updates ``params`` along ``grads``, and the state, which are lists as long.

    ``max_exp_avg_sqs`` may be empty without ``amsgrad``.  ``fused`` is as in Adam; ``foreach``, if given,
    asks for the other form.  ``has_complex`` is not used: complex parameters are found.

    Raises RuntimeError unless ``state_steps`` are tensors, and for ``fused`` and ``differentiable`` together;
    AssertionError for ``foreach`` together with ``differentiable``, for ``grad_scale`` or ``found_inf`` if
    ``fused`` is not true, and for ``capturable`` on other devices than CUDA.
    Source: torch.optim.adam.adam.
    """
    check_numbers("state_steps", state_steps)
    check_unscaled(fused, grad_scale, found_inf)
    if not params:
        return
    if fused is None and are_on(state_steps, params[0].device):
        numbers = lr, weight_decay, beta1, beta2
        fused = is_fused(params, grads, fused, foreach, differentiable or capturable, numbers)
    if fused:
        if differentiable:
            raise RuntimeError("Adam with fused=True does not support differentiable=True")
        aten._foreach_add_.Scalar(state_steps, 1)
        packet = aten._fused_adamw_ if decoupled_weight_decay else aten._fused_adam_
        options = map(number_of, (lr, beta1, beta2, weight_decay, eps))
        maxima = max_exp_avg_sqs if amsgrad else []
        averages = exp_avgs, exp_avg_sqs, maxima, state_steps
        packet.default(params, grads, *averages, *options, amsgrad, maximize, grad_scale, found_inf)
        if found_inf is not None:
            aten._foreach_sub_.List(state_steps, [found_inf] * len(state_steps))  # nothing was done
        return
    if foreach:
        if isinstance(lr, gn.Tensor) and not capturable:
            raise RuntimeError(f"lr {_NO_TENSOR}")
        if differentiable:
            raise AssertionError("_foreach ops don't support autograd")
    check_capturable(capturable, params, state_steps)
    lr, beta1, beta2 = map(as_scalar, (lr, beta1, beta2))
    for place, param in enumerate(params):
        grad = -grads[place] if maximize else grads[place]
        step, largest = state_steps[place], max_exp_avg_sqs[place] if amsgrad else None
        param, grad, exp_avg, exp_avg_sq, largest = as_real(
            param, grad, exp_avgs[place], exp_avg_sqs[place], largest
        )
        if differentiable and step.requires_grad:
            raise RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")
        step.add_(1)
        if weight_decay != 0:
            if decoupled_weight_decay:
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
        if largest is not None:
            second_moment = largest
            second_moment.copy_(gn.maximum(second_moment.clone(), exp_avg_sq))
        if capturable or differentiable:
            # Numbers stay tensors, so that nothing is read back and autograd records what it must.
            step = step.clone()
            negative_step_size = -(lr / (1 - beta1**step))
            correction = (1 - beta2**step).sqrt()
            denominator = second_moment.sqrt() / (correction * negative_step_size) + eps / negative_step_size
            param.addcdiv_(exp_avg.clone(), denominator)
        else:
            count = step.item()
            step_size = lr / (1 - beta1**count)
            denominator = (second_moment.sqrt() / (1 - beta2**count) ** 0.5).add_(eps)
            param.addcdiv_(exp_avg, denominator, value=-step_size)
