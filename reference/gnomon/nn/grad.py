"""The gradients of convolutions, by themselves.  Source: torch.nn.grad."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn


def _gradient(
    spatial: int, wanted: int, input: gn.Tensor, weight: gn.Tensor, grad_output: gn.Tensor, *options: Any
) -> gn.Tensor:
    """That of the input (0) or of the weight (1)."""
    *sizes, groups = options
    stride, padding, dilation = ([size] * spatial if isinstance(size, int) else list(size) for size in sizes)
    mask = [wanted == 0, wanted == 1, False]
    backward = gn.ops.aten.convolution_backward.default
    options = (None, stride, padding, dilation, False, [0] * spatial, groups, mask)
    return backward(grad_output, input, weight, *options)[wanted]


def _of_input(spatial: int) -> Any:
    def gradient(
        input_size: Sequence[int],
        weight: gn.Tensor,
        grad_output: gn.Tensor,
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
    ) -> gn.Tensor:
        input = grad_output.new_empty(1).expand(input_size)  # only its size matters
        return _gradient(spatial, 0, input, weight, grad_output, stride, padding, dilation, groups)

    gradient.__name__ = gradient.__qualname__ = f"conv{spatial}d_input"
    gradient.__doc__ = f"""The gradient of conv{spatial}d by its input, whose size is ``input_size``.

    Source: torch.nn.grad.conv{spatial}d_input.
    """
    return gradient


def _of_weight(spatial: int) -> Any:
    def gradient(
        input: gn.Tensor,
        weight_size: Sequence[int],
        grad_output: gn.Tensor,
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
    ) -> gn.Tensor:
        weight = grad_output.new_empty(1).expand(weight_size)  # only its size matters
        return _gradient(spatial, 1, input, weight, grad_output, stride, padding, dilation, groups)

    gradient.__name__ = gradient.__qualname__ = f"conv{spatial}d_weight"
    gradient.__doc__ = f"""The gradient of conv{spatial}d by its weight, whose size is ``weight_size``.

    Source: torch.nn.grad.conv{spatial}d_weight.
    """
    return gradient


conv1d_input, conv2d_input, conv3d_input = map(_of_input, (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = map(_of_weight, (1, 2, 3))

__all__ = [
    "conv1d_input",
    "conv1d_weight",
    "conv2d_input",
    "conv2d_weight",
    "conv3d_input",
    "conv3d_weight",
]
