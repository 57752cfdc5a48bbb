"""Layer, group and RMS normalization.

Layer and RMS normalization go over the last dimensions, with a weight for each position in them; group
normalization goes over a group of the channels of one image, with a weight for each channel.  Accumulation:
as in numerics/normalization.py, exactly rounded sums in float64.

Source: aten/src/ATen/native/layer_norm.cpp, group_norm.cpp; Ba, Kiros and Hinton, "Layer Normalization"
(2016); Wu and He, "Group Normalization" (2018); Zhang and Sennrich, "Root Mean Square Layer Normalization"
(2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.checks import (
    check_dtype,
    check_mixed_data_type,
    check_numel,
    check_same_dtype,
    check_same_size,
    check_size,
    refuse_dtype,
)
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.accessor import elements
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import divide, exact_sum, rsqrt
from ...numerics.normalization import (
    Groups,
    double_backward,
    normalize,
    normalize_backward,
    normalized_again,
    runs,
    statistics_of,
    store,
)
from ...numerics.windows import like
from ...values import geometry
from ...values.device import channels_last, channels_last_3d
from ...values.dtype import complex128, float32, float64
from ...values.geometry import Ints

Mask = Sequence[bool]


def _normalize_by_groups(
    output: Tensor,
    mean: Tensor,
    rstd: Tensor,
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    groups: Groups,
    eps: float,
) -> None:
    """Normalizes each group by its mean and 1 / sqrt(variance + eps), and stores both."""
    numbers = elements(input)
    statistics = [statistics_of([numbers[each] for each in members], eps) for members in groups.members]
    normalize(output, input, weight, bias, groups, statistics)
    store(mean, [each for each, _ in statistics])
    store(rstd, [each for _, each in statistics])


def _wanted(specs: Sequence[Spec], output_mask: Mask) -> tuple[Spec | None, ...]:
    """The specs that the mask selects, None for the others."""
    return tuple(spec if wanted else None for spec, wanted in zip(specs, output_mask))


# ---------------------------------------------------------------------------------------------------------
# Layer and RMS normalization.


def _check_normalized_shape(
    input: Spec, normalized_shape: Ints, weight: Spec | None, bias: Spec | None
) -> None:
    """Raises RuntimeError for a shape that the input does not end with, or parameters of another shape."""
    shape = tuple(normalized_shape)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, "
            "but got normalized_shape = []"
        )
    for name, spec in (("weight", weight), ("bias", bias)):
        if spec is not None and spec.sizes != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(spec.sizes)} and normalized_shape = {list(shape)}"
            )
    if input.sizes[-len(shape) :] != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape {['*', *shape]}, but got input "
            f"of size {list(input.sizes)}"
        )


def _layer_norm_meta(
    input: Spec, normalized_shape: Ints, weight: Spec | None, bias: Spec | None, eps: float
) -> tuple[Spec, Spec, Spec]:
    _check_normalized_shape(input, normalized_shape, weight, bias)
    dtype = check_mixed_data_type(input, weight, bias)
    count = len(normalized_shape)
    statistic = input.contiguous((*input.sizes[:-count], *[1] * count), dtype)
    return input.contiguous(), statistic, statistic


def _layer_groups(sizes: Ints, count: int) -> Groups:
    """One group for each position outside the last ``count`` dimensions."""
    size = geometry.numel_of(sizes[-count:])
    return runs(geometry.numel_of(sizes[:-count]), size, lambda element: element % size)


def _layer_norm_kernel(
    output: Tensor,
    mean: Tensor,
    rstd: Tensor,
    input: Tensor,
    normalized_shape: Ints,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
) -> None:
    groups = _layer_groups(input._spec.sizes, len(normalized_shape))
    _normalize_by_groups(output, mean, rstd, input, weight, bias, groups, eps)


def _layer_grad(
    grad: Any,
    input: Any,
    normalized_shape: Any,
    result1: Any,
    result2: Any,
    weight: Any,
    bias: Any,
    grad_input_mask: Mask,
) -> Any:
    return aten.native_layer_norm_backward.default(
        grad, input, normalized_shape, result1, result2, weight, bias, grad_input_mask
    )


native_function(
    "native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> "
    "(Tensor, Tensor, Tensor)",
    meta=_layer_norm_meta,
    kernel=_layer_norm_kernel,
    derivatives={"input, weight, bias": _layer_grad},
    non_differentiable_outputs=(1, 2),
    doc="""Normalizes ``input`` over its last dimensions, whose sizes are ``normalized_shape``; also returns
    the mean and 1 / sqrt(variance + eps), with size 1 in these dimensions.

    Raises RuntimeError if the input's last sizes are different, and for parameters of another shape.""",
)


