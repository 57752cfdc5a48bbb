"""Adafactor: adaptive steps whose state is sublinear in the size of the parameter."""

from __future__ import annotations

from typing import Any, ClassVar

import gnomon as gn

from .optimizer import (
    Each,
    FunctionalOptimizer,
    ParamsT,
    Tensors,
    as_scalar,
    check_one_element,
    stacked,
    update_tensors,
)


class Adafactor(FunctionalOptimizer):
    """``param -= a * u``: u is the gradient divided by the root of the running mean v of squared gradients.

    Of matrices (the last two dimensions) only the means of v over rows and over columns are kept, and v is
    estimated by their product.  At step t the mean's new term weighs ``t ** beta2_decay``; u is shrunk to a
    root mean square of at most ``d``; a is ``min(lr, 1 / sqrt(t))`` times the root mean square of the
    parameter, which counts as at least ``eps[1]``; v counts as at least ``eps[0] ** 2`` (None: the dtype's
    eps).  ``weight_decay`` shrinks the parameter; ``maximize`` maximizes the objective.  ``foreach`` chooses
    the form.

    Raises ValueError for options out of range; the step raises RuntimeError for complex parameters.
    Source: torch.optim.Adafactor; arXiv:1804.04235.
    """

    _later_options: ClassVar[dict[str, Any]] = {"foreach": None}
    _numbers = ("step",)

    def __init__(
        self,
        params: ParamsT,
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

    def _step(self, params: Tensors, grads: Tensors, group: dict[str, Any]) -> None:
        if any(param.is_complex() for param in params):
            raise RuntimeError("Adafactor does not support complex parameters")
        names = ("row_var", "col_var", "variance", "step")
        row_vars, col_vars, variances, steps = self._lists(params, grads, group, *names)
        eps1, eps2 = group["eps"]
        adafactor(
            params,
            grads,
            row_vars,
            col_vars,
            variances,
            steps,
            foreach=group["foreach"],
            d=group["d"],
            lr=group["lr"],
            beta2_decay=group["beta2_decay"],
            weight_decay=group["weight_decay"],
            eps1=eps1,
            eps2=eps2,
            maximize=group["maximize"],
        )

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


def adafactor(
    params: Tensors,
    grads: Tensors,
    row_vars: list[gn.Tensor | None],
    col_vars: list[gn.Tensor | None],
    variances: list[gn.Tensor | None],
    state_steps: Tensors,
    foreach: bool | None = None,
    grad_scale: gn.Tensor | None = None,
    found_inf: gn.Tensor | None = None,
    has_complex: bool = False,
    *,
    d: float,
    lr: float | gn.Tensor,
    beta2_decay: float,
    weight_decay: float,
    eps1: float | None,
    eps2: float,
    maximize: bool,
) -> None:
    """The step of Adafactor: updates ``params`` along ``grads``, and the state, which are lists as long.

    A parameter with two or more dimensions has a row_var and a col_var, another one a variance; what it does
    not have is None.  ``has_complex`` is not used.  Raises RuntimeError unless ``state_steps`` are tensors,
    AssertionError for ``grad_scale`` or ``found_inf``, and for missing state.
    Source: torch.optim._adafactor.adafactor.
    """
    if not all(isinstance(step, gn.Tensor) for step in state_steps):
        raise RuntimeError("`state_steps` argument must contain a list of singleton tensors")
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Grad scaling should occur outside of optimizer.step()")
    for grad, row_var, col_var, variance in zip(grads, row_vars, col_vars, variances):
        if grad.dim() > 1 and (row_var is None or col_var is None):
            raise AssertionError("row_var and col_var should be defined when grad is multidimensional")
        if grad.dim() <= 1 and variance is None:
            raise AssertionError("variance should be defined when grad is a vector")
    rate = as_scalar(lr)

    def update(
        each: Each,
        params: Tensors,
        grads: Tensors,
        row_vars: Tensors,
        col_vars: Tensors,
        variances: Tensors,
        state_steps: Tensors,
    ) -> None:
        least = gn.finfo(params[0].dtype).eps if eps1 is None else eps1
        each("add_", state_steps, 1)
        steps = [step.item() for step in state_steps]
        weights = [step**beta2_decay for step in steps]
        sizes = [
            max(eps2, mean) * min(rate, 1 / step**0.5)
            for mean, step in zip(_root_mean_squares(each, params), steps)
        ]
        if weight_decay != 0:
            each("mul_", params, 1 - rate * weight_decay)
        if grads[0].dim() > 1:
            matrices = stacked(grads)
            for dim, some in ((-1, row_vars), (-2, col_vars)):
                # Mean squares, without a tensor of squares.
                means = gn.norm(matrices, dim=dim, keepdim=True).square_().div_(matrices.size(dim))
                each("lerp_", some, list(means), weights)
            rows, columns = stacked(row_vars), stacked(col_vars)
            variance = (rows @ columns).div_(rows.mean(dim=-2, keepdim=True).clamp_(min=least))
        else:
            variance = gn.stack(each("lerp_", variances, each("mul", grads, grads), weights))
        updates = list(variance.clamp_(min=least * least).rsqrt_().mul_(stacked(grads)))
        roots = _root_mean_squares(each, updates)
        sizes = [-size / max(1.0, root / d) for size, root in zip(sizes, roots)]
        each("add_", params, updates, alpha=sizes)

    update_tensors(
        update,
        params,
        grads,
        (row_vars, col_vars, variances, state_steps),
        foreach=foreach,
        numbers=(lr, beta2_decay, weight_decay, eps1, eps2, d),
        maximize=maximize,
        by_shape=True,  # those of one shape are one batch of matrices
    )


def _root_mean_squares(each: Each, tensors: Tensors) -> list[float]:
    """Those of tensors of one shape; 0 without elements."""
    root = max(1, tensors[0].numel()) ** 0.5
    return [norm / root for norm in gn.stack(each("norm", tensors, 2)).tolist()]
