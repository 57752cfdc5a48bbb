"""Linear, Flatten and Identity."""

from __future__ import annotations

import math
from typing import Any

import gnomon as gn

from . import functional, init
from .module import Module
from .parameter import Parameter


class Linear(Module):
    """``input @ weight.T + bias``: (*, in_features) -> (*, out_features).

    ``weight`` is (out_features, in_features), ``bias`` (out_features) or None; both are initialized uniformly
    in ``+-1/sqrt(in_features)``.  Source: torch.nn.Linear.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(gn.empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(gn.empty((out_features,), device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitializes weight and bias with random numbers."""
        init.linear_like_(self.weight, self.bias)

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(*, in_features) -> (*, out_features)."""
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )


class Flatten(Module):
    """Merges dimensions ``start_dim`` to ``end_dim`` into one.  Source: torch.nn.Flatten."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(a, b, c, d) -> (a, b*c*d), with the defaults."""
        ndim = input.dim()
        if ndim == 0:
            return input.reshape((1,))
        start = self.start_dim + ndim if self.start_dim < 0 else self.start_dim
        end = self.end_dim + ndim if self.end_dim < 0 else self.end_dim
        for name, given, wrapped in (("start_dim", self.start_dim, start), ("end_dim", self.end_dim, end)):
            if not 0 <= wrapped < ndim:
                raise IndexError(
                    f"Flatten: {name} out of range (expected to be in range of [{-ndim}, {ndim - 1}], but "
                    f"got {given})"
                )
        if start > end:
            raise RuntimeError(f"Flatten: start_dim {self.start_dim} comes after end_dim {self.end_dim}")
        sizes = tuple(input.shape)
        return input.reshape((*sizes[:start], math.prod(sizes[start : end + 1]), *sizes[end + 1 :]))

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Identity(Module):
    """Returns its input; accepts any constructor arguments and ignores them.  Source: torch.nn.Identity."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """``input`` itself."""
        return input
