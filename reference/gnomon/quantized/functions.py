"""``gnomon.ops.quantized``: functions of quantized tensors with the names that ``torch.ops.quantized`` has.

A weight is *packed* with its bias, and a convolution's with its geometry: here the packed object only holds
them.  Source: aten/src/ATen/native/quantized/library.cpp, cpu/BinaryOps.cpp, cpu/TensorShape.cpp (qcat),
cpu/LinearUnpackImpl.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.dtype import QUANTIZED, dtype, float32, float64, int64, qint8, round_to_float32
from .arithmetic import check_zero_point, inverse_of, limits_of, parameters_of, quantize
from .products import convolution
from .products import linear as _linear
from .quantizer import PerTensorAffine
from .registration import no_kernel, place_of, run_below
from .tensor import QuantizedTensor, make_quantized


def _check_quantized(name: str, *tensors: Any) -> None:
    for each in tensors:
        if not isinstance(each, QuantizedTensor):
            raise no_kernel(f"quantized::{name}", place_of(each))


# -- packed weights ------------------------------------------------------------------------------------------


class LinearPackedParams:
    """A weight (n, k), qint8, and a bias (n,), float32 or None.  Source: LinearPackedParamsBase."""

    def __init__(self, weight: Tensor, bias: Tensor | None):
        self._weight, self._bias = weight, bias

    def unpack(self) -> tuple[Tensor, Tensor | None]:
        """The weight and the bias."""
        return self._weight, self._bias

    def __repr__(self) -> str:
        return f"{type(self).__name__}(weight={tuple(self._weight.shape)})"


class ConvPackedParams(LinearPackedParams):
    """The weight (n, C / groups, *), the bias and the geometry of a convolution.

    Source: ConvPackedParamsBase.
    """

    def __init__(
        self,
        weight: Tensor,
        bias: Tensor | None,
        stride: Sequence[int],
        padding: Sequence[int],
        dilation: Sequence[int],
        groups: int,
    ):
        super().__init__(weight, bias)
        self._geometry = tuple(list(each) for each in (stride, padding, dilation))
        self._groups = groups

    def stride(self) -> list[int]:
        """The step of the windows."""
        return list(self._geometry[0])

    def padding(self) -> list[int]:
        """The number of zeros on both sides."""
        return list(self._geometry[1])

    def dilation(self) -> list[int]:
        """The distance of a window's elements."""
        return list(self._geometry[2])

    def output_padding(self) -> list[int]:
        """Zeros: only transposed convolutions have some."""
        return [0] * len(self._geometry[0])

    def groups(self) -> int:
        """The number of groups of channels."""
        return self._groups

    def transpose(self) -> bool:
        """Is it a transposed convolution?  No."""
        return False


def _check_weight(name: str, weight: Any, ndim: int) -> None:
    _check_quantized(name, weight)
    if weight._spec.ndim != ndim:
        raise RuntimeError(f"{name}: Weights are expected to have {ndim} dimensions")
    if weight._spec.dtype is not qint8:
        raise RuntimeError(f"{name}: expected scalar type QInt8 but found {weight._spec.dtype.name}")


def linear_prepack(W: Tensor, B: Tensor | None = None) -> LinearPackedParams:
    """Packs the weight ``W`` (n, k), qint8, and the bias ``B`` (n,), float32, of ``linear``.

    Raises NotImplementedError for a weight that is not quantized, RuntimeError for other dtypes and sizes.
    """
    _check_weight("linear_prepack", W, 2)
    if B is not None and tuple(B.shape) != (W.shape[0],):
        raise RuntimeError(
            f"linear_prepack: bias should be a vector of {W.shape[0]} elements, got {list(B.shape)}"
        )
    return LinearPackedParams(W, B)


def linear_unpack(W_prepack: LinearPackedParams) -> tuple[Tensor, Tensor | None]:
    """The weight and the bias of ``linear_prepack``."""
    return W_prepack.unpack()


