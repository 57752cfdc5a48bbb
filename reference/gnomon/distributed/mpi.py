"""ProcessGroupMPI: the collectives of tensors on host memory, by MPI.

mpi4py gives MPI to Python; which MPI (MPICH, Open MPI) is the user's choice.  All communication is begun
without blocking and asked for its end, so that a process that waits can be interrupted and can give up, and
so that backward computes while gradients travel.

Source: torch/csrc/distributed/c10d/ProcessGroupMPI.cpp; MPI 4.1, chapters 3 (point-to-point) and 6
(collective).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..memory.tensor import Tensor
from .backend import Backend
from .errors import DistBackendError
from .mpi_datatypes import datatype_of, operation_of
from .progress import Call
from .reduce_op import ReduceOp
from .work import Work


class ProcessGroupMPI(Backend):
    """The collectives of one group, on a communicator of its own."""

    name = "mpi"

    def __init__(self, communicator: Any, group: str, timeout: float | None) -> None:
        self.communicator = communicator
        super().__init__(group, communicator.Get_rank(), communicator.Get_size(), timeout)

    def can_use(self, tensor: Tensor) -> bool:
        return tensor.untyped_storage().backend.host_memory

    def broadcast(self, tensor: Tensor, root: int) -> Work:
        return self._begin("broadcast", self.communicator.Ibcast, buffer_of(tensor), root, writes=[tensor])

    def all_reduce(self, tensor: Tensor, op: ReduceOp) -> Work:
        from mpi4py import MPI

        call, operation = self.communicator.Iallreduce, operation_of(op, tensor.dtype)
        work = self._begin("all_reduce", call, MPI.IN_PLACE, buffer_of(tensor), operation, writes=[tensor])
        return self.averaging(work, tensor, op)

    def reduce(self, tensor: Tensor, root: int, op: ReduceOp) -> Work:
        from mpi4py import MPI

        call, operation = self.communicator.Ireduce, operation_of(op, tensor.dtype)
        if self.rank != root:
            return self._begin("reduce", call, buffer_of(tensor), None, operation, root, keeps=[tensor])
        work = self._begin("reduce", call, MPI.IN_PLACE, buffer_of(tensor), operation, root, writes=[tensor])
        return self.averaging(work, tensor, op)

    def all_gather(self, output: Tensor, input: Tensor) -> Work:
        parts = buffer_of(output, input.numel())
        call = self.communicator.Iallgather
        return self._begin("all_gather", call, buffer_of(input), parts, writes=[output], keeps=[input])

    def reduce_scatter(self, output: Tensor, input: Tensor, op: ReduceOp) -> Work:
        call, operation = self.communicator.Ireduce_scatter_block, operation_of(op, input.dtype)
        given = (buffer_of(input, output.numel()), buffer_of(output), operation)
        work = self._begin("reduce_scatter", call, *given, writes=[output], keeps=[input])
        return self.averaging(work, output, op)

    def all_to_all(
        self, output: Tensor, input: Tensor, output_counts: Sequence[int], input_counts: Sequence[int]
    ) -> Work:
        given = (parts_of(input, input_counts), parts_of(output, output_counts))
        return self._begin("all_to_all", self.communicator.Ialltoallv, *given, writes=[output], keeps=[input])

    def gather(self, output: Tensor | None, input: Tensor, root: int) -> Work:
        parts = None if output is None else buffer_of(output, input.numel())
        writes = [] if output is None else [output]
        given = (buffer_of(input), parts, root)
        return self._begin("gather", self.communicator.Igather, *given, writes=writes, keeps=[input])

    def scatter(self, output: Tensor, input: Tensor | None, root: int) -> Work:
        parts = None if input is None else buffer_of(input, output.numel())
        given = (parts, buffer_of(output), root)
        return self._begin("scatter", self.communicator.Iscatter, *given, writes=[output], keeps=[input])

    def barrier(self) -> Work:
        return self._begin("barrier", self.communicator.Ibarrier)

    def send(self, tensor: Tensor, destination: int, tag: int) -> Work:
        call = self.communicator.Isend
        return self._begin("send", call, buffer_of(tensor), destination, tag, keeps=[tensor])

    def recv(self, tensor: Tensor, source: int | None, tag: int) -> Work:
        from mpi4py import MPI

        status = MPI.Status()
        origin = MPI.ANY_SOURCE if source is None else source
        call = Call("recv", self.group, self.rank)
        call.kept = tensor
        request = self.communicator.Irecv(buffer_of(tensor), origin, tag)

        def check() -> None:
            count = status.Get_count(datatype_of(tensor.dtype))
            if count != tensor.numel():
                raise DistBackendError(f"{call}: got {count} elements, expected {tensor.numel()}")

        work = Work(call, lambda: bool(request.Test(status)), self.timeout, [tensor], check)
        work.source_rank = status.Get_source
        return work

    def close(self) -> None:
        """Give the communicator back.  It is a collective, but does not wait for messages under way."""
        from mpi4py import MPI

        if self.communicator != MPI.COMM_NULL and not MPI.Is_finalized():
            self.communicator.Free()

    def _begin(
        self,
        name: str,
        function: Callable[..., Any],
        *arguments: Any,
        writes: Sequence[Tensor] = (),
        keeps: Sequence[Tensor | None] = (),
    ) -> Work:
        call = Call(name, self.group, self.rank)
        call.kept = writes, keeps
        try:
            request = function(*arguments)
        except BaseException:
            call.end()
            raise
        return Work(call, lambda: bool(request.Test()), self.timeout, list(writes))


def bytes_of(tensor: Tensor) -> memoryview:
    """The bytes of a contiguous tensor on host memory, in place."""
    begin = tensor.storage_offset() * tensor.dtype.itemsize
    view: memoryview = tensor.untyped_storage().host_view()
    return view[begin : begin + tensor.numel() * tensor.dtype.itemsize]


def buffer_of(tensor: Tensor, count: int | None = None) -> list[Any]:
    """A contiguous tensor as MPI takes it; ``count``: the elements of each process's part."""
    return [bytes_of(tensor), tensor.numel() if count is None else count, datatype_of(tensor.dtype)]


def parts_of(tensor: Tensor, counts: Sequence[int]) -> list[Any]:
    """A contiguous tensor in parts of ``counts`` elements, as MPI takes it."""
    return [bytes_of(tensor), list(counts), datatype_of(tensor.dtype)]
