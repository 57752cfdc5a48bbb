"""Resampling: resizes images, by nearest neighbours or by interpolation.

All modes are linear and separable: each output element is a weighted sum of input elements, with weights that
the mode determines for each dimension.  Positions and weights are computed as in PyTorch, in float32 for all
dtypes except float64 (and interpolated uint8), because a position decides which neighbours are used.
Accumulation: the weighted sum over all neighbours is exactly rounded in float64 and rounded once to the
dtype; so is a gradient's.  uint8 is rounded after each dimension, the last first.

With antialiasing, when an image becomes smaller, an output element is a weighted mean of all input elements
that it covers: the filter's width is scaled by the distance of neighbouring output elements.

Source: aten/src/ATen/native/UpSample.h, cpu/UpSampleKernel.cpp; Keys, "Cubic Convolution Interpolation for
Digital Image Processing" (1981), with a = -0.75, and with a = -0.5 where antialiased; Duchon, "Lanczos
Filtering in One and Two Dimensions" (1979).
"""

from __future__ import annotations

import inspect
import itertools
import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

from ...calls.checks import check_dim, check_length, check_size, refuse_dtype, refuse_half
from ...calls.native import native_function
from ...calls.record import Batching, Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import exact_sum
from ...numerics.windows import like, planes
from ...values.dtype import float64, uint8
from ...values.geometry import Ints

# along one dimension: for each output position, pairs (input position, weight)
Weights = list[list[tuple[int, float]]]

_FLOAT32 = struct.Struct("f")


def _single(number: float) -> float:
    """``number`` rounded to float32."""
    return _FLOAT32.unpack(_FLOAT32.pack(number))[0]


# ---------------------------------------------------------------------------------------------------------
# The weights of each mode along one dimension.


def _scale(size: int, count: int, align_corners: bool, scale: float | None, rounded: Any) -> float:
    """The distance in the input of two adjacent output positions.  Source: area_pixel_compute_scale."""
    if align_corners:
        return rounded((size - 1) / (count - 1)) if count > 1 else 0.0
    return rounded(1.0 / scale) if scale is not None and scale > 0 else rounded(size / count)


def _source(at: int, step: float, align_corners: bool, rounded: Any) -> float:
    """The position in the input of an output position.  Source: area_pixel_compute_source_index."""
    if align_corners:
        return rounded(step * at)
    return rounded(rounded(step * (at + 0.5)) - 0.5)


def _within(place: float, size: int, least: int = 0) -> int:
    """``floor(place)`` clamped to ``least`` … ``size - 1``; NaN becomes ``least``."""
    if not place >= least:
        return least
    return size - 1 if place > size - 1 else math.floor(place)


def _nearest(size: int, count: int, align_corners: bool, scale: float | None, rounded: Any) -> Weights:
    """The neighbour at floor(position * scale)."""
    if count == size:
        return [[(at, 1.0)] for at in range(count)]
    step = _scale(size, count, False, scale, rounded)
    return [[(_within(rounded(at * step), size), 1.0)] for at in range(count)]


def _nearest_exact(size: int, count: int, align_corners: bool, scale: float | None, rounded: Any) -> Weights:
    """The neighbour whose center is nearest: at floor((position + 1/2) * scale)."""
    step = _scale(size, count, False, scale, rounded)
    return [[(_within(rounded((at + 0.5) * step), size), 1.0)] for at in range(count)]


def _linear(size: int, count: int, align_corners: bool, scale: float | None, rounded: Any) -> Weights:
    """The two neighbours, weighted by linear interpolation.

    Neighbours with weight 0 are kept, because 0 times infinity must be NaN.
    """
    if count == size:
        return [[(at, 1.0), (at, 0.0)] for at in range(count)]
    step = _scale(size, count, align_corners, scale, rounded)
    weights = []
    for at in range(count):
        source = max(_source(at, step, align_corners, rounded), 0.0)
        left = _within(source, size)
        share = min(max(rounded(source - left), 0.0), 1.0)
        weights.append([(left, rounded(1.0 - share)), (min(left + 1, size - 1), share)])
    return weights


