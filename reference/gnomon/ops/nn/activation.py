"""Smooth activations; piecewise linear ones are in piecewise_activation.py.

Computed in float64 and rounded once.  Source: aten/src/ATen/native/Activation.cpp, GatedLinearUnit.cpp.
"""

from __future__ import annotations

import math
from typing import Any

from ...calls.checks import refuse_dtype
from ...calls.copies import row_major
from ...calls.iterator import TensorIterator
from ...calls.meta_functions import binary, build_iterator, unary, unary_float, with_numbers
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics import arithmetic
from ...numerics.formulas import conj
from ...numerics.loops import pointwise, pointwise_in_steps, pointwise_with_numbers
from ...values import geometry
from ...values.dtype import real_number
from ...values.geometry import wrap_dim

sigmoid = native_function(
    "sigmoid(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.sigmoid),
    derivatives={"self": lambda grad, result: aten.sigmoid_backward.default(grad, result)},
    inplace=True,
    out="out",
    doc="The logistic sigmoid, ``1 / (1 + exp(-x))``.",
)

sigmoid_backward = native_function(
    "sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor",
    python_module="nn",
    meta=binary(),
    kernel=pointwise(lambda grad, y: grad * ((1 - y) * y).conjugate()),
    derivatives={
        "grad_output": lambda grad, output: aten.sigmoid_backward.default(grad, conj(output)),
        "output": lambda grad, grad_output, output: conj(grad) * grad_output * (1 - 2 * conj(output)),
    },
    doc="The gradient of sigmoid from its output y, ``grad * (1 - y) * y``.",
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
        "grad_output": lambda grad, output: aten.tanh_backward.default(grad, conj(output)),
        "output": lambda grad, grad_output, output: conj(grad) * (-2 * conj(output) * grad_output),
    },
    doc="The gradient of tanh from its output y, ``grad * (1 - y * y)``.",
)

_SQRT_2_OVER_PI = math.sqrt(2.0 / math.pi)


def _gelu(a: Any, approximate: str) -> Any:
    if a == -math.inf:
        return math.nan
    if approximate == "tanh":
        return 0.5 * a * (1.0 + math.tanh(_SQRT_2_OVER_PI * (a + 0.044715 * a**3 if abs(a) < 1e100 else a)))
    return 0.5 * a * math.erfc(-a * math.sqrt(0.5))


def _gelu_meta(self: Spec, approximate: str) -> Any:
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    return build_iterator([self], self.dtype, self.dtype)


gelu = native_function(
    "gelu(Tensor self, *, str approximate='none') -> Tensor",
    python_module="nn",
    meta=_gelu_meta,
    kernel=pointwise(_gelu),
    derivatives={
        "self": lambda grad, self, approximate: aten.gelu_backward(grad, self, approximate=approximate),
    },
    inplace=True,
    out=Out(exact=True),
    doc="x times the cumulative distribution function of the normal distribution at x; "
    "``approximate='tanh'`` uses its tanh approximation.  The result has the sizes and dtype of x, which is "
    "floating point.  Raises NotImplementedError for other dtypes, RuntimeError for any other "
    "``approximate``.  Hendrycks and Gimpel (2016).",
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
    """The second derivative, composed of other operators."""
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
    derivatives={"self": lambda grad, self: aten.silu_backward.default(grad, conj(self))},
    inplace=True,
    out=Out(exact=True),
    doc="The sigmoid linear unit, ``x * sigmoid(x)``.",
)


def _silu_backward(grad: Any, a: Any) -> Any:
    s = arithmetic.sigmoid(a)
    return grad * (s * (1 + a * (1 - s)))


def _silu_double(grad: Any, grad_output: Any, self: Any) -> Any:
    s = self.sigmoid()
    return grad * conj(grad_output * s * (1 - s) * (2 + self * (1 - 2 * s)))


silu_backward = native_function(
    "silu_backward(Tensor grad_output, Tensor self) -> Tensor",
    python_module="nn",
    meta=binary("bool", "integer"),
    kernel=pointwise(_silu_backward),
    derivatives={
        "grad_output": lambda grad, self: aten.silu_backward.default(grad, conj(self)),
        "self": _silu_double,
    },
    doc="The gradient of silu.",
)


def _elu(a: float, alpha: float, scale: float, input_scale: float) -> float:
    return arithmetic.expm1(a * input_scale) * alpha * scale if a < 0 else a * scale


elu = native_function(
    "elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
    python_module="nn",
    meta=with_numbers(unary("bool", "integer", "complex")),
    kernel=pointwise_with_numbers(_elu),
    derivatives={
        "self": lambda grad, self, alpha, scale, input_scale: aten.elu_backward.default(
            grad, alpha, scale, input_scale, False, self
        )
    },
    inplace=True,
    out=Out(exact=True),
    doc="""``scale * x`` if ``x >= 0``, otherwise ``scale * alpha * (exp(input_scale * x) - 1)``.

    Clevert, Unterthiner and Hochreiter (2016).""",
)


