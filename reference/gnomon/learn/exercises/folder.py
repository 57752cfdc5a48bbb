"""The reader's folder: a file for each exercise that was started, and a small file of what has been done.

The small file keeps how many hints of each exercise were shown, and the hash of each file that passed, so
that a list need not mark anything.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from .record import Exercise

_KEPT = ".gnomon-exercises.json"


class Folder:
    """The folder at ``path``, which may not exist yet."""

    def __init__(self, path: Path):
        self.path = path

    def file(self, exercise: Exercise) -> Path:
        """The reader's file of an exercise."""
        return self.path / f"{exercise.id}.py"

    def start(self, exercise: Exercise) -> bool:
        """Write the skeleton of an exercise; False if there is a file, which stays as it is.

        Raises OSError if it can not be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            with self.file(exercise).open("x", encoding="utf-8") as file:
                file.write(exercise.skeleton)
        except FileExistsError:
            if self.file(exercise).is_dir():
                raise IsADirectoryError(f"{self.file(exercise)} is a folder: it needs another name") from None
            return False
        return True

    def state(self, exercise: Exercise) -> str:
        """ "solved", "changed" since it passed, "started", or "" if there is no file."""
        if not self.file(exercise).is_file():
            return ""
        passed = self._kept()["passed"].get(exercise.id)
        if passed is None:
            return "started"
        return "solved" if passed == self._hash(exercise) else "changed"

    def keep_result(self, exercise: Exercise, passed: bool) -> None:
        """Remember that the file of an exercise passed as it is now, or did not."""
        kept = self._kept()
        kept["passed"].pop(exercise.id, None)
        if passed:
            kept["passed"][exercise.id] = self._hash(exercise)
        self._keep(kept)

    def next_hint(self, exercise: Exercise) -> int:
        """The number of the next hint, from 0 on, which is counted; the last one is given again."""
        kept = self._kept()
        number = min(kept["hints"].get(exercise.id, 0), len(exercise.hints) - 1)
        kept["hints"][exercise.id] = number + 1
        self._keep(kept)
        return number

    def _hash(self, exercise: Exercise) -> str:
        return hashlib.sha256(self.file(exercise).read_bytes()).hexdigest()

    def _kept(self) -> dict[str, dict[str, Any]]:
        try:
            kept = json.loads((self.path / _KEPT).read_text("utf-8"))
            return {name: dict(kept[name]) for name in ("passed", "hints")}
        except (OSError, ValueError, KeyError, TypeError):  # none yet, or damaged: nothing of value is lost
            return {"passed": {}, "hints": {}}

    def _keep(self, kept: dict[str, dict[str, Any]]) -> None:
        file = self.path / _KEPT
        temporary = file.with_name(f"{_KEPT}.{os.getpid()}.tmp")
        try:
            temporary.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
