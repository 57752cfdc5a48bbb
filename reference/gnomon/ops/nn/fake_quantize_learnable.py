"""fake_quantize whose scale and zero point are learned, and one that observes the range of its inputs.

Source: aten/src/ATen/native/quantized/FakeQuantPerTensorAffine.cpp, FakeQuantPerChannelAffine.cpp
(_fake_quantize_learnable_*), FusedObsFakeQuant.cpp, cpu/kernels/QuantizedOpKernels.cpp
(fake_quantize_learnable_*_kernel).
"""

from __future__ import annotations

import math
from typing import Any

from ...calls.checks import check_dtype
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.tensor import Tensor
from ...numerics.quantization import choose_scale
from ...values.device import preserve_format
from ...values.dtype import bool_, float32, int32

# -- learned parameters --------------------------------------------------------------------------------------


def _per_tensor(
    self: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int, grad_factor: float
) -> Tensor:
    point = aten.select.int(zero_point, 0, 0).to(float32).round().clamp(quant_min, quant_max)
    enabled = aten.ones.default((1,), int32, None, self._spec.device, None)
    return aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default(
        self, aten.select.int(scale.detach(), 0, 0), point.detach(), enabled, quant_min, quant_max
    )[0]


def _per_channel(
    self: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    axis: int,
    quant_min: int,
    quant_max: int,
    grad_factor: float,
) -> Tensor:
    points = zero_point.round().clamp(quant_min, quant_max).to(int32)
    return aten.fake_quantize_per_channel_affine_cachemask.default(
        self, scale.detach(), points, axis, quant_min, quant_max
    )[0]


def _check_gradients(
    grad: Tensor, self: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int
) -> None:
    check_dtype(float32, grad=grad, self=self, scale=scale, zero_point=zero_point)
    if self._spec.numel != grad._spec.numel:
        raise RuntimeError("`X` and `dY` are not the same size")
    if quant_min > 0 or quant_max < 0:
        raise RuntimeError(
            "`quant_min` should be less than or equal to `quant_max`, and the quantization range should "
            "include 0."
        )


