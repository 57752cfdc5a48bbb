"""The Backend class: kernels compiled at run time, memory from a caching allocator, work in streams."""

from __future__ import annotations

from typing import Any

from gnomon.memory.backend import USUAL_TRAITS, Backend
from gnomon.memory.contract import source_of
from gnomon.memory.prepared import register_free
from gnomon.values.errors import BackendUnavailableError

from . import driver as drivers
from .direct import DirectKernel
from .families import FAMILIES, programs
from .runtime import Runtime
from .streams import current_stream


class CudaBackend(Backend):
    """The GPUs that NVIDIA's driver finds, or with ``GNOMON_CUDA_EMULATE=1`` emulated ones."""

    contract_version = (1, 4)
    name = device_type = "cuda"
    has_addresses = True
    device_module = "gnomon_cuda.device_module"
    traits = USUAL_TRAITS | {"memory_stats", "streams"}

    def __init__(self) -> None:
        self.runtime = Runtime()
        self.runtime.listed = programs
        register_free(self.device_type, self.runtime.owned.free)
        self.kernels: dict[str, Any] = {}
        self.capabilities: dict[str, tuple[str, ...]] = {}
        self._sources: dict[str, str] = {}
        for family in FAMILIES:
            kernels, dtypes, written = family.kernels(self.runtime)
            self.kernels |= kernels
            self.capabilities |= dtypes
            self._sources |= written

    def is_available(self) -> tuple[bool, str]:
        try:
            drivers.load()
        except BackendUnavailableError as error:
            return False, str(error)
        return True, ""

    def device_count(self) -> int:
        return self.runtime.driver.device_count()

    def kernel_source(self, operator: str) -> str:
        """A table's row, or the CUDA source with the Python function that launches its kernels."""
        kernel = self.kernels[operator]
        launched = (
            f", launched by {source_of(kernel.direct.function)}" if isinstance(kernel, DirectKernel) else ""
        )
        return f"{self._sources[operator]}{launched}"

    def allocate(self, nbytes: int, index: int) -> Any:
        return self.runtime.allocate(nbytes, index)

    def allocate_address(self, nbytes: int, index: int) -> float:
        return self.runtime.owned.own(self.runtime.allocate(nbytes, index))

    def adopt(self, address: float, nbytes: int) -> Any:
        return self.runtime.owned.at(address)

    def record_stream(self, memory: Any, stream: Any) -> None:
        memory.record_stream(stream)

    def take_over(self, memory: Any, address: float) -> None:
        self.runtime.owned.free(address)

    def address(self, memory: Any) -> int:
        return memory.address

    def copy_in(self, memory: Any, offset: int, data: memoryview) -> None:
        """The bytes may be changed as soon as this returns."""
        if data.nbytes:
            stream = self.runtime.enter(memory.index)
            content = data if data.c_contiguous else memoryview(bytes(data))
            self.runtime.upload(memory.address + offset, content.cast("B"), memory.index, stream)

    def pin_memory(self, nbytes: int) -> memoryview:
        """A view of memory of the pool of pinned memory."""
        return self.runtime.pinned.lend(nbytes)

    def copy_out(self, memory: Any, offset: int, nbytes: int) -> memoryview:
        """Runs after all work in the current stream."""
        found = bytearray(nbytes)
        if nbytes:
            driver = self.runtime.driver
            stream = self.runtime.enter(memory.index)
            self.runtime.check_not_captured(memory.index, stream)
            driver.copy_to_host(driver.host_address(found), memory.address + offset, nbytes, stream)
            driver.wait_for_stream(stream)
        return memoryview(found)

    def copy_between(self, to: Any, source: Any, nbytes: int) -> None:
        """Copies between devices, ordered in both current streams."""
        driver = self.runtime.driver
        self.runtime.enter(source.index)
        before = current_stream(driver, source.index)
        stream = current_stream(driver, to.index)
        if to.index == source.index:
            driver.copy_on_device(to.address, source.address, nbytes, stream.handle)
            return
        stream.wait_stream(before)
        source.record_stream(stream)
        self.runtime.enter(to.index)
        driver.copy_between_devices(to.address, to.index, source.address, source.index, nbytes, stream.handle)
        before.wait_stream(stream)  # later writes to the source wait for the copy

    def synchronize(self, index: int) -> None:
        self.runtime.driver.activate(index)
        self.runtime.driver.synchronize()

    def memory_stats(self, index: int) -> dict[str, int]:
        return self.runtime.allocator(index).stats()

    def reset_peak_memory(self, index: int) -> None:
        self.runtime.allocator(index).reset_peak()

    def empty_cache(self) -> None:
        self.runtime.empty_cache()

    def set_memory_limit(self, nbytes: int | None, index: int) -> None:
        self.runtime.allocator(index).set_limit(nbytes)
