"""learn/exercises/worker.py: what the reader's code may do to the process that marks it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.learn.exercises.records import find
from gnomon.learn.exercises.worker import LARGEST_FILE, marked

pytest.importorskip("resource", reason="this system has no limits of files")


def test_endless_printing_does_not_fill_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "contiguous_strides.py"
    path.write_text("def contiguous_strides(sizes):\n    while True:\n        print('x' * 1000000)\n")
    marks = marked(find("contiguous_strides"), path)
    assert not marks.passed
    assert "OSError: [Errno 27] File too large" in "\n".join(marks.findings)
    assert sum(len(each) for each in marks.remarks) <= LARGEST_FILE
