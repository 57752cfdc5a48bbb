"""``save``: who writes what, and the steps that all ranks take together.

Source: torch.distributed.checkpoint.state_dict_saver, torch.distributed.checkpoint.default_planner.
"""

from __future__ import annotations

import copy
import os
import zlib
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

import gnomon as gn

from ...memory.tensor import Tensor
from ...values.dtype import dtype
from ...values.errors import warn
from ..process_group import ProcessGroup, destroy_process_group, new_group
from ..tensor.sharding import marked, sharding_of
from .agreement import Ranks, is_member
from .filesystem import FileSystemWriter, tensors_file, values_file
from .metadata import BytesStorageMetadata, ChunkStorageMetadata, Metadata, TensorStorageMetadata
from .names import Item, Path, Stateful, flatten, unflatten
from .optimizer_state import state_of
from .shard import Box, Shard, fault_of, part_of
from .tensor_file import bytes_of

_LOOKED_AT = 1024  # elements of a tensor


class _TensorPlan(NamedTuple):
    """A part of a tensor that a rank has.  ``digest``: of some of its elements."""

    path: Path
    dtype: str
    whole: tuple[int, ...]
    box: Box
    digest: int


class _ValuePlan(NamedTuple):
    """Another value that a rank has.  ``digest``: of its text."""

    path: Path
    digest: int


Plan = dict[str, _TensorPlan | _ValuePlan]


