"""Convolution: forward, and the gradients of input, weight and bias.

An output element is a sum over the kernel's window and the group's input channels; sums are exactly rounded.
Source: aten/src/ATen/native/Convolution.cpp; Dumoulin and Visin, "A guide to convolution arithmetic" (2016).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ...calls.checks import check_same_dtype, check_size, refuse_dtype
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec, spec_of
from ...memory.tensor import Tensor
from ...numerics.arithmetic import exact_sum
from ...values import geometry
from ...values.dtype import complex32
from ...values.geometry import Ints


def _spread(values: Sequence[int], count: int) -> tuple[int, ...]:
    """Expands a single value to all spatial dimensions."""
    values = tuple(values)
    return values * count if len(values) == 1 else values


def output_size(
    input: Spec,
    weight: Spec,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> tuple[int, ...]:
    """The sizes of a convolution's output, (N, channels, *spatial)."""
    spatial = []
    for dim in range(input.ndim - 2):
        reach = dilation[dim] * (weight.sizes[dim + 2] - 1) + 1
        if transposed:
            size = (input.sizes[dim + 2] - 1) * stride[dim] - 2 * padding[dim] + reach + output_padding[dim]
        else:
            size = (input.sizes[dim + 2] + 2 * padding[dim] - reach) // stride[dim] + 1
        spatial.append(size)
    channels = weight.sizes[1] * groups if transposed else weight.sizes[0]
    return (input.sizes[0], channels, *spatial)


def _convolution_meta(
    input: Spec,
    weight: Spec,
    bias: Spec | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Spec:
    """The result's spec.  Raises RuntimeError for arguments that do not match."""
    _check_dimensions(input, weight)
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    stride, padding, dilation, output_padding = _checked_options(
        weight.ndim - 2, stride, padding, dilation, transposed, output_padding
    )
    _check_channels(input, weight, bias, transposed, groups)
    if 0 in input.sizes[2:] and 0 not in input.sizes[:2]:
        raise RuntimeError(
            f"Only zero batch or zero channel inputs are supported, but got input shape: {list(input.sizes)}"
        )
    _check_kernel_sizes(weight)
    for name, spec in (("weight", weight), ("bias", bias)):
        if spec is not None and spec.dtype is not input.dtype:
            raise RuntimeError(
                f"Input type ({input.dtype.name}) and {name} type ({spec.dtype.name}) should be the same"
            )
    refuse_dtype(input.dtype, "bool")
    if not transposed:
        _check_reach(input, weight, padding, dilation)
    sizes = output_size(input, weight, stride, padding, dilation, transposed, output_padding, groups)
    small = input.sizes[2:] if transposed else sizes[2:]
    _check_positions(small, weight.sizes[2:], stride, padding, dilation)
    if any(size < 1 for size in sizes[2:]):
        raise RuntimeError(
            f"Given input size per channel: {list(input.sizes[2:])}. Calculated output size per channel: "
            f"{list(sizes[2:])}. Output size is too small"
        )
    return _result(input, weight, sizes)


def _check_dimensions(input: Spec, weight: Spec) -> None:
    count = weight.ndim - 2
    if count < 1:
        raise RuntimeError(f"weight should have at least three dimensions, got {weight.ndim}")
    if input.ndim != weight.ndim:
        raise RuntimeError(
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight "
            f"{list(weight.sizes)}, but got {input.ndim}-dimensional input of size {list(input.sizes)} "
            "instead"
        )


def _checked_options(
    count: int,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
) -> tuple[tuple[int, ...], ...]:
    """Stride, padding, dilation and output padding, each with a value for each spatial dimension.

    Raises RuntimeError for a wrong number of values, and for values that are too small or too large.
    """
    for name, values, least in (
        ("stride", stride, 1),
        ("padding", padding, 0),
        ("dilation", dilation, 1),
        ("output_padding", output_padding, 0),
    ):
        if len(values) not in (1, count):
            raise RuntimeError(
                f"expected {name} to be a single integer value or a list of {count} values, but got "
                f"{list(values)}"
            )
        if any(value < least for value in values):
            raise RuntimeError(
                f"{'negative' if least == 0 else 'non-positive'} {name} is not supported, got {list(values)}"
            )
    stride, padding, dilation, output_padding = (
        _spread(values, count) for values in (stride, padding, dilation, output_padding)
    )
    if transposed and any(
        extra >= max(step, spread) for extra, step, spread in zip(output_padding, stride, dilation)
    ):
        raise RuntimeError(
            f"output padding must be smaller than either stride or dilation, but got {list(output_padding)}, "
            f"{list(stride)} and {list(dilation)}"
        )
    return stride, padding, dilation, output_padding


def _check_channels(input: Spec, weight: Spec, bias: Spec | None, transposed: bool, groups: int) -> None:
    """Raises RuntimeError if the numbers of channels of input, weight and bias do not match."""
    if weight.sizes[0] % groups or weight.sizes[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got "
            f"weight of size {list(weight.sizes)} instead"
        )
    _check_input_channels(input, weight, transposed, groups)
    outputs = weight.sizes[1] * groups if transposed else weight.sizes[0]
    if not outputs and input.numel:
        raise RuntimeError(
            f"expected weight to be at least 1 at dimension 1, but got weight of size {list(weight.sizes)}"
        )
    if bias is not None and bias.sizes != (outputs,):
        raise RuntimeError(
            f"Given weight of size {list(weight.sizes)}, expected bias to be 1-dimensional with {outputs} "
            f"elements, but got bias of size {list(bias.sizes)} instead"
        )


def _check_input_channels(input: Spec, weight: Spec, transposed: bool, groups: int) -> None:
    """Raises RuntimeError if the input's number of channels is not that of the weight."""
    channels = weight.sizes[0] if transposed else weight.sizes[1] * groups
    if input.sizes[1] != channels:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {list(weight.sizes)}, expected input{list(input.sizes)} "
            f"to have {channels} channels, but got {input.sizes[1]} channels instead"
        )


