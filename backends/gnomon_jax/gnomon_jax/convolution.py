"""Convolutions, by one product of matrices for each tap of the kernel, and their gradients by JAX's.

A transposed convolution is the transpose of the linear function that a convolution is of its input.  XLA's
own convolutions are not used: it ends the process when it simplifies the gradients of some.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from .numbers import Array
from .programs import FLOATS, Family

family = Family()


def spread(values: int | Sequence[int], count: int) -> tuple[int, ...]:
    """Expands a single value to all spatial dimensions."""
    values = (values,) if isinstance(values, int) else tuple(values)
    return values * count if len(values) == 1 else values


def meeting(large: int, small: int, start: int, stride: int) -> tuple[slice, slice]:
    """The slices of both sides where ``start + position * stride`` is in the large one: small, large."""
    first = max(0, -(start // stride))
    last = min(small - 1, (large - 1 - start) // stride)
    if last < first:
        return slice(0, 0), slice(0, 0)
    begin = start + first * stride
    return slice(first, last + 1), slice(begin, begin + (last - first) * stride + 1, stride)


def convolved(a: Array, weight: Array, sizes: Sequence[int], window: Sequence[Any], groups: int) -> Array:
    """The convolution without bias; ``sizes`` are those of the result."""
    count = a.ndim - 2
    strides, pads, spacings = (spread(each, count) for each in window)
    grouped = a.reshape(a.shape[0], groups, a.shape[1] // groups, *a.shape[2:])
    outer = weight.shape[0] // groups
    total = jnp.zeros((a.shape[0], groups, outer, *sizes[2:]))
    for tap in itertools.product(*(range(taps) for taps in weight.shape[2:])):
        pairs = [
            meeting(large, small, at * spacing - pad, stride)
            for large, small, at, spacing, pad, stride in zip(
                a.shape[2:], sizes[2:], tap, spacings, pads, strides
            )
        ]
        small, large = (tuple(pair[side] for pair in pairs) for side in (0, 1))
        part = grouped[(...,) + large]
        if not part.size:
            continue
        matrices = weight[(slice(None),) * 2 + tap].reshape(groups, outer, -1)
        product = jnp.matmul(matrices, part.reshape(*part.shape[:3], math.prod(part.shape[3:])))
        total = total.at[(...,) + small].add(product.reshape(*product.shape[:3], *part.shape[3:]))
    return total.reshape(tuple(sizes))


def _linear(
    a: Array, weight: Array, sizes: Sequence[int], window: Sequence[Any], transposed: bool, groups: int
) -> Array:
    """The convolution, or the transposed one, without bias."""
    if not transposed:
        return convolved(a, weight, sizes, window, groups)
    given = jax.ShapeDtypeStruct(tuple(sizes), a.dtype)
    transpose = jax.linear_transpose(lambda large: convolved(large, weight, a.shape, window, groups), given)
    return transpose(a)[0]


@family.kernel("convolution", FLOATS, is_sized=True)
def convolution(
    sizes: Any,
    a: Array,
    weight: Array,
    bias: Array | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Array:
    """The convolution, with bias."""
    if a.size and weight.size and all(sizes[0]):
        found = _linear(a, weight, sizes[0], (stride, padding, dilation), transposed, groups)
    else:
        found = jnp.zeros(sizes[0])
    return found if bias is None else found + bias.reshape(-1, *(1,) * (a.ndim - 2))


@family.kernel("convolution_backward", FLOATS, outputs=3)
def convolution_backward(
    grad: Array,
    a: Array,
    weight: Array,
    bias_sizes: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    output_mask: Sequence[bool],
) -> tuple[Array, Array, Array]:
    """The gradients of input, weight and bias."""
    of_bias = jnp.sum(grad, axis=(0, *range(2, grad.ndim)))
    if not (grad.size and a.size and weight.size):
        return jnp.zeros_like(a), jnp.zeros_like(weight), of_bias
    window = stride, padding, dilation

    def forward(a: Array, weight: Array) -> Array:
        return _linear(a, weight, grad.shape, window, transposed, groups)

    _, gradients = jax.vjp(forward, a, weight)
    return (*gradients(grad), of_bias)
