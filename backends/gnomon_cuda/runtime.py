"""Runtime: what kernels need of the driver, opened at first use."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import driver as drivers
from . import sources, streams
from .cache import ImageCache
from .compiler import Compiler, HostCompiler, NvrtcCompiler
from .launcher import STRUCTURES
from .programs import Programs

# How many kernels are compiled at once: a second's work of NVIDIA's compiler, or all that a text has, where a process
# is started for it.
BATCH = 12
BATCH_ON_HOST = 1000


def _folders(own: str) -> list[Path]:
    """Where a text of kernels finds what it includes."""
    return [sources.folder() / each for each in (".", "cuda", own)]


class Runtime:
    """The driver with its compiled kernels.  Nothing is opened before something is asked of it."""

    @functools.cached_property
    def driver(self) -> drivers.Driver:
        """The driver.  Raises BackendUnavailableError."""
        found = drivers.load()
        found.ffi.cdef(STRUCTURES)
        return found

    @functools.cached_property
    def ffi(self) -> Any:
        """What makes the structures of parameters."""
        return self.driver.ffi

    @functools.cached_property
    def programs(self) -> Programs:
        """The compiled kernels."""
        emulated = self.driver.emulated
        compiler: Compiler = (
            HostCompiler(_folders("emulation")) if emulated else NvrtcCompiler(_folders("cuda/freestanding"))
        )
        return Programs(self.driver, compiler, ImageCache(), BATCH_ON_HOST if emulated else BATCH)

    @functools.cache  # noqa: B019 - there is one Runtime, and it lives as long as the process
    def multiprocessors(self, device: int) -> int:
        """How many multiprocessors a device has."""
        return self.driver.attribute(device, "multiprocessor_count")

    def enter(self, device: int) -> int:
        """Make a device's context current; the stream that work goes to."""
        self.driver.activate(device)
        return streams.current_stream(self.driver, device).handle

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
