"""Collectives of Python's objects, which are pickled, and travel as tensors of bytes.

Unpickling runs code that the sender chooses: all ranks must trust each other.
Source: torch/distributed/distributed_c10d.py.
"""

from __future__ import annotations

import pickle
from typing import Any

import gnomon as gn

from ..memory.tensor import Tensor
from .checks import check_not_self, is_outside, root_of
from .collectives import all_gather_into_tensor, broadcast, gather, scatter
from .point_to_point import recv, send
from .process_group import ProcessGroup, resolved
from .progress import one_call


@one_call()
def all_gather_object(object_list: list[Any], obj: Any, group: ProcessGroup | None = None) -> None:
    """Put the ``obj`` of each rank r into all processes' ``object_list[r]``.

    Source: torch.distributed.all_gather_object.
    """
    if is_outside("all_gather_object", group):
        return
    found = resolved(group)
    sizes, padded = _padded(obj, found)
    everything = gn.empty(found.size(), padded.numel(), dtype=gn.uint8)
    all_gather_into_tensor(everything, padded, group)
    for rank, size in enumerate(sizes):
        object_list[rank] = _unpickled(everything[rank][:size])


@one_call()
def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    group_dst: int | None = None,
) -> None:
    """Put the ``obj`` of each rank r into ``object_gather_list[r]`` of process ``dst`` (default: 0).

    Source: torch.distributed.gather_object.
    """
    if is_outside("gather_object", group):
        return
    found = resolved(group)
    root = root_of(found, dst, group_dst, 0)
    is_root = found.rank() == root
    if is_root and object_gather_list is None:
        raise AssertionError("Must provide object_gather_list on dst rank")
    if not is_root and object_gather_list:
        raise ValueError("Argument ``object_gather_list`` must NOT be specified on non-destination ranks.")
    sizes, padded = _padded(obj, found)
    parts = [gn.empty_like(padded) for _ in sizes] if is_root else None
    gather(padded, parts, group=group, group_dst=root)
    for rank, part in enumerate(parts or ()):
        object_gather_list[rank] = _unpickled(part[: sizes[rank]])  # type: ignore[index]


@one_call()
def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: Any = None,
    group_src: int | None = None,
) -> None:
    """Copy the objects in the list of process ``src`` into all others' lists, which are as long.

    ``device`` is ignored: objects travel over the host.  Source: torch.distributed.broadcast_object_list.
    """
    if is_outside("broadcast_object_list", group):
        return
    found = resolved(group)
    root = root_of(found, src, group_src, 0)
    is_root = found.rank() == root
    pickled = [_pickled(each) for each in object_list] if is_root else []
    counts = [each.numel() for each in pickled] or [0] * len(object_list)
    sizes = gn.tensor(counts, dtype=gn.int64)
    broadcast(sizes, group=group, group_src=root)
    counts = sizes.tolist()
    whole = gn.cat(pickled) if pickled else gn.empty(sum(counts), dtype=gn.uint8)
    broadcast(whole, group=group, group_src=root)
    if not is_root:
        object_list[:] = [_unpickled(each) for each in whole.split(counts)]


@one_call()
def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    group_src: int | None = None,
) -> None:
    """Put element r of the input list of process ``src`` (default: 0) into the output list of rank r, first.

    Raises ValueError for an empty output list.  Source: torch.distributed.scatter_object_list.
    """
    if is_outside("scatter_object_list", group):
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    found = resolved(group)
    root = root_of(found, src, group_src, 0)
    pickled = None
    if found.rank() == root:
        given = scatter_object_input_list or []
        if len(given) != found.size():
            raise ValueError(f"scatter_object_list: expected {found.size()} objects, got {len(given)}")
        pickled = [_pickled(each) for each in given]
    own = gn.zeros(2, dtype=gn.int64)
    largest = max(each.numel() for each in pickled) if pickled else 0
    sizes = [gn.tensor([each.numel(), largest], dtype=gn.int64) for each in pickled or ()]
    scatter(own, sizes or None, group=group, group_src=root)
    size, largest = own.tolist()
    part = gn.empty(largest, dtype=gn.uint8)
    filled = [gn.nn.functional.pad(each, (0, largest - each.numel())) for each in pickled or ()]
    scatter(part, filled or None, group=group, group_src=root)
    scatter_object_output_list[0] = _unpickled(part[:size])


@one_call()
def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: ProcessGroup | None = None,
    device: Any = None,
    group_dst: int | None = None,
    use_batch: bool = False,
) -> None:
    """Send the objects of a list to process ``dst``.  Source: torch.distributed.send_object_list."""
    if is_outside("send_object_list", group):
        return
    found = resolved(group)
    destination = root_of(found, dst, group_dst)
    check_not_self(found, destination, "destination")
    pickled = [_pickled(each) for each in object_list]
    send(gn.tensor([each.numel() for each in pickled], dtype=gn.int64), group=group, group_dst=destination)
    send(gn.cat(pickled), group=group, group_dst=destination)


@one_call()
def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: Any = None,
    group_src: int | None = None,
    use_batch: bool = False,
) -> int:
    """Receive what ``send_object_list`` sends into a list that is as long; returns the sender's number.

    Source: torch.distributed.recv_object_list.
    """
    if is_outside("recv_object_list", group):
        return -1
    found = resolved(group)
    sizes = gn.empty(len(object_list), dtype=gn.int64)
    source = root_of(found, src, group_src) if src is not None or group_src is not None else None
    sender = recv(sizes, group=group, group_src=source)
    counts = sizes.tolist()
    whole = gn.empty(sum(counts), dtype=gn.uint8)
    recv(whole, group=group, group_src=found.ranks.index(sender))
    object_list[:] = [_unpickled(each) for each in whole.split(counts)]
    return sender


def _pickled(obj: Any) -> Tensor:
    """An object as a tensor of bytes on the host."""
    return gn.frombuffer(bytearray(pickle.dumps(obj)), dtype=gn.uint8)


def _unpickled(data: Tensor) -> Any:
    return pickle.loads(bytes(data.contiguous().tolist()))


def _padded(obj: Any, group: ProcessGroup) -> tuple[list[int], Tensor]:
    """The sizes of all ranks' pickled objects, and this rank's, made as long as the longest."""
    pickled = _pickled(obj)
    sizes = gn.empty(group.size(), dtype=gn.int64)
    all_gather_into_tensor(sizes, gn.tensor([pickled.numel()], dtype=gn.int64), group)
    padded = gn.zeros(int(sizes.max().item()), dtype=gn.uint8)
    padded[: pickled.numel()] = pickled
    return sizes.tolist(), padded


__all__ = [
    "all_gather_object",
    "broadcast_object_list",
    "gather_object",
    "recv_object_list",
    "scatter_object_list",
    "send_object_list",
]
