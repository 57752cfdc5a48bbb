"""Layer, RMS, group and batch normalization and their gradients, by csrc/cuda/row_norm.cu and
csrc/cuda/channel_norm.cu.

row_norm.cu normalizes independent rows; channel_norm.cu computes sums over images.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import NOT_IMPLEMENTED, OK
from gnomon.memory.tensor import Tensor
from gnomon.values.dtype import float32, float64

from .direct import Direct, Work, tables
from .flat import Flat
from .launcher import THREADS, VECTOR_BYTES
from .programs import Program, for_each
from .tables import DTYPES
from .teams import MOST_THREADS, WARP, block_of, holding

ROWS_TEXT, CHANNELS_TEXT = "row_norm.cu", "channel_norm.cu"
STRUCTURES = """
typedef struct { uintptr_t at; int64_t dtype; } gn_parameter;
typedef struct {
    int64_t rows; int64_t length; int64_t cycle; int64_t share; int64_t each; double eps;
    uintptr_t in; uintptr_t gradient; uintptr_t out;
    gn_parameter weight; gn_parameter bias; gn_parameter mean; gn_parameter rstd;
} gn_norm;
typedef struct {
    int64_t images; int64_t channels; int64_t size; int64_t parts; int64_t length;
    int64_t of_image; int64_t of_channel;
    uintptr_t in; uintptr_t out; gn_parameter gradient;
    gn_parameter weight; gn_parameter bias; gn_parameter mean; gn_parameter rstd;
    gn_parameter for_weight; gn_parameter for_bias; uintptr_t partials; uintptr_t sums;
} gn_channels;
"""
COLUMNS = 32  # channels per block, if their elements are adjacent
PART = 4096  # the least elements per block if a channel is split between blocks
BLOCKS = 4  # blocks per multiprocessor for which sums are split
MOST_BLOCKS = 2**31 - 1
# (threads, bytes of a row that each holds in registers), for shorter rows first.
_TEAMS = ((8, 32), (WARP, 64), (128, 32), (THREADS, 64), (MOST_THREADS, 64))
NO_PARAMETER = (0, 0)
Parameter = tuple[int, int]


def row_teams(dtype: str) -> list[tuple[int, int]]:
    """The teams, for shorter rows first: threads, and elements that each holds; 0 means for all lengths."""
    return [*holding(dtype, _TEAMS), (MOST_THREADS, 0)]


def row_kernels(dtype: str, name: str, is_root: bool) -> list[str]:
    """The kernels of rows, for shorter rows first, in the order in which they are compiled."""
    return [f"{name}<{int(is_root)}, {threads}, {held}>" for threads, held in row_teams(dtype)]


CHANNEL_KERNELS = [
    *(f"channel_sums<{is_gradient}, {columns}>" for is_gradient in (0, 1) for columns in (1, COLUMNS)),
    "channel_shifts<0>",
    "channel_widen<0>",
    *(f"channel_moments<{is_last}>" for is_last in (0, 1)),
    *(f"channel_given<{is_root}>" for is_root in (0, 1)),
    "channel_gradients<0>",
    *(f"channel_elements<{is_gradient}>" for is_gradient in (0, 1, 2)),
]


def _parameter(flat: Flat, tensor: Tensor | None) -> Parameter:
    """The parameter of a vector that is read."""
    return NO_PARAMETER if tensor is None else (flat.given(tensor), tensor._spec.dtype.code)


def _weight(work: Work, flat: Flat, tensor: Tensor | None, dtype: Any) -> Parameter:
    """The parameter of a weight, converted unless it has ``dtype`` or float32."""
    found = _parameter(flat, tensor)
    if tensor is None or tensor._spec.dtype in (dtype, float32):
        return found
    call = _Channels(work, flat, dtype, (1, tensor._spec.numel, 1))
    call.weight = found
    call.places = (0, flat.temporary(4 * max(1, tensor._spec.numel)))
    call.run("channel_widen<0>", tensor._spec.numel)
    return call.places[1], float32.code


def _result(flat: Flat, tensor: Tensor | None, is_read: bool = False) -> Parameter:
    """The parameter of a vector that is written."""
    return NO_PARAMETER if tensor is None else (flat.result(tensor, is_read), tensor._spec.dtype.code)


def _are_alike(*tensors: Tensor | None) -> bool:
    """Do all given tensors have one dtype?"""
    return len({tensor._spec.dtype for tensor in tensors if tensor is not None}) == 1


# ---------------------------------------------------------------------------------------------------------
# Rows.


def _run_rows(
    work: Work,
    name: str,
    is_root: bool,
    dtype: Any,
    shape: tuple[int, int, int, int, int],
    eps: float,
    places: tuple[int, int, int],
    parameters: tuple[Parameter, Parameter, Parameter, Parameter],
) -> None:
    """Launches the kernel for rows of this length; ``shape``: rows, length, cycle, share and each of gn_norm,
    ``places``: the addresses of input, gradient and output, ``parameters``: weight, bias, mean and rstd.
    """
    rows, length = shape[:2]
    if not rows:
        return
    group = row_kernels(dtype.name, name, is_root)
    teams = row_teams(dtype.name)
    chosen = next((place for place, team in enumerate(teams) if team[0] * team[1] >= length), len(teams) - 1)
    threads = teams[chosen][0]
    block = block_of(threads)
    is_dense = length * dtype.itemsize % VECTOR_BYTES == 0 and all(at % VECTOR_BYTES == 0 for at in places)
    arguments = [
        work.structure("gn_norm", (*shape, eps, *places, *parameters)),
        work.int64(is_dense),
    ]
    grid = (min(-(-rows * threads // block), MOST_BLOCKS), 1, 1)
    work.launch(ROWS_TEXT, dtype.name, group[chosen], grid, arguments, group, block)


def _layer_shape(tensor: Tensor, count: int) -> tuple[int, int, int, int, int]:
    """The shape of rows over the last ``count`` dimensions, with a weight for each position."""
    sizes = tensor._spec.sizes
    split = len(sizes) - count
    return math.prod(sizes[:split]), math.prod(sizes[split:]), 1, 0, 1


def _group_shape(arguments: dict[str, Any]) -> tuple[int, int, int, int, int]:
    """The shape of rows over the groups of channels of each image."""
    images, channels, size, group = (arguments[name] for name in ("N", "C", "HxW", "group"))
    share = channels // group
    return images * group, share * size, group, share, max(size, 1)


def _rows_forward(
    work: Work,
    shape: tuple[int, int, int, int, int],
    outputs: tuple[Tensor, Tensor | None, Tensor],
    inputs: tuple[Tensor, Tensor | None, Tensor | None],
    eps: float,
) -> int:
    """Outputs: output, mean (None for RMS norm) and rstd; inputs: input, weight and bias."""
    out, mean, rstd = outputs
    source, weight, bias = inputs
    if not _are_alike(out, source):
        return NOT_IMPLEMENTED
    flat = Flat(work)
    places = (flat.given(source), 0, flat.result(out))
    parameters = (
        _weight(work, flat, weight, source._spec.dtype),
        _weight(work, flat, bias, source._spec.dtype),
        _result(flat, mean),
        _result(flat, rstd),
    )
    _run_rows(work, "norm_rows", mean is None, source._spec.dtype, shape, eps, places, parameters)
    flat.finish()
    return OK


def _layer_norm(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, mean, rstd, source, weight, bias = tensors
    shape = _layer_shape(source, len(arguments["normalized_shape"]))
    return _rows_forward(work, shape, (out, mean, rstd), (source, weight, bias), arguments["eps"])


def _rms_norm(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, rstd, source, weight = tensors
    eps = arguments["eps"]
    if eps is None:
        eps = 2.0 ** (-52 if source._spec.dtype is float64 else -23)
    shape = _layer_shape(source, len(arguments["normalized_shape"]))
    return _rows_forward(work, shape, (out, None, rstd), (source, weight, None), eps)


def _group_norm(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, mean, rstd, source, weight, bias = tensors
    shape = _group_shape(arguments)
    return _rows_forward(work, shape, (out, mean, rstd), (source, weight, bias), arguments["eps"])


def _rows_backward(
    work: Work,
    shape: tuple[int, int, int, int, int],
    channels: tuple[int, int, int, int, int],
    outputs: tuple[Tensor | None, Tensor | None, Tensor | None],
    inputs: tuple[Tensor, Tensor, Tensor | None, Tensor, Tensor | None],
) -> int:
    """Outputs: the gradients of input, weight and bias; inputs: gradient, input, mean, rstd and weight.

    ``channels``: images, channels, size, of_image and of_channel of gn_channels.
    """
    for_input, for_weight, for_bias = outputs
    gradient, source, mean, rstd, weight = inputs
    if not _are_alike(for_input, gradient, source):
        return NOT_IMPLEMENTED
    flat = Flat(work)
    dtype = source._spec.dtype
    at, gradient_at = flat.given(source), flat.given(gradient)
    statistics = _parameter(flat, mean), _parameter(flat, rstd)
    if for_input is not None:
        places = (at, gradient_at, flat.result(for_input))
        parameters = (_weight(work, flat, weight, dtype), NO_PARAMETER, *statistics)
        _run_rows(work, "norm_gradient_rows", mean is None, dtype, shape, 0.0, places, parameters)
    if for_weight is not None or for_bias is not None:
        sums = _Channels(work, flat, dtype, channels[:3], channels[3:])
        sums.places = (at, 0)
        sums.gradient = gradient_at, dtype.code
        sums.mean, sums.rstd = statistics
        sums.results = _result(flat, for_weight), _result(flat, for_bias)
        sums.run_sums(True)
        sums.run("channel_gradients<0>", channels[1])
    flat.finish()
    return OK


def _layer_channels(shape: tuple[int, ...]) -> tuple[int, int, int, int, int]:
    """Rows as images, positions as channels; the statistics are per row."""
    return shape[0], shape[1], 1, 1, max(shape[1], 1)


def _layer_norm_backward(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    gradient, source, mean, rstd, weight, _ = tensors[3:]
    shape = _layer_shape(source, len(arguments["normalized_shape"]))
    inputs = (gradient, source, mean, rstd, weight)
    return _rows_backward(work, shape, _layer_channels(shape), tuple(tensors[:3]), inputs)


def _rms_norm_backward(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    for_input, for_weight, gradient, source, rstd, weight = tensors
    shape = _layer_shape(source, len(arguments["normalized_shape"]))
    inputs = (gradient, source, None, rstd, weight)
    return _rows_backward(work, shape, _layer_channels(shape), (for_input, for_weight, None), inputs)


def _group_norm_backward(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    images, count, size, group = (arguments[name] for name in ("N", "C", "HxW", "group"))
    channels = (images, count, size, group, max(count // group, 1))
    outputs = tuple(tensors[:3])
    return _rows_backward(work, _group_shape(arguments), channels, outputs, tuple(tensors[3:]))


# ---------------------------------------------------------------------------------------------------------
# Channels.


class _Channels:
    """A call of the kernels of channels, whose parameters are the attributes that are set before.

    places   the addresses of input and output
    results  the gradients of weight and bias, or the running statistics
    """

    def __init__(
        self, work: Work, flat: Flat, dtype: Any, sizes: Sequence[int], statistics: Sequence[int] = (0, 1)
    ):
        self._work = work
        self._flat = flat
        self._dtype = dtype.name
        self.sizes = tuple(sizes)
        self._statistics = tuple(statistics)
        self.places = (0, 0)
        self.gradient = self.weight = self.bias = self.mean = self.rstd = NO_PARAMETER
        self.results: tuple[Parameter, Parameter] = (NO_PARAMETER, NO_PARAMETER)
        self.sums = 0
        self._cut()

    def _cut(self) -> None:
        images, channels, size = self.sizes
        self._columns = COLUMNS if size == 1 else 1
        strips = -(-channels // self._columns)
        wanted = BLOCKS * self._work.runtime.multiprocessors(self._work.device)
        parts = max(1, min(wanted // max(strips, 1), images * size * self._columns // PART))
        self._length = max(1, -(-images * size // parts))
        self._parts = max(1, -(-images * size // self._length))
        self._units = strips * self._parts
        self._partials = self._flat.temporary(max(1, self._parts * 2 * channels) * 8)

    def take_sums(self) -> None:
        """Allocates memory for four numbers per channel."""
        self.sums = self._flat.temporary(max(1, 4 * self.sizes[1]) * 8)

    def statistics(self) -> tuple[Parameter, Parameter]:
        """The first two of the numbers of ``take_sums`` as parameters."""
        return (self.sums, float64.code), (self.sums + 8 * self.sizes[1], float64.code)

    def run(self, kernel: str, steps: int, further: Sequence[Any] = (), blocks: int = 0) -> None:
        """Launches a kernel for ``steps`` steps, or with ``blocks`` blocks."""
        if not steps:
            return
        structure = self._work.structure(
            "gn_channels",
            (
                *self.sizes,
                self._parts,
                self._length,
                *self._statistics,
                *self.places,
                self.gradient,
                self.weight,
                self.bias,
                self.mean,
                self.rstd,
                *self.results,
                self._partials,
                self.sums,
            ),
        )
        grid = (min(blocks, MOST_BLOCKS), 1, 1) if blocks else self._work.grid(steps)
        self._work.launch(CHANNELS_TEXT, self._dtype, kernel, grid, [structure, *further], CHANNEL_KERNELS)

    def run_sums(self, is_gradient: bool) -> None:
        """Computes the sums of all parts."""
        kernel = f"channel_sums<{int(is_gradient)}, {self._columns}>"
        self.run(kernel, self.sizes[1], blocks=self._units)

    def run_elements(self, kind: int) -> None:
        """Computes the output's elements."""
        self.run(f"channel_elements<{kind}>", math.prod(self.sizes))