def _layer_backward_meta(
    grad_out: Spec,
    input: Spec,
    normalized_shape: Ints,
    mean: Spec,
    rstd: Spec,
    weight: Spec | None,
    bias: Spec | None,
    output_mask: Mask,
) -> tuple[Spec | None, ...]:
    _check_normalized_shape(input, normalized_shape, weight, bias)
    check_same_size(input=input, grad_out=grad_out)
    count = len(normalized_shape)
    check_size((*input.sizes[:-count], *[1] * count), mean=mean, rstd=rstd)
    dtype = check_mixed_data_type(input, mean, rstd, weight, bias)
    check_same_dtype(input=input, grad_out=grad_out)
    parameter = input.contiguous(tuple(normalized_shape), dtype)
    return _wanted((input.contiguous(), parameter, parameter), output_mask)


def _layer_backward_kernel(
    grad_input: Tensor | None,
    grad_weight: Tensor | None,
    grad_bias: Tensor | None,
    grad_out: Tensor,
    input: Tensor,
    normalized_shape: Ints,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    output_mask: Mask,
) -> None:
    groups = _layer_groups(input._spec.sizes, len(normalized_shape))
    statistics = list(zip(elements(mean), elements(rstd)))
    normalize_backward(grad_input, grad_weight, grad_bias, grad_out, input, weight, groups, statistics)


def _layer_double(
    grads: Any, grad_out: Any, input: Any, normalized_shape: Any, mean: Any, rstd: Any, weight: Any
) -> Any:
    dims = list(range(-len(normalized_shape), 0))
    outer = list(range(input.ndim - len(normalized_shape)))
    normalized, rstd = normalized_again(input, mean, rstd, dims)
    return double_backward(
        grads,
        grad_out,
        normalized,
        rstd,
        weight,
        dims,
        lambda each: each.sum(outer) if outer else each,
        lambda each: each,
    )


native_function(
    "native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, "
    "Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    meta=_layer_backward_meta,
    kernel=_layer_backward_kernel,
    derivatives={"input, weight, grad_out": _layer_double},
    doc="The gradients of native_layer_norm with respect to input, weight and bias; None where "
    "``output_mask`` is False.",
)

native_function(
    "layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float "
    "eps=1e-05, bool cudnn_enable=True) -> Tensor",
    composite=lambda input, normalized_shape, weight, bias, eps, cudnn_enable: aten.native_layer_norm.default(
        input, normalized_shape, weight, bias, eps
    )[0],
    doc="""Normalizes ``input`` over its last dimensions, whose sizes are ``normalized_shape``.

    Raises RuntimeError if the input's last sizes are different, and for parameters of another shape.""",
)


def _orderly(input: Any) -> Any:
    """``input`` itself if it is dense, else a dense copy: channels last if ``input`` is, else contiguous."""
    spec = input._spec
    if spec.is_contiguous or like(spec).strides == spec.strides:
        return input
    last = geometry.lies_channels_last(spec.sizes, spec.strides)
    order = channels_last if spec.ndim == 4 else channels_last_3d
    return aten.contiguous.default(input, order if last else None)


