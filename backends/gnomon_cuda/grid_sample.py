"""grid_sampler and its gradients, by csrc/cuda/grid_sample.cu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import NOT_IMPLEMENTED, OK

from .direct import Direct, Work, tables
from .geometry import product
from .indexing import clear
from .launcher import THREADS
from .order import PACKED, WIDE, sorted_numbers, starts_of
from .programs import Program, one_by_one
from .tables import DTYPES

TEXT = "grid_sample.cu"
STRUCTURES = """
typedef struct { uintptr_t at; int64_t steps[5]; } gn_planes;
typedef struct {
    int64_t spatial; int64_t images; int64_t channels; int64_t block; int64_t slots;
    int64_t sizes[3]; int64_t out[3]; int64_t mode; int64_t padding; int64_t align_corners;
    gn_planes input; gn_planes grid; gn_planes gradient; gn_planes moved_input; gn_planes moved_grid;
} gn_sampling;
"""
SPATIAL = 3
NEAREST, BICUBIC = 1, 2
FEW = 64  # as in grid_sample.cu
MOST_BLOCK = 16  # channels per thread, which share a point's neighbours
ENOUGH_THREADS = 2**16  # below, a thread processes fewer channels, and a warp processes each point
MOST_MEETINGS = 2**23  # sorted at once, unless one image has more
_FORWARD = ("sample<0>",)
_BACKWARD = (
    *("slopes<1, 0>", "slopes<32, 0>", "find_meetings<0>"),
    *(f"sum_few_meetings<{PACKED}>", f"sum_many_meetings<{PACKED}>"),
)
_ON_WIDE = (f"sum_few_meetings<{WIDE}>", f"sum_many_meetings<{WIDE}>")
_DOUBLE = ("sample<1>", "slopes<1, 1>", "slopes<32, 1>", "find_meetings<1>")


def _planes(tensor: Any, is_grid: bool = False) -> tuple[int, list[int]]:
    """The content of a ``gn_planes``; for None one with a null address."""
    if tensor is None:
        return 0, [0] * (SPATIAL + 2)
    spec = tensor._spec
    steps = [stride * spec.dtype.itemsize for stride in spec.strides]
    if is_grid:  # coordinates take the place of channels
        steps.insert(1, steps.pop())
    missing = [0] * (SPATIAL + 2 - len(steps))
    return int(tensor._address), [*steps[:2], *missing, *steps[2:]]


def _sampling(
    work: Work,
    arguments: dict[str, Any],
    input: Any,
    grid: Any,
    gradient: Any = None,
    moved_input: Any = None,
    moved_grid: Any = None,
) -> Any:
    """The structure ``gn_sampling``."""
    sizes = input._spec.sizes
    spatial = len(sizes) - 2
    missing = [1] * (SPATIAL - spatial)
    out = grid._spec.sizes[1:-1]
    mode = arguments["interpolation_mode"]
    slots = 1 if mode == NEAREST else 16 if mode == BICUBIC else 2**spatial
    results = sizes[0] * sizes[1] * product(out)
    return work.structure(
        "gn_sampling",
        (
            spatial,
            *sizes[:2],
            min(max(results // ENOUGH_THREADS, 1), MOST_BLOCK),
            slots,
            [*missing, *sizes[2:]],
            [*missing, *out],
            mode,
            arguments["padding_mode"],
            int(bool(arguments["align_corners"])),
            _planes(input),
            _planes(grid, True),
            _planes(gradient),
            _planes(moved_input),
            _planes(moved_grid, True),
        ),
    )


def _launch(work: Work, dtype: str, kernel: str, steps: int, parameters: Sequence[Any]) -> None:
    if steps:
        group = next((each for each in (_FORWARD, _BACKWARD, _DOUBLE) if kernel in each), ())
        work.launch(TEXT, dtype, kernel, work.grid(steps), parameters, group)


def _write_results(work: Work, sampling: Any, out: Any, is_double: bool) -> None:
    """Writes to ``out``, which has the result's sizes."""
    steps = out._spec.numel and out._spec.numel // sampling.channels * -(-sampling.channels // sampling.block)
    parameters = [sampling, work.structure("gn_planes", _planes(out))]
    _launch(work, out._spec.dtype.name, f"sample<{int(is_double)}>", steps, parameters)


