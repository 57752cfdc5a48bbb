"""Batch and instance normalization: each channel of (N, C, *), or of each image, by its mean and variance.

The variance is the biased one (divided by n), except in the running statistics, where it is divided by n - 1.
Accumulation: as in numerics/normalization.py, exactly rounded sums in float64.

Source: aten/src/ATen/native/Normalization.cpp; Ioffe and Szegedy, "Batch Normalization" (2015).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...calls.checks import check_mixed_data_type, check_same_size
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import elements
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import divide, rsqrt
from ...numerics.normalization import (
    Groups,
    double_backward,
    moments_of,
    normalize,
    normalize_backward,
    normalized_again,
    statistics_of,
    store,
)
from ...numerics.windows import like
from ...values import geometry
from ...values.dispatch_key import DENSE
from ...values.dtype import uint8
from ...values.geometry import Ints, wrap_dim

Mask = Sequence[bool]


def _batch_groups(sizes: Ints) -> Groups:
    """One group for each channel of (N, C, *)."""
    images, channels, count = sizes[0], sizes[1], geometry.numel_of(sizes[2:])
    members = [
        [(image * channels + channel) * count + at for image in range(images) for at in range(count)]
        for channel in range(channels)
    ]
    return Groups(members, lambda element: element // count % channels)


def _check_features(input: Spec, **parameters: Spec | None) -> int:
    """The number of channels.  Raises RuntimeError for parameters of another length."""
    channels = input.sizes[wrap_dim(1, input.ndim, wrap_scalar=False)]
    for name, spec in parameters.items():
        if spec is not None and spec.numel != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {spec.numel}")
    return channels


def _check_elements(input: Spec) -> None:
    if not input.numel:
        raise RuntimeError(
            f"input tensor must have at least one element, but got input_sizes = {list(input.sizes)}"
        )


def _batch_norm_meta(
    input: Spec, weight: Spec | None, bias: Spec | None, training: bool, momentum: float, eps: float
) -> tuple[Spec, Spec, Spec]:
    channels = _check_features(input, weight=weight, bias=bias)
    if not training:
        raise RuntimeError("training must be True without running statistics")
    dtype = check_mixed_data_type(input, weight, bias)
    _check_elements(input)
    return _normalized_spec(input), input.contiguous((channels,), dtype), input.contiguous((channels,), dtype)


def _batch_norm_kernel(
    output: Tensor,
    save_mean: Tensor,
    save_invstd: Tensor,
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> None:
    groups = _batch_groups(input._spec.sizes)
    numbers = elements(input)
    statistics = [statistics_of([numbers[each] for each in members], eps) for members in groups.members]
    if eps == 0:  # a variance of 0 then gets the factor 0
        statistics = [(mean, 0.0 if rstd == math.inf else rstd) for mean, rstd in statistics]
    normalize(output, input, weight, bias, groups, statistics)
    store(save_mean, [mean for mean, _ in statistics])
    store(save_invstd, [rstd for _, rstd in statistics])


def _batch_norm_grad(
    grad: Any,
    input: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    mean: Any,
    invstd: Any,
    training: bool,
    eps: float,
    mask: Mask,
) -> Any:
    return aten.native_batch_norm_backward.default(
        grad, input, weight, running_mean, running_var, mean, invstd, training, eps, mask
    )


native_function(
    "_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float "
    "momentum, float eps) -> (Tensor, Tensor, Tensor)",
    meta=_batch_norm_meta,
    kernel=_batch_norm_kernel,
    derivatives={
        "input, weight, bias": lambda grad, input, weight, training, eps, result1, result2, grad_input_mask: (
            _batch_norm_grad(
                grad, input, weight, None, None, result1, result2, training, eps, grad_input_mask
            )
        )
    },
    node_name="NativeBatchNormLegitBackward1",
    non_differentiable_outputs=(1, 2),
    out=Out(
        "_native_batch_norm_legit.no_stats_out(Tensor input, Tensor? weight, Tensor? bias, bool training, "
        "float momentum, float eps, *, Tensor(a!) out, Tensor(b!) save_mean, Tensor(c!) save_invstd) -> "
        "(Tensor(a!), Tensor(b!), Tensor(c!))",
        row_major=True,
    ),
    doc="""Normalizes each channel of (N, C, *) by its own mean and variance; also returns the mean and 1 /
    sqrt(variance + eps) of each channel.  ``training`` must be True.""",
)


def _inference_meta(
    input: Spec,
    weight: Spec | None,
    bias: Spec | None,
    running_mean: Spec,
    running_var: Spec,
    momentum: float,
    eps: float,
) -> tuple[Spec, Spec, Spec]:
    _check_features(input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    dtype = check_mixed_data_type(input, weight, bias, running_mean, running_var)
    return _normalized_spec(input), input.contiguous((0,), dtype), input.contiguous((0,), dtype)


def _running(running_mean: Tensor, running_var: Tensor, eps: float) -> list[tuple[Any, Any]]:
    """A pair (mean, rstd) for each channel, from the running statistics."""
    means, variances = elements(running_mean), elements(running_var)
    return [(mean, rsqrt(variance + eps)) for mean, variance in zip(means, variances)]


def _inference_kernel(
    output: Tensor,
    save_mean: Tensor,
    save_invstd: Tensor,
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
) -> None:
    statistics = _running(running_mean, running_var, eps)
    normalize(output, input, weight, bias, _batch_groups(input._spec.sizes), statistics)


native_function(
    "_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, "
    "Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    meta=_inference_meta,
    kernel=_inference_kernel,
    derivatives={
        "input, weight, bias": (
            lambda grad, input, weight, running_mean, running_var, eps, result1, result2, grad_input_mask: (
                _batch_norm_grad(
                    grad,
                    input,
                    weight,
                    running_mean,
                    running_var,
                    result1,
                    result2,
                    False,
                    eps,
                    grad_input_mask,
                )
            )
        )
    },
    non_differentiable_outputs=(1, 2),
    doc="Normalizes each channel of (N, C, *) by the running statistics; also returns two empty tensors.",
)


def _normalized_spec(input: Spec) -> Spec:
    """The spec of the result: contiguous if the input is, even if that is channels last as well."""
    return input.contiguous() if input.is_contiguous else like(input)


def _specs(**tensors: Any) -> dict[str, Spec | None]:
    """The specs of the tensors by name; None for an optional tensor that is not given."""
    return {name: None if tensor is None else tensor._spec for name, tensor in tensors.items()}


def _check_given(running_mean: Any, running_var: Any) -> None:
    """Raises RuntimeError unless both running statistics are given."""
    for name, tensor in (("running_mean", running_mean), ("running_var", running_var)):
        if tensor is None:
            raise RuntimeError(f"{name} must be defined in evaluation mode")


def _check_pair(running_mean: Any, running_var: Any) -> None:
    """Raises ValueError if only one of the running statistics is given."""
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")


def _moving_meta(
    input: Spec,
    weight: Spec | None,
    bias: Spec | None,
    running_mean: Spec,
    running_var: Spec,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Spec, Spec, Spec]:
    if not training:
        return _inference_meta(input, weight, bias, running_mean, running_var, momentum, eps)
    channels = _check_features(
        input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias
    )
    dtype = check_mixed_data_type(input, weight, bias, running_mean, running_var)
    _check_elements(input)
    return _normalized_spec(input), input.contiguous((channels,), dtype), input.contiguous((channels,), dtype)


def _moving_kernel(
    output: Tensor,
    save_mean: Tensor,
    save_invstd: Tensor,
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    training: bool,
    momentum: float,
    eps: float,
) -> None:
    groups = _batch_groups(input._spec.sizes)
    if not training:
        normalize(output, input, weight, bias, groups, _running(running_mean, running_var, eps))
        return
    _batch_norm_kernel(output, save_mean, save_invstd, input, weight, bias, training, momentum, eps)
    numbers = elements(input)
    moments = [moments_of([numbers[each] for each in members]) for members in groups.members]
    count = len(groups.members[0])
    unbiased = [divide(variance * count, count - 1) for _, variance in moments]
    for running, found in ((running_mean, [mean for mean, _ in moments]), (running_var, unbiased)):
        pairs = zip(elements(running), found)
        store(running, [old * (1 - momentum) + new * momentum for old, new in pairs])


def _native_batch_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> Any:
    """Training computes the statistics and updates the running ones; evaluation uses the running ones."""
    options = (running_mean, running_var, momentum, eps)
    if not training:
        _check_given(running_mean, running_var)
        return aten._native_batch_norm_legit_no_training.default(input, weight, bias, *options)
    _check_features(input._spec, **_specs(running_mean=running_mean, running_var=running_var))
    _check_pair(running_mean, running_var)
    if running_mean is None:
        return aten._native_batch_norm_legit.no_stats(input, weight, bias, True, momentum, eps)
    # as in PyTorch's kernel, updating the running statistics does not increment their version counters
    arguments = (input, weight, bias, running_mean, running_var, True, momentum, eps)
    return aten._native_batch_norm_legit.default.redispatch(DENSE, arguments)


_STATISTICS = "Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps"


def _training_grad(
    grad: Any,
    input: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    result1: Any,
    result2: Any,
    training: bool,
    eps: float,
    grad_input_mask: Mask,
) -> Any:
    statistics = (running_mean, running_var, result1, result2)
    return _batch_norm_grad(grad, input, weight, *statistics, training, eps, grad_input_mask)


native_function(
    f"native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, {_STATISTICS}) -> (Tensor, Tensor, "
    "Tensor)",
    explicit=_native_batch_norm,
    derivatives={"input, weight, bias": _training_grad},
    non_differentiable_outputs=(1, 2),
    out=Out(
        f"native_batch_norm.out(Tensor input, Tensor? weight, Tensor? bias, {_STATISTICS}, *, Tensor(a!) "
        "out, Tensor(b!) save_mean, Tensor(c!) save_invstd) -> (Tensor(a!), Tensor(b!), Tensor(c!))",
        row_major=True,
    ),
    doc="""Normalizes each channel of (N, C, *); also returns the mean and 1 / sqrt(variance + eps) of each.

    In ``training`` the statistics are those of the input, and the running statistics, if given, are updated
    with ``momentum``, running_var with the unbiased variance.  Otherwise the running statistics are used, and
    the last two results are empty.""",
)

native_function(
    "_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, "
    "Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    meta=_moving_meta,
    kernel=_moving_kernel,
    derivatives={"input, weight, bias": _training_grad},
    non_differentiable_outputs=(1, 2),
    out=Out(
        "_native_batch_norm_legit.out(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, "
        "Tensor(b!) running_var, bool training, float momentum, float eps, *, Tensor(d!) out, Tensor(e!) "
        "save_mean, Tensor(f!) save_invstd) -> (Tensor(d!), Tensor(e!), Tensor(f!))",
        row_major=True,
    ),
    doc="native_batch_norm with a schema that annotates the running statistics as modified.",
)


def _with_update(input: Any, weight: Any, bias: Any, mean: Any, variance: Any, *options: float) -> Any:
    normalized = aten.native_batch_norm.default(input, weight, bias, mean, variance, True, *options)
    return (*normalized, aten.empty.memory_format((0,), dtype=uint8, device=input.device))


def _no_update(input: Any, weight: Any, bias: Any, mean: Any, variance: Any, *options: float) -> Any:
    normalized = aten.native_batch_norm.default(input, weight, bias, mean, variance, False, *options)
    return (*normalized, aten.empty.memory_format((0,), dtype=uint8, device=input.device))


native_function(
    "_batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) "
    "running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)",
    composite=_with_update,
    out=Out(
        "_batch_norm_with_update.out(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, "
        "Tensor(b!) running_var, float momentum, float eps, *, Tensor(d!) out, Tensor(e!) save_mean, "
        "Tensor(f!) save_invstd, Tensor(g!) reserve) -> (Tensor(d!), Tensor(e!), Tensor(f!), Tensor(g!))",
        row_major=True,
    ),
    doc="native_batch_norm in training; also returns what cuDNN reserves for backward: nothing, in uint8.",
)

native_function(
    "_batch_norm_no_update(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
    "running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)",
    composite=_no_update,
    out=Out(
        "_batch_norm_no_update.out(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
        "running_var, float momentum, float eps, *, Tensor(a!) out0, Tensor(b!) out1, Tensor(c!) out2, "
        "Tensor(d!) out3) -> (Tensor(a!), Tensor(b!), Tensor(c!), Tensor(d!))",
        row_major=True,
    ),
    doc="native_batch_norm by the running statistics; also returns what cuDNN reserves: nothing, in uint8.",
)


def _batch_backward_meta(
    grad_out: Spec,
    input: Spec,
    weight: Spec | None,
    running_mean: Spec | None,
    running_var: Spec | None,
    save_mean: Spec | None,
    save_invstd: Spec | None,
    train: bool,
    eps: float,
    output_mask: Mask,
) -> tuple[Spec | None, Spec | None, Spec | None]:
    used = (save_mean, save_invstd) if train else (running_mean, running_var)
    if any(each is None for each in used):
        raise RuntimeError(
            "save_mean and save_invstd must be given if train, otherwise running_mean and running_var"
        )
    saved = {"save_mean": save_mean, "save_invstd": save_invstd} if train else {}
    channels = _check_features(
        input, weight=weight, running_mean=running_mean, running_var=running_var, **saved
    )
    check_same_size(input=input, grad_out=grad_out)
    dtype = check_mixed_data_type(input, weight, running_mean, running_var, save_mean, save_invstd)
    parameter = input.contiguous((channels,), dtype)
    return (
        like(input) if output_mask[0] else None,
        parameter if output_mask[1] else None,
        parameter if output_mask[2] else None,
    )


def _batch_backward_kernel(
    grad_input: Tensor | None,
    grad_weight: Tensor | None,
    grad_bias: Tensor | None,
    grad_out: Tensor,
    input: Tensor,
    weight: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    save_mean: Tensor | None,
    save_invstd: Tensor | None,
    train: bool,
    eps: float,
    output_mask: Mask,
) -> None:
    if train:
        statistics = list(zip(elements(save_mean), elements(save_invstd)))  # type: ignore[arg-type]
    else:
        statistics = _running(running_mean, running_var, eps)  # type: ignore[arg-type]
    groups = _batch_groups(input._spec.sizes)
    normalize_backward(
        grad_input, grad_weight, grad_bias, grad_out, input, weight, groups, statistics, not train
    )


def _batch_double(
    grads: Any,
    grad_out: Any,
    input: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    save_mean: Any,
    save_invstd: Any,
    train: bool,
    eps: float,
) -> Any:
    shape = [1, -1, *[1] * (input.ndim - 2)]
    dims = [dim for dim in range(input.ndim) if dim != 1]

    def spread(value: Any) -> Any:
        return value.reshape(shape)

    if train:
        normalized, rstd = normalized_again(input, spread(save_mean), spread(save_invstd), dims)
    else:
        rstd = spread((running_var + eps).rsqrt())
        normalized = (input - spread(running_mean)) * rstd
    scale = None if weight is None else spread(weight)
    return double_backward(
        grads, grad_out, normalized, rstd, scale, dims, lambda each: each.sum(dims), spread, not train
    )


native_function(
    "native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, Tensor? "
    "running_var, Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> "
    "(Tensor, Tensor, Tensor)",
    meta=_batch_backward_meta,
    kernel=_batch_backward_kernel,
    derivatives={"input, weight, grad_out": _batch_double},
    doc="The gradients of native_batch_norm with respect to input, weight and bias; None where "
    "``output_mask`` is False.",
)


def _batch_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    """Handles an empty input, whatever the other arguments; makes the checks and calls the operator.

    Source: _batch_norm_impl_index.
    """
    if not input.numel():
        result = input.clone()
        result = result if weight is None or not weight.numel() else result * weight[0]
        return result if bias is None or not bias.numel() else result + bias[0]
    if not training:
        _check_given(running_mean, running_var)
    specs = _specs(running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    if input.ndim < 2 and any(each is not None for each in specs.values()):
        raise RuntimeError(f"expected input of sizes (N, C, *), but got {list(input.shape)}")
    _check_features(input._spec, **specs)
    _check_pair(running_mean, running_var)
    options = (running_mean, running_var, training, momentum, eps)
    return aten.native_batch_norm.default(input, weight, bias, *options)[0]


native_function(
    f"batch_norm(Tensor input, Tensor? weight, Tensor? bias, {_STATISTICS}, bool cudnn_enabled) -> Tensor",
    composite=_batch_norm,
    doc="""Normalizes each channel of (N, C, *): in ``training`` by its own mean and variance, which update
    the running statistics with ``momentum``, otherwise by the running statistics.  ``cudnn_enabled`` is
    ignored.

    Raises RuntimeError for parameters and statistics that do not have C elements, and if the running
    statistics to use are not given; ValueError if in training only one of them is given.""",
)


def _instance_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    """Batch normalization of one image, whose channels are the channels of all images."""
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when use_input_stats is false"
        )
    images, channels = input.size(0), input.size(1)

    def repeated(parameter: Any) -> Any:
        return None if parameter is None else parameter.repeat((images,))

    means, variances = repeated(running_mean), repeated(running_var)
    flat = input.contiguous().view((1, images * channels, *input.shape[2:]))
    options = (use_input_stats, momentum, eps, cudnn_enabled)
    result = aten.batch_norm.default(flat, repeated(weight), repeated(bias), means, variances, *options)
    for running, moved in ((running_mean, means), (running_var, variances)):
        if running is not None and use_input_stats:
            running.detach().copy_(moved.view(images, channels).mean(0))
    return result.view(input.shape)


native_function(
    "instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
    "bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor",
    composite=_instance_norm,
    variants="function",
    doc="""Normalizes each channel of each batch entry of (N, C, *) by its own mean and variance, or by the
    running statistics unless ``use_input_stats``; if it is True, the running statistics, if given, are
    updated with ``momentum`` from the average over the batch.

    Raises RuntimeError if the running statistics to use are not given.""",
)
