"""NAdam: Adam with Nesterov momentum."""

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


class NAdam(FunctionalOptimizer):
    """Adam whose step looks ahead: it mixes the gradient with the running mean m of the gradients.

    At step t, with ``mu(t) = beta1 * (1 - 0.5 * 0.96 ** (t * momentum_decay))`` and p(t) the product of mu(1)
    to mu(t), ``param -= lr * (mu(t+1) * m / (1 - p(t+1)) + (1 - mu(t)) * grad / (1 - p(t))) / (sqrt(v) +
    eps)``, where v is the running mean of the squared gradients, corrected for starting at zero.

    ``weight_decay`` adds to the gradient, or with ``decoupled_weight_decay`` shrinks the parameter;
    ``maximize`` maximizes the objective.  ``foreach`` chooses the form.  With ``differentiable`` autograd
    records the step; with ``capturable`` it reads no number back from the device, which must be CUDA.  Raises
    ValueError for options out of range; the step raises AssertionError for ``capturable`` on other devices.
    Source: torch.optim.NAdam; Dozat 2016.
    """

    _later_options: ClassVar[dict[str, Any]] = {
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
    }
    _numbers = ("step", "mu_product")
    _capturable_needs = "params, mu_products and state_steps"

    def __init__(
        self,
        params: ParamsT,
        lr: float | gn.Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
        check_at_least_zero("momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {
            "step": self._new_number(0.0, param, group),
            "mu_product": self._new_number(1.0, param, group),
            "exp_avg": gn.zeros_like(param),
            "exp_avg_sq": gn.zeros_like(param),
        }

    def _step(self, params: Tensors, grads: Tensors, group: dict[str, Any]) -> None:
        names = ("exp_avg", "exp_avg_sq", "mu_product", "step")
        exp_avgs, exp_avg_sqs, mu_products, steps = self._lists(params, grads, group, *names)
        beta1, beta2 = group["betas"]
        nadam(
            params,
            grads,
            exp_avgs,
            exp_avg_sqs,
            mu_products,
            steps,
            decoupled_weight_decay=group["decoupled_weight_decay"],
            foreach=group["foreach"],
            capturable=group["capturable"],
            differentiable=group["differentiable"],
            maximize=group["maximize"],
            beta1=beta1,
            beta2=beta2,
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            momentum_decay=group["momentum_decay"],
            eps=group["eps"],
        )


def nadam(
    params: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_avg_sqs: Tensors,
    mu_products: Tensors,
    state_steps: Tensors,
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float | gn.Tensor,
    weight_decay: float,
    momentum_decay: float,
    eps: float,
) -> None:
    """The step of NAdam: updates ``params`` along ``grads``, and the state, which are lists as long.

    ``has_complex`` is not used: complex parameters are found.  Raises RuntimeError unless ``state_steps`` and
    ``mu_products`` are tensors, AssertionError for ``foreach`` together with ``differentiable``, and for
    ``capturable`` on other devices than CUDA.  Source: torch.optim.nadam.nadam.
    """
    check_numbers("state_steps", state_steps)
    check_numbers("mu_products", mu_products)
    needs = "params, mu_products and state_steps"
    check_capturable(capturable, params, mu_products, state_steps, needs=needs)
    rate = as_scalar(lr)
    # Numbers stay tensors if nothing is to be read back, or if autograd records them.
    keeps_tensors = differentiable or capturable

    def update(
        each: Each,
        params: Tensors,
        grads: Tensors,
        exp_avgs: Tensors,
        exp_avg_sqs: Tensors,
        products: Tensors,
        state_steps: Tensors,
    ) -> None:
        each("add_", state_steps, 1)
        steps: list[Any] = state_steps if capturable else [step.item() for step in state_steps]
        if weight_decay != 0:
            if decoupled_weight_decay:
                each("mul_", params, 1 - rate * weight_decay)
            else:
                grads = each("add", grads, params, alpha=weight_decay)
        mus = [beta1 * (1.0 - 0.5 * 0.96 ** (step * momentum_decay)) for step in steps]
        next_mus = [beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * momentum_decay)) for step in steps]
        each("mul_", products, mus)
        each("lerp_", exp_avgs, grads, 1 - beta1)
        each("mul_", exp_avg_sqs, beta2)
        each("addcmul_", exp_avg_sqs, grads, grads, value=1 - beta2)
        roots = each("sqrt", each("div", exp_avg_sqs, [1 - beta2**step for step in steps]))
        denominators = each("add", roots, eps)
        numbers: list[Any] = products if keeps_tensors else [product.item() for product in products]
        sizes = [-rate * (1.0 - mu) / (1.0 - product) for mu, product in zip(mus, numbers)]
        next_sizes = [-rate * mu / (1.0 - product * mu) for mu, product in zip(next_mus, numbers)]
        if keeps_tensors:
            each("addcdiv_", params, each("mul", grads, sizes), denominators, value=1)
            each("addcdiv_", params, each("mul", exp_avgs, next_sizes), denominators, value=1)
        else:
            each("addcdiv_", params, grads, denominators, value=sizes)
            each("addcdiv_", params, exp_avgs, denominators, value=next_sizes)

    update_tensors(
        update,
        params,
        grads,
        (exp_avgs, exp_avg_sqs, mu_products, state_steps),
        foreach=foreach,
        numbers=(lr, beta1, beta2, weight_decay, momentum_decay, eps),
        maximize=maximize,
        differentiable=differentiable,
        capturable=capturable,
    )
