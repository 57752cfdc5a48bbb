"""Rprop: resilient backpropagation, which uses only the signs of the gradients."""

from __future__ import annotations

from typing import Any, ClassVar

import gnomon as gn

from .optimizer import (
    Each,
    FunctionalOptimizer,
    ParamsT,
    Tensors,
    check_capturable,
    check_lr,
    check_numbers,
    flattened,
    number_of,
    split_like,
    update_tensors,
)


class Rprop(FunctionalOptimizer):
    """``param -= step_size * sign(grad)``, with a step size for each element, which starts at ``lr``.

    Where the gradient keeps its sign, the step size is multiplied by ``etas[1]``; where it changes its sign,
    by ``etas[0]``, and the element rests for this step.  Step sizes stay within ``step_sizes``.  ``maximize``
    maximizes the objective.  ``foreach`` chooses the form.  With ``differentiable`` autograd records the
    step; with ``capturable`` it reads no number back from the device, which must be CUDA.  Raises ValueError
    for options out of range; the step raises AssertionError for ``capturable`` on other devices.
    Source: torch.optim.Rprop; Riedmiller and Braun 1993.
    """

    _later_options: ClassVar[dict[str, Any]] = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }
    _numbers = ("step",)

    def __init__(
        self,
        params: ParamsT,
        lr: float | gn.Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _new_state(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        lr = number_of(group["lr"])
        return {
            "step": self._new_number(0.0, param, group),
            "prev": gn.zeros_like(param),
            "step_size": gn.full_like(grad, complex(lr, lr) if param.is_complex() else lr),
        }

    def _step(self, params: Tensors, grads: Tensors, group: dict[str, Any]) -> None:
        prevs, step_sizes, steps = self._lists(params, grads, group, "prev", "step_size", "step")
        (etaminus, etaplus), (step_size_min, step_size_max) = group["etas"], group["step_sizes"]
        rprop(
            params,
            grads,
            prevs,
            step_sizes,
            steps,
            foreach=group["foreach"],
            capturable=group["capturable"],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            step_size_min=step_size_min,
            step_size_max=step_size_max,
            etaminus=etaminus,
            etaplus=etaplus,
        )


def rprop(
    params: Tensors,
    grads: Tensors,
    prevs: Tensors,
    step_sizes: Tensors,
    state_steps: Tensors,
    foreach: bool | None = None,
    capturable: bool = False,
    maximize: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    step_size_min: float,
    step_size_max: float,
    etaminus: float,
    etaplus: float,
) -> None:
    """The step of Rprop: updates ``params`` along ``grads``, and the state, which are lists as long.

    ``has_complex`` is not used: complex parameters are found.  Raises RuntimeError unless ``state_steps`` are
    tensors, AssertionError for ``foreach`` together with ``differentiable``, and for ``capturable`` on other
    devices than CUDA.  Source: torch.optim.rprop.rprop.
    """
    check_numbers("state_steps", state_steps)
    check_capturable(capturable, params, state_steps)

    def update(
        each: Each, params: Tensors, grads: Tensors, prevs: Tensors, step_sizes: Tensors, steps: Tensors
    ) -> None:
        each("add_", steps, 1)
        before = each("clone", prevs) if differentiable else prevs
        signs = each("sign", each("mul", grads, before))
        # Operators that have no list form get all elements in one tensor.
        sign = flattened(signs)
        is_reversed = sign.lt(0)
        factor = gn.where(sign.eq(0), gn.ones_like(sign), sign)
        factor = gn.where(sign.gt(0), gn.full_like(sign, etaplus), factor)
        factor = gn.where(is_reversed, gn.full_like(sign, etaminus), factor)
        each("mul_", step_sizes, split_like(factor, step_sizes))
        each("clamp_min_", step_sizes, step_size_min)
        each("clamp_max_", step_sizes, step_size_max)
        grad = flattened(grads)
        grads = split_like(gn.where(is_reversed, gn.zeros_like(grad), grad), grads)
        each("addcmul_", params, each("sign", grads), step_sizes, value=-1)
        each("copy_", prevs, grads)

    update_tensors(
        update,
        params,
        grads,
        (prevs, step_sizes, state_steps),
        foreach=foreach,
        numbers=(),
        maximize=maximize,
        differentiable=differentiable,
        capturable=capturable,
    )
