"""One rank under the launcher: runs the program, and tells the launcher how it goes.

Twice a second a thread says what the rank is doing; an exception that ends the program is sent before all
ranks are ended; where the launcher asks, the thread answers with the main thread's stack.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import socket
import sys
import threading
import traceback
from typing import Any

from ..environment import place_by_mpiexec
from ..progress import progress

_BEAT = 0.5  # seconds
_TRACEBACK = 20_000  # characters at most


class Reporter:
    """The connection to the launcher."""

    def __init__(self, address: str, rank: int) -> None:
        host, port, self.token = address.rsplit(":", 2)
        self.connection = socket.create_connection((host, int(port)), 30)
        self.connection.settimeout(None)
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.main = threading.main_thread().ident
        self.say(token=self.token, rank=rank, host=socket.gethostname(), pid=os.getpid())
        threading.Thread(target=self._beat, name="gnomon heartbeat", daemon=True).start()
        threading.Thread(target=self._listen, name="gnomon reporter", daemon=True).start()

    def say(self, **what: Any) -> None:
        """Send a line.  A launcher that is gone is no error: its ranks end with it."""
        with self.lock, contextlib.suppress(OSError):
            self.connection.sendall(json.dumps(what).encode() + b"\n")

    def _beat(self) -> None:
        while not self.ended.wait(_BEAT):
            self.say(progress=progress.report())

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while asked := self.connection.recv(64):
                if b"stack" in asked:
                    frame = sys._current_frames().get(self.main or 0)
                    self.say(stack="".join(traceback.format_stack(frame))[-_TRACEBACK:])
        if not self.ended.is_set():
            os._exit(1)  # the launcher is gone, and with it what would end this rank


def main() -> None:
    """``[-m] program arguments``: run it as ``__main__``."""
    place = place_by_mpiexec()
    rank, size = (place.rank, place.size) if place else (0, 1)
    local = os.environ.get("MPI_LOCALRANKID") or os.environ.get("OMPI_COMM_WORLD_LOCAL_RANK") or str(rank)
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(size), LOCAL_RANK=local)
    reporter = Reporter(os.environ["GNOMON_DISTRIBUTED_REPORT"], rank)
    is_module = sys.argv[1] == "-m"
    sys.argv[:] = sys.argv[2:] if is_module else sys.argv[1:]
    sys.path[0] = os.getcwd() if is_module else os.path.dirname(os.path.abspath(sys.argv[0]))
    status: Any = 0
    try:
        if is_module:
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as error:
        status = error.code
        if isinstance(status, str):
            print(status, file=sys.stderr)
            status = 1
        status = 0 if status is None else status
        if status:
            reporter.say(error=f"it exited with status {status}", traceback="")
    except BaseException as error:
        status = 1
        summary = traceback.format_exception_only(type(error), error)[-1].strip()
        reporter.say(error=f"it raised {summary}", traceback=_traceback_of(error))
    sys.stdout.flush()
    sys.stderr.flush()
    if status:
        _end_all()
    reporter.say(finished=True)
    reporter.ended.set()


def _traceback_of(error: BaseException) -> str:
    """The traceback, without the frames that run the program."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in (
        __file__,
        runpy.__file__,
        "<frozen runpy>",
    ):
        trace = trace.tb_next
    text = "".join(traceback.format_exception(type(error), error, trace))
    return text[-_TRACEBACK:]


def _end_all() -> None:
    """End all ranks: at once, where MPI runs; it would else wait for the others."""
    MPI = getattr(sys.modules.get("mpi4py.MPI"), "COMM_WORLD", None)
    if MPI is not None:
        MPI.Abort(1)
    os._exit(1)


if __name__ == "__main__":
    main()
