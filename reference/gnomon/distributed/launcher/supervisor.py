"""What mpiexec starts for each rank: it starts the rank's program, and tells the agent all about it.

A process that is killed, stopped or stuck in C can not say so itself; its parent can.  This one is small and
never waits for MPI.  It sends the agent lines of JSON: the rank's output, what the rank says of its progress
(worker.py), and how it ended.  When the agent says "end", or is gone, it ends the rank and all that the rank
started.

It is run as a file, so that it need not import gnomon.

Source: torch/distributed/elastic/multiprocessing/subprocess_handler.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from typing import Any

_TICK = 0.05  # seconds between looks whether the rank has ended
_ASKED = 1.0  # seconds that a rank has to end when it is asked to, before it is killed
_WAIT = 3600.0
_SHARED = ("/dev/shm/mpich_shm_", "/dev/shm/sm_segment.", "/dev/shm/vader_segment.")
_STACK = 1.0  # seconds that a rank has to show its stack


class Supervisor:
    """One rank's program, and the connection to the agent."""

    def __init__(self, address: str, rank: int, command: list[str]) -> None:
        host, port, token = address.rsplit(":", 2)
        self.agent = socket.create_connection((host, int(port)), 30)
        self.agent.settimeout(None)
        report, its_report = os.pipe()
        stack, its_stack = os.pipe()
        its_watch, self.alive = os.pipe()  # of which nobody writes: the rank sees when this process ends
        environment = {
            **os.environ,
            "GNOMON_DISTRIBUTED_REPORT": f"{its_report}:{its_stack}:{its_watch}",
            "PYTHONUNBUFFERED": "1",
        }
        for each in (its_report, its_stack, its_watch):
            os.set_inheritable(each, True)
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            close_fds=False,  # by one of them it talks to mpiexec
            start_new_session=True,  # so that what it starts can be ended with it
        )
        for each in (its_report, its_stack, its_watch):
            os.close(each)
        assert self.process.stdout is not None and self.process.stderr is not None
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.agent, selectors.EVENT_READ, "agent")
        out, err = self.process.stdout.fileno(), self.process.stderr.fileno()
        names = {out: "stdout", err: "stderr", report: "report", stack: "stack"}
        for pipe, name in names.items():
            self.selector.register(pipe, selectors.EVENT_READ, name)
        self.rest = dict.fromkeys(names.values(), b"")
        self.is_ending = False
        self.say(token=token, rank=rank, host=socket.gethostname(), pid=self.process.pid)

    def run(self) -> int:
        """Until the rank has ended; returns its status."""
        while not self.is_ending and self.process.poll() is None:
            self.listen(_TICK)
        if self.is_ending:
            self.end()
        while self.listen(0, but="agent"):  # what it said last
            pass
        for name in ("stdout", "stderr"):
            if self.rest[name]:
                self.pass_on(name, b"\n")
        status = self.process.wait()
        self.kill()  # what it started and left
        self.say(ended=status)
        self.wait_for_agent()
        return 1 if status else 0

    def listen(self, seconds: float, but: str = "") -> bool:
        """Handle what comes; returns whether anything came."""
        came = False
        for key, _ in self.selector.select(seconds):
            if key.data == but:
                continue
            data = b""
            with contextlib.suppress(OSError):
                data = os.read(key.fd, 1 << 16)
            if key.data == "agent":
                self.is_ending = self.is_ending or not data or b"end" in data
                if not self.is_ending and b"stack" in data:
                    self.ask_for_stack()
            elif data:
                came = True
                self.pass_on(key.data, data)
            if not data:
                self.selector.unregister(key.fileobj)
        return came

    def pass_on(self, name: str, data: bytes) -> None:
        """Send whole lines of the rank's to the agent."""
        *lines, self.rest[name] = (self.rest[name] + data).split(b"\n")
        for line in lines:
            if name == "report":
                with contextlib.suppress(OSError):
                    self.agent.sendall(line + b"\n")
            elif name != "stack":
                self.say(**{name: line.decode("utf-8", "replace")})

    def say(self, **what: Any) -> None:
        """Send the agent a line.  If it is gone, the next ``listen`` sees it."""
        with contextlib.suppress(OSError):
            self.agent.sendall(json.dumps(what).encode() + b"\n")

    def ask_for_stack(self) -> None:
        """Send the agent the rank's stack, which Python writes whatever the rank is doing, unless it is
        stopped.
        """
        if self.is_stopped():
            self.say(stack="", stopped=True)
            return
        pipe = next(key.fd for key in self.selector.get_map().values() if key.data == "stack")
        os.set_blocking(pipe, False)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGUSR2)
        text, limit = b"", time.monotonic() + _STACK
        while time.monotonic() < limit and self.process.poll() is None:
            with contextlib.suppress(BlockingIOError):
                text += os.read(pipe, 1 << 16)
            time.sleep(_TICK)
        self.say(stack=text.decode("utf-8", "replace"))

    def is_stopped(self) -> bool:
        """Has a signal stopped the rank?  What Linux says."""
        with contextlib.suppress(OSError), open(f"/proc/{self.process.pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"T", b"t")
        return False

    def shared_memory(self) -> set[str]:
        """The files of shared memory that MPI made for the rank, which it would remove if it ended well."""
        with contextlib.suppress(OSError), open(f"/proc/{self.process.pid}/maps", encoding="utf-8") as file:
            paths = {line.split(maxsplit=5)[-1].strip() for line in file}
            return {each for each in paths if each.startswith(_SHARED)}
        return set()

    def end(self) -> None:
        """End the rank and what it started."""
        shared = self.shared_memory()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)
            os.killpg(self.process.pid, signal.SIGCONT)  # one that is stopped hears it, too
        limit = time.monotonic() + _ASKED
        while self.process.poll() is None and time.monotonic() < limit:
            self.listen(_TICK, but="agent")
        self.kill()
        for each in shared:
            with contextlib.suppress(OSError):
                os.unlink(each)

    def kill(self) -> None:
        """Kill all processes of the rank's session that are in its group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def wait_for_agent(self) -> None:
        """Until the agent has read it: mpiexec may end all ranks when this process ends."""
        while not self.is_ending:
            self.listen(_WAIT)


def main() -> int:
    """``address names command``: ``names``, with commas between, of variables that may have the rank."""
    address, names, *command = sys.argv[1:]
    rank = next((int(os.environ[name]) for name in names.split(",") if name in os.environ), 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the agent hears it, and says what to do
    return Supervisor(address, rank, command).run()


if __name__ == "__main__":
    sys.exit(main())
