"""Packed weights, and the layers that take them: linear and convolutions of ``gnomon.ops.quantized``.

A weight is *packed* with its bias, and a convolution's with its geometry: here the packed object only holds
them.  Source: aten/src/ATen/native/quantized/cpu (qlinear_prepack.cpp, qconv_prepack.cpp,
LinearUnpackImpl.cpp, qlinear_dynamic.cpp).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.dtype import float32, float64, qint8, quint8
from .arithmetic import choose_parameters, parameters_of, quantize
from .construction import checked_numbers
from .products import convolution, transposed_convolution
from .products import linear as _linear
from .quantizer import PerTensorAffine
from .registration import run_below
from .steps import check_quantized, exact_numbers
from .tensor import QuantizedTensor

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
        output_padding: Sequence[int] | None = None,
    ):
        super().__init__(weight, bias)
        self._geometry = tuple(list(each) for each in (stride, padding, dilation))
        self._groups = groups
        self._output_padding = None if output_padding is None else list(output_padding)

    def geometry(self) -> tuple[list[int], list[int], list[int], int]:
        """Stride, padding, dilation and groups."""
        return self.stride(), self.padding(), self.dilation(), self._groups

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
        """The size that a transposed convolution adds on one side; zeros for others."""
        return list(self._output_padding or [0] * len(self._geometry[0]))

    def groups(self) -> int:
        """The number of groups of channels."""
        return self._groups

    def transpose(self) -> bool:
        """Is it a transposed convolution?"""
        return self._output_padding is not None


def _check_weight(name: str, weight: Any, ndim: int) -> None:
    check_quantized(name, weight)
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


conv1d_prepack, conv2d_prepack, conv3d_prepack = _prepack(1), _prepack(2), _prepack(3)


def _transposed_prepack(ndim: int) -> Callable[..., ConvPackedParams]:
    name = f"conv_transpose{ndim}d_prepack"

    def prepack(
        weight: Tensor,
        bias: Tensor | None,
        stride: Sequence[int],
        padding: Sequence[int],
        output_padding: Sequence[int],
        dilation: Sequence[int],
        groups: int,
    ) -> ConvPackedParams:
        _check_weight(name, weight, ndim + 2)
        parameters_of(weight)  # type: ignore[arg-type]
        geometry = {"stride": stride, "padding": padding, "output_padding": output_padding}
        for what, each in {**geometry, "dilation": dilation}.items():
            if len(each) != ndim:
                raise RuntimeError(f"{name}: {what} should contain {ndim} elements for {ndim}D convolution.")
        return ConvPackedParams(weight, bias, stride, padding, dilation, groups, output_padding)

    prepack.__name__ = prepack.__qualname__ = name
    prepack.__doc__ = f"""Packs the weight (C, n / groups, *), qint8, bias and geometry of a layer.

    It is that of ``{name.removesuffix("_prepack")}``.  Raises NotImplementedError for a weight that is not
    quantized, RuntimeError for other dtypes and sizes, and for a scale for each channel."""
    return prepack


conv_transpose1d_prepack, conv_transpose2d_prepack, conv_transpose3d_prepack = (
    _transposed_prepack(ndim) for ndim in (1, 2, 3)
)


def conv2d_unpack(packed_weights: ConvPackedParams) -> tuple[Tensor, Tensor | None]:
    """The weight and the bias of ``conv2d_prepack``."""
    return packed_weights.unpack()


conv1d_unpack = conv3d_unpack = conv2d_unpack
conv_transpose1d_unpack = conv_transpose2d_unpack = conv_transpose3d_unpack = conv2d_unpack


# -- layers --------------------------------------------------------------------------------------------------


def linear(X: Tensor, W_prepack: LinearPackedParams, Y_scale_i: float, Y_zero_point_i: int) -> Tensor:
    """``X`` (*, k), quint8, times the transpose of the packed weight (n, k), plus the packed bias.

    The result is quint8 with this scale and zero point.  Raises NotImplementedError or RuntimeError for
    other dtypes and sizes.
    """
    check_quantized("linear", X)
    return _linear(X, *W_prepack.unpack(), Y_scale_i, Y_zero_point_i)


def linear_relu(X: Tensor, W_prepack: LinearPackedParams, Y_scale_i: float, Y_zero_point_i: int) -> Tensor:
    """``linear``, with nothing below zero."""
    check_quantized("linear_relu", X)
    return _linear(X, *W_prepack.unpack(), Y_scale_i, Y_zero_point_i, True)


def _convolution(name: str, relu: bool) -> Callable[..., Tensor]:
    def convolve(
        qx: Tensor, packed_weight: ConvPackedParams, output_scale: float, output_zero_point: int
    ) -> Tensor:
        check_quantized(name, qx)
        weight, bias = packed_weight.unpack()
        stride, padding, dilation, groups = packed_weight.geometry()
        output = output_scale, output_zero_point
        if packed_weight.transpose():
            extra = packed_weight.output_padding()
            return transposed_convolution(qx, weight, bias, stride, padding, extra, dilation, groups, *output)
        return convolution(qx, weight, bias, stride, padding, dilation, groups, *output, relu)

    convolve.__name__ = convolve.__qualname__ = name
    sizes = f"(N, C, {['L', 'H, W', 'D, H, W'][int(name[name.index('d') - 1]) - 1]})"
    convolve.__doc__ = f"""The convolution of ``qx`` {sizes}, quint8, with the packed weight{
        ", with nothing below zero" if relu else ""
    }.  The result is quint8 with this scale and zero point.  Raises NotImplementedError or RuntimeError for
    other dtypes and sizes."""
    return convolve


conv1d, conv1d_relu = _convolution("conv1d", False), _convolution("conv1d_relu", True)
conv2d, conv2d_relu = _convolution("conv2d", False), _convolution("conv2d_relu", True)
conv3d, conv3d_relu = _convolution("conv3d", False), _convolution("conv3d_relu", True)
conv_transpose1d, conv_transpose2d, conv_transpose3d = (
    _convolution(f"conv_transpose{ndim}d", False) for ndim in (1, 2, 3)
)


# -- layers of numbers, which are quantized for the product only ---------------------------------------------


def _quantized_input(numbers: Tensor, reduce_range: bool) -> QuantizedTensor:
    """``numbers``, float32, as quint8 with the scale that their range needs."""
    plain = checked_numbers(numbers)
    low, high = (plain.min().item(), plain.max().item()) if plain.numel() else (0.0, 0.0)
    return quantize(plain, PerTensorAffine(*choose_parameters(low, high, quint8, reduce_range)), quint8)


def linear_dynamic(X: Tensor, W_prepack: LinearPackedParams, reduce_range: bool = False) -> Tensor:
    """``X`` (*, k), float32, times the transpose of the packed weight (n, k), plus the packed bias: float32.

    The numbers are quantized to quint8 with the scale that their range needs; the result is the float32 that
    is nearest to the exact product.  Raises RuntimeError for other dtypes and sizes.
    """

    def compute() -> Tensor:
        weight, bias = W_prepack.unpack()
        numbers = exact_numbers(_quantized_input(X, reduce_range))
        wide_bias = None if bias is None else bias.detach().to(float64)
        return aten.linear.default(numbers, exact_numbers(weight), wide_bias).to(float32)

    return run_below(compute)


def linear_relu_dynamic(X: Tensor, W_prepack: LinearPackedParams, reduce_range: bool = False) -> Tensor:
    """``linear_dynamic``, with nothing below zero."""
    return linear_dynamic(X, W_prepack, reduce_range).clamp_min(0)


def _dynamic_convolution(function: Any) -> Callable[..., Tensor]:
    def convolve(qx: Tensor, packed_weight: ConvPackedParams, reduce_range: bool = False) -> Tensor:
        input = run_below(_quantized_input, qx, reduce_range)
        return function(input, packed_weight, input.q_scale(), input.q_zero_point()).dequantize()

    convolve.__name__ = convolve.__qualname__ = f"{function.__name__}_dynamic"
    convolve.__doc__ = f"""``{function.__name__}`` of float32 numbers, quantized to quint8 by their range.

    The result is float32; as in PyTorch it was quantized as the input is, which clamps it to that range.
    Raises RuntimeError for other dtypes and sizes."""
    return convolve


conv1d_dynamic, conv2d_dynamic, conv3d_dynamic = (
    _dynamic_convolution(each) for each in (conv1d, conv2d, conv3d)
)
conv_transpose1d_dynamic, conv_transpose2d_dynamic, conv_transpose3d_dynamic = (
    _dynamic_convolution(each) for each in (conv_transpose1d, conv_transpose2d, conv_transpose3d)
)
