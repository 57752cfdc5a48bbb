"""Graphs of the accelerator's work, captured once and replayed.  Source: torch/accelerator/graphs.py."""

from __future__ import annotations

import gc
from typing import Any

from ..memory.backend import get_backend, get_device_module
from . import devices


class Graph:
    """``with stream, graph:`` captures the block's work on the current stream; ``replay`` runs it.

    keep_graph          keep what was captured; ``instantiate`` or the first ``replay`` makes of it what is
                        replayed
    pool                its memory pool: the ``pool()`` of another graph that is not replayed concurrently
    capture_error_mode  "default" (the backend's choice) or one that the backend knows: "global",
                        "thread_local", "relaxed", between which the CUDA backend makes no difference

    Each replay uses the same memory, so inputs are modified in place.  Raises RuntimeError if there is no
    accelerator.
    """

    def __init__(
        self, keep_graph: bool = False, *, pool: Any = None, capture_error_mode: str = "default"
    ) -> None:
        index = devices.current_device_index()
        self._graph = get_device_module(devices.ACCELERATOR).CUDAGraph(index, keep_graph=keep_graph)
        self._index = index
        self.graph_pool = pool
        self.capture_error_mode = capture_error_mode

    def capture_begin(self) -> None:
        """Begins to capture the current stream's work.  Raises RuntimeError for the default stream."""
        mode = "relaxed" if self.capture_error_mode == "default" else self.capture_error_mode
        self._graph.capture_begin(self.graph_pool, capture_error_mode=mode)

    def capture_end(self) -> None:
        """Ends the capture."""
        self._graph.capture_end()

    def instantiate(self) -> None:
        """Makes of a kept graph what is replayed."""
        self._graph.instantiate()

    def replay(self) -> None:
        """Runs the captured work on the current stream.  Raises RuntimeError if nothing was captured."""
        self._graph.replay()

    def reset(self) -> None:
        """Deletes the captured work; another capture may follow."""
        self._graph.reset()

    def pool(self) -> Any:
        """The pool of its memory, which other graphs can share.  Raises RuntimeError before a capture."""
        return self._graph.pool()

    def __enter__(self) -> None:
        gc.collect()  # so that no earlier tensor is released during the capture
        get_backend(devices.ACCELERATOR).synchronize(self._index)
        self.capture_begin()

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        try:
            self.capture_end()
        except Exception:
            if kind is None:  # else the first error is more useful
                raise
