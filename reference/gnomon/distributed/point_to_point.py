"""Messages from one process to another.  Source: torch/distributed/distributed_c10d.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..memory.tensor import Tensor
from . import debug, described_messages, staging
from .checks import check_not_self, check_tag, check_tensor, is_outside, root_of
from .process_group import ProcessGroup, resolved
from .work import Work


def isend(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:
    """Begin to send a tensor to process ``dst`` (or rank ``group_dst`` of the group), with a ``tag``.

    The tensor may not be changed before ``wait`` returned.  Raises ValueError for this process's own rank.
    Source: torch.distributed.isend.
    """
    check_tensor("isend", "tensor", tensor)
    check_tag("isend", tag)
    if is_outside("isend", group):
        return None
    found = resolved(group)
    destination = root_of(found, dst, group_dst)
    check_not_self(found, destination, "destination")
    backend = found.backend_for(tensor)
    place = staging.given(tensor, backend)
    if debug.is_detailed() and backend is found.mpi:
        return described_messages.send(found, place, destination, tag)
    return backend.send(place, destination, tag)


def irecv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> Work | None:
    """Begin to receive a tensor from process ``src`` (or rank ``group_src`` of the group); None: from any.

    Source: torch.distributed.irecv.
    """
    check_tensor("irecv", "tensor", tensor, is_written=True)
    check_tag("irecv", tag)
    if is_outside("irecv", group):
        return None
    found = resolved(group)
    source = None
    if src is not None or group_src is not None:
        source = root_of(found, src, group_src)
        check_not_self(found, source, "source")
    backend = found.backend_for(tensor)
    place, back = staging.place_for(tensor, backend)
    if debug.is_detailed() and backend is found.mpi:
        return staging.returning(described_messages.recv(found, place, source, tag), back)
    return staging.returning(backend.recv(place, source, tag), back)


def send(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> None:
    """``isend``, and wait.  Source: torch.distributed.send."""
    if not is_outside("send", group):
        check_tensor("send", "tensor", tensor)
        work = isend(tensor, dst, group, tag, group_dst)
        assert work is not None, "this process is in the group"
        work.wait()


def recv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> int:
    """``irecv``, and wait.  Returns the number of the process that sent; -1 outside of the group.

    Source: torch.distributed.recv.
    """
    if is_outside("recv", group):
        return -1
    check_tensor("recv", "tensor", tensor, is_written=True)
    work = irecv(tensor, src, group, tag, group_src)
    assert work is not None, "this process is in the group"
    work.wait()
    return resolved(group).ranks[work.source_rank()]


class P2POp:
    """One message of ``batch_isend_irecv``: ``isend`` or ``irecv``, its tensor and its other end.

    Raises ValueError for another function.  Source: torch.distributed.P2POp.
    """

    def __init__(
        self,
        op: Callable[..., Any],
        tensor: Tensor,
        peer: int | None = None,
        group: ProcessGroup | None = None,
        tag: int = 0,
        group_peer: int | None = None,
    ) -> None:
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``gnomon.distributed.isend`` or "
                "``gnomon.distributed.irecv``."
            )
        check_tensor(op.__name__, "tensor", tensor)
        self.op = op
        self.tensor = tensor
        self.group = group
        self.tag = tag
        self.group_peer = root_of(resolved(group), peer, group_peer)

    @property
    def peer(self) -> int:
        """The number of the process at the other end."""
        return resolved(self.group).ranks[self.group_peer]


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Begin several messages; returns a Work for each.

    Raises ValueError for an empty list, for what is no P2POp, and for messages of different groups.
    Source: torch.distributed.batch_isend_irecv.
    """
    if not isinstance(p2p_op_list, list) or not all(isinstance(each, P2POp) for each in p2p_op_list):
        raise ValueError(
            "Invalid ``p2p_op_list``. Each op is expected to to be of type ``gnomon.distributed.P2POp``."
        )
    if not p2p_op_list:
        raise ValueError("Invalid ``p2p_op_list``: expected at least one message")
    if any(each.group is not p2p_op_list[0].group for each in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    name = {True: "group_src", False: "group_dst"}
    works = [
        each.op(each.tensor, group=each.group, tag=each.tag, **{name[each.op is irecv]: each.group_peer})
        for each in p2p_op_list
    ]
    return [each for each in works if each is not None]


__all__ = ["P2POp", "batch_isend_irecv", "irecv", "isend", "recv", "send"]
