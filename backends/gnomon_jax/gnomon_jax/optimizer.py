"""Fused optimizer steps, one parameter with its state at a time.

Numbers such as the learning rate, which change from step to step, are data and no part of the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from gnomon.memory.tensor import Tensor

from .numbers import Array, decoded, encoded
from .programs import FLOATS, Call, Family, View

family = Family()

Tensors = Sequence[Tensor]


def _one(array: Array) -> Array:
    """The number in a tensor of one element."""
    return array.reshape(-1)[:1].reshape(())


def _gradient(output: View | None, grad: Array, scale: Array | None, maximize: bool) -> tuple[Array, Array]:
    """The gradient divided by the scale and rounded to its dtype, and the same with the sign of its use."""
    if scale is not None and output is not None:
        grad = decoded(encoded(grad / _one(scale), output.dtype), output.dtype)
    return grad, -grad if maximize else grad


def _kept(found_inf: Array | None, old: Sequence[Any], new: Sequence[Any]) -> list[Any]:
    """The new values, or the old ones if ``found_inf`` is 1."""
    if found_inf is None:
        return list(new)
    is_infinite = _one(found_inf) == 1
    return [None if one is None else jnp.where(is_infinite, one, other) for one, other in zip(old, new)]


def sgd(
    outputs: Sequence[View | None],
    param: Array,
    grad: Array,
    buffer: Array | None,
    numbers: Array,
    flags: Sequence[bool],
    scale: Array | None,
    found_inf: Array | None,
) -> list[Any]:
    """A step of stochastic gradient descent with momentum."""
    decay, momentum, lr, dampening = numbers
    has_decay, nesterov, maximize, is_first_step = flags
    unscaled, way = _gradient(outputs[1], grad, scale, maximize)
    if has_decay:
        way = way + decay * param
    moved = buffer
    if buffer is not None:
        moved = way if is_first_step else momentum * buffer + (1 - dampening) * way
        way = way + momentum * moved if nesterov else moved
    return _kept(found_inf, (param, grad, buffer), (param - lr * way, unscaled, moved))


def _run(compute: Any, tensors: Sequence[Tensor | None], written: Sequence[bool], *others: Any) -> None:
    call = Call()
    views = [None if each is None else call.view(each) for each in tensors]
    outputs = [view if is_written else None for view, is_written in zip(views, written)]
    call.run(compute, outputs, [*views, *others])


def fused_sgd(*given: Any) -> None:
    """Stochastic gradient descent with momentum, for all parameters.  Written tensors are passed twice."""
    self, grads, buffers, decay, momentum, lr, dampening, *flags, scale, found_inf = given[-12:]
    numbers = np.array([decay, momentum, lr, dampening], np.float64)
    for number, (tensor, grad) in enumerate(zip(self, grads)):
        buffer = buffers[number] if buffers else None
        written = [True, scale is not None, True]
        _run(sgd, [tensor, grad, buffer], written, numbers, [decay != 0, *flags], scale, found_inf)


def adam(
    outputs: Sequence[View | None],
    param: Array,
    grad: Array,
    mean: Array,
    square: Array,
    largest: Array | None,
    step: Array,
    numbers: Array,
    flags: Sequence[bool],
    scale: Array | None,
    found_inf: Array | None,
) -> list[Any]:
    """A step of Adam, with weight decay added to the gradient, or applied to the parameter."""
    lr, beta1, beta2, decay, eps = numbers
    has_decay, is_decoupled, maximize = flags
    done = _one(step)
    unscaled, way = _gradient(outputs[1], grad, scale, maximize)
    start = param
    if is_decoupled:
        start = param * (1 - lr * decay)
    elif has_decay:
        way = way + decay * param
    means = mean + (way - mean) * (1 - beta1)
    squares = beta2 * square + (1 - beta2) * way * way
    moment = squares if largest is None else jnp.maximum(squares, largest)
    denominator = jnp.sqrt(moment) / jnp.sqrt(1 - beta2**done) + eps
    result = start - lr / (1 - beta1**done) * means / denominator
    old = (param, grad, mean, square, largest, None)
    return _kept(found_inf, old, (result, unscaled, means, squares, moment, None))


def _fused_adam(is_decoupled: bool) -> Any:
    def kernel(*given: Any) -> None:
        self, grads, means, squares, largest, steps, *numbers, amsgrad, maximize, scale, found_inf = given[
            -15:
        ]
        data = np.array(numbers, np.float64)
        flags = [numbers[3] != 0, is_decoupled, maximize]
        for number, tensors in enumerate(zip(self, grads, means, squares)):
            most = largest[number] if amsgrad else None
            written = [True, scale is not None, True, True, True, False]
            _run(adam, [*tensors, most, steps[number]], written, data, flags, scale, found_inf)

    return kernel


def adagrad(
    outputs: Sequence[View | None],
    param: Array,
    grad: Array,
    total: Array,
    step: Array,
    numbers: Array,
    flags: Sequence[bool],
    scale: Array | None,
    found_inf: Array | None,
) -> list[Any]:
    """A step of Adagrad, with weight decay added to the gradient."""
    lr, lr_decay, decay, eps = numbers
    has_decay, maximize = flags
    unscaled, way = _gradient(outputs[1], grad, scale, maximize)
    if has_decay:
        way = way + decay * param
    sums = total + way * way
    result = param - lr / (1 + (_one(step) - 1) * lr_decay) * way / (jnp.sqrt(sums) + eps)
    return _kept(found_inf, (param, grad, total, None), (result, unscaled, sums, None))


def fused_adagrad(*given: Any) -> None:
    """Adagrad for all parameters."""
    self, grads, totals, steps, *numbers, maximize, scale, found_inf = given[-11:]
    data, flags = np.array(numbers, np.float64), [numbers[2] != 0, maximize]
    for tensors in zip(self, grads, totals, steps):
        _run(adagrad, tensors, [True, scale is not None, True, False], data, flags, scale, found_inf)


for _compute in (sgd, adam, adagrad):
    vars(_compute)["is_elementwise"] = True
family.add("_fused_sgd_", FLOATS, sgd, fused_sgd)
family.add("_fused_adam_", FLOATS, adam, _fused_adam(False))
family.add("_fused_adamw_", FLOATS, adam, _fused_adam(True))
family.add("_fused_adagrad_", FLOATS, adagrad, fused_adagrad)
