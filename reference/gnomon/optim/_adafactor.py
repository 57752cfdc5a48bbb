"""Adafactor: adaptive steps whose state is sublinear in the size of the parameter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import gnomon as gn

from .optimizer import SingleTensorOptimizer, as_scalar, check_one_element


class Adafactor(SingleTensorOptimizer):
    """``param -= a * u``: u is the gradient divided by the root of the running mean v of squared gradients.

    Of matrices (the last two dimensions) only the means of v over rows and over columns are kept, and v is
    estimated by their product.  At step t the mean's new term weighs ``t ** beta2_decay``; u is shrunk to a
    root mean square of at most ``d``; a is ``min(lr, 1 / sqrt(t))`` times the root mean square of the
    parameter, which counts as at least ``eps[1]``; v counts as at least ``eps[0] ** 2`` (None: the dtype's
    eps).  ``weight_decay`` shrinks the parameter; ``maximize`` maximizes the objective.  ``foreach`` changes
    no number.

    Raises ValueError for options out of range; the step raises RuntimeError for complex parameters.
    Source: torch.optim.Adafactor; arXiv:1804.04235.
    """

    _later_options: ClassVar[dict[str, Any]] = {"foreach": None}
    _numbers = ("step",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | gn.Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_one_element("lr", lr)
        if not lr >= 0.0:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not eps[0] >= 0.0:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not eps[1] >= 0.0:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not d >= 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _step(self, params: list[gn.Tensor], grads: list[gn.Tensor], group: dict[str, Any]) -> None:
        if any(param.is_complex() for param in params):
            raise RuntimeError("Adafactor does not support complex parameters")
        super()._step(params, grads, group)

    def _new_state(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        step = self._new_number(0.0, param, group)
        if grad.dim() < 2:
            return {"step": step, "variance": gn.zeros_like(grad)}
        *leading, rows, columns = grad.shape
        return {
            "step": step,
            "row_var": grad.new_zeros([*leading, rows, 1]),
            "col_var": grad.new_zeros([*leading, 1, columns]),
        }

    def _update(
        self, param: gn.Tensor, grad: gn.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        lr, (eps1, eps2), d = as_scalar(group["lr"]), group["eps"], group["d"]
        if eps1 is None:
            eps1 = gn.finfo(param.dtype).eps
        state["step"].add_(1)
        step = state["step"].item()
        weight = step ** group["beta2_decay"]
        size = max(eps2, param.norm(2).item() / param.numel() ** 0.5) * min(lr, 1 / step**0.5)
        if group["weight_decay"] != 0:
            param.mul_(1 - lr * group["weight_decay"])
        if grad.dim() > 1:
            row_var, col_var = state["row_var"], state["col_var"]
            # Mean squares, without a tensor of squares.
            row_var.lerp_(gn.norm(grad, dim=-1, keepdim=True).square_().div_(grad.size(-1)), weight)
            col_var.lerp_(gn.norm(grad, dim=-2, keepdim=True).square_().div_(grad.size(-2)), weight)
            variance = (row_var @ col_var).div_(row_var.mean(dim=-2, keepdim=True).clamp_(min=eps1))
        else:
            variance = state["variance"].lerp_(grad * grad, weight).clone()
        update = variance.clamp_(min=eps1 * eps1).rsqrt_().mul_(grad)
        excess = max(1.0, update.norm(2).item() / (update.numel() ** 0.5 * d))
        param.add_(update, alpha=-size / excess)
