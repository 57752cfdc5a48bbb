"""The folder of a checkpoint: written beside its place, and renamed to it when it is whole.

Where the place is taken by an earlier checkpoint, that is renamed first, and removed last:

    latest                          the checkpoint before
    latest  .latest.partial         all ranks write; their files reach the disk
    .latest.replaced  .latest.partial
    .latest.replaced  latest        the new one
    latest

A crash leaves one of these lines.  A reader takes ``latest``, or if it is not there, ``.latest.replaced``:
there is a whole checkpoint in each line, and the next writer removes what is left over.

Source: torch.distributed.checkpoint.filesystem.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import gnomon as gn

from ...memory.tensor import Tensor
from ...serialization.files import sync_directory
from .metadata import BytesStorageMetadata, Metadata, TensorStorageMetadata
from .shard import Shard
from .tensor_file import TensorFile, write

METADATA = "metadata.json"


def tensors_file(rank: int) -> str:
    """The name of a rank's file of tensors."""
    return f"rank_{rank}.safetensors"


def values_file(rank: int) -> str:
    """The name of a rank's file of other values."""
    return f"rank_{rank}.values.pt"


def is_checkpoint(checkpoint_id: str | os.PathLike[str]) -> bool:
    """Is there a whole checkpoint that ``load`` can read?"""
    return (_place(Path(checkpoint_id)) / METADATA).is_file()


class FileSystemWriter:
    """Writes a checkpoint to the folder ``path``.

    ``overwrite``: whether a checkpoint that is there is replaced.
    Source: torch.distributed.checkpoint.FileSystemWriter.
    """

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        self.path = Path(path)
        self.overwrite = overwrite
        self.partial = self.path.with_name(f".{self.path.name}.partial")
        self.replaced = _replaced(self.path)

    def begin(self) -> None:
        """On one rank, first: make the folder beside.

        Raises RuntimeError if the place is taken, by a checkpoint that is not to be replaced or by something
        else.
        """
        if is_checkpoint(self.path):
            if not self.overwrite:
                raise RuntimeError(f"Checkpoint already exists and {self.overwrite=}.")
        elif self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise RuntimeError(f"{self.path} is there, and is no checkpoint: it is not replaced")
        self.abandon()
        self.partial.mkdir(parents=True)

    def write_data(self, rank: int, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
        """On each rank: write its part, down to the disk.

        Raises RuntimeError for a value that ``gnomon.load(weights_only=True)`` would not read.
        """
        if tensors:
            path = self.partial / tensors_file(rank)
            with open(path, "xb") as file:
                write(file, tensors)
                _sync(file)
        if values:
            path = self.partial / values_file(rank)
            with open(path, "xb") as file:
                gn.save(dict(values), file)
                _sync(file)
            _check_readable(path, values)

    def finish(self, metadata: Metadata) -> None:
        """On one rank, after all have written: the folder takes its place."""
        with open(self.partial / METADATA, "x", encoding="utf-8") as file:
            file.write(metadata.to_json())
            _sync(file)
        sync_directory(self.partial)
        if (self.path / METADATA).is_file():
            shutil.rmtree(self.replaced, ignore_errors=True)
            os.rename(self.path, self.replaced)
        os.rename(self.partial, self.path)
        sync_directory(self.path.parent)
        shutil.rmtree(self.replaced, ignore_errors=True)

    def abandon(self) -> None:
        """Remove what was written, or what a writer before has left."""
        shutil.rmtree(self.partial, ignore_errors=True)


class FileSystemReader:
    """Reads the checkpoint in the folder ``path``.

    Source: torch.distributed.checkpoint.FileSystemReader.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._files: dict[str, TensorFile] = {}
        self._values: dict[str, dict[str, Any]] = {}

    def read_metadata(self) -> Metadata:
        """What the checkpoint has.  Raises FileNotFoundError if there is none, ValueError if it is
        corrupt.
        """
        path = _place(self.path) / METADATA
        if not path.is_file():
            raise FileNotFoundError(f"there is no checkpoint in {self.path}: it has no {METADATA}")
        return Metadata.from_json(path.read_text("utf-8"))

    def read_tensor(self, name: str, entry: TensorStorageMetadata, into: Shard) -> None:
        """Fill a part of a tensor, from the stored parts that it shares elements with.

        Raises ValueError for a file that is corrupt.
        """
        for chunk in entry.chunks:
            common = into.box & chunk.box
            if common.numel() == 0:
                continue
            if chunk.file not in self._files:
                self._files[chunk.file] = TensorFile(_place(self.path) / chunk.file)
            stored = self._files[chunk.file].tensor(name, entry.dtype, chunk.sizes)
            with gn.no_grad():
                target = common.within(into.tensor.detach(), into.offset)
                target.copy_(common.within(stored, chunk.offsets))

    def read_value(self, name: str, entry: BytesStorageMetadata) -> Any:
        """A value that is no tensor."""
        if entry.file not in self._values:
            self._values[entry.file] = gn.load(_place(self.path) / entry.file, weights_only=True)
        return self._values[entry.file][name]


def _place(path: Path) -> Path:
    """Where the checkpoint is: beside its place, if a crash came between two renamings."""
    return path if path.exists() or not _replaced(path).exists() else _replaced(path)


def _replaced(path: Path) -> Path:
    return path.with_name(f".{path.name}.replaced")


def _check_readable(path: Path, values: Mapping[str, Any]) -> None:
    """Say now, not when it is needed, which value can not be read again."""
    try:
        gn.load(path, weights_only=True)
    except Exception:
        for name, value in values.items():
            alone = io.BytesIO()
            gn.save(value, alone)
            alone.seek(0)
            try:
                gn.load(alone, weights_only=True)
            except Exception as error:
                raise RuntimeError(f"the value {name!r} could not be read again: {error}") from error
        raise


def _sync(file: IO[Any]) -> None:
    """Have what was written reach the disk."""
    file.flush()
    os.fsync(file.fileno())
