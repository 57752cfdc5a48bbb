"""Marks a file in a process of its own, so that an endless loop or a crash does not end the command.

The result is a file of JSON; whatever the reader's code prints goes to the process's output.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from .marking import Marks, mark_file
from .record import Exercise

LIMIT = 300.0  # seconds; the marks of an exercise take a few, and tests of the suite some more
LARGEST_FILE = 2**26  # bytes, that the reader's code may write, or print
_SHOWN = 12  # lines of what the reader's code printed


def marked(exercise: Exercise, path: Path) -> Marks:
    """Mark a file in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        result, output = Path(folder) / "result.json", Path(folder) / "output.txt"
        command = [sys.executable, "-m", __name__, exercise.id, str(path.resolve()), str(result)]
        with output.open("wb") as printed:
            try:
                status = subprocess.run(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=subprocess.STDOUT,
                    cwd=path.resolve().parent,
                    env=_environment(),
                    timeout=LIMIT,
                    check=False,
                ).returncode
            except subprocess.TimeoutExpired:
                text = (
                    f"The marking was ended after {LIMIT:g} seconds, the limit, which is far more than it "
                    "needs: is there a loop that does not end?"
                )
                return Marks([text], _last_lines(output))
        if not result.exists():
            return Marks(
                [f"Your code ended the process that marks it (status {status})."], _last_lines(output)
            )
        marks = Marks(**json.loads(result.read_text("utf-8")))
        if marks.findings:
            marks.remarks += _last_lines(output)
        return marks


def _environment() -> dict[str, str]:
    """This process's environment, in which the child finds the same gnomon."""
    root = str(Path(__file__).parents[3])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}


def _last_lines(output: Path) -> list[str]:
    """What the reader's code printed, at the end."""
    lines = output.read_text("utf-8", "replace").splitlines()
    if not lines:
        return []
    title = (
        "Your code printed:" if len(lines) <= _SHOWN else f"The last {_SHOWN} lines that your code printed:"
    )
    return ["\n".join([title, *(f"  {line}" for line in lines[-_SHOWN:])])]


def _limit_files() -> None:
    """Let no file of this process grow beyond a limit, such as that of what an endless loop prints."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    least = LARGEST_FILE if hard == resource.RLIM_INFINITY else min(hard, LARGEST_FILE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (least, hard))


def main() -> None:
    """Mark one file: arguments are the exercise, the file, and the file for the result."""
    from .records import find

    name, path, result = sys.argv[1:]
    _limit_files()
    sys.path.insert(0, str(Path(path).parent))
    marks = mark_file(find(name), Path(path))
    with contextlib.suppress(OSError):  # its file may be full
        sys.stdout.flush()
    temporary = Path(f"{result}.tmp")
    temporary.write_text(json.dumps(asdict(marks)), "utf-8")
    temporary.replace(result)


if __name__ == "__main__":
    main()
