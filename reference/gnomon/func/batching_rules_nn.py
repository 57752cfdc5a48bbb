"""Batching rules of layers: convolution, pooling, normalization, the negative log likelihood loss.

Layers take (N, C, *).  If the examples share parameters, the batch is folded into N (``folded``).  If each
example has its own, the batch is folded into C, as separate groups.

Source: aten/src/ATen/functorch/BatchRulesConvolution.cpp, BatchRulesPooling.cpp, BatchRulesNorm.cpp,
BatchRulesLoss.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..calls.running import meta_result
from ..dispatch.dispatcher import OpOverload, aten
from ..dispatch.mode import is_grad_enabled
from .batching import Batch, rule_of

# -- the batch folded into N -----------------------------------------------------------------------------


def _flat(value: Any) -> Any:
    """Flatten the first two dimensions into one."""
    return None if value is None else aten.flatten.using_ints(value, 0, 1)


def folded(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """A layer without parameters: itself, with the batch folded into N.

    Examples that are single images (C, *) become a batch of images; of examples (N, C, *), N grows.
    """
    full = operator.record.batching.ndim or max(each._spec.ndim for each in operator.tensors(arguments))
    values = []
    for argument, given in zip(operator.schema.arguments, arguments):
        if argument.is_tensor and given is not None:
            examples = batch.front(given)
            values.append(_flat(examples) if given._spec.ndim == full else examples)
        elif argument.name == "input_size":
            values.append((given[0] * batch.size, *given[1:]))
        else:
            values.append(given)
    return _as_examples(batch, operator(*values), meta_result(operator, arguments).output_specs)


def _as_examples(batch: Batch, results: Any, expected: Sequence[Any]) -> Any:
    if isinstance(results, tuple):
        return tuple(_as_examples(batch, each, [spec]) for each, spec in zip(results, expected))
    if results is None or expected[0] is None:
        return results
    return aten.reshape.default(results, (batch.size, *expected[0].sizes))


@rule_of("affine_grid_generator")
def _affine_grid(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    theta, (images, *size), align_corners = arguments
    grids = operator(_flat(theta.value), (images * batch.size, *size), align_corners)
    return _parts(batch, grids)


# -- the batch folded into C -----------------------------------------------------------------------------


def _channels(value: Any) -> Any:
    """(B, N, C, *) as (N, B * C, *)."""
    return None if value is None else aten.flatten.using_ints(aten.movedim.int(value, 0, 1), 1, 2)


def _channels_of_each(batch: Batch, value: Any) -> Any:
    """(N, B * C, *) as (B, N, C, *)."""
    if value is None:
        return None
    images, channels, *rest = value._spec.sizes
    return aten.movedim.int(
        aten.reshape.default(value, (images, batch.size, channels // batch.size, *rest)), 1, 0
    )


def _parts(batch: Batch, value: Any) -> Any:
    """(B * C, *) as (B, C, *)."""
    if value is None:
        return None
    channels, *rest = value._spec.sizes
    return aten.reshape.default(value, (batch.size, channels // batch.size, *rest))


@rule_of("convolution")
def _convolution(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    input, weight, bias, *others, groups = arguments
    if not batch.has(weight) and not batch.has(bias):
        result = operator(_flat(batch.front(input)), weight, bias, *others, groups)
        return aten.reshape.default(result, (batch.size, -1, *result._spec.sizes[1:]))
    parameters = [_flat(batch.front(each)) for each in (weight, bias)]
    result = operator(_channels(batch.front(input)), *parameters, *others, groups * batch.size)
    return _channels_of_each(batch, result)


@rule_of("convolution_backward")
def _convolution_backward(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    grad_output, input, weight, bias_sizes, *others, groups, mask = arguments
    if not batch.has(weight) and not mask[1] and not mask[2]:
        values = [_flat(batch.front(each)) for each in (grad_output, input)]
        grad = operator(*values, weight, bias_sizes, *others, groups, mask)[0]
        return aten.reshape.default(grad, (batch.size, *input._spec.sizes)), None, None
    values = [_channels(batch.front(each)) for each in (grad_output, input)]
    sizes = None if bias_sizes is None else (bias_sizes[0] * batch.size,)
    grads = operator(*values, _flat(batch.front(weight)), sizes, *others, groups * batch.size, mask)
    return _channels_of_each(batch, grads[0]), _parts(batch, grads[1]), _parts(batch, grads[2])


@rule_of(
    "native_batch_norm",
    "_native_batch_norm_legit",
    "_native_batch_norm_legit.no_stats",
    "_native_batch_norm_legit_no_training",
)
def _batch_norm(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """Channels are normalized independently, so the channels of all examples are joined."""
    values: list[Any] = []
    running: list[tuple[Any, Any]] = []
    names = [argument.name for argument in operator.schema.arguments]
    training = bool(arguments[names.index("training")]) if "training" in names else False
    for name, given in zip(names, arguments):
        if name == "input":
            values.append(_channels(batch.front(given)))
        elif name in ("weight", "bias", "running_mean", "running_var"):
            if given is not None and name.startswith("running") and training:
                if not batch.has(given):
                    raise RuntimeError(
                        "Batch norm got a batched tensor as input while the running_mean or running_var, "
                        "which will be updated in place, were not batched. Pass track_running_stats=False, "
                        "or a batch of them."
                    )
                joined = aten.clone.default(_flat(given.value), None)
                running.append((given.value, joined))
                values.append(joined)
            else:
                values.append(_flat(batch.front(given)))
        else:
            values.append(given)
    result, mean, invstd = operator(*values)
    for kept, joined in running:
        aten.copy_.default(kept, _parts(batch, joined), False)
    return _channels_of_each(batch, result), _parts(batch, mean), _parts(batch, invstd)


@rule_of("native_batch_norm_backward")
def _batch_norm_backward(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    grad_out, input, *parameters, train, eps, mask = arguments
    images = [_channels(batch.front(each)) for each in (grad_out, input)]
    grads = operator(*images, *[_flat(batch.front(each)) for each in parameters], train, eps, mask)
    return _channels_of_each(batch, grads[0]), _parts(batch, grads[1]), _parts(batch, grads[2])


# -- normalization of each example -----------------------------------------------------------------------


def _placed(batch: Batch, parameter: Any, rank: int, dim: int) -> Any:
    """A parameter reshaped to ``rank`` dimensions: the batch first, its own from ``dim`` on."""
    sizes = parameter._spec.sizes
    after = rank - dim - len(sizes)
    examples = batch.front(parameter)
    return aten.reshape.default(examples, (batch.size, *[1] * (dim - 1), *sizes, *[1] * after))


@rule_of("native_layer_norm")
def _layer_norm(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    input, shape, weight, bias, eps = arguments
    meta_result(operator, arguments)  # for its checks
    examples = batch.front(input)
    if not batch.has(weight) and not batch.has(bias):
        return operator(examples, shape, weight, bias, eps)
    result, mean, rstd = operator(examples, shape, None, None, eps)
    rank = examples._spec.ndim
    if weight is not None:
        result = result * _placed(batch, weight, rank, rank - len(shape))
    if bias is not None:
        result = result + _placed(batch, bias, rank, rank - len(shape))
    return result, mean, rstd


@rule_of("native_layer_norm_backward")
def _layer_norm_backward(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    grad_out, input, shape, mean, rstd, weight, bias, mask = arguments
    grad, examples, mean, rstd = (batch.front(each) for each in (grad_out, input, mean, rstd))
    rank = examples._spec.ndim
    last = tuple(range(rank - len(shape), rank))
    over = tuple(range(1, rank - len(shape)))
    grads: list[Any] = [None, None, None]
    if mask[0]:
        scaled = grad if weight is None else grad * _placed(batch, weight, rank, rank - len(shape))
        grads[0] = operator(scaled, examples, shape, mean, rstd, None, None, (True, False, False))[0]
    if mask[1] and weight is not None:
        grads[1] = _summed(grad * _normalized(examples, mean, rstd, last), over)
    if mask[2] and bias is not None:
        grads[2] = _summed(grad, over)
    return tuple(grads)


@rule_of("_fused_rms_norm")
def _rms_norm(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    input, shape, weight, eps = arguments
    meta_result(operator, arguments)  # for its checks
    examples = batch.front(input)
    if not batch.has(weight):
        return operator(examples, shape, weight, eps)
    result, rstd = operator(examples, shape, None, eps)
    rank = examples._spec.ndim
    scaled = result * _placed(batch, weight, rank, rank - len(shape))
    return aten._to_copy.default(scaled, dtype=result._spec.dtype), rstd


@rule_of("_fused_rms_norm_backward")
def _rms_norm_backward(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    grad_out, input, shape, rstd, weight, mask = arguments
    grad, examples, rstd = (batch.front(each) for each in (grad_out, input, rstd))
    rank = examples._spec.ndim
    to_input = to_weight = None
    if mask[0]:
        scaled = grad if weight is None else grad * _placed(batch, weight, rank, rank - len(shape))
        scaled = aten._to_copy.default(scaled, dtype=examples._spec.dtype)
        to_input = operator(scaled, examples, shape, rstd, None, (True, False))[0]
    if mask[1] and weight is not None:
        each = _summed(grad * (examples * rstd), tuple(range(1, rank - len(shape))))
        to_weight = aten._to_copy.default(each, dtype=weight._spec.dtype)
    return to_input, to_weight


def _normalized(examples: Any, mean: Any, rstd: Any, dims: tuple[int, ...]) -> Any:
    """``(examples - mean) * rstd``, differentiable also through the statistics over ``dims``.

    For autograd, the statistics that forward returned are constants.  So in grad mode they are computed again
    (with the same epsilon, recovered from ``rstd``): this affects only the derivative, not the result.
    """
    normalized = (examples - mean) * rstd
    if not is_grad_enabled():
        return normalized
    centred = examples - examples.mean(dims, True)
    variance = (centred * centred).mean(dims, True)
    added = rstd.detach().pow(-2) - variance.detach()
    moving = centred * (variance + added).rsqrt()
    return normalized.detach() + (moving - moving.detach())


def _summed(value: Any, dims: tuple[int, ...]) -> Any:
    return value.sum(dims) if dims else value


@rule_of("native_group_norm")
def _group_norm(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    input, weight, bias, images, *others = arguments
    examples = _flat(batch.front(input))
    own = batch.has(weight) or batch.has(bias)
    parameters = (None, None) if own else (weight, bias)
    result, mean, rstd = operator(examples, *parameters, images * batch.size, *others)
    result = aten.reshape.default(result, (batch.size, *input._spec.sizes))
    if own and weight is not None:
        result = result * _placed(batch, weight, result._spec.ndim, 2)
    if own and bias is not None:
        result = result + _placed(batch, bias, result._spec.ndim, 2)
    return result, _parts(batch, mean), _parts(batch, rstd)


@rule_of("native_group_norm_backward")
def _group_norm_backward(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    grad_out, input, mean, rstd, weight, images, channels, places, group, mask = arguments
    grad, examples, mean, rstd = (batch.front(each) for each in (grad_out, input, mean, rstd))
    sizes = examples._spec.sizes
    grads: list[Any] = [None, None, None]
    if mask[0]:
        scaled = grad if weight is None else grad * _placed(batch, weight, len(sizes), 2)
        flat = [_flat(each) for each in (scaled, examples, mean, rstd)]
        options = (None, images * batch.size, channels, places, group, (True, False, False))
        grads[0] = aten.reshape.default(operator(*flat, *options)[0], sizes)
    by_channel = (batch.size, images, channels, places)
    if mask[1]:
        grouped = aten.reshape.default(examples, (batch.size, images, group, -1))
        mean, rstd = (aten.reshape.default(each, (batch.size, images, group, 1)) for each in (mean, rstd))
        normalized = aten.reshape.default(_normalized(grouped, mean, rstd, (3,)), by_channel)
        grads[1] = (aten.reshape.default(grad, by_channel) * normalized).sum((1, 3))
    if mask[2]:
        grads[2] = aten.reshape.default(grad, by_channel).sum((1, 3))
    return tuple(grads)


# -- the negative log likelihood loss --------------------------------------------------------------------

_NONE, _MEAN = 0, 1


def _weights_used(batch: Batch, self: Any, target: Any, weight: Any, ignore_index: int) -> tuple[Any, Any]:
    """(the class of each row, 0 if ignored; the weight of each row, 0 if ignored), batch first."""
    examples = batch.front(target)
    counts = examples != ignore_index
    classes = aten.where.self(counts, examples, aten.zeros_like(examples))
    if weight is None:
        return classes, counts.to(self._spec.dtype)
    rank = examples._spec.ndim
    sizes = (batch.size, *self._spec.sizes)
    spread = aten.expand.default(_placed(batch, weight, rank + 1, rank), sizes, False)
    picked = aten.gather.default(spread, -1, classes.unsqueeze(-1), sparse_grad=False).squeeze(-1)
    return classes, picked * counts


@rule_of("nll_loss_forward")
def _nll(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    self, target, weight, reduction, ignore_index = arguments
    meta_result(operator, arguments)  # for its checks
    if weight is not None:
        weight = weight.detach()  # the operator has no gradient for it
    classes, weights = _weights_used(batch, self, target, weight, ignore_index)
    examples = batch.front(self)
    picked = aten.gather.default(examples, -1, classes.unsqueeze(-1), sparse_grad=False).squeeze(-1)
    # an ignored row contributes 0, even if it contains NaN
    losses = aten.where.self(weights == 0, aten.zeros_like(picked), -(picked * weights))
    nothing = aten.new_zeros(weights, (batch.size,))
    if self._spec.ndim == 1:
        total, count = losses, weights
    elif reduction == _NONE:
        return losses, nothing
    else:
        total, count = losses.sum(1), weights.sum(1)
    if reduction == _MEAN:
        total = total / count
    return total, nothing if reduction == _NONE else count


@rule_of("nll_loss_backward")
def _nll_backward(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    grad_output, self, target, weight, reduction, ignore_index, total_weight = arguments
    if weight is not None:
        weight = weight.detach()  # the operator has no gradient for it
    classes, weights = _weights_used(batch, self, target, weight, ignore_index)
    grad = batch.front(grad_output)
    if reduction == _MEAN:
        grad = grad / batch.front(total_weight.detach())
    if grad._spec.ndim < weights._spec.ndim:
        grad = grad.unsqueeze(1)
    each = (-(grad * weights)).to(self._spec.dtype)
    zeros = aten.new_zeros(each, (batch.size, *self._spec.sizes))
    return aten.scatter.src(zeros, -1, classes.unsqueeze(-1), each.unsqueeze(-1))


@rule_of(
    "_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_flash_attention_for_cpu_backward"
)
def _flash_attention(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """Attention is independent for each element of N, so the batch is folded into N."""
    names = [argument.name for argument in operator.schema.arguments]
    images = arguments[names.index("query")]._spec.sizes[0]
    values = []
    for name, given in zip(names, arguments):
        if name == "attn_mask" and given is not None and batch.has(given):
            mask = batch.front(given)
            if mask._spec.ndim == 3:
                mask = mask.unsqueeze(1).unsqueeze(1)
            values.append(_flat(mask.expand((batch.size, images, *mask._spec.sizes[2:]))))
        elif name == "attn_mask" and given is not None and given._spec.ndim == 4 and given._spec.sizes[0] > 1:
            values.append(_flat(given.expand((batch.size, *given._spec.sizes))))
        elif name not in ("attn_mask", "scale", "dropout_p", "is_causal"):
            values.append(_flat(batch.front(given)))
        else:
            values.append(given)
    return tuple(
        aten.reshape.default(each, (batch.size, images, *each._spec.sizes[1:])) for each in operator(*values)
    )
