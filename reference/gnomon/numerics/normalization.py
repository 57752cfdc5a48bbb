"""Normalization of groups of elements, shared by batch, layer and group normalization.

They differ in which elements are normalized together, a group, and in which weight an element gets.  With
x̂ = (x - mean) * rstd and rstd = 1 / sqrt(variance + eps), the result is x̂ * weight + bias; the variance is
the biased one, divided by n.  Means, variances and gradients are exactly rounded sums in float64; results are
rounded once to the dtype.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..memory.accessor import TensorAccessor, elements
from ..memory.tensor import Tensor
from .arithmetic import divide, exact_sum, rsqrt


class Groups:
    """The groups of elements, numbered in row-major order, that are normalized together.

    ``members[group]`` are the elements of a group; ``weight_of(element)`` is the index of its weight.
    """

    def __init__(self, members: Sequence[Sequence[int]], weight_of: Callable[[int], int]):
        self.members = members
        self.weight_of = weight_of


def runs(count: int, size: int, weight_of: Callable[[int], int]) -> Groups:
    """``count`` groups of ``size`` consecutive elements."""
    return Groups([range(group * size, (group + 1) * size) for group in range(count)], weight_of)


def moments_of(numbers: Sequence[Any]) -> tuple[float, float]:
    """The mean and the biased variance."""
    if not numbers:
        return 0.0, math.nan
    mean = exact_sum(list(numbers)) / len(numbers)
    return mean, exact_sum([(number - mean) ** 2 for number in numbers]) / len(numbers)


def statistics_of(numbers: Sequence[Any], eps: float) -> tuple[float, float]:
    """The mean, and 1 / sqrt(biased variance + eps)."""
    mean, variance = moments_of(numbers)
    return mean, rsqrt(variance + eps)


def store(tensor: Tensor | None, numbers: Sequence[Any]) -> None:
    """Write all elements, in row-major order."""
    if tensor is not None:
        accessor = TensorAccessor(tensor)
        for offset, number in zip(accessor.offsets(), numbers):
            accessor.write(offset, number)


def _numbers(tensor: Tensor | None) -> list[Any] | None:
    return None if tensor is None else elements(tensor)


def normalize(
    output: Tensor,
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    groups: Groups,
    statistics: Sequence[tuple[float, float]],
) -> None:
    """``(x - mean) * rstd * weight + bias``, with a pair (mean, rstd) for each group."""
    numbers, scales, shifts = elements(input), _numbers(weight), _numbers(bias)
    results: list[Any] = [0.0] * len(numbers)
    for members, (mean, rstd) in zip(groups.members, statistics):
        for element in members:
            result = (numbers[element] - mean) * rstd
            if scales is not None:
                result *= scales[groups.weight_of(element)]
            if shifts is not None:
                result += shifts[groups.weight_of(element)]
            results[element] = result
    store(output, results)


def normalize_backward(
    grad_input: Tensor | None,
    grad_weight: Tensor | None,
    grad_bias: Tensor | None,
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor | None,
    groups: Groups,
    statistics: Sequence[tuple[Any, Any]],
    constant: bool = False,
) -> None:
    """Compute the gradients; ``constant``: mean and rstd do not depend on the input (running statistics).

    With g = grad * weight, that of the input is rstd * (g - mean(g) - x̂ * mean(g * x̂)).
    """
    grads, numbers, scales = elements(grad_output), elements(input), _numbers(weight)
    inputs: list[Any] = [0.0] * len(numbers)
    count = 0
    for each in (grad_weight, grad_bias):
        count = count if each is None else each._spec.numel
    for_weight: list[list[Any]] = [[] for _ in range(count)]
    for_bias: list[list[Any]] = [[] for _ in range(count)]
    for members, (mean, rstd) in zip(groups.members, statistics):
        normalized = [(numbers[element] - mean) * rstd for element in members]
        scaled = []
        for element, value in zip(members, normalized):
            grad = grads[element]
            if count:
                for_weight[groups.weight_of(element)].append(grad * value)
                for_bias[groups.weight_of(element)].append(grad)
            scaled.append(grad if scales is None else grad * scales[groups.weight_of(element)])
        if constant:
            for element, grad in zip(members, scaled):
                inputs[element] = rstd * grad
            continue
        mean_grad = divide(exact_sum(scaled), len(scaled))
        products = [grad * value for grad, value in zip(scaled, normalized)]
        mean_product = divide(exact_sum(products), len(scaled))
        for element, grad, value in zip(members, scaled, normalized):
            inputs[element] = rstd * (grad - mean_grad - value * mean_product)
    store(grad_input, inputs)
    store(grad_weight, [exact_sum(terms) for terms in for_weight])
    store(grad_bias, [exact_sum(terms) for terms in for_bias])


def normalized_again(input: Any, mean: Any, rstd: Any, dims: Sequence[int]) -> tuple[Any, Any]:
    """x̂ and rstd as functions of ``input``, for formulas that will be differentiated.

    ``mean`` and ``rstd`` are saved results of the normalization, and constants for autograd.  Here they are
    computed from the input again, without a change of their values; eps in rstd is recovered from ``rstd``.
    """
    wide = input.to(mean.dtype)
    own_mean = wide.mean(dims, True)
    centred = wide - own_mean
    variance = (centred * centred).mean(dims, True)
    rstd = (variance + (rstd.pow(-2) - variance).detach()).rsqrt()
    return (centred - (mean - own_mean).detach()) * rstd, rstd


def double_backward(
    grads: Sequence[Any],
    grad_output: Any,
    normalized: Any,
    rstd: Any,
    scale: Any,
    dims: Sequence[int],
    to_weight: Callable[[Any], Any],
    spread: Callable[[Any], Any],
    constant: bool = False,
) -> tuple[Any, Any, Any]:
    """The gradients of input, weight and grad_output, for the gradients ``grads`` of the three gradients.

    All tensors have the input's sizes, or broadcast to them: ``normalized`` is x̂, ``scale`` the weight
    (None: 1), ``dims`` are the normalized dimensions; ``to_weight`` sums over all elements with the same
    weight, ``spread`` is its inverse.  With P(v) = v - mean(v) - x̂ * mean(v * x̂), the derivative of x̂ is
    rstd * P, and that of rstd is -rstd ** 2 * x̂ / n; grads[0], the direction v, contributes the scalar
    product of v and rstd * P(g).
    """

    def mean(value: Any) -> Any:
        return value.mean(dims, True)

    def project(value: Any) -> Any:
        return value - mean(value) - normalized * mean(value * normalized)

    for_input, for_weight, for_bias = grads
    to_input = to_scale = to_grad = None

    def plus(a: Any, b: Any) -> Any:
        return b if a is None else a + b

    if for_input is not None:
        moved = rstd * (for_input if constant else project(for_input))
        to_grad = moved if scale is None else moved * scale
        to_scale = None if scale is None else to_weight(grad_output * moved)
        if not constant:
            g = grad_output if scale is None else grad_output * scale
            first, second = project(for_input), project(g)
            bent = (
                normalized * mean(for_input * second)
                + mean(g * normalized) * first
                + mean(for_input * normalized) * second
            )
            to_input = -rstd * rstd * bent
    if for_weight is not None:
        wide = spread(for_weight)
        to_grad = plus(to_grad, normalized * wide)
        moved = grad_output * wide
        to_input = plus(to_input, rstd * (moved if constant else project(moved)))
    if for_bias is not None:
        to_grad = plus(to_grad, spread(for_bias).expand(grad_output._spec.sizes))
    return to_input, to_scale, to_grad
