"""A layer of a recurrent network in one direction, and its gradients: matrix products, and csrc/cuda/rnn.cu.

The products of the input are one for all time steps, as are the gradients of the weights.  Each step is one
product and one launch.  Half types are computed as floats: inputs are converted first, and outputs at the
end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gnomon.memory.prepared import OK
from gnomon.values.geometry import Ints

from . import matmul
from .allocator import Memory
from .direct import Direct, Work, tables
from .matmul import Matrix, Product
from .programs import Program, for_each
from .tables import DTYPES

TEXT = "rnn.cu"
STRUCTURES = """
typedef struct { uintptr_t at; int64_t row; int64_t column; } gn_rnn_rows;
typedef struct {
    int64_t mode; int64_t hidden; int64_t sequences; int64_t known;
    gn_rnn_rows saved; gn_rnn_rows products; gn_rnn_rows inner_bias; gn_rnn_rows outer_bias;
    gn_rnn_rows states; gn_rnn_rows cells; gn_rnn_rows output; gn_rnn_rows news;
    gn_rnn_rows before; gn_rnn_rows first; gn_rnn_rows cells_before; gn_rnn_rows first_cells;
    gn_rnn_rows grads; gn_rnn_rows slopes; gn_rnn_rows kept; int64_t keeps_cells;
} gn_rnn_step;
"""
_GROUP = ("rnn_advance<0>", "rnn_retreat<0>", "rnn_keep<0>", "rnn_copy<0>", "rnn_sum<0>")
_CONVERSIONS = ("rnn_widen<0>", "rnn_narrow<0>")
_HALF = ("float16", "bfloat16")
_OPERANDS = (
    *("saved", "products", "inner_bias", "outer_bias", "states", "cells", "output", "news", "before"),
    *("first", "cells_before", "first_cells", "grads", "slopes", "kept"),
)
RELU, TANH, LSTM, GRU = range(4)
GATES = (1, 1, 4, 3)


class Rows(NamedTuple):
    """The address of a matrix, and its strides in elements."""

    at: int
    row: int
    column: int
    itemsize: int

    def part(self, row: int, column: int = 0) -> Rows:
        """The rows and columns from these on."""
        return self._replace(at=self.at + (row * self.row + column * self.column) * self.itemsize)

    @property
    def transposed(self) -> Rows:
        """Its transpose."""
        return self._replace(row=self.column, column=self.row)

    @property
    def matrix(self) -> Matrix:
        """As a factor of a product."""
        return Matrix(self.at, 0, self.row, self.column)


_NONE = Rows(0, 0, 0, 0)


def _rows(tensor: Any) -> Rows:
    """A matrix or a vector, which is a row; null for None."""
    if tensor is None:
        return _NONE
    spec = tensor._spec
    row, column = spec.strides if spec.ndim == 2 else (0, *spec.strides)
    return Rows(int(tensor._address), row, column, spec.dtype.itemsize)


def _sizes(tensor: Any) -> tuple[int, int]:
    """The rows and columns of a matrix or a vector."""
    rows, columns = (1, *tensor._spec.sizes)[-2:]
    return rows, columns


class _Step(NamedTuple):
    """A time step: its first row and its sequences, the first row of the step before, sequences of both."""

    first: int
    sequences: int
    first_before: int
    known: int


def _steps(batch_sizes: Sequence[int], reverse: bool) -> list[_Step]:
    """The time steps in the order in which they are computed."""
    places, first = [], 0
    for count in batch_sizes:
        places.append((first, count))
        first += count
    if reverse:
        places.reverse()
    found = []
    for place, before in zip(places, [(0, 0), *places]):
        found.append(_Step(*place, before[0], min(place[1], before[1])))
    return found


class _Layer:
    """One call: its sizes, its temporary memory, and its launches.

    dtype, itemsize   in which it is computed
    """

    def __init__(self, work: Work, given: Sequence[Any], arguments: dict[str, Any]):
        self.work = work
        input, _, w_hh, *_, hx, _ = given
        self._own_dtype = input._spec.dtype.name
        self.dtype = "float32" if self._own_dtype in _HALF else self._own_dtype
        self.itemsize = 8 if self.dtype == "float64" else 4
        self._made: list[tuple[Any, Rows]] = []
        self.mode = int(arguments["mode"])
        self.rows, self.features = input._spec.sizes
        self.gates = w_hh._spec.sizes[0]
        self.hidden = self.gates // GATES[self.mode]
        self.sequences, self.width = hx._spec.sizes
        self.steps = _steps([int(each) for each in arguments["batch_sizes"]], bool(arguments["reverse"]))
        self._held: list[Memory] = []

    def new(self, rows: int, columns: int) -> Rows:
        """Temporary memory for a matrix."""
        self._held.append(self.work.temporary(max(1, rows * columns) * self.itemsize))
        return Rows(self._held[-1].address, columns, 1, self.itemsize)

    def given(self, tensor: Any) -> Rows:
        """An input, which is a matrix or a vector, which is a row; null for None."""
        if tensor is None or tensor._spec.dtype.name == self.dtype:
            return _rows(tensor)
        found = self.new(*_sizes(tensor))
        self._convert("rnn_widen<0>", tensor, found, is_made=False)
        return found

    def made(self, tensor: Any) -> Rows:
        """An output likewise, which is complete after ``finish``."""
        if tensor is None or tensor._spec.dtype.name == self.dtype:
            return _rows(tensor)
        found = self.new(*_sizes(tensor))
        self._made.append((tensor, found))
        return found

    def finish(self) -> None:
        """Launches the conversions of outputs."""
        for tensor, found in self._made:
            self._convert("rnn_narrow<0>", tensor, found, is_made=True)

    def _convert(self, kernel: str, tensor: Any, floats: Rows, is_made: bool) -> None:
        work = self.work
        rows, columns = _sizes(tensor)
        own, other = work.structure("gn_rnn_rows", _rows(tensor)[:3]), work.address(floats.at)
        operands = (own, other) if is_made else (other, own)
        parameters = [*operands, work.int64(rows), work.int64(columns)]
        if rows * columns:
            grid = work.grid(rows * columns)
            work.launch(TEXT, self._own_dtype, kernel, grid, parameters, _CONVERSIONS)

    def multiply(self, sizes: Ints, out: Rows, left: Rows, right: Rows, adds: bool = False) -> None:
        """Launches ``out = left @ right``, plus ``out`` if ``adds``; ``sizes`` are m, n and k."""
        m, n, k = sizes
        made, a, b = out.matrix, left.matrix, right.matrix
        beta = 1 if adds else 0
        product = Product(self.dtype, self.itemsize, 1, m, n, k, made, made, a, b, beta, 1)
        matmul.run(self.work, product)

    def launch(self, kernel: str, count: int, parameters: Sequence[Any]) -> None:
        """Launches a kernel over ``count`` elements."""
        if count:
            self.work.launch(TEXT, self.dtype, kernel, self.work.grid(count), parameters, _GROUP)

    def copy(self, to: Rows, source: Rows, rows: int, columns: int, adds: bool = False) -> None:
        """Launches ``to = source``, plus ``to`` if ``adds``; a null source is zeros."""
        work = self.work
        numbers = [work.int64(each) for each in (rows, columns, adds)]
        parameters = [work.structure("gn_rnn_rows", each[:3]) for each in (to, source)]
        self.launch("rnn_copy<0>", rows * columns, [*parameters, *numbers])

    def sum(self, to: Rows, source: Rows, columns: int) -> None:
        """Launches the sums of columns over all rows."""
        work = self.work
        parameters = [work.structure("gn_rnn_rows", each[:3]) for each in (to, source)]
        self.launch("rnn_sum<0>", columns, [*parameters, work.int64(self.rows), work.int64(columns)])

    def step(self, step: _Step, operands: dict[str, Rows], keeps_cells: bool = False) -> Any:
        """The structure of a time step; operands that are not given are null."""
        content = [operands.get(name, _NONE)[:3] for name in _OPERANDS]
        sizes = (self.mode, self.hidden, step.sequences, step.known)
        return self.work.structure("gn_rnn_step", (*sizes, *content, int(keeps_cells)))


def _forward(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    output, hy, cy, workspace, *given = tensors
    layer = _Layer(work, given, arguments)
    input, w_ih, w_hh, b_ih, b_hh, w_hr, hx, cx = map(layer.given, given)
    hidden, width, gates = layer.hidden, layer.width, layer.gates
    states, outputs = layer.made(hy), layer.made(output)
    cells = layer.made(cy if layer.mode == LSTM else None)
    layer.copy(states, hx, layer.sequences, width)
    if layer.mode == LSTM:
        layer.copy(cells, cx, layer.sequences, hidden)
    keeps = bool(arguments["train"]) and layer.mode in (LSTM, GRU)
    saved = layer.made(workspace) if keeps else layer.new(layer.rows, 4 * hidden)
    shared = 2 * hidden if layer.mode == GRU else gates
    layer.multiply((layer.rows, shared, layer.features), saved, input, w_ih.transposed)
    if layer.mode == GRU:
        weight = w_ih.part(2 * hidden).transposed
        layer.multiply((layer.rows, hidden, layer.features), saved.part(0, 3 * hidden), input, weight)
    products, news = layer.new(layer.sequences, gates), layer.new(layer.sequences, hidden)
    for step in layer.steps:
        layer.multiply((step.sequences, gates, width), products, states, w_hh.transposed)
        own = outputs.part(step.first)
        operands = {
            "saved": saved.part(step.first),
            "products": products,
            "inner_bias": b_ih,
            "outer_bias": b_hh,
            "cells": cells,
            **({"news": news} if w_hr.at else {"output": own, "states": states}),
        }
        structure = layer.step(step, operands, keeps and layer.mode == LSTM)
        layer.launch("rnn_advance<0>", step.sequences * hidden, [structure])
        if w_hr.at:
            layer.multiply((step.sequences, width, hidden), own, news, w_hr.transposed)
            layer.copy(states, own, step.sequences, width)
    layer.finish()
    return OK


def _backward(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    grads, (grad_output, grad_hy, grad_cy), given = tensors[:8], tensors[8:11], tensors[11:19]
    layer = _Layer(work, given, arguments)
    input, w_ih, w_hh, _, _, w_hr, hx, cx = map(layer.given, given)
    outputs, workspace, from_outputs = map(layer.given, (*tensors[19:], grad_output))
    hidden, width, gates, rows = layer.hidden, layer.width, layer.gates, layer.rows
    for_input, for_w_ih, for_w_hh, for_b_ih, for_b_hh, for_w_hr, for_hx, for_cx = map(layer.made, grads)
    states = for_hx if for_hx.at else layer.new(layer.sequences, width)
    layer.copy(states, layer.given(grad_hy), layer.sequences, width)
    cells = _NONE
    if layer.mode == LSTM:
        cells = for_cx if for_cx.at else layer.new(layer.sequences, hidden)
        layer.copy(cells, layer.given(grad_cy), layer.sequences, hidden)
    slopes = layer.new(rows, 4 * hidden)
    kept, projected, news = layer.new(rows, width), layer.new(rows, width), layer.new(rows, hidden)
    unprojected = layer.new(layer.sequences, hidden)
    for step in reversed(layer.steps):
        if from_outputs.at:
            layer.copy(states, from_outputs.part(step.first), step.sequences, width, adds=True)
        arriving = states
        if w_hr.at:
            arriving = unprojected
            layer.copy(projected.part(step.first), states, step.sequences, width)
            layer.multiply((step.sequences, hidden, width), arriving, states, w_hr)
        operands = {
            "saved": workspace.part(step.first),
            "output": outputs.part(step.first),
            "states": states if layer.mode == GRU else _NONE,
            "cells": cells,
            "news": news.part(step.first),
            "before": outputs.part(step.first_before),
            "first": hx,
            "cells_before": workspace.part(step.first_before, 4 * hidden),
            "first_cells": cx,
            "grads": arriving,
            "slopes": slopes.part(step.first),
            "kept": kept.part(step.first),
        }
        structure = layer.step(step, operands)
        layer.launch("rnn_retreat<0>", step.sequences * hidden, [structure])
        layer.launch("rnn_keep<0>", step.sequences * width, [structure, work.int64(width)])
        adds = layer.mode == GRU
        layer.multiply((step.sequences, width, gates), states, slopes.part(step.first), w_hh, adds)
    shared = 2 * hidden if layer.mode == GRU else gates
    parts = [(0, 0, shared)]
    if layer.mode == GRU:
        parts.append((3 * hidden, shared, hidden))
    for place, first, count in parts:
        part = slopes.part(0, place)
        if for_input.at:
            layer.multiply((rows, layer.features, count), for_input, part, w_ih.part(first), first > 0)
        if for_w_ih.at:
            layer.multiply((count, layer.features, rows), for_w_ih.part(first), part.transposed, input)
        if for_b_ih.at:
            layer.sum(for_b_ih.part(0, first), part, count)
    if for_w_hh.at:
        layer.multiply((gates, width, rows), for_w_hh, slopes.transposed, kept)
    if for_b_hh.at:
        layer.sum(for_b_hh, slopes, gates)
    if for_w_hr.at:
        layer.multiply((width, hidden, rows), for_w_hr, projected.transposed, news)
    layer.finish()
    return OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    yield from for_each(TEXT, DTYPES["PRECISE"], _GROUP)
    yield from for_each(TEXT, _HALF, _CONVERSIONS)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    functions = {"_rnn_layer": _forward, "_rnn_layer_backward": _backward}
    source = f"csrc/cuda/{TEXT}"
    return tables(
        runtime, [Direct(name, DTYPES["FLOATING"], function, source) for name, function in functions.items()]
    )
