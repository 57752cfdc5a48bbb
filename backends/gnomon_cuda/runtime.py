"""Runtime: what kernels need of the driver, opened at first use."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gnomon.values.locks import new_in_each_process

from . import blas, emulation, sources, streams
from . import driver as drivers
from .allocator import Allocator, Memory
from .cache import ImageCache
from .compiler import HostCompiler, NvrtcCompiler
from .entries import Numbers, Owned
from .graphs import Capture
from .launcher import STRUCTURES
from .pinned import PinnedPool
from .programs import Program, Programs

# How many kernels are compiled at once: about a second's work of either compiler.
BATCH = 12
BATCH_ON_HOST = 10

_lock = new_in_each_process(globals(), "_lock", threading.Lock)


class Runtime:
    """The driver with its memory and its kernels.  Nothing is opened before something is asked of it."""

    def __init__(self) -> None:
        self._allocators: dict[int, Allocator] = {}
        self._structures = STRUCTURES
        self.listed: Callable[[], Iterable[Program]] = tuple  # all that may be compiled
        self.owned = Owned()
        self.numbers = Numbers()
        self.captures: dict[
            tuple[int, int], Capture
        ] = {}  # by device and stream; none while nothing is captured

    def declare(self, structures: str) -> None:
        """Say in C which structures a family's kernels take, before anything runs."""
        self._structures += structures

    @functools.cached_property
    def driver(self) -> drivers.Driver:
        """The driver.  Raises BackendUnavailableError."""
        found = drivers.load()
        found.ffi.cdef(self._structures)
        return found

    @functools.cached_property
    def ffi(self) -> Any:
        """What makes the structures of parameters."""
        return self.driver.ffi

    @functools.cached_property
    def programs(self) -> Programs:
        """The compiled kernels."""
        emulated = self.driver.emulated
        cache, folders = ImageCache(), sources.kernel_folders(emulated)
        if not emulated:
            return Programs(self.driver, NvrtcCompiler(folders), cache, BATCH, self.listed)
        compiler = HostCompiler(folders)
        compiler.prefix = functools.cache(lambda: emulation.prefix(compiler, ImageCache()))
        return Programs(self.driver, compiler, cache, BATCH_ON_HOST, self.listed)

    @functools.cached_property
    def blas(self) -> blas.Blas | None:
        """NVIDIA's products of matrices, where there are any."""
        return blas.load(self.driver)

    @functools.cache  # noqa: B019 - there is one Runtime, and it lives as long as the process
    def multiprocessors(self, device: int) -> int:
        """How many multiprocessors a device has."""
        return self.driver.attribute(device, "multiprocessor_count")

    @functools.cached_property
    def pinned(self) -> PinnedPool:
        """Host memory that devices reach."""
        return PinnedPool(self.driver)

    def allocator(self, device: int) -> Allocator:
        """What hands out a device's memory."""
        with _lock:
            if device not in self._allocators:
                self._allocators[device] = Allocator(self.driver, device)
            return self._allocators[device]

    def allocate(self, nbytes: int, device: int) -> Memory:
        """Memory for the current stream of a device.  Raises OutOfMemoryError."""
        return self.allocator(device).allocate(nbytes, streams.current_stream(self.driver, device))

    def empty_cache(self) -> None:
        """Give memory that nobody uses back, on all devices."""
        for each in list(self._allocators.values()):
            each.empty_cache()

    def enter(self, device: int) -> int:
        """Make a device's context current; the handle of the stream that work goes to."""
        self.driver.activate(device)
        return streams.current_stream(self.driver, device).handle

    def upload(self, address: int, data: Any, device: int, stream: int) -> None:
        """Put a copy of the host's bytes into a stream; they may be changed as soon as this returns."""
        host = self.driver.host_address(data)
        capture = self.captures.get((device, stream)) if self.captures else None
        if capture is not None:  # the bytes have to be there at each replay
            pinned = self.pinned.allocate(len(data))
            pinned.view()[:] = data
            capture.kept.append(pinned)
            host = pinned.address
        self.driver.copy_to_device(address, host, len(data), stream)

    def check_not_captured(self, device: int, stream: int) -> None:
        """Raises RuntimeError where the stream is captured: what would be waited for never comes."""
        if self.captures and (device, stream) in self.captures:
            raise RuntimeError(
                "cuda: the host asks for a number while a graph is captured, when nothing runs: item(), "
                "tolist(), or an operator that looks at numbers before it goes on"
            )

    def new_flag(self, device: int, stream: int) -> Memory:
        """An int32 of the device's memory, which is 0."""
        flag = self.allocate(4, device)
        self.driver.fill_bytes(flag.address, 0, 4, stream)
        return flag

    def is_set(self, flag: Memory, stream: int) -> bool:
        """Has a kernel of the stream set the flag?  Waits for it."""
        self.check_not_captured(flag.index, stream)
        answer = self.ffi.new("int32_t *")
        self.driver.copy_to_host(int(self.ffi.cast("uintptr_t", answer)), flag.address, 4, stream)
        self.driver.wait_for_stream(stream)
        return answer[0] != 0

    def launch(
        self,
        name: str,
        function: int,
        grid: tuple[int, int, int],
        threads: int,
        stream: int,
        arguments: Sequence[Any],
        shared_bytes: int = 0,
    ) -> None:
        """Put a kernel into a stream; ``arguments`` are pointers to what it takes."""
        ffi = self.ffi
        parameters = ffi.new("void *[]", [ffi.cast("void *", each) for each in arguments])
        self.driver.launch(function, grid, (threads, 1, 1), shared_bytes, stream, parameters, name)
