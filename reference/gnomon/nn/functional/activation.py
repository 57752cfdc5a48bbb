"""Activations."""

from __future__ import annotations

import gnomon as gn

from .arguments import implicit_dim


def relu(input: gn.Tensor, inplace: bool = False) -> gn.Tensor:
    """``max(input, 0)``."""
    return gn.ops.aten.relu_(input) if inplace else gn.ops.aten.relu(input)


def leaky_relu(input: gn.Tensor, negative_slope: float = 0.01, inplace: bool = False) -> gn.Tensor:
    """``input`` where positive, ``negative_slope * input`` elsewhere."""
    if inplace:
        return gn.ops.aten.leaky_relu_(input, negative_slope)
    return gn.ops.aten.leaky_relu(input, negative_slope)


def silu(input: gn.Tensor, inplace: bool = False) -> gn.Tensor:
    """``input * sigmoid(input)``."""
    return gn.ops.aten.silu_(input) if inplace else gn.ops.aten.silu(input)


def gelu(input: gn.Tensor, approximate: str = "none") -> gn.Tensor:
    """``input`` times the normal distribution's cumulative function; ``approximate`` is 'none' or 'tanh'."""
    return gn.ops.aten.gelu(input, approximate=approximate)


def tanh(input: gn.Tensor) -> gn.Tensor:
    """The hyperbolic tangent."""
    return gn.ops.aten.tanh(input)


def sigmoid(input: gn.Tensor) -> gn.Tensor:
    """``1 / (1 + exp(-input))``."""
    return gn.ops.aten.sigmoid(input)


def softmax(
    input: gn.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: gn.dtype | None = None
) -> gn.Tensor:
    """``exp(input)`` divided by its sum along ``dim``; ``dtype`` converts the input first.

    Without ``dim`` PyTorch's old choice is made (0 for 0-d, 1-d and 3-d inputs, else 1), with a warning.
    """
    if dim is None:
        dim = implicit_dim("softmax", input.dim(), _stacklevel)
    return gn.softmax(input, dim, dtype=dtype)


def log_softmax(
    input: gn.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: gn.dtype | None = None
) -> gn.Tensor:
    """The logarithm of ``softmax``, computed without overflow; the arguments are those of ``softmax``."""
    if dim is None:
        dim = implicit_dim("log_softmax", input.dim(), _stacklevel)
    return gn.log_softmax(input, dim, dtype=dtype)
