"""The backend: memory, and the kernels of all families.

Listing backends loads only this file; NumPy and the families are loaded when the backend is used.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from gnomon.memory.backend import Backend
from gnomon.values.errors import OutOfMemoryError

if TYPE_CHECKING:
    from .arrays import Array
    from .families import Family, Kernel, Names

FAMILIES = (
    "copy",
    "pointwise",
    "activation",
    "incomplete",
    "special_functions",
    "reduce",
    "scan",
    "matmul",
    "indexing",
    "sort",
    "normalization",
    "loss",
    "convolution",
    "pooling",
    "resampling",
    "random",
    "ranges",
    "embedding_bag",
    "fft",
    "linalg",
    "optimizer",
    "attention",
    "recurrent",
    "grid_sampling",
)


@functools.lru_cache(maxsize=1)
def families() -> list[Family]:
    """All families of kernels."""
    return [importlib.import_module(f"{__package__}.{name}").family for name in FAMILIES]


class NumPyBackend(Backend):
    """Memory is an array of bytes, which the reference can read and write in place."""

    contract_version = (1, 4)
    name = "numpy"
    device_type = "numpy"
    host_memory = True
    speed_rank = 10  # between the reference and C

    @functools.cached_property
    def kernels(self) -> dict[str, Kernel]:  # type: ignore[override]
        """Operator name -> kernel."""
        return {name: kernel for family in families() for name, kernel in family.kernels.items()}

    @functools.cached_property
    def capabilities(self) -> dict[str, Names]:  # type: ignore[override]
        """Operator name -> the dtypes that its kernel supports."""
        return {name: dtypes for family in families() for name, dtypes in family.capabilities.items()}

    @functools.cached_property
    def _problem(self) -> str:
        return "" if importlib.util.find_spec("numpy") else "NumPy is not installed"

    def is_available(self) -> tuple[bool, str]:
        return not self._problem, self._problem

    def allocate(self, nbytes: int, index: int) -> Array:
        import numpy as np

        try:
            return np.empty(nbytes, np.uint8)
        except (MemoryError, ValueError):  # ValueError: larger than the largest array
            raise OutOfMemoryError(f"numpy: can not allocate {nbytes} bytes") from None

    def copy_in(self, memory: Array, offset: int, data: memoryview) -> None:
        memory.data[offset : offset + data.nbytes] = data.cast("B")

    def copy_out(self, memory: Array, offset: int, nbytes: int) -> memoryview:
        return memory.data[offset : offset + nbytes]

    def host_view(self, memory: Array, nbytes: int) -> memoryview:
        return memory.data

    def wrap_host_memory(self, data: memoryview, address: int) -> Any:
        import numpy as np

        return None if data.readonly else np.frombuffer(data.cast("B"), np.uint8)

    def address(self, memory: Array) -> int:
        return int(memory.__array_interface__["data"][0])
