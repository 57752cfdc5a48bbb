"""``gnomon.ops.quantized``: functions of quantized tensors with the names that ``torch.ops.quantized`` has.

This file has sums, products, ``cat`` and functions of elements; packed.py has linear and convolutions,
layers.py normalizations and others of whole tensors.

Source: aten/src/ATen/native/quantized/library.cpp, cpu/BinaryOps.cpp, cpu/TensorShape.cpp (qcat), qelu.cpp,
qhardswish.cpp, qprelu.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.dtype import float32, float64, round_to_float32
from .arithmetic import check_zero_point, inverse_of, limits_of, parameters_of, quantize
from .layers import (  # noqa: F401  (names of the namespace)
    batch_norm,
    batch_norm1d,
    batch_norm1d_relu,
    batch_norm2d,
    batch_norm2d_relu,
    batch_norm3d,
    batch_norm3d_relu,
    batch_norm_relu,
    group_norm,
    instance_norm,
    layer_norm,
    matmul,
    max_pool1d,
    max_pool2d,
    softmax,
)
from .packed import (  # noqa: F401  (names of the namespace)
    ConvPackedParams,
    LinearPackedParams,
    conv1d,
    conv1d_dynamic,
    conv1d_prepack,
    conv1d_relu,
    conv1d_unpack,
    conv2d,
    conv2d_dynamic,
    conv2d_prepack,
    conv2d_relu,
    conv2d_unpack,
    conv3d,
    conv3d_dynamic,
    conv3d_prepack,
    conv3d_relu,
    conv3d_unpack,
    conv_transpose1d,
    conv_transpose1d_dynamic,
    conv_transpose1d_prepack,
    conv_transpose1d_unpack,
    conv_transpose2d,
    conv_transpose2d_dynamic,
    conv_transpose2d_prepack,
    conv_transpose2d_unpack,
    conv_transpose3d,
    conv_transpose3d_dynamic,
    conv_transpose3d_prepack,
    conv_transpose3d_unpack,
    linear,
    linear_dynamic,
    linear_prepack,
    linear_relu,
    linear_relu_dynamic,
    linear_unpack,
)
from .quantizer import PerTensorAffine
from .registration import run_below
from .steps import check_quantized, differences_of, numbers_of, of_steps, quantized_like
from .tensor import QuantizedTensor, make_quantized

# -- elements ------------------------------------------------------------------------------------------------


def _check_pair(name: str, qa: Any, qb: Any) -> None:
    check_quantized(name, qa, qb)
    for each in (qa, qb):
        if not isinstance(each.quantizer, PerTensorAffine):
            raise RuntimeError(f"{name}: Only per tensor quantization is supported in {name.title()}.")
    if qa._spec.dtype is not qb._spec.dtype:
        raise RuntimeError(f"{name}: {name.title()} operands should have same data type.")


def _added(qa: QuantizedTensor, number: float, relu: bool) -> QuantizedTensor:
    """The integers stay, and the zero point moves; if it would leave the dtype, the scale grows."""
    parameters, kind = parameters_of(qa), qa._spec.dtype
    least, most = limits_of(kind)
    scale, zero_point, held = parameters.scale, parameters.zero_point, qa.held
    steps = round(number / scale)
    moved = zero_point - steps
    if least <= moved <= most:
        output = PerTensorAffine(scale, moved)
    else:
        room = most - moved if moved < least else moved - least
        wide = round_to_float32(room) / round_to_float32(most - least) * scale
        output = PerTensorAffine(wide, least if moved < least else most)
        scaled = (held.to(float64) - zero_point + steps) * round_to_float32(scale / wide)
        held = (scaled.to(float32).round() + output.zero_point).clamp(least, most).to(held._spec.dtype)
    return make_quantized(held.clamp_min(output.zero_point) if relu else held, output)


def _multiplied(qa: QuantizedTensor, number: float, relu: bool) -> QuantizedTensor:
    """The scale changes, and for a negative number the order of the integers."""
    parameters, kind = parameters_of(qa), qa._spec.dtype
    least, most = limits_of(kind)
    held = qa.held
    if number > 0:
        output = PerTensorAffine(parameters.scale * number, parameters.zero_point)
    elif number < 0:
        output = PerTensorAffine(parameters.scale * -number, most - (parameters.zero_point - least))
        held = (most + least - held.to(float64)).to(held._spec.dtype)
    else:
        output, held = PerTensorAffine(1.0, 0), aten.zeros_like.default(held)
    return make_quantized(held.clamp_min(output.zero_point) if relu else held, output)


def _sum(qa: Any, qb: Any, scale: float, zero_point: int, relu: bool) -> QuantizedTensor:
    found = aten.add.Tensor(numbers_of(qa), numbers_of(qb))
    return quantized_like(found.clamp_min(0) if relu else found, qa._spec.dtype, scale, zero_point)


def _product(qa: Any, qb: Any, scale: float, zero_point: int, relu: bool) -> QuantizedTensor:
    """Of the integers without their zero points, then scaled."""
    kind = qa._spec.dtype
    check_zero_point(zero_point, kind, "quantize:")
    scales = round_to_float32(
        round_to_float32(parameters_of(qa).scale) * round_to_float32(parameters_of(qb).scale)
    )
    multiplier = round_to_float32(scales * inverse_of(scale))
    steps = (differences_of(qa) * differences_of(qb)).to(float32) * multiplier
    return of_steps(steps, kind, PerTensorAffine(scale, zero_point), relu)


def _binary(name: str, of_two: Callable[..., Any], by_number: Callable[..., Any], relu: bool) -> Any:
    base = name.removesuffix("_relu")

    def call(
        qa: Any,
        qb: Any,
        scale: float | None = None,
        zero_point: int | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        with_scale = isinstance(qb, Tensor) and qb.is_quantized
        if out is not None:
            check_quantized(name, out)
            if with_scale:
                scale, zero_point = out.q_scale(), out.q_zero_point()
        if scale is None:
            first, second = (qa, qb) if isinstance(qa, Tensor) else (qb, qa)
            number = second.item() if isinstance(second, Tensor) else second
            check_quantized(name, first)
            found = run_below(by_number, first, float(number), relu)
        else:
            _check_pair(base, qa, qb)
            found = run_below(of_two, qa, qb, scale, zero_point or 0, relu)
        return found if out is None else out.copy_(found)

    call.__name__ = call.__qualname__ = name
    what, above = "sum" if base == "add" else "product", ", with nothing below zero" if relu else ""
    call.__doc__ = f"""The {what} of two quantized tensors of one dtype, which broadcast{above}.

    ``scale``, ``zero_point``: those of the result, or of ``out``.  Without them ``qb`` is a number, and the
    result has some for which its integers are those of ``qa`` as far as possible.  Raises RuntimeError for
    two dtypes, and for a scale for each channel."""
    return call


add, add_relu = _binary("add", _sum, _added, False), _binary("add_relu", _sum, _added, True)
mul, mul_relu = _binary("mul", _product, _multiplied, False), _binary("mul_relu", _product, _multiplied, True)
add_scalar, add_scalar_relu, mul_scalar, mul_scalar_relu = add, add_relu, mul, mul_relu


def _with_out(function: Any) -> Callable[..., Tensor]:
    def call(qa: Tensor, qb: Any, out: Tensor) -> Tensor:
        return function(qa, qb, out=out)

    name = f"{function.__name__}_out"
    call.__name__ = call.__qualname__ = name
    call.__doc__ = (
        f"``{function.__name__}`` of ``qa`` and ``qb``, quantized as ``out`` is, and written to it."
    )
    return call


add_out, add_relu_out, mul_out, mul_relu_out = (_with_out(each) for each in (add, add_relu, mul, mul_relu))
add_scalar_out, add_scalar_relu_out = add_out, add_relu_out
mul_scalar_out, mul_scalar_relu_out = mul_out, mul_relu_out


def _joined(name: str, relu: bool) -> Callable[..., Tensor]:
    def compute(qx: Sequence[Any], dim: int, scale: float, zero_point: int) -> QuantizedTensor:
        numbers = [each.dequantize().contiguous() for each in qx]
        found = aten.cat.default(numbers, dim)
        output = PerTensorAffine(scale, zero_point)
        return quantize(found.clamp_min(0) if relu else found, output, qx[0]._spec.dtype)

    def call(
        qx: Sequence[Tensor], dim: int, scale: float | None = None, zero_point: int | None = None
    ) -> Tensor:
        if not qx:
            raise NotImplementedError(f"{name}: there were no tensor arguments to this function")
        check_quantized(name, *qx)
        first: Any = qx[0]
        if any(each._spec.dtype is not first._spec.dtype for each in qx):
            raise RuntimeError(f"{name}: All dtypes must be the same.")
        own = parameters_of(first)
        scale = own.scale if scale is None else scale
        return run_below(compute, qx, dim, scale, own.zero_point if zero_point is None else zero_point)

    call.__name__ = call.__qualname__ = name
    above = ", with nothing below zero" if relu else ""
    call.__doc__ = f"""Joins quantized tensors of one dtype along ``dim``{above}.

    ``scale``, ``zero_point``: those of the result, by default those of the first tensor.  Raises RuntimeError
    for several dtypes, and for a scale for each channel."""
    return call


cat, cat_relu = _joined("cat", False), _joined("cat_relu", True)


def _joined_to(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def call(qx: Sequence[Tensor], dim: int, out: Tensor) -> Tensor:
        check_quantized(call.__name__, out)
        return out.copy_(function(qx, dim, out.q_scale(), out.q_zero_point()))

    call.__name__ = call.__qualname__ = f"{function.__name__}_out"
    call.__doc__ = f"``{function.__name__}``, quantized as ``out`` is, and written to it."
    return call


cat_out, cat_relu_out = _joined_to(cat), _joined_to(cat_relu)


def leaky(qx: Any, slope: float, scale: float, zero_point: int) -> QuantizedTensor:
    """Negative numbers times ``slope``."""
    numbers = numbers_of(qx)
    found = aten.where.self(numbers > 0, numbers, numbers * round_to_float32(slope))
    return quantized_like(found, qx._spec.dtype, scale, zero_point)


def sloped(qx: Any, weight: Any, scale: float, zero_point: int) -> QuantizedTensor:
    """Negative numbers times those of ``weight``, which broadcasts.  The products of integers are exact."""
    kind = qx._spec.dtype
    check_zero_point(zero_point, kind, "quantize:")
    own, inverse = round_to_float32(parameters_of(qx).scale), inverse_of(scale)
    both = round_to_float32(own * round_to_float32(parameters_of(weight).scale))
    differences = differences_of(qx)
    products = (differences * differences_of(weight)).to(float32) * round_to_float32(both * inverse)
    steps = aten.where.self(
        differences > 0, differences.to(float32) * round_to_float32(own * inverse), products
    )
    return of_steps(steps, kind, PerTensorAffine(scale, zero_point))


def leaky_relu(
    qx: Tensor, negative_slope: float, inplace: bool, output_scale: float, output_zero_point: int
) -> Tensor:
    """Negative numbers times ``negative_slope``, with another scale and zero point.  ``inplace``: ignored, as
    in PyTorch.
    """
    check_quantized("leaky_relu", qx)
    return run_below(leaky, qx, negative_slope, output_scale, output_zero_point)


def replaced(qx: Any, threshold: float, value: float) -> QuantizedTensor:
    """``value`` for numbers that are not above ``threshold``."""
    numbers, own = numbers_of(qx), parameters_of(qx)
    rest = aten.full.default((), round_to_float32(value), float32, None, numbers.device, None)
    found = aten.where.self(numbers > round_to_float32(threshold), numbers, rest)
    return quantized_like(found, qx._spec.dtype, own.scale, own.zero_point)


def threshold(qx: Tensor, threshold: float, value: float) -> Tensor:
    """``value`` for numbers that are not above ``threshold``."""
    check_quantized("threshold", qx)
    return run_below(replaced, qx, threshold, value)


def clamp(qx: Tensor, min: float | None = None, max: float | None = None) -> Tensor:
    """The numbers, but not below ``min`` and not above ``max``."""
    check_quantized("clamp", qx)
    return qx.clamp(min, max)


def relu6(qx: Tensor, inplace: bool = False) -> Tensor:
    """The numbers from 0 to 6, others as the nearer of these."""
    check_quantized("relu6", qx)
    found = qx.clamp(0.0, 6.0)
    return qx.copy_(found) if inplace else found


def sigmoid(qx: Tensor, output_scale: float, output_zero_point: int) -> Tensor:
    """The sigmoid, with another scale and zero point."""
    check_quantized("sigmoid", qx)
    numbers: Any = run_below(numbers_of, qx)
    return quantized_like(numbers.sigmoid(), qx._spec.dtype, output_scale, output_zero_point)


def _computed(
    name: str, qx: Any, function: Callable[[Tensor], Tensor], scale: float, zero_point: int
) -> Tensor:
    check_quantized(name, qx)
    numbers: Any = run_below(numbers_of, qx)
    return quantized_like(function(numbers), qx._spec.dtype, scale, zero_point)


def hardswish(input: Tensor, output_scale: float, output_zero_point: int) -> Tensor:
    """``nn.functional.hardswish``, with another scale and zero point."""
    return _computed("hardswish", input, aten.hardswish.default, output_scale, output_zero_point)


def elu(
    self: Tensor,
    output_scale: float,
    output_zero_point: int,
    alpha: float = 1,
    scale: float = 1,
    input_scale: float = 1,
) -> Tensor:
    """``scale`` times x, or times ``alpha * (exp(x * input_scale) - 1)`` for negative numbers x."""

    def function(numbers: Tensor) -> Tensor:
        return aten.elu.default(numbers, alpha, scale, input_scale)

    return _computed("elu", self, function, output_scale, output_zero_point)


def celu(self: Tensor, output_scale: float, output_zero_point: int, alpha: float = 1) -> Tensor:
    """``nn.functional.celu``, with another scale and zero point.  Raises RuntimeError for ``alpha`` 0."""
    check_quantized("celu", self)
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return elu(self, output_scale, output_zero_point, alpha, 1, 1 / alpha)


def prelu(qx: Tensor, weight: Tensor, output_scale: float, output_zero_point: int) -> Tensor:
    """Negative numbers times ``weight``, one for all or one for each channel, which is quantized, too."""
    check_quantized("prelu", qx, weight)
    count, ndim = weight.numel(), qx.ndim
    if count != 1 and (ndim < 2 or qx.shape[1] != count):
        raise RuntimeError(
            f"prelu: expected a weight of 1 element or of one for each channel, got {count} for sizes "
            f"{list(qx.shape)}"
        )
    sizes = [count if dim == 1 else 1 for dim in range(ndim)] if count != 1 else [1] * ndim
    return run_below(sloped, qx, weight.reshape(sizes), output_scale, output_zero_point)


def dropout(
    self: Tensor, output_scale: float, output_zero_point: int, p: float = 0.5, training: bool = False
) -> Tensor:
    """``self``: the other arguments are ignored, as in PyTorch."""
    check_quantized("dropout", self)
    return self
