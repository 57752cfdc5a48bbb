"""Convolution and its gradients, by csrc/cuda/convolution.cu: implicit matrix products, one factor of which
is gathered.

Names: ``small`` is the output of a convolution and the input of a transposed one, ``large`` is the other; an
element of small at p is combined with those of large at ``p * stride - padding + tap * dilation``.  weight is
(channels of small, channels of large / groups, taps).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gnomon.memory.prepared import NOT_IMPLEMENTED, OK
from gnomon.values.geometry import numel_of

from .direct import Direct, Work, tables
from .programs import Program, one_by_one
from .tables import DTYPES

TEXT = "convolution.cu"
STRUCTURES = """
typedef struct {
    int64_t count; int64_t sizes[3]; int64_t source; int32_t multiply[3]; int32_t start[3]; int64_t outer;
    int64_t inner[3];
} gn_axis;
typedef struct {
    int64_t groups; int64_t rows; int64_t parts; int64_t length; gn_axis n; gn_axis k; int64_t a_row;
    int64_t out_row; int64_t a_group; int64_t source_group; int64_t out_group; int64_t bias_step;
    int32_t divide[3]; int32_t limits[3]; int64_t source_strides[3];
} gn_convolution;
"""
SPATIAL = 3
DEPTH = 8  # CONVOLVE_DEPTH
FEW_ROWS = 4  # up to so many rows per group, each result has its own thread
LEAST_DEPTH = 256  # least length of a part of k
# Template arguments: a tile's side / 16, is the result a weight gradient, are coordinates divided.
_TILES, _LARGE_TILES = (
    [f"convolve_tiles<{side}, {kind}>" for kind in ("0, 0", "0, 1", "1, 0")] for side in (4, 8)
)
_SMALL_ALONE = ("int64", "complex64", "complex128")  # large tiles need too many registers
_CONJUGATE = "conjugate"
# The kernels that are compiled together; those of large tiles are compiled separately: they take long.
_GROUP = (
    *_TILES,
    "convolve_threads<0>",
    "convolve_threads<1>",
    "convolve_blocks",
    "convolve_parts",
    "sum_channels",
)


class _Options(NamedTuple):
    """The options of a call, three numbers each, with 1 or 0 for missing dimensions."""

    stride: list[int]
    padding: list[int]
    dilation: list[int]
    groups: int


def _options(spatial: int, arguments: dict[str, Any]) -> _Options:
    def three(name: str, otherwise: int) -> list[int]:
        given = list(arguments[name])
        given = given * spatial if len(given) == 1 else given
        return [otherwise] * (SPATIAL - spatial) + given

    return _Options(three("stride", 1), three("padding", 0), three("dilation", 1), arguments["groups"])


class _Side(NamedTuple):
    """A tensor (outer, channels, three spatial dimensions); strides in elements."""

    tensor: Any
    sizes: list[int]
    strides: list[int]

    @property
    def space(self) -> list[int]:
        """The spatial sizes."""
        return self.sizes[2:]


def _side(tensor: Any) -> _Side:
    spec = tensor._spec
    missing = SPATIAL + 2 - spec.ndim
    sizes = [*spec.sizes[:2], *[1] * missing, *spec.sizes[2:]]
    strides = [*spec.strides[:2], *[0] * missing, *spec.strides[2:]]
    return _Side(tensor, sizes, strides)


def _axis(
    outer: int, sizes: list[int], source: int, multiply: list[int], start: list[int], *other: int
) -> Any:
    """A ``gn_axis``; ``other``: the strides of the outer and the inner indices in the other tensor."""
    return (outer * numel_of(sizes), sizes, source, multiply, start, other[0], list(other[1:]))


class _Problem(NamedTuple):
    """A matrix product: out = a times the source.

    rows             m of each group
    n, k             the axes
    a_row, out_row   strides of m
    steps            strides of the groups, in a, the source and the output
    divide, limits   of coordinates in the source
    """

    a: _Side
    source: _Side
    out: _Side
    rows: int
    n: Any
    k: Any
    a_row: int
    out_row: int
    steps: tuple[int, int, int]
    divide: list[int]
    limits: list[int]


_ONES, _ZEROS = [1] * SPATIAL, [0] * SPATIAL


def _gather(large: _Side, weight: _Side, small: _Side, options: _Options) -> _Problem:
    """Computes small from large: a convolution."""
    features, channels = weight.sizes[0] // options.groups, weight.sizes[1]
    start = [-each for each in options.padding]
    at_small = (small.strides[0], *small.strides[2:])
    at_weight = (weight.strides[1], *weight.strides[2:])
    return _Problem(
        weight,
        large,
        small,
        features,
        _axis(small.sizes[0], small.space, large.strides[0], options.stride, start, *at_small),
        _axis(channels, weight.space, large.strides[1], options.dilation, _ZEROS, *at_weight),
        weight.strides[0],
        small.strides[1],
        (features * weight.strides[0], channels * large.strides[1], features * small.strides[1]),
        _ONES,
        large.space,
    )


def _spread(large: _Side, weight: _Side, small: _Side, options: _Options) -> _Problem:
    """Computes large from small: a transposed convolution, and a convolution's gradient."""
    features, channels = weight.sizes[0] // options.groups, weight.sizes[1]
    back = [-each for each in options.dilation]
    at_large = (large.strides[0], *large.strides[2:])
    at_weight = (weight.strides[0], *weight.strides[2:])
    return _Problem(
        weight,
        small,
        large,
        channels,
        _axis(large.sizes[0], large.space, small.strides[0], _ONES, options.padding, *at_large),
        _axis(features, weight.space, small.strides[1], back, _ZEROS, *at_weight),
        weight.strides[1],
        large.strides[1],
        (features * weight.strides[0], features * small.strides[1], channels * large.strides[1]),
        options.stride,
        small.space,
    )