def _check_kernel_sizes(weight: Spec) -> None:
    """Raises RuntimeError for a kernel without elements, as PyTorch does."""
    if 0 in weight.sizes[2:]:
        raise RuntimeError(
            f"kernel size should be greater than zero, but got {list(weight.sizes[2:])} in weight of size "
            f"{list(weight.sizes)}"
        )


def _check_reach(input: Spec, weight: Spec, padding: Sequence[int], dilation: Sequence[int]) -> None:
    """Raises RuntimeError if the dilated kernel is larger than the padded input."""
    padded = [size + 2 * pad for size, pad in zip(input.sizes[2:], padding)]
    reaches = [spread * (size - 1) + 1 for spread, size in zip(dilation, weight.sizes[2:])]
    if any(size < reach for size, reach in zip(padded, reaches)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). Kernel size: "
            f"({' x '.join(map(str, reaches))}). Kernel size can't be greater than actual input size; a "
            "larger input, or padding, would do"
        )


def _check_positions(
    small: Ints, kernel: Ints, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]
) -> None:
    """Raises RuntimeError if a position in the larger tensor does not fit into a kernel's 64-bit integers."""
    if any(value >= 2**61 for value in padding):
        raise RuntimeError(f"padding is too large, got {list(padding)}")
    for name, values, counts in (("stride", stride, small), ("dilation", dilation, kernel)):
        if any(value * (count - 1) >= 2**61 for value, count in zip(values, counts)):
            raise RuntimeError(f"{name} is too large, got {list(values)} for {list(counts)} positions")


def _result(input: Spec, weight: Spec, sizes: tuple[int, ...]) -> Spec:
    """The spec of a new tensor, channels last if input or weight is.

    Source: mkldnn_conv_use_channels_last, thnn_conv_use_channels_last.
    """
    if not any(geometry.lies_channels_last(each.sizes, each.strides) for each in (input, weight)):
        return input.contiguous(sizes)
    return spec_of(sizes, geometry.channels_last_strides(sizes), input.dtype, input.device)