def save(
    state_dict: Mapping[str, Any],
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: FileSystemWriter | None = None,
    planner: Any = None,
    process_group: ProcessGroup | None = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Metadata | None:
    """Write a checkpoint to the folder ``checkpoint_id``.  All ranks must call it, and share the folder.

    ``state_dict``: tensors, Shards, Statefuls (modules, optimizers), other values, and dicts of these, with
    keys of type str or int.  Of parameters that ``fully_shard`` or ``parallelize_module`` has cut, of the
    state of their optimizers and of that of a ZeroRedundancyOptimizer, each rank writes its part.  A tensor
    or value that several ranks have by the same name is written once, by the first: what differs between
    ranks (the state of a random generator) needs the rank in its name.  Values must be such that
    ``gnomon.load(weights_only=True)`` reads them.

    Returns what was written.  An earlier checkpoint is replaced when the new one is whole; after an error it
    is still there.  Without a process group, or with ``no_dist``, this process writes alone.

    Raises CheckpointException, on all ranks, if one can not write, if the parts of a tensor overlap or do not
    fill it, and if ranks disagree on a shape, a dtype or the folder.
    Source: torch.distributed.checkpoint.save.
    """
    check_not_given(planner=planner, use_collectives=None if use_collectives else False)
    writer = writer_of(checkpoint_id, storage_writer)
    if not is_member(process_group):
        return None
    ranks = Ranks(process_group, no_dist)
    doing = f"checkpoint.save to {str(writer.path)!r}"

    def plan() -> tuple[dict[str, Item], Plan]:
        items = flatten(_states_of(state_dict))
        return items, _plan_of(items)

    def begin() -> Metadata:
        metadata = _agreed(plans)
        if ranks.rank == 0:
            writer.begin()
        return metadata

    items, own = ranks.take(doing, plan)
    plans = ranks.gather((str(writer.path), own))
    metadata = ranks.take(doing, begin)
    try:
        ranks.take(doing, lambda: writer.write_data(ranks.rank, *_written_by(ranks.rank, items, metadata)))
        ranks.take(doing, lambda: writer.finish(metadata) if ranks.rank == 0 else None)
    except BaseException:
        if ranks.rank == 0:
            writer.abandon()
        raise
    return metadata


def async_save(
    state_dict: Mapping[str, Any],
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: FileSystemWriter | None = None,
    planner: Any = None,
    process_group: ProcessGroup | None = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Future[Metadata | None]:
    """``save`` in a thread: copies everything at once, and returns a Future of the end of the writing.

    The state may change as soon as this returns.  Each rank must wait for the Future before the next
    checkpoint to this folder and before ``destroy_process_group``.
    Source: torch.distributed.checkpoint.async_save.
    """
    if not is_member(process_group):
        nothing: Future[Metadata | None] = Future()
        nothing.set_result(None)
        return nothing
    ranks = Ranks(process_group, no_dist)
    copied = unflatten(
        Item(each.path, _copy_of(each.value)) for each in flatten(_states_of(state_dict)).values()
    )
    # The thread's collectives must not mix with those of the program: they have a group of their own.
    group = None if ranks.group is None else new_group(ranks.group.ranks, use_local_synchronization=True)

    def write() -> Metadata | None:
        return save(
            copied,
            checkpoint_id=checkpoint_id,
            storage_writer=storage_writer,
            planner=planner,
            process_group=group,
            no_dist=group is None,
            use_collectives=use_collectives,
        )

    def give_back() -> None:
        if group is not None and future.exception() is None:
            destroy_process_group(group)

    executor = ThreadPoolExecutor(1, "gnomon checkpoint")
    future = executor.submit(write)
    executor.submit(give_back)
    executor.shutdown(wait=False)
    return future


def writer_of(checkpoint_id: Any, storage_writer: FileSystemWriter | None) -> FileSystemWriter:
    """The writer given, or that of the folder.  Raises ValueError without either, TypeError for another."""
    if storage_writer is None and checkpoint_id is not None:
        return FileSystemWriter(checkpoint_id)
    if storage_writer is None:
        raise ValueError("checkpoint: expected argument 'checkpoint_id', the folder, or a storage_writer")
    if not isinstance(storage_writer, FileSystemWriter):
        raise TypeError(f"checkpoint: expected a FileSystemWriter, got {type(storage_writer).__name__}")
    if checkpoint_id is not None:
        return FileSystemWriter(checkpoint_id, overwrite=storage_writer.overwrite)
    return storage_writer


def _plan_of(items: Mapping[str, Item]) -> Plan:
    """What this rank has.  Raises TypeError for a tensor without elements in a row: sparse, quantized."""
    plan: Plan = {}
    for name, (path, value) in items.items():
        if isinstance(value, (Tensor, Shard)):
            part = part_of(value)
            if part.tensor.layout is not gn.strided or part.tensor.is_quantized:
                raise TypeError(f"{name!r}: expected a dense tensor, got one of layout {part.tensor.layout}")
            kind = part.tensor.dtype.name
            plan[name] = _TensorPlan(path, kind, part.global_shape, part.box, _digest(part.tensor))
        else:
            plan[name] = _ValuePlan(path, zlib.crc32(repr(value).encode()))
    return plan


def _states_of(state_dict: Mapping[str, Any]) -> dict[str, Any]:
    """The tree, with the state of each Stateful in its place."""
    return {
        key: state_of(value) if isinstance(value, Stateful) else value for key, value in state_dict.items()
    }


def _digest(tensor: Tensor) -> int:
    """A number that tells tensors apart which different computations have filled, from some elements."""
    flat = tensor.detach().flatten()
    some = flat[:: max(1, flat.numel() // _LOOKED_AT)]
    return zlib.crc32(bytes_of(some))


def _agreed(plans: Sequence[tuple[str, Plan]]) -> Metadata:
    """Who writes what, from the plans of all ranks: a part that several have, the first.

    Raises ValueError if the plans contradict each other.
    """
    metadata = Metadata(len(plans))
    for rank, (path, _) in enumerate(plans):
        if path != plans[0][0]:
            raise ValueError(f"rank 0 saves to {plans[0][0]!r}, rank {rank} to {path!r}")
    found: dict[str, dict[int, _TensorPlan | _ValuePlan]] = {}
    for rank, (_, plan) in enumerate(plans):
        for name, each in plan.items():
            found.setdefault(name, {})[rank] = each
    for name, by_rank in found.items():
        metadata.state_dict_metadata[name] = _entry_of(name, by_rank)
    differing = [name for name, by_rank in found.items() if _differ(by_rank.values())]
    if differing:
        more = f" and {len(differing) - 3} more" if len(differing) > 3 else ""
        warn(
            f"checkpoint.save: {', '.join(map(repr, differing[:3]))}{more}: tensors of the same name and "
            "shape differ between ranks; those of the first rank are written. If they are parts of one "
            "tensor, save them as Shards; if each is needed, have the rank in its name",
            UserWarning,
        )
    return metadata


def _differ(plans: Collection[_TensorPlan | _ValuePlan]) -> bool:
    """Have ranks other elements in the same part of a tensor?"""
    digests: dict[Box, int] = {}
    tensors = [each for each in plans if isinstance(each, _TensorPlan)]
    return any(digests.setdefault(each.box, each.digest) != each.digest for each in tensors)


def _entry_of(
    name: str, by_rank: Mapping[int, _TensorPlan | _ValuePlan]
) -> TensorStorageMetadata | BytesStorageMetadata:
    """What is written by one name, from what the ranks have."""
    first, head = next(iter(by_rank.items()))
    if isinstance(head, _ValuePlan):
        if set(by_rank.values()) != {head}:
            if differing := [rank for rank, each in by_rank.items() if not isinstance(each, _ValuePlan)]:
                raise ValueError(f"{name!r} is a value on rank {first}, and a tensor on rank {differing[0]}")
            warn(
                f"checkpoint.save: {name!r} differs between ranks; that of rank {first} is written. If each "
                f"is needed, have the rank in its name",
                UserWarning,
            )
        return BytesStorageMetadata(head.path, values_file(first))
    parts: dict[Box, int] = {}
    for rank, each in by_rank.items():
        if isinstance(each, _ValuePlan):
            raise ValueError(f"{name!r} is a tensor on rank {first}, and a value on rank {rank}")
        for aspect, mine, others in (("dtype", head.dtype, each.dtype), ("shape", head.whole, each.whole)):
            if mine != others:
                raise ValueError(
                    f"{name!r} has the {aspect} {_shown(mine)} on rank {first}, and {_shown(others)} on rank "
                    f"{rank}"
                )
        if each.box.numel() or not parts:
            parts.setdefault(each.box, rank)
    filled = [box for box in parts if box.numel()]
    if fault := fault_of(filled, head.whole):
        raise ValueError(f"{name!r}, of shape {list(head.whole)}: {fault}")
    chunks = [ChunkStorageMetadata(*box, tensors_file(parts[box])) for box in filled or list(parts)[:1]]
    kind: dtype = getattr(gn, head.dtype)
    return TensorStorageMetadata(head.path, kind, head.whole, tuple(chunks))


def _written_by(
    rank: int, items: Mapping[str, Item], metadata: Metadata
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and the other values that a rank writes."""
    tensors: dict[str, Tensor] = {}
    values: dict[str, Any] = {}
    for name, item in items.items():
        entry = metadata.state_dict_metadata[name]
        if isinstance(entry, BytesStorageMetadata):
            if entry.file == values_file(rank):
                values[name] = item.value
        elif any(each.file == tensors_file(rank) for each in entry.chunks):
            tensors[name] = part_of(item.value).tensor
    return tensors, values


def _copy_of(value: Any) -> Any:
    if isinstance(value, Tensor):
        return marked(value.detach().clone(), sharding_of(value))
    if isinstance(value, Shard):
        return replace(value, tensor=value.tensor.detach().clone())
    return copy.deepcopy(value)


def _shown(value: Any) -> str:
    return str(list(value)) if isinstance(value, tuple) else str(value)


def check_not_given(**arguments: Any) -> None:
    """Raise NotImplementedError for an argument of PyTorch's that gnomon does not have."""
    for name, value in arguments.items():
        if value is not None:
            raise NotImplementedError(f"checkpoint: argument {name!r} is not supported")
