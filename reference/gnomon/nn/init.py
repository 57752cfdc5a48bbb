"""Initialization of parameters.  All functions work in place, outside autograd, and return the tensor.

Source: torch.nn.init.  There is no ``orthogonal_``, because gnomon has no QR decomposition.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Literal

import gnomon as gn

from ..values.errors import warn

FanMode = Literal["fan_in", "fan_out"]
Nonlinearity = Literal[
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "sigmoid",
    "tanh",
    "relu",
    "leaky_relu",
    "selu",
]


def calculate_gain(nonlinearity: Nonlinearity, param: float | None = None) -> float:
    """The factor for a layer's weights that preserves the variance through the following nonlinearity.

    ``param`` is leaky_relu's negative slope, by default 0.01.  Raises ValueError for an unknown name.
    """
    if nonlinearity in ("linear", "conv1d", "conv2d", "conv3d", "sigmoid"):
        return 1
    if nonlinearity in ("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"):
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, (int, float))):
            raise ValueError(f"negative_slope {param} not a valid number")
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _calculate_fan_in_and_fan_out(tensor: gn.Tensor) -> tuple[int, int]:
    """The numbers of inputs per output and of outputs per input of a weight (out, in, *window)."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    sizes = tuple(tensor.shape)
    window = math.prod(sizes[2:])
    return sizes[1] * window, sizes[0] * window


def _fan(tensor: gn.Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def uniform_(
    tensor: gn.Tensor, a: float = 0.0, b: float = 1.0, generator: gn.Generator | None = None
) -> gn.Tensor:
    """Fills with random numbers from the uniform distribution on [a, b)."""
    with gn.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(
    tensor: gn.Tensor, mean: float = 0.0, std: float = 1.0, generator: gn.Generator | None = None
) -> gn.Tensor:
    """Fills with random numbers from the normal distribution."""
    with gn.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def _probability_below(x: float) -> float:
    """The cumulative distribution function of the standard normal distribution."""
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def trunc_normal_(
    tensor: gn.Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: gn.Generator | None = None,
) -> gn.Tensor:
    """Fills with random numbers from the normal distribution, restricted to [a, b].

    Numbers outside are drawn anew.  Warns if the mean is more than two deviations outside of [a, b].
    """
    if tensor.is_meta:
        return tensor
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect."
        )
    with gn.no_grad():
        if _probability_below((b - mean) / std) - _probability_below((a - mean) / std) > 0.3:
            _reject_normal(tensor, mean, std, a, b, generator)
        else:
            _reject_uniform(tensor, mean, std, a, b, generator)
    return tensor


def _reject_normal(
    tensor: gn.Tensor, mean: float, std: float, a: float, b: float, generator: gn.Generator | None
) -> None:
    """Draws from the normal distribution until all numbers are in [a, b]."""
    low, high = (gn.tensor(each, dtype=tensor.dtype).item() for each in (a, b))  # rounded to the dtype
    result = tensor.normal_(mean, std, generator=generator)
    while bool((outside := (result < low) | (result > high)).any()):
        drawn = gn.empty_like(result).normal_(mean, std, generator=generator)
        result = gn.where(outside, drawn, result)
    if result is not tensor:
        tensor.copy_(result)


def _reject_uniform(
    tensor: gn.Tensor, mean: float, std: float, a: float, b: float, generator: gn.Generator | None
) -> None:
    """Draws uniformly from [a, b] until each number is accepted, with the probability that its density has
    relative to the largest in [a, b].
    """
    log_peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def is_rejected(drawn: gn.Tensor) -> gn.Tensor:
        log_density = drawn.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(log_peak)
        return gn.empty_like(drawn).uniform_(generator=generator).log_().gt(log_density)

    tensor.uniform_(a, b, generator=generator)
    pending = is_rejected(tensor)
    result = tensor
    while bool(pending.any()):
        drawn = gn.empty_like(tensor).uniform_(a, b, generator=generator)
        result = gn.where(pending, drawn, result)
        pending = pending & is_rejected(drawn)
    if result is not tensor:
        tensor.copy_(result)


def constant_(tensor: gn.Tensor, val: float) -> gn.Tensor:
    """Fills with ``val``."""
    with gn.no_grad():
        return tensor.fill_(val)


