"""The backend: memory allocated by PyTorch, and PyTorch's kernels on it.

PyTorch is imported when the backend is used, not when backends are listed.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import pathlib
from typing import TYPE_CHECKING, Any

from gnomon.memory.backend import USUAL_TRAITS, Backend
from gnomon.values.errors import OutOfMemoryError

if TYPE_CHECKING:
    from .kernels import Kernel


class TorchBackend(Backend):
    """Memory is a CPU tensor of bytes, which the reference can read and write in place."""

    contract_version = (1, 4)
    name = "torch"
    device_type = "torch"
    host_memory = True
    speed_rank = -1  # never chosen as ``cpu``: it is for comparisons
    # PyTorch's CPU generator is not gnomon's Philox.
    traits = USUAL_TRAITS - {"random"}
    conformance_file = pathlib.Path(__file__).with_name("conformance.txt")

    @functools.cached_property
    def kernels(self) -> dict[str, Kernel]:  # type: ignore[override]
        """Operator name -> kernel."""
        from .kernels import all_kernels

        return all_kernels()

    @functools.cached_property
    def capabilities(self) -> dict[str, tuple[str, ...] | None]:  # type: ignore[override]
        """Operator name -> the dtypes that its kernel supports."""
        from .claims import dtypes_of

        return {name: dtypes_of(name) for name in self.kernels}

    @functools.cached_property
    def _problem(self) -> str:
        return "" if importlib.util.find_spec("torch") else "PyTorch is not installed (pip install torch)"

    def is_available(self) -> tuple[bool, str]:
        return not self._problem, self._problem

    def kernel_source(self, operator: str) -> str:
        return self.kernels[operator].source

    def allocate(self, nbytes: int, index: int) -> Any:
        import torch

        try:
            return torch.empty(nbytes, dtype=torch.uint8)
        except RuntimeError:
            raise OutOfMemoryError(f"torch: can not allocate {nbytes} bytes") from None

    def copy_in(self, memory: Any, offset: int, data: memoryview) -> None:
        self.host_view(memory, 0)[offset : offset + data.nbytes] = data.cast("B")

    def copy_out(self, memory: Any, offset: int, nbytes: int) -> memoryview:
        return self.host_view(memory, 0)[offset : offset + nbytes]

    def host_view(self, memory: Any, nbytes: int) -> memoryview:
        # Not by NumPy, which PyTorch does not require.
        shown = (ctypes.c_uint8 * memory.numel()).from_address(memory.data_ptr())
        shown.owner = memory  # keeps the memory alive
        return memoryview(shown).cast("B")

    def wrap_host_memory(self, data: memoryview, address: int) -> Any:
        import torch

        if data.readonly:
            return None
        if not data.nbytes:  # frombuffer refuses it
            return torch.empty(0, dtype=torch.uint8)
        return torch.frombuffer(data.cast("B"), dtype=torch.uint8)

    def address(self, memory: Any) -> int:
        return int(memory.data_ptr())

    def set_num_threads(self, count: int) -> None:
        import torch

        torch.set_num_threads(count)

    def num_threads(self) -> int:
        import torch

        return torch.get_num_threads()
