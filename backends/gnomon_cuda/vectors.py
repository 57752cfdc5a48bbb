"""Distances (cdist, pdist), cross products, and addr, by csrc/cuda/vectors.cu."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.calls.iterator import TensorIterator
from gnomon.memory.prepared import OK, PreparingKernel
from gnomon.memory.tensor import Tensor
from gnomon.values.dtype import ALL
from gnomon.values.scalar import scalar_forms

from .direct import Direct, Work, tables
from .entries import CudaCall
from .geometry import Operand, merged, product
from .indexing import clear
from .launcher import THREADS, geometry_of
from .programs import Program, for_each
from .tables import DTYPES

TEXT = "vectors.cu"
STRUCTURES = """
typedef struct {
    int64_t matrices; int64_t rows; int64_t columns; int64_t length;
    gn_view first; gn_view second; gn_view out;
    int64_t first_steps[2]; int64_t second_steps[2]; int64_t out_steps[2]; double order;
} gn_distances;
"""
TILE = 32  # as in vectors.cu
_KINDS = {0.0: 0, 1.0: 1, 2.0: 2, math.inf: 3}  # by the order of the norm; all others are 4
_PRODUCTS = ("cross", "addr")
DISTANCES = [[f"distances<{kind}, {pairs}>" for kind in range(5)] for pairs in (0, 1)]


def _outer(tensor: Any, sizes: Sequence[int]) -> Operand:
    """The dimensions before the last two, expanded to ``sizes``."""
    operand = Operand.of(tensor)
    own, strides = operand.sizes[:-2], operand.strides[:-2]
    missing = len(sizes) - len(own)
    seen = [0 if size == 1 else stride for size, stride in zip(own, strides)]
    return operand.seen(sizes, [0] * missing + seen)


def _launch_distances(
    work: Work, dtype: str, content: Sequence[Any], tiles: int, order: float, pairs: int
) -> int:
    parameters = [work.structure("gn_distances", (*content, order))]
    kernel = f"distances<{_KINDS.get(order, 4)}, {pairs}>"
    work.launch(TEXT, dtype, kernel, work.grid(tiles * THREADS), parameters, DISTANCES[pairs])
    return OK


def _tiles(count: int) -> int:
    return -(-count // TILE)


def _cdist(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out = tensors[0]
    if out._spec.numel == 0:
        return OK
    batch = out._spec.sizes[:-2]
    rows, columns = out._spec.sizes[-2:]
    outers = merged(*(_outer(each, batch) for each in (*tensors[1:], out)))
    content = (
        product(batch),
        rows,
        columns,
        tensors[1]._spec.sizes[-1],
        *(outer.view(work)[0] for outer in outers),
        *(Operand.of(each).strides[-2:] for each in (*tensors[1:], out)),
    )
    tiles = product(batch) * _tiles(rows) * _tiles(columns)
    return _launch_distances(work, out._spec.dtype.name, content, tiles, float(arguments["p"]), 0)


def _pdist(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, source = (Operand.of(each) for each in tensors)
    if out.numel == 0:
        return OK
    if source.numel == 0:  # nothing to compute, for any dtype
        clear(work, tensors[0])
        return OK
    rows, length = source.sizes
    views = [each.seen([], []).view(work)[0] for each in (source, source, out)]
    content = (1, rows, rows, length, *views, source.strides, source.strides, [0, *out.strides])
    dtype = tensors[0]._spec.dtype.name
    return _launch_distances(work, dtype, content, _tiles(rows) ** 2, float(arguments["p"]), 1)


def _cross(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    spec = tensors[0]._spec
    if spec.numel == 0:
        return OK
    dim = arguments["dim"] % spec.ndim
    operands = [Operand.of(each) for each in tensors]
    others = [each for each in range(spec.ndim) if each != dim]
    views = [each.view(work) for each in merged(*(each.chosen(others) for each in operands))]
    steps = [work.int64(each.strides[dim]) for each in operands]
    grid = work.grid(spec.numel // 3)
    work.launch(TEXT, spec.dtype.name, "cross", grid, [*views, *steps], _PRODUCTS)
    return OK


class AddrKernel(PreparingKernel):
    """addr; ``prepare`` makes calls of it."""

    def __init__(self, runtime: Any):
        self._runtime = runtime

    def prepare(
        self,
        iterator: TensorIterator,
        tensors: Sequence[Tensor | None],
        output_count: int,
        kernel_arguments: Sequence[Any],
    ) -> AddrCall:
        """The prepared call for operands with the geometry of ``iterator``."""
        scalars = [scalar_forms(each) for each in kernel_arguments if not isinstance(each, Tensor)]
        return AddrCall(self._runtime, iterator, scalars[-2:])


class AddrCall(CudaCall):
    """A prepared call for operands of one geometry."""

    def __init__(self, runtime: Any, iterator: TensorIterator, scalars: Sequence[Any]):
        super().__init__(runtime, [iterator.operands[0].spec], 1)
        self._dtype = iterator.operands[1].dtype.name
        self._scalars = scalars
        self._geometry = geometry_of(iterator)

    def launch(self, addresses: Sequence[int], stream: int) -> int:
        """Launches it on the output and the inputs at these addresses."""
        work = Work(self._runtime, "addr", self._device, stream)
        sizes = self._geometry.sizes[::-1]  # a TensorIterator's first dimension is the fastest
        places = [(at, strides[::-1]) for at, strides in zip(addresses, self._geometry.strides)]
        parameters = work.views(sizes, *places)
        parameters.append(work.structure("gn_numbers", ([], self._scalars, [])))
        grid = work.grid(self._geometry.numel)
        group = _PRODUCTS[1:] if self._dtype == "bool" else _PRODUCTS
        work.launch(TEXT, self._dtype, "addr", grid, parameters, group)
        return OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    for group in DISTANCES:
        yield from for_each(TEXT, DTYPES["FLOATING"], group)
    yield from for_each(TEXT, DTYPES["NUMERIC"], _PRODUCTS)
    yield Program(TEXT, "bool", _PRODUCTS[1:])


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    source = f"csrc/cuda/{TEXT}"
    every = tuple(each.name for each in ALL)
    made, dtypes, sources = tables(
        runtime,
        [
            Direct("_cdist_forward", DTYPES["FLOATING"], _cdist, source),
            Direct("_pdist_forward", every, _pdist, source),
            Direct("linalg_cross", DTYPES["NUMERIC"], _cross, source),
        ],
    )
    made["addr"], dtypes["addr"], sources["addr"] = AddrKernel(runtime), DTYPES["ALL"], source
    return made, dtypes, sources
