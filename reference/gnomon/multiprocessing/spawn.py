"""Processes that run the same function, and are waited for together.

Source: torch/multiprocessing/spawn.py.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from ..values.errors import warn

_log = logging.getLogger(__name__)

_PATIENCE = 30.0  # seconds that a process gets to end after SIGTERM
_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


class ProcessException(Exception):
    """A process has failed: the one with number ``error_index``, whose id was ``error_pid``."""

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.error_pid = error_pid

    def __reduce__(self) -> Any:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """The function has raised an exception, whose traceback is in the text."""


class ProcessExitedException(ProcessException):
    """The process has exited with the code ``exit_code``, or was ended by the signal ``signal_name``."""

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self) -> Any:
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


def _interrupt_with_parent() -> None:
    """On Linux, have this process interrupted when its parent ends, so that it does not run on alone."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGINT)


def _run(function: Callable[..., Any], index: int, args: Sequence[Any], error_file: str) -> None:
    """What a process runs: it writes the traceback of an exception to ``error_file``."""
    _interrupt_with_parent()
    try:
        function(index, *args)
    except KeyboardInterrupt:  # the parent has ended, or was interrupted, too
        pass
    except Exception:
        with open(error_file, "wb") as file:
            pickle.dump(traceback.format_exc(), file)
        sys.exit(1)


class ProcessContext:
    """Processes that were started together.  Source: torch.multiprocessing.ProcessContext."""

    def __init__(self, processes: list[Any], error_files: list[str]) -> None:
        self.processes = processes
        self.error_files = error_files
        self.sentinels = {process.sentinel: index for index, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """The ids of the processes."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until a process ends, at most ``timeout`` seconds.  Have all ended?

        If one has failed, the others get ``grace_period`` seconds to end by themselves; then they are
        terminated.  Raises ProcessRaisedException with the traceback if the function raised an exception,
        ProcessExitedException if the process ended in another way.
        """
        if not self.sentinels:
            return True
        for sentinel in multiprocessing.connection.wait(list(self.sentinels), timeout):
            index = self.sentinels.pop(sentinel)
            process = self.processes[index]
            process.join()
            if process.exitcode != 0:
                self._end(grace_period)
                raise self._error_of(index)
        return not self.sentinels

    def _join_all(self, timeout: float) -> None:
        end = time.monotonic() + timeout
        for process in self.processes:
            process.join(max(0.0, end - time.monotonic()))

    def _end(self, grace_period: float | None) -> None:
        if grace_period is not None:
            self._join_all(grace_period)
        for process in self.processes:
            if process.is_alive():
                _log.warning("Terminating process %s via signal SIGTERM", process.pid)
                process.terminate()
        self._join_all(_PATIENCE if grace_period is None else grace_period)
        for process in self.processes:
            if process.is_alive():
                _log.warning(
                    "Unable to shutdown process %s via SIGTERM , forcefully exiting via SIGKILL", process.pid
                )
                process.kill()
            process.join()

    def _error_of(self, index: int) -> ProcessException:
        process = self.processes[index]
        try:
            with open(self.error_files[index], "rb") as file:
                trace = pickle.load(file)
            os.unlink(self.error_files[index])
        except FileNotFoundError:  # the function has not raised an exception
            code = process.exitcode
            if code >= 0:
                text = f"process {index} terminated with exit code {code}"
                return ProcessExitedException(text, index, process.pid, code)
            name = f"<Unknown signal {-code}>"
            with contextlib.suppress(ValueError):
                name = signal.Signals(-code).name
            text = f"process {index} terminated with signal {name}"
            return ProcessExitedException(text, index, process.pid, code, name)
        text = f"\n\n-- Process {index} terminated with the following error:\n{trace}"
        return ProcessRaisedException(text, index, process.pid)


class SpawnContext(ProcessContext):
    """The old name of ProcessContext.  Source: torch.multiprocessing.SpawnContext."""

    def __init__(self, processes: list[Any], error_files: list[str]) -> None:
        warn("SpawnContext is renamed to ProcessContext since 1.4 release.")
        super().__init__(processes, error_files)


def start_processes(
    fn: Callable[..., Any],
    args: Sequence[Any] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Start ``nprocs`` processes, each of which calls ``fn(index, *args)``.

    Waits for them, or with ``join=False`` returns a ProcessContext.  With the start method "spawn", ``fn``
    and ``args`` are pickled; tensors of ``args`` share their memory with the processes.  Raises ValueError
    for an unknown start method, and with ``join`` the errors of ``ProcessContext.join``.  Source:
    torch.multiprocessing.start_processes.
    """
    context: Any = multiprocessing.get_context(start_method)
    processes: list[Any] = []
    error_files: list[str] = []
    for index in range(nprocs):
        # A name that is free; the file is there only if the function raises an exception.
        descriptor, name = tempfile.mkstemp(".pickle", "gnomon-errorfile-")
        os.close(descriptor)
        os.unlink(name)
        process = context.Process(target=_run, args=(fn, index, args, name), daemon=daemon)
        process.start()
        processes.append(process)
        error_files.append(name)
    made = ProcessContext(processes, error_files)
    if not join:
        return made
    while not made.join():
        pass
    return None


def spawn(
    fn: Callable[..., Any],
    args: Sequence[Any] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """``start_processes`` with the start method "spawn", whatever ``start_method`` says, with a warning.

    Source: torch.multiprocessing.spawn.
    """
    if start_method != "spawn":
        warn(
            f"This method only supports start_method=spawn (got: {start_method}).\n"
            "To use a different start_method use:\n\t\t"
            " gnomon.multiprocessing.start_processes(...)",
            FutureWarning,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
