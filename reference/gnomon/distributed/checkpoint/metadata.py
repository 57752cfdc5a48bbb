"""What a checkpoint has: ``metadata.json``.

Source: torch.distributed.checkpoint.metadata.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import gnomon as gn

from ...values.dtype import dtype
from .names import Path
from .shard import Box

_FORMAT = "gnomon.distributed.checkpoint"
_VERSION = 1


@dataclass(frozen=True)
class ChunkStorageMetadata:
    """A part of a tensor, and the file that has it, under the tensor's name."""

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    file: str

    @property
    def box(self) -> Box:
        """Which elements of the tensor it has."""
        return Box(self.offsets, self.sizes)


@dataclass(frozen=True)
class TensorStorageMetadata:
    """A tensor, and where its parts are."""

    path: Path
    dtype: dtype
    size: tuple[int, ...]
    chunks: tuple[ChunkStorageMetadata, ...]


@dataclass(frozen=True)
class BytesStorageMetadata:
    """A value that is no tensor, and the file that has it."""

    path: Path
    file: str


@dataclass
class Metadata:
    """All that a checkpoint has, by name.  ``world_size``: the number of ranks that wrote it."""

    world_size: int
    state_dict_metadata: dict[str, TensorStorageMetadata | BytesStorageMetadata] = field(default_factory=dict)

    def to_json(self) -> str:
        """The content of ``metadata.json``."""
        tensors: dict[str, Any] = {}
        values: dict[str, Any] = {}
        for name, entry in self.state_dict_metadata.items():
            if isinstance(entry, BytesStorageMetadata):
                values[name] = {"path": entry.path, "file": entry.file}
            else:
                chunks = [{"offset": c.offsets, "shape": c.sizes, "file": c.file} for c in entry.chunks]
                described = {"dtype": entry.dtype.name, "shape": entry.size, "chunks": chunks}
                tensors[name] = {"path": entry.path, **described}
        head = {"format": _FORMAT, "version": _VERSION, "world_size": self.world_size}
        return json.dumps({**head, "tensors": tensors, "values": values})

    @staticmethod
    def from_json(text: str) -> Metadata:
        """What ``to_json`` has written.  Raises ValueError for another text."""
        try:
            read = json.loads(text)
            if (read["format"], read["version"]) != (_FORMAT, _VERSION):
                raise ValueError(f"format {read['format']!r}, version {read['version']}")
            made = Metadata(read["world_size"])
            for name, each in read["tensors"].items():
                chunks = [
                    ChunkStorageMetadata(tuple(c["offset"]), tuple(c["shape"]), c["file"])
                    for c in each["chunks"]
                ]
                kind = getattr(gn, each["dtype"])
                made.state_dict_metadata[name] = TensorStorageMetadata(
                    tuple(each["path"]), kind, tuple(each["shape"]), tuple(chunks)
                )
            for name, each in read["values"].items():
                made.state_dict_metadata[name] = BytesStorageMetadata(tuple(each["path"]), each["file"])
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"not the metadata of a checkpoint: {error!r}") from error
        return made
