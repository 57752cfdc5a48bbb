"""Layer, group and local response normalization.  Source: torch/nn/modules/normalization.py."""

from __future__ import annotations

from collections.abc import Sequence

import gnomon as gn

from .. import functional, init
from ..parameter import Parameter
from ._functions import CrossMapLRN2d as _cross_map_lrn2d
from .module import Module


def _as_shape(normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


class LocalResponseNorm(Module):
    """``x / (k + alpha * mean of squares over size neighbouring channels) ** beta``.

    Source: torch.nn.LocalResponseNorm.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(N, C, *) -> the same shape."""
        return functional.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """An older form of LocalResponseNorm, for (N, C, H, W).  Source: torch.nn.CrossMapLRN2d."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(N, C, H, W) -> the same shape.  Raises ValueError for other numbers of dimensions."""
        return _cross_map_lrn2d.apply(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


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
        device: gn.device | str | int | None = None,
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


class GroupNorm(Module):
    """Normalizes each of ``num_groups`` groups of channels of each sample of (N, num_channels, *).

    ``weight`` (initially ones) and ``bias`` (zeros) are (num_channels); both are None without ``affine``, the
    latter also with ``bias=False``.  Raises ValueError if ``num_groups`` does not divide ``num_channels``.
    Source: torch.nn.GroupNorm; arXiv:1803.08494.
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name, is_there in (("weight", affine), ("bias", affine and bias)):
            made = gn.empty(num_channels, device=device, dtype=dtype) if is_there else None
            self.register_parameter(name, None if made is None else Parameter(made))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the weight to 1 and the bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(N, num_channels, *) -> the same shape."""
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
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
        device: gn.device | str | int | None = None,
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

    def forward(self, x: gn.Tensor) -> gn.Tensor:
        """(*, normalized_shape) -> the same."""
        return functional.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
