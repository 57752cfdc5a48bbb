"""ASGD: stochastic gradient descent that also averages the parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import gnomon as gn

from .optimizer import (
    Each,
    MultiTensorOptimizer,
    Tensors,
    as_scalar,
    check_at_least_zero,
    check_lr,
    number_of,
)


class ASGD(MultiTensorOptimizer):
    """``param = param * (1 - lambd * eta) - eta * grad``, with ``eta = lr / (1 + lambd * lr * t) ** alpha``.

    The state "ax" is the mean of the parameter's values after step ``t0``, and until then its last value.
    ``weight_decay`` adds to the gradient; ``maximize`` maximizes the objective.  ``foreach`` chooses the
    form.  With ``differentiable`` autograd records the step; with ``capturable`` it reads no number back
    from the device, which must be CUDA.  Raises ValueError for options out of range; the step raises
    AssertionError for ``capturable`` on other devices.
    Source: torch.optim.ASGD; Polyak and Juditsky 1992.
    """

    _later_options: ClassVar[dict[str, Any]] = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }
    _numbers = ("step", "eta", "mu")
    _capturable_needs = "params, mus, etas, and state_steps"

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | gn.Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check_at_least_zero("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _new_state(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {
            "step": self._new_number(0.0, param, group),
            "eta": self._new_number(number_of(group["lr"]), param, group),
            "mu": self._new_number(1.0, param, group),
            "ax": gn.zeros_like(param),
        }

    def _update_each(
        self, each: Each, params: Tensors, grads: Tensors, state: dict[str, Tensors], group: dict[str, Any]
    ) -> None:
        lr, lambd, alpha, t0 = as_scalar(group["lr"]), group["lambd"], group["alpha"], group["t0"]
        steps, etas, mus, axs = state["step"], state["eta"], state["mu"], state["ax"]
        each("add_", steps, 1)
        if group["weight_decay"] != 0:
            grads = each("add", grads, params, alpha=group["weight_decay"])
        if group["capturable"]:
            for param, grad, step, eta, mu, ax in zip(params, grads, steps, etas, mus, axs):
                param.mul_(1 - lambd * eta).addcmul_(grad, eta, value=-1)
                ax.add_(param.sub(ax).mul_(mu))
                eta.copy_(lr / (1 + lambd * lr * step) ** alpha)
                mu.copy_(1 / (step - t0).clamp(min=1))
            return
        sizes = [eta.item() for eta in etas]
        each("mul_", params, [1 - lambd * size for size in sizes])
        each("add_", params, each("mul", grads, [-size for size in sizes]))
        weights = [mu.item() for mu in mus]
        if all(weight == 1 for weight in weights):
            each("copy_", axs, params)
        else:
            each("add_", axs, each("mul_", each("sub", params, axs), weights))
        # They are mostly the same for all parameters.
        made: dict[float, tuple[gn.Tensor, gn.Tensor]] = {}
        counts = [step.item() for step in steps]
        for count in set(counts):
            size, weight = lr / (1 + lambd * lr * count) ** alpha, 1 / max(1, count - t0)
            made[count] = gn.as_tensor(size), gn.as_tensor(weight)
        each("copy_", etas, [made[count][0] for count in counts])
        each("copy_", mus, [made[count][1] for count in counts])