def _gradients(
    grad: Tensor,
    self: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    quant_min: int,
    quant_max: int,
    grad_factor: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of ``self`` and, for each element, of the scale and the zero point that broadcast to it.

    A number that was clamped moves with the limit that it was clamped to; for any other, the scale changes
    only what was rounded off.
    """
    inverse = scale.reciprocal()
    steps = (self * inverse).round() + zero_point
    is_below, is_above = ~(steps >= quant_min), steps > quant_max
    is_inside = ~(is_below | is_above)
    remaining = (steps.clamp(quant_min, quant_max) - zero_point) * scale
    limit = aten.where.self(is_below, quant_min - zero_point, quant_max - zero_point)
    of_limit = grad * limit * grad_factor
    of_scale = aten.where.self(is_inside, grad * (remaining - self) * inverse * grad_factor, of_limit)
    of_point = (-grad * scale * grad_factor).masked_fill(is_inside, 0)
    return is_inside * grad, of_scale, of_point  # in the memory order of self


def _per_tensor_backward(
    grad: Tensor,
    self: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    quant_min: int,
    quant_max: int,
    grad_factor: float,
) -> tuple[Tensor, Tensor, Tensor]:
    _check_gradients(grad, self, scale, zero_point, quant_min, quant_max)
    # PyTorch adds one half and rounds to zero, unlike forward
    point = (aten.select.int(zero_point, 0, 0) + 0.5).clamp(quant_min, quant_max).trunc()
    factor = aten.select.int(scale, 0, 0)
    found, *sums = _gradients(grad, self, factor, point, quant_min, quant_max, grad_factor)
    of_scale, of_point = (each.sum().unsqueeze(0) for each in sums)
    return found, of_scale, of_point


def _per_channel_backward(
    grad: Tensor,
    self: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    axis: int,
    quant_min: int,
    quant_max: int,
    grad_factor: float,
) -> tuple[Tensor, Tensor, Tensor]:
    _check_gradients(grad, self, scale, zero_point, quant_min, quant_max)
    ndim = self._spec.ndim
    for name, each in (("scale", scale), ("zero point", zero_point)):
        if each._spec.ndim != 1:
            raise RuntimeError(f"{name} should be a 1-D tensor")
    if scale._spec.numel != zero_point._spec.numel:
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    if not 0 <= axis < ndim:
        raise RuntimeError("`axis` must be between 0 and number of dimensions of input")
    if scale._spec.numel != self._spec.sizes[axis]:
        raise RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")
    shape = [-1 if dim == axis else 1 for dim in range(ndim)]
    points = zero_point.round().clamp(quant_min, quant_max).view(shape)
    found, *sums = _gradients(grad, self, scale.view(shape), points, quant_min, quant_max, grad_factor)
    others = [dim for dim in range(ndim) if dim != axis]
    of_scale, of_point = (each.sum(others) if others else each for each in sums)
    return found, of_scale, of_point


def _per_tensor_formula(
    grad: Tensor,
    self: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    quant_min: int,
    quant_max: int,
    grad_factor: float,
) -> Any:
    return aten._fake_quantize_learnable_per_tensor_affine_backward.default(
        grad, self, scale, zero_point, quant_min, quant_max, grad_factor
    )


def _per_channel_formula(
    grad: Tensor,
    self: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    axis: int,
    quant_min: int,
    quant_max: int,
    grad_factor: float,
) -> Any:
    return aten._fake_quantize_learnable_per_channel_affine_backward.default(
        grad, self, scale, zero_point, axis, quant_min, quant_max, grad_factor
    )


native_function(
    "_fake_quantize_learnable_per_tensor_affine(Tensor self, Tensor scale, Tensor zero_point, int quant_min, "
    "int quant_max, float grad_factor=1.0) -> Tensor",
    explicit=_per_tensor,
    derivatives={"self, scale, zero_point": _per_tensor_formula},
    batching="composed",
    variants="function",
    doc="""fake_quantize_per_tensor_affine with gradients of ``scale`` and ``zero_point``, float32 (1,), which
    are multiplied by ``grad_factor``.  The zero point is rounded, and clamped to the limits.""",
)

native_function(
    "_fake_quantize_learnable_per_tensor_affine_backward(Tensor grad, Tensor self, Tensor scale, Tensor "
    "zero_point, int quant_min, int quant_max, float grad_factor=1.0) -> (Tensor, Tensor, Tensor)",
    explicit=_per_tensor_backward,
    batching="composed",
    variants="function",
    doc="""The gradients of _fake_quantize_learnable_per_tensor_affine: of ``self``, ``scale`` and
    ``zero_point``.  Raises RuntimeError for other dtypes than float32, and limits without 0 between them.""",
)

native_function(
    "_fake_quantize_learnable_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int "
    "quant_min, int quant_max, float grad_factor=1.0) -> Tensor",
    explicit=_per_channel,
    derivatives={"self, scale, zero_point": _per_channel_formula},
    batching="composed",
    variants="function",
    doc="""_fake_quantize_learnable_per_tensor_affine with a scale and a zero point for each index of
    dimension ``axis``; both float32, (self.size(axis),).""",
)

native_function(
    "_fake_quantize_learnable_per_channel_affine_backward(Tensor grad, Tensor self, Tensor scale, Tensor "
    "zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.0) -> (Tensor, Tensor, Tensor)",
    explicit=_per_channel_backward,
    batching="composed",
    variants="function",
    doc="""The gradients of _fake_quantize_learnable_per_channel_affine: of ``self``, ``scale`` and
    ``zero_point``.  Raises RuntimeError for other dtypes than float32, for sizes that do not match, and
    limits without 0 between them.""",
)


# -- observed ranges -----------------------------------------------------------------------------------------


def _rows(self: Tensor, ch_axis: int) -> Tensor:
    """A row for each channel; of a matrix, itself."""
    return self if self._spec.ndim == 2 else aten.transpose.int(self, 0, ch_axis).flatten(1)


def _move(running: Tensor, found: Tensor, averaging_const: float) -> None:
    """Move a running minimum or maximum towards a new one; one that is infinite has seen nothing."""
    found = found.reshape(running._spec.sizes)
    moved = running + (found - running) * averaging_const
    running.copy_(aten.where.self(running.isinf(), found, moved))


def _observed(
    self: Tensor,
    observer_on: Tensor,
    fake_quant_on: Tensor,
    running_min: Tensor,
    running_max: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    averaging_const: float,
    quant_min: int,
    quant_max: int,
    ch_axis: int,
    per_row_fake_quant: bool,
    symmetric_quant: bool,
) -> tuple[Tensor, Tensor]:
    for each, kind in [(self, float32), (running_min, float32), (running_max, float32), (scale, float32)]:
        if each._spec.dtype is not kind:
            raise RuntimeError(f"expected scalar type Float but found {each._spec.dtype.scalar_type}")
    if zero_point._spec.dtype is not int32:
        raise RuntimeError(f"expected scalar type Int but found {zero_point._spec.dtype.scalar_type}")
    rows = _rows(self, ch_axis) if per_row_fake_quant else self
    if per_row_fake_quant and not running_min._spec.numel:
        for tensor in (running_min, running_max, scale, zero_point):
            aten.resize_.default(tensor, (rows._spec.sizes[0],))
        running_min.fill_(math.inf)
        running_max.fill_(-math.inf)
    if observer_on.item():
        if per_row_fake_quant and ch_axis != 0:
            raise RuntimeError(
                "Per-channel FakeQuant in fused_moving_avg_obs_fake_quant is only supported on axis == 0"
            )
        dims = (1,) if per_row_fake_quant else ()
        _move(running_min, rows.amin(dims), averaging_const)
        _move(running_max, rows.amax(dims), averaging_const)
    if not fake_quant_on.item():
        return self.clone(), aten.ones_like.default(self, dtype=bool_, memory_format=preserve_format)
    ranges = zip(running_min.reshape(-1).tolist(), running_max.reshape(-1).tolist())
    chosen = [choose_scale(*each, quant_min, quant_max, symmetric_quant) for each in ranges]
    for position, (factor, point) in enumerate(chosen):
        aten.select.int(scale, 0, position).fill_(factor)
        aten.select.int(zero_point, 0, position).fill_(point)
    if per_row_fake_quant:
        return aten.fake_quantize_per_channel_affine_cachemask.default(
            self, scale, zero_point, ch_axis, quant_min, quant_max
        )
    return aten.fake_quantize_per_tensor_affine_cachemask.default(self, *chosen[0], quant_min, quant_max)


_OBSERVED = (
    "Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor(a!) running_min, Tensor(b!) running_max, "
    "Tensor(c!) scale, Tensor(d!) zero_point, float averaging_const, int quant_min, int quant_max, int "
    "ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False"
)

native_function(
    f"_fused_moving_avg_obs_fq_helper({_OBSERVED}) -> (Tensor output, Tensor mask)",
    explicit=_observed,
    derivatives={
        "self": lambda grad, result1: aten.fake_quantize_per_tensor_affine_cachemask_backward.default(
            grad, result1
        )
    },
    non_differentiable_outputs=(1,),
    variants="function",
    doc="fused_moving_avg_obs_fake_quant, and a bool tensor: where ``self`` was not clamped.",
)


def _observed_output(self: Tensor, *arguments: Any) -> Tensor:
    if not self._spec.numel:
        return self.clone()
    return aten._fused_moving_avg_obs_fq_helper.default(self, *arguments)[0]


native_function(
    f"fused_moving_avg_obs_fake_quant({_OBSERVED}) -> Tensor",
    composite=_observed_output,
    variants="function",
    doc="""fake_quantize of ``self``, float32, for the range of numbers seen so far.

    If ``observer_on`` is not 0, ``running_min`` and ``running_max`` first move towards the least and the
    largest number of ``self``, by ``averaging_const`` of the distance; infinite ones are replaced.  If
    ``fake_quant_on`` is not 0, the scale and the zero point for their range are written to ``scale``,
    float32, and ``zero_point``, int32, and the result is quantized by them; otherwise it is a copy.
    ``per_row_fake_quant``: with a range for each index of dimension ``ch_axis``, which must be 0 to observe.
    ``symmetric_quant``: 0 is represented by the middle integer.""",
)