def _cubic(size: int, count: int, align_corners: bool, scale: float | None, rounded: Any) -> Weights:
    """Four neighbours, weighted by Keys' cubic; those outside are replaced by the border's element."""
    step = _scale(size, count, align_corners, scale, rounded)
    weights = []
    for at in range(count):
        source = _source(at, step, align_corners, rounded)
        left = _within(source, size, -4)
        share = min(max(rounded(source - left), 0.0), 1.0)
        weights.append(
            [
                (min(max(left + number - 1, 0), size - 1), weight)
                for number, weight in enumerate(cubic_weights(share))
            ]
        )
    return weights


def cubic_weights(share: float) -> list[float]:
    """The weights of the four neighbours of a position ``share`` after the second of them."""
    a = -0.75

    def near(x: float) -> float:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: float) -> float:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(share + 1), near(share), near(1 - share), far(2 - share)]


def _antialiased(filter: Callable[[float, Any], float], radius: float) -> Callable[..., Weights]:
    """The antialiased mode with the weights ``filter``, which is 0 beyond ``radius``.

    The filter is stretched by the distance of adjacent output positions if that exceeds 1, and its weights
    are divided by their sum.

    Source: _compute_indices_min_size_weights_aa, with its roundings.
    """

    def mode(size: int, count: int, align_corners: bool, scale: float | None, rounded: Any) -> Weights:
        step = _scale(size, count, align_corners, scale, rounded)
        support = rounded(radius * step) if step >= 1 else radius
        inverse = rounded(1.0 / step) if step >= 1 else 1.0
        most = size if support >= size else 2 * math.ceil(support) + 1
        weights = []
        for at in range(count):
            center = rounded(step * (at + 0.5))
            first = _within(rounded(center - support) + 0.5, size + 2)
            past = min(_within(rounded(center + support) + 0.5, size + 2), size)
            length = min(max(past - first, 0), most)
            found = [
                filter(rounded((rounded(first + number - center) + 0.5) * inverse), rounded)
                for number in range(length)
            ]
            total = 0.0
            for weight in found:
                total = rounded(total + weight)
            weights.append(
                [
                    (first + number, rounded(weight / total) if total else weight)
                    for number, weight in enumerate(found)
                ]
            )
        return weights

    return mode


def _triangle(x: float, rounded: Any) -> float:
    return rounded(1.0 - abs(x)) if abs(x) < 1 else 0.0


def _keys(x: float, rounded: Any) -> float:
    """Keys' cubic with a = -0.5, which approximates a smooth function best."""
    x = abs(x)
    if x < 1:
        return rounded((1.5 * x - 2.5) * x * x + 1)
    return rounded(((-0.5 * x + 2.5) * x - 4) * x + 2) if x < 2 else 0.0


def _lanczos(x: float, rounded: Any) -> float:
    """sinc(x) * sinc(x / 3), for ``|x| < 3``."""
    if x == 0:
        return 1.0
    angle = math.pi * x
    return rounded(3 * math.sin(angle) * math.sin(angle / 3) / (angle * angle)) if abs(x) < 3 else 0.0


_MODES: dict[str, Callable[..., Weights]] = {
    "nearest": _nearest,
    "nearest_exact": _nearest_exact,
    "linear": _linear,
    "cubic": _cubic,
    "linear_aa": _antialiased(_triangle, 1.0),
    "cubic_aa": _antialiased(_keys, 2.0),
    "lanczos_aa": _antialiased(_lanczos, 3.0),
}
_INTERPOLATES = ("linear", "cubic", "linear_aa", "cubic_aa", "lanczos_aa")
_ROW_MAJOR_GRADIENT = ("cubic", "cubic_aa", "lanczos_aa")


def weights(
    mode: str, sizes: Ints, counts: Sequence[int], align_corners: bool, scales: Sequence[Any], dtype: Any
) -> list[Weights]:
    """The weights of a mode along each spatial dimension.

    ``scales`` are the scale factors (output size / input size), or None.
    """
    double = dtype is float64 or (dtype is uint8 and mode in _INTERPOLATES)
    rounded = float if double else _single
    return [
        _MODES[mode](size, count, align_corners, scale, rounded)
        for size, count, scale in zip(sizes, counts, scales)
    ]


def _products(along: Sequence[Weights]) -> list[tuple[Ints, list[tuple[Ints, float]]]]:
    """Each output position with pairs (input position, weight)."""
    return [
        (
            position,
            [
                (tuple(at for at, _ in members), math.prod(weight for _, weight in members))
                for members in itertools.product(*(each[at] for each, at in zip(along, position)))
            ],
        )
        for position in itertools.product(*(range(len(each)) for each in along))
    ]