def _correlate(large: _Side, weight: _Side, small: _Side, options: _Options) -> _Problem:
    """Computes the weight's gradient from both."""
    features, channels = weight.sizes[0] // options.groups, weight.sizes[1]
    start = [-each for each in options.padding]
    at_small = (small.strides[0], *small.strides[2:])
    at_weight = (weight.strides[1], *weight.strides[2:])
    return _Problem(
        small,
        large,
        weight,
        features,
        _axis(channels, weight.space, large.strides[1], options.dilation, _ZEROS, *at_weight),
        _axis(small.sizes[0], small.space, large.strides[0], options.stride, start, *at_small),
        small.strides[1],
        weight.strides[0],
        (features * small.strides[1], channels * large.strides[1], features * weight.strides[0]),
        _ONES,
        large.space,
    )


def _run(work: Work, problem: _Problem, options: _Options, bias: Any, is_of_weights: bool) -> None:
    """Launches the kernels of a problem; the sizes and the device determine which, and how k is split."""
    columns, depth = problem.n[0], problem.k[0]
    results = options.groups * problem.rows * columns
    if results == 0:
        return
    has_few_rows = problem.rows <= FEW_ROWS
    is_divided = problem.divide != _ONES
    dtype = problem.out.tensor._spec.dtype
    side = 8 if problem.rows > 64 and columns > 64 and dtype.name not in _SMALL_ALONE else 4
    processors = work.multiprocessors
    tiles = options.groups * _parts(problem.rows, 16 * side) * _parts(columns, 16 * side)
    parts = max(1, min(_parts(2 * processors, tiles), depth // LEAST_DEPTH))
    length = _parts(_parts(max(depth, 1), parts), DEPTH) * DEPTH
    parts = _parts(max(depth, 1), length)
    description = work.structure(
        "gn_convolution",
        (
            *(
                options.groups,
                problem.rows,
                parts,
                length,
                problem.n,
                problem.k,
                problem.a_row,
                problem.out_row,
            ),
            *problem.steps,
            0 if bias is None else bias._spec.strides[0],
            *(problem.divide, problem.limits, problem.source.strides[2:]),
        ),
    )
    factors = [description, work.address(problem.a.tensor), work.address(problem.source.tensor)]
    added, out = work.address(bias), work.address(problem.out.tensor)
    if has_few_rows and is_of_weights:
        grid = (min(results, 16 * processors), 1, 1)
        work.launch(TEXT, dtype.name, "convolve_blocks", grid, [*factors, out], _GROUP)
        return
    if has_few_rows:
        parameters = [*factors, added, out]
        kernel = f"convolve_threads<{int(is_divided)}>"
        work.launch(TEXT, dtype.name, kernel, work.grid(results), parameters, _GROUP)
        return
    partial = work.temporary(parts * results * max(4, dtype.itemsize)) if parts > 1 else None
    kernel = f"convolve_tiles<{side}, {int(is_of_weights)}, {int(is_divided)}>"
    grid = (min(tiles * parts, 16 * processors), 1, 1)
    group = _GROUP if kernel in _GROUP else (kernel,)
    work.launch(TEXT, dtype.name, kernel, grid, [*factors, added, out, work.pointer(partial)], group)
    if partial is not None:
        parameters = [description, added, out, work.pointer(partial)]
        work.launch(TEXT, dtype.name, "convolve_parts", work.grid(results), parameters, _GROUP)


def _parts(whole: int, part: int) -> int:
    return -(-whole // part)


def _is_too_large(options: _Options, *sides: _Side) -> bool:
    """Do coordinates exceed 32 bits?"""
    reach = max(max(side.space) for side in sides)
    step = max(*options.stride, *options.dilation, 1)
    return (reach + 1) * step * 2 + max(options.padding) >= 2**31


def _convolution(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, given, weight, bias = tensors
    options = _options(given._spec.ndim - 2, arguments)
    large, small = (out, given) if arguments["transposed"] else (given, out)
    sides = _side(large), _side(weight), _side(small)
    if _is_too_large(options, *sides):
        return NOT_IMPLEMENTED
    _run(work, (_spread if arguments["transposed"] else _gather)(*sides, options), options, bias, False)
    return OK


def _conjugate(work: Work, side: _Side) -> tuple[_Side, Any]:
    """The conjugate of a tensor, for a gradient, and its memory; a real tensor is returned unchanged."""
    dtype = side.tensor._spec.dtype
    if not dtype.is_complex:
        return side, None
    count = numel_of(side.sizes)
    memory = work.temporary(count * dtype.itemsize)
    work.launch(
        TEXT, dtype.name, _CONJUGATE, work.grid(count), [work.view(side.tensor), work.pointer(memory)]
    )
    strides = [numel_of(side.sizes[dim + 1 :]) for dim in range(len(side.sizes))]
    return _Side(memory.address, side.sizes, strides), memory


def _convolution_backward(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    grad_input, grad_weight, grad_bias, gradient, given, weight = tensors
    options = _options(given._spec.ndim - 2, arguments)
    transposed = arguments["transposed"]
    large, small = (gradient, given) if transposed else (given, gradient)
    if _is_too_large(options, _side(large), _side(weight), _side(small)):
        return NOT_IMPLEMENTED
    if grad_input is not None:
        taps, _held = _conjugate(work, _side(weight))
        if transposed:
            problem = _gather(_side(large), taps, _side(grad_input), options)
        else:
            problem = _spread(_side(grad_input), taps, _side(small), options)
        _run(work, problem, options, None, False)
    if grad_weight is not None:
        other, _held = _conjugate(work, _side(given))
        sides = (_side(large), other) if transposed else (other, _side(small))
        _run(work, _correlate(sides[0], _side(grad_weight), sides[1], options), options, None, True)
    channels = gradient._spec.sizes[1]
    if grad_bias is not None and channels:
        view = work.view(gradient)
        view.sizes[1] = 1
        parameters = [view, work.int64(view.strides[1]), work.address(grad_bias)]
        work.launch(TEXT, gradient._spec.dtype.name, "sum_channels", (channels, 1, 1), parameters, _GROUP)
    return OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    for dtype in DTYPES["NUMERIC"]:
        yield Program(TEXT, dtype, _GROUP)
        if dtype not in _SMALL_ALONE:
            yield from one_by_one(TEXT, dtype, _LARGE_TILES)
    for dtype in DTYPES["COMPLEX"]:
        yield Program(TEXT, dtype, (_CONJUGATE,))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    functions = {"convolution": _convolution, "convolution_backward": _convolution_backward}
    source = f"csrc/cuda/{TEXT}"
    return tables(
        runtime, [Direct(name, DTYPES["NUMERIC"], function, source) for name, function in functions.items()]
    )
