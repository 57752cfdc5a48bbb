"""Parametrizations: orthogonal, weight_norm and spectral_norm.

Source: torch/nn/utils/parametrizations.py.
"""

from __future__ import annotations

import enum
from typing import Any, Literal, TypeVar

import gnomon as gn

from .. import functional
from ..modules.conv import _ConvTransposeNd
from ..modules.module import Module
from . import parametrize
from .weight_norm import norm_except_dim, weight_of

AnyModule = TypeVar("AnyModule", bound=Module)


def _is_orthogonal(Q: gn.Tensor) -> bool:
    rows, columns = Q.shape[-2:]
    ones = gn.eye(columns, dtype=Q.dtype, device=Q.device)
    return bool(gn.allclose(Q.mH @ Q, ones, atol=10.0 * rows * gn.finfo(Q.dtype).eps))


def _make_orthogonal(A: gn.Tensor) -> gn.Tensor:
    """The Q of a tall matrix for which the diagonal of R is real and not negative."""
    reflections, tau = gn.geqrf(A)
    Q = gn.linalg.householder_product(reflections, tau)
    return Q * reflections.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _OrthMaps(enum.Enum):
    matrix_exp = enum.auto()
    cayley = enum.auto()
    householder = enum.auto()


class _Orthogonal(Module):
    """Maps a matrix to one with orthonormal rows or columns, whichever are fewer; a wide one by its
    transpose.

    With a trivialization it is multiplied by the orthogonal ``base``, so that the parameter starts at minus
    the identity, which each map takes to the identity."""

    base: gn.Tensor

    def __init__(
        self, weight: gn.Tensor, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True
    ) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map is _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, weight: gn.Tensor) -> gn.Tensor:
        is_wide = weight.size(-2) < weight.size(-1)
        tall = weight.mT if is_wide else weight
        if self.orthogonal_map is _OrthMaps.householder:
            Q = self._householder(tall)
        else:
            Q = self._of_skew_matrix(tall)
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if is_wide else Q

    def _of_skew_matrix(self, tall: gn.Tensor) -> gn.Tensor:
        """The exponential, or the Cayley transform ``(I + A / 2) (I - A / 2)^-1``, of a skew-Hermitian
        matrix.
        """
        rows, columns = tall.shape[-2:]
        lower = tall.tril()
        if rows != columns:
            zeros = tall.new_zeros((*tall.shape[:-2], rows, rows - columns))
            lower = gn.cat([lower, zeros], dim=-1)
        A = lower - lower.mH
        if self.orthogonal_map is _OrthMaps.matrix_exp:
            Q = gn.matrix_exp(A)
        else:
            ones = gn.eye(rows, dtype=A.dtype, device=A.device)
            Q = gn.linalg.solve(gn.add(ones, A, alpha=-0.5), gn.add(ones, A, alpha=0.5))
        return Q if rows == columns else Q[..., :columns]

    @staticmethod
    def _householder(tall: gn.Tensor) -> gn.Tensor:
        """The product of the reflections in the columns below the diagonal, whose elements are signs."""
        below = tall.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (below * below).sum(dim=-2))
        Q = gn.linalg.householder_product(below, tau)
        return Q * tall.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    @gn.no_grad()
    def right_inverse(self, Q: gn.Tensor) -> gn.Tensor:
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape "
                f"{Q.shape}."
            )
        is_wide = Q.size(-2) < Q.size(-1)
        tall = Q.mT if is_wide else Q
        rows, columns = tall.shape[-2:]
        if hasattr(self, "base"):
            if rows != columns:  # completed by random columns
                drawn = gn.randn(*tall.shape[:-2], rows, rows - columns, dtype=Q.dtype, device=Q.device)
                self.base = _make_orthogonal(gn.cat([tall, drawn], dim=-1))
            else:
                self.base = tall.clone() if _is_orthogonal(tall) else _make_orthogonal(tall)
            start = gn.zeros_like(Q)
            start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
            return start
        if self.orthogonal_map is not _OrthMaps.householder:
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        reflections, tau = gn.geqrf(tall)
        diagonal = reflections.diagonal(dim1=-2, dim2=-1)
        diagonal.sign_()
        diagonal[tau == 0.0] *= -1  # geqrf has not reflected there
        return reflections.mT if is_wide else reflections


def orthogonal(
    module: AnyModule,
    name: str = "weight",
    orthogonal_map: Literal["matrix_exp", "cayley", "householder"] | None = None,
    *,
    use_trivialization: bool = True,
) -> AnyModule:
    """Parametrizes the matrices ``name`` (*, n, m) so that their rows or columns, whichever are fewer, are
    orthonormal.

    ``orthogonal_map`` is "matrix_exp", "cayley" or "householder"; by default the first for square and complex
    matrices, the last for others.  With ``use_trivialization`` the initial value is that of the parameter,
    made orthogonal.  Returns the module.  Raises ValueError if there is no such tensor, if it has fewer than
    two dimensions, for other maps, and for complex numbers with "householder".  Source:
    torch.nn.utils.parametrizations.orthogonal; Lezcano-Casado 2019, arXiv:1909.09501."""
    weight = getattr(module, name, None)
    if not isinstance(weight, gn.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        is_square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if is_square or weight.is_complex() else "householder"
    chosen = getattr(_OrthMaps, orthogonal_map, None)
    if chosen is None:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, chosen, use_trivialization=use_trivialization)
    parametrize.register_parametrization(module, name, made, unsafe=True)
    return module


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