def _write_slopes(work: Work, sampling: Any, out: Any, is_double: bool) -> None:
    """Writes to ``out``, which has the grid's sizes."""
    places = out._spec.numel // sampling.spatial
    team = 1 if places >= ENOUGH_THREADS else 32
    parameters = [sampling, work.structure("gn_planes", _planes(out, True))]
    kernel = f"slopes<{team}, {int(is_double)}>"
    _launch(work, out._spec.dtype.name, kernel, places * team, parameters)


def _write_input_gradient(work: Work, sampling: Any, out: Any, is_double: bool) -> None:
    """Writes to ``out``, which has the input's sizes, as many images at a time as can be sorted together."""
    if out._spec.numel == 0:
        return
    dtype = out._spec.dtype.name
    elements, places = product(sampling.sizes), product(sampling.out)
    each = places * sampling.slots
    if each == 0:
        clear(work, out)
        return
    together = max(1, MOST_MEETINGS // each)
    to = work.structure("gn_planes", _planes(out))
    for first in range(0, sampling.images, together):
        images = min(together, sampling.images - first)
        count = images * each
        numbers, weights = work.temporary(count * 8), work.temporary(count * 8)
        some = [sampling, work.int64(first), work.int64(images)]
        parameters = [*some, work.pointer(numbers), work.pointer(weights)]
        _launch(work, dtype, f"find_meetings<{int(is_double)}>", images * places, parameters)
        keys = images * elements
        entries, entry = sorted_numbers(work, numbers, count, keys.bit_length())
        starts = starts_of(work, entries, entry, count, keys)
        sources = [work.pointer(each) for each in (entries, starts, weights)]
        steps = keys * sampling.channels
        _launch(work, dtype, f"sum_few_meetings<{entry}>", steps, [*some, *sources, to])
        if count > FEW:
            parameters = [*some, work.int64(count), *sources, to]
            steps = -(-count // FEW) * sampling.channels * THREADS
            _launch(work, dtype, f"sum_many_meetings<{entry}>", steps, parameters)


def _sample(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, input, grid = tensors
    _write_results(work, _sampling(work, arguments, input, grid), out, False)
    return OK


def _gradients(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    to_input, to_grid, gradient, input, grid = tensors
    sampling = _sampling(work, arguments, input, grid, gradient)
    if to_input is not None:
        _write_input_gradient(work, sampling, to_input, False)
    if to_grid is not None:
        _write_slopes(work, sampling, to_grid, False)
    return OK


def _double_gradients(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    to_gradient, to_input, to_grid, moved_input, moved_grid, gradient, input, grid = tensors
    pairs = ((moved_input, input), (moved_grid, grid))
    if any(one is not None and one._spec.sizes != other._spec.sizes for one, other in pairs):
        return NOT_IMPLEMENTED
    sampling = _sampling(work, arguments, input, grid, gradient, moved_input, moved_grid)
    if to_gradient is not None:
        _write_results(work, sampling, to_gradient, True)
    if to_input is not None:
        _write_input_gradient(work, sampling, to_input, True)
    if to_grid is not None:
        _write_slopes(work, sampling, to_grid, True)
    return OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    for dtype in DTYPES["FLOATING"]:
        for group in (_FORWARD, _BACKWARD, _DOUBLE):
            yield Program(TEXT, dtype, group)
        yield from one_by_one(TEXT, dtype, _ON_WIDE)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    functions = {
        "grid_sampler_2d": _sample,
        "grid_sampler_3d": _sample,
        "grid_sampler_2d_backward": _gradients,
        "grid_sampler_3d_backward": _gradients,
        "_grid_sampler_double_backward": _double_gradients,
    }
    source = f"csrc/cuda/{TEXT}"
    return tables(
        runtime, [Direct(name, DTYPES["FLOATING"], function, source) for name, function in functions.items()]
    )
