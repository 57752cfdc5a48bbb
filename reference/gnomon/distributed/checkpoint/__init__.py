"""Checkpoints that all ranks write and read together: one folder, which is whole or not there.

    checkpoint.save({"model": model, "optimizer": optimizer, "step": 7}, checkpoint_id="run/latest")
    checkpoint.load({"model": model, "optimizer": optimizer, "step": None}, checkpoint_id="run/latest")

The folder has a file of tensors for each rank that wrote some (``rank_0.safetensors``), a file of other
values (``rank_0.values.pt``), and ``metadata.json``, which says where each tensor, or each part of one, is.
A tensor that all ranks hold is written once; one of which each rank holds a part is described by a ``Shard``.
What was saved by four ranks can be loaded by two, or one: each reads the parts that it needs.

The folder is written beside its place and renamed when all ranks have written all (filesystem.py), so that a
crash at any moment leaves the checkpoint before.

Source: torch.distributed.checkpoint.
"""

from __future__ import annotations

from .agreement import CheckpointException
from .filesystem import FileSystemReader, FileSystemWriter, is_checkpoint
from .loading import load
from .metadata import BytesStorageMetadata, ChunkStorageMetadata, Metadata, TensorStorageMetadata
from .names import Stateful
from .saving import async_save, save
from .shard import Shard

__all__ = [
    "BytesStorageMetadata",
    "CheckpointException",
    "ChunkStorageMetadata",
    "FileSystemReader",
    "FileSystemWriter",
    "Metadata",
    "Shard",
    "Stateful",
    "TensorStorageMetadata",
    "async_save",
    "is_checkpoint",
    "load",
    "save",
]
