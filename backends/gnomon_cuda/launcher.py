"""Kernel parameters and grids for a TensorIterator and its tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gnomon.calls.iterator import TensorIterator

# The structures of csrc/cuda/kernel.cuh.
STRUCTURES = """
typedef struct { double real; double imag; int64_t integer; } gn_scalar;
typedef struct { int32_t dtypes[4]; gn_scalar scalars[4]; int64_t integers[4]; } gn_numbers;
typedef struct { uintptr_t at[4]; } gn_places;
typedef struct { int32_t ndim; int64_t sizes[8]; int64_t strides[4][8]; } gn_shape8;
typedef struct { int32_t ndim; int64_t sizes[64]; int64_t strides[4][64]; } gn_shape64;
typedef struct {
    int64_t outputs; int64_t count; int64_t parts; int64_t width; double number;
    gn_shape8 kept; gn_shape8 reduced;
} gn_reduction8;
typedef struct { int32_t ndim; int64_t sizes[48]; int64_t strides[4][48]; } gn_shape48;
typedef struct {
    int64_t outputs; int64_t count; int64_t parts; int64_t width; double number;
    gn_shape48 kept; gn_shape48 reduced;
} gn_reduction48;
typedef struct { uintptr_t at; int32_t dtype; int32_t ndim; int64_t sizes[25]; int64_t strides[25]; } gn_view;
"""
THREADS = 256  # per block
BLOCKS_PER_MULTIPROCESSOR = 16
VECTOR_BYTES = 16  # a thread's widest access
MOST_DIMS = 25  # of a tensor parameter; PyTorch has the same limit on CUDA
FEW_DIMS = 8  # enough for most iterations; more need longer parameters


class Geometry(NamedTuple):
    """The geometry of the operands of a TensorIterator.

    sizes, strides   dimension 0 is the fastest; strides of each operand in bytes
    itemsizes        of each operand
    """

    sizes: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]
    itemsizes: tuple[int, ...]

    @property
    def numel(self) -> int:
        """The number of elements of the iteration."""
        count = 1
        for size in self.sizes:
            count *= size
        return count

    def single(self) -> int | None:
        """A bit mask of the inputs with a single, broadcast element; None if another operand is not dense."""
        if len(self.sizes) > 1:
            return None
        bits = 0
        for place, (strides, size) in enumerate(zip(self.strides, self.itemsizes)):
            stride = strides[0] if strides else size
            if stride == 0 and place:
                bits |= 1 << (place - 1)
            elif stride != size and self.numel > 1:
                return None
        return bits

    def lanes(self, addresses: Sequence[int], single: int) -> int:
        """How many elements a thread may access at once, for operands at these addresses."""
        lanes = VECTOR_BYTES // max(self.itemsizes)
        for place, (address, size) in enumerate(zip(addresses, self.itemsizes)):
            is_single = place and single >> (place - 1) & 1
            if not is_single and address % (lanes * size):
                return 1
        return lanes


def geometry_of(iterator: TensorIterator) -> Geometry:
    """The geometry of a TensorIterator."""
    return Geometry(
        tuple(iterator.shape),
        tuple(tuple(operand.strides) for operand in iterator.operands),
        tuple(operand.dtype.itemsize for operand in iterator.operands),
    )


def grid_of(work: int, multiprocessors: int) -> tuple[int, int, int]:
    """Enough blocks for ``work`` steps, but no more than keep the device busy: kernels loop grid-stride."""
    most = multiprocessors * BLOCKS_PER_MULTIPROCESSOR
    return max(1, min((work + THREADS - 1) // THREADS, most)), 1, 1