def ones_(tensor: gn.Tensor) -> gn.Tensor:
    """Fills with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: gn.Tensor) -> gn.Tensor:
    """Fills with zeros."""
    with gn.no_grad():
        return tensor.zero_()


def eye_(tensor: gn.Tensor) -> gn.Tensor:
    """Fills a matrix with the identity.  Raises ValueError unless it has two dimensions."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with gn.no_grad():
        return tensor.copy_(gn.eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


def dirac_(tensor: gn.Tensor, groups: int = 1) -> gn.Tensor:
    """Fills the weight of a convolution so that it preserves its input, in each of ``groups`` groups.

    As many channels are preserved as inputs and outputs have.  Raises ValueError unless it has 3, 4 or 5
    dimensions, and if ``groups`` does not divide the first size.
    """
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    sizes = tuple(tensor.shape)
    if sizes[0] % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    if tensor.is_meta:
        return tensor
    outputs = sizes[0] // groups
    center = tuple(size // 2 for size in sizes[2:])
    with gn.no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(outputs, sizes[1])):
                place = (group * outputs + channel, channel, *center)
                tensor[place] = 1
    return tensor


def xavier_uniform_(tensor: gn.Tensor, gain: float = 1.0, generator: gn.Generator | None = None) -> gn.Tensor:
    """Uniform in ``+-gain * sqrt(6 / (fan_in + fan_out))``.  Source: Glorot and Bengio 2010."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: gn.Tensor, gain: float = 1.0, generator: gn.Generator | None = None) -> gn.Tensor:
    """Normal with std ``gain * sqrt(2 / (fan_in + fan_out))``.  Source: Glorot and Bengio 2010."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def kaiming_uniform_(
    tensor: gn.Tensor,
    a: float = 0,
    mode: FanMode = "fan_in",
    nonlinearity: Nonlinearity = "leaky_relu",
    generator: gn.Generator | None = None,
) -> gn.Tensor:
    """Uniform in ``+-gain * sqrt(3 / fan)``.  Source: He and others 2015, arXiv:1502.01852."""
    if _is_empty(tensor):
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: gn.Tensor,
    a: float = 0,
    mode: FanMode = "fan_in",
    nonlinearity: Nonlinearity = "leaky_relu",
    generator: gn.Generator | None = None,
) -> gn.Tensor:
    """Normal with std ``gain / sqrt(fan)``.  Source: He and others 2015, arXiv:1502.01852."""
    if _is_empty(tensor):
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode))
    return normal_(tensor, 0.0, std, generator)


def orthogonal_(tensor: gn.Tensor, gain: float = 1, generator: gn.Generator | None = None) -> gn.Tensor:
    """Fills with a random matrix of orthonormal rows or columns, whichever are fewer, times ``gain``.

    Sizes after the first are taken together as columns.  It is the Q of a matrix of normal numbers whose R
    has a positive diagonal, which makes it uniformly distributed.  Raises ValueError for fewer than two
    dimensions. Source: Saxe and others 2013, arXiv:1312.6120; Mezzadri 2006, arXiv:math-ph/0609050."""
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0 or tensor.is_meta:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
    Q, R = gn.linalg.qr(drawn.t() if rows < columns else drawn)
    Q = Q * R.diagonal().sign()
    if rows < columns:
        Q = Q.t()
    with gn.no_grad():
        tensor.view_as(Q).copy_(Q)
        return tensor.mul_(gain)


def sparse_(
    tensor: gn.Tensor, sparsity: float, std: float = 0.01, generator: gn.Generator | None = None
) -> gn.Tensor:
    """Fills a matrix with normal numbers; in each column a fraction ``sparsity`` of random elements is 0.

    Raises ValueError unless it has two dimensions.  Source: Martens 2010.
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    if tensor.is_meta:
        return tensor
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with gn.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[gn.randperm(rows)[:zeros].to(tensor.device), column] = 0
    return tensor


def _is_empty(tensor: gn.Tensor) -> bool:
    """Is any size 0?  If so, warns: the fan would be 0, a division by zero."""
    if 0 in tuple(tensor.shape):
        warn("Initializing zero-element tensors is a no-op")
        return True
    return False


def linear_like_(weight: gn.Tensor, bias: gn.Tensor | None) -> None:
    """Initializes the weight and bias of Linear or a convolution, both uniform in ``+-1 / sqrt(fan_in)``.

    Source: reset_parameters of torch.nn.Linear and torch.nn.Conv2d; a=sqrt(5) gives that bound.
    """
    kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = _calculate_fan_in_and_fan_out(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        uniform_(bias, -bound, bound)


def _deprecated(function: Callable[..., gn.Tensor]) -> Callable[..., gn.Tensor]:
    """The function under its old name, without the underscore, with a FutureWarning."""
    name = function.__name__
    old_name = name[:-1]

    @functools.wraps(function)
    def deprecated(*args: Any, **kwargs: Any) -> gn.Tensor:
        warn(f"`nn.init.{old_name}` is now deprecated in favor of `nn.init.{name}`.", FutureWarning)
        return function(*args, **kwargs)

    deprecated.__name__ = deprecated.__qualname__ = old_name
    deprecated.__doc__ = f"Deprecated name of ``{name}``."
    return deprecated


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)
