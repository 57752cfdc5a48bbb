"""LayerNorm and RMSNorm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import functional, init
from .module import Module
from .parameter import Parameter


def _as_shape(normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


class LayerNorm(Module):
    """``(x - mean) / sqrt(var + eps) * weight + bias`` over the last dimensions: (*, normalized_shape) -> the
    same.

    ``weight`` (initially ones) and ``bias`` (zeros) have the normalized shape; both are None without
    ``elementwise_affine``, the latter also with ``bias=False``.  Raises RuntimeError if the input's shape
    does not end in the normalized shape.  Source: torch.nn.LayerNorm; arXiv:1607.06450.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        for name, is_there in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            made = gn.empty(self.normalized_shape, device=device, dtype=dtype) if is_there else None
            self.register_parameter(name, None if made is None else Parameter(made))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the weight to 1 and the bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(*, normalized_shape) -> the same."""
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """``x / sqrt(mean(x ** 2) + eps) * weight`` over the last dimensions: (*, normalized_shape) -> the same.

    ``weight`` (initially ones) has the normalized shape, or is None without ``elementwise_affine``; an
    ``eps`` of None means the machine epsilon of the opmath type.  Raises RuntimeError if the input's shape
    does not end in the normalized shape.  Source: torch.nn.RMSNorm; arXiv:1910.07467.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        made = gn.empty(self.normalized_shape, device=device, dtype=dtype) if elementwise_affine else None
        self.register_parameter("weight", None if made is None else Parameter(made))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the weight to 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(*, normalized_shape) -> the same."""
        return functional.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
