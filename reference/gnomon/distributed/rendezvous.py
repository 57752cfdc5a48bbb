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
import time

from .environment import Place
from .errors import DistNetworkError

_VALUE = 1024  # the longest value that a process may publish


def meet(host: str, port: int, place: Place, timeout: float) -> None:
    """Connect this process with the server at ``host``, which rank 0 starts, and tell MPICH of it.

    Must be called before mpi4py is imported.  Raises DistNetworkError after ``timeout`` seconds.
    """
    if place.rank == 0:
        serve_in_another_process(host, port, place.size, timeout)
    connection = connect(host, port, timeout)
    connection.sendall(f"cmd=here rank={place.rank} host={socket.gethostname()}\n".encode())
    if connection.recv(1) != b"+":
        raise DistNetworkError(
            f"init_process_group: the server at {host}:{port} did not accept rank {place.rank} of "
            f"{place.size}: "
            "another process has this rank, or expects another number of processes"
        )
    os.set_inheritable(connection.fileno(), True)
    os.environ.update(
        PMI_FD=str(connection.detach()), PMI_RANK=str(place.rank), PMI_SIZE=str(place.size), PMI_SPAWNED="0"
    )


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
    command = [sys.executable, "-m", __spec__.name, host, str(port), str(size), str(timeout)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert server.stdout is not None
    said = server.stdout.readline().decode().strip()
    server.stdout.close()
    if said != "ready":
        raise DistNetworkError(
            f"init_process_group: can not listen at {host}:{port}: {said or 'the server ended'}"
        )
    server.returncode = 0  # it ends by itself, after the last rank: nobody waits for it


def serve(listener: socket.socket, size: int, timeout: float) -> None:
    """Answer the questions of ``size`` processes until the last has ended."""
    ranks = accept(listener, size, timeout)
    hosts = [ranks[rank][1] for rank in range(size)]
    connections = [ranks[rank][0] for rank in range(size)]
    published = {"PMI_process_mapping": mapping(hosts)}
    lines = [each.makefile("rw", encoding="ascii", newline="\n") for each in connections]
    import selectors

    selector = selectors.DefaultSelector()
    for rank, connection in enumerate(connections):
        connection.sendall(b"+")
        selector.register(connection, selectors.EVENT_READ, rank)
    at_barrier: set[int] = set()
    while selector.get_map():
        for key, _ in selector.select():
            rank = key.data
            try:
                line = lines[rank].readline()
            except OSError:
                line = ""
            if not line:
                selector.unregister(key.fileobj)
                continue
            asked = dict(each.partition("=")[::2] for each in line.split())
            if asked.get("cmd") == "barrier_in":
                at_barrier.add(rank)
                if len(at_barrier) == size:
                    at_barrier.clear()
                    for each in lines:
                        _say(each, "cmd=barrier_out")
                continue
            _say(lines[rank], answer(asked, published, size))


def answer(asked: dict[str, str], published: dict[str, str], size: int) -> str:
    """The answer to one question of the protocol."""
    command = asked.get("cmd")
    if command == "init":
        return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
    if command == "get_maxes":
        return f"cmd=maxes kvsname_max=64 keylen_max=64 vallen_max={_VALUE}"
    if command == "get_appnum":
        return "cmd=appnum appnum=0"
    if command == "get_my_kvsname":
        return "cmd=my_kvsname kvsname=gnomon"
    if command == "get_universe_size":
        return f"cmd=universe_size size={size}"
    if command == "put":
        published[asked["key"]] = asked["value"]
        return "cmd=put_result rc=0 msg=success"
    if command == "get":
        if asked["key"] in published:
            return f"cmd=get_result rc=0 msg=success value={published[asked['key']]}"
        return "cmd=get_result rc=-1 msg=key_not_found value=unknown"
    if command == "finalize":
        return "cmd=finalize_ack"
    return f"cmd={command} rc=-1 msg=unknown_command"


def accept(listener: socket.socket, size: int, timeout: float) -> dict[int, tuple[socket.socket, str]]:
    """The connection and the host of each rank, once all are there."""
    end = time.monotonic() + timeout
    ranks: dict[int, tuple[socket.socket, str]] = {}
    while len(ranks) < size:
        listener.settimeout(max(end - time.monotonic(), 0.001))
        connection, _ = listener.accept()
        connection.settimeout(5)
        said = b""
        with contextlib.suppress(OSError):
            while not said.endswith(b"\n") and len(said) < 500:
                received = connection.recv(1)
                if not received:
                    break
                said += received
        asked = dict(each.partition("=")[::2] for each in said.decode("utf-8", "replace").split())
        rank = asked.get("rank", "")
        if asked.get("cmd") != "here" or not rank.isdecimal() or int(rank) >= size or int(rank) in ranks:
            connection.close()
            continue
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        ranks[int(rank)] = (connection, asked.get("host", "?"))
    return ranks


def mapping(hosts: list[str]) -> str:
    """Which ranks share a machine, as MPICH reads it: blocks of (first machine, machines, processes of
    each).
    """
    numbers = {host: number for number, host in enumerate(dict.fromkeys(hosts))}
    blocks: list[list[int]] = []
    for host in hosts:
        if blocks and blocks[-1][0] == numbers[host]:
            blocks[-1][1] += 1
        else:
            blocks.append([numbers[host], 1])
    return f"(vector,{','.join(f'({node},1,{count})' for node, count in blocks)})"


def _say(file: object, text: str) -> None:
    with contextlib.suppress(OSError):
        file.write(text + "\n")  # type: ignore[attr-defined]
        file.flush()  # type: ignore[attr-defined]


def main() -> None:
    """The server's process: ``host port size timeout``."""
    host, port, size, timeout = sys.argv[1:]
    try:
        listener = socket.create_server((host, int(port)), backlog=1024)
    except OSError as error:
        print(error, flush=True)
        return
    print("ready", flush=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    serve(listener, int(size), float(timeout))


if __name__ == "__main__":
    main()
