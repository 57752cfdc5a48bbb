"""Loopback: the reference's kernels on a separate device, and helpers for mutants."""

from __future__ import annotations

import mmap
import struct
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

from gnomon.memory.accessor import TensorAccessor
from gnomon.memory.backend import USUAL_TRAITS, ReferenceBackend, reference_backend
from gnomon.values.dtype import names_of_dtypes

DEVICE = "mutant"
LARGE = 2**24  # bytes


class Loopback(ReferenceBackend):
    """The reference's kernels on a separate device: the basis of the mutants."""

    name = device_type = DEVICE

    def __init__(self, kernels: dict[str, Callable[..., Any]] | None = None) -> None:
        self.kernels = {name: copied(each) for name, each in reference_backend.kernels.items()}
        self.kernels |= kernels or {}
        self.capabilities = dict.fromkeys(self.kernels, names_of_dtypes)

    def allocate(self, nbytes: int, index: int) -> Any:
        """Large blocks get physical memory only where they are accessed."""
        return super().allocate(nbytes, index) if nbytes < LARGE else mmap.mmap(-1, nbytes)


def copied(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A copy of the function with its own code object, as if the backend's author had written it."""
    if not isinstance(kernel, types.FunctionType):
        return kernel
    made = types.FunctionType(
        kernel.__code__.replace(),
        kernel.__globals__,
        kernel.__name__,
        kernel.__defaults__,
        kernel.__closure__,
    )
    made.__kwdefaults__ = kernel.__kwdefaults__
    return made


class Queueing(Loopback):
    """As Loopback, but asynchronous: a call queues its kernel, and the queue runs when somebody waits or
    reads.

    A kernel's error is raised then, and the rest of the queue is dropped.
    """

    traits = USUAL_TRAITS | {"streams"}

    def __init__(self, kernels: dict[str, Callable[..., Any]] | None = None) -> None:
        super().__init__(kernels)
        self.kernels = {name: self._queued(kernel) for name, kernel in self.kernels.items()}
        self._queue: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
        self._running = threading.RLock()

    def _queued(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        def queue(*arguments: Any) -> None:
            with self._running:
                self._queue.append((kernel, arguments))

        return queue

    def synchronize(self, index: int) -> None:
        """Run the queue; raises what a kernel raises."""
        with self._running:
            waiting, self._queue = self._queue, []
            for kernel, arguments in waiting:
                kernel(*arguments)

    def copy_in(self, memory: bytearray, offset: int, data: memoryview) -> None:
        """Copy after everything in the queue has run."""
        self.synchronize(0)
        super().copy_in(memory, offset, data)

    def copy_out(self, memory: bytearray, offset: int, nbytes: int) -> memoryview:
        """Copy after everything in the queue has run."""
        self.synchronize(0)
        return super().copy_out(memory, offset, nbytes)

    def host_view(self, memory: bytearray, nbytes: int) -> memoryview:
        """After everything in the queue has run; immediately if called from a kernel."""
        self.synchronize(0)
        return super().host_view(memory, nbytes)


right = reference_backend.kernels


def numbers_of(iterator: Any) -> tuple[list[Any], Any]:
    """Readers for each input of a pointwise kernel, and a writer for its output."""
    reads = [TensorAccessor(iterator.tensor(place)).read for place in range(1, len(iterator.operands))]
    return reads, TensorAccessor(iterator.tensor(0)).write


def unary(offsets: Callable[[Any], tuple[Any, Any]], change: Callable[[Any], Any] = lambda a: a) -> Any:
    """A kernel of one input that iterates over the given ``offsets``."""

    def kernel(iterator: Any) -> None:
        (read,), write = numbers_of(iterator)
        for to, at in zip(*offsets(iterator)):
            write(to, change(read(at)))

    return kernel


def from_start(iterator: Any, position: int) -> Iterator[int]:
    """The offsets of an operand, without its storage offset."""
    start = iterator.tensor(position).storage_offset()
    return (offset - start for offset in iterator.offsets(position))


def then(name: str, change: Callable[..., None]) -> Any:
    """The right kernel, followed by ``change`` on its arguments."""

    def kernel(*arguments: Any) -> None:
        right[name](*arguments)
        change(*arguments)

    return kernel


def filled(tensor: Any, change: Callable[[Any], Any]) -> None:
    """Apply ``change`` to each element of a tensor, in place."""
    accessor = TensorAccessor(tensor)
    for offset in accessor.offsets():
        accessor.write(offset, change(accessor.read(offset)))


def bfloat16(number: float) -> float:
    """Truncate to bfloat16."""
    (bits,) = struct.unpack("I", struct.pack("f", number))
    return struct.unpack("f", struct.pack("I", bits & 0xFFFF0000))[0]