def _may_mix(input: Any, weight: Any) -> bool:
    """Does _fused_rms_norm accept these dtypes: are they equal, or do both have the opmath type float32?"""
    narrow = all(each.is_floating_point and each.itemsize <= 4 for each in (input, weight))
    return weight is input or narrow


def _rms_meta(
    input: Spec, normalized_shape: Ints, weight: Spec | None, eps: float | None
) -> tuple[Spec, Spec]:
    _check_normalized_shape(input, normalized_shape, weight, None)
    refuse_dtype(input.dtype, "bool", "integer", "complex")
    if weight is not None and not _may_mix(input.dtype, weight.dtype):
        raise RuntimeError(
            f"mixed dtype: expected weight to have the dtype of input, {input.dtype.name}, but got "
            f"{weight.dtype.name}"
        )
    count = len(normalized_shape)
    dtype = float32 if input.dtype.itemsize == 2 else input.dtype
    return like(input), input.contiguous((*input.sizes[:-count], *[1] * count), dtype)


def _rms_kernel(
    output: Tensor,
    rstd: Tensor,
    input: Tensor,
    normalized_shape: Ints,
    weight: Tensor | None,
    eps: float | None,
) -> None:
    groups = _layer_groups(input._spec.sizes, len(normalized_shape))
    numbers: list[Any] = elements(input)
    if eps is None:
        eps = 2.0 ** (-52 if input._spec.dtype is float64 else -23)
    roots = []
    for members in groups.members:
        squares = exact_sum([numbers[each] ** 2 for each in members])
        roots.append(rsqrt(divide(squares, len(members)) + eps))
    store(rstd, roots)
    normalize(output, input, weight, None, groups, [(0.0, root) for root in roots])


def _rms_grad(
    grads: Any, input: Any, normalized_shape: Any, weight: Any, result1: Any, grad_input_mask: Mask
) -> Any:
    grad, for_rstd = grads
    to_input = to_weight = None
    if grad is not None:
        to_input, to_weight = aten._fused_rms_norm_backward.default(
            grad, input, normalized_shape, result1, weight, grad_input_mask
        )
    if for_rstd is not None and grad_input_mask[0]:
        size = geometry.numel_of(tuple(normalized_shape))
        moved = (for_rstd * result1.pow(3) * (-1.0 / max(size, 1)) * input).to(input.dtype)
        to_input = moved if to_input is None else to_input + moved
    return to_input, to_weight


native_function(
    "_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)",
    meta=_rms_meta,
    kernel=_rms_kernel,
    derivatives={"input, weight": _rms_grad},
    doc="""rms_norm for floating point dtypes; also returns 1 / sqrt(mean(input ** 2) + eps).

    Raises RuntimeError if the input's last sizes are different, and for a weight of another shape.""",
)


def _rms_backward_meta(
    grad_out: Spec,
    input: Spec,
    normalized_shape: Ints,
    rstd: Spec,
    weight: Spec | None,
    output_mask: Mask,
) -> tuple[Spec | None, ...]:
    _, wanted = _rms_meta(input, normalized_shape, weight, None)
    check_same_size(input=input, grad_out=grad_out)
    check_same_dtype(input=input, grad_out=grad_out)
    check_size(wanted.sizes, rstd=rstd)
    check_dtype(wanted.dtype, rstd=rstd)
    parameter = None if weight is None else weight.contiguous(tuple(normalized_shape))
    return input.contiguous() if output_mask[0] else None, parameter if output_mask[1] else None


