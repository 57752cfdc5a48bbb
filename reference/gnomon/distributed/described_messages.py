"""Messages that say what they are, at level DETAIL of debug.py: sender and receiver must mean the same.

A message of MPI is bytes: received as another dtype, it would be numbers without sense.  Here dtype and shape
travel before the elements, in the same message; the receiver asks how long a message is before it takes it.
Source: torch/csrc/distributed/c10d/ProcessGroupWrapper.cpp (which does so for collectives).
"""

from __future__ import annotations

import json
import math
import threading
from typing import TYPE_CHECKING, Any

from ..memory.tensor import Tensor
from .errors import DistBackendError
from .mpi import bytes_of
from .progress import Call
from .waiting import meanwhile
from .work import Work

if TYPE_CHECKING:
    from .process_group import ProcessGroup

_SIZE = 4  # bytes that say how long the description is
_taking = threading.Lock()


class Awaited:
    """A message that a receiver waits for."""

    def __init__(self, source: int, tag: int) -> None:
        from mpi4py import MPI

        self.source = source  # or MPI.ANY_SOURCE
        self.tag = tag
        self.status = MPI.Status()
        self.request: Any = None  # once it is here
        self.data = bytearray()

    def could_be(self, other: Awaited) -> bool:
        """Are there messages that both wait for?"""
        from mpi4py import MPI

        return self.tag == other.tag and (
            self.source == other.source or MPI.ANY_SOURCE in (self.source, other.source)
        )


def send(group: ProcessGroup, tensor: Tensor, destination: int, tag: int) -> Work:
    """Begin to send a contiguous tensor on host memory."""
    from mpi4py import MPI

    description = json.dumps([str(tensor.dtype), list(tensor.shape)]).encode()
    message = len(description).to_bytes(_SIZE, "little") + description + bytes(bytes_of(tensor))
    call = Call("send", group.group_name, group.rank())
    call.kept = [], message
    request = group.mpi.communicator.Isend([message, MPI.BYTE], destination, tag)
    return Work(call, lambda: bool(request.Test()), group.mpi.timeout, [])


def recv(group: ProcessGroup, tensor: Tensor, source: int | None, tag: int) -> Work:
    """Begin to receive.  The Work raises DistBackendError for another dtype or number of elements."""
    from mpi4py import MPI

    call = Call("recv", group.group_name, group.rank())
    awaited = Awaited(MPI.ANY_SOURCE if source is None else source, tag)
    group.awaited.append(awaited)
    meanwhile[group] = lambda: _take(group)

    def is_done() -> bool:
        if awaited.request is None:
            _take(group)
        return awaited.request is not None and bool(awaited.request.Test())

    def check() -> None:
        begin = _SIZE + int.from_bytes(awaited.data[:_SIZE], "little")
        dtype, shape = json.loads(awaited.data[_SIZE:begin])
        if (dtype, math.prod(shape)) != (str(tensor.dtype), tensor.numel()):
            raise DistBackendError(
                f"{call}: rank {group.ranks[awaited.status.Get_source()]} sends "
                f"{_shown(dtype, shape)}, but rank {group.ranks[group.rank()]} receives "
                f"{_shown(str(tensor.dtype), list(tensor.shape))}"
            )
        bytes_of(tensor)[:] = awaited.data[begin:]

    work = Work(call, is_done, group.mpi.timeout, [tensor], check)
    work.source_rank = awaited.status.Get_source
    return work


def _take(group: ProcessGroup) -> None:
    """Take the messages that are here.  As in MPI, a message goes to the first receiver that waits for it."""
    from mpi4py import MPI

    if not _taking.acquire(blocking=False):
        return  # another thread does so
    try:
        waiting: list[Awaited] = []
        for each in list(group.awaited):
            found = None
            if not any(each.could_be(earlier) for earlier in waiting):
                found = group.mpi.communicator.Improbe(each.source, each.tag, each.status)
            if found is None:
                waiting.append(each)
            else:
                group.awaited.remove(each)
                each.data = bytearray(each.status.Get_count(MPI.BYTE))
                each.request = found.Irecv([each.data, MPI.BYTE])
        if not group.awaited:
            meanwhile.pop(group, None)
    finally:
        _taking.release()


def _shown(dtype: str, shape: list[int]) -> str:
    return f"{math.prod(shape)} elements of {dtype} (shape {shape})"
