"""Muon: momentum whose steps are orthogonalized."""

from __future__ import annotations

import math
from typing import Any, Literal

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


class Muon(FunctionalOptimizer):
    """``param -= lr * r * O``: O is roughly the orthogonal matrix nearest to the mean of the gradients.

    The mean is a running one with coefficient ``momentum``; with ``nesterov`` it is mixed with the gradient
    once more.  O comes from ``ns_steps`` Newton-Schulz iterations in bfloat16 with ``ns_coefficients``;
    ``eps`` is the least norm that the mean is divided by.  Before that, ``param *= 1 - lr * weight_decay``.

    For a parameter of shape (a, b), r is ``sqrt(max(1, a / b))``, or with an ``adjust_lr_fn`` of
    "match_rms_adamw" ``0.2 * sqrt(max(a, b))``.

    Parameters have two dimensions.  Raises ValueError for others and for options out of range; the step
    raises RuntimeError for complex parameters.
    Source: torch.optim.Muon; https://kellerjordan.github.io/posts/muon; arXiv:2502.16982.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | gn.Tensor = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: Literal["original", "match_rms_adamw"] | None = None,
    ) -> None:
        check_one_element("lr", lr)
        if not lr >= 0.0:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not momentum >= 0.0:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for param in self._parameters():
            if param.ndim != 2:
                raise ValueError(
                    f"Muon only supports 2D parameters whereas we found a parameter with size: {param.size()}"
                )

    def _step(self, params: Tensors, grads: Tensors, group: dict[str, Any]) -> None:
        if any(param.is_complex() for param in params):
            raise RuntimeError("Muon does not support complex parameters")
        (buffers,) = self._lists(params, grads, group, "momentum_buffer")
        muon(
            params,
            grads,
            buffers,
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            momentum=group["momentum"],
            nesterov=group["nesterov"],
            ns_coefficients=group["ns_coefficients"],
            ns_steps=group["ns_steps"],
            eps=group["eps"],
            adjust_lr_fn=group["adjust_lr_fn"],
            has_complex=False,
        )

    def _new_state(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"momentum_buffer": gn.zeros_like(grad)}


def muon(
    params: Tensors,
    grads: Tensors,
    muon_momentum_bufs: Tensors,
    *,
    foreach: bool | None = None,
    lr: float | gn.Tensor,
    weight_decay: float,
    momentum: float,
    nesterov: bool,
    ns_coefficients: tuple[float, float, float],
    ns_steps: int,
    eps: float,
    adjust_lr_fn: str | None,
    has_complex: bool,
) -> None:
    """The step of Muon: updates ``params`` along ``grads``, and the running means, which are lists as long.

    Raises RuntimeError for ``foreach``, ValueError for ``has_complex``, for gradients that are not matrices,
    and for 100 or more ``ns_steps``.  Source: torch.optim._muon.muon.
    """
    if foreach:
        raise RuntimeError("Foreach is not supported for Muon yet")
    if has_complex:
        raise ValueError("Complex parameters are not supported")
    rate = as_scalar(lr)

    def update(each: Each, params: Tensors, grads: Tensors, buffers: Tensors) -> None:
        if grads[0].ndim != 2:
            raise ValueError("Param gradient must be a 2D matrix")
        buffers = each("lerp_", buffers, grads, 1 - momentum)
        means = each("lerp", grads, buffers, momentum) if nesterov else buffers
        updates = _orthogonalized(stacked(means), ns_coefficients, ns_steps, eps)
        each("mul_", params, 1 - rate * weight_decay)
        rows, columns = params[0].shape
        if adjust_lr_fn == "match_rms_adamw":
            ratio = 0.2 * math.sqrt(max(rows, columns))
        else:
            ratio = math.sqrt(max(1, rows / columns))
        each("add_", params, list(updates.to(params[0].dtype)), alpha=-rate * ratio)

    update_tensors(
        update,
        params,
        grads,
        (muon_momentum_bufs,),
        foreach=foreach,
        numbers=(lr, weight_decay, momentum, eps),
        by_shape=True,  # those of one shape are one batch of matrices
    )


def _orthogonalized(
    matrices: gn.Tensor, coefficients: tuple[float, float, float], steps: int, eps: float
) -> gn.Tensor:
    """(n, a, b) -> (n, a, b) in bfloat16: U V^T of each singular value decomposition, approximately.

    Newton-Schulz iteration: each step applies a polynomial of degree 5 to the singular values, which with the
    default coefficients brings them near 1, but not to it.
    """
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    first, third, fifth = coefficients
    is_tall = matrices.size(-2) > matrices.size(-1)
    found = matrices.bfloat16()
    if is_tall:
        found = found.mT  # so that the products are of the smaller size
    norms = gn.norm(found, dim=(-2, -1), keepdim=True)
    found = found.div(norms.clamp(min=eps))  # so that no singular value exceeds 1
    for _ in range(steps):
        grams = found @ found.mT
        polynomials = gn.baddbmm(grams, grams, grams, beta=third, alpha=fifth)
        found = gn.baddbmm(found, polynomials, found, beta=first)
    return found.mT if is_tall else found