def _rms_backward_kernel(
    grad_input: Tensor | None,
    grad_weight: Tensor | None,
    grad_out: Tensor,
    input: Tensor,
    normalized_shape: Ints,
    rstd: Tensor,
    weight: Tensor | None,
    output_mask: Mask,
) -> None:
    """With x̂ = x * rstd and g = grad * weight, the input's gradient is rstd * (g - x̂ * mean(g * x̂))."""
    groups = _layer_groups(input._spec.sizes, len(normalized_shape))
    numbers, grads = elements(input), elements(grad_out)
    scales = None if weight is None else elements(weight)
    inputs: list[Any] = [0.0] * len(numbers)
    terms: list[list[Any]] = [[] for _ in range(geometry.numel_of(tuple(normalized_shape)))]
    for members, root in zip(groups.members, elements(rstd)):
        normalized = [numbers[each] * root for each in members]
        scaled: list[Any] = []
        for each, value in zip(members, normalized):
            place = groups.weight_of(each)
            scaled.append(grads[each] if scales is None else grads[each] * scales[place])
            terms[place].append(grads[each] * value)
        product = divide(exact_sum([one * other for one, other in zip(scaled, normalized)]), len(scaled))
        for each, one, value in zip(members, scaled, normalized):
            inputs[each] = root * (one - value * product)
    store(grad_input, inputs)
    store(grad_weight, [exact_sum(each) for each in terms])


def _rms_double(
    grads: Any, grad_out: Any, input: Any, normalized_shape: Any, rstd: Any, weight: Any
) -> tuple[Any, Any, Any, Any]:
    """The gradients of grad_out, input, rstd and weight, which are independent variables here."""
    for_input, for_weight = grads
    dims = list(range(-len(normalized_shape), 0))
    outer = list(range(input.ndim - len(normalized_shape)))
    normalized = input * rstd
    scaled = grad_out if weight is None else grad_out * weight
    to_scaled = to_normalized = to_rstd = to_grad = to_weight = None
    if for_input is not None:
        product = (scaled * normalized).mean(dims, True)
        moved = (rstd * for_input * normalized).mean(dims, True)
        to_scaled = rstd * for_input - moved * normalized
        to_normalized = -(rstd * product * for_input) - moved * scaled
        to_rstd = (for_input * (scaled - normalized * product)).sum(dims, True)
        to_grad = to_scaled if weight is None else to_scaled * weight
        if weight is not None:
            each = to_scaled * grad_out
            to_weight = each.sum(outer) if outer else each
    if for_weight is not None:
        one, other = normalized * for_weight, grad_out * for_weight
        to_grad = one if to_grad is None else to_grad + one
        to_normalized = other if to_normalized is None else to_normalized + other
    if to_normalized is None:
        return None, None, None, None
    through = (to_normalized * input).sum(dims, True)
    to_rstd = through if to_rstd is None else to_rstd + through
    return to_grad, to_normalized * rstd, to_rstd, to_weight


native_function(
    "_fused_rms_norm_backward(Tensor grad_out, Tensor input, int[] normalized_shape, Tensor rstd, Tensor? "
    "weight, bool[2] output_mask) -> (Tensor, Tensor)",
    meta=_rms_backward_meta,
    kernel=_rms_backward_kernel,
    derivatives={"grad_out, input, rstd, weight": _rms_double},
    doc="The gradients of _fused_rms_norm with respect to input and weight; None where ``output_mask`` is "
    "False.",
)


def _rms_norm(input: Any, normalized_shape: Any, weight: Any, eps: float | None) -> Any:
    """``input / sqrt(mean(input ** 2) + eps)``; half precision is computed in float32."""
    _check_normalized_shape(input._spec, normalized_shape, None if weight is None else weight._spec, None)
    dtype = input.dtype
    refuse_dtype(dtype, "bool", "integer")
    if dtype.is_floating_point and (weight is None or _may_mix(dtype, weight.dtype)):
        return aten._fused_rms_norm.default(input, normalized_shape, weight, eps)[0]
    wide = _orderly(input.to(float32) if dtype.itemsize == 2 else input)
    if eps is None:
        eps = 2.0 ** (-52 if wide.dtype in (float64, complex128) else -23)  # of the opmath type
    dims = list(range(-len(normalized_shape), 0))
    result = wide * aten.add.Tensor(wide.pow(2).mean(dims, True), eps, 1).rsqrt()
    if weight is not None:
        result = result * weight
    return result.to(dtype)


