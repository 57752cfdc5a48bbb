"""What every collective asks of its arguments, before anything is sent.  Source: distributed_c10d.py."""

from __future__ import annotations

from typing import Any

from ..calls.outputs import check_no_internal_overlap
from ..memory.tensor import Tensor
from ..values.device import strided
from ..values.errors import type_name, warn
from .mpi import TAG_OF_PARTS
from .process_group import GroupMember, ProcessGroup, default_group, get_group_rank, resolved


def is_outside(name: str, group: Any) -> bool:
    """Is this process not in the group?  Then a collective does nothing, but warns."""
    if group is not GroupMember.NON_GROUP_MEMBER:
        return False
    rank = default_group().rank()
    warn(f"Running {name} on global rank {rank} which does not belong to the given group.")
    return True


def check_tensor(name: str, argument: str, tensor: Any, is_written: bool = False) -> None:
    """Raises TypeError for what is no tensor, RuntimeError for one that is sparse or quantized, and for one
    to be written whose elements share memory, such as an expanded one.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{argument}` of type gnomon.Tensor\n"
            f"             but got {type(tensor)} instead."
        )
    if tensor.layout is not strided or tensor.is_quantized:
        kind = "a quantized tensor" if tensor.is_quantized else f"a tensor of layout {tensor.layout}"
        raise RuntimeError(f"{name}: argument '{argument}' must be dense, got {kind}")
    if is_written:
        check_no_internal_overlap(f"{name}: argument '{argument}'", tensor._spec)


def check_tensors(name: str, argument: str, tensors: Any, is_written: bool = False) -> None:
    """Raises TypeError for what is no list of tensors, and what ``check_tensor`` raises."""
    if not isinstance(tensors, list) or not all(isinstance(each, Tensor) for each in tensors):
        found = [type(each) for each in tensors] if isinstance(tensors, (list, tuple)) else type(tensors)
        raise TypeError(
            f"Invalid function argument. Expected parameter `{argument}` of type List[gnomon.Tensor]\n"
            f"             but got {found} instead."
        )
    for each in tensors:
        check_tensor(name, argument, each, is_written)


def check_same_dtype(*tensors: Tensor) -> None:
    """Raises ValueError for tensors of different dtypes."""
    for each in tensors[1:]:
        if each.dtype is not tensors[0].dtype:
            raise ValueError(
                f"Invalid usage of tensors with different dtypes: found {tensors[0].dtype} and {each.dtype}"
            )


def check_count(name: str, argument: str, tensors: list[Tensor], size: int) -> None:
    """Raises RuntimeError unless there is one tensor for each rank."""
    if len(tensors) != size:
        raise RuntimeError(
            f"{name}: expected argument '{argument}' to have one tensor for each of {size} ranks, got "
            f"{len(tensors)}"
        )


def check_shapes(name: str, argument: str, tensors: list[Tensor], like: Tensor) -> None:
    """Raises RuntimeError for a tensor of another shape than ``like``, or on another device."""
    for number, each in enumerate(tensors):
        if each.shape != like.shape:
            raise RuntimeError(
                f"{name}: {argument}[{number}] has shape {tuple(each.shape)}, expected {tuple(like.shape)}"
            )
        if each.device != like.device:
            raise RuntimeError(f"{name}: {argument}[{number}] is on {each.device}, expected {like.device}")


def check_tag(name: str, tag: Any) -> None:
    """Raises TypeError for a tag that is no int, ValueError for one that is negative or too large for MPI."""
    if not isinstance(tag, int):
        raise TypeError(f"{name}: argument 'tag' must be an int, not {type_name(tag)}")
    if not 0 <= tag < TAG_OF_PARTS:
        raise ValueError(
            f"{name}: argument 'tag' must be non-negative and less than {TAG_OF_PARTS}, got {tag}"
        )


def root_of(
    group: ProcessGroup, global_rank: int | None, group_rank: int | None, default: int | None = None
) -> int:
    """The rank in the group that two arguments, of which one may be given, name.

    Raises TypeError for what is no int, ValueError for both, for none, and for a rank that is not in the
    group.
    """
    for rank in (global_rank, group_rank):
        if rank is not None and not hasattr(rank, "__index__"):
            raise TypeError(f"expected the rank of a process to be an int, not {type_name(rank)}")
    if global_rank is not None and group_rank is not None:
        raise ValueError("Can't specify both group_rank and global_rank")
    if group_rank is not None:
        if not 0 <= group_rank < group.size():
            raise ValueError(f"Group rank {group_rank} is not part of group {group}")
        return group_rank
    if global_rank is None:
        if default is None:
            raise ValueError("Must specify global_rank or group_rank")
        return default
    return get_group_rank(group, global_rank)


def check_not_self(group: ProcessGroup, rank: int, kind: str) -> None:
    """Raises ValueError for this process's own rank."""
    if group.rank() == rank:
        raise ValueError(
            f"Invalid {kind} rank: {kind} rank should not be the same as the rank of the current process."
        )


__all__ = [
    "check_count",
    "check_not_self",
    "check_same_dtype",
    "check_shapes",
    "check_tag",
    "check_tensor",
    "check_tensors",
    "is_outside",
    "resolved",
    "root_of",
]