# ---------------------------------------------------------------------------------------------------------
# Checks, shapes, kernels.


def _check_sizes(input_size: Sequence[int], output_size: Sequence[int], spatial: int) -> Ints:
    """The output's sizes.  Raises RuntimeError for invalid sizes.  Source: upsample_2d_common_check."""
    check_length(spatial, output_size=output_size)
    check_length(spatial + 2, input_size=input_size)
    if min(*input_size[2:], *output_size) <= 0:
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input {list(input_size[2:])} and "
            f"output {list(output_size)}"
        )
    return (*input_size[:2], *output_size)


def _refuse_halves(mode: str, dtype: Any) -> None:
    """Raises NotImplementedError for half precision with antialiasing: PyTorch has no such kernel."""
    if mode.endswith("_aa"):
        refuse_half(dtype)


def _meta(mode: str, spatial: int) -> Callable[..., Spec]:
    def meta(self: Spec, output_size: Sequence[int], *options: Any) -> Spec:
        sizes = _check_sizes(self.sizes, output_size, spatial)
        if not self.sizes[1]:
            raise RuntimeError(
                f"Non-empty {spatial + 2}D data tensor expected but got a tensor with sizes "
                f"{list(self.sizes)}"
            )
        copies = mode.endswith("_aa") and sizes == self.sizes
        if not copies and (self.dtype is not uint8 or (mode == "linear" and spatial != 2)):
            refuse_dtype(self.dtype, "bool", "integer", "complex")
            _refuse_halves(mode, self.dtype)
        return like(self, sizes)

    return meta


def _backward_meta(mode: str, spatial: int) -> Callable[..., Spec]:
    row_major = mode in _ROW_MAJOR_GRADIENT or (spatial == 3 and mode != "linear")

    def meta(grad_output: Spec, output_size: Sequence[int], input_size: Sequence[int], *options: Any) -> Spec:
        sizes = _check_sizes(input_size, output_size, spatial)
        check_size(sizes, grad_output=grad_output)
        refuse_dtype(grad_output.dtype, "bool", "integer", "complex")
        _refuse_halves(mode, grad_output.dtype)
        wanted = tuple(input_size)
        return grad_output.contiguous(wanted) if row_major else like(grad_output, wanted)

    return meta


def _options(mode: str, options: Sequence[Any]) -> tuple[bool, Sequence[Any]]:
    """``align_corners``, which only interpolating modes have, and the scales of the dimensions."""
    return (options[0], options[1:]) if mode in _INTERPOLATES else (False, options)


def _kernel(mode: str, spatial: int) -> Callable[..., None]:
    def kernel(output: Tensor, self: Tensor, output_size: Sequence[int], *options: Any) -> None:
        source, out = TensorAccessor(self), TensorAccessor(output)
        align_corners, scales = _options(mode, options)
        sizes = source.sizes[-spatial:]
        along = weights(mode, sizes, output_size, align_corners, scales, self._spec.dtype)
        bytes_between = self._spec.dtype is uint8 and mode in _INTERPOLATES
        if mode.endswith("_aa") or bytes_between:
            # a dimension that keeps its size is copied, whatever its scale
            along = [
                [[(at, 1.0)] for at in range(size)] if size == len(weights) else weights
                for size, weights in zip(sizes, along)
            ]
        if bytes_between:
            _resample_bytes(out, source, along, spatial)
            return
        found = _products(along)
        for plane in planes(source.sizes, spatial):
            for position, members in found:
                out[plane + position] = (
                    source[plane + members[0][0]]
                    if len(members) == 1
                    else _total([source[plane + at] * weight for at, weight in members])
                )

    return kernel


def _total(terms: list[Any]) -> Any:
    """The exact sum, but preserving the sign of a sum of zeros: ``exact_sum`` returns 0.0 for -0.0.

    Without terms 0.0: with an explicit scale, an output element may cover only positions outside the input.
    """
    if any(terms):
        return exact_sum(terms)
    return sum(terms[1:], terms[0]) if terms else 0.0