def _prepack(ndim: int) -> Callable[..., ConvPackedParams]:
    name = f"conv{ndim}d_prepack"

    def prepack(
        weight: Tensor,
        bias: Tensor | None,
        stride: Sequence[int],
        padding: Sequence[int],
        dilation: Sequence[int],
        groups: int,
    ) -> ConvPackedParams:
        _check_weight(name, weight, ndim + 2)
        for what, each in (("stride", stride), ("padding", padding), ("dilation", dilation)):
            if len(each) != ndim:
                raise RuntimeError(f"{name}: {what} should contain {ndim} elements for {ndim}D convolution.")
        return ConvPackedParams(weight, bias, stride, padding, dilation, groups)

    prepack.__name__ = prepack.__qualname__ = name
    prepack.__doc__ = f"""Packs the weight (n, C / groups, *), qint8, bias and geometry of ``conv{ndim}d``.

    Raises NotImplementedError for a weight that is not quantized, RuntimeError for other dtypes and sizes."""
    return prepack


conv1d_prepack, conv2d_prepack = _prepack(1), _prepack(2)


def conv2d_unpack(packed_weights: ConvPackedParams) -> tuple[Tensor, Tensor | None]:
    """The weight and the bias of ``conv2d_prepack``."""
    return packed_weights.unpack()


conv1d_unpack = conv2d_unpack


# -- layers --------------------------------------------------------------------------------------------------


def linear(X: Tensor, W_prepack: LinearPackedParams, Y_scale_i: float, Y_zero_point_i: int) -> Tensor:
    """``X`` (*, k), quint8, times the transpose of the packed weight (n, k), plus the packed bias.

    The result is quint8 with this scale and zero point.  Raises NotImplementedError or RuntimeError for
    other dtypes and sizes.
    """
    _check_quantized("linear", X)
    return _linear(X, *W_prepack.unpack(), Y_scale_i, Y_zero_point_i)


def linear_relu(X: Tensor, W_prepack: LinearPackedParams, Y_scale_i: float, Y_zero_point_i: int) -> Tensor:
    """``linear``, with nothing below zero."""
    _check_quantized("linear_relu", X)
    return _linear(X, *W_prepack.unpack(), Y_scale_i, Y_zero_point_i, True)


def _convolution(name: str, relu: bool) -> Callable[..., Tensor]:
    def convolve(
        qx: Tensor, packed_weight: ConvPackedParams, output_scale: float, output_zero_point: int
    ) -> Tensor:
        _check_quantized(name, qx)
        weight, bias = packed_weight.unpack()
        geometry = packed_weight.stride(), packed_weight.padding(), packed_weight.dilation()
        groups = packed_weight.groups()
        return convolution(qx, weight, bias, *geometry, groups, output_scale, output_zero_point, relu)

    convolve.__name__ = convolve.__qualname__ = name
    sizes = "(N, C, L)" if "1d" in name else "(N, C, H, W)"
    convolve.__doc__ = f"""The convolution of ``qx`` {sizes}, quint8, with the packed weight{
        ", with nothing below zero" if relu else ""
    }.  The result is quint8 with this scale and zero point.  Raises NotImplementedError or RuntimeError for
    other dtypes and sizes."""
    return convolve


conv1d, conv1d_relu = _convolution("conv1d", False), _convolution("conv1d_relu", True)
conv2d, conv2d_relu = _convolution("conv2d", False), _convolution("conv2d_relu", True)


# -- elements ------------------------------------------------------------------------------------------------


def numbers_of(tensor: QuantizedTensor) -> Tensor:
    """Its numbers, as PyTorch's vectorized kernels compute them: ``scale * q - scale * zero_point``, rounded
    once after the difference.
    """
    parameters = parameters_of(tensor)
    scale = round_to_float32(parameters.scale)
    shift = round_to_float32(scale * -parameters.zero_point)
    return (tensor.held.to(float64) * scale + shift).to(float32)


def quantized_like(numbers: Tensor, kind: dtype, scale: float, zero_point: int) -> QuantizedTensor:
    """``numbers``, float32, as ``kind`` with this scale and zero point.

    As in PyTorch's vectorized kernels, halves are rounded to even before the zero point is added.
    """
    check_zero_point(zero_point, kind, "quantize:")
    least, most = limits_of(kind)
    steps = (numbers * inverse_of(scale)).round().to(float64).nan_to_num(least, most, least) + zero_point
    return make_quantized(steps.clamp(least, most).to(QUANTIZED[kind]), PerTensorAffine(scale, zero_point))


