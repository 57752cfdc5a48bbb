"""rrelu: leaky_relu whose negative slope is random in training.

Source: aten/src/ATen/native/Activation.cpp.
"""

from __future__ import annotations

import math
from typing import Any

from ...calls.checks import refuse_dtype, refuse_half
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...values.dtype import float16, real_number


def _slopes(self: Any, lower: Any, upper: Any, generator: Any) -> Any:
    """A random slope from [lower, upper) for each element that is not positive, 1 for the others."""
    dtype = self._spec.dtype
    refuse_dtype(dtype, "bool", "integer", "complex")
    if dtype is float16:
        refuse_half(dtype)
    noise = aten.empty_like(self.detach()).uniform_(float(lower), float(upper), generator=generator)
    return noise.masked_fill(~(self.detach() <= 0), 1)


def _check_order(lower: Any, upper: Any) -> None:
    if not lower <= upper:
        raise RuntimeError(
            f"Lower bound should be less than or equal to the upper bound, but got {lower} and {upper}"
        )


def _rrelu(self: Any, lower: Any, upper: Any, training: bool, generator: Any) -> Any:
    lower, upper = real_number(lower), real_number(upper)
    for name, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound}")
    _check_order(lower, upper)
    if not training:
        return aten.leaky_relu.default(self, (lower + upper) / 2).contiguous()
    return (self * _slopes(self, lower, upper, generator)).contiguous()


def _rrelu_(self: Any, lower: Any, upper: Any, training: bool, generator: Any) -> Any:
    lower, upper = real_number(lower), real_number(upper)
    _check_order(lower, upper)
    if not training:
        return aten.leaky_relu_.default(self, (lower + upper) / 2)
    return self.mul_(_slopes(self, lower, upper, generator))


_OPTIONS = (
    "Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None"
)

native_function(
    f"rrelu(Tensor self, {_OPTIONS}) -> Tensor",
    composite=_rrelu,
    doc="""``self`` if positive, otherwise ``slope * self``.

    In ``training`` each element's slope is drawn from [lower, upper), otherwise it is the mean of the bounds.

    Training supports float32, float64 and bfloat16.  Raises RuntimeError for bounds that are not finite and
    for a lower bound above the upper one.  Xu et al. (2015).""",
)

native_function(
    f"rrelu_(Tensor(a!) self, {_OPTIONS}) -> Tensor(a!)",
    composite=_rrelu_,
    doc="In-place version of rrelu.",
)
