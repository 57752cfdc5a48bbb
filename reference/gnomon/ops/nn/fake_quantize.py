"""fake_quantize: the numbers that remain after quantizing and dequantizing, with gradients.

The gradient passes where a number was not clamped (a straight-through estimator).

Source: aten/src/ATen/native/quantized/FakeQuantPerTensorAffine.cpp, FakeQuantPerChannelAffine.cpp,
cpu/kernels/QuantizedOpKernels.cpp (fake_quantize_tensor_cachemask_kernel).
"""

from __future__ import annotations

import math
from typing import Any

from ...calls.checks import refuse_dtype
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.tensor import Tensor
from ...values.dispatch_key import GRAD_MODE_BIT, WRAPPER_KEYS, mode_word
from ...values.dtype import bool_, float16, float32, float64, int32, round_to_float32
from ...values.geometry import wrap_dim


def _check_limits(quant_min: int, quant_max: int) -> None:
    if quant_min > quant_max:
        raise RuntimeError("`quant_min` should be less than or equal to `quant_max`.")


def _check_no_gradients(name: str, **parameters: Tensor) -> None:
    """Raises RuntimeError for parameters that require grad.  Source: check_no_requires_grad."""
    for argument, each in parameters.items():
        if each.requires_grad and mode_word() & GRAD_MODE_BIT:
            raise RuntimeError(
                f"The function '{name}' is not differentiable with respect to argument '{argument}'. This "
                "input cannot have requires_grad True."
            )


def _check_zero_points(least: float, most: float, quant_min: int, quant_max: int) -> None:
    if least < quant_min or most > quant_max:
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")


def _rounded(
    self: Tensor, scale: Any, inverse: Any, zero_point: Any, quant_min: int, quant_max: int
) -> tuple[Tensor, Tensor]:
    """The numbers, and where they were not clamped.  Halves are rounded to even, before the zero point is
    added, and a half type is computed in float32.
    """
    kind = self._spec.dtype
    refuse_dtype(kind, "bool", "integer", "complex")
    wide = self if kind is float64 else self.to(float32)
    steps = (wide * inverse).round() + zero_point
    mask = (steps >= quant_min) & (steps <= quant_max)
    clamped = steps.nan_to_num(quant_min, math.inf, -math.inf).clamp(quant_min, quant_max)
    steps = clamped - zero_point
    # PyTorch multiplies by one scale in float32, and by one for each channel in the dtype of self
    factor = steps if isinstance(scale, Tensor) and scale._spec.ndim else steps.to(float32)
    return (factor * scale).to(kind), mask


def _per_tensor(
    self: Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int
) -> tuple[Tensor, Tensor]:
    _check_limits(quant_min, quant_max)
    _check_zero_points(zero_point, zero_point, quant_min, quant_max)
    single = round_to_float32(scale)
    inverse = round_to_float32(1.0 / single) if single else math.inf
    return _rounded(self, single, inverse, zero_point, quant_min, quant_max)


native_function(
    "fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point, int quant_min, int "
    "quant_max) -> (Tensor output, Tensor mask)",
    explicit=_per_tensor,
    derivatives={
        "self": lambda grad, result1: aten.fake_quantize_per_tensor_affine_cachemask_backward.default(
            grad, result1
        )
    },
    non_differentiable_outputs=(1,),
    batching="composed",
    variants="function",
    doc="fake_quantize_per_tensor_affine, and a bool tensor: where ``self`` was not clamped.",
)

native_function(
    "fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) "
    "-> Tensor",
    composite=lambda *arguments: aten.fake_quantize_per_tensor_affine_cachemask.default(*arguments)[0],
    variants="function",
    doc="""Rounds ``self`` to numbers that integers from ``quant_min`` to ``quant_max`` represent:
    (clamp(round(self / scale) + zero_point) - zero_point) * scale.

    The result has the dtype of ``self``, which is floating point.  The gradient is 1 where nothing was
    clamped, and 0 elsewhere.  Raises RuntimeError for limits in the wrong order and a zero point beyond
    them.""",
)


def _by_tensors(
    self: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    fake_quant_enabled: Tensor,
    quant_min: int,
    quant_max: int,
) -> tuple[Tensor, Tensor]:
    _check_no_gradients(
        "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
        scale=scale,
        zero_point=zero_point,
        fake_quant_enabled=fake_quant_enabled,
    )
    _check_limits(quant_min, quant_max)
    factor = scale.detach().to(float32).reshape(())
    offset = zero_point.detach().to(int32).reshape(())
    found, mask = _rounded(self, factor, factor.reciprocal(), offset, quant_min, quant_max)
    enabled = fake_quant_enabled.reshape(()).to(bool_)
    return aten.where.self(enabled, found, self), mask | ~enabled


