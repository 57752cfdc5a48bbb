"""ProcessGroupNCCL: collectives of tensors on CUDA devices, by NCCL.

Each process has one device in a group: that of its first collective.  Communication has a stream of its own:
it begins after what is in the current stream, and ``Work.wait`` makes the current stream, not the host, wait.

Source: torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from gnomon.distributed.backend import Backend
from gnomon.distributed.mpi import ProcessGroupMPI
from gnomon.distributed.progress import Call
from gnomon.distributed.reduce_op import ReduceOp
from gnomon.distributed.work import Work
from gnomon.memory.backend import get_backend
from gnomon.memory.tensor import Tensor
from gnomon.values.errors import BackendUnavailableError

from .nccl import TYPES, UNIQUE_ID_BYTES, Nccl
from .runtime import Runtime
from .streams import Event, Stream, current_stream, on_device

_OPERATIONS = {ReduceOp.SUM: 0, ReduceOp.PRODUCT: 1, ReduceOp.MAX: 2, ReduceOp.MIN: 3, ReduceOp.AVG: 4}
_OF_BOOL = {
    ReduceOp.SUM: 2,
    ReduceOp.PRODUCT: 3,
    ReduceOp.MAX: 2,
    ReduceOp.MIN: 3,
}  # as bytes that are 0 or 1
_BYTES = TYPES["uint8"]


def create(mpi: ProcessGroupMPI) -> ProcessGroupNCCL | None:
    """NCCL's part of a group beside MPI's, for the entry point ``nccl``; None without NCCL or a GPU."""
    try:
        runtime: Runtime = get_backend("cuda").runtime  # type: ignore[attr-defined]
    except BackendUnavailableError:
        return None
    return None if runtime.nccl is None else ProcessGroupNCCL(mpi, runtime, runtime.nccl)


class ProcessGroupNCCL(Backend):
    """The collectives of one group, on a communicator of its own that the first of them makes."""

    name = "nccl"

    def __init__(self, mpi: ProcessGroupMPI, runtime: Runtime, nccl: Nccl) -> None:
        super().__init__(mpi.group, mpi.rank, mpi.size, mpi.timeout)
        self.mpi = mpi
        self.runtime = runtime
        self.nccl = nccl
        self.index = -1  # of the device
        self.communicator = 0

    def can_use(self, tensor: Tensor) -> bool:
        return tensor.device.type == "cuda"

    def broadcast(self, tensor: Tensor, root: int) -> Work:
        at, count = address(tensor), tensor.numel() * tensor.dtype.itemsize
        return self._begin(
            "broadcast", [tensor], [], lambda call: call("ncclBroadcast", at, at, count, _BYTES, root)
        )

    def all_reduce(self, tensor: Tensor, op: ReduceOp) -> Work:
        at, kind = address(tensor), self._reduction(tensor, op)
        count = elements(tensor)
        return self._begin(
            "all_reduce", [tensor], [], lambda call: call("ncclAllReduce", at, at, count, *kind)
        )

    def reduce(self, tensor: Tensor, root: int, op: ReduceOp) -> Work:
        at = address(tensor)
        given = at, at, elements(tensor), *self._reduction(tensor, op), root
        writes = [tensor] if self.rank == root else []
        return self._begin("reduce", writes, [tensor], lambda call: call("ncclReduce", *given))

    def all_gather(self, output: Tensor, input: Tensor) -> Work:
        given = address(input), address(output), input.numel() * input.dtype.itemsize, _BYTES
        return self._begin("all_gather", [output], [input], lambda call: call("ncclAllGather", *given))

    def reduce_scatter(self, output: Tensor, input: Tensor, op: ReduceOp) -> Work:
        given = address(input), address(output), elements(output), *self._reduction(input, op)
        return self._begin(
            "reduce_scatter", [output], [input], lambda call: call("ncclReduceScatter", *given)
        )

    def all_to_all(
        self, output: Tensor, input: Tensor, output_counts: Sequence[int], input_counts: Sequence[int]
    ) -> Work:
        """Messages of all ranks to all; this rank's own part is copied."""
        sends, receives = parts(input, input_counts), parts(output, output_counts)

        def run(call: Callable[..., None]) -> None:
            self._copy(receives[self.rank], sends[self.rank])
            self._exchange(call, sends, receives)

        return self._begin("all_to_all", [output], [input], run)

    def gather(self, output: Tensor | None, input: Tensor, root: int) -> Work:
        given = (address(input), input.numel() * input.dtype.itemsize)
        receives = parts(output, [input.numel()] * self.size) if output is not None else []

        def run(call: Callable[..., None]) -> None:
            if receives:
                self._copy(receives[root], given)
            sends = [given if rank == root else (0, 0) for rank in range(self.size)]
            self._exchange(call, sends if not receives else [], receives)

        return self._begin("gather", [] if output is None else [output], [input], run)

    def scatter(self, output: Tensor, input: Tensor | None, root: int) -> Work:
        place = (address(output), output.numel() * output.dtype.itemsize)
        sends = parts(input, [output.numel()] * self.size) if input is not None else []

        def run(call: Callable[..., None]) -> None:
            if sends:
                self._copy(place, sends[root])
            receives = [place if rank == root else (0, 0) for rank in range(self.size)]
            self._exchange(call, sends, receives if not sends else [])

        return self._begin("scatter", [output], [] if input is None else [input], run)

    def barrier(self) -> Work:
        """Over MPI: it is the host that waits."""
        return self.mpi.barrier()

    def send(self, tensor: Tensor, destination: int, tag: int) -> Work:
        given = address(tensor), tensor.numel() * tensor.dtype.itemsize, _BYTES, destination
        return self._begin("send", [], [tensor], lambda call: call("ncclSend", *given))

    def recv(self, tensor: Tensor, source: int | None, tag: int) -> Work:
        if source is None:
            raise ValueError("recv: NCCL needs the rank of the sender: give src")
        given = address(tensor), tensor.numel() * tensor.dtype.itemsize, _BYTES, source
        work = self._begin("recv", [tensor], [], lambda call: call("ncclRecv", *given))
        work.source_rank = lambda: source
        return work

    def close(self) -> None:
        if self.communicator:
            with on_device(self.runtime.driver, self.index):
                self.runtime.driver.synchronize()
                self.nccl.destroy(self.communicator)
            self.communicator = 0

    def _reduction(self, tensor: Tensor, op: ReduceOp) -> tuple[int, int]:
        """NVIDIA's numbers of the type and of the operation.  Raises RuntimeError for what NCCL has not."""
        known, name = (_OF_BOOL, "uint8") if tensor.dtype.name == "bool" else (_OPERATIONS, tensor.dtype.name)
        name = {"complex64": "float32", "complex128": "float64", "complex32": "float16"}.get(name, name)
        if op not in known:
            raise RuntimeError(f"Cannot use {op} with NCCL on a tensor of dtype {tensor.dtype}")
        if name not in TYPES:
            raise RuntimeError(f"NCCL can not combine tensors of dtype {tensor.dtype}: copy them to the host")
        return TYPES[name], known[op]

    def _exchange(
        self, call: Callable[..., None], sends: Sequence[tuple[int, int]], receives: Sequence[tuple[int, int]]
    ) -> None:
        """Messages to and from the other ranks, all at once."""
        with self.nccl.group():
            for function, places in (("ncclSend", sends), ("ncclRecv", receives)):
                for rank, (at, nbytes) in enumerate(places):
                    if rank != self.rank and nbytes:
                        call(function, at, nbytes, _BYTES, rank)

    def _copy(self, to: tuple[int, int], source: tuple[int, int]) -> None:
        self.runtime.driver.copy_on_device(to[0], source[0], source[1], self._stream.handle)

    def _begin(
        self,
        name: str,
        writes: Sequence[Tensor],
        reads: Sequence[Tensor],
        run: Callable[[Callable[..., None]], None],
    ) -> Work:
        """Put ``run(call)`` into the group's stream, after what is in the current one."""
        tensors = [*writes, *reads]
        index = tensors[0].device.index or 0
        call_of_user = Call(name, self.group, self.rank)
        try:
            self._connect(index)
            driver = self.runtime.driver
            with on_device(driver, index):
                self._stream.wait_stream(current_stream(driver, index))
                for each in tensors:
                    each.record_stream(self._stream)
                run(
                    lambda function, *given: self.nccl.call(
                        function, self.communicator, *given, self._stream.handle
                    )
                )
                event = self._stream.record_event()
        except BaseException:
            call_of_user.end()
            raise
        return StreamWork(call_of_user, event, self.timeout, list(writes), tensors)

    def _call(self, function: str, *given: int) -> None:
        self.nccl.call(function, self.communicator, *given, self._stream.handle)

    def _connect(self, index: int) -> None:
        """Make the communicator, at the first collective.  All ranks come here."""
        if self.communicator:
            if index != self.index:
                raise RuntimeError(
                    f"group {self.group!r}: expected a tensor on cuda:{self.index}, the device of its first "
                    f"collective, got one on cuda:{index}"
                )
            return
        identity = bytearray(self.nccl.unique_id() if self.rank == 0 else bytes(UNIQUE_ID_BYTES))
        self.mpi.communicator.Bcast(identity, 0)
        self.index = index
        with on_device(self.runtime.driver, index):
            self.communicator = self.nccl.communicator(self.size, bytes(identity), self.rank)
            self._stream = Stream(self.runtime.driver, index)


class StreamWork(Work):
    """A collective in a stream: ``wait`` makes the current stream wait for it."""

    def __init__(
        self, call: Call, event: Event, timeout: float | None, tensors: list[Tensor], kept: Sequence[Tensor]
    ) -> None:
        super().__init__(call, event.query, timeout, tensors)
        self._event = event
        self._kept: Any = kept  # until the stream is done with them

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Make the current stream wait; the host goes on.  Returns True."""
        if not self._completed:
            self._event.wait(current_stream(self._event.driver, self._event.index))
            self._complete()
        return self._outcome()


def address(tensor: Tensor) -> int:
    """The address of the first element."""
    return tensor.data_ptr()


def elements(tensor: Tensor) -> int:
    """The number of numbers: a complex one is two."""
    return tensor.numel() * (2 if tensor.dtype.is_complex else 1)


def parts(tensor: Tensor, counts: Sequence[int]) -> list[tuple[int, int]]:
    """The address and the bytes of each part of a contiguous tensor."""
    found, at = [], address(tensor)
    for count in counts:
        found.append((at, count * tensor.dtype.itemsize))
        at += count * tensor.dtype.itemsize
    return found
