"""Fused optimizer steps, computed in float64, one parameter with its state at a time.

Tensors that are written to are passed twice, as outputs and as arguments; kernels use the latter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import WIDE, Array, numbers, store
from .families import FLOATS, Family

family = Family()

Tensors = Sequence[Tensor]


def _number(tensor: Tensor | None, default: float) -> Any:
    return default if tensor is None else numbers(tensor, WIDE).reshape(-1)[0]


def _gradient(grad: Tensor, grad_scale: Tensor | None, maximize: bool) -> Array:
    """The gradient, negated if ``maximize``; with ``grad_scale`` it is first unscaled in place."""
    if grad_scale is not None:
        store(grad, numbers(grad, WIDE) / _number(grad_scale, 1.0))
    found = numbers(grad, WIDE)
    return -found if maximize else found


def _sgd(
    self: Tensors,
    grads: Tensors,
    momentum_buffer_list: Tensors,
    weight_decay: float,
    momentum: float,
    lr: float,
    dampening: float,
    nesterov: bool,
    maximize: bool,
    is_first_step: bool,
    grad_scale: Tensor | None,
    found_inf: Tensor | None,
) -> None:
    """Stochastic gradient descent with momentum."""
    if _number(found_inf, 0.0) == 1:
        return
    for number, (tensor, grad) in enumerate(zip(self, grads)):
        param, way = numbers(tensor, WIDE), _gradient(grad, grad_scale, maximize)
        if weight_decay:
            way = way + weight_decay * param
        if momentum_buffer_list:
            buffer = momentum_buffer_list[number]
            moved = way if is_first_step else momentum * numbers(buffer, WIDE) + (1 - dampening) * way
            store(buffer, moved)
            way = way + momentum * moved if nesterov else moved
        store(tensor, param - lr * way)


def _adam(
    decoupled: bool,
    self: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_avg_sqs: Tensors,
    max_exp_avg_sqs: Tensors,
    state_steps: Tensors,
    lr: float,
    beta1: float,
    beta2: float,
    weight_decay: float,
    eps: float,
    amsgrad: bool,
    maximize: bool,
    grad_scale: Tensor | None,
    found_inf: Tensor | None,
) -> None:
    """Adam, with weight decay added to the gradient, or applied to the parameter if ``decoupled``."""
    if _number(found_inf, 0.0) == 1:
        return
    for number, (tensor, grad, mean, square) in enumerate(zip(self, grads, exp_avgs, exp_avg_sqs)):
        done = float(_number(state_steps[number], 0.0))
        step_size = np.float64(lr) / (1 - beta1**done)
        root = np.sqrt(np.float64(1 - beta2**done))
        param, way = numbers(tensor, WIDE), _gradient(grad, grad_scale, maximize)
        if decoupled:
            param = param * (1 - lr * weight_decay)
        elif weight_decay:
            way = way + weight_decay * param
        old = numbers(mean, WIDE)
        means = old + (way - old) * (1 - beta1)
        squares = beta2 * numbers(square, WIDE) + (1 - beta2) * way * way
        moment = squares
        if amsgrad:
            moment = np.maximum(squares, numbers(max_exp_avg_sqs[number], WIDE))
            store(max_exp_avg_sqs[number], moment)
        denominator = np.sqrt(moment) / root + eps
        result = param - step_size * means / denominator
        store(tensor, result)
        store(mean, means)
        store(square, squares)


def _adagrad(
    self: Tensors,
    grads: Tensors,
    state_sums: Tensors,
    state_steps: Tensors,
    lr: float,
    lr_decay: float,
    weight_decay: float,
    eps: float,
    maximize: bool,
    grad_scale: Tensor | None,
    found_inf: Tensor | None,
) -> None:
    """Adagrad, with weight decay added to the gradient."""
    if _number(found_inf, 0.0) == 1:
        return
    for tensor, grad, total, count in zip(self, grads, state_sums, state_steps):
        step_size = np.float64(lr) / (1 + (float(_number(count, 0.0)) - 1) * lr_decay)
        param, way = numbers(tensor, WIDE), _gradient(grad, grad_scale, maximize)
        if weight_decay:
            way = way + weight_decay * param
        sums = numbers(total, WIDE) + way * way
        result = param - step_size * way / (np.sqrt(sums) + eps)
        store(tensor, result)
        store(total, sums)


family.add("_fused_sgd_", FLOATS, lambda *arguments: _sgd(*arguments[-12:]))
family.add("_fused_adam_", FLOATS, lambda *arguments: _adam(False, *arguments[-15:]))
family.add("_fused_adamw_", FLOATS, lambda *arguments: _adam(True, *arguments[-15:]))
family.add("_fused_adagrad_", FLOATS, lambda *arguments: _adagrad(*arguments[-11:]))