native_function(
    "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, "
    "Tensor fake_quant_enabled, int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
    explicit=_by_tensors,
    derivatives={
        "self": lambda grad, result1: aten.fake_quantize_per_tensor_affine_cachemask_backward.default(
            grad, result1
        )
    },
    non_differentiable_outputs=(1,),
    batching="composed",
    variants="function",
    doc="""fake_quantize_per_tensor_affine_cachemask with parameters in tensors of one element.  If
    ``fake_quant_enabled`` is 0, the output is ``self``.""",
)


def _tensor_parameters(
    self: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int
) -> Tensor:
    enabled = aten.ones.default((1,), int32, None, self._spec.device, None)
    return aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default(
        self, scale, zero_point, enabled, quant_min, quant_max
    )[0]


native_function(
    "fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int "
    "quant_min, int quant_max) -> Tensor",
    composite=_tensor_parameters,
    variants="function",
    doc="""fake_quantize_per_tensor_affine with a scale and a zero point in tensors of one element, which are
    not checked.""",
)


def _per_channel(
    self: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> tuple[Tensor, Tensor]:
    _check_no_gradients("fake_quantize_per_channel_affine_cachemask", scale=scale, zero_point=zero_point)
    if scale._spec.dtype.name not in ("float32", "bfloat16"):
        raise RuntimeError(f"Scale must be Float or BFloat16, found {scale._spec.dtype.scalar_type}")
    if zero_point._spec.dtype not in (int32, float32, float16):
        raise RuntimeError(
            f"Zero-point must be Int32, Float or Half, found {zero_point._spec.dtype.scalar_type}"
        )
    for name, each in (("scale", scale), ("zero point", zero_point)):
        if each._spec.ndim != 1:
            raise RuntimeError(f"{name} should be a 1-D tensor")
    if scale._spec.numel != zero_point._spec.numel:
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    ndim = self._spec.ndim
    if scale._spec.numel != self._spec.sizes[wrap_dim(axis, ndim)]:
        raise RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")
    _check_limits(quant_min, quant_max)
    if not zero_point.is_meta and not zero_point._keys & WRAPPER_KEYS and zero_point._spec.numel:
        least, most = zero_point.min().item(), zero_point.max().item()
        _check_zero_points(least, most, quant_min, quant_max)
    if not 0 <= axis <= ndim:
        raise RuntimeError("`axis` must be between 0 and number of dimensions of input")
    shape = [-1 if dim == axis else 1 for dim in range(ndim)]
    scales, zero_points = (each.detach().to(float32).view(shape) for each in (scale, zero_point))
    return _rounded(self, scales, scales.reciprocal(), zero_points, quant_min, quant_max)


native_function(
    "fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor zero_point, int axis, int "
    "quant_min, int quant_max) -> (Tensor output, Tensor mask)",
    explicit=_per_channel,
    derivatives={
        "self": lambda grad, result1: aten.fake_quantize_per_channel_affine_cachemask_backward.default(
            grad, result1
        )
    },
    non_differentiable_outputs=(1,),
    batching="composed",
    variants="function",
    doc="fake_quantize_per_channel_affine, and a bool tensor: where ``self`` was not clamped.",
)

native_function(
    "fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, "
    "int quant_max) -> Tensor",
    composite=lambda *arguments: aten.fake_quantize_per_channel_affine_cachemask.default(*arguments)[0],
    variants="function",
    doc="""fake_quantize_per_tensor_affine with a scale, float32, and a zero point, int32 or floating point,
    for each index of dimension ``axis``; both (self.size(axis),).

    Raises RuntimeError for other dtypes and sizes, and for zero points beyond the limits.""",
)


def _masked(grad: Tensor, mask: Tensor) -> Tensor:
    if mask._spec.dtype is not bool_:
        raise RuntimeError(f"expected a mask of dtype bool, got {mask._spec.dtype.name}")
    if mask._spec.numel != grad._spec.numel:
        raise RuntimeError(
            f"`mask` and `dY` are not the same size: `mask` is size {mask._spec.numel} and `dY` is size "
            f"{grad._spec.numel}"
        )
    return grad * mask


for _each in ("tensor", "channel"):
    native_function(
        f"fake_quantize_per_{_each}_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor",
        composite=_masked,
        variants="function",
        doc=f"The gradient of fake_quantize_per_{_each}_affine_cachemask: ``grad`` where ``mask`` is true.",
    )
