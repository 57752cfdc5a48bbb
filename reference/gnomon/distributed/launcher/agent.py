"""The agent: starts the ranks, passes their output on, and finds out which failed and why.

A rank fails if it raises, exits with another status than 0, ends without a word (it was killed), does not
answer, or lets others wait.  The first failure ends all ranks, and is what the agent tells.

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
from typing import Any

from .mpiexec import with_rank_before

_GRACE = 5.0  # seconds between asking ranks to end and killing them
_ANSWER = 2.0  # seconds that a rank has to show its stack
_TICK = 0.1


class Rank:
    """What the agent knows of a rank."""

    def __init__(self, connection: socket.socket, number: int, host: str, pid: int) -> None:
        self.connection = connection
        self.number = number
        self.host = host
        self.pid = pid
        self.heard = time.monotonic()
        self.progress: dict[str, Any] = {}
        self.stack = ""
        self.finished = False

    def __str__(self) -> str:
        return f"rank {self.number} on {self.host} (process {self.pid})"


class Agent:
    """Runs a program as ``size`` ranks, by ``command`` (mpiexec with its options).

    ``timeout``: seconds after which a rank that others wait for, or that says nothing, has failed.
    """

    def __init__(
        self, command: Sequence[str], program: Sequence[str], size: int, timeout: float, is_remote: bool
    ) -> None:
        worker = [sys.executable, "-m", "gnomon.distributed.launcher.worker", *program]
        self.command = [*command, *worker]
        self.size = size
        self.timeout = timeout
        self.is_remote = is_remote
        self.is_interrupted = False

    def run(self, restart: int) -> str | None:
        """Start all ranks, and wait for their end.  Returns the failure as a text, or None."""
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
        self.lines: dict[int, bytes] = {}
        self.begin = time.monotonic()
        environment = {
            **os.environ,
            "GNOMON_DISTRIBUTED_REPORT": f"{host}:{self.listener.getsockname()[1]}:{self.token}",
            "TORCHELASTIC_RESTART_COUNT": str(restart),
            "PYTHONUNBUFFERED": "1",
        }
        threads = max(1, (os.cpu_count() or 1) // agent.size)
        environment.setdefault("GNOMON_NUM_THREADS", str(threads))
        self.process = subprocess.Popen(
            agent.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        assert self.process.stdout is not None and self.process.stderr is not None
        for pipe, target in ((self.process.stdout, sys.stdout), (self.process.stderr, sys.stderr)):
            self.selector.register(pipe, selectors.EVENT_READ, target)

    def watch(self) -> str | None:
        """Until all ranks have ended well (None), or the first failure."""
        while True:
            failure = self._listen(_TICK) or self._hanging()
            if failure is not None:
                self.end()
                return failure
            if self.process.poll() is not None:
                self._listen(_TICK)
                return self._ended()

    def end(self) -> None:
        """End all ranks that still run, and pass on what they said."""
        if self.process.poll() is None:
            self.process.terminate()
            limit = time.monotonic() + _GRACE
            self._kill_ranks()
            while self.process.poll() is None and time.monotonic() < limit:
                self._listen(_TICK)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._kill_ranks()
        if self.selector.get_map():
            for _ in range(3):
                self._listen(0.01)
            for key in list(self.selector.get_map().values()):
                self.selector.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]
            self.selector.close()

    def _kill_ranks(self) -> None:
        """Kill this machine's ranks: also one that is stopped, and does not hear mpiexec."""
        for rank in self.ranks.values():
            if rank.host == socket.gethostname() and not rank.finished:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(rank.pid, signal.SIGKILL)

    def _listen(self, seconds: float) -> str | None:
        """Handle what comes; returns the first failure."""
        failure: str | None = None
        for key, _ in self.selector.select(seconds):
            if key.fileobj is self.listener:
                self._accept()
            elif isinstance(key.data, Rank):
                failure = failure or self._hear(key.data)
            else:
                self._pass_on(key)
        return failure

    def _pass_on(self, key: selectors.SelectorKey) -> None:
        """Whole lines of the output, each with its rank."""
        data = os.read(key.fd, 65536)
        *whole, rest = (self.lines.pop(key.fd, b"") + data).split(b"\n")
        if not data:
            self.selector.unregister(key.fileobj)
            whole, rest = ([rest] if rest else []), b""
        if rest:
            self.lines[key.fd] = rest
        for line in whole:
            text = (with_rank_before(line) + b"\n").decode("utf-8", "replace")
            key.data.write(text)
        key.data.flush()

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
            rank = Rank(connection, int(first["rank"]), str(first["host"]), int(first["pid"]))
        except (ValueError, KeyError, TypeError):
            known = False
        if not known:
            connection.close()
            return
        connection.setblocking(False)
        self.ranks[rank.number] = rank
        self.selector.register(connection, selectors.EVENT_READ, rank)

    def _hear(self, rank: Rank) -> str | None:
        """What a rank says; returns its failure, if that is what it says, or if it says nothing more."""
        descriptor = rank.connection.fileno()
        data = b""
        with contextlib.suppress(OSError):
            data = rank.connection.recv(1 << 20)
        if not data:
            self.selector.unregister(rank.connection)
            rank.connection.close()
            return None if rank.finished else self._killed(rank)
        rank.heard = time.monotonic()
        *whole, rest = (self.lines.pop(descriptor, b"") + data).split(b"\n")
        self.lines[descriptor] = rest
        for line in whole:
            said = json.loads(line)
            if "error" in said:
                return f"{rank} failed: {said['error']}\n{said['traceback']}All {self.agent.size} ranks were "
                "ended."
            rank.progress = said.get("progress", rank.progress)
            rank.stack = said.get("stack", rank.stack)
            rank.finished = rank.finished or "finished" in said
        return None

    def _killed(self, rank: Rank) -> str:
        """The text for a rank that ended without a word; mpiexec's status may say how."""
        limit = time.monotonic() + 1
        while self.process.poll() is None and time.monotonic() < limit:
            time.sleep(0.01)
        number = self.process.returncode
        known = {
            **{-each: each.name for each in signal.Signals},
            **{128 + each: each.name for each in signal.Signals},
        }
        known.update({each.value: each.name for each in signal.Signals if each.value not in (1, 2)})
        name = known.get(number) if number else None
        how = f", by {name}" if name else ""
        more = " (by the kernel, if memory was short)" if name == "SIGKILL" else ""
        last = rank.progress.get("waiting") or rank.progress.get("last")
        where = f"; it was last heard in {last}" if last and last != "none" else ""
        return f"{rank} failed: it was killed{how}{more}, or exited by itself{where}.\nAll {self.agent.size} "
        "ranks were ended."

    def _hanging(self) -> str | None:
        """The text for ranks that hang, if there are any."""
        now, timeout = time.monotonic(), self.agent.timeout
        absent = [number for number in range(self.agent.size) if number not in self.ranks]
        if absent and now - self.begin > max(timeout, 10):
            return f"rank {', '.join(map(str, absent))} did not start within {max(timeout, 10):g} s."
        running = [each for each in self.ranks.values() if not each.finished]
        for rank in running:
            if now - rank.heard > timeout:
                return (
                    f"{rank} failed: it does not answer for {timeout:g} s: it is stopped, its machine is "
                    "gone, or C code "
                    f"keeps Python's lock.\nAll {self.agent.size} ranks were ended."
                )
        if absent or not running:
            return None
        waiting = [each for each in running if each.progress.get("waiting")]
        still = min((each.progress.get("still", 0.0) for each in waiting), default=0.0)
        if not waiting or still <= timeout:
            return None
        others = [
            each for each in running if each not in waiting and each.progress.get("still", 0.0) > timeout
        ]
        if len(others) + len(waiting) < len(running):
            return None
        for_what = "\n".join(f"  {each} waits in {each.progress['waiting']}" for each in waiting)
        if not others:
            gone = [each for each in self.ranks.values() if each.finished]
            named = ", ".join(map(str, gone))
            why = f"{named} ended already" if gone else "they call different collectives"
            return f"all ranks that run wait for {timeout:g} s and more: {why}.\n{for_what}\nAll ranks were "
            "ended."
        self._ask_for_stacks(others)
        text = "".join(
            f"{each} failed: it hangs: others wait for it for {timeout:g} s and more\n"
            f"{each.stack or '(it does not show its stack: C code keeps Python lock)'}\n"
            for each in others
        )
        return f"{text}{for_what}\nAll {self.agent.size} ranks were ended."

    def _ask_for_stacks(self, ranks: Sequence[Rank]) -> None:
        for each in ranks:
            with contextlib.suppress(OSError):
                each.connection.sendall(b"stack\n")
        limit = time.monotonic() + _ANSWER
        while time.monotonic() < limit and not all(each.stack for each in ranks):
            self._listen(_TICK)

    def _ended(self) -> str | None:
        """After mpiexec's end: did all ranks end well?"""
        status = self.process.returncode
        unfinished = [each for each in self.ranks.values() if not each.finished]
        if not status and not unfinished and len(self.ranks) == self.agent.size:
            return None
        if unfinished:
            return f"{unfinished[0]} failed: mpiexec ended with status {status} before it.\nAll ranks were "
            "ended."
        return (
            f"mpiexec ended with status {status}; {len(self.ranks)} of {self.agent.size} ranks had started."
        )