def _sizes(tensor: Tensor) -> tuple[int, int, int]:
    """Images, channels and elements of a plane."""
    sizes = tensor._spec.sizes
    return sizes[0], sizes[1], math.prod(sizes[2:])


def _batch_forward(
    work: Work,
    outputs: tuple[Tensor, Tensor, Tensor],
    inputs: tuple[Tensor, Tensor | None, Tensor | None],
    running: tuple[Tensor | None, Tensor | None],
    is_training: bool,
    momentum: float,
    eps: float,
) -> int:
    """Outputs: output, mean, rstd; inputs: input, weight, bias; training updates the running statistics."""
    out, mean, rstd = outputs
    source, weight, bias = inputs
    if not _are_alike(out, source):
        return NOT_IMPLEMENTED
    flat = Flat(work)
    call = _Channels(work, flat, source._spec.dtype, _sizes(source))
    call.take_sums()
    call.places = (flat.given(source), flat.result(out))
    call.weight, call.bias = _parameter(flat, weight), _parameter(flat, bias)
    channels = call.sizes[1]
    numbers = [work.double(eps)]
    if is_training:
        call.run("channel_shifts<0>", channels)
        call.mean, call.rstd = _result(flat, mean), _result(flat, rstd)
        call.results = _result(flat, running[0], True), _result(flat, running[1], True)
        numbers.append(work.double(momentum))
        if source._spec.dtype is float64:  # a second pass, on differences from the mean
            call.run_sums(False)
            call.run("channel_moments<0>", channels, numbers)
        call.run_sums(False)
        call.run("channel_moments<1>", channels, numbers)
    else:
        call.mean, call.rstd = _parameter(flat, running[0]), _parameter(flat, running[1])
        call.run("channel_given<0>", channels, numbers)
    call.run_elements(0)
    flat.finish()
    return OK