native_function(
    "rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
    composite=_rms_norm,
    doc="""Computes ``input / sqrt(mean(input ** 2) + eps) * weight``, with the mean over the last dimensions,
    whose sizes are ``normalized_shape``.

    ``eps`` defaults to the machine epsilon of the opmath type.  Floating point and complex dtypes.""",
)


# ---------------------------------------------------------------------------------------------------------
# Group normalization.


def _check_group(
    input: Spec, weight: Spec | None, bias: Spec | None, images: int, channels: int, size: int, group: int
) -> None:
    """Raises RuntimeError for groups that do not divide the channels, and for tensors of other sizes."""
    if group <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {group}")
    if channels % group:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got {channels} "
            f"channels and num_groups={group}"
        )
    for name, spec in (("weight", weight), ("bias", bias)):
        if spec is not None and spec.sizes != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got "
                f"{name} of shape {list(spec.sizes)} and {channels} channels"
            )
    if input.numel != images * channels * size:
        raise RuntimeError(
            f"Expected input of {images} * {channels} * {size} elements, but got sizes {list(input.sizes)}"
        )


def _group_norm_meta(
    input: Spec,
    weight: Spec | None,
    bias: Spec | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> tuple[Spec, Spec, Spec]:
    _check_group(input, weight, bias, N, C, HxW, group)
    if like(input).strides != input.strides and not input.is_contiguous:
        raise RuntimeError(
            "Expected input to be contiguous in the row-major or channels last format; use .contiguous()"
        )
    dtype = check_mixed_data_type(input, weight, bias)
    statistic = input.contiguous((N, group), dtype)
    return like(input), statistic, statistic


def _group_groups(images: int, channels: int, size: int, group: int) -> Groups:
    """``group`` groups for each image, with equal numbers of channels."""
    return runs(images * group, channels // group * size, lambda element: element // size % channels)


def _group_norm_kernel(
    output: Tensor,
    mean: Tensor,
    rstd: Tensor,
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> None:
    groups = _group_groups(N, C, HxW, group)
    _normalize_by_groups(output, mean, rstd, input, weight, bias, groups, eps)


def _group_grad(
    grads: Any,
    input: Any,
    weight: Any,
    N: int,
    C: int,
    HxW: int,
    group: int,
    result1: Any,
    result2: Any,
    grad_input_mask: Mask,
) -> Any:
    """The gradients through all three results: the derivative of the mean by x is 1 / n, that of rstd is
    -rstd ** 2 * x̂ / n.
    """
    grad, for_mean, for_rstd = grads
    to_input = to_weight = to_bias = None
    if grad is not None:
        sizes = (N, C, HxW, group)
        found = aten.native_group_norm_backward.default(
            grad, input, result1, result2, weight, *sizes, grad_input_mask
        )
        to_input, to_weight, to_bias = found
    if grad_input_mask[0] and (for_mean is not None or for_rstd is not None):
        count = C // group * HxW
        shape = (N, group, count)
        rstd = result2.unsqueeze(-1)
        moved: Any = None
        if for_mean is not None:
            moved = (for_mean.unsqueeze(-1) / count).expand(N, group, count)
        if for_rstd is not None:
            normalized = (input.reshape(shape) - result1.unsqueeze(-1)) * rstd
            bent = normalized * (-rstd * rstd * for_rstd.unsqueeze(-1) / count)
            moved = bent if moved is None else moved + bent
        moved = moved.reshape(input._spec.sizes)
        to_input = moved if to_input is None else to_input + moved
    return to_input, to_weight, to_bias


_GROUP_SIZES = "SymInt N, SymInt C, SymInt HxW, int group"

native_function(
    f"native_group_norm(Tensor input, Tensor? weight, Tensor? bias, {_GROUP_SIZES}, float eps) -> (Tensor, "
    "Tensor, Tensor)",
    meta=_group_norm_meta,
    kernel=_group_norm_kernel,
    derivatives={"input, weight, bias": _group_grad},
    doc="""Normalizes each of ``group`` groups of channels of each batch entry of (N, C, HxW); also returns
    the mean and 1 / sqrt(variance + eps) of each group, (N, group).

    The output has the dtype of the input, and so have the statistics unless the parameters are float32.
    Raises RuntimeError for an input that is neither contiguous nor channels last.""",
)


def _group_backward_meta(
    grad_out: Spec,
    input: Spec,
    mean: Spec,
    rstd: Spec,
    weight: Spec | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    output_mask: Mask,
) -> tuple[Spec | None, ...]:
    _check_group(input, weight, None, N, C, HxW, group)
    check_same_size(input=input, grad_out=grad_out)
    check_numel(N * group, mean=mean, rstd=rstd)
    dtype = check_mixed_data_type(input, mean, rstd, weight)
    check_same_dtype(input=input, grad_out=grad_out)
    parameter = input.contiguous((C,), dtype)
    return _wanted((like(input), parameter, parameter), output_mask)


def _group_backward_kernel(
    grad_input: Tensor | None,
    grad_weight: Tensor | None,
    grad_bias: Tensor | None,
    grad_out: Tensor,
    input: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    output_mask: Mask,
) -> None:
    groups = _group_groups(N, C, HxW, group)
    statistics = list(zip(elements(mean), elements(rstd)))
    normalize_backward(grad_input, grad_weight, grad_bias, grad_out, input, weight, groups, statistics)


def _group_double(
    grads: Any,
    grad_out: Any,
    input: Any,
    mean: Any,
    rstd: Any,
    weight: Any,
    N: int,
    C: int,
    HxW: int,
    group: int,
) -> Any:
    """Computed on the shape (N, group, channels of a group, elements of a channel)."""
    shape = (N, group, C // group, HxW)

    def spread(value: Any) -> Any:
        return value.reshape((1, group, C // group, 1))

    means, rstds = mean.reshape((N, group, 1, 1)), rstd.reshape((N, group, 1, 1))
    normalized, rstds = normalized_again(input.reshape(shape), means, rstds, (2, 3))
    first = None if grads[0] is None else grads[0].reshape(shape)
    to_input, to_weight, to_grad = double_backward(
        (first, *grads[1:]),
        grad_out.reshape(shape),
        normalized,
        rstds,
        None if weight is None else spread(weight),
        (2, 3),
        lambda each: each.sum((0, 3)).reshape((C,)),
        spread,
    )
    sizes = input._spec.sizes
    return (
        None if to_input is None else to_input.reshape(sizes),
        to_weight,
        None if to_grad is None else to_grad.reshape(sizes),
    )


native_function(
    "native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, "
    f"{_GROUP_SIZES}, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    meta=_group_backward_meta,
    kernel=_group_backward_kernel,
    derivatives={"input, weight, grad_out": _group_double},
    doc="The gradients of native_group_norm with respect to input, weight and bias; None where "
    "``output_mask`` is False.",
)


def _group_norm(input: Any, num_groups: int, weight: Any, bias: Any, eps: float, cudnn_enabled: bool) -> Any:
    images, channels = input.size(0), input.size(1)
    size = geometry.numel_of(input.shape[2:])
    weights, biases = (None if each is None else each._spec for each in (weight, bias))
    _check_group(input._spec, weights, biases, images, channels, size, num_groups)
    input = _orderly(input)
    sizes = (images, channels, size, num_groups)
    return aten.native_group_norm.default(input, weight, bias, *sizes, eps)[0]


native_function(
    "group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool "
    "cudnn_enabled=True) -> Tensor",
    composite=_group_norm,
    doc="""Normalizes each of ``num_groups`` groups of channels of each batch entry of (N, C, *) by its own
    mean and variance.  Raises RuntimeError if ``num_groups`` does not divide the number of channels.""",
)
