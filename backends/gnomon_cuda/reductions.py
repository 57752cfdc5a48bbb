"""Reductions: the operators whose kernels are in csrc/cuda/reduce.cu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.kit.iterator import TensorIterator
from gnomon.kit.launch import OK
from gnomon.memory.tensor import Tensor

from .launcher import FEW_DIMS, THREADS, geometry_of, grid_of
from .tables import DTYPES, Row, reduction_rows

TEXT = "reduce.cu"
FEW_ELEMENTS = 64  # up to here one thread folds an output, if there are enough outputs
MANY_OUTPUTS = 1024
MANY_DIMS = (
    48  # parameters have 4 KiB; each dimension that is left has 2 elements at least, and 2**48 are too many
)
PART = 4096  # elements that a block folds at least, before an output is given to several
_ROWS = reduction_rows()
_GROUPS = {dtype: [row.id for row in _ROWS if dtype in row.dtypes] for dtype in DTYPES["ALL"]}
_ACCUMULATOR_BYTES = 8  # at most


class ReductionKernel:
    """One operator; ``prepare`` makes calls of it."""

    def __init__(self, runtime: Any, row: Row):
        self._runtime = runtime
        self.row = row

    def prepare(
        self,
        walk: TensorIterator,
        tensors: Sequence[Tensor | None],
        output_count: int,
        kernel_arguments: Sequence[Any],
    ) -> ReductionCall:
        """The call for operands that lie as those of ``walk``."""
        return ReductionCall(self._runtime, self.row, walk)


class ReductionCall:
    """A call for operands that lie in one way; ``run`` launches it on the memory of tensors.

    Which kernel runs, and how an output is cut in parts, depends on the sizes and the device alone.
    """

    def __init__(self, runtime: Any, row: Row, walk: TensorIterator):
        self._runtime = runtime
        self._row = row
        self._dtype = walk.operands[1].dtype.name
        geometry = geometry_of(walk)
        output, source = geometry.strides
        dims = range(len(geometry.sizes))
        kept = [dim for dim in dims if output[dim] != 0]
        reduced = [dim for dim in dims if output[dim] == 0]
        self._dims = FEW_DIMS if max(len(kept), len(reduced)) <= FEW_DIMS else MANY_DIMS
        self._outputs = _product(geometry.sizes[dim] for dim in kept)
        self._count = _product(geometry.sizes[dim] for dim in reduced)
        self._shapes = [
            (
                len(chosen),
                [geometry.sizes[dim] for dim in chosen],
                [[strides[dim] for dim in chosen] for strides in (output, source)],
            )
            for chosen in (kept, reduced)
        ]

    def entry(self, operands: int, numbers: int, inplace: bool = False) -> None:
        """There is no function in C that runs the call."""
        return

    def run(self, tensors: Sequence[Tensor | None]) -> int:
        """Launch it on the memory of ``tensors``: the output, the input."""
        runtime = self._runtime
        device = tensors[0]._spec.device.index or 0  # type: ignore[union-attr]
        stream = runtime.enter(device)
        multiprocessors = runtime.multiprocessors(device)
        addresses = [int(tensor._address) for tensor in tensors]  # type: ignore[union-attr]
        places = runtime.ffi.new("gn_places *", (addresses,))
        parts = self._parts(multiprocessors)
        work = runtime.ffi.new(
            f"gn_reduction{self._dims} *", (self._outputs, self._count, max(parts, 1), *self._shapes)
        )
        a_thread_each = grid_of(self._outputs, multiprocessors)
        if parts == 0:
            self._launch("reduce_threads", device, stream, a_thread_each, [places, work])
            return OK
        blocks = grid_of(self._outputs * parts * THREADS, multiprocessors)
        totals = runtime.allocate(self._outputs * parts * _ACCUMULATOR_BYTES, device) if parts > 1 else None
        address = runtime.ffi.new("uintptr_t *", 0 if totals is None else totals.address)
        self._launch("reduce_blocks", device, stream, blocks, [places, work, address])
        if totals is not None:
            self._launch("reduce_parts", device, stream, a_thread_each, [places, work, address])
        return OK

    def _parts(self, multiprocessors: int) -> int:
        """In how many parts each output is cut; 0: a thread folds all of it."""
        if self._count <= FEW_ELEMENTS and self._outputs >= MANY_OUTPUTS:
            return 0
        wanted = -(-multiprocessors * 4 // max(self._outputs, 1))
        return max(1, min(wanted, self._count // PART))

    def _launch(self, kernel: str, device: int, stream: int, grid: Any, arguments: Sequence[Any]) -> None:
        words = f"{kernel}<%s_reduction, {self._dims}>"
        group = [words % each for each in _GROUPS[self._dtype]]
        found = self._runtime.programs.function(device, TEXT, self._dtype, words % self._row.id, group)
        self._runtime.launch(self._row.name, found, grid, THREADS, stream, arguments)


def _product(numbers: Any) -> int:
    found = 1
    for each in numbers:
        found *= each
    return found


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels by operator, the dtypes that each takes, and where each is written."""
    return (
        {row.name: ReductionKernel(runtime, row) for row in _ROWS},
        {row.name: row.dtypes for row in _ROWS},
        {row.name: row.source for row in _ROWS},
    )
