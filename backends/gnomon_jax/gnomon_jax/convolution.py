"""Convolutions by XLA's, and their gradients by JAX's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .numbers import Array
from .programs import FLOATS, Family

family = Family()


def spread(values: int | Sequence[int], count: int) -> tuple[int, ...]:
    """Expands a single value to all spatial dimensions."""
    values = (values,) if isinstance(values, int) else tuple(values)
    return values * count if len(values) == 1 else values


def convolved(
    a: Array,
    weight: Array,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Array:
    """The convolution without bias.

    A transposed one spreads its input by the stride, and convolves it with the weight reversed, after
    exchanging the weight's inner and outer channels in each group.
    """
    count = a.ndim - 2
    steps, pads, spacings, more = (
        spread(each, count) for each in (stride, padding, dilation, output_padding)
    )
    if not transposed:
        return lax.conv_general_dilated(
            a, weight, steps, [(each, each) for each in pads], None, spacings, feature_group_count=groups
        )
    inner, outer, *taps = weight.shape
    grouped = weight.reshape(groups, inner // groups, outer, *taps).swapaxes(1, 2)
    reversed_ = jnp.flip(grouped.reshape(groups * outer, inner // groups, *taps), range(2, weight.ndim))
    reach = [spacing * (size - 1) for spacing, size in zip(spacings, taps)]
    around = [(far - pad, far - pad + extra) for far, pad, extra in zip(reach, pads, more)]
    return lax.conv_general_dilated(
        a, reversed_, (1,) * count, around, steps, spacings, feature_group_count=groups
    )


@family.kernel("convolution", FLOATS, is_sized=True)
def convolution(sizes: Any, a: Array, weight: Array, bias: Array | None, *window: Any) -> Array:
    """The convolution, with bias."""
    if not (a.size and weight.size and all(sizes[0])):
        found = jnp.zeros(sizes[0])
    else:
        found = convolved(a, weight, *window)
    return found if bias is None else found + bias.reshape(-1, *(1,) * (a.ndim - 2))


@family.kernel("convolution_backward", FLOATS, outputs=3)
def convolution_backward(
    grad: Array, a: Array, weight: Array, bias_sizes: Any, *window: Any
) -> tuple[Array, Array, Array]:
    """The gradients of input, weight and bias."""
    of_bias = jnp.sum(grad, axis=(0, *range(2, grad.ndim)))
    if not (grad.size and a.size and weight.size):
        return jnp.zeros_like(a), jnp.zeros_like(weight), of_bias
    _, gradients = jax.vjp(lambda a, weight: convolved(a, weight, *window[:-1]), a, weight)
    return (*gradients(grad), of_bias)
