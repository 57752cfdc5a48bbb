"""How processes that no mpiexec started find each other: by the address and port of rank 0.

MPICH asks whoever started its processes for each other's addresses, in a small protocol of lines (PMI,
version 1) on a socket that the process finds open.  Here rank 0 starts a server of that protocol, and each
rank, before it starts MPI, opens a connection to it.  The server is a process of its own: starting MPI blocks
Python.

Source: "PMI: A Scalable Parallel Process-Management Interface for Extreme-Scale Systems" (Balaji et al.,
2010); torch.distributed's init methods env:// and tcp://.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from . import rendezvous_server
from .environment import Place
from .errors import DistNetworkError

_ANSWER = 10.0  # seconds that the server has to answer when time is up
_SERVER = Path(rendezvous_server.__file__)
_met: list[Place] = []


def meet(host: str, port: int, place: Place, timeout: float) -> None:
    """Connect this process with the server at ``host``, which rank 0 starts, and tell MPICH of it.

    From then on this process ends when another ends without MPI's end: killed, or by an exception.  Must be
    called before mpi4py is imported.  Raises DistNetworkError after ``timeout`` seconds, and for places that
    contradict each other.
    """
    if place.rank == 0:
        serve_in_another_process(host, port, place.size, timeout)
    watched = enter(host, port, "watch", place, timeout)
    connection = enter(host, port, "here", place, timeout)
    for each in (watched, connection):
        each.settimeout(timeout + _ANSWER)
        said = b""
        with contextlib.suppress(OSError):
            said = each.makefile("rb", 0).readline()
        if said != b"+\n":
            reason = (
                said[1:].decode().strip() if said.startswith(b"-") else "no answer from what listens there"
            )
            raise DistNetworkError(
                f"init_process_group: rank {place.rank} of {place.size}, at {host}:{port}: {reason}"
            )
        each.settimeout(None)
    _met.append(place)
    threading.Thread(target=watch, args=(watched, place.rank), name="gnomon watch", daemon=True).start()
    os.set_inheritable(connection.fileno(), True)
    os.environ.update(
        PMI_FD=str(connection.detach()), PMI_RANK=str(place.rank), PMI_SIZE=str(place.size), PMI_SPAWNED="0"
    )


def has_met() -> bool:
    """Did this process find the others by ``meet``?  Then it ends all by ending itself."""
    return bool(_met)


def enter(host: str, port: int, command: str, place: Place, timeout: float) -> socket.socket:
    """A connection with the server that has said which rank it is of."""
    connection = connect(host, port, timeout)
    own = f"rank={place.rank} size={place.size} host={socket.gethostname()}"
    connection.sendall(f"cmd={command} {own}\n".encode())
    return connection


def watch(connection: socket.socket, rank: int) -> None:
    """End this process when the server says that another has ended, or is gone itself."""
    said = b""
    with contextlib.suppress(OSError):
        said = connection.recv(1000)
    if said != rendezvous_server.WELL:
        reason = said.decode().strip() or "the server that rank 0 started ended"
        text = f"gnomon.distributed: {reason}: rank {rank} on {socket.gethostname()} ends, too\n"
        os.write(2, text.encode())
        os._exit(1)


def connect(host: str, port: int, timeout: float) -> socket.socket:
    """A connection; the server may come later than this process."""
    end = time.monotonic() + timeout
    while True:
        try:
            connection = socket.create_connection((host, port), max(end - time.monotonic(), 0.1))
        except OSError as error:
            if time.monotonic() > end:
                raise DistNetworkError(
                    f"init_process_group: no answer from rank 0 at {host}:{port} within {timeout:g} s "
                    f"({error})"
                ) from error
            time.sleep(0.05)
        else:
            connection.settimeout(None)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection


def serve_in_another_process(host: str, port: int, size: int, timeout: float) -> None:
    """Start the server.  Raises DistNetworkError if it can not listen."""
    command = [sys.executable, "-I", str(_SERVER), host, str(port), str(size), str(timeout)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert server.stdout is not None
    said = server.stdout.readline().decode().strip()
    server.stdout.close()
    if said != "ready":
        raise DistNetworkError(
            f"init_process_group: can not listen at {host}:{port}: {said or 'the server ended'}"
        )
    server.returncode = 0  # it ends by itself, after the last rank: nobody waits for it
