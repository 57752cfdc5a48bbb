"""The last call: what a process was doing when a kernel ended it, or kept it for ever.

A worker writes each call down before a backend makes it.  After a crash there is nobody left to ask, and the
process that started the worker reads what it was.
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
    """Write the calls of this process to an unbuffered file, each over the one before; None: no more."""
    global _file
    _file = file


def note(schema: Any, sample: Sample, dtype: str, layout: str) -> None:
    """A backend is about to be called.  Costs nothing where nobody has asked for it."""
    if _file is not None:
        _write(pickle.dumps(LastCall(schema.full_name, sample, dtype, layout)))


def forget() -> None:
    """A test begins that has made no call yet."""
    _write(b"")


def _write(content: bytes) -> None:
    """Over what is there, at once: the file has no buffer that a crash could take with it."""
    if _file is not None:
        _file.seek(0)
        _file.write(len(content).to_bytes(8, "little") + content)


def read(path: pathlib.Path) -> LastCall | None:
    """What a worker was doing; None where it had not called anything."""
    content = path.read_bytes() if path.is_file() else b""
    size = int.from_bytes(content[:8], "little")
    return pickle.loads(content[8 : 8 + size]) if size else None
