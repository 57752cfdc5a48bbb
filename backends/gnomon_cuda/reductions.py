"""The operators whose kernels are in csrc/cuda/reduce.cu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.calls.iterator import TensorIterator
from gnomon.memory.prepared import OK, PreparingKernel
from gnomon.memory.tensor import Tensor

from .entries import CudaCall
from .launcher import FEW_DIMS, THREADS, Geometry, geometry_of, grid_of
from .programs import Program
from .tables import DTYPES, Row, reduction_rows

TEXT = "reduce.cu"
FEW_ELEMENTS = 64  # up to here one thread reduces to an output, if there are enough outputs
MANY_OUTPUTS = 1024
MANY_DIMS = (
    48  # limit: 4 KiB of parameters; coalesced dimensions have at least 2 elements, and 2**48 do not occur
)
PART = 4096  # the least elements per block if an output is split between blocks
WIDTH = 32  # adjacent outputs that a block reduces together if their input elements are adjacent
ACCUMULATOR_BYTES = 48  # at most
_KERNELS = ("reduce_threads", "reduce_blocks", "reduce_parts")
_ROWS = reduction_rows()


def groups_of(rows: Sequence[Row]) -> dict[str, list[str]]:
    """The operations that are compiled together, by dtype, in the order of the rows."""
    return {dtype: [row.id for row in rows if dtype in row.dtypes] for dtype in DTYPES["ALL"]}


_GROUPS = groups_of(_ROWS)


def _words(kernel: str, dims: int) -> str:
    """The expression of a kernel, with a placeholder for the operation."""
    return f"{kernel}<%s_reduction, {dims}>"


def programs_of(text: str, groups: dict[str, list[str]]) -> Iterator[Program]:
    """All programs of a source file of reductions."""
    for dtype, operations in groups.items():
        for kernel in _KERNELS if operations else ():
            for dims in (FEW_DIMS, MANY_DIMS):
                words = _words(kernel, dims)
                yield Program(text, dtype, tuple(words % each for each in operations))


class ReductionKernel(PreparingKernel):
    """The kernel of one operator; ``prepare`` makes prepared calls of it.

    text     the source file of its kernels
    groups   dtype -> the operations that are compiled together
    """

    text = TEXT
    groups = _GROUPS

    def __init__(self, runtime: Any, row: Row):
        self.runtime = runtime
        self.row = row

    def number(self, kernel_arguments: Sequence[Any]) -> float:
        """The number that the kernels take, from a call's non-tensor arguments."""
        return 0.0

    def prepare(
        self,
        iterator: TensorIterator,
        tensors: Sequence[Tensor | None],
        output_count: int,
        kernel_arguments: Sequence[Any],
    ) -> ReductionCall:
        """The prepared call for operands with the geometry of ``iterator``."""
        return ReductionCall(self, iterator, self.number(kernel_arguments))


class ReductionCall(CudaCall):
    """A prepared call for operands of one geometry; ``run`` launches it on the memory of tensors.

    The sizes, the strides and the device determine which kernel runs, and how an output is split into parts.
    """

    def __init__(self, kernel: ReductionKernel, iterator: TensorIterator, number: float):
        super().__init__(kernel.runtime, [iterator.operands[0].spec], 1)
        self._kernel = kernel
        self._number = number
        self._dtype = iterator.operands[1].dtype.name
        geometry = geometry_of(iterator)
        output, source = geometry.strides
        dims = range(len(geometry.sizes))
        kept = [dim for dim in dims if output[dim] != 0]
        reduced = [dim for dim in dims if output[dim] == 0]
        self._dims = FEW_DIMS if max(len(kept), len(reduced)) <= FEW_DIMS else MANY_DIMS
        self._outputs = _product(geometry.sizes[dim] for dim in kept)
        self._count = _product(geometry.sizes[dim] for dim in reduced)
        self._width = _width(geometry, kept, reduced)
        self._shapes = [
            (
                len(chosen),
                [geometry.sizes[dim] for dim in chosen],
                [[strides[dim] for dim in chosen] for strides in (output, source)],
            )
            for chosen in (kept, reduced)
        ]

    def launch(self, addresses: Sequence[int], stream: int) -> int:
        """Launches it on the output and the input at these addresses."""
        runtime, device = self._runtime, self._device
        multiprocessors = runtime.multiprocessors(device)
        places = runtime.ffi.new("gn_places *", (addresses,))
        parts = self._parts(multiprocessors)
        work = runtime.ffi.new(
            f"gn_reduction{self._dims} *",
            (self._outputs, self._count, max(parts, 1), self._width, self._number, *self._shapes),
        )
        if parts == 0:
            a_thread_each = grid_of(self._outputs, multiprocessors)
            self._launch("reduce_threads", device, stream, a_thread_each, [places, work])
            return OK
        blocks = grid_of(self._groups * parts * THREADS, multiprocessors)
        totals = runtime.allocate(self._outputs * parts * ACCUMULATOR_BYTES, device) if parts > 1 else None
        address = runtime.ffi.new("uintptr_t *", 0 if totals is None else totals.address)
        self._launch("reduce_blocks", device, stream, blocks, [places, work, address])
        if totals is not None:
            a_block_each = grid_of(self._outputs * THREADS, multiprocessors)
            self._launch("reduce_parts", device, stream, a_block_each, [places, work, address])
        return OK

    def _parts(self, multiprocessors: int) -> int:
        """The number of parts of each output; 0: one thread reduces all of it."""
        if self._count <= FEW_ELEMENTS and self._outputs >= MANY_OUTPUTS:
            return 0
        wanted = -(-multiprocessors * 4 // max(self._groups, 1))
        return max(1, min(wanted, self._count * self._width // PART))

    @property
    def _groups(self) -> int:
        """The number of groups of ``width`` outputs."""
        return -(-self._outputs // self._width)

    def _launch(self, kernel: str, device: int, stream: int, grid: Any, arguments: Sequence[Any]) -> None:
        words = _words(kernel, self._dims)
        row = self._kernel.row
        group = [words % each for each in self._kernel.groups[self._dtype]]
        function = self._runtime.programs.function
        found = function(device, self._kernel.text, self._dtype, words % row.id, group)
        self._runtime.launch(row.name, found, grid, THREADS, stream, arguments)


def _width(geometry: Geometry, kept: Sequence[int], reduced: Sequence[int]) -> int:
    """How many outputs a block reduces together: several if the stride between outputs is smaller than those
    of the reduced dimensions.
    """
    steps = [abs(stride) for stride in geometry.strides[1]]
    if not kept or geometry.sizes[kept[0]] < WIDTH:
        return 1
    return WIDTH if all(steps[kept[0]] < steps[dim] for dim in reduced) else 1


def _product(numbers: Any) -> int:
    found = 1
    for each in numbers:
        found *= each
    return found


def programs() -> Iterator[Program]:
    """All programs of this family."""
    return programs_of(TEXT, _GROUPS)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    return (
        {row.name: ReductionKernel(runtime, row) for row in _ROWS},
        {row.name: row.dtypes for row in _ROWS},
        {row.name: row.source for row in _ROWS},
    )
