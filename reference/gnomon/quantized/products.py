"""linear and convolutions of quantized tensors: products of bytes with sums in int32, then requantization.

Source: aten/src/ATen/native/quantized/cpu/qlinear.cpp, qconv.cpp (apply_impl), and fbgemm's ReQuantizeOutput.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.dtype import float32, int64, qint8, quint8
from ..values.geometry import numel_of
from .arithmetic import check_zero_point, parameters_of
from .matmul import quantized_mm
from .quantizer import PerChannelAffine, PerTensorAffine
from .registration import run_below
from .tensor import QuantizedTensor, make_quantized


def _check_operands(name: str, input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    for what, each, kind in (("input", input, quint8), ("weight", weight, qint8)):
        if not isinstance(each, QuantizedTensor) or each._spec.dtype is not kind:
            raise RuntimeError(f"{name}: expected {what} of dtype {kind.name}, got {each._spec.dtype.name}")
    if bias is not None and bias._spec.dtype is not float32:
        raise RuntimeError(f"{name}: expected bias of dtype float32, got {bias._spec.dtype.name}")
    if isinstance(weight.quantizer, PerChannelAffine) and weight.quantizer.axis != 0:  # type: ignore[attr-defined]
        raise RuntimeError(f"{name}: expected a weight whose channels are along dimension 0")


def _requantized(
    rows: Tensor,
    columns: Tensor,
    parameters: PerTensorAffine,
    quantizers: tuple[Tensor, Tensor],
    bias: Tensor | None,
    output: PerTensorAffine,
    relu: bool,
) -> Tensor:
    """The bytes of a product of uint8 ``rows`` (m, k) and the transpose of int8 ``columns`` (n, k).

    ``quantizers``: the scales, float32, and the zero points of the columns.
    """
    own = parameters.scale, parameters.zero_point
    minimum = output.zero_point if relu else 0
    added = None if bias is None else aten.detach.default(bias)
    return quantized_mm(
        rows, aten.t.default(columns), *quantizers, added, *own, output.scale, output.zero_point, minimum
    )


def _of_channels(weight: QuantizedTensor) -> tuple[Tensor, Tensor]:
    quantizer = weight.quantizer
    if isinstance(quantizer, PerChannelAffine):
        return quantizer.scales.to(float32), quantizer.zero_points
    where = weight._spec.device
    made = aten.full.default((1,), quantizer.scale, float32, None, where, None)
    return made, aten.full.default((1,), quantizer.zero_point, int64, None, where, None)


def _linear(
    input: QuantizedTensor, weight: QuantizedTensor, bias: Tensor | None, output: PerTensorAffine, relu: bool
) -> QuantizedTensor:
    sizes, (n, k) = input._spec.sizes, weight._spec.sizes
    if not sizes or sizes[-1] != k:
        raise RuntimeError(f"linear: input of sizes {list(sizes)} does not fit weight of sizes {[n, k]}")
    rows = input.held if len(sizes) == 2 else input.held.reshape(numel_of(sizes[:-1]), k)
    found = _requantized(rows, weight.held, parameters_of(input), _of_channels(weight), bias, output, relu)
    return make_quantized(found if len(sizes) == 2 else found.view((*sizes[:-1], n)), output)


def linear(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    scale: float,
    zero_point: int,
    relu: bool = False,
) -> QuantizedTensor:
    """``input`` (*, k), quint8, times the transpose of ``weight`` (n, k), qint8, plus ``bias`` (n,), float32.

    The result (*, n) is quint8 with ``scale`` and ``zero_point``.  ``relu``: with nothing below zero.
    Raises RuntimeError for other dtypes and sizes.  Source: torch.ops.quantized.linear.
    """
    _check_operands("linear", input, weight, bias)
    check_zero_point(zero_point, quint8, "linear:")
    return run_below(_linear, input, weight, bias, PerTensorAffine(scale, zero_point), relu)


def _windows(held: Tensor, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Tensor:
    """The windows of a padded (N, C, *) tensor: (N, *places, C, *kernel), a view."""
    ndim = len(kernel)
    sizes, strides = held._spec.sizes, held._spec.strides
    places = [
        (size - step * (length - 1) - 1) // move + 1
        for size, length, move, step in zip(sizes[2:], kernel, stride, dilation)
    ]
    if any(each <= 0 for each in places):
        raise RuntimeError("convolution: kernel size can't be greater than the padded input size")
    return held.as_strided(
        (sizes[0], *places, sizes[1], *kernel),
        (
            strides[0],
            *[strides[2 + dim] * stride[dim] for dim in range(ndim)],
            strides[1],
            *[strides[2 + dim] * dilation[dim] for dim in range(ndim)],
        ),
    )


def _convolution(
    input: QuantizedTensor,
    weight: QuantizedTensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    output: PerTensorAffine,
    relu: bool,
) -> QuantizedTensor:
    parameters = parameters_of(input)
    width = [side for size in reversed(padding) for side in (size, size)]
    held = aten.constant_pad_nd.default(input.held, width, parameters.zero_point)
    n, channels, *kernel = weight._spec.sizes
    each_n = n // groups
    scales, zero_points = (each.expand(n) if each._spec.numel == 1 else each for each in _of_channels(weight))
    parts = []
    for group in range(groups):
        own = slice(group * each_n, (group + 1) * each_n)
        windows = _windows(held.narrow(1, group * channels, channels), kernel, stride, dilation)
        places = windows._spec.sizes[: 1 + len(kernel)]
        rows = windows.reshape(numel_of(places), channels * numel_of(kernel))
        found = _requantized(
            rows,
            weight.held[own].reshape(each_n, -1),
            parameters,
            (scales[own], zero_points[own]),
            None if bias is None else bias[own],
            output,
            relu,
        )
        parts.append(found.view((*places, each_n)))
    joined = parts[0] if groups == 1 else aten.cat.default(parts, -1)
    return make_quantized(joined.movedim(-1, 1), output)  # channels_last, as PyTorch's


def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    scale: float,
    zero_point: int,
    relu: bool = False,
) -> QuantizedTensor:
    """The convolution of ``input`` (N, C, *), quint8, with ``weight`` (n, C / groups, *), qint8.

    ``bias`` (n,) is float32; padding has the value zero.  The result is quint8 with ``scale`` and
    ``zero_point``, and its channels are adjacent in memory.  ``relu``: with nothing below zero.  Raises
    RuntimeError for other dtypes and sizes.  Source: torch.ops.quantized.conv2d.
    """
    _check_operands("conv", input, weight, bias)
    check_zero_point(zero_point, quint8, "conv:")
    sizes, (n, channels, *kernel) = input._spec.sizes, weight._spec.sizes
    if len(sizes) != len(kernel) + 2 or groups < 1 or n % groups or sizes[1] != channels * groups:
        raise RuntimeError(
            f"conv: input of sizes {list(sizes)} does not fit weight of sizes {list(weight._spec.sizes)} in "
            f"{groups} groups"
        )
    output = PerTensorAffine(scale, zero_point)
    return run_below(_convolution, input, weight, bias, stride, padding, dilation, groups, output, relu)


def transposed_convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    output_padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    scale: float,
    zero_point: int,
) -> QuantizedTensor:
    """The transposed convolution of ``input`` (N, C, *), quint8, with ``weight`` (C, n / groups, *), qint8.

    It is the convolution of a larger input, with zeros between its elements and around them, with the weight
    in reverse.  Otherwise as ``convolution``.  Source: torch.ops.quantized.conv_transpose2d.
    """
    _check_operands("conv_transpose", input, weight, bias)
    sizes, (channels, each_n, *kernel) = input._spec.sizes, weight._spec.sizes
    ndim = len(kernel)
    if len(sizes) != ndim + 2 or groups < 1 or channels % groups or sizes[1] != channels:
        raise RuntimeError(
            f"conv_transpose: input of sizes {list(sizes)} does not fit weight of sizes "
            f"{list(weight._spec.sizes)} in {groups} groups"
        )

    def prepared(input: QuantizedTensor, weight: QuantizedTensor) -> tuple[QuantizedTensor, QuantizedTensor]:
        zero = parameters_of(input).zero_point
        larger = [(size - 1) * step + 1 for size, step in zip(sizes[2:], stride)]
        held = input.held.new_full((*sizes[:2], *larger), zero)
        spread = held
        for dim, step in enumerate(stride, 2):
            spread = aten.slice.Tensor(spread, dim, 0, None, step)
        spread.copy_(input.held)
        around = [step * (length - 1) - side for step, length, side in zip(dilation, kernel, padding)]
        width = [
            each
            for side, extra in zip(reversed(around), reversed(list(output_padding)))
            for each in (side, side + extra)
        ]
        held = aten.constant_pad_nd.default(held, width, zero)
        grouped = weight.held.reshape(groups, channels // groups, each_n, *kernel).transpose(1, 2)
        reverse = grouped.reshape(groups * each_n, channels // groups, *kernel).flip(list(range(2, ndim + 2)))
        return make_quantized(held, input.quantizer), make_quantized(reverse, parameters_of(weight))

    larger, reverse = run_below(prepared, input, weight)
    ones, zeros = [1] * ndim, [0] * ndim
    return convolution(larger, reverse, bias, ones, zeros, dilation, groups, scale, zero_point)
