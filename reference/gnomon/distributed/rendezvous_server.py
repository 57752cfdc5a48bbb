"""The server by which processes that no mpiexec started find each other (rendezvous.py).

It answers the questions that MPICH asks whoever started its processes, in a small protocol of lines: PMI,
version 1.  And it tells all processes when one ends without MPI's end, so that the others end, too.

It is run as a file, so that it need not import gnomon: ``host port size timeout``.

Source: "PMI: A Scalable Parallel Process-Management Interface for Extreme-Scale Systems" (Balaji et al.,
2010).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import socket
import sys
import time
from collections.abc import Mapping
from typing import NamedTuple

_NAME = "name of these values"  # no process can publish by this name: it has spaces
_VALUE = 1024  # the longest value that a process may publish
_ANSWER = 5.0  # seconds that a process has to say its rank
WELL = b"all ended well\n"


class Guest(NamedTuple):
    """A process that has come: the connection for MPICH's questions, and that on which it hears of
    failures.
    """

    connection: socket.socket
    host: str
    watch: socket.socket


def serve(listener: socket.socket, size: int, timeout: float) -> None:
    """Answer the questions of ``size`` processes until the last has ended."""
    guests = accept(listener, size, timeout)
    if guests is None:
        return
    # MPICH names shared memory after this: two programs on one machine must not have the same.
    published = {
        _NAME: secrets.token_hex(16),
        "PMI_process_mapping": mapping([guests[rank].host for rank in range(size)]),
    }
    selector = selectors.DefaultSelector()
    for rank, guest in guests.items():
        for each in (guest.watch, guest.connection):
            each.sendall(b"+\n")
        selector.register(guest.connection, selectors.EVENT_READ, rank)
    lines = {
        rank: guest.connection.makefile("rw", encoding="ascii", newline="\n")
        for rank, guest in guests.items()
    }
    at_barrier: set[int] = set()
    finalized: set[int] = set()
    while selector.get_map():
        for key, _ in selector.select():
            rank = key.data
            line = ""
            with contextlib.suppress(OSError):
                line = lines[rank].readline()
            asked = dict(each.partition("=")[::2] for each in line.split())
            command = asked.get("cmd")
            if not line or command == "abort":
                selector.unregister(key.fileobj)
                if rank not in finalized:
                    return tell_all(guests, f"rank {rank} on {guests[rank].host} has ended")
            elif command == "barrier_in":
                at_barrier.add(rank)
                if len(at_barrier) == size:
                    at_barrier.clear()
                    for waiting in lines.values():
                        _say(waiting, "cmd=barrier_out")
            else:
                if command == "finalize":
                    finalized.add(rank)
                _say(lines[rank], answer(asked, published, size))
    for guest in guests.values():
        with contextlib.suppress(OSError):
            guest.watch.sendall(WELL)


def tell_all(guests: Mapping[int, Guest], text: str) -> None:
    """Say to all processes why they must end."""
    for guest in guests.values():
        with contextlib.suppress(OSError):
            guest.watch.sendall(text.encode())


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
        return f"cmd=my_kvsname kvsname={published[_NAME]}"
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


def accept(listener: socket.socket, size: int, timeout: float) -> dict[int, Guest] | None:
    """All processes, by rank, once they are there; None if some are not after ``timeout`` seconds."""
    end = time.monotonic() + timeout
    found: dict[str, dict[int, tuple[socket.socket, str]]] = {"watch": {}, "here": {}}
    while any(len(each) < size for each in found.values()):
        try:
            listener.settimeout(max(end - time.monotonic(), 0.001))
            connection, _ = listener.accept()
        except OSError:
            late = ", ".join(str(each) for each in range(size) if each not in found["here"])
            for connection, _ in (*found["watch"].values(), *found["here"].values()):
                _refuse(connection, f"rank {late} did not come within {timeout:g} s")
            return None
        connection.settimeout(_ANSWER)
        said = b""
        with contextlib.suppress(OSError):
            said = connection.makefile("rb", 0).readline(500)
        asked = dict(each.partition("=")[::2] for each in said.decode("utf-8", "replace").split())
        command, rank = asked.get("cmd", ""), asked.get("rank", "")
        if command not in found or not rank.isdecimal():
            connection.close()
        elif asked.get("size") != str(size):
            _refuse(connection, f"it expects {asked.get('size')} ranks, and rank 0 expects {size}")
        elif int(rank) in found[command]:
            _refuse(connection, f"another process, on {found[command][int(rank)][1]}, has this rank")
        else:
            connection.settimeout(None)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            found[command][int(rank)] = (connection, asked.get("host", "?"))
    return {rank: Guest(*each, found["watch"][rank][0]) for rank, each in found["here"].items()}


def _refuse(connection: socket.socket, reason: str) -> None:
    with contextlib.suppress(OSError):
        connection.sendall(f"-{reason}\n".encode())
        connection.close()


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
    for each in (0, 1, 2):  # whoever reads this process's output must not wait for the server's end
        os.dup2(os.open(os.devnull, os.O_RDWR), each)
    serve(listener, int(size), float(timeout))


if __name__ == "__main__":
    main()