def _taps(
    large: Sequence[int],
    small: Sequence[int],
    kernel: Sequence[int],
    stride: Any,
    padding: Any,
    dilation: Any,
) -> list[list[tuple[int, int, int]]]:
    """For each spatial dimension, all triples (position in the small side, tap, position in the large side).

    ``large = small * stride - padding + tap * dilation``: a convolution's input is large and its output
    small, a transposed one's the other way round.
    """
    meets = []
    for dim, taps in enumerate(kernel):
        along = []
        for position in range(small[dim]):
            for tap in range(taps):
                at = position * stride[dim] - padding[dim] + tap * dilation[dim]
                if 0 <= at < large[dim]:
                    along.append((position, tap, at))
        meets.append(along)
    return meets


def _products(
    large: TensorAccessor | _Numbered,
    small: TensorAccessor | _Numbered,
    weight: TensorAccessor | _Numbered,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Any:
    """All triples of offsets (large, small, weight) whose elements are multiplied with each other.

    weight is (channels of small, channels of large / groups, *kernel).
    """
    spatial = len(weight.sizes) - 2
    stride, padding, dilation = (_spread(each, spatial) for each in (stride, padding, dilation))
    meets = _taps(large.sizes[2:], small.sizes[2:], weight.sizes[2:], stride, padding, dilation)
    windows = []
    for combination in itertools.product(*meets):
        at_small = sum(each[0] * step for each, step in zip(combination, small.strides[2:]))
        at_weight = sum(each[1] * step for each, step in zip(combination, weight.strides[2:]))
        at_large = sum(each[2] * step for each, step in zip(combination, large.strides[2:]))
        windows.append((at_large, at_small, at_weight))
    small_channels, large_channels = weight.sizes[0], weight.sizes[1]
    per_group = small_channels // groups
    for batch in range(large.sizes[0]):
        for channel in range(small_channels):
            group = channel // per_group
            for inner in range(large_channels):
                base_large = large.offset_of((batch, group * large_channels + inner))
                base_small = small.offset_of((batch, channel))
                base_weight = weight.offset_of((channel, inner))
                for at_large, at_small, at_weight in windows:
                    yield base_large + at_large, base_small + at_small, base_weight + at_weight


def _accumulate(target: TensorAccessor, terms: dict[int, list[Any]], initial: Any = None) -> None:
    """Writes to each offset the sum of its collected terms and of ``initial(offset)``."""
    for offset in target.offsets():
        numbers = terms.get(offset, [])
        if initial is not None:
            numbers = [*numbers, initial(offset)]
        target.write(offset, exact_sum(numbers))


def _convolution_kernel(
    output: Tensor,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> None:
    """``out[n, o, p] = bias[o] + sum of input[n, i, p * stride - padding + k * dilation] * weight[o, i, k]``

    over the input channels i of o's group and the taps k.
    """
    out, source, kernel = TensorAccessor(output), TensorAccessor(input), TensorAccessor(weight)
    terms: dict[int, list[Any]] = {}
    large, small = (out, source) if transposed else (source, out)
    for at_large, at_small, at_weight in _products(large, small, kernel, stride, padding, dilation, groups):
        target, read = (at_large, at_small) if transposed else (at_small, at_large)
        terms.setdefault(target, []).append(source.read(read) * kernel.read(at_weight))
    if bias is None:
        _accumulate(out, terms)
        return
    added = TensorAccessor(bias)
    channel_of = {}
    for index in itertools.product(*(range(size) for size in out.sizes)):
        channel_of[out.offset_of(index)] = index[1]
    _accumulate(out, terms, lambda offset: added[channel_of[offset]])


_OPTIONS_ARGUMENTS = (
    "SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, "
    "SymInt groups"
)


def _convolution_grad(
    grad: Any,
    input: Any,
    weight: Any,
    bias_spec: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    grad_input_mask: Sequence[bool],
) -> Any:
    """The gradients of input, weight and bias that ``grad_input_mask`` selects."""
    bias_sizes = None if bias_spec is None else bias_spec.sizes
    options = (stride, padding, dilation, transposed, output_padding, groups)
    return aten.convolution_backward.default(grad, input, weight, bias_sizes, *options, grad_input_mask)


convolution = native_function(
    f"convolution(Tensor input, Tensor weight, Tensor? bias, {_OPTIONS_ARGUMENTS}) -> Tensor",
    meta=_convolution_meta,
    kernel=_convolution_kernel,
    limited=(complex32,),
    derivatives={
        "input, weight, bias": _convolution_grad,
    },
    doc="""Convolves input (N, C_in, *spatial) with weight (C_out, C_in / groups, *kernel).

    If ``transposed``, weight is (C_in, C_out / groups, *kernel).  Raises RuntimeError for sizes that do not
    match.""",
)


def _convolution_backward_meta(
    grad_output: Spec,
    input: Spec,
    weight: Spec,
    bias_sizes: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    output_mask: Sequence[bool],
) -> tuple[Spec | None, Spec | None, Spec | None]:
    _check_dimensions(input, weight)
    if groups <= 0:
        raise RuntimeError(f"expected groups to be greater than 0, but got groups={groups}")
    stride, padding, dilation, output_padding = _checked_options(
        input.ndim - 2, stride, padding, dilation, transposed, output_padding
    )
    sizes = output_size(input, weight, stride, padding, dilation, transposed, output_padding, groups)
    check_size(sizes, grad_output=grad_output)
    check_same_dtype(input=input, weight=weight, grad_output=grad_output)
    _check_input_channels(input, weight, transposed, groups)
    channels = weight.sizes[1] * groups if transposed else weight.sizes[0]
    return (
        _result(input, weight, input.sizes) if output_mask[0] else None,
        _result(input, weight, weight.sizes) if output_mask[1] else None,
        weight.contiguous((channels,)) if output_mask[2] else None,
    )


def _convolution_backward_kernel(
    grad_input: Tensor | None,
    grad_weight: Tensor | None,
    grad_bias: Tensor | None,
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor,
    bias_sizes: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    output_mask: Sequence[bool],
) -> None:
    """The products of the forward pass, with one factor replaced by the output's gradient."""
    grad, source, kernel = TensorAccessor(grad_output), TensorAccessor(input), TensorAccessor(weight)
    if grad_bias is not None:
        _sum_channels(grad_bias, grad)
    if grad_input is None and grad_weight is None:
        return
    # count elements, not memory offsets, because elements may share memory (stride 0)
    numbered = [_Numbered(each) for each in (grad, source, kernel)]
    grads, sources, kernels = ([each.read(at) for at in each.offsets()] for each in (grad, source, kernel))
    large, small = (numbered[0], numbered[1]) if transposed else (numbered[1], numbered[0])
    input_terms: dict[int, list[Any]] = {}
    weight_terms: dict[int, list[Any]] = {}
    for at_large, at_small, at_weight in _products(
        large, small, numbered[2], stride, padding, dilation, groups
    ):
        at_grad, at_source = (at_large, at_small) if transposed else (at_small, at_large)
        if grad_input is not None:
            term = grads[at_grad] * kernels[at_weight].conjugate()
            input_terms.setdefault(at_source, []).append(term)
        if grad_weight is not None:
            term = grads[at_grad] * sources[at_source].conjugate()
            weight_terms.setdefault(at_weight, []).append(term)
    for gradient, terms in ((grad_input, input_terms), (grad_weight, weight_terms)):
        if gradient is not None:
            target = TensorAccessor(gradient)
            for position, offset in enumerate(target.offsets()):
                target.write(offset, exact_sum(terms.get(position, [])))


def _sum_channels(output: Tensor, grad: TensorAccessor) -> None:
    """The sum of each channel of (N, channels, *spatial)."""
    out = TensorAccessor(output)
    sizes, strides = (grad.sizes[0], *grad.sizes[2:]), (grad.strides[0], *grad.strides[2:])
    for channel in range(grad.sizes[1]):
        offsets = geometry.offsets(sizes, strides, grad.offset_of((0, channel)))
        out[channel] = exact_sum([grad.read(offset) for offset in offsets])


class _Numbered:
    """The sizes of an accessor with contiguous strides: its offsets number the elements."""

    def __init__(self, accessor: TensorAccessor):
        self.sizes = accessor.sizes
        self.strides = geometry.contiguous_strides(accessor.sizes)

    def offset_of(self, index: Sequence[int]) -> int:
        return sum(i * stride for i, stride in zip(index, self.strides))


def _convolution_double(
    grads: Any,
    grad_output: Any,
    input: Any,
    weight: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    grad_input_mask: Sequence[bool],
) -> tuple[Any, Any, Any]:
    """The gradients of convolution_backward.

    Convolution is linear in each of input and weight, so each second derivative is again a convolution or one
    of its gradients, with one factor replaced by the incoming gradient.
    """
    for_input, for_weight, for_bias = grads
    options = (stride, padding, dilation, transposed, output_padding, groups)
    to_grad = to_input = to_weight = None

    def plus(a: Any, b: Any) -> Any:
        return b if a is None else a + b

    if for_input is not None:
        if grad_input_mask[0]:
            to_grad = plus(to_grad, aten.convolution.default(for_input, weight, None, *options))
        if grad_input_mask[2]:
            found = aten.convolution_backward.default(
                grad_output, for_input, weight, None, *options, (False, True, False)
            )
            to_weight = plus(to_weight, found[1])
    if for_weight is not None:
        if grad_input_mask[0]:
            to_grad = plus(to_grad, aten.convolution.default(input, for_weight, None, *options))
        if grad_input_mask[1]:
            found = aten.convolution_backward.default(
                grad_output, input, for_weight, None, *options, (True, False, False)
            )
            to_input = plus(to_input, found[0])
    if for_bias is not None and grad_input_mask[0]:
        shape = [1, -1, *[1] * (grad_output.ndim - 2)]
        to_grad = plus(to_grad, for_bias.reshape(shape).expand(grad_output._spec.sizes))
    return to_grad, to_input, to_weight


native_function(
    "convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, "
    f"{_OPTIONS_ARGUMENTS}, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    meta=_convolution_backward_meta,
    kernel=_convolution_backward_kernel,
    derivatives={"grad_output, input, weight": _convolution_double},
    doc="""The gradients of convolution with respect to input, weight and bias; None where ``output_mask`` is
    False.

    Raises RuntimeError if ``grad_output`` does not have the sizes of the output.""",
)


def _batched(name: str, input: Any, spatial: int) -> Any:
    """``input`` with a batch dimension.  Raises RuntimeError for another number of dimensions."""
    if input.ndim == spatial + 2:
        return input
    if input.ndim != spatial + 1:
        raise RuntimeError(
            f"Expected {spatial + 1}D (unbatched) or {spatial + 2}D (batched) input to {name}, but got input "
            f"of size: {list(input.shape)}"
        )
    return input.unsqueeze(0)


def _convolve(
    name: str,
    spatial: int,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Any:
    batched = _batched(name, input, spatial)
    lists = (tuple(stride), tuple(padding), tuple(dilation), transposed, tuple(output_padding))
    result = aten.convolution.default(batched, weight, bias, *lists, groups)
    return result if batched is input else result.squeeze(0)


def _same_padding(
    name: str,
    spatial: int,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: str,
    dilation: Any,
    groups: int,
) -> Any:
    """Padding by name: 'valid' is no padding, 'same' preserves the sizes (stride 1 only)."""
    none = (0,) * spatial
    if padding == "valid":
        return _convolve(name, spatial, input, weight, bias, stride, none, dilation, False, none, groups)
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'; expected 'valid' or 'same'")
    batched = _batched(name, input, spatial)
    if weight.ndim != spatial + 2:
        raise RuntimeError(
            f"Expected {spatial + 2}-dimensional weight, but got weight of size {list(weight.shape)}"
        )
    if any(each != 1 for each in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [each * (size - 1) for each, size in zip(_spread(dilation, spatial), weight._spec.sizes[2:])]
    if any(total % 2 for total in totals):
        # an odd total pads one more element at the end; constant_pad_nd lists the last dimension first
        pads = [pad for total in reversed(totals) for pad in (0, total % 2)]
        batched = aten.constant_pad_nd.default(batched, pads, 0)
    half = [total // 2 for total in totals]
    result = _convolve(name, spatial, batched, weight, bias, stride, half, dilation, False, none, groups)
    return result if input.ndim == spatial + 2 else result.squeeze(0)


def _define(spatial: int) -> None:
    """Defines conv1d, conv2d or conv3d, its overload with padding by name, and the transposed convolution."""
    name, n = f"conv{spatial}d", f"SymInt[{spatial}]"
    start = "Tensor input, Tensor weight, Tensor? bias=None"

    def conv(
        input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int
    ) -> Any:
        none = (0,) * spatial
        return _convolve(name, spatial, input, weight, bias, stride, padding, dilation, False, none, groups)

    def conv_transpose(
        input: Any,
        weight: Any,
        bias: Any,
        stride: Any,
        padding: Any,
        output_padding: Any,
        groups: int,
        dilation: Any,
    ) -> Any:
        options = (stride, padding, dilation, True, output_padding, groups)
        return _convolve(f"conv_transpose{spatial}d", spatial, input, weight, bias, *options)

    native_function(
        f"{name}({start}, {n} stride=1, {n} padding=0, {n} dilation=1, SymInt groups=1) -> Tensor",
        composite=conv,
        doc=f"""Applies a {spatial}D convolution: input ([N,] C_in, *spatial), weight (C_out, C_in / groups,
        *kernel), bias (C_out).

        The result is channels last if input or weight is.  Raises RuntimeError for sizes that do not
        match.""",
    )
    native_function(
        f'{name}.padding({start}, {n} stride=1, str padding="valid", {n} dilation=1, SymInt groups=1) -> '
        "Tensor",
        composite=lambda *arguments: _same_padding(name, spatial, *arguments),
        doc=f"Applies a {spatial}D convolution with ``padding`` 'valid' (none) or 'same' (preserves sizes; "
        "stride 1).",
    )
    overload = "" if spatial == 1 else ".input"
    native_function(
        f"conv_transpose{spatial}d{overload}({start}, {n} stride=1, {n} padding=0, {n} output_padding=0, "
        f"SymInt groups=1, {n} dilation=1) -> Tensor",
        composite=conv_transpose,
        doc=f"""Applies a {spatial}D transposed convolution, the gradient of conv{spatial}d with respect to
        its input.  input is ([N,] C_in, *spatial), weight (C_in, C_out / groups, *kernel), bias (C_out).

        The size of each spatial dimension is ``(size - 1) * stride - 2 * padding + dilation * (kernel - 1) +
        output_padding + 1``.""",
    )


for _spatial in (1, 2, 3):
    _define(_spatial)


def _conv_tbc(input: Any, weight: Any, bias: Any, pad: int) -> Any:
    if input.dim() != 3:
        raise RuntimeError("conv_tbc: Input must have 3 dims: time, batch, in_channel")
    if weight.dim() != 3:
        raise RuntimeError(
            "conv_tbc: Weight tensor must have 3 dims: kernel_width, in_channels, out_channels."
        )
    if bias.dim() != 1:
        raise RuntimeError("conv_tbc: Bias must be 1-D")
    if input.size(2) != weight.size(1):
        raise RuntimeError("conv_tbc: Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if weight.size(2) != bias.size(0):
        raise RuntimeError("conv_tbc: Bias size must equal dim 2 in the weight tensor (output channels).")
    found = aten.conv1d.default(input.permute((1, 2, 0)), weight.permute((2, 1, 0)), bias, padding=[pad])
    return found.permute((2, 0, 1)).contiguous()


native_function(
    "conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor",
    composite=_conv_tbc,
    doc="""Applies a 1D convolution to (time, batch, C_in); weight (kernel, C_in, C_out), bias (C_out).

    ``pad`` zeros are added at both ends of time.  Raises RuntimeError for sizes that do not match.""",
)
