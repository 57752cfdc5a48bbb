"""RAdam: Adam that adapts only once the variance of its steps is known well enough."""

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


class RAdam(FunctionalOptimizer):
    """``param -= lr * m * r / (sqrt(v) + eps)``, or at first ``param -= lr * m``.

    m and v are the running means of the gradient and of its square, corrected for starting at zero.  v is
    used as soon as it averages over more than five gradients; r accounts for its uncertainty.

    ``weight_decay`` adds to the gradient, or with ``decoupled_weight_decay`` shrinks the parameter;
    ``maximize`` maximizes the objective.  ``foreach`` chooses the form.  With ``differentiable`` autograd
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
        params: ParamsT,
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

    def _step(self, params: Tensors, grads: Tensors, group: dict[str, Any]) -> None:
        exp_avgs, exp_avg_sqs, steps = self._lists(params, grads, group, "exp_avg", "exp_avg_sq", "step")
        beta1, beta2 = group["betas"]
        radam(
            params,
            grads,
            exp_avgs,
            exp_avg_sqs,
            steps,
            decoupled_weight_decay=group["decoupled_weight_decay"],
            foreach=group["foreach"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
            maximize=group["maximize"],
            beta1=beta1,
            beta2=beta2,
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            eps=group["eps"],
        )


def radam(
    params: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_avg_sqs: Tensors,
    state_steps: Tensors,
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float | gn.Tensor,
    weight_decay: float,
    eps: float,
) -> None:
    """The step of RAdam: updates ``params`` along ``grads``, and the state, which are lists as long.

    ``has_complex`` is not used: complex parameters are found.  Raises RuntimeError unless ``state_steps`` are
    tensors, AssertionError for ``foreach`` together with ``differentiable``, and for ``capturable`` on other
    devices than CUDA.  Source: torch.optim.radam.radam.
    """
    check_numbers("state_steps", state_steps)
    check_capturable(capturable, params, state_steps)
    rate = as_scalar(lr)
    # The number of gradients that v averages over (the length of a simple moving average) has this limit.
    limit = 2 / (1 - beta2) - 1

    def factor(step: Any, length: Any) -> Any:
        """The rectification, and the bias correction of v."""
        ratio = (length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)
        return (ratio * (1 - beta2**step)) ** 0.5

    def update(
        each: Each,
        params: Tensors,
        grads: Tensors,
        exp_avgs: Tensors,
        exp_avg_sqs: Tensors,
        state_steps: Tensors,
    ) -> None:
        each("add_", state_steps, 1)
        steps: list[Any] = state_steps if capturable else [step.item() for step in state_steps]
        if weight_decay != 0:
            if decoupled_weight_decay:
                each("mul_", params, 1 - rate * weight_decay)
            else:
                grads = each("add", grads, params, alpha=weight_decay)
        each("lerp_", exp_avgs, grads, 1 - beta1)
        each("mul_", exp_avg_sqs, beta2)
        each("addcmul_", exp_avg_sqs, grads, grads, value=1 - beta2)
        updates = each("mul", exp_avgs, [rate / (1 - beta1**step) for step in steps])
        lengths = [limit - 2 * step * beta2**step / (1 - beta2**step) for step in steps]
        if capturable:
            inverse_roots = each("reciprocal", each("add", each("sqrt", exp_avg_sqs), eps))
            adapted = each("mul", inverse_roots, [factor(*pair) for pair in zip(steps, lengths)])
            kept: list[gn.Tensor] = [
                gn.where(length > 5.0, one, 1.0) for length, one in zip(lengths, adapted)
            ]
            updates = each("mul", updates, kept)
        elif any(length > 5.0 for length in lengths):
            roots = each("add", each("sqrt", exp_avg_sqs), eps)
            factors = [factor(*pair) if pair[1] > 5.0 else 0.0 for pair in zip(steps, lengths)]
            adapted = each("mul", each("reciprocal", roots), factors)
            if not all(factors):
                adapted = each("add", adapted, [0.0 if number else 1.0 for number in factors])
            updates = each("mul", updates, adapted)
        each("add_", params, updates, alpha=-1.0)

    update_tensors(
        update,
        params,
        grads,
        (exp_avgs, exp_avg_sqs, state_steps),
        foreach=foreach,
        numbers=(lr, beta1, beta2, weight_decay, eps),
        maximize=maximize,
        differentiable=differentiable,
        capturable=capturable,
    )