def _elu_backward_meta(
    grad_output: Spec, alpha: Any, scale: Any, input_scale: Any, is_result: bool, self_or_result: Spec
) -> TensorIterator:
    if is_result and not real_number(alpha) >= 0:
        raise RuntimeError(
            "In-place elu backward calculation is triggered with a negative slope which is not supported: "
            f"alpha is {alpha}. Please call the out-of-place version of the forward function instead."
        )
    return binary("bool", "integer", "complex")(grad_output, self_or_result)


def _elu_backward(
    held: Any, grad: float, a: float, alpha: float, scale: float, input_scale: float, is_result: bool
) -> float:
    """At 0 it uses the derivative from the left."""
    if a > 0 or a != a:
        return grad * scale
    slope = held(alpha * scale)
    slope = a + slope if is_result else slope * held(arithmetic.exp(held(a * input_scale)))
    return held(grad * input_scale) * held(slope)


def _elu_double(
    grad: Any,
    grad_output: Any,
    alpha: Any,
    scale: Any,
    input_scale: Any,
    is_result: bool,
    self_or_result: Any,
) -> Any:
    curved = grad * grad_output * input_scale
    if not is_result:
        slope = float(input_scale) * alpha * scale  # the product of whole numbers may be too large for int64
        curved = curved * slope * (self_or_result * input_scale).exp()
    return curved.masked_fill(self_or_result >= 0, 0)


elu_backward = native_function(
    "elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, Tensor "
    "self_or_result) -> Tensor",
    python_module="nn",
    meta=with_numbers(_elu_backward_meta),
    kernel=pointwise_in_steps(_elu_backward),
    derivatives={
        "grad_output": lambda grad, alpha, scale, input_scale, is_result, self_or_result: (
            aten.elu_backward.default(grad, alpha, scale, input_scale, is_result, self_or_result)
        ),
        "self_or_result": _elu_double,
    },
    doc="The gradient of elu, from its input, or if ``is_result`` from its output.",
)


def _celu(self: Any, alpha: Any) -> Any:
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return aten.elu.default(self, alpha, 1.0, 1.0 / alpha)


celu = native_function(
    "celu(Tensor self, Scalar alpha=1.0) -> Tensor",
    variants="function",
    composite=_celu,
    inplace=True,
    doc="``x`` if ``x >= 0``, otherwise ``alpha * (exp(x / alpha) - 1)``.  Barron (2017).",
)

selu = native_function(
    "selu(Tensor self) -> Tensor",
    variants="function",
    composite=lambda self: aten.elu.default(
        self, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1.0
    ),
    inplace=True,
    doc="""elu with the fixed ``alpha`` and ``scale`` that preserve mean 0 and variance 1.  Klambauer et al.
    (2017).

    The result has the sizes and dtype of x, which is floating point.  Raises NotImplementedError for other
    dtypes.""",
)


def _softplus(a: float, beta: float, threshold: float) -> float:
    return a if a * beta > threshold else arithmetic.divide(arithmetic.log1p(arithmetic.exp(a * beta)), beta)


softplus = native_function(
    "softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
    python_module="nn",
    meta=with_numbers(unary("bool", "integer", "complex")),
    kernel=pointwise_with_numbers(_softplus),
    derivatives={
        "self": lambda grad, self, beta, threshold: aten.softplus_backward.default(
            grad, self, beta, threshold
        )
    },
    out=Out(exact=True),
    doc="``log(1 + exp(beta * x)) / beta``, or x itself if ``beta * x > threshold``.",
)


def _softplus_double(grad: Any, grad_output: Any, self: Any, beta: Any, threshold: Any) -> Any:
    scaled = self * beta
    slope = scaled.sigmoid()
    return (grad * grad_output * slope * (1 - slope) * beta).masked_fill(scaled >= threshold, 0)


softplus_backward = native_function(
    "softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor",
    python_module="nn",
    meta=with_numbers(binary("bool", "integer", "complex")),
    kernel=pointwise_with_numbers(
        lambda grad, a, beta, threshold: grad if a * beta > threshold else grad * arithmetic.sigmoid(a * beta)
    ),
    derivatives={
        "grad_output": lambda grad, self, beta, threshold: aten.softplus_backward.default(
            grad, self, beta, threshold
        ),
        "self": _softplus_double,
    },
    doc="The gradient of softplus.",
)


def _log_sigmoid_meta(self: Spec) -> tuple[Spec, Spec]:
    """Both results are contiguous, whatever the strides of ``self``."""
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    return self.contiguous(), self.contiguous()


