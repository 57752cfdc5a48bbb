"""Plug-ins tried in processes of their own: what a list of all backends is made from.

Whoever only wants to see what is installed must not be ended, held up or changed by a plug-in's import.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..memory.backend import find_entry_point

# The child finds modules where its parent does, and says what it found in a file: a plug-in may print.
_PROGRAM = """
import json, sys
asked = json.loads(sys.argv[1])
sys.path[:] = asked["path"]
from gnomon.backends.listing import backend_info
found = json.dumps(backend_info(asked["name"]))
with open(asked["answer"], "w") as file:
    file.write(found)
"""

_found: dict[Any, tuple[Any, ...]] = {}  # entry point -> what its child said


def probe(names: Iterable[str], seconds: float) -> dict[str, tuple[Any, ...]]:
    """For each of ``names``, the fields of the BackendInfo that a child process made of its entry point.

    The children run side by side.  One that is not done after ``seconds`` seconds is ended, and that is the
    reason given for it; a later call tries it again.
    """
    asked = {name: find_entry_point(name) for name in names}
    missing = [name for name, entry_point in asked.items() if entry_point not in _found]
    said = {}
    with tempfile.TemporaryDirectory() as folder:
        children = {name: _start(name, Path(folder, name)) for name in missing}
        until = time.monotonic() + seconds
        for name, child in children.items():
            said[name] = _outcome(name, child, until, seconds, Path(folder, name))
    return {name: said[name] if name in said else _found[asked[name]] for name in asked}


def _start(name: str, folder: Path) -> subprocess.Popen[bytes]:
    folder.mkdir()
    question = {"name": name, "path": sys.path, "answer": str(folder / "answer")}
    settings = {key: value for key, value in os.environ.items() if key != "GNOMON_SHADOW"}
    with open(folder / "errors", "wb") as errors:
        return subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, json.dumps(question)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=settings,
            start_new_session=True,  # so that what it starts is ended with it
        )


def _outcome(
    name: str, child: subprocess.Popen[bytes], until: float, seconds: float, folder: Path
) -> tuple[Any, ...]:
    """What a child said of its backend, or why it said nothing."""
    try:
        status = child.wait(max(0.0, until - time.monotonic()))
        ended = f"signal {-status}" if status < 0 else f"status {status}"
        reason = f"the process that tried it ended with {ended}"
    except subprocess.TimeoutExpired:
        reason = f"its import did not end within {seconds:g} seconds"
    finally:
        _end(child)
    if child.returncode == 0 and (folder / "answer").exists():
        answer = tuple(json.loads((folder / "answer").read_text()))
        _found[find_entry_point(name)] = answer
        return answer
    lines = (folder / "errors").read_text(errors="replace").split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "")
    return name, False, f"{reason}: {last}" if last else reason, False, "", 0, 0


def _end(child: subprocess.Popen[bytes]) -> None:
    """End a child and all that it started, however it went."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        child.kill()
    child.wait()
