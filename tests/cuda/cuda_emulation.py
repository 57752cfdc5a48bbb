"""Helpers of the CUDA runtime's tests: the sources of some kernels, and copies to and from the device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon_cuda.cache import ImageCache
from gnomon_cuda.compiler import HostCompiler
from gnomon_cuda.driver import Driver

KERNELS_TEXT = """
__global__ void add_number(float *x, float number, long long count) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count) x[i] += number;
}
__global__ void write_beyond(float *x, long long count) {
    x[count + threadIdx.x] = 1;
}
__global__ void nothing() {
}
"""
KERNELS = ("add_number", "write_beyond", "nothing")


class Kernels:
    """The kernels above, on the current device."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        image = ImageCache().compile(HostCompiler(), KERNELS_TEXT, KERNELS, "sm_90")
        self.module = driver.load_module(image.data)
        self.functions = {name: driver.function(self.module, image.symbols[name]) for name in KERNELS}

    def parameters(self, *arguments: tuple[str, Any]) -> tuple[Any, list[Any]]:
        """Arguments (C type, value) packed for a launch, and the objects that must live until then."""
        ffi = self.driver.ffi
        kept = [ffi.new(f"{kind} *", value) for kind, value in arguments]
        return ffi.new("void *[]", [ffi.cast("void *", each) for each in kept]), kept

    def add_number(
        self, address: int, number: float, count: int, stream: int = 0, operator: str = ""
    ) -> None:
        packed, kept = self.parameters(("uintptr_t", address), ("float", number), ("long long", count))
        blocks = (count + 63) // 64
        self.driver.launch(
            self.functions["add_number"], (blocks, 1, 1), (64, 1, 1), 0, stream, packed, operator
        )
        kept.clear()

    def write_beyond(self, address: int, count: int, operator: str = "") -> None:
        packed, kept = self.parameters(("uintptr_t", address), ("long long", count))
        self.driver.launch(self.functions["write_beyond"], (1, 1, 1), (4, 1, 1), 0, 0, packed, operator)
        kept.clear()


def put(driver: Driver, address: int, numbers: Sequence[float], stream: int = 0) -> None:
    """Write float32 numbers to the device, and wait for the copy."""
    data = driver.ffi.new("float[]", list(numbers))
    driver.copy_to_device(address, int(driver.ffi.cast("uintptr_t", data)), 4 * len(numbers), stream)
    driver.wait_for_stream(stream)


def get(driver: Driver, address: int, count: int, stream: int = 0) -> list[float]:
    """Read float32 numbers from the device, after all work in the stream."""
    data = driver.ffi.new("float[]", count)
    driver.copy_to_host(int(driver.ffi.cast("uintptr_t", data)), address, 4 * count, stream)
    driver.wait_for_stream(stream)
    return list(data)
