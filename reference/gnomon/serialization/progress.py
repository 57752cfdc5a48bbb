"""A progress bar of the bytes that are read from or written to a file, by the package rich, on stderr."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

_PIECE = 1 << 24  # bytes that are written at once, between two steps of the bar


class CountedFile:
    """``file``, whose bytes that are read or written advance a progress bar."""

    def __init__(self, file: Any, bar: Any, task: Any) -> None:
        self._file = file
        self._bar = bar
        self._task = task

    def expect(self, nbytes: int) -> None:
        """Say how many bytes there will be."""
        self._bar.update(self._task, total=nbytes)

    def read(self, size: int = -1) -> bytes:
        """As ``file.read``."""
        data = self._file.read(size)
        self._bar.advance(self._task, len(data))
        return data

    def write(self, data: Any) -> int:
        """Write all of ``data``."""
        view = memoryview(data).cast("B")
        at = 0
        while at < view.nbytes:
            piece = view[at : at + _PIECE]
            written = self._file.write(piece)
            at += piece.nbytes if written is None else written
            self._bar.advance(self._task, piece.nbytes if written is None else written)
        return view.nbytes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@contextlib.contextmanager
def counted(file: Any, text: str, nbytes: int | None) -> Iterator[CountedFile]:
    """``file`` with a progress bar that says ``text``; ``nbytes`` are expected, None: not known yet.

    Raises ImportError without the package rich.
    """
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )
    except ImportError as error:
        raise ImportError(f"progress=True requires the package rich: pip install rich ({error})") from error
    columns = (
        *(TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%")),
        *(DownloadColumn(binary_units=True), TransferSpeedColumn(), TimeRemainingColumn()),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(text, total=nbytes)
        yield CountedFile(file, bar, task)
        # Some bytes are not read, such as those between records; others are read twice.
        total = bar.tasks[0].total if bar.tasks[0].total is not None else bar.tasks[0].completed
        bar.update(task, total=total, completed=total)
