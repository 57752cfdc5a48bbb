"""Do all ranks call the same?  With ``GNOMON_DISTRIBUTED_DEBUG=detail`` every collective asks first.

Each rank tells all others what it is about to call.  A rank that calls something else, or with another shape
or dtype, and one that does not call at all, is named then, where it would else be a wait without end, or
numbers without sense.  Messages from one rank to another are compared by described_messages.py.

Source: torch/csrc/distributed/c10d/ProcessGroupWrapper.cpp (TORCH_DISTRIBUTED_DEBUG=DETAIL).
"""

from __future__ import annotations

import enum
import json
import os
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..memory.tensor import Tensor
from .errors import DistBackendError
from .mpi import TAG_OF_COMPARISONS
from .progress import Call
from .reduce_op import ReduceOp
from .waiting import wait_until

if TYPE_CHECKING:
    from .process_group import ProcessGroup

_ROOM = 4096  # bytes of a message
_ROOM_OF_A_RANK = 64  # and for each rank: its number, and elements to it and from it
_SHAPES = 1000  # characters of a list of shapes that are shown


class DebugLevel(enum.Enum):
    """How much is checked.  Source: torch.distributed.DebugLevel."""

    OFF = 0
    INFO = 1
    DETAIL = 2


_level: list[DebugLevel] = []


def get_debug_level() -> DebugLevel:
    """The level, from ``GNOMON_DISTRIBUTED_DEBUG`` (off, info, detail) unless it was set.

    Raises RuntimeError for another value.  Source: torch.distributed.get_debug_level.
    """
    if not _level:
        set_debug_level_from_env()
    return _level[0]


def set_debug_level(level: DebugLevel) -> None:
    """Set the level, on all ranks alike.  Source: torch.distributed.set_debug_level."""
    _level[:] = [level]


def set_debug_level_from_env() -> None:
    """Set the level that ``GNOMON_DISTRIBUTED_DEBUG`` says.

    Source: torch.distributed.set_debug_level_from_env.
    """
    text = os.environ.get("GNOMON_DISTRIBUTED_DEBUG", "off").upper()
    if text not in DebugLevel.__members__:
        raise RuntimeError(f"The value of GNOMON_DISTRIBUTED_DEBUG must be off, info or detail, got {text!r}")
    set_debug_level(DebugLevel[text])


def compare(
    group: ProcessGroup,
    kind: str,
    tensors: Sequence[Tensor],
    *,
    op: ReduceOp | None = None,
    root: int | None = None,
    counts: tuple[Sequence[int], Sequence[int]] | None = None,
    more: dict[str, Any] | None = None,
    ranks: Sequence[int] | None = None,
) -> None:
    """At level DETAIL, raise DistBackendError unless all ranks of the group (or ``ranks``) call the same.

    ``counts``: instead of shapes that agree, the elements that this rank expects from each rank, and sends to
    each.  ``more``: what must agree besides.
    """
    if not is_detailed():
        return
    own: dict[str, Any] = {"Op type": kind}
    if ranks is None:  # some of the ranks do not count for all
        group.compared += 1
        own = {"Sequence number": group.compared, **own}
    if tensors and counts is None:
        own["Tensor shapes"] = _short(str([list(each.shape) for each in tensors]))
    if tensors:
        own["Tensor dtypes"] = str(sorted({str(each.dtype).partition(".")[2] for each in tensors}))
    if op is not None:
        own["Reduction"] = op.name
    if root is not None:
        own["Root"] = group.ranks[root]
    own.update(more or {})
    found = exchange(group, {**own, "Counts": counts}, group.timeout.total_seconds(), ranks)
    counts_of = {rank: each.pop("Counts", None) for rank, each in found.items() if each is not None}
    if absent := [str(group.ranks[rank]) for rank, each in found.items() if each is None]:
        raise DistBackendError(
            f"Rank {group.ranks[group.rank()]} is running collective: {_shown(own)}, but within "
            f"{group.timeout.total_seconds():g} s rank {', '.join(absent)} called no collective of this group"
        )
    for rank, other in found.items():
        if other is not None and other != own:
            differing = [each for each in {**own, **other} if own.get(each) != other.get(each)]
            aspects = "".join(f"\n\t {each}: {own.get(each)} vs {other.get(each)}" for each in differing)
            raise DistBackendError(
                f"Detected mismatch between collectives on ranks. Rank {group.ranks[group.rank()]} is "
                f"running collective: {_shown(own)}, but Rank {group.ranks[rank]} is running collective: "
                f"{_shown(other)}."
                f"\nCollectives differ in the following aspects:{aspects}"
            )
    if counts is not None:
        _compare_counts(group, kind, {**counts_of, group.rank(): counts})


