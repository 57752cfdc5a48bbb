"""The backend: memory, and the families' kernels put together."""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon.memory.backend import Backend
from gnomon.values.errors import OutOfMemoryError

from . import (
    activation,
    attention,
    convolution,
    copy,
    embedding_bag,
    fft,
    grid_sampling,
    indexing,
    linalg,
    loss,
    matmul,
    normalization,
    optimizer,
    pointwise,
    pooling,
    random,
    ranges,
    reduce,
    resampling,
    scan,
    sort,
)
from .arrays import Array
from .families import Kernel, Names

FAMILIES = (
    copy,
    pointwise,
    activation,
    reduce,
    scan,
    matmul,
    indexing,
    sort,
    normalization,
    loss,
    convolution,
    pooling,
    resampling,
    random,
    ranges,
    embedding_bag,
    fft,
    linalg,
    optimizer,
    attention,
    grid_sampling,
)


class NumPyBackend(Backend):
    """Memory is an array of bytes, which the reference may read and write in place."""

    name = "numpy"
    device_type = "numpy"
    host_memory = True
    speed_rank = 10  # between the reference and C

    def __init__(self) -> None:
        self.kernels: dict[str, Kernel] = {}
        self.capabilities: dict[str, Names] = {}
        for each in FAMILIES:
            self.kernels.update(each.family.kernels)
            self.capabilities.update(each.family.capabilities)

    def allocate(self, nbytes: int, index: int) -> Array:
        try:
            return np.empty(nbytes, np.uint8)
        except (MemoryError, ValueError):  # ValueError: more than an array can have
            raise OutOfMemoryError(f"numpy: can not allocate {nbytes} bytes") from None

    def copy_in(self, memory: Array, offset: int, data: memoryview) -> None:
        memory[offset : offset + data.nbytes] = np.frombuffer(data.cast("B"), np.uint8)

    def copy_out(self, memory: Array, offset: int, nbytes: int) -> memoryview:
        return memoryview(memory)[offset : offset + nbytes]

    def host_view(self, memory: Array, nbytes: int) -> memoryview:
        return memoryview(memory)

    def wrap_host_memory(self, data: memoryview, address: int) -> Any:
        if data.readonly:
            return None
        return np.frombuffer(data.cast("B"), np.uint8)

    def address(self, memory: Array) -> int:
        return int(memory.__array_interface__["data"][0])
