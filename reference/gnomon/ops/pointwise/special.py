"""The operators of torch.special, and i0.

Functions of numerics/special_functions.py, computed in float64 and rounded once; and aliases of operators
that have other names.  Integers and bool become the default dtype.

Source: aten/src/ATen/native/UnaryOps.cpp, BinaryOps.cpp, native/Math.h, derivatives.yaml.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...calls.checks import refuse_half
from ...calls.iterator import TensorIterator, result_type
from ...calls.meta_functions import (
    MetaFunction,
    binary_float,
    documented,
    to_float,
    unary_float,
)
from ...calls.native import native_function
from ...dispatch.dispatcher import OpOverload, aten
from ...numerics import special_functions
from ...numerics.loops import pointwise
from ...values.dtype import float64
from ...values.limits import finfo

Kernel = Callable[..., float]


def _precise(meta: MetaFunction) -> MetaFunction:
    """``meta``, which also refuses float16 and bfloat16."""

    def refusing(*operands: Any) -> TensorIterator:
        iterator: TensorIterator = meta(*operands)
        refuse_half(iterator.common_dtype)
        return iterator

    return documented(refusing, f"{getattr(meta, 'says', '')} float16 and bfloat16 are refused, too")


_UNARY, _BINARY = unary_float("complex"), binary_float("complex")
_PRECISE_UNARY, _PRECISE_BINARY = _precise(_UNARY), _precise(_BINARY)


def _unary(
    schema: str, kernel: Kernel, derivative: Any, doc: str, meta: MetaFunction = _PRECISE_UNARY
) -> OpOverload:
    """A function of ``torch.special``; without a derivative its results never require grad."""
    argument = schema.split("Tensor ")[1].split(")")[0]
    return native_function(
        f"{schema} -> Tensor",
        python_module="special",
        variants="function",
        meta=meta,
        kernel=pointwise(kernel),
        derivatives={} if derivative is None else {argument: derivative},
        out="out",
        doc=doc,
    )


# ---------------------------------------------------------------------------------------------------------
# Bessel and Airy functions.

i0 = native_function(
    "i0(Tensor self) -> Tensor",
    meta=_UNARY,
    kernel=pointwise(special_functions.i0),
    derivatives={"self": lambda grad, self: grad * aten.special_i1.default(self)},
    inplace=True,
    out="out",
    doc="Computes the modified Bessel function of the first kind of order 0.  NaN of infinities.",
)


def _i1_over(ratio: Any, self: Any) -> Any:
    """``ratio(x)``, of i1(x) and x, without its pole at 0, where the limit of i1(x) / x is 1/2.

    It is that near 0, too, where i1(x) may have few digits.
    """
    is_near = self.abs() <= finfo(self.dtype).eps
    return ratio(self.masked_fill(is_near, 1)).masked_fill(is_near, 0.5)


def _i1_grad(grad: Any, self: Any) -> Any:
    def slope(x: Any) -> Any:
        return aten.i0.default(x) - aten.special_i1.default(x) / x

    return grad * _i1_over(slope, self)


def _i1e_grad(grad: Any, self: Any) -> Any:
    def slope(x: Any) -> Any:
        return aten.special_i0e.default(x) - aten.special_i1e.default(x) * (x.sgn() + x.reciprocal())

    return grad * _i1_over(slope, self)


_unary(
    "special_i0e(Tensor self)",
    special_functions.i0e,
    lambda grad, self, result: grad * (aten.special_i1e.default(self) - self.sgn() * result),
    "Computes ``exp(-|x|) * i0(x)``.",
    _UNARY,
)
_unary(
    "special_i1(Tensor self)",
    special_functions.i1,
    _i1_grad,
    "Computes the modified Bessel function of the first kind of order 1.  NaN of infinities.",
    _UNARY,
)
_unary(
    "special_i1e(Tensor self)",
    special_functions.i1e,
    _i1e_grad,
    "Computes ``exp(-|x|) * i1(x)``.",
    _UNARY,
)
_NO_DERIVATIVE = "  Its results never require grad."
for _name, _argument, _doc in (
    ("modified_bessel_i0", "self", "the modified Bessel function of the first kind of order 0"),
    ("modified_bessel_i1", "self", "the modified Bessel function of the first kind of order 1"),
    ("modified_bessel_k0", "self", "the modified Bessel function of the second kind of order 0"),
    ("modified_bessel_k1", "self", "the modified Bessel function of the second kind of order 1"),
    ("scaled_modified_bessel_k0", "x", "``exp(x) * modified_bessel_k0(x)``"),
    ("scaled_modified_bessel_k1", "x", "``exp(x) * modified_bessel_k1(x)``"),
    ("bessel_j0", "self", "the Bessel function of the first kind of order 0"),
    ("bessel_j1", "self", "the Bessel function of the first kind of order 1"),
    ("bessel_y0", "self", "the Bessel function of the second kind of order 0"),
    ("bessel_y1", "self", "the Bessel function of the second kind of order 1"),
    (
        "spherical_bessel_j0",
        "x",
        "the spherical Bessel function of the first kind of order 0, ``sin(x) / x``",
    ),
    ("airy_ai", "x", "the Airy function Ai: NaN below -2**33"),
):
    _unary(
        f"special_{_name}(Tensor {_argument})",
        getattr(special_functions, _name.removeprefix("modified_bessel_") if "_bessel_i" in _name else _name),
        None,
        f"Computes {_doc}.{_NO_DERIVATIVE}",
    )


# ---------------------------------------------------------------------------------------------------------
# Functions of the normal distribution, and entropy.

_unary(
    "special_entr(Tensor self)",
    special_functions.entr,
    lambda grad, self: -grad * (self.log() + 1),
    "Computes the entropy ``-x * log(x)``: 0 for x = 0, -inf for negative numbers.",
    _UNARY,
)
_unary(
    "special_erfcx(Tensor self)",
    special_functions.erfcx,
    lambda grad, self, result: (2.0 * self * result - 2.0 / math.sqrt(math.pi)) * grad,
    "Computes ``exp(x**2) * erfc(x)``, also where erfc(x) is 0.",
)
_unary(
    "special_ndtr(Tensor self)",
    special_functions.ndtr,
    lambda grad, self: (self.square() * -0.5).exp() * grad / math.sqrt(2.0 * math.pi),
    "Computes the distribution function of the standard normal distribution.",
    _UNARY,
)
_unary(
    "special_log_ndtr(Tensor self)",
    special_functions.log_ndtr,
    lambda grad, self: grad / aten.special_erfcx.default(self * -math.sqrt(0.5)) * math.sqrt(2.0 / math.pi),
    "Computes ``log(ndtr(x))``, also where ndtr(x) is 0.",
)
_unary(
    "special_ndtri(Tensor self)",
    special_functions.ndtri,
    lambda grad, result: grad * math.sqrt(2.0 * math.pi) * (result.square() / 2.0).exp(),
    "Computes the inverse of ndtr, the quantiles of the standard normal distribution: infinite at 0 and 1, "
    "NaN outside.",
)


# ---------------------------------------------------------------------------------------------------------
# Functions of two numbers.


def _xlog1py_grad(grad: Any, self: Any, other: Any) -> Any:
    """``grad * log1p(other)``; 0 where ``self`` is 0 and ``other <= -1``, whose logarithm is not finite."""
    return aten.special_xlog1py.default(grad, other).masked_fill((self == 0) & (other <= -1), 0)


native_function(
    "special_xlog1py(Tensor self, Tensor other) -> Tensor",
    python_module="special",
    variants="function",
    numbers="either",
    meta=_BINARY,
    kernel=pointwise(special_functions.xlog1py),
    derivatives={"self": _xlog1py_grad, "other": lambda grad, self, other: grad * self / (other + 1)},
    out="out",
    doc="Computes ``self * log1p(other)``; 0 if ``self`` is 0 and ``other`` is not NaN.",
)


def _no_zeta_grad(grad: Any) -> Any:
    raise NotImplementedError("the derivative for 'zeta' is not implemented.")


native_function(
    "special_zeta(Tensor self, Tensor other) -> Tensor",
    python_module="special",
    variants="function",
    numbers="either",
    meta=_PRECISE_BINARY,
    kernel=pointwise(special_functions.zeta),
    derivatives={
        "self": _no_zeta_grad,
        "other": lambda grad, self, other: grad * -self * aten.special_zeta.default(self + 1.0, other),
    },
    out="out",
    doc="""Computes Hurwitz' zeta function, the sum of ``(other + k)**-self`` over k = 0, 1 …

    It is differentiable in ``other`` only.""",
)


# ---------------------------------------------------------------------------------------------------------
# Orthogonal polynomials.  PyTorch names their arguments x and n, so a number for one of them is an overload
# of its own.


def _polynomial(name: str) -> None:
    kernel = getattr(special_functions, name)
    doc = (
        f"{kernel.__doc__}\n\n``x`` and the order ``n``, which is truncated, broadcast.  The result is 0 for "
        "an order below 0, and NaN for one that would take too long: above 512 for Hermite's, 2**20 for "
        "Legendre's and Laguerre's, 2**26 for Chebyshev's polynomials."
    )
    operator = native_function(
        f"special_{name}(Tensor x, Tensor n) -> Tensor",
        python_module="special",
        variants="function",
        meta=_PRECISE_BINARY,
        kernel=pointwise(kernel),
        derivatives={},
        out="out",
        doc=doc + _NO_DERIVATIVE,
    )

    def of_number(x: Any, n: Any) -> Any:
        common = to_float(result_type(*(getattr(each, "_spec", each) for each in (x, n))))
        like = n if hasattr(n, "_spec") else x

        def as_tensor(each: Any) -> Any:
            if hasattr(each, "_spec"):
                return each
            # What is beyond float32 becomes infinite.
            wide = common if isinstance(each, complex) else float64
            return aten.scalar_tensor.default(each, wide, None, like.device, None).to(common)

        return operator(as_tensor(x), as_tensor(n))

    for overload, schema in (("x_scalar", "Scalar x, Tensor n"), ("n_scalar", "Tensor x, Scalar n")):
        native_function(
            f"special_{name}.{overload}({schema}) -> Tensor",
            python_module="special",
            variants="function",
            composite=of_number,
            out=f"{overload}_out",
        )


for _name in (
    *(f"{_shifted}chebyshev_polynomial_{_kind}" for _shifted in ("", "shifted_") for _kind in "tuvw"),
    *("hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"),
):
    _polynomial(_name)


# ---------------------------------------------------------------------------------------------------------
# Aliases.


def _alias(schema: str, target: str, *, numbers: Any = "", out: str = "out") -> None:
    name, overload = target.split(".")

    def composite(*arguments: Any) -> Any:
        return getattr(getattr(aten, name), overload)(*arguments)

    native_function(
        f"special_{schema} -> Tensor",
        python_module="special",
        variants="function",
        composite=composite,
        numbers=numbers,
        out=out,
        doc=f"Alias for ``{name}``.",
    )


for _name, _target in {
    "i0": "i0",
    "digamma": "digamma",
    "psi": "digamma",
    "erf": "erf",
    "erfc": "erfc",
    "erfinv": "erfinv",
    "exp2": "exp2",
    "expm1": "expm1",
    "log1p": "log1p",
    "expit": "sigmoid",
    "gammaln": "lgamma",
    "sinc": "sinc",
}.items():
    _alias(f"{_name}(Tensor self)", f"{_target}.default")
_alias("gammainc(Tensor self, Tensor other)", "igamma.default")
_alias("gammaincc(Tensor self, Tensor other)", "igammac.default")
_alias("logit(Tensor self, float? eps=None)", "logit.default")
_alias("logsumexp(Tensor self, int[1] dim, bool keepdim=False)", "logsumexp.default")
_alias("multigammaln(Tensor self, int p)", "mvlgamma.default")
_alias("polygamma(int n, Tensor self)", "polygamma.default")
_alias("round(Tensor self, *, int decimals=0)", "round.decimals")
_alias("xlogy(Tensor self, Tensor other)", "xlogy.Tensor", numbers="either")
_alias("softmax(Tensor self, int dim, ScalarType? dtype=None)", "softmax.int", out="")
_alias("log_softmax(Tensor self, int dim, *, ScalarType? dtype=None)", "log_softmax.int", out="")
