"""Activation modules: each calls the function of the same name in ``functional``."""

from __future__ import annotations

import gnomon as gn

from . import functional
from .module import Module


class ReLU(Module):
    """``max(input, 0)``.  Source: torch.nn.ReLU."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.relu(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class LeakyReLU(Module):
    """``input`` where positive, ``negative_slope * input`` elsewhere.  Source: torch.nn.LeakyReLU."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class SiLU(Module):
    """``input * sigmoid(input)``.  Source: torch.nn.SiLU."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.silu(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Tanh(Module):
    """The hyperbolic tangent.  Source: torch.nn.Tanh."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.tanh(input)


class Sigmoid(Module):
    """``1 / (1 + exp(-input))``.  Source: torch.nn.Sigmoid."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.sigmoid(input)


class GELU(Module):
    """``input`` times the cumulative distribution function of the normal distribution at ``input``.

    ``approximate`` is 'none' or 'tanh'.  Source: torch.nn.GELU; arXiv:1606.08415.
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Softmax(Module):
    """``exp(input)`` divided by its sum along ``dim``.  Source: torch.nn.Softmax."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.softmax(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of ``Softmax``, computed without overflow.  Source: torch.nn.LogSoftmax."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.log_softmax(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"
