"""Parametrizations: weight_norm and spectral_norm.

``orthogonal`` is missing: gnomon has no matrix exponential and no Householder products.

Source: torch/nn/utils/parametrizations.py.
"""

from __future__ import annotations

from typing import Any, TypeVar

import gnomon as gn

from .. import functional
from ..modules.conv import _ConvTransposeNd
from ..modules.module import Module
from . import parametrize
from .weight_norm import norm_except_dim, weight_of

AnyModule = TypeVar("AnyModule", bound=Module)


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: gn.Tensor, weight_v: gn.Tensor) -> gn.Tensor:
        return weight_of(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: gn.Tensor) -> tuple[gn.Tensor, gn.Tensor]:
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: AnyModule, name: str = "weight", dim: int | None = 0) -> AnyModule:
    """Parametrizes ``name`` by its norm for each index of ``dim`` (None: one norm) and its direction.

    They are ``parametrizations.name.original0`` and ``original1``; a state_dict of the older
    ``utils.weight_norm`` can be loaded.  Returns the module.  Source:
    torch.nn.utils.parametrizations.weight_norm; arXiv:1602.07868.
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename_older_state(state_dict: dict[str, Any], prefix: str, *_: Any) -> None:
        older = (f"{prefix}{name}_g", f"{prefix}{name}_v")
        if all(key in state_dict for key in older):
            for number, key in enumerate(older):
                state_dict[f"{prefix}parametrizations.{name}.original{number}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(rename_older_state)
    return module


class _SpectralNorm(Module):
    """Divides a weight by its largest singular value, which power iteration finds."""

    def __init__(
        self, weight: gn.Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        ndim = weight.dim()
        if not -ndim <= dim < ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._as_matrix(weight)
            for name, size in zip(("_u", "_v"), matrix.shape):
                drawn = matrix.new_empty(size).normal_(0, 1)
                self.register_buffer(name, functional.normalize(drawn, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _as_matrix(self, weight: gn.Tensor) -> gn.Tensor:
        return weight.movedim(self.dim, 0).flatten(1)

    @gn.no_grad()
    def _power_method(self, matrix: gn.Tensor, n_power_iterations: int) -> None:
        """Improves the estimates of the first singular vectors, in place."""
        for _ in range(n_power_iterations):
            self._u.copy_(functional.normalize(matrix.mv(self._v), dim=0, eps=self.eps))
            self._v.copy_(functional.normalize(matrix.t().conj().mv(self._u), dim=0, eps=self.eps))

    def forward(self, weight: gn.Tensor) -> gn.Tensor:
        if weight.dim() == 1:  # the norm is the singular value
            return functional.normalize(weight, dim=0, eps=self.eps)
        matrix = self._as_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # Copies, because the power method of a later call writes to the vectors.
        return weight / (self._u.clone().conj() * matrix.mv(self._v.clone())).sum()

    def right_inverse(self, value: gn.Tensor) -> gn.Tensor:
        return value  # so that the weight can be assigned


def spectral_norm(
    module: AnyModule,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> AnyModule:
    """Divides the parameter or buffer ``name`` by its largest singular value.

    As a matrix its rows are the indices of ``dim``, by default 0, for transposed convolutions 1.  In training
    each access runs ``n_power_iterations``.  Returns the module.  Raises ValueError if there is no such
    tensor.  Source: torch.nn.utils.parametrizations.spectral_norm; arXiv:1802.05957.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, gn.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if isinstance(module, _ConvTransposeNd) else 0
    made = _SpectralNorm(weight, n_power_iterations, dim, eps)
    parametrize.register_parametrization(module, name, made)
    return module
