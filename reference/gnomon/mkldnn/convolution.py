"""The convolution of tensors whose channels lie in blocks, which kernels compute without converting them.

Source: Georganas et al., "Anatomy of high-performance deep learning convolutions on SIMD
architectures" (2018).
"""

from __future__ import annotations

import itertools
from typing import Any

from ..calls.checks import check_non_negative, check_positive, check_same_dtype
from ..calls.native import native_function
from ..memory.accessor import TensorAccessor
from ..memory.spec import Spec
from ..memory.tensor import Tensor
from ..numerics.arithmetic import exact_sum
from .blocking import BLOCK


def _meta(
    input: Spec, weight: Spec, bias: Spec | None, channels: int, stride: Any, padding: Any, dilation: Any
) -> Spec:
    for name, spec, ndim in (("input", input, 5), ("weight", weight, 6)):
        if spec.ndim != ndim or spec.sizes[-1] != BLOCK:
            raise RuntimeError(f"expected {name} in blocks of {BLOCK} channels, but got {list(spec.sizes)}")
    if weight.sizes[1] != input.sizes[1] or not 0 < channels <= input.sizes[1] * BLOCK:
        raise RuntimeError(
            f"expected weight to have {input.sizes[1]} blocks of input channels, and channels to be in them, "
            f"but got {weight.sizes[1]} and {channels}"
        )
    if bias is not None and bias.sizes != (weight.sizes[0], BLOCK):
        raise RuntimeError(f"expected bias of sizes {[weight.sizes[0], BLOCK]}, but got {list(bias.sizes)}")
    check_same_dtype(input=input, weight=weight, **({} if bias is None else {"bias": bias}))
    check_positive(stride=stride, dilation=dilation)
    check_non_negative(**{f"padding[{dim}]": each for dim, each in enumerate(padding)})
    sizes = [
        (input.sizes[dim + 2] + 2 * padding[dim] - dilation[dim] * (weight.sizes[dim + 2] - 1) - 1)
        // stride[dim]
        + 1
        for dim in range(2)
    ]
    return input.contiguous((input.sizes[0], weight.sizes[0], *sizes, BLOCK))


def _kernel(
    output: Tensor,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    channels: int,
    stride: Any,
    padding: Any,
    dilation: Any,
) -> None:
    out, source, factors = TensorAccessor(output), TensorAccessor(input), TensorAccessor(weight)
    added = None if bias is None else TensorAccessor(bias)
    taps = [*itertools.product(range(channels), *map(range, factors.sizes[2:4]))]
    for image, block, y, x, lane in itertools.product(*map(range, out.sizes)):
        terms = [] if added is None else [added[block, lane]]
        for channel, down, right in taps:
            row = y * stride[0] - padding[0] + down * dilation[0]
            column = x * stride[1] - padding[1] + right * dilation[1]
            if 0 <= row < source.sizes[2] and 0 <= column < source.sizes[3]:
                outer, inner = divmod(channel, BLOCK)
                factor = factors[block, outer, down, right, inner, lane]
                terms.append(source[image, outer, row, column, inner] * factor)
        out.write(out.offset_of((image, block, y, x, lane)), exact_sum(terms))


blocked_convolution = native_function(
    "_mkldnn_blocked_convolution(Tensor input, Tensor weight, Tensor? bias, int channels, int[2] stride, "
    "int[2] padding, int[2] dilation) -> Tensor",
    variants="none",
    meta=_meta,
    kernel=_kernel,
    doc="""Convolves the first ``channels`` of input (N, C / 8, H, W, 8) with weight (O / 8, C / 8, *kernel, 8
    of C, 8 of O); bias is (O / 8, 8) or absent, the result (N, O / 8, *, 8).

    Raises RuntimeError for sizes or dtypes that do not match, a stride or dilation that is not positive, and
    a negative padding.""",
)
