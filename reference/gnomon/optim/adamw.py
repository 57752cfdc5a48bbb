"""AdamW: Adam with decoupled weight decay."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from .adam import Adam, adam
from .optimizer import ParamsT, Tensors


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameter directly: ``param *= 1 - lr * weight_decay``.

    Source: torch.optim.AdamW; arXiv:1711.05101.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | gn.Tensor = 1e-3,
        betas: tuple[float | gn.Tensor, float | gn.Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        options: dict[str, Any] = {
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, decoupled_weight_decay=True, **options
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        for group in state.get("param_groups", ()):
            group["decoupled_weight_decay"] = True  # whatever optimizer saved the state
        super().__setstate__(state)


def adamw(
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
    *,
    amsgrad: bool,
    beta1: float | gn.Tensor,
    beta2: float | gn.Tensor,
    lr: float | gn.Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """The step of AdamW: ``adam`` with ``decoupled_weight_decay``.  Source: torch.optim.adamw.adamw."""
    adam(
        params,
        grads,
        exp_avgs,
        exp_avg_sqs,
        max_exp_avg_sqs,
        state_steps,
        foreach=foreach,
        capturable=capturable,
        differentiable=differentiable,
        fused=fused,
        grad_scale=grad_scale,
        found_inf=found_inf,
        has_complex=has_complex,
        decoupled_weight_decay=True,
        amsgrad=amsgrad,
        beta1=beta1,
        beta2=beta2,
        lr=lr,
        weight_decay=weight_decay,
        eps=eps,
        maximize=maximize,
    )
