"""The chi-squared distribution.  Source: torch/distributions/chi2.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The sum of the squares of ``df`` independent standard normal variables: ``Gamma(df / 2, 1 / 2)``.

    Source: torch.distributions.Chi2.
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: gn.Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self) -> gn.Tensor:
        """The degrees of freedom."""
        return self.concentration * 2
