"""NAdam: Adam with Nesterov momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import gnomon as gn

from .optimizer import SingleTensorOptimizer, as_scalar, check_at_least_zero, check_betas, check_lr


class NAdam(SingleTensorOptimizer):
    """Adam whose step looks ahead: it mixes the gradient with the running mean m of the gradients.

    At step t, with ``mu(t) = beta1 * (1 - 0.5 * 0.96 ** (t * momentum_decay))`` and p(t) the product of mu(1)
    to mu(t), ``param -= lr * (mu(t+1) * m / (1 - p(t+1)) + (1 - mu(t)) * grad / (1 - p(t))) / (sqrt(v) +
    eps)``, where v is the running mean of the squared gradients, corrected for starting at zero.

    ``weight_decay`` adds to the gradient, or with ``decoupled_weight_decay`` shrinks the parameter;
    ``maximize`` maximizes the objective.  ``foreach`` changes no number.  With ``differentiable`` autograd
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
        params: Iterable[Any],
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

    def _update(
        self, param: gn.Tensor, grad: gn.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        lr, (beta1, beta2), decay = as_scalar(group["lr"]), group["betas"], group["momentum_decay"]
        exp_avg, exp_avg_sq, mu_product = state["exp_avg"], state["exp_avg_sq"], state["mu_product"]
        state["step"].add_(1)
        step = state["step"] if group["capturable"] else state["step"].item()
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                param.mul_(1 - lr * group["weight_decay"])
            else:
                grad = grad.add(param, alpha=group["weight_decay"])
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * decay))
        next_mu = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * decay))
        mu_product.mul_(mu)
        exp_avg.lerp_(grad, 1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        denominator = exp_avg_sq.div(1 - beta2**step).sqrt() + group["eps"]
        if group["differentiable"] or group["capturable"]:
            # Numbers stay tensors, so that nothing is read back and autograd records what it must.
            param.addcdiv_(grad * (-lr * (1.0 - mu) / (1.0 - mu_product)), denominator)
            param.addcdiv_(exp_avg * (-lr * next_mu / (1.0 - mu_product * next_mu)), denominator)
        else:
            product = mu_product.item()
            param.addcdiv_(grad, denominator, value=-lr * (1.0 - mu) / (1.0 - product))
            param.addcdiv_(exp_avg, denominator, value=-lr * next_mu / (1.0 - product * next_mu))
