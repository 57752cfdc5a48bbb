"""The agent: starts the ranks, passes their output on, and finds out which failed and why.

A rank fails if it raises, exits with another status than 0, is killed or stopped, does not answer, or lets
others wait.  The first failure ends all ranks, and is what the agent tells.

Source: torch/distributed/elastic/agent.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from ..environment import RANK_NAMES

_GRACE = 5.0  # seconds that ranks, and then mpiexec, have to end
_ANSWER = 5.0  # seconds to wait for a rank's stack
_OTHERS = (
    0.2  # seconds to wait for other ranks' failures: one that was killed is the cause of one that raised
)
_START = 120.0  # seconds that ranks have to start, at least
_TICK = 0.1
_SAID = 10_000  # characters of mpiexec's own output that are kept


class Rank:
    """What the agent knows of a rank."""

    def __init__(self, connection: socket.socket, number: int, host: str, pid: int) -> None:
        self.connection = connection
        self.number = number
        self.host = host
        self.pid = pid
        self.rest = b""
        self.heard: float | None = None  # when it last told its progress
        self.progress: dict[str, Any] = {}
        self.error = ""
        self.stack: str | None = None
        self.is_stopped = False
        self.finished: float | None = None  # when its program ended well
        self.status: int | None = None  # how its process ended
        self.is_gone = False

    def __str__(self) -> str:
        return f"rank {self.number} on {self.host} (process {self.pid})"

    def tell(self, word: bytes) -> None:
        """Ask its supervisor for something."""
        with contextlib.suppress(OSError):
            self.connection.sendall(word + b"\n")

    @property
    def waiting(self) -> str | None:
        """The collective for whose end it waits."""
        found: str | None = self.progress.get("waiting")
        return found

    @property
    def still(self) -> float:
        """For how many seconds it has neither begun nor ended a collective."""
        found: float = self.progress.get("still", 0.0)
        return found

    def failure(self) -> str | None:
        """How it failed, if it did."""
        if self.error:
            return self.error
        if self.status is not None and self.status < 0:
            name = signal.Signals(-self.status).name
            more = " (as the kernel does when memory is short)" if name == "SIGKILL" else ""
            return f"it was killed by {name}{more}{self._last()}"
        if self.status:
            return f"it exited with status {self.status}{self._last()}"
        if self.status == 0 and self.finished is None:
            return f"it exited with status 0 before the end of its program{self._last()}"
        if self.is_lost:
            return "its supervisor was ended, or the connection to it"
        return None

    @property
    def is_lost(self) -> bool:
        """Has the connection ended, without a word of how the rank ended?"""
        return self.is_gone and self.status is None and not self.error

    def _last(self) -> str:
        last = self.waiting or self.progress.get("last")
        return f"; it was last heard in {last}" if last and last != "none" else ""


class Agent:
    """Runs a program as ``size`` ranks, by ``command`` (mpiexec with its options).

    ``timeout``: seconds after which a rank that others wait for, or that says nothing, has failed.
    ``prefix``: whether lines of the output begin with their rank.
    """

    def __init__(
        self,
        command: Sequence[str],
        program: Sequence[str],
        size: int,
        timeout: float,
        is_remote: bool = False,
        prefix: bool = True,
    ) -> None:
        self.command = command
        self.program = program
        self.size = size
        self.timeout = timeout
        self.is_remote = is_remote
        self.prefix = prefix
        self.is_interrupted = False

    def run(self, restart: int) -> str | None:
        """Start all ranks, and wait for their end.  Returns the failure as a text, or None.

        Raises BrokenPipeError, when all ranks were ended, if nobody reads their output any more.
        """
        run = _Run(self, restart)
        try:
            return run.watch()
        except KeyboardInterrupt:
            self.is_interrupted = True
            return "interrupted: all ranks were ended"
        finally:
            run.end()


class _Run:
    """One start of all ranks."""

    def __init__(self, agent: Agent, restart: int) -> None:
        self.agent = agent
        self.ranks: dict[int, Rank] = {}
        self.token = secrets.token_hex(16)
        self.selector = selectors.DefaultSelector()
        host = socket.gethostname() if agent.is_remote else "127.0.0.1"
        self.listener = socket.create_server(("" if agent.is_remote else host, 0), backlog=agent.size)
        self.selector.register(self.listener, selectors.EVENT_READ, None)
        self.begin = time.monotonic()
        self.said = ""  # by mpiexec itself
        self.is_read = True  # the output: a pipe may be closed
        environment = {**os.environ, "TORCHELASTIC_RESTART_COUNT": str(restart)}
        threads = max(1, (os.cpu_count() or 1) // agent.size)
        environment.setdefault("GNOMON_NUM_THREADS", str(threads))
        address = f"{host}:{self.listener.getsockname()[1]}:{self.token}"
        supervisor = str(Path(__file__).with_name("supervisor.py"))
        worker = [sys.executable, "-m", "gnomon.distributed.launcher.worker", *agent.program]
        self.process = subprocess.Popen(
            [*agent.command, sys.executable, "-I", supervisor, address, ",".join(RANK_NAMES), *worker],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self.selector.register(self.process.stdout, selectors.EVENT_READ, "mpiexec")

    def watch(self) -> str | None:
        """Until all ranks have ended well (None), or the first failure."""
        while True:
            self._listen(_TICK)
            if failure := self._failed() or self._hanging():
                return f"{failure}\nAll ranks were ended."
            if self.process.poll() is not None:
                while self._listen(0):
                    pass
                return self._failed() or self._ended()

    def end(self) -> None:
        """End all ranks that still run, and pass on what they said."""
        for rank in self.ranks.values():
            rank.tell(b"end")
        self._listen_until(lambda: self.process.poll() is not None, _GRACE)
        if self.process.poll() is None:
            self.process.terminate()
            self._listen_until(lambda: self.process.poll() is not None, _GRACE)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for rank in self.ranks.values():  # those whose supervisor was killed, and that do not see it
            if rank.status is None and rank.host == socket.gethostname():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(rank.pid, signal.SIGKILL)
        while self._listen(0):
            pass
        for key in list(self.selector.get_map().values()):
            self.selector.unregister(key.fileobj)
            key.fileobj.close()  # type: ignore[union-attr]
        self.selector.close()

    def _listen_until(self, is_done: Any, seconds: float) -> None:
        limit = time.monotonic() + seconds
        while not is_done() and time.monotonic() < limit:
            self._listen(_TICK)

    def _listen(self, seconds: float) -> bool:
        """Handle what comes; returns whether anything came."""
        events = self.selector.select(seconds)
        for key, _ in events:
            if key.fileobj is self.listener:
                self._accept()
            elif isinstance(key.data, Rank):
                self._hear(key.data)
            else:
                data = os.read(key.fd, 65536)
                self.said = (self.said + data.decode("utf-8", "replace"))[-_SAID:]
                if not data:
                    self.selector.unregister(key.fileobj)
        return bool(events)

    def _accept(self) -> None:
        connection, _ = self.listener.accept()
        connection.settimeout(5)
        said = b""
        with contextlib.suppress(OSError):
            while not said.endswith(b"\n") and len(said) < 4096:
                received = connection.recv(1)
                if not received:
                    break
                said += received
        try:
            first = json.loads(said)
            known = secrets.compare_digest(first["token"], self.token)
        except (ValueError, KeyError, TypeError):
            known = False
        if not known:
            connection.close()
            return
        connection.settimeout(None)
        rank = Rank(connection, first["rank"], first["host"], first["pid"])
        self.ranks[rank.number] = rank
        self.selector.register(connection, selectors.EVENT_READ, rank)

    def _hear(self, rank: Rank) -> None:
        """Take what a rank and its supervisor say."""
        data = b""
        with contextlib.suppress(OSError):
            data = rank.connection.recv(1 << 20)
        if not data:
            self.selector.unregister(rank.connection)
            rank.connection.close()
            rank.is_gone = True
            return
        *lines, rank.rest = (rank.rest + data).split(b"\n")
        for line in lines:
            said = json.loads(line)
            for name, stream in (("stdout", sys.stdout), ("stderr", sys.stderr)):
                if name in said:
                    self._pass_on(stream, f"[rank {rank.number}] " * self.agent.prefix + said[name] + "\n")
            if "progress" in said:
                rank.progress = said["progress"]
                rank.heard = time.monotonic()
            if "error" in said:
                rank.error = f"{said['error']}\n{said['traceback']}".rstrip()
            if "finished" in said:
                rank.finished = time.monotonic()
            if "stack" in said:
                rank.stack = said["stack"]
                rank.is_stopped = said.get("stopped", False)
            if "ended" in said:
                rank.status = said["ended"]
                if rank.failure() is None:
                    rank.tell(b"end")  # its supervisor waits for it

    def _pass_on(self, stream: TextIO, text: str) -> None:
        """Write what a rank said.  Raises BrokenPipeError, once, if nobody reads it."""
        if not self.is_read:
            return
        try:
            stream.write(text)
            stream.flush()
        except BrokenPipeError:
            self.is_read = False
            raise

    def _failed(self) -> str | None:
        """The text for a rank that failed: one that was killed, else the first."""
        if not any(each.failure() for each in self.ranks.values()):
            return None
        self._listen_until(lambda: False, _OTHERS)
        failed = [each for each in self.ranks.values() if each.failure()]
        failed.sort(key=lambda each: (not (each.status or 0) < 0, each.is_lost))
        if not failed[0].is_lost:
            return f"{failed[0]} failed: {failed[0].failure()}"
        self._listen_until(lambda: self.process.poll() is not None, _GRACE)
        status = self.process.poll()
        how = "mpiexec runs" if status is None else f"mpiexec ended with status {status}"
        lost = ", ".join(str(each) for each in failed if each.is_lost)
        return (
            f"{lost} failed: {failed[0].failure()}; {how} (did a rank call MPI_Abort?)\n{self.said}".rstrip()
        )

    def _hanging(self) -> str | None:
        """The text for ranks that hang, if there are any."""
        now, timeout = time.monotonic(), self.agent.timeout
        started = [each for each in self.ranks.values() if each.heard is not None]
        absent = sorted(set(range(self.agent.size)) - {each.number for each in started})
        limit = max(timeout, _START)
        if absent and now - self.begin > limit:
            named = ", ".join(map(str, absent))
            return f"rank {named} did not start within {limit:g} s.\n{self.said}".rstrip()
        running = [each for each in started if each.finished is None]
        if silent := [each for each in running if now - (each.heard or now) > timeout]:
            self._ask_for_stacks(silent)
            return "\n".join(f"{each} failed: {self._why_silent(each)}" for each in silent)
        if absent:
            return None
        if not running:
            return self._not_ending(now)
        waiting = [each for each in running if each.waiting]
        if not waiting or any(each.still <= timeout for each in running):
            return None
        for_what = "\n".join(f"  {each} waits in {each.waiting}" for each in waiting)
        self._ask_for_stacks(running)
        others = [each for each in running if each not in waiting]
        if others:
            text = "\n".join(
                f"{each} failed: it hangs: others wait for it for {timeout:g} s and more\n{_stacks([each])}"
                for each in others
            )
            return f"{text}\n{for_what}"
        gone = ", ".join(str(each) for each in self.ranks.values() if each.finished)
        why = f"{gone} ended already" if gone else "they call different collectives"
        return f"all ranks that run wait for {timeout:g} s and more: {why}.\n{for_what}\n{_stacks(waiting)}"

    def _why_silent(self, rank: Rank) -> str:
        if rank.is_stopped:
            return f"a signal stopped it; it does not answer for {self.agent.timeout:g} s"
        if rank.stack:
            return f"C code keeps Python's lock for {self.agent.timeout:g} s\n{_stacks([rank])}"
        return f"it does not answer for {self.agent.timeout:g} s"

    def _not_ending(self, now: float) -> str | None:
        """The text for ranks whose program has ended, but not their process."""
        left = [each for each in self.ranks.values() if each.status is None]
        if not left or any(now - (each.finished or now) <= self.agent.timeout for each in left):
            return None
        self._ask_for_stacks(left)
        named = ", ".join(map(str, left))
        return f"{named}: the program has ended, but not the process\n{_stacks(left)}"

    def _ask_for_stacks(self, ranks: Sequence[Rank]) -> None:
        for each in ranks:
            each.tell(b"stack")
        self._listen_until(lambda: all(each.stack is not None or each.is_gone for each in ranks), _ANSWER)

    def _ended(self) -> str | None:
        """After mpiexec's end: did all ranks end well?"""
        status = self.process.returncode
        well = [each for each in self.ranks.values() if each.status == 0]
        if not status and len(well) == self.agent.size:
            sys.stderr.write(self.said)
            return None
        started = len(self.ranks)
        why = " (did a rank call MPI_Abort?)" if started == self.agent.size else ""
        return (
            f"mpiexec ended with status {status}{why}; {started} of {self.agent.size} ranks had started, "
            f"{len(well)} ended well.\n{self.said}"
        ).rstrip()


def _stacks(ranks: Sequence[Rank]) -> str:
    """The stacks of ranks, each once, without the frames that run the program."""
    ranks_with: dict[str, list[str]] = {}
    for rank in ranks:
        frames = [line for line in (rank.stack or "").splitlines() if line.startswith("  File ")]
        end = next((n for n, line in enumerate(frames) if "<frozen runpy>" in line), len(frames))
        text = "\n".join(frames[:end]) or "  (it does not show its stack)"
        ranks_with.setdefault(text, []).append(str(rank.number))
    return "\n".join(
        f"The stack of rank {', '.join(numbers)}, most recent call first:\n{text}"
        for text, numbers in ranks_with.items()
    )
