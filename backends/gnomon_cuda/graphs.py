"""CUDA graphs: a program's work on a GPU, captured once and replayed as one launch.

While a stream is captured nothing runs: kernels are recorded with their arguments.  Memory is allocated from
a private pool of the graph, so that its addresses remain valid; data from the host is kept in pinned memory,
from which each replay copies it again.

Source: torch.cuda.CUDAGraph and torch.cuda.graph; "CUDA Programming Guide", on graphs.
"""

from __future__ import annotations

import gc
from types import TracebackType
from typing import Any

from .driver import CAPTURE_MODES
from .pinned import PinnedMemory
from .streams import Stream, current_stream, on_device


class Capture:
    """What a capture must keep alive for its graph."""

    def __init__(self) -> None:
        self.kept: list[PinnedMemory] = []


class CUDAGraph:
    """The captured work of one stream of device ``index``, for replay.

    Work that is launched into the stream between ``capture_begin`` and ``capture_end`` is captured; ``graph``
    is the usual way to call them.  Each replay uses the same random numbers.

    keep_graph  keep the graph beside what is replayed, which ``instantiate`` makes of it; the first replay
                does so, too
    """

    def __init__(self, runtime: Any, index: int = 0, keep_graph: bool = False):
        self._runtime = runtime
        self._index = index
        self._stream: Stream | None = None
        self._capture = Capture()
        self._pool: int | None = None
        self._owns_pool = False
        self._keeps_graph = keep_graph
        self._graph = 0
        self._executable = 0

    def pool(self) -> int:
        """The pool of its memory, which other graphs can share.

        Raises RuntimeError before a capture.
        """
        if self._pool is None:
            raise RuntimeError("CUDAGraph.pool: called without a preceding capture")
        return self._pool

    def capture_begin(
        self,
        pool: int | None = None,
        stream: Stream | None = None,
        capture_error_mode: str = "global",
    ) -> None:
        """Begins to capture the work of ``stream``, by default the current one, instead of running it.

        pool                of another graph, which is never replayed while this one's results are needed
        capture_error_mode  "global", "thread_local" or "relaxed".  It is only checked: the driver is always
                            told "relaxed", because memory may be allocated during a capture

        Raises RuntimeError if the graph has captured something already, and for the default stream, which can
        not be captured, and for another mode.
        """
        if capture_error_mode not in CAPTURE_MODES:
            raise RuntimeError(
                "Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got "
                f"{capture_error_mode}"
            )
        if self._graph or self._executable or self._stream is not None:
            raise RuntimeError(
                "CUDAGraph.capture_begin: this CUDAGraph already captured a graph; call reset() first"
            )
        driver = self._runtime.driver
        stream = current_stream(driver, self._index) if stream is None else stream
        if not stream.handle:
            raise RuntimeError("CUDAGraph.capture_begin: the default stream cannot be captured")
        self._pool = self._runtime.allocator(self._index).begin_pool(stream, pool)
        self._owns_pool = pool is None
        with on_device(driver, self._index):
            try:
                driver.begin_capture(stream.handle)
            except BaseException:
                self._runtime.allocator(self._index).end_pool(stream)
                self._forget_pool()
                raise
        self._stream = stream
        self._capture = Capture()
        self._runtime.captures[self._index, stream.handle] = self._capture

    def capture_end(self) -> None:
        """Ends the capture, and makes the graph ready for replay.

        Raises RuntimeError without ``capture_begin``, and CudaError if the capture contains an unsupported
        operation.
        """
        if self._stream is None:
            raise RuntimeError("CUDAGraph.capture_end: called without a preceding capture_begin")
        driver, stream = self._runtime.driver, self._stream
        self._stream = None
        del self._runtime.captures[self._index, stream.handle]
        with on_device(driver, self._index):
            try:
                self._graph = driver.end_capture(stream.handle)
                if not self._keeps_graph:
                    try:
                        self._executable = driver.instantiate_graph(self._graph)
                    finally:
                        self._destroy_graph()
            finally:
                self._runtime.allocator(self._index).end_pool(stream)
                if not (self._graph or self._executable):
                    self._forget_pool()

    def _destroy_graph(self) -> None:
        graph, self._graph = self._graph, 0
        self._runtime.driver.destroy_graph(graph)

    def instantiate(self) -> None:
        """Makes of a kept graph what is replayed.  Raises RuntimeError without ``keep_graph``, or a graph."""
        if not self._graph:
            raise RuntimeError("CUDAGraph.instantiate: there is no graph; capture one with keep_graph=True")
        driver = self._runtime.driver
        with on_device(driver, self._index):
            before, self._executable = self._executable, driver.instantiate_graph(self._graph)
            if before:
                driver.synchronize()
                driver.destroy_executable(before)

    def replay(self) -> None:
        """Launches the graph into the current stream.  Raises RuntimeError if nothing was captured."""
        if self._graph and not self._executable:
            self.instantiate()
        if not self._executable:
            raise RuntimeError("CUDAGraph.replay: called without a preceding successful capture")
        driver = self._runtime.driver
        with on_device(driver, self._index):
            driver.launch_graph(self._executable, current_stream(driver, self._index).handle)

    def reset(self) -> None:
        """Deletes the captured work, after waiting for it; results keep their memory."""
        if self._stream is not None:
            raise RuntimeError("CUDAGraph.reset: called during a capture")
        if self._executable:
            driver = self._runtime.driver
            with on_device(driver, self._index):
                driver.synchronize()
                driver.destroy_executable(self._executable)
            self._executable = 0
        if self._graph:
            self._destroy_graph()
        self._capture = Capture()
        self._forget_pool()

    def _forget_pool(self) -> None:
        if self._pool is not None and self._owns_pool:
            self._runtime.allocator(self._index).release_pool(self._pool)
        self._pool = None
        self._owns_pool = False

    def _has_something(self) -> bool:
        return any(vars(self).get(name) for name in ("_graph", "_executable", "_pool"))

    def __del__(self) -> None:
        if self._has_something():
            try:
                self.reset()
            except Exception:  # the device is lost, or captures: the memory is leaked
                pass


class graph:
    """``with graph(made):`` captures the block's work, in a separate stream.

    pool    the graph's memory pool: another graph's ``pool()``
    stream  the stream to capture; by default a new one

    Reading data on the host in the block (``item()``, printing a tensor) raises RuntimeError.
    """

    def __init__(self, made: CUDAGraph, pool: int | None = None, stream: Stream | None = None):
        self._graph = made
        self._pool = pool
        self._stream = stream or Stream(made._runtime.driver, made._index)

    def __enter__(self) -> None:
        runtime, index = self._graph._runtime, self._graph._index
        gc.collect()  # so that no earlier tensor is released during the capture
        with on_device(runtime.driver, index):
            runtime.driver.synchronize()
        self._stream.__enter__()
        try:
            self._graph.capture_begin(self._pool)
        except BaseException:
            self._stream.__exit__(None, None, None)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._graph.capture_end()
        except Exception:
            if error is None:  # else the first error is more useful
                raise
        finally:
            self._stream.__exit__(kind, error, trace)