def is_detailed() -> bool:
    """Is the level DETAIL?"""
    return get_debug_level() is DebugLevel.DETAIL


def _compare_counts(group: ProcessGroup, kind: str, counts: dict[int, Any]) -> None:
    """Raise DistBackendError, on all ranks, unless each expects as many elements as it is sent."""
    wrong = [
        f"\n\t Rank {group.ranks[source]} sends {sent} elements to rank {group.ranks[target]}, which expects "
        f"{counts[target][0][source]}"
        for source in sorted(counts)
        for target, sent in enumerate(counts[source][1])
        if sent != counts[target][0][source]
    ]
    if wrong:
        raise DistBackendError(
            f"Detected mismatch between collectives on ranks. Parts of {kind} differ in size:{''.join(wrong)}"
        )


def missing(group: ProcessGroup, kind: str, timeout: float) -> list[int]:
    """The ranks of the group that did not call this within ``timeout`` seconds."""
    return [rank for rank, each in exchange(group, {"Op type": kind}, timeout).items() if each is None]


def exchange(
    group: ProcessGroup, own: dict[str, Any], timeout: float, ranks: Sequence[int] | None = None
) -> dict[int, dict[str, Any] | None]:
    """What each other rank of the group (or each of ``ranks``) says; None for those that say nothing within
    ``timeout`` seconds.
    """
    from mpi4py import MPI

    communicator, tag = group.mpi.communicator, TAG_OF_COMPARISONS
    others = [rank for rank in ranks or range(group.size()) if rank != group.rank()]
    message = json.dumps(own).encode()
    rooms = {rank: bytearray(_ROOM + _ROOM_OF_A_RANK * group.size()) for rank in others}
    receiving = {rank: communicator.Irecv([rooms[rank], MPI.BYTE], rank, tag) for rank in others}
    sending = [communicator.Isend([message, MPI.BYTE], rank, tag) for rank in others]
    call = Call(f"comparison of {own['Op type']}", group.group_name, group.rank(), False)
    call.is_waiting = True
    try:
        arrived = wait_until(lambda: MPI.Request.Testall(list(receiving.values())), timeout)
        heard = set(others) if arrived else {rank for rank in others if receiving[rank].Test()}
        for rank in set(others) - heard:
            receiving[rank].Cancel()
            receiving[rank].Free()
        if arrived:
            MPI.Request.Waitall(sending)  # they are small: MPI has taken them already
    finally:
        call.end()
    texts = {rank: bytes(rooms[rank]).rstrip(b"\0") for rank in others}
    return {rank: json.loads(texts[rank]) if rank in heard else None for rank in others}


def _shown(own: dict[str, Any]) -> str:
    inside = ", ".join(f"{name.title().replace(' ', '')}={value}" for name, value in own.items())
    return f"CollectiveFingerPrint({inside})"


def _short(text: str) -> str:
    """A text that may be too long for a message, but differs if the text does."""
    if len(text) <= _SHAPES:
        return text
    return f"{text[:_SHAPES]}… ({len(text)} characters, checksum {zlib.crc32(text.encode()):08x})"
