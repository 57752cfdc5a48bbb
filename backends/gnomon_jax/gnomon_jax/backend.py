"""The backend: allocation, transfers, and the kernels of all families.

Listing backends loads only this file; JAX and the families are loaded when the backend is used.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import pathlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from gnomon.memory.backend import Backend
from gnomon.values.errors import OutOfMemoryError

if TYPE_CHECKING:
    from .memory import Memory
    from .programs import Family, Names

FAMILIES = (
    "copies",
    "pointwise",
    "elementary",
    "special",
    "bessel",
    "polynomials",
    "activation",
    "ranges",
    "reductions",
    "scans",
    "sorting",
    "matrices",
    "linalg",
    "distances",
    "fft",
    "indexing",
    "masks",
    "normalization",
    "losses",
    "ctc",
    "attention",
    "recurrent",
    "embedding_bags",
    "convolution",
    "unfolding",
    "pooling",
    "resampling",
    "padding",
    "grid_sampling",
    "random",
    "optimizer",
)


@functools.lru_cache(maxsize=1)
def families() -> list[Family]:
    """All families of kernels."""
    return [importlib.import_module(f"{__package__}.{name}").family for name in FAMILIES]


class JaxBackend(Backend):
    """Memory is opaque: an object that holds an immutable array, and is given another by each write."""

    contract_version = (1, 4)
    name = "jax"
    device_type = "jax"
    conformance_file = pathlib.Path(__file__).with_name("conformance.txt")

    @functools.cached_property
    def kernels(self) -> dict[str, Callable[..., None]]:  # type: ignore[override]
        """Operator name -> kernel."""
        return {name: kernel for family in families() for name, kernel in family.kernels.items()}

    @functools.cached_property
    def capabilities(self) -> dict[str, Names]:  # type: ignore[override]
        """Operator name -> the dtypes that its kernel supports."""
        return {name: dtypes for family in families() for name, dtypes in family.capabilities.items()}

    @functools.cached_property
    def _problem(self) -> str:
        return "" if importlib.util.find_spec("jax") else "JAX is not installed (pip install jax)"

    def is_available(self) -> tuple[bool, str]:
        return not self._problem, self._problem

    def allocate(self, nbytes: int, index: int) -> Memory:
        from .memory import Memory

        try:
            return Memory(nbytes)
        except MemoryError:
            raise OutOfMemoryError(f"jax: can not allocate {nbytes} bytes") from None

    def copy_in(self, memory: Memory, offset: int, data: memoryview) -> None:
        memory.write(offset, data)

    def copy_out(self, memory: Memory, offset: int, nbytes: int) -> memoryview:
        return memory.bytes()[offset : offset + nbytes].data

    def copy_between(self, to: Memory, source: Memory, nbytes: int) -> None:
        if nbytes == to.nbytes == source.nbytes:
            to.replace(source.content)  # both may have it: nobody writes to it
        else:
            super().copy_between(to, source, nbytes)

    def synchronize(self, index: int) -> None:
        """XLA computes while Python goes on; wait for what was begun last, which is computed last."""
        from .memory import wait

        wait()
