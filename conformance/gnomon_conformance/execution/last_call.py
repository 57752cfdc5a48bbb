"""The last call that a process made before a kernel crashed it or hung.

A worker writes each call to a file before a backend makes it.  After a crash, the process that started the
worker reads the file.
"""

from __future__ import annotations

import pathlib
import pickle
from typing import Any, BinaryIO, NamedTuple

from ..inputs.description import Sample


class LastCall(NamedTuple):
    """A call of the operator with this full name."""

    operator: str
    sample: Sample
    dtype: str
    layout: str


_file: BinaryIO | None = None


def write_to(file: BinaryIO | None) -> None:
    """Write the calls of this process to an unbuffered file, each replacing the one before; None: stop."""
    global _file
    _file = file


def note(schema: Any, sample: Sample, dtype: str, layout: str) -> None:
    """Write down a call that a backend is about to make.  Costs nothing unless ``write_to`` was called."""
    if _file is not None:
        _write(pickle.dumps(LastCall(schema.full_name, sample, dtype, layout)))


def forget() -> None:
    """Clear the file, when a test begins."""
    _write(b"")


def _write(content: bytes) -> None:
    """Overwrite the file at once: it has no buffer that a crash could lose."""
    if _file is not None:
        _file.seek(0)
        _file.write(len(content).to_bytes(8, "little") + content)


def read(path: pathlib.Path) -> LastCall | None:
    """The last call of a worker; None if it has made none."""
    content = path.read_bytes() if path.is_file() else b""
    size = int.from_bytes(content[:8], "little")
    return pickle.loads(content[8 : 8 + size]) if size else None
