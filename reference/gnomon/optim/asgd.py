"""ASGD: stochastic gradient descent that also averages the parameters."""

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
    check_capturable,
    check_lr,
    number_of,
    update_tensors,
)


class ASGD(FunctionalOptimizer):
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
        params: ParamsT,
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

    def _step(self, params: Tensors, grads: Tensors, group: dict[str, Any]) -> None:
        axs, mus, etas, steps = self._lists(params, grads, group, "ax", "mu", "eta", "step")
        asgd(
            params,
            grads,
            axs,
            mus,
            etas,
            steps,
            foreach=group["foreach"],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
            lambd=group["lambd"],
            lr=group["lr"],
            t0=group["t0"],
            alpha=group["alpha"],
            weight_decay=group["weight_decay"],
        )


def asgd(
    params: Tensors,
    grads: Tensors,
    axs: Tensors,
    mus: Tensors,
    etas: Tensors,
    state_steps: Tensors,
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lambd: float,
    lr: float | gn.Tensor,
    t0: float,
    alpha: float,
    weight_decay: float,
) -> None:
    """The step of ASGD: updates ``params`` along ``grads``, and the state, which are lists as long.

    ``has_complex`` is not used: complex parameters are found.  Raises AssertionError for ``foreach`` together
    with ``differentiable``, and for ``capturable`` on other devices than CUDA.
    Source: torch.optim.asgd.asgd.
    """
    needs = "params, mus, etas, and state_steps"
    check_capturable(capturable, params, mus, etas, state_steps, needs=needs)
    rate = as_scalar(lr)

    def update(
        each: Each,
        params: Tensors,
        grads: Tensors,
        axs: Tensors,
        mus: Tensors,
        etas: Tensors,
        steps: Tensors,
    ) -> None:
        each("add_", steps, 1)
        if weight_decay != 0:
            grads = each("add", grads, params, alpha=weight_decay)
        if capturable:
            for param, grad, step, eta, mu, ax in zip(params, grads, steps, etas, mus, axs):
                param.mul_(1 - lambd * eta).addcmul_(grad, eta, value=-1)
                ax.add_(param.sub(ax).mul_(mu))
                eta.copy_(rate / (1 + lambd * rate * step) ** alpha)
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
            size, weight = rate / (1 + lambd * rate * count) ** alpha, 1 / max(1, count - t0)
            made[count] = gn.as_tensor(size), gn.as_tensor(weight)
        each("copy_", etas, [made[count][0] for count in counts])
        each("copy_", mus, [made[count][1] for count in counts])

    update_tensors(
        update,
        params,
        grads,
        (axs, mus, etas, state_steps),
        foreach=foreach,
        numbers=(lr, lambd, t0, alpha, weight_decay),
        maximize=maximize,
        differentiable=differentiable,
        capturable=capturable,
    )
