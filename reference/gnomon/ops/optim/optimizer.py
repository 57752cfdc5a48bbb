"""Fused optimizer steps: one call updates all parameters in place and returns nothing.

Accumulation: each element is computed in float64 and rounded when it is stored.

Source: torch/optim/sgd.py, adam.py, adagrad.py; aten/src/ATen/native/native_functions.yaml (_fused_sgd_,
_fused_adam_, _fused_adagrad_).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ...calls.checks import (
    check_dtype,
    check_length,
    check_not_empty,
    check_size,
    refuse_dtype,
)
from ...calls.native import native_function
from ...calls.outputs import check_no_internal_overlap
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor, elements
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import divide
from ...values.dtype import check_number_fits, float64

Specs = Sequence[Spec]
Tensors = Sequence[Tensor]


def _check_step(params: Specs, **lists: Specs) -> None:
    """Raises RuntimeError for lists that do not match the parameters and for overlapping memory,
    NotImplementedError for no parameters and for unsupported dtypes.
    """
    check_not_empty(parameter=params)
    check_length(len(params), **lists)
    for name, specs in lists.items():
        for param, spec in zip(params, specs):
            check_dtype(param.dtype, **{name: spec})
            check_size(param.sizes, **{name: spec})
    for spec in params:
        refuse_dtype(spec.dtype, "bool", "integer", "complex")
    for spec in (*params, *(each for name, specs in lists.items() if name != "grads" for each in specs)):
        check_no_internal_overlap("", spec)


def _check_none(name: str, specs: Specs, wanted: str) -> None:
    if specs:
        raise RuntimeError(f"expected {name} to be empty without {wanted}, but it has {len(specs)} tensors")


def _check_numbers(specs: Sequence[Spec | None]) -> None:
    """Raises RuntimeError unless each tensor has one element of a real dtype."""
    for spec in specs:
        if spec is not None and (spec.numel != 1 or spec.dtype.is_complex):
            raise RuntimeError(
                f"a Tensor with {spec.numel} elements of dtype {spec.dtype.name} cannot be converted to a "
                "real number"
            )


def _sgd_meta(
    self: Specs,
    grads: Specs,
    momentum_buffer_list: Specs,
    weight_decay: float,
    momentum: float,
    lr: float,
    dampening: float,
    nesterov: bool,
    maximize: bool,
    is_first_step: bool,
    grad_scale: Spec | None,
    found_inf: Spec | None,
) -> tuple[()]:
    if momentum:
        _check_step(self, grads=grads, momentum_buffer_list=momentum_buffer_list)
    else:
        _check_step(self, grads=grads)
        _check_none("momentum_buffer_list", momentum_buffer_list, "momentum")
    _check_numbers((grad_scale, found_inf))
    return ()


def _adam_meta(
    self: Specs,
    grads: Specs,
    exp_avgs: Specs,
    exp_avg_sqs: Specs,
    max_exp_avg_sqs: Specs,
    state_steps: Specs,
    lr: float,
    beta1: float,
    beta2: float,
    weight_decay: float,
    eps: float,
    amsgrad: bool,
    maximize: bool,
    grad_scale: Spec | None,
    found_inf: Spec | None,
) -> tuple[()]:
    if amsgrad:
        _check_step(
            self, grads=grads, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs, max_exp_avg_sqs=max_exp_avg_sqs
        )
    else:
        _check_step(self, grads=grads, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs)
        _check_none("max_exp_avg_sqs", max_exp_avg_sqs, "amsgrad")
    check_length(len(self), state_steps=state_steps)
    _check_numbers((*state_steps, grad_scale, found_inf))
    return ()


def _adagrad_meta(
    self: Specs,
    grads: Specs,
    state_sums: Specs,
    state_steps: Specs,
    lr: float,
    lr_decay: float,
    weight_decay: float,
    eps: float,
    maximize: bool,
    grad_scale: Spec | None,
    found_inf: Spec | None,
) -> tuple[()]:
    _check_step(self, grads=grads, state_sums=state_sums)
    check_length(len(self), state_steps=state_steps)
    _check_numbers((*state_steps, grad_scale, found_inf))
    return ()


def _number(tensor: Tensor | None, default: float) -> Any:
    return default if tensor is None else elements(tensor)[0]


def _each_element(
    tensors: Tensors, grad_scale: Tensor | None, function: Callable[[list[Any]], Sequence[Any]]
) -> None:
    """Applies ``function`` to the elements of parameter, gradient and state at each position, and stores the
    new parameter and state; with ``grad_scale`` the gradient is first divided in place.
    """
    accessors = [TensorAccessor(each) for each in tensors]
    scale = _number(grad_scale, 1.0)
    for offsets in zip(*(each.offsets() for each in accessors)):
        numbers = [each.read(offset) for each, offset in zip(accessors, offsets)]
        if grad_scale is not None:
            accessors[1].write(offsets[1], divide(numbers[1], scale))
            numbers[1] = accessors[1].read(offsets[1])
        for position, number in enumerate(function(numbers)):
            if position != 1:
                accessors[position].write(offsets[position], number)


def _root(number: float) -> float:
    return math.sqrt(number) if number >= 0 else math.nan


def _sgd_kernel(
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
    if _number(found_inf, 0.0) == 1:
        return

    def step(numbers: list[Any]) -> list[Any]:
        param, grad, *state = numbers
        way = -grad if maximize else grad
        if weight_decay:
            way += weight_decay * param
        if state:
            state = [way if is_first_step else momentum * state[0] + (1 - dampening) * way]
            way = way + momentum * state[0] if nesterov else state[0]
        return [param - lr * way, grad, *state]

    lists = (self, grads, momentum_buffer_list) if momentum_buffer_list else (self, grads)
    for tensors in zip(*lists):
        _each_element(tensors, grad_scale, step)


def _adam_kernel(decoupled: bool) -> Callable[..., None]:
    def kernel(
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
        if _number(found_inf, 0.0) == 1:
            return
        lists = (self, grads, exp_avgs, exp_avg_sqs, *((max_exp_avg_sqs,) if amsgrad else ()))
        for count, tensors in zip(state_steps, zip(*lists)):
            done = _number(count, 0.0)
            step_size = divide(lr, 1 - beta1**done)
            root = _root(1 - beta2**done)

            def step(numbers: list[Any], step_size: Any = step_size, root: float = root) -> list[Any]:
                param, grad, mean, square, *largest = numbers
                way = -grad if maximize else grad
                if decoupled:
                    param *= 1 - lr * weight_decay
                elif weight_decay:
                    way += weight_decay * param
                mean += (way - mean) * (1 - beta1)
                square = beta2 * square + (1 - beta2) * way * way
                if largest:
                    largest = [square if square > largest[0] or square != square else largest[0]]
                moment = largest[0] if largest else square
                denominator = divide(_root(moment), root) + eps
                return [param - divide(step_size * mean, denominator), grad, mean, square, *largest]

            _each_element(tensors, grad_scale, step)

    return kernel


def _adagrad_kernel(
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
    if _number(found_inf, 0.0) == 1:
        return
    for count, tensors in zip(state_steps, zip(self, grads, state_sums)):
        step_size = divide(lr, 1 + (_number(count, 0.0) - 1) * lr_decay)

        def step(numbers: list[Any], step_size: Any = step_size) -> list[Any]:
            param, grad, total = numbers
            way = -grad if maximize else grad
            if weight_decay:
                way += weight_decay * param
            total += way * way
            return [param - divide(step_size * way, _root(total) + eps), grad, total]

        _each_element(tensors, grad_scale, step)


def _with_lr(operator: str, position: int) -> Callable[..., None]:
    """The overload whose learning rate, at ``position``, is a tensor."""

    def step(*arguments: Any) -> None:
        lr = arguments[position].item()
        check_number_fits(lr, float64)
        packet = getattr(aten, operator)
        packet.default(*arguments[:position], float(lr.real), *arguments[position + 1 :])

    return step


_SGD = """Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, \
float momentum, {} lr, float dampening, bool nesterov, bool maximize, bool is_first_step, \
Tensor? grad_scale=None, Tensor? found_inf=None"""
_ADAM = """Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, \
Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, {} lr, float beta1, float beta2, float weight_decay, \
float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None"""
_ADAGRAD = """Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, {} state_steps, *, \
{} lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, \
Tensor? found_inf=None"""
_SCALED = """

    With ``grad_scale``, the gradients are first divided by it, in place; if ``found_inf`` is 1, nothing is
    written.  Raises RuntimeError for lists that do not match, NotImplementedError for parameters that are not
    floating point."""

native_function(
    f"_fused_sgd_({_SGD.format('float')}) -> ()",
    meta=_sgd_meta,
    kernel=_sgd_kernel,
    derivatives={},
    written_with={"grads": "grad_scale"},
    doc="""Performs one step of stochastic gradient descent on all parameters.  With ``momentum``, each has a
    momentum buffer, which ``is_first_step`` sets to the gradient; otherwise the list of buffers is empty."""
    + _SCALED,
)
native_function(
    f"_fused_sgd_.tensor_lr({_SGD.format('Tensor')}) -> ()",
    composite=_with_lr("_fused_sgd_", 5),
    doc="_fused_sgd_ with the learning rate as a tensor.",
)
for _name, _decoupled, _says in (
    ("_fused_adam_", False, "is an L2 penalty"),
    ("_fused_adamw_", True, "is decoupled from the gradient"),
):
    native_function(
        f"{_name}({_ADAM.format('float')}) -> ()",
        meta=_adam_meta,
        kernel=_adam_kernel(_decoupled),
        derivatives={},
        written_with={"grads": "grad_scale"},
        doc=f"""Performs one step of Adam on all parameters; ``weight_decay`` {_says}.  ``state_steps`` count
    the steps, including this one; with ``amsgrad``, the maxima of all second moments so far are used."""
        + _SCALED,
    )
    native_function(
        f"{_name}.tensor_lr({_ADAM.format('Tensor')}) -> ()",
        composite=_with_lr(_name, 6),
        doc=f"{_name} with the learning rate as a tensor.",
    )
native_function(
    f"_fused_adagrad_({_ADAGRAD.format('Tensor(d!)[]', 'float')}) -> ()",
    meta=_adagrad_meta,
    kernel=_adagrad_kernel,
    derivatives={},
    written_with={"grads": "grad_scale"},
    doc="""Performs one step of Adagrad on all parameters; ``state_sums`` are the sums of squared gradients,
    and ``state_steps`` count the steps, including this one."""
    + _SCALED,
)
native_function(
    f"_fused_adagrad_.tensor_lr({_ADAGRAD.format('Tensor[]', 'Tensor')}) -> ()",
    composite=_with_lr("_fused_adagrad_", 4),
    doc="_fused_adagrad_ with the learning rate as a tensor.",
)