def _batch_norm(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    eps = arguments["eps"]
    return _batch_forward(work, tuple(tensors[:3]), tuple(tensors[3:]), (None, None), True, 0.0, eps)


def _batch_norm_moving(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    training, momentum, eps = (arguments[name] for name in ("training", "momentum", "eps"))
    running = tuple(tensors[3:5])
    return _batch_forward(work, tuple(tensors[:3]), tuple(tensors[5:]), running, training, momentum, eps)


def _batch_norm_running(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    outputs, inputs, running = tuple(tensors[:3]), tuple(tensors[3:6]), tuple(tensors[6:])
    return _batch_forward(work, outputs, inputs, running, False, 0.0, arguments["eps"])


def _batch_norm_backward(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    for_input, for_weight, for_bias, gradient, source, weight, *statistics = tensors
    if not _are_alike(for_input, source):
        return NOT_IMPLEMENTED
    is_training = bool(arguments["train"])
    flat = Flat(work)
    call = _Channels(work, flat, source._spec.dtype, _sizes(source))
    call.take_sums()
    call.places = (flat.given(source), flat.result(for_input))
    call.gradient = _parameter(flat, gradient)
    call.weight = _parameter(flat, weight)
    mean, rstd = statistics[2:] if is_training else statistics[:2]
    call.mean, call.rstd = _parameter(flat, mean), _parameter(flat, rstd)
    channels = call.sizes[1]
    call.run(f"channel_given<{int(is_training)}>", channels, [work.double(arguments["eps"])])
    call.mean, call.rstd = call.statistics()
    call.results = _result(flat, for_weight), _result(flat, for_bias)
    if is_training or for_weight is not None or for_bias is not None:
        call.run_sums(True)
        call.run("channel_gradients<0>", channels)
    if for_input is not None:
        call.run_elements(1 if is_training else 2)
    flat.finish()
    return OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    floats = DTYPES["FLOATING"]
    for dtype in floats:
        for name in ("norm_rows", "norm_gradient_rows"):
            for is_root in (False, True):
                yield Program(ROWS_TEXT, dtype, tuple(row_kernels(dtype, name, is_root)))
    yield from for_each(CHANNELS_TEXT, floats, CHANNEL_KERNELS)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    by_rows = {
        "native_layer_norm": _layer_norm,
        "native_layer_norm_backward": _layer_norm_backward,
        "_fused_rms_norm": _rms_norm,
        "_fused_rms_norm_backward": _rms_norm_backward,
        "native_group_norm": _group_norm,
        "native_group_norm_backward": _group_norm_backward,
    }
    by_channels = {
        "_native_batch_norm_legit.no_stats": _batch_norm,
        "_native_batch_norm_legit": _batch_norm_moving,
        "_native_batch_norm_legit_no_training": _batch_norm_running,
        "native_batch_norm_backward": _batch_norm_backward,
    }
    return tables(
        runtime,
        [
            Direct(name, DTYPES["FLOATING"], function, f"csrc/cuda/{text}")
            for text, functions in ((ROWS_TEXT, by_rows), (CHANNELS_TEXT, by_channels))
            for name, function in functions.items()
        ],
    )
