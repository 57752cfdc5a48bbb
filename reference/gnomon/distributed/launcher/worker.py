"""One rank under the launcher: runs the program, and tells its supervisor how it goes.

Twice a second a thread says what the rank is doing; an exception that ends the program is sent before the
process ends.  At the signal SIGUSR2 Python writes the main thread's stack.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import runpy
import signal
import sys
import threading
import traceback
from typing import Any

from ..environment import place_by_mpiexec
from ..progress import progress

_BEAT = 0.5  # seconds
_TRACEBACK = 20_000  # characters at most


class Reporter:
    """What the rank says to its supervisor: lines of JSON in a pipe."""

    def __init__(self, place: str) -> None:
        self.report, stack, supervisor = map(int, place.split(":"))
        for each in (self.report, stack, supervisor):
            os.set_inheritable(each, False)
        self.lock = threading.Lock()
        self.ended = threading.Event()
        faulthandler.register(signal.SIGUSR2, file=stack, all_threads=False)
        threading.Thread(target=self._beat, name="gnomon heartbeat", daemon=True).start()
        watching = threading.Thread(target=_end_with, args=(supervisor,), name="gnomon watch", daemon=True)
        watching.start()

    def say(self, **what: Any) -> None:
        """Send a line."""
        line = json.dumps(what).encode() + b"\n"
        with self.lock, contextlib.suppress(OSError):
            while line:
                line = line[os.write(self.report, line) :]

    def _beat(self) -> None:
        while True:
            self.say(progress=progress.report())
            if self.ended.wait(_BEAT):
                return


def _end_with(supervisor: int) -> None:
    """End this process when the supervisor ends, which holds the other end of the pipe."""
    os.read(supervisor, 1)
    os._exit(1)


def main() -> None:
    """``[-m] program arguments``: run it as ``__main__``."""
    place = place_by_mpiexec()
    rank, size = (place.rank, place.size) if place else (0, 1)
    local = os.environ.get("MPI_LOCALRANKID") or os.environ.get("OMPI_COMM_WORLD_LOCAL_RANK") or str(rank)
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(size), LOCAL_RANK=local)
    reporter = Reporter(os.environ["GNOMON_DISTRIBUTED_REPORT"])
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
        os._exit(1)  # at once: MPI would wait for the other ranks
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


if __name__ == "__main__":
    main()
