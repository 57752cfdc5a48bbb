"""Runtime: the driver, its memory and its kernels, opened at first use."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gnomon.values.locks import new_in_each_process

from . import blas, emulation, nccl, sources, streams
from . import driver as drivers
from .allocator import Allocator, Memory
from .cache import ImageCache
from .compiler import HostCompiler, NvrtcCompiler
from .entries import Numbers, Owned
from .graphs import Capture
from .launcher import STRUCTURES
from .pinned import PinnedPool
from .programs import Program, Programs

# How many kernels are compiled at once: about one second's work for either compiler.
BATCH = 12
BATCH_ON_HOST = 10

_lock = new_in_each_process(globals(), "_lock", threading.Lock)


class Runtime:
    """The driver with its memory and its kernels, all of which are opened lazily."""

    def __init__(self) -> None:
        self._allocators: dict[int, Allocator] = {}
        self._structures = STRUCTURES
        self.listed: Callable[[], Iterable[Program]] = tuple  # all programs of all families
        self.owned = Owned()
        self.numbers = Numbers()
        self.captures: dict[tuple[int, int], Capture] = {}  # the running captures by device and stream

    def declare(self, structures: str) -> None:
        """Declares in C the structures of a family's kernel parameters, before anything runs.

        Families that share structures all declare the same text.
        """
        if structures not in self._structures:
            self._structures += structures

    @functools.cached_property
    def driver(self) -> drivers.Driver:
        """The driver.  Raises BackendUnavailableError."""
        found = drivers.load()
        found.ffi.cdef(self._structures)
        return found

    @functools.cached_property
    def ffi(self) -> Any:
        """The cffi object that creates parameter structures."""
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
        """cuBLAS, or None if it is not available."""
        return blas.load(self.driver)

    @functools.cached_property
    def nccl(self) -> nccl.Nccl | None:
        """NCCL, or None if it is not available."""
        return nccl.load(self.driver)

    @functools.cache  # noqa: B019 - there is one Runtime, and it lives as long as the process
    def multiprocessors(self, device: int) -> int:
        """The number of a device's multiprocessors."""
        return self.driver.attribute(device, "multiprocessor_count")

    @functools.cached_property
    def pinned(self) -> PinnedPool:
        """The pool of pinned host memory."""
        return PinnedPool(self.driver)

    def allocator(self, device: int) -> Allocator:
        """The allocator of a device."""
        with _lock:
            if device not in self._allocators:
                self._allocators[device] = Allocator(self.driver, device)
            return self._allocators[device]

    def allocate(self, nbytes: int, device: int) -> Memory:
        """Allocates memory for the current stream of a device.  Raises OutOfMemoryError."""
        return self.allocator(device).allocate(nbytes, streams.current_stream(self.driver, device))

    def empty_cache(self) -> None:
        """Releases cached memory of all devices."""
        for each in list(self._allocators.values()):
            each.empty_cache()

    def enter(self, device: int) -> int:
        """Makes a device's context current; returns the handle of the current stream."""
        self.driver.activate(device)
        return streams.current_stream(self.driver, device).handle

    def upload(self, address: int, data: Any, device: int, stream: int) -> None:
        """Copies host bytes to the device in a stream; they may be modified when this returns."""
        host = self.driver.host_address(data)
        capture = self.captures.get((device, stream)) if self.captures else None
        if capture is not None:  # each replay copies the bytes again
            pinned = self.pinned.allocate(len(data))
            pinned.view()[:] = data
            capture.kept.append(pinned)
            host = pinned.address
        self.driver.copy_to_device(address, host, len(data), stream)
        if capture is None and self.pinned.has_lent(host):  # the driver reads it later
            self.driver.wait_for_stream(stream)

    def check_not_captured(self, device: int, stream: int) -> None:
        """Raises RuntimeError if the stream is being captured: its work does not run, so it can not wait."""
        if self.captures and (device, stream) in self.captures:
            raise RuntimeError(
                "cuda: values cannot be read on the host while a graph is being captured: by item(), "
                "tolist(), or an operator that depends on them"
            )

    def new_flag(self, device: int, stream: int) -> Memory:
        """An int32 in the device's memory, initialized to 0."""
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
        """Launches a kernel into a stream; ``arguments`` are pointers to its parameters."""
        ffi = self.ffi
        parameters = ffi.new("void *[]", [ffi.cast("void *", each) for each in arguments])
        self.driver.launch(function, grid, (threads, 1, 1), shared_bytes, stream, parameters, name)
