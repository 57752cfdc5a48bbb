"""Loopback: the reference's kernels on a device of their own, and what to break them with: for mutants.py."""

from __future__ import annotations

import mmap
import struct
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

from gnomon.memory.accessor import TensorAccessor
from gnomon.memory.backend import USUAL_TRAITS, ReferenceBackend, reference_backend

DEVICE = "mutant"
LARGE = 2**24  # bytes


class Loopback(ReferenceBackend):
    """The reference's kernels on a device of their own: what is mutated."""

    name = device_type = DEVICE

    def __init__(self, kernels: dict[str, Callable[..., Any]] | None = None) -> None:
        self.kernels = {name: copied(each) for name, each in reference_backend.kernels.items()}
        self.kernels |= kernels or {}
        self.capabilities = dict.fromkeys(self.kernels)

    def allocate(self, nbytes: int, index: int) -> Any:
        """Large blocks are mapped where somebody touches them."""
        return super().allocate(nbytes, index) if nbytes < LARGE else mmap.mmap(-1, nbytes)


def copied(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, of its own code: as if the backend's author had written it."""
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
    """The same, asynchronous: a call puts its kernel in a queue, which runs when somebody looks or waits.

    An error of a kernel comes out there, and what was asked for after it is dropped.
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
        """Run what is in the queue; raises what a kernel raises."""
        with self._running:
            waiting, self._queue = self._queue, []
            for kernel, arguments in waiting:
                kernel(*arguments)

    def copy_in(self, memory: bytearray, offset: int, data: memoryview) -> None:
        """Behind all that is in the queue."""
        self.synchronize(0)
        super().copy_in(memory, offset, data)

    def copy_out(self, memory: bytearray, offset: int, nbytes: int) -> memoryview:
        """After all that is in the queue."""
        self.synchronize(0)
        return super().copy_out(memory, offset, nbytes)

    def host_view(self, memory: bytearray, nbytes: int) -> memoryview:
        """After all that is in the queue; for the kernels themselves, at once."""
        self.synchronize(0)
        return super().host_view(memory, nbytes)


right = reference_backend.kernels


def numbers_of(iterator: Any) -> tuple[list[Any], Any]:
    """What reads each input of a pointwise kernel, and what writes its output."""
    reads = [TensorAccessor(iterator.tensor(place)).read for place in range(1, len(iterator.operands))]
    return reads, TensorAccessor(iterator.tensor(0)).write


def unary(offsets: Callable[[Any], tuple[Any, Any]], change: Callable[[Any], Any] = lambda a: a) -> Any:
    """A kernel of one input that walks as ``offsets`` says."""

    def kernel(iterator: Any) -> None:
        (read,), write = numbers_of(iterator)
        for to, at in zip(*offsets(iterator)):
            write(to, change(read(at)))

    return kernel


def from_start(iterator: Any, position: int) -> Iterator[int]:
    """The offsets of an operand, less its storage offset."""
    start = iterator.tensor(position).storage_offset()
    return (offset - start for offset in iterator.offsets(position))


def then(name: str, change: Callable[..., None]) -> Any:
    """The right kernel, and then some harm to its arguments."""

    def kernel(*arguments: Any) -> None:
        right[name](*arguments)
        change(*arguments)

    return kernel


def filled(tensor: Any, change: Callable[[Any], Any]) -> None:
    """Change each element of a tensor."""
    accessor = TensorAccessor(tensor)
    for offset in accessor.offsets():
        accessor.write(offset, change(accessor.read(offset)))


def bfloat16(number: float) -> float:
    """Rounded (down) to bfloat16."""
    (bits,) = struct.unpack("I", struct.pack("f", number))
    return struct.unpack("f", struct.pack("I", bits & 0xFFFF0000))[0]
