"""Imports plug-ins in separate processes, to list all backends.

Listing must not crash, hang or change the program, whatever a plug-in does on import.
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

# The child has its parent's sys.path, and writes its answer to a file, because a plug-in may print.
_PROGRAM = """
import json, sys
asked = json.loads(sys.argv[1])
sys.path[:] = asked["path"]
from gnomon.backends.listing import backend_info
found = json.dumps(backend_info(asked["name"]))
with open(asked["answer"], "w") as file:
    file.write(found)
"""

_found: dict[Any, tuple[Any, ...]] = {}  # entry point -> the child's answer


def probe(names: Iterable[str], seconds: float) -> dict[str, tuple[Any, ...]]:
    """For each of ``names``, the fields of its BackendInfo, computed by a child process.

    The children run in parallel.  One that has not finished after ``seconds`` seconds is killed, and reported
    as unavailable for that reason; a later call tries it again.
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
            start_new_session=True,  # so that its own children are killed with it
        )


def _outcome(
    name: str, child: subprocess.Popen[bytes], until: float, seconds: float, folder: Path
) -> tuple[Any, ...]:
    """A child's answer about its backend, or the reason why it has none."""
    try:
        status = child.wait(max(0.0, until - time.monotonic()))
        ended = f"signal {-status}" if status < 0 else f"status {status}"
        reason = f"the process that imported it ended with {ended}"
    except subprocess.TimeoutExpired:
        reason = f"its import did not finish within {seconds:g} seconds"
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
    """Kills a child's process group, whatever state it is in."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        child.kill()
    child.wait()
