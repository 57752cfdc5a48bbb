"""Graphs: work that is captured once and replayed.  Source: torch.cuda.graphs."""

from __future__ import annotations

from .. import graphs as _graphs
from .. import streams as _streams
from .devices import DeviceLike, index_of, runtime
from .streams import current_stream

__all__ = ["CUDAGraph", "graph", "is_current_stream_capturing"]


class CUDAGraph(_graphs.CUDAGraph):
    """A graph captured by ``with gn.cuda.graph(it):``; ``replay`` launches it into the current stream.

    keep_graph  keep what was captured; ``instantiate`` or the first ``replay`` makes of it what is replayed
    """

    def __init__(self, device: DeviceLike = None, *, keep_graph: bool = False):
        index = index_of(device)
        super().__init__(runtime(), index, keep_graph)


class graph(_graphs.graph):
    """``with gn.cuda.graph(made):`` captures the block's work on the GPU, in a separate stream.

    made    a CUDAGraph
    pool    its memory pool: the ``pool()`` of another graph that is not replayed concurrently
    stream  the stream to capture; None: a new one

    Nothing runs before ``made.replay()``.  Each replay writes to the same tensors; modify inputs in place
    (``copy_``).  Raises RuntimeError if the block reads data on the host.
    """

    def __init__(
        self, made: _graphs.CUDAGraph, pool: int | None = None, stream: _streams.Stream | None = None
    ):
        super().__init__(made, pool, stream)


def is_current_stream_capturing() -> bool:
    """Is the current stream of the default device being captured?"""
    captures = runtime().captures
    found = current_stream()
    return (found.index, found.handle) in captures