def _log_sigmoid_kernel(output: Tensor, buffer: Tensor, self: Tensor) -> None:
    """``min(a, 0) - log(1 + exp(-|a|))``, and ``exp(-|a|)`` for the gradient."""
    source, out, decays = TensorAccessor(self), TensorAccessor(output), TensorAccessor(buffer)
    for at, beside, offset in zip(out.offsets(), decays.offsets(), source.offsets()):
        a = source.read(offset)
        decayed = arithmetic.exp(-abs(a))
        out.write(at, (a if a < 0 or a != a else 0.0) - math.log1p(decayed))
        decays.write(beside, decayed)


log_sigmoid_forward = native_function(
    "log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)",
    python_module="nn",
    meta=_log_sigmoid_meta,
    kernel=_log_sigmoid_kernel,
    derivatives={
        "self": lambda grad, self, buffer: aten.log_sigmoid_backward.default(grad, self, buffer),
    },
    non_differentiable_outputs=(1,),
    node_name="LogSigmoidBackward0",
    doc="Returns log_sigmoid of x, and ``exp(-|x|)``, which the backward uses.",
)


def _log_sigmoid_backward_meta(grad_output: Spec, self: Spec, buffer: Spec) -> TensorIterator:
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    return build_iterator([grad_output, self, buffer], self.dtype, self.dtype)


def _log_sigmoid_backward(grad: float, a: float, buffer: float) -> float:
    share = arithmetic.divide(buffer, 1 + buffer)
    return grad * (1 - share) if a < 0 else grad * share


log_sigmoid_backward = native_function(
    "log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor",
    python_module="nn",
    meta=_log_sigmoid_backward_meta,
    kernel=pointwise(_log_sigmoid_backward),
    derivatives={
        "grad_output": lambda grad, self, buffer: aten.log_sigmoid_backward.default(grad, self, buffer),
        "self": lambda grad, grad_output, self: grad * grad_output * (self.sigmoid() - 1) * self.sigmoid(),
    },
    doc="The gradient of log_sigmoid.",
)

log_sigmoid = native_function(
    "log_sigmoid(Tensor self) -> Tensor",
    python_module="nn",
    composite=lambda self: aten.log_sigmoid_forward.default(self)[0],
    out=Out(exact=True),
    doc="``log(1 / (1 + exp(-x)))``, without overflow.  The result has the sizes and dtype of x, which is "
    "floating point.  Raises NotImplementedError for other dtypes.",
)


def _mish_grad(grad: Any, self: Any) -> Any:
    bounded = aten.softplus.default(self, 1, math.inf).tanh()
    return grad * (bounded + self * self.sigmoid() * (1 - bounded * bounded))


mish = native_function(
    "mish(Tensor self) -> Tensor",
    python_module="nn",
    meta=unary("bool", "integer", "complex"),
    kernel=pointwise(lambda a: a * arithmetic.tanh(arithmetic.log1p(arithmetic.exp(a)))),
    derivatives={"self": _mish_grad},
    inplace=True,
    out=Out(exact=True),
    doc="``x * tanh(log(1 + exp(x)))``.  Misra (2019).",
)


def _glu_halves(self: Spec, dim: int) -> tuple[int, int, Spec]:
    """The dimension, half its size, and the spec of either half."""
    if not self.ndim:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    dim = wrap_dim(dim, self.ndim)
    if self.sizes[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {self.sizes[dim]}")
    half = self.sizes[dim] // 2
    return dim, half, self.with_geometry((*self.sizes[:dim], half, *self.sizes[dim + 1 :]), self.strides)


def _glu_meta(self: Spec, dim: int) -> Spec:
    _, _, half = _glu_halves(self, dim)
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    return build_iterator([half, half], self.dtype, self.dtype).output_specs[0]


def _glu_kernel(output: Tensor, self: Tensor, dim: int) -> None:
    """The first half times the sigmoid of the second."""
    dim, half, spec = _glu_halves(self._spec, dim)
    source, out = TensorAccessor(self), TensorAccessor(output)
    step = half * spec.strides[dim]
    firsts = geometry.offsets(spec.sizes, spec.strides, self._storage_offset)
    for at, offset in zip(out.offsets(), firsts):
        out.write(at, source.read(offset) * arithmetic.sigmoid(source.read(offset + step)))


def _glu_grad(grad: Any, self: Any, dim: int) -> Any:
    first, second = self.chunk(2, dim)
    gate = second.sigmoid()
    return row_major(aten.cat.default((grad * gate, grad * first * gate * (1 - gate)), dim))


glu = native_function(
    "glu(Tensor self, int dim=-1) -> Tensor",
    python_module="nn",
    meta=_glu_meta,
    kernel=_glu_kernel,
    derivatives={"self": _glu_grad},
    out="out",
    doc="""The first half of ``self`` along ``dim`` times the sigmoid of the second half.

    Raises RuntimeError if the size along ``dim`` is odd.  Dauphin et al. (2017).""",
)