def _joined(members: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Adds up the weights of equal positions; the border's element occurs several times."""
    totals: dict[int, float] = {}
    for at, weight in members:
        totals[at] = totals.get(at, 0.0) + weight
    return list(totals.items())


def fixed_point(weights: Weights) -> tuple[list[list[tuple[int, int]]], int]:
    """The weights for uint8 as 15-bit integers, and the exponent of 2 by which they were scaled."""
    joined = [_joined(members) for members in weights]
    largest = max(weight for members in joined for _, weight in members)
    bits = 0
    while bits < 22 and int(0.5 + largest * 2 ** (bits + 1)) < 2**15:
        bits += 1
    whole = [
        [(at, int(math.copysign(0.5, weight) + weight * 2**bits)) for at, weight in members]
        for members in joined
    ]
    return whole, bits


def _resample_bytes(out: TensorAccessor, source: TensorAccessor, along: list[Weights], spatial: int) -> None:
    """Resamples uint8 one dimension after another from the last, rounds half up and clamps to 0 … 255.

    Source: ImagingResampleHorizontalConvolution8u, with weights in fixed point.
    """
    sizes = source.sizes[-spatial:]
    fixed = [fixed_point(weights) for weights in along]
    for plane in planes(source.sizes, spatial):
        values: dict[Ints, Any] = {
            position: source[plane + position] for position in itertools.product(*map(range, sizes))
        }
        now = list(sizes)
        for dim in reversed(range(spatial)):
            weights, bits = fixed[dim]
            now[dim] = len(weights)
            moved = {}
            for position in itertools.product(*map(range, now)):
                total = sum(
                    values[position[:dim] + (at,) + position[dim + 1 :]] * weight
                    for at, weight in weights[position[dim]]
                )
                moved[position] = min(max((total + 2 ** (bits - 1)) >> bits, 0), 255)
            values = moved
        for position, value in values.items():
            out[plane + position] = value


def _backward_kernel(mode: str, spatial: int) -> Callable[..., None]:
    def kernel(
        grad_input: Tensor,
        grad_output: Tensor,
        output_size: Sequence[int],
        input_size: Sequence[int],
        *options: Any,
    ) -> None:
        """Each element's gradient is the weighted sum of the gradients of the outputs that use it."""
        grad, out = TensorAccessor(grad_output), TensorAccessor(grad_input)
        align_corners, scales = _options(mode, options)
        sizes = out.sizes[-spatial:]
        keeps = mode == "cubic" and sizes == tuple(
            output_size
        )  # then the gradient is copied, whatever the scales
        along = weights(
            "nearest" if keeps else mode,
            sizes,
            output_size,
            align_corners,
            scales,
            grad_output._spec.dtype,
        )
        uses: dict[Ints, list[tuple[Ints, float]]] = {
            position: [] for position in itertools.product(*map(range, sizes))
        }
        for position, members in _products(along):
            for at, weight in members:
                uses[at].append((position, weight))
        for plane in planes(out.sizes, spatial):
            for at, positions in uses.items():
                terms = [grad[plane + position] * weight for position, weight in positions]
                out[plane + at] = exact_sum(terms)

    return kernel


# ---------------------------------------------------------------------------------------------------------
# The operators.


def output_size_of(
    sizes: Sequence[int], output_size: Sequence[int] | None, scale_factors: Sequence[float] | None
) -> Ints:
    """The output's spatial sizes, from either argument.  Raises RuntimeError unless exactly one is given."""
    if (output_size is None) == (scale_factors is None):
        raise RuntimeError("Must specify exactly one of output_size and scale_factors")
    given: Any = scale_factors if output_size is None else output_size
    spatial = sizes[2:]
    check_length(len(spatial), **{"scale_factors" if output_size is None else "output_size": given})
    if output_size is not None:
        return tuple(output_size)
    wanted = [size * factor for size, factor in zip(spatial, given)]
    if not all(-(2.0**63) <= each < 2.0**63 for each in wanted):  # false for NaN too
        raise RuntimeError(
            f"scale_factors {list(given)} of sizes {list(spatial)}: value cannot be converted to type int64 "
            "without overflow"
        )
    return tuple(map(int, wanted))


def _named(names: Sequence[str], function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` with these parameter names: a derivative formula gets the arguments that it names."""

    def formula(*arguments: Any) -> Any:
        return function(*arguments)

    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    formula.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return formula


def _define(name: str, mode: str, spatial: int, doc: str) -> None:
    aligned = mode in _INTERPOLATES
    align = "bool align_corners, " if aligned else ""
    letters = {1: [""], 2: ["_h", "_w"], 3: ["_d", "_h", "_w"]}[spatial]
    scales = ", ".join(f"float? scales{letter}=None" for letter in letters)
    n = f"SymInt[{spatial}] output_size"

    def forward(*arguments: Any) -> Any:
        return getattr(aten, name).default(*arguments)

    def backward(*arguments: Any) -> Any:
        return getattr(aten, f"{name}_backward").default(*arguments)

    options = [*(["align_corners"] if aligned else []), *(f"scales{letter}" for letter in letters)]
    to_self = _named(
        ["grad", "self_sizes", "output_size", *options],
        lambda grad, self_sizes, size, *rest: backward(grad, size, self_sizes, *rest),
    )
    to_grad = _named(["grad", "output_size", *options], forward)
    camel = "".join(part[:1].upper() + part[1:] for part in name.strip("_").split("_"))
    node = camel.replace(f"{spatial}d", f"{spatial}D")
    native_function(
        f"{name}(Tensor self, {n}, {align}{scales}) -> Tensor",
        python_module="nn",
        meta=_meta(mode, spatial),
        kernel=_kernel(mode, spatial),
        derivatives={"self": to_self},
        node_name=f"{node}Backward0",
        batching=Batching("folded", spatial + 2),
        out=Out(exact=True),
        doc=doc,
    )
    native_function(
        f"{name}_backward(Tensor grad_output, {n}, SymInt[{spatial + 2}] input_size, {align}{scales}) -> "
        "Tensor",
        python_module="nn",
        meta=_backward_meta(mode, spatial),
        kernel=_backward_kernel(mode, spatial),
        derivatives={"grad_output": to_grad},
        node_name=f"{node}BackwardBackward0",
        batching=Batching("folded", spatial + 2),
        doc=f"The gradient of {name}.",
    )

    def by_factors(input: Any, output_size: Any, *options: Any) -> Any:
        *align_corners, factors = options
        check_dim(spatial + 2, input=input)
        sizes = output_size_of(input.shape, output_size, factors)
        return forward(input, sizes, *align_corners, *(factors or [None] * spatial))

    native_function(
        f"{name}.vec(Tensor input, SymInt[]? output_size, {align}float[]? scale_factors) -> Tensor",
        python_module="nn",
        composite=by_factors,
        doc=f"{doc}  Raises RuntimeError unless exactly one of ``output_size`` and ``scale_factors`` is "
        "given.",
    )


for _spatial, _image in ((1, "(N, C, L)"), (2, "(N, C, H, W)"), (3, "(N, C, D, H, W)")):
    _define(
        f"upsample_nearest{_spatial}d",
        "nearest",
        _spatial,
        f"Resizes {_image}: output element i is input element floor(i / scale); the scale defaults to output "
        "size / input size.",
    )
    _define(
        f"_upsample_nearest_exact{_spatial}d",
        "nearest_exact",
        _spatial,
        f"Resizes {_image}: each output element is the input element with the nearest center.",
    )
    _define(
        f"upsample_{('linear', 'bilinear', 'trilinear')[_spatial - 1]}{_spatial}d",
        "linear",
        _spatial,
        f"Resizes {_image} by linear interpolation; ``align_corners`` aligns the centers of the corner "
        "elements of input and output instead of their edges.",
    )
_define(
    "upsample_bicubic2d",
    "cubic",
    2,
    "Resizes (N, C, H, W) by bicubic interpolation (cubic convolution); ``align_corners`` aligns the centers "
    "of the corner elements of input and output instead of their edges.",
)
for _name, _mode, _filter in (
    ("bilinear", "linear_aa", "a triangle filter"),
    ("bicubic", "cubic_aa", "Keys' cubic filter"),
    ("lanczos", "lanczos_aa", "a Lanczos filter with a = 3"),
):
    _define(
        f"_upsample_{_name}2d_aa",
        _mode,
        2,
        "Resizes (N, C, H, W) with antialiasing: each element is the mean of its neighborhood weighted by "
        f"{_filter}, which downsampling stretches by input size / output size.",
    )
