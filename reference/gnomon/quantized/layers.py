"""Normalizations, softmax, matmul and pooling of ``gnomon.ops.quantized``.

Each is computed in float64 from the exact numbers, rounded to float32, and quantized.

Source: aten/src/ATen/native/quantized/cpu (qnormalization.cpp, Normalization.cpp, qsoftmax.cpp, qmatmul.cpp).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.device import channels_last, channels_last_3d, contiguous_format
from ..values.dtype import float32, float64, qint8, quint8
from ..values.geometry import lies_channels_last
from .arithmetic import check_zero_point, parameters_of, quantize
from .construction import quantized_function
from .quantizer import PerTensorAffine
from .registration import run_below
from .steps import check_quantized, exact_numbers, quantized_like
from .tensor import QuantizedTensor

_ORDERS = {2: contiguous_format, 3: contiguous_format, 4: channels_last, 5: channels_last_3d}


def _computed(
    name: str, qx: Any, function: Callable[[Tensor], Tensor], scale: float, zero_point: int
) -> QuantizedTensor:
    check_quantized(name, qx)
    if name != "softmax":
        parameters_of(qx)

    def compute() -> QuantizedTensor:
        found = function(exact_numbers(qx).contiguous()).to(float32)
        return quantized_like(found, qx._spec.dtype, scale, zero_point)

    return run_below(compute)


def _wide(*tensors: Tensor | None) -> list[Tensor | None]:
    return [None if each is None else each.to(float64) for each in tensors]


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    output_scale: float,
    output_zero_point: int,
) -> Tensor:
    """``nn.functional.layer_norm`` of a quantized tensor; ``weight`` and ``bias`` are float32."""

    def function(numbers: Tensor) -> Tensor:
        return aten.layer_norm.default(numbers, normalized_shape, *_wide(weight, bias), eps)

    return _computed("layer_norm", input, function, output_scale, output_zero_point)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    output_scale: float,
    output_zero_point: int,
) -> Tensor:
    """``nn.functional.group_norm`` of a quantized tensor; ``weight`` and ``bias`` are float32."""

    def function(numbers: Tensor) -> Tensor:
        found = aten.group_norm.default(numbers, num_groups, *_wide(weight, bias), eps)
        is_last = lies_channels_last(input._spec.sizes, input._spec.strides)
        return found.contiguous(memory_format=_ORDERS[input.ndim]) if is_last else found

    return _computed("group_norm", input, function, output_scale, output_zero_point)


def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    output_scale: float,
    output_zero_point: int,
) -> Tensor:
    """``group_norm`` with one channel in each group."""
    check_quantized("instance_norm", input)
    if input.ndim < 2:
        raise RuntimeError(f"instance_norm: expected at least 2 dimensions, got {input.ndim}")
    groups = input.shape[1]
    return group_norm(input, groups, weight, bias, eps, output_scale, output_zero_point)


def _batch_norm(name: str, dims: tuple[int, ...], relu: bool) -> Callable[..., Tensor]:
    def call(
        qx: Tensor,
        weight: Tensor | None,
        bias: Tensor | None,
        mean: Tensor,
        var: Tensor,
        eps: float,
        output_scale: float,
        output_zero_point: int,
    ) -> Tensor:
        check_quantized(name, qx)
        if weight is None or bias is None:
            raise RuntimeError(f"{name}: {'Weight' if weight is None else 'Bias'} must be provided")
        if qx.ndim not in dims:
            expected = " or ".join(str(each) for each in dims)
            raise RuntimeError(f"{name}: expected {expected} dimensions, got {qx.ndim}")

        def function(numbers: Tensor) -> Tensor:
            parameters = _wide(weight, bias, mean, var)
            found = aten.batch_norm.default(numbers, *parameters, False, 0.0, eps, False)
            found = found.clamp_min(0) if relu else found
            return found.contiguous(memory_format=_ORDERS[qx.ndim])

        return _computed(name, qx, function, output_scale, output_zero_point)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"""Batch normalization by given ``mean`` and ``var`` of the channels{
        ", with nothing below zero" if relu else ""
    }.

    The parameters are float32 (channels,).  Images of the result are in channels_last.  Raises RuntimeError
    for a weight or a bias of None, and for other sizes."""
    return call


batch_norm = _batch_norm("batch_norm", (2, 3, 4, 5), False)
batch_norm_relu = _batch_norm("batch_norm_relu", (2, 3, 4, 5), True)
batch_norm1d = _batch_norm("batch_norm1d", (2, 3), False)
batch_norm1d_relu = _batch_norm("batch_norm1d_relu", (2, 3), True)
batch_norm2d = _batch_norm("batch_norm2d", (4,), False)
batch_norm2d_relu = _batch_norm("batch_norm2d_relu", (4,), True)
batch_norm3d = _batch_norm("batch_norm3d", (5,), False)
batch_norm3d_relu = _batch_norm("batch_norm3d_relu", (5,), True)

quantized_function(
    "quantized_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, "
    "float output_scale, int output_zero_point) -> Tensor",
    """Batch normalization of a quantized tensor (N, C, *) by given ``mean`` and ``var`` (C,), float32.

    The result has this scale and zero point, and images are in channels_last.  Raises RuntimeError for a
    weight or a bias of None, NotImplementedError for a tensor that is not quantized.""",
    None,
    batch_norm,
)


def softmax(qx: Tensor, dim: int, output_scale: float, output_zero_point: int) -> Tensor:
    """``nn.functional.softmax`` of a quantized tensor, with another scale and zero point."""

    def function(numbers: Tensor) -> Tensor:
        return aten.softmax.int(numbers, dim)

    return _computed("softmax", qx, function, output_scale, output_zero_point)


def matmul(qa: Tensor, qb: Tensor, scale: float, zero_point: int) -> Tensor:
    """The matrix product of quantized tensors of one dtype, qint8 or quint8, with this scale and zero point.

    Raises RuntimeError for other dtypes, and for a scale for each channel.
    """
    check_quantized("matmul", qa, qb)
    kind = qa._spec.dtype
    if kind not in (qint8, quint8):
        raise RuntimeError("MatMul operands should use QInt8 or QUInt8 data types.")
    if qb._spec.dtype is not kind:
        raise RuntimeError("MatMul operands should have same data type.")
    check_zero_point(zero_point, kind, "matmul:")
    for each in (qa, qb):
        parameters_of(each)  # type: ignore[arg-type]

    def compute() -> QuantizedTensor:
        product = aten.matmul.default(exact_numbers(qa), exact_numbers(qb)).to(float32).contiguous()
        return quantize(product, PerTensorAffine(scale, zero_point), kind)

    return run_below(compute)


def _pooled(name: str) -> Callable[..., Tensor]:
    def pool(
        qx: Tensor,
        kernel_size: Sequence[int],
        stride: Sequence[int],
        padding: Sequence[int],
        dilation: Sequence[int],
        ceil_mode: bool,
    ) -> Tensor:
        check_quantized(name, qx)
        return aten._find(name)(qx, kernel_size, stride, padding, dilation, ceil_mode)

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"``nn.functional.{name}`` of a quantized tensor, which stays quantized as it is."
    return pool


max_pool1d, max_pool2d = _pooled("max_pool1d"), _pooled("max_pool2d")
