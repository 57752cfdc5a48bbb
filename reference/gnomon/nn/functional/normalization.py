"""Batch, instance, layer, RMS, group and local response normalization."""

from __future__ import annotations

import math
from collections.abc import Sequence

import gnomon as gn

from .padding import pad
from .pooling import avg_pool2d, avg_pool3d


def _check_several(count: int, what: str, sizes: Sequence[int]) -> None:
    """Raises ValueError for a single value, whose variance is undefined."""
    if count == 1:
        raise ValueError(
            f"Expected more than 1 {what} when training, got input size {list(sizes)}; a module's eval() "
            "uses its running statistics"
        )


def batch_norm(
    input: gn.Tensor,
    running_mean: gn.Tensor | None,
    running_var: gn.Tensor | None,
    weight: gn.Tensor | None = None,
    bias: gn.Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> gn.Tensor:
    """Normalizes each channel of (N, C, *), in ``training`` by its own statistics, else by the running ones.

    In ``training`` the running statistics, if given, are updated with ``momentum``.  Raises ValueError
    for a single value per channel in training, and for an ``eps`` that is not positive.

    The result has the shape and the dtype of the input.

    Source: torch.nn.functional.batch_norm.
    """
    if training:
        sizes = input.shape
        _check_several(sizes[0] * math.prod(sizes[2:]), "value per channel", sizes)
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return gn.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, False)


def instance_norm(
    input: gn.Tensor,
    running_mean: gn.Tensor | None = None,
    running_var: gn.Tensor | None = None,
    weight: gn.Tensor | None = None,
    bias: gn.Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> gn.Tensor:
    """Normalizes each channel of each batch entry of (N, C, *) by its own or by the running statistics.

    Raises ValueError for a single spatial element, whose variance is undefined.

    The result has the shape and the dtype of the input.

    Source: torch.nn.functional.instance_norm.
    """
    if use_input_stats:
        _check_several(math.prod(input.shape[2:]), "spatial element", input.shape)
    statistics = (running_mean, running_var, use_input_stats)
    return gn.instance_norm(input, weight, bias, *statistics, momentum, eps, False)


def layer_norm(
    input: gn.Tensor,
    normalized_shape: Sequence[int],
    weight: gn.Tensor | None = None,
    bias: gn.Tensor | None = None,
    eps: float = 1e-5,
) -> gn.Tensor:
    """Normalizes ``input`` over its last dimensions, whose sizes are ``normalized_shape``.

    Raises RuntimeError if the input's last sizes are different.

    Source: torch.nn.functional.layer_norm.
    """
    return gn.layer_norm(input, normalized_shape, weight, bias, eps, False)


def rms_norm(
    input: gn.Tensor,
    normalized_shape: Sequence[int],
    weight: gn.Tensor | None = None,
    eps: float | None = None,
) -> gn.Tensor:
    """``input / sqrt(mean(input ** 2) + eps)``, with the mean over the last dimensions, whose sizes are
    ``normalized_shape``.

    Raises RuntimeError if the input's last sizes are different.

    Source: torch.nn.functional.rms_norm.
    """
    return gn.rms_norm(input, normalized_shape, weight, eps)


def group_norm(
    input: gn.Tensor,
    num_groups: int,
    weight: gn.Tensor | None = None,
    bias: gn.Tensor | None = None,
    eps: float = 1e-5,
) -> gn.Tensor:
    """Normalizes each of ``num_groups`` groups of channels of each batch entry of (N, C, *).

    The result has the shape and the dtype of the input.  Raises RuntimeError if ``num_groups`` does not
    divide the number of channels.

    Source: torch.nn.functional.group_norm.
    """
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    sizes = [input.size(0) * input.size(1) // num_groups, num_groups, *input.shape[2:]]
    _check_several(sizes[0] * math.prod(sizes[2:]), "value per channel", sizes)
    return gn.group_norm(input, num_groups, weight, bias, eps, False)


def local_response_norm(
    input: gn.Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> gn.Tensor:
    """``input / (k + alpha * mean of squares over size neighbouring channels) ** beta``, for (N, C, *)."""
    if input.dim() < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.dim()} dimensions)")
    if input.numel() == 0:
        return input
    squares = input.mul(input)
    before, after = size // 2, (size - 1) // 2
    if input.dim() == 3:
        padded = pad(squares.unsqueeze(1), (0, 0, before, after))
        mean = avg_pool2d(padded, (size, 1), stride=1).squeeze(1)
    else:
        shape = input.shape
        planes = squares.view(shape[0], 1, shape[1], shape[2], -1)
        mean = avg_pool3d(pad(planes, (0, 0, 0, 0, before, after)), (size, 1, 1), stride=1)
        mean = mean.squeeze(1).view(shape)
    return input / mean.mul(alpha).add(k).pow(beta)
