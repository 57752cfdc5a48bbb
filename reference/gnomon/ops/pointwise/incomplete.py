"""The incomplete gamma functions, and the multivariate log gamma function.

Source: aten/src/ATen/native/BinaryOps.cpp, UnaryOps.cpp, derivatives.yaml.
"""

from __future__ import annotations

import math
from typing import Any

from ...calls.meta_functions import binary
from ...calls.native import native_function
from ...calls.outputs import check_cast, check_no_internal_overlap
from ...dispatch.dispatcher import OpOverload, aten
from ...numerics import incomplete
from ...numerics.loops import pointwise
from ...values.dtype import bool_, get_default_dtype


def _not_implemented(name: str) -> Any:
    def derivative(grad: Any) -> Any:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return derivative


def _density(self: Any, other: Any) -> Any:
    """The density of Gamma(self, 1) at ``other``, the derivative of igamma."""
    return ((self - 1) * other.log() - other - self.lgamma()).exp()


def _incomplete(name: str, kernel: Any, sign: int, doc: str) -> OpOverload:
    return native_function(
        f"{name}(Tensor self, Tensor other) -> Tensor",
        meta=binary("bool", "integer", "complex"),
        kernel=pointwise(kernel),
        derivatives={
            "self": _not_implemented(f"{name}: input"),
            "other": lambda grad, self, other: grad * sign * _density(self, other),
        },
        inplace=True,
        out="out",
        doc=doc,
    )


igamma = _incomplete(
    "igamma",
    incomplete.igamma,
    1,
    """Computes the regularized lower incomplete gamma function: the probability of at most ``other`` under
    the gamma distribution with the concentration ``self``.

    NaN for negative numbers, and where both are 0 or infinite.  It is differentiable in ``other`` only.
    Floating point only.""",
)
igammac = _incomplete(
    "igammac",
    incomplete.igammac,
    -1,
    """Computes the regularized upper incomplete gamma function, ``1 - igamma(self, other)``.

    It is differentiable in ``other`` only.  Floating point only.""",
)


def _mvlgamma(self: Any, p: int) -> Any:
    if p < 1:
        raise RuntimeError("mvlgamma: p has to be greater than or equal to 1")
    if self.dtype is bool_:
        raise RuntimeError("mvlgamma: The input tensor may not be a boolean tensor.")
    if not (self.is_floating_point() or self.is_complex()):
        self = self.to(get_default_dtype())
    shifts = aten.arange.start_step(-(p - 1) / 2, 0.5, 0.5, self.dtype, None, self.device, None)
    return (self.unsqueeze(-1) + shifts).lgamma().sum(-1) + p * (p - 1) / 4 * math.log(math.pi)


def _mvlgamma_(self: Any, p: int) -> Any:
    found = _mvlgamma(self.clone(), p)
    check_cast("", found.dtype, self.dtype)
    check_no_internal_overlap("mvlgamma_", self._spec)
    return self.copy_(found)


native_function(
    "mvlgamma(Tensor self, int p) -> Tensor",
    composite=_mvlgamma,
    out="out",
    doc="""Computes the multivariate log gamma function of ``p`` dimensions: the sum of
    ``lgamma(self - i / 2)`` over i = 0 … p - 1, plus ``p * (p - 1) / 4 * log(pi)``.

    Integers become the default dtype.  Raises RuntimeError for a ``p`` below 1.""",
)
native_function(
    "mvlgamma_(Tensor(a!) self, int p) -> Tensor(a!)",
    variants="method",
    composite=_mvlgamma_,
    doc="In-place version of mvlgamma.",
)
