"""Activations.  Source: aten/src/ATen/native/Activation.cpp."""

from __future__ import annotations

import math
from typing import Any

from ..dispatch.dispatcher import aten
from ..kit import arithmetic
from ..kit.loops import pointwise
from ..kit.native import native_function
from ..kit.rules import binary, refuse, unary, unary_float, walk
from ..memory.spec import Spec


def _conj(tensor: Any) -> Any:
    return tensor.conj() if tensor._spec.dtype.is_complex else tensor


def _relu(a: Any) -> Any:
    """max(a, 0), NaN and -0.0 through."""
    return type(a)(0) if a < 0 else a


relu = native_function(
    "relu(Tensor self) -> Tensor",
    meta=unary("bool", "complex"),
    kernel=pointwise(_relu),
    derivatives={"self": lambda grad, result: aten.threshold_backward.default(grad, result, 0)},
    inplace=True,
    out="out",
    doc="max(x, 0).  Its gradient at 0 is 0.",
)

threshold_backward = native_function(
    "threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
    meta=binary("bool", "complex"),
    kernel=pointwise(lambda grad, a, threshold: type(grad)(0) if a <= threshold else grad),
    derivatives={
        "grad_output": lambda grad, self, threshold: aten.threshold_backward.default(grad, self, threshold),
        "self": lambda grad: aten.zeros_like(grad),
    },
    doc="The gradient where ``self`` is above the threshold, else 0: relu's derivative.",
)

sigmoid = native_function(
    "sigmoid(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.sigmoid),
    derivatives={"self": lambda grad, result: aten.sigmoid_backward.default(grad, result)},
    inplace=True,
    out="out",
    doc="1 / (1 + exp(-x)).",
)

sigmoid_backward = native_function(
    "sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor",
    python_module="nn",
    meta=binary(),
    kernel=pointwise(lambda grad, y: grad * ((1 - y) * y).conjugate()),
    derivatives={
        "grad_output": lambda grad, output: aten.sigmoid_backward.default(grad, _conj(output)),
        "output": lambda grad, grad_output, output: _conj(grad) * grad_output * (1 - 2 * _conj(output)),
    },
    doc="grad * (1 - y) * y.",
)

tanh = native_function(
    "tanh(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.tanh),
    derivatives={"self": lambda grad, result: aten.tanh_backward.default(grad, result)},
    inplace=True,
    out="out",
    doc="The hyperbolic tangent.",
)

tanh_backward = native_function(
    "tanh_backward(Tensor grad_output, Tensor output) -> Tensor",
    python_module="nn",
    meta=binary(),
    kernel=pointwise(lambda grad, y: grad * (1 - y * y).conjugate()),
    derivatives={
        "grad_output": lambda grad, output: aten.tanh_backward.default(grad, _conj(output)),
        "output": lambda grad, grad_output, output: _conj(grad) * (-2 * _conj(output) * grad_output),
    },
    doc="grad * (1 - y * y).",
)

_SQRT_2_OVER_PI = math.sqrt(2.0 / math.pi)


def _gelu(a: Any, approximate: str) -> Any:
    if a == -math.inf:
        return math.nan
    if approximate == "tanh":
        return 0.5 * a * (1.0 + math.tanh(_SQRT_2_OVER_PI * (a + 0.044715 * a**3 if abs(a) < 1e100 else a)))
    return 0.5 * a * math.erfc(-a * math.sqrt(0.5))


def _gelu_rule(self: Spec, approximate: str) -> Any:
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    refuse(self.dtype, "bool", "integer", "complex")
    return walk([self], self.dtype, self.dtype)


gelu = native_function(
    "gelu(Tensor self, *, str approximate='none') -> Tensor",
    python_module="nn",
    meta=_gelu_rule,
    kernel=pointwise(_gelu),
    derivatives={
        "self": lambda grad, self, approximate: aten.gelu_backward(grad, self, approximate=approximate),
    },
    inplace=True,
    out="out",
    doc="x times the normal distribution function of x; ``approximate='tanh'`` by its tanh approximation.  "
    "Hendrycks and Gimpel (2016).",
)


def _gelu_backward(grad: Any, a: Any, approximate: str) -> Any:
    if approximate == "tanh":
        inner = _SQRT_2_OVER_PI * (a + 0.044715 * a * a * a)
        t = math.tanh(inner)
        slope = 0.5 * a * (1 - t * t) * _SQRT_2_OVER_PI * (1 + 3 * 0.044715 * a * a)
        return grad * (0.5 * (1 + t) + slope)
    density = arithmetic.exp(-0.5 * a * a) / math.sqrt(2.0 * math.pi)
    return grad * (0.5 * math.erfc(-a * math.sqrt(0.5)) + a * density)


def _gelu_double(grad: Any, grad_output: Any, self: Any, approximate: str) -> Any:
    """The second derivative, from operators."""
    if approximate == "tanh":
        k0, k1 = _SQRT_2_OVER_PI, 0.044715
        inner = k0 * (self + k1 * self**3)
        slope = k0 * (1 + 3 * k1 * self * self)
        t = inner.tanh()
        sech2 = 1 - t * t
        second = sech2 * slope + 0.5 * self * (sech2 * (6 * k0 * k1 * self) - 2 * t * sech2 * slope * slope)
        return grad * grad_output * second
    density = (-0.5 * self * self).exp() / math.sqrt(2.0 * math.pi)
    return grad * grad_output * density * (2 - self * self)


gelu_backward = native_function(
    "gelu_backward(Tensor grad_output, Tensor self, *, str approximate='none') -> Tensor",
    python_module="nn",
    meta=lambda grad_output, self, approximate: binary("bool", "integer", "complex")(grad_output, self),
    kernel=pointwise(_gelu_backward),
    derivatives={
        "grad_output": lambda grad, self, approximate: aten.gelu_backward(
            grad, self, approximate=approximate
        ),
        "self": _gelu_double,
    },
    doc="The gradient of gelu.",
)

silu = native_function(
    "silu(Tensor self) -> Tensor",
    python_module="nn",
    meta=unary("bool", "integer"),
    kernel=pointwise(lambda a: a * arithmetic.sigmoid(a)),
    derivatives={"self": lambda grad, self: aten.silu_backward.default(grad, self)},
    inplace=True,
    out="out",
    doc="x * sigmoid(x).",
)


def _silu_backward(grad: Any, a: Any) -> Any:
    s = arithmetic.sigmoid(a)
    return grad * (s * (1 + a * (1 - s)))


def _silu_double(grad: Any, grad_output: Any, self: Any) -> Any:
    s = self.sigmoid()
    return grad * grad_output * s * (1 - s) * (2 + self * (1 - 2 * s))


silu_backward = native_function(
    "silu_backward(Tensor grad_output, Tensor self) -> Tensor",
    python_module="nn",
    meta=binary("bool", "integer"),
    kernel=pointwise(_silu_backward),
    derivatives={
        "grad_output": lambda grad, self: aten.silu_backward.default(grad, self),
        "self": _silu_double,
    },
    doc="The gradient of silu.",
)

leaky_relu = native_function(
    "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
    python_module="nn",
    meta=unary("bool", "integer", "complex"),
    kernel=pointwise(lambda a, slope: a if a > 0 else a * slope),
    derivatives={
        "self": lambda grad, self, negative_slope: aten.where(self > 0, grad, grad * negative_slope)
    },
    inplace=True,
    out="out",
    doc="x where it is positive, else x * negative_slope.",
)
