"""Tests that run on several ranks at once.

    @on_ranks(2, 3)
    def test_sum(rank: int, size: int) -> None:
        x = gn.ones(3)
        dist.all_reduce(x)
        assert x.tolist() == [size] * 3

The test's body runs in ``size`` processes, which mpiexec starts once for all tests of a session, and which
have a process group.  It fails if it fails in any of them; then new processes are started for the next test.
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import importlib.util
import inspect
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gnomon.distributed.launcher.mpiexec import find_mpiexec

HERE = Path(__file__)
LIMIT = 120  # seconds after which a collective of a test that went wrong gives up


class World:
    """Processes that run tests."""

    def __init__(self, size: int) -> None:
        self.size = size
        listener = socket.create_server(("127.0.0.1", 0))
        start = find_mpiexec(mpiexec()).command(size, [], [])
        command = [*start, sys.executable, str(HERE), str(listener.getsockname()[1])]
        environment = {**os.environ, "GNOMON_NUM_THREADS": "1"}
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
        listener.settimeout(LIMIT)
        self.connection, _ = listener.accept()
        listener.close()
        self.lines = self.connection.makefile("rw", encoding="utf-8")

    def run(self, path: str, name: str, parameters: dict[str, Any]) -> dict[str, str]:
        """Run a test; returns the tracebacks of the ranks that failed."""
        self.lines.write(json.dumps([path, name, parameters]) + "\n")
        self.lines.flush()
        line = self.lines.readline()
        if not line:
            return {"?": "the processes ended"}
        failed: dict[str, str] = json.loads(line)
        return failed

    def end(self) -> None:
        """End the processes."""
        self.lines.close()
        self.connection.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


_worlds: dict[int, World] = {}


def mpiexec() -> str:
    """The mpiexec beside the Python that runs."""
    return os.path.join(os.path.dirname(sys.executable), "mpiexec")


def needs_mpi() -> None:
    """Skip a test where there is no MPI."""
    if not os.path.exists(mpiexec()) or importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py and an MPI are not installed: pip install 'gnomon[mpi]'")


def is_open_mpi() -> bool:
    """Is it Open MPI that connects ranks, and not MPICH?  Without starting it in this process."""
    found = subprocess.run([mpiexec(), "--version"], capture_output=True, text=True, check=False)
    return "Open" in found.stdout


def on_ranks(*sizes: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The test runs on so many ranks, each time with ``rank`` and ``size`` besides its own parameters."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        names = [each for each in inspect.signature(test).parameters if each != "rank"]

        @pytest.mark.parametrize("size", sizes)
        def run(**given: Any) -> None:
            needs_mpi()
            size = given.pop("size")
            world = _worlds.get(size)
            if world is None:
                world = _worlds[size] = World(size)
            failed = world.run(inspect.getfile(test), test.__name__, given)
            if failed:
                world.end()
                del _worlds[size]
                text = "\n".join(f"rank {rank} of {size}:\n{trace}" for rank, trace in failed.items())
                pytest.fail(text, pytrace=False)

        functools.update_wrapper(run, test)
        del run.__wrapped__
        run.body = test  # type: ignore[attr-defined]
        run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(each, inspect.Parameter.POSITIONAL_OR_KEYWORD) for each in names]
        )
        run.pytestmark = [*getattr(test, "pytestmark", []), *run.pytestmark]  # type: ignore[attr-defined]
        return run

    return decorate


def end_worlds() -> None:
    """End all processes, after the session."""
    for each in _worlds.values():
        each.end()
    _worlds.clear()


def serve(port: int) -> None:
    """In each rank: run the tests that come, until the connection of rank 0 ends."""
    import gnomon.distributed as dist

    dist.init_process_group(timeout=datetime.timedelta(seconds=LIMIT))
    from mpi4py import MPI

    control = MPI.COMM_WORLD.Dup()
    rank, size = dist.get_rank(), dist.get_world_size()
    lines = None
    if rank == 0:
        lines = socket.create_connection(("127.0.0.1", port)).makefile("rw", encoding="utf-8")
    while True:
        line = lines.readline() if lines is not None else ""
        # Ranks that wait for a test leave the processors to other tests: MPI itself would ask all the time.
        begun = control.Ibarrier()
        while not begun.Test():
            time.sleep(0.002)
        asked = control.bcast(json.loads(line or "null"))
        if asked is None:
            break
        path, name, parameters = asked
        text = None
        try:
            loaded(path)[name].body(rank=rank, size=size, **parameters)
        except BaseException:
            text = traceback.format_exc()
        texts = control.gather(text)
        if lines is not None:
            failed = {str(each): text for each, text in enumerate(texts) if text is not None}
            lines.write(json.dumps(failed) + "\n")
            lines.flush()
    dist.destroy_process_group()


@functools.cache
def loaded(path: str) -> dict[str, Any]:
    """The names in a file of tests."""
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module)


if __name__ == "__main__":
    serve(int(sys.argv[1]))


@contextlib.contextmanager
def shared_folder(rank: int) -> Iterator[Path]:
    """A new folder, the same on all ranks."""
    import gnomon.distributed as dist

    made = [tempfile.mkdtemp() if rank == 0 else ""]
    dist.broadcast_object_list(made)
    try:
        yield Path(made[0])
    finally:
        dist.barrier()
        if rank == 0:
            shutil.rmtree(made[0])
