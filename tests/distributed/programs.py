"""Programs that tests start as several ranks, and what is left of them afterwards."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

LIMIT = 300  # seconds after which a program that should end counts as hanging


class Ended(NamedTuple):
    """How a program ended."""

    status: int
    out: str
    err: str


class Started:
    """A program that runs in a folder, with its output in files."""

    def __init__(self, folder: Path, arguments: list[str], name: str = "", **environment: str) -> None:
        self.folder = folder
        self.streams = [folder / f"{name}.out", folder / f"{name}.err"]
        with open(self.streams[0], "wb") as out, open(self.streams[1], "wb") as err:
            self.process = subprocess.Popen(
                arguments,
                cwd=folder,
                env={**os.environ, "GNOMON_NUM_THREADS": "1", **environment},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )

    def end(self) -> Ended:
        """Wait for its end."""
        try:
            status = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        return Ended(status, *(each.read_text("utf-8", "replace") for each in self.streams))


def launched(
    folder: Path, program: str, *arguments: str, options: str = "--nproc 2", **environment: str
) -> Started:
    """A program, given as text, under the launcher."""
    (folder / "program.py").write_text(program)
    command = [sys.executable, "-m", "gnomon.distributed.run", *options.split(), "program.py", *arguments]
    return Started(folder, command, **environment)


def by_hand(folder: Path, program: str, rank: int, size: int, port: int, *arguments: str) -> Started:
    """One rank of a program, started without an mpiexec."""
    (folder / "program.py").write_text(program)
    place = {"RANK": str(rank), "WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    return Started(
        folder, [sys.executable, "program.py", *arguments], f"by_hand_{rank}_{time.monotonic_ns()}", **place
    )


def free_port() -> int:
    """A port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


# A program calls this first; the file says which processes it has.
NOTE_PID = """
import os
def note(pid):
    with open(f"pid_{pid}.tmp", "w") as file:
        file.write(str(pid))
    os.rename(f"pid_{pid}.tmp", f"pid_{pid}")
note(os.getpid())
"""


def pids(folder: Path) -> list[int]:
    """The processes that a program has noted in its folder."""
    return [int(each.read_text()) for each in folder.glob("pid_*") if each.suffix != ".tmp"]


def wait_for_file(path: Path, program: Started) -> None:
    """Until a program has made a file; fails if it ends before."""
    limit = time.monotonic() + LIMIT
    while not path.exists():
        assert program.process.poll() is None, program.end()
        assert time.monotonic() < limit, f"no {path.name}"
        time.sleep(0.02)


def left(folder: Path) -> list[int]:
    """Those of its processes that still run.  One that was killed has some time to be gone."""
    limit = time.monotonic() + LIMIT
    while (found := [each for each in pids(folder) if _runs(each)]) and time.monotonic() < limit:
        time.sleep(0.02)
    for each in found:
        os.kill(each, signal.SIGKILL)
    return found


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in ("Z", "X")
