"""Processes that no mpiexec started meet by the address of rank 0, and end together."""

from __future__ import annotations

import re
import signal
import socket
from pathlib import Path

import pytest

import gnomon.distributed as dist
from gnomon.distributed.rendezvous_server import mapping
from programs import NOTE_PID, Ended, by_hand, free_port, left, pids, wait_for_file
from ranks import is_open_mpi, needs_mpi

LATE = 20  # seconds after which a rank that is not there counts as missing

PROGRAM = (
    NOTE_PID
    + """
import datetime, signal, sys
import gnomon as gn
import gnomon.distributed as dist

dist.init_process_group(timeout=datetime.timedelta(seconds=float(sys.argv[1])), **eval(sys.argv[2]))
x = gn.tensor([dist.get_rank() + 1.0])
dist.all_reduce(x)
if dist.get_rank() == dist.get_world_size() - 1:
    exec(sys.argv[3])
dist.all_reduce(x)
print(dist.get_rank(), dist.get_world_size(), x.item())
dist.destroy_process_group()
"""
)


def together(
    folder: Path, places: list[tuple[int, int]], what: str = "", limit: float = 300, given: str = "{}"
) -> list[Ended]:
    """Processes of these ranks and sizes, and how each ended."""
    needs_mpi()
    if is_open_mpi():
        pytest.skip("Open MPI finds ranks by its own mpiexec only")
    port = free_port()
    given = given.replace("PORT", str(port))
    started = [by_hand(folder, PROGRAM, *place, port, str(limit), given, what) for place in places]
    found = [each.end() for each in started]
    assert left(folder) == []
    return found


def last_line(found: Ended) -> str:
    assert found.status == 1, found
    return found.err.splitlines()[-1]


def test_two_processes_meet_by_variables(tmp_path: Path) -> None:
    assert together(tmp_path, [(0, 2), (1, 2)]) == [Ended(0, f"{rank} 2 6.0\n", "") for rank in (0, 1)]


@pytest.mark.slow
def test_three_processes_meet_by_tcp(tmp_path: Path) -> None:
    needs_mpi()
    port = free_port()
    started = []
    for rank in range(3):  # the variables would say something else
        given = f"dict(init_method='tcp://localhost:{port}', rank={rank}, world_size=3)"
        started.append(by_hand(tmp_path, PROGRAM, 7 + rank, 9, 1, "300", given, ""))
    assert [each.end() for each in started] == [Ended(0, f"{rank} 3 18.0\n", "") for rank in range(3)]


@pytest.mark.slow
def test_a_process_may_come_later(tmp_path: Path) -> None:
    needs_mpi()
    port = free_port()
    first = by_hand(tmp_path, PROGRAM, 1, 2, port, "300", "{}", "")
    wait_for_file(tmp_path / f"pid_{first.process.pid}", first)
    second = by_hand(tmp_path, PROGRAM, 0, 2, port, "300", "{}", "")
    assert [first.end().out, second.end().out] == ["1 2 6.0\n", "0 2 6.0\n"]


@pytest.mark.slow
def test_a_rank_that_never_comes_is_named(tmp_path: Path) -> None:
    for rank, found in enumerate(together(tmp_path, [(0, 3), (1, 3)], limit=LATE)):
        text = f"init_process_group: rank {rank} of 3, at 127.0.0.1:\\d+: rank 2 did not come within {LATE} s"
        assert re.search(f"DistNetworkError: {text}$", last_line(found)), found


@pytest.mark.slow
def test_a_rank_that_is_given_twice_is_named(tmp_path: Path) -> None:
    found = together(tmp_path, [(0, 3), (1, 3), (1, 3)], limit=LATE)
    lines = sorted(last_line(each).partition("127.0.0.1:")[2].partition(": ")[2] for each in found)
    missing = f"rank 2 did not come within {LATE} s"
    assert lines == [f"another process, on {socket.gethostname()}, has this rank", missing, missing]


@pytest.mark.slow
def test_another_number_of_ranks_is_named(tmp_path: Path) -> None:
    first, second = together(tmp_path, [(0, 2), (1, 3)], limit=LATE)
    assert last_line(second).endswith("it expects 3 ranks, and rank 0 expects 2")
    assert last_line(first).endswith(f"rank 1 did not come within {LATE} s")


@pytest.mark.slow
def test_a_port_at_which_nobody_or_somebody_else_listens(tmp_path: Path) -> None:
    needs_mpi()
    alone = by_hand(tmp_path, PROGRAM, 1, 2, free_port(), "2", "{}", "").end()
    assert "init_process_group: no answer from rank 0 at 127.0.0.1:" in last_line(alone)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        silent = by_hand(tmp_path, PROGRAM, 1, 2, port, "2", "{}", "").end()
        assert last_line(silent).endswith("no answer from what listens there")
        root = by_hand(tmp_path, PROGRAM, 0, 2, port, "2", "{}", "").end()
        assert f"init_process_group: can not listen at 127.0.0.1:{port}: " in last_line(root)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["raise ValueError('mine')", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_a_process_that_fails_ends_the_others(tmp_path: Path, what: str) -> None:
    *others, failed = together(tmp_path, [(0, 3), (1, 3), (2, 3)], what)
    assert failed.status == (1 if "raise" in what else -signal.SIGKILL)
    host = socket.gethostname()
    for rank, each in enumerate(others):
        text = f"gnomon.distributed: rank 2 on {host} has ended: rank {rank} on {host} ends, too\n"
        assert each == Ended(1, "", text)
    if "raise" in what:
        assert failed.err.endswith(
            f"ValueError: mine\ngnomon.distributed: rank 2 on {host} raised ValueError: ending all ranks\n"
        )
    assert len(pids(tmp_path)) == 3


def test_places_that_make_no_sense_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    needs_mpi()
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match=r"init_method to begin with 'env://' or 'tcp://', got 'file:///x'"):
        dist.init_process_group(init_method="file:///x")
    with pytest.raises(ValueError, match="needs the arguments rank and world_size"):
        dist.init_process_group(init_method="tcp://127.0.0.1:1")
    with pytest.raises(ValueError, match=r"got host 'a' and port 'b'"):
        dist.init_process_group(init_method="tcp://a:b", rank=0, world_size=2)
    with pytest.raises(ValueError, match="rank 2 is not one of 2 ranks"):
        dist.init_process_group(init_method="tcp://127.0.0.1:1", rank=2, world_size=2)
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ValueError, match=r"MASTER_ADDR and MASTER_PORT.*got host '' and port ''"):
        dist.init_process_group()


def test_processes_are_mapped_to_machines() -> None:
    assert mapping(["a"]) == "(vector,(0,1,1))"
    assert mapping(["a", "a", "b", "b", "b"]) == "(vector,(0,1,2),(1,1,3))"
    assert mapping(["a", "b", "a"]) == "(vector,(0,1,1),(1,1,1),(0,1,1))"
