"""Launches of kernels in which a block of threads treats one matrix of a batch (csrc/cuda/matrix.cuh)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gnomon.memory.prepared import BAD_VALUE, OK

from .allocator import Memory
from .direct import Direct, Work, tables
from .geometry import Operand, merged, product
from .launcher import THREADS
from .programs import Program, for_each

STRUCTURES = """
typedef struct { gn_view batch; int64_t row; int64_t column; } gn_matrices;
typedef struct { int64_t count; uintptr_t memory; int64_t memory_bytes; uintptr_t fault; } gn_batch;
"""
DTYPES = ("float32", "float64", "complex64", "complex128")
WARP = 32
FEW = 16  # sides of matrices for which a warp is enough
MOST_SHARED_BYTES = 47 * 1024  # of 48 KiB that a kernel has without asking; the rest is for its variables
BLOCKS_PER_MULTIPROCESSOR = 16
BLOCKS_WITH_MEMORY = 4  # per multiprocessor, if each has memory of its own


def group_of(*names: str) -> tuple[str, ...]:
    """The kernels of these names, for both sizes of a block."""
    return tuple(f"{name}<{threads}>" for name in names for threads in (WARP, THREADS))


class Batch:
    """One call on the matrices of a batch.

    sizes   of the batch
    count   of the matrices
    """

    def __init__(self, work: Work, whole: Any, own: int = 2):
        self.work = work
        spec = whole._spec
        self.sizes = spec.sizes[: spec.ndim - own]
        self.count = product(self.sizes)
        self._flag: Memory | None = None

    def operand(self, tensor: Any, own: int = 2, transposed: bool = False) -> Any:
        """The parameter ``gn_matrices`` of a tensor that is broadcast to the batch.

        ``own``: the dimensions of its items: 2 of matrices, 1 of vectors, 0 of numbers.
        """
        spec = tensor._spec
        strides = [stride * spec.dtype.itemsize for stride in spec.strides]
        kept = spec.ndim - own
        steps = [0 if size == 1 else step for size, step in zip(spec.sizes[:kept], strides)]
        steps = [0] * (len(self.sizes) - kept) + steps
        whole = Operand(int(tensor._address), spec.dtype.code, spec.dtype.itemsize, self.sizes, steps)
        row, column = [0, 0, *strides[kept:]][-2:]
        if transposed:
            row, column = column, row
        return self.work.structure("gn_matrices", (merged(whole)[0].view(self.work)[0], row, column))

    @property
    def nothing(self) -> Any:
        """The parameter of an operand that is not there."""
        return self.work.structure("gn_matrices", {})

    def launch(
        self,
        text: str,
        dtype: str,
        group: Sequence[str],
        name: str,
        side: int,
        nbytes: int,
        parameters: Sequence[Any],
        refuses: bool = False,
    ) -> int:
        """Launches the kernel ``name`` of ``group``; returns a status.

        ``side`` is the longest one of a matrix, ``nbytes`` the memory that a block needs.  With ``refuses``
        it waits, and returns BAD_VALUE if the kernel has refused a matrix.  The outputs are new, so nobody
        sees what it has written by then.
        """
        if self.count == 0:
            return OK
        work = self.work
        nbytes += -nbytes % 16
        is_shared = nbytes <= MOST_SHARED_BYTES
        blocks = min(
            self.count,
            work.multiprocessors * (BLOCKS_PER_MULTIPROCESSOR if is_shared else BLOCKS_WITH_MEMORY),
        )
        memory = None if is_shared else work.temporary(blocks * nbytes)
        flag = work.flag() if refuses else None
        addresses = [0 if each is None else each.address for each in (memory, flag)]
        batch = work.structure("gn_batch", (self.count, addresses[0], nbytes, addresses[1]))
        threads = WARP if side <= FEW else THREADS
        work.launch(
            text,
            dtype,
            f"{name}<{threads}>",
            (blocks, 1, 1),
            [batch, *parameters],
            group,
            threads,
            nbytes if is_shared else 0,
        )
        return BAD_VALUE if flag is not None and work.is_set(flag) else OK


def programs_of(text: str, group: Sequence[str]) -> Iterator[Program]:
    """The programs of a family that has the kernels ``group``."""
    return for_each(text, DTYPES, group)


def tables_of(
    runtime: Any, text: str, functions: Mapping[str, Callable[[Work, Sequence[Any], dict[str, Any]], int]]
) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations of a family, each by operator."""
    runtime.declare(STRUCTURES)
    source = f"csrc/cuda/{text}"
    return tables(runtime, [Direct(name, DTYPES, function, source) for name, function in functions.items()])
