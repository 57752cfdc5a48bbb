"""AdamW: Adam with decoupled weight decay."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gnomon as gn

from .adam import Adam


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameter directly: ``param *= 1 - lr * weight_decay``.

    Source: torch.optim.AdamW; arXiv:1711.05101.
    """

    def __init__(
        self,
        params: Iterable[Any],
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
