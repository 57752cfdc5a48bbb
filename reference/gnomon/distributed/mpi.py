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

import gnomon as gn

from ..memory.tensor import Tensor
from .backend import Backend
from .errors import DistBackendError
from .mpi_datatypes import datatype_of, operation_of
from .progress import Call
from .reduce_op import ReduceOp
from .work import Work

# Tags that messages of users do not have; every MPI has them.
TAG_OF_COMPARISONS = 2**15 - 1  # of debug.py
TAG_OF_PARTS = 2**15 - 2  # of collectives that consist of messages


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
        incoming = dict(enumerate(output.view(-1).split(list(output_counts))))
        outgoing = dict(enumerate(input.view(-1).split(list(input_counts))))
        return self._exchange("all_to_all", incoming, outgoing, writes=[output], keeps=[input])

    def gather(self, output: Tensor | None, input: Tensor, root: int) -> Work:
        incoming = {} if output is None else dict(enumerate(output.view(-1).split(input.numel())))
        writes = [] if output is None else [output]
        return self._exchange("gather", incoming, {root: input.view(-1)}, writes=writes, keeps=[input])

    def scatter(self, output: Tensor, input: Tensor | None, root: int) -> Work:
        outgoing = {} if input is None else dict(enumerate(input.view(-1).split(output.numel())))
        return self._exchange("scatter", {root: output.view(-1)}, outgoing, writes=[output], keeps=[input])

    def barrier(self) -> Work:
        return self._begin("barrier", self.communicator.Ibarrier)

    def send(self, tensor: Tensor, destination: int, tag: int) -> Work:
        call = self.communicator.Isend
        return self._begin("send", call, message_of(tensor), destination, tag, keeps=[tensor])

    def recv(self, tensor: Tensor, source: int | None, tag: int) -> Work:
        from mpi4py import MPI

        status = MPI.Status()
        origin = MPI.ANY_SOURCE if source is None else source
        call = Call("recv", self.group, self.rank)
        call.kept = tensor
        request = self.communicator.Irecv(message_of(tensor), origin, tag)
        too_long = f"got a message that is longer than the {elements_of(tensor)} expected"

        def check() -> None:
            if difference := difference_of(status, tensor):
                raise DistBackendError(f"{call}: {difference}")

        work = Work(call, lambda: has_ended(request, status, too_long), self.timeout, [tensor], check)
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
        return Work(call, lambda: has_ended(request), self.timeout, list(writes))

    def _exchange(
        self,
        name: str,
        incoming: dict[int, Tensor],
        outgoing: dict[int, Tensor],
        writes: Sequence[Tensor],
        keeps: Sequence[Tensor | None],
    ) -> Work:
        """A collective whose parts may differ in size: a message from each rank of ``incoming``, and one to
        each of ``outgoing``.

        MPI's own Alltoallv, Gather and Scatter need not notice parts of another size than expected: they
        would leave a part of the memory as it was, or write behind its end.  A message has its size.
        """
        from mpi4py import MPI

        call = Call(name, self.group, self.rank)
        call.kept = writes, keeps, incoming, outgoing
        others = [rank for rank in incoming if rank != self.rank]
        receiving = {
            rank: self.communicator.Irecv(message_of(incoming[rank]), rank, TAG_OF_PARTS) for rank in others
        }
        statuses = {rank: MPI.Status() for rank in others}
        sending = [
            self.communicator.Isend(message_of(part), rank, TAG_OF_PARTS)
            for rank, part in outgoing.items()
            if rank != self.rank
        ]
        wrong: list[str] = []

        def is_done() -> bool:
            for rank in list(receiving):
                try:
                    if has_ended(receiving[rank], statuses[rank], "more"):
                        del receiving[rank]
                        if difference := difference_of(statuses[rank], incoming[rank]):
                            wrong.append(f"from rank {rank} of the group: {difference}")
                except DistBackendError:  # the others go on: MPI writes their memory
                    del receiving[rank]
                    expected = elements_of(incoming[rank])
                    wrong.append(f"from rank {rank} of the group: got more than the {expected} expected")
            while sending and sending[-1].Test():
                sending.pop()
            return not receiving and not sending

        def check() -> None:
            own = incoming.get(self.rank)
            if own is not None:
                given = outgoing[self.rank]
                if given.numel() == own.numel():
                    with gn.no_grad():
                        own.copy_(given)
                else:
                    wrong.append(
                        f"from this rank itself: got {given.numel()} elements, expected {elements_of(own)}"
                    )
            if wrong:
                raise DistBackendError(f"{call}: {'; '.join(wrong)}")

        return Work(call, is_done, self.timeout, list(writes), check)


def has_ended(request: Any, status: Any = None, too_long: str = "") -> bool:
    """Has a request of MPI's ended?  Raises DistBackendError: ``too_long`` for a message that found no
    room.
    """
    from mpi4py import MPI

    try:
        return bool(request.Test(status))
    except MPI.Exception as error:
        if too_long and error.Get_error_class() != MPI.ERR_TRUNCATE:
            raise
        said = error.Get_error_string().partition(", error stack")[0]
        raise DistBackendError(
            too_long
            or f"MPI says: {said}; another rank's tensor may have another size "
            "(GNOMON_DISTRIBUTED_DEBUG=detail says which)"
        ) from error


def difference_of(status: Any, tensor: Tensor) -> str:
    """How the message that has arrived in a tensor differs from it in size; "" if it does not."""
    from mpi4py import MPI

    size, item = status.Get_count(MPI.BYTE), tensor.dtype.itemsize
    if size == tensor.numel() * item:
        return ""
    got = f"{size} bytes" if size % item else f"{size // item} elements"
    return f"got {got}, expected {elements_of(tensor)}"


def elements_of(tensor: Tensor) -> str:
    """A tensor's size, for an error."""
    return f"{tensor.numel()} elements of {tensor.dtype}"


def bytes_of(tensor: Tensor) -> memoryview:
    """The bytes of a contiguous tensor on host memory, in place."""
    begin = tensor.storage_offset() * tensor.dtype.itemsize
    view: memoryview = tensor.untyped_storage().host_view()
    return view[begin : begin + tensor.numel() * tensor.dtype.itemsize]


def buffer_of(tensor: Tensor, count: int | None = None) -> list[Any]:
    """A contiguous tensor as MPI takes it; ``count``: the elements of each process's part."""
    return [bytes_of(tensor), tensor.numel() if count is None else count, datatype_of(tensor.dtype)]


def message_of(tensor: Tensor) -> list[Any]:
    """A contiguous tensor as a message: bytes, as MPICH ends the process where a part of an element comes."""
    from mpi4py import MPI

    return [bytes_of(tensor), MPI.BYTE]