def _check_pair(name: str, qa: Any, qb: Any) -> None:
    _check_quantized(name, qa, qb)
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
    least, most = limits_of(kind)
    one, other = parameters_of(qa), parameters_of(qb)
    scales = round_to_float32(round_to_float32(one.scale) * round_to_float32(other.scale))
    multiplier = round_to_float32(scales * inverse_of(scale))
    pair = [(each.held.to(int64) - own.zero_point) for each, own in ((qa, one), (qb, other))]
    steps = ((pair[0] * pair[1]).to(float32) * multiplier).round().to(float64) + zero_point
    held = steps.clamp(zero_point if relu else least, most).to(QUANTIZED[kind])
    return make_quantized(held, PerTensorAffine(scale, zero_point))


def _binary(name: str, of_two: Callable[..., Any], by_number: Callable[..., Any], relu: bool) -> Any:
    base = name.removesuffix("_relu")

    def call(qa: Any, qb: Any, scale: float | None = None, zero_point: int | None = None) -> Tensor:
        if scale is None:
            first, second = (qa, qb) if isinstance(qa, Tensor) else (qb, qa)
            number = second.item() if isinstance(second, Tensor) else second
            _check_quantized(name, first)
            return run_below(by_number, first, float(number), relu)
        _check_pair(base, qa, qb)
        return run_below(of_two, qa, qb, scale, zero_point or 0, relu)

    call.__name__ = call.__qualname__ = name
    what, above = "sum" if base == "add" else "product", ", with nothing below zero" if relu else ""
    call.__doc__ = f"""The {what} of two quantized tensors of one dtype, which broadcast{above}.

    ``scale``, ``zero_point``: those of the result.  Without them ``qb`` is a number, and the result has some
    for which its integers are those of ``qa`` as far as possible.  Raises RuntimeError for two dtypes, and
    for a scale for each channel."""
    return call


add, add_relu = _binary("add", _sum, _added, False), _binary("add_relu", _sum, _added, True)
mul, mul_relu = _binary("mul", _product, _multiplied, False), _binary("mul_relu", _product, _multiplied, True)
add_scalar, add_scalar_relu, mul_scalar, mul_scalar_relu = add, add_relu, mul, mul_relu


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
        _check_quantized(name, *qx)
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


def leaky(qx: Any, slope: float, scale: float, zero_point: int) -> QuantizedTensor:
    """Negative numbers times ``slope``."""
    numbers = numbers_of(qx)
    found = aten.where.self(numbers > 0, numbers, numbers * round_to_float32(slope))
    return quantized_like(found, qx._spec.dtype, scale, zero_point)


def leaky_relu(
    qx: Tensor, negative_slope: float, inplace: bool, output_scale: float, output_zero_point: int
) -> Tensor:
    """Negative numbers times ``negative_slope``, with another scale and zero point.  ``inplace``: ignored, as
    in PyTorch.
    """
    _check_quantized("leaky_relu", qx)
    return run_below(leaky, qx, negative_slope, output_scale, output_zero_point)


def replaced(qx: Any, threshold: float, value: float) -> QuantizedTensor:
    """``value`` for numbers that are not above ``threshold``."""
    numbers, own = numbers_of(qx), parameters_of(qx)
    rest = aten.full.default((), round_to_float32(value), float32, None, numbers.device, None)
    found = aten.where.self(numbers > round_to_float32(threshold), numbers, rest)
    return quantized_like(found, qx._spec.dtype, own.scale, own.zero_point)


def threshold(qx: Tensor, threshold: float, value: float) -> Tensor:
    """``value`` for numbers that are not above ``threshold``."""
    _check_quantized("threshold", qx)
    return run_below(replaced, qx, threshold, value)


def clamp(qx: Tensor, min: float | None = None, max: float | None = None) -> Tensor:
    """The numbers, but not below ``min`` and not above ``max``."""
    _check_quantized("clamp", qx)
    return qx.clamp(min, max)


def relu6(qx: Tensor, inplace: bool = False) -> Tensor:
    """The numbers from 0 to 6, others as the nearer of these."""
    _check_quantized("relu6", qx)
    found = qx.clamp(0.0, 6.0)
    return qx.copy_(found) if inplace else found


def sigmoid(qx: Tensor, output_scale: float, output_zero_point: int) -> Tensor:
    """The sigmoid, with another scale and zero point."""
    _check_quantized("sigmoid", qx)
    numbers: Any = run_below(numbers_of, qx)
    return quantized_like(numbers.sigmoid(), qx._spec.dtype, output_scale, output_zero_point)
