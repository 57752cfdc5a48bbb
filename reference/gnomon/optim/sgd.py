"""SGD: stochastic gradient descent."""

from __future__ import annotations

from typing import Any, ClassVar

import gnomon as gn

from ..dispatch.dispatcher import aten
from .optimizer import (
    FunctionalOptimizer,
    ParamsT,
    Tensors,
    as_scalar,
    check_at_least_zero,
    check_fused,
    check_lr,
    check_unscaled,
    is_fused,
    number_of,
)


class SGD(FunctionalOptimizer):
    """``param -= lr * grad``, with momentum (``nesterov`` or not) and weight decay.

    The momentum buffer starts as the first gradient.  ``maximize`` maximizes the objective; with
    ``differentiable`` autograd records the step.  Raises ValueError for options out of range, RuntimeError
    for ``fused`` together with ``foreach`` or ``differentiable``.

    ``fused``: the step is one operator for all parameters, _fused_sgd_.  That is the default where it is
    possible; with False, or if ``foreach`` is given, each parameter is updated by a sequence of operators.
    Source: torch.optim.SGD; Sutskever and others 2013.
    """

    _later_options: ClassVar[dict[str, Any]] = {
        "nesterov": False,
        "maximize": False,
        "foreach": None,
        "differentiable": False,
        "fused": False,
    }

    _takes_sparse_gradients = True

    def __init__(
        self,
        params: ParamsT,
        lr: float | gn.Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | gn.Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_at_least_zero("momentum value", momentum)
        check_at_least_zero("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        check_fused(fused, foreach, differentiable)
        self._step_supports_amp_scaling = bool(fused)

    def _step(self, params: Tensors, grads: Tensors, group: dict[str, Any]) -> None:
        foreach, differentiable = group["foreach"], group["differentiable"]
        numbers = group["lr"], group["weight_decay"]
        fused = is_fused(params, grads, group["fused"], foreach, differentiable, numbers)
        grad_scale, found_inf = self._amp_scaling(params[0].device) if fused else (None, None)
        has_buffers = group["momentum"] != 0
        buffers = [self.state[param].get("momentum_buffer") if has_buffers else None for param in params]
        sgd(
            params,
            grads,
            buffers,
            foreach=foreach,
            fused=fused,
            grad_scale=grad_scale,
            found_inf=found_inf,
            weight_decay=group["weight_decay"],
            momentum=group["momentum"],
            lr=group["lr"],
            dampening=group["dampening"],
            nesterov=group["nesterov"],
            maximize=group["maximize"],
        )
        if has_buffers:
            for param, buffer in zip(params, buffers):
                self.state[param]["momentum_buffer"] = buffer


def sgd(
    params: Tensors,
    d_p_list: Tensors,
    momentum_buffer_list: list[gn.Tensor | None],
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    fused: bool | None = None,
    grad_scale: gn.Tensor | None = None,
    found_inf: gn.Tensor | None = None,
    *,
    weight_decay: float | gn.Tensor,
    momentum: float,
    lr: float | gn.Tensor,
    dampening: float,
    nesterov: bool,
    maximize: bool,
) -> None:
    """The step of SGD: updates ``params`` along ``d_p_list``.  A buffer that is None is put into the list.

    ``fused`` is as in SGD; ``foreach``, if given, asks for the other form.  ``has_sparse_grad`` is not used.
    Raises AssertionError for ``grad_scale`` or ``found_inf`` if ``fused`` is not true.
    Source: torch.optim.sgd.sgd.
    """
    check_unscaled(fused, grad_scale, found_inf)
    if not params:
        return
    if fused is None:
        fused = is_fused(params, d_p_list, fused, foreach, False, (lr, weight_decay))
    if fused:
        options = [*map(number_of, (weight_decay, momentum, lr, dampening)), nesterov, maximize]

        def step(params: Tensors, grads: Tensors, buffers: Tensors, is_first: bool) -> None:
            aten._fused_sgd_.default(params, grads, buffers, *options, is_first, grad_scale, found_inf)

        if not momentum:
            step(params, d_p_list, [], False)
            return
        is_new = [buffer is None for buffer in momentum_buffer_list]
        for is_first in (True, False):
            places = [place for place, found in enumerate(is_new) if found is is_first]
            if not places:
                continue
            columns: list[Any] = [params, d_p_list, momentum_buffer_list]
            some_params, grads, buffers = ([column[place] for place in places] for column in columns)
            if is_first:
                # If nothing is written, because a gradient is not finite, a new buffer has to be defined.
                make = gn.empty_like if found_inf is None else gn.zeros_like
                buffers = [make(param) for param in some_params]
            step(some_params, grads, buffers, is_first)
            for place, buffer in zip(places, buffers):
                momentum_buffer_list[place] = buffer
        return
    rate: Any = as_scalar(lr)
    decay: Any = weight_decay
    for place, param in enumerate(params):
        grad = -d_p_list[place] if maximize else d_p_list[place]
        if isinstance(decay, gn.Tensor) and decay.requires_grad:
            grad = grad.addcmul(param.clone(), decay)
        elif decay != 0:
            grad = grad.add(param, alpha=decay)
        if momentum != 0:
            buffer = momentum_buffer_list[place]
            if buffer is None:
                momentum_buffer_list[place] = buffer = grad.detach().clone()
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - dampening)
            grad = grad.add(buffer, alpha=momentum) if nesterov else buffer
        if isinstance(rate, gn.Tensor) and rate.requires_grad:
            param.addcmul_(grad, rate, value=-1)
        else:
            param.add_(grad, alpha=-rate)
