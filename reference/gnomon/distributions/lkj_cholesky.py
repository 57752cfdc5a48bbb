"""The LKJ distribution of correlation matrices' Cholesky factors.

Source: torch/distributions/lkj_cholesky.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .beta import Beta
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Cholesky factors L of ``dim`` x ``dim`` correlation matrices, whose density is in proportion to
    ``det(L @ L.mT) ** (concentration - 1)``; uniform over correlation matrices for a concentration of 1.

    Samples are made by the onion method, row by row.  Raises ValueError for a ``dim`` below 2.

    Source: torch.distributions.LKJCholesky; Lewandowski, Kurowicka and Joe, "Generating random correlation
    matrices based on vines and extended onion method" (2009).
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(
        self, dim: int, concentration: gn.Tensor | float = 1.0, validate_args: bool | None = None
    ) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        # row i has a square length of Beta(i / 2, …) below the diagonal; the first row is not used
        marginal = self.concentration + 0.5 * (dim - 2)
        offset = gn.arange(dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        offset = gn.cat([offset.new_zeros((1,)), offset])
        self._beta = Beta(0.5 * (offset + 1), marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.size(), gn.Size((dim, dim)), validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(LKJCholesky, _instance)
        new.dim = self.dim
        new._beta = self._beta.expand(gn.Size((*batch_shape, self.dim)))
        return self._expand_parameters(new, batch_shape, "concentration")

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        square_length = self._beta.sample(sample_shape).unsqueeze(-1)
        shape = self._extended_shape(sample_shape)
        normal = gn.randn(shape, dtype=square_length.dtype, device=square_length.device).tril(-1)
        direction = normal / normal.norm(dim=-1, keepdim=True)
        direction[..., 0, :] = 0.0  # the first row has no element below the diagonal
        rows = gn.sqrt(square_length) * direction
        rest = (1 - (rows**2).sum(-1)).clamp(min=gn.finfo(rows.dtype).tiny)
        return rows + gn.diag_embed(rest.sqrt())

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        # the Jacobian of the factorization gives row i of the diagonal the power dim - i
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        row = gn.arange(2, self.dim + 1, device=self.concentration.device)
        power = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - row
        unnormalized = (power * diagonal.log()).sum(-1)
        rows = self.dim - 1
        alpha = self.concentration + 0.5 * rows
        normalizer = 0.5 * rows * math.log(math.pi) + gn.mvlgamma(alpha - 0.5, rows) - gn.lgamma(alpha) * rows
        return unnormalized - normalizer
