"""``load``: which parts this rank needs, and the steps that all ranks take together.

Source: torch.distributed.checkpoint.state_dict_loader, torch.distributed.checkpoint.default_planner.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import gnomon as gn

from ...memory.tensor import Tensor
from ..process_group import ProcessGroup
from .agreement import Ranks, is_member
from .filesystem import FileSystemReader
from .metadata import Metadata, TensorStorageMetadata
from .names import Item, Stateful, flatten, put, unflatten
from .optimizer_state import place_for, state_of
from .saving import check_not_given
from .shard import Shard, part_of

_SHOWN = 10  # problems in one message


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_reader: FileSystemReader | None = None,
    planner: Any = None,
    process_group: ProcessGroup | None = None,
    no_dist: bool = False,
) -> None:
    """Fill ``state_dict`` from the checkpoint in the folder ``checkpoint_id``, in place.

    All ranks must call it; their number may be another than that which saved.  Of the checkpoint is read what
    ``state_dict`` has: its tensors are filled, a Shard with the part that it describes; any other value is
    replaced by what was saved, None also by a tensor.  A Stateful at the top of the dict gets all that was
    saved by its name, through its ``load_state_dict``: also what a new optimizer does not have yet.

    Raises CheckpointException, on all ranks and before anything has changed, if there is no checkpoint, if it
    lacks a name, or has it with another shape or dtype.
    Source: torch.distributed.checkpoint.load.
    """
    check_not_given(planner=planner)
    reader = _reader_of(checkpoint_id, storage_reader)
    if not is_member(process_group):
        return
    ranks = Ranks(process_group, no_dist)
    doing = f"checkpoint.load of {str(reader.path)!r}"
    stateful = {key: value for key, value in state_dict.items() if isinstance(value, Stateful)}

    def plan() -> tuple[Metadata, dict[str, Item]]:
        metadata = reader.read_metadata()
        rest = {key: value for key, value in state_dict.items() if key not in stateful}
        wanted = flatten(rest) | _wanted_by(stateful, metadata)
        _check(wanted, metadata)
        return metadata, wanted

    def read() -> list[Item]:
        return [_read(reader, metadata, name, item) for name, item in wanted.items()]

    def fill() -> None:
        states: dict[str, Any] = {}
        for item in found:
            put(states if item.path[0] in stateful else state_dict, item)
        for key, value in stateful.items():
            value.load_state_dict(states[key])

    metadata, wanted = ranks.take(doing, plan)
    found = ranks.take(doing, read)
    ranks.take(doing, fill)


def _load_state_dict_from_keys(
    keys: str | Iterable[str] | None = None,
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_reader: FileSystemReader | None = None,
    process_group: ProcessGroup | None = None,
) -> dict[str, Any]:
    """What a checkpoint has by some names, and the names under them; by default, all of it.

    Source: torch.distributed.checkpoint.state_dict_loader._load_state_dict_from_keys.
    """
    reader = _reader_of(checkpoint_id, storage_reader)
    entries = reader.read_metadata().state_dict_metadata
    asked = None if keys is None else {keys} if isinstance(keys, str) else set(keys)

    def is_asked(name: str) -> bool:
        return asked is None or any(name == each or name.startswith(f"{each}.") for each in asked)

    state_dict = unflatten(Item(entry.path, None) for name, entry in entries.items() if is_asked(name))
    load(state_dict, storage_reader=reader, process_group=process_group)
    return state_dict


def _reader_of(checkpoint_id: Any, storage_reader: FileSystemReader | None) -> FileSystemReader:
    if checkpoint_id is not None:
        return FileSystemReader(checkpoint_id)
    if storage_reader is None:
        raise ValueError("checkpoint: expected argument 'checkpoint_id', the folder, or a storage_reader")
    if not isinstance(storage_reader, FileSystemReader):
        raise TypeError(f"checkpoint: expected a FileSystemReader, got {type(storage_reader).__name__}")
    return storage_reader


def _wanted_by(stateful: Mapping[str, Stateful], metadata: Metadata) -> dict[str, Item]:
    """All that was saved by the names of Statefuls, to be read into their tensors where they have them."""
    has = flatten({key: state_of(value) for key, value in stateful.items()})
    wanted: dict[str, Item] = {}
    for name, entry in metadata.state_dict_metadata.items():
        if entry.path[0] in stateful:
            owner = stateful[entry.path[0]]
            value = has[name].value if name in has else place_for(owner, entry.path, entry)
            wanted[name] = Item(entry.path, value)
    for key in stateful:
        if not any(item.path[0] == key for item in wanted.values()):
            wanted[key] = Item((key,), None)  # which is missing
    return wanted


def _check(wanted: Mapping[str, Item], metadata: Metadata) -> None:
    """Raise RuntimeError, or ValueError for another shape or dtype, if a checkpoint does not have this."""
    missing = [name for name in wanted if name not in metadata.state_dict_metadata]
    if missing:
        raise RuntimeError(f"Missing key in checkpoint state_dict: {_listed(missing, ', ')}.")
    problems = []
    for name, item in wanted.items():
        entry = metadata.state_dict_metadata[name]
        if not isinstance(item.value, (Tensor, Shard)) or not isinstance(entry, TensorStorageMetadata):
            continue
        part = part_of(item.value)
        if part.global_shape != entry.size:
            problems.append(
                f"Size mismatch between saved {gn.Size(entry.size)} and current: "
                f"{gn.Size(part.global_shape)} "
                f"for {name}"
            )
        elif part.tensor.dtype is not entry.dtype:
            problems.append(
                f"dtype mismatch between saved {entry.dtype} and current: {part.tensor.dtype} for {name}"
            )
    if problems:
        raise ValueError(_listed(problems, "\n"))


def _read(reader: FileSystemReader, metadata: Metadata, name: str, item: Item) -> Item:
    """A value as it was saved: read into the tensor that is there, or new."""
    entry = metadata.state_dict_metadata[name]
    if not isinstance(entry, TensorStorageMetadata):
        return Item(item.path, reader.read_value(name, entry))
    value = item.value
    if not isinstance(value, (Tensor, Shard)):
        value = gn.empty(entry.size, dtype=entry.dtype)
    reader.read_tensor(name, entry, part_of(value))
    return Item(item.path, value)


def _listed(texts: list[str], between: str) -> str:
    more = f"{between}and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return between.join(texts[:_SHOWN]) + more
