"""Initialization of parameters.  All functions work in place, outside autograd, and return the tensor.

Source: torch.nn.init.
"""

from __future__ import annotations

import math

import gnomon as gn

from ..values.errors import warn


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor for a layer's weights that preserves the variance through the following nonlinearity.

    ``param`` is leaky_relu's negative slope, by default 0.01.  Raises ValueError for an unknown name.
    """
    if nonlinearity in ("linear", "conv1d", "conv2d", "conv3d", "sigmoid"):
        return 1.0
    if nonlinearity in ("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"):
        return 1.0
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
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions, but got one of "
            f"{tensor.dim()}"
        )
    sizes = tuple(tensor.shape)
    window = math.prod(sizes[2:])
    return sizes[1] * window, sizes[0] * window


def _fan(tensor: gn.Tensor, mode: str) -> int:
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


def constant_(tensor: gn.Tensor, val: float) -> gn.Tensor:
    """Fills with ``val``."""
    with gn.no_grad():
        return tensor.fill_(val)


def ones_(tensor: gn.Tensor) -> gn.Tensor:
    """Fills with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: gn.Tensor) -> gn.Tensor:
    """Fills with zeros."""
    return constant_(tensor, 0.0)


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
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
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
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: gn.Generator | None = None,
) -> gn.Tensor:
    """Normal with std ``gain / sqrt(fan)``.  Source: He and others 2015, arXiv:1502.01852."""
    if _is_empty(tensor):
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode))
    return normal_(tensor, 0.0, std, generator)


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
