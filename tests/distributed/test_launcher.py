"""The launcher: output, faults of ranks, restarts; and a rank that raises under mpiexec alone."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.distributed import run
from gnomon.distributed.launcher.mpiexec import Mpiexec, find_mpiexec
from programs import LIMIT, NOTE_PID, Ended, Started, launched, left, pids, wait_for_file
from ranks import mpiexec, needs_mpi

HANGING = (
    20  # seconds after which a rank counts as hanging: more than a machine under load needs to say a word
)

# All ranks meet twice; in between, one does what the first argument says.
PROGRAM = (
    NOTE_PID
    + """
import ctypes, signal, sys, threading, time
import gnomon as gn
import gnomon.distributed as dist

dist.init_process_group()
x = gn.ones(4)
dist.all_reduce(x)
if dist.get_rank() == 1:
    exec(sys.argv[1])
dist.all_reduce(x)
dist.destroy_process_group()
"""
)

LINE = PROGRAM.split("\n").index("    exec(sys.argv[1])") + 1  # where a rank goes wrong

STACK = (
    "The stack of rank 1, most recent call first:\n"
    rf'  File "<string>", line 1 in <module>\n  File ".*program\.py", line {LINE} in <module>'
)


def ended(folder: Path, what: str, options: str = "--nproc 2") -> Ended:
    needs_mpi()
    found = launched(folder, PROGRAM, what, options=options).end()
    assert left(folder) == []
    return found


def check_one_error(found: Ended, pattern: str) -> None:
    """Nothing but one error of the launcher's, which begins with rank, host and process."""
    assert found.status == 1 and found.out == "", found
    who = rf"rank 1 on {re.escape(socket.gethostname())} \(process \d+\)"
    text = rf"gnomon\.distributed\.run: {who} failed: {pattern}\nAll ranks were ended\.\n"
    assert re.fullmatch(text, found.err, re.DOTALL), found.err


def test_a_rank_that_raises_ends_all_with_its_traceback(tmp_path: Path) -> None:
    found = ended(tmp_path, "raise KeyError('mine')")
    check_one_error(
        found,
        r"it raised KeyError: 'mine'\nTraceback \(most recent call last\):\n"
        rf'  File ".*program\.py", line {LINE}, in <module>\n.*\nKeyError: \'mine\'',
    )
    assert len(pids(tmp_path)) == 2


@pytest.mark.slow
def test_output_comes_in_whole_lines_with_the_rank_before(tmp_path: Path) -> None:
    needs_mpi()
    program = """
import os, subprocess, sys
rank = os.environ["RANK"]
for number in range(300):
    for part in range(20):
        print(f"{rank}:{number}:{part}", end=" ")
    print()
subprocess.run(["echo", "of a child"])
print(*sys.argv[1:], os.environ["WORLD_SIZE"], os.environ["LOCAL_RANK"] == rank, end="")
print("wärning", file=sys.stderr)
"""
    found = launched(tmp_path, program, "a", "--nproc", "b c", options="--nproc 2").end()
    assert found.status == 0, found
    for rank in "01":
        lines = [line[9:] for line in found.out.splitlines() if line.startswith(f"[rank {rank}] ")]
        expected = [" ".join(f"{rank}:{n}:{part}" for part in range(20)) + " " for n in range(300)]
        assert lines == [*expected, "of a child", "a --nproc b c 2 True"]
    assert len(found.out.splitlines()) == 2 * 302
    assert sorted(found.err.splitlines()) == ["[rank 0] wärning", "[rank 1] wärning"]


def test_a_rank_that_is_killed_is_named(tmp_path: Path) -> None:
    found = ended(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    check_one_error(
        found,
        r"it was killed by SIGKILL \(as the kernel does when memory is short\).*",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("sys.exit(3)", r"it exited with status 3"),
        ("sys.exit('no more')", r"it exited with status 1"),
        ("os._exit(3)", r"it exited with status 3.*"),
        ("os._exit(0)", r"it exited with status 0 before the end of its program.*"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", r"it was killed by SIGSEGV.*"),
        ("raise KeyboardInterrupt", r"it raised KeyboardInterrupt\nTraceback.*"),
        ("gn.empty(1 << 45)", r"it raised gnomon.*OutOfMemoryError: .*can not allocate.*\nTraceback.*"),
        ("os.fork() or time.sleep(10**6); raise OSError", r"it raised OSError\nTraceback.*"),
    ],
)
def test_each_fault_is_told_once(tmp_path: Path, what: str, pattern: str) -> None:
    found = ended(tmp_path, what)
    if "no more" in what:
        assert found.err.startswith("[rank 1] no more\n")
        found = found._replace(err=found.err.removeprefix("[rank 1] no more\n"))
    check_one_error(found, pattern)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("os.kill(os.getpid(), signal.SIGSTOP)", rf"a signal stopped it; it does not answer for {HANGING} s"),
        (
            "ctypes.PyDLL(None).pause()",
            rf"C code keeps Python's lock for {HANGING} s\n{STACK}",
        ),
        (
            "time.sleep(10**6)",
            rf"it hangs: others wait for it for {HANGING} s and more\n{STACK}\n  rank 0 .* waits in all_.*",
        ),
    ],
)
def test_a_rank_that_hangs_is_named_with_its_stack(tmp_path: Path, what: str, pattern: str) -> None:
    check_one_error(ended(tmp_path, what, f"--nproc 2 --timeout {HANGING}"), pattern)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "why", "line"),
    [
        ("sys.exit(0)", r"rank 1 on .* ended already", "all_reduce"),
        ("dist.broadcast(x, 0)", r"they call different collectives", "broadcast"),
    ],
)
def test_ranks_that_wait_for_each_other_are_named(tmp_path: Path, what: str, why: str, line: str) -> None:
    found = ended(tmp_path, what, f"--nproc 3 --timeout {HANGING}")
    assert found.status == 1 and found.out == ""
    first, *lines = found.err.splitlines()
    assert re.fullmatch(
        rf"gnomon.distributed.run: all ranks that run wait for {HANGING} s and more: {why}\.", first
    )
    waiting = [each for each in lines if re.match(r"  rank \d on .* waits in", each)]
    assert len(waiting) == (2 if "exit" in what else 3) and any(
        f"waits in {line} " in each for each in waiting
    )
    assert f'program.py", line {LINE + 1} in <module>' in found.err and lines[-1] == "All ranks were ended."


@pytest.mark.slow
def test_a_program_that_ended_but_not_its_process_is_named(tmp_path: Path) -> None:
    what = "threading.Thread(target=time.sleep, args=(10**6,)).start()"
    found = ended(tmp_path, what, f"--nproc 2 --timeout {HANGING}")
    assert found.status == 1 and "the program has ended, but not the process" in found.err
    assert "_shutdown" in found.err


@pytest.mark.slow
def test_a_call_of_mpi_abort_ends_all(tmp_path: Path) -> None:
    found = ended(tmp_path, "from mpi4py import MPI; MPI.COMM_WORLD.Abort(5)")
    assert found.status == 1
    assert "(did a rank call MPI_Abort?)" in found.err or "it exited with status 5" in found.err


@pytest.mark.slow
@pytest.mark.parametrize("more", ["", "os.kill(os.getpid(), signal.SIGSTOP)"])
def test_a_rank_ends_whose_supervisor_is_killed(tmp_path: Path, more: str) -> None:
    found = ended(tmp_path, f"os.kill(os.getppid(), signal.SIGKILL); {more or 'time.sleep(10**6)'}")
    assert found.status == 1 and "its supervisor was ended, or the connection to it" in found.err


WAITING = PROGRAM.replace("    exec", "    open('ready', 'x').close(); exec")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"])
@pytest.mark.parametrize("what", ["time.sleep(10**6)", "os.kill(os.getpid(), signal.SIGSTOP)"])
def test_no_process_is_left_when_the_launcher_is_ended(tmp_path: Path, name: str, what: str) -> None:
    needs_mpi()
    started = launched(tmp_path, WAITING, what)
    wait_for_file(tmp_path / "ready", started)
    os.kill(started.process.pid, signal.Signals[name])
    found = started.end()
    assert left(tmp_path) == [] and len(pids(tmp_path)) == 2
    if name == "SIGKILL":
        assert found.status == -signal.SIGKILL
    else:
        assert found == Ended(130, "", "gnomon.distributed.run: interrupted: all ranks were ended\n")


@pytest.mark.slow
def test_restarts_resume_until_they_are_used_up(tmp_path: Path) -> None:
    needs_mpi()
    program = PROGRAM.replace(
        "exec(sys.argv[1])", "count = os.environ['TORCHELASTIC_RESTART_COUNT']; exec(sys.argv[1])"
    )
    what = "print('start', count); count < '2' and os.kill(os.getpid(), signal.SIGKILL)"
    found = launched(tmp_path, program, what, options="--nproc 2 --max-restarts 2").end()
    assert found.status == 0 and found.out == "".join(f"[rank 1] start {n}\n" for n in range(3))
    assert [line for line in found.err.splitlines() if "restart" in line] == [
        f"gnomon.distributed.run: restart {n} of 2" for n in (1, 2)
    ]
    found = launched(tmp_path, program, what, options="--nproc 2 --max-restarts 1").end()
    assert found.status == 1 and found.err.count("was killed by SIGKILL") == 2
    assert left(tmp_path) == []


def test_the_same_failure_is_told_in_full_once(tmp_path: Path) -> None:
    needs_mpi()
    what = "raise KeyError(os.environ['TORCHELASTIC_RESTART_COUNT'] == '2')"
    found = launched(tmp_path, PROGRAM, what, options="--nproc 2 --max-restarts 2").end()
    who = rf"rank 1 on {re.escape(socket.gethostname())} \(process \d+\)"
    told = rf"gnomon\.distributed\.run: {who} failed: it raised KeyError: "
    full = r"\nTraceback .*\nKeyError: {0}\nAll ranks were ended\.\n"
    restart = r"gnomon\.distributed\.run: restart {0} of 2\n"
    pattern = (
        rf"{told}False{full.format('False')}{restart.format(1)}{told}False \(as before\)\n"
        rf"{restart.format(2)}{told}True{full.format('True')}"
    )
    assert found.status == 1 and re.fullmatch(pattern, found.err, re.DOTALL), found.err


def test_a_reader_that_goes_ends_all_ranks(tmp_path: Path) -> None:
    """As head does: no error, and the status that a shell shows for SIGPIPE."""
    needs_mpi()
    (tmp_path / "program.py").write_text(NOTE_PID + "while True:\n    print('more')\n")
    command = [sys.executable, "-m", "gnomon.distributed.run", "--nproc", "2", "program.py"]
    with open(tmp_path / "err", "wb") as err:
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=err)
    assert process.stdout is not None
    assert process.stdout.readline() in (b"[rank 0] more\n", b"[rank 1] more\n")
    process.stdout.close()
    assert process.wait(LIMIT) == 141 and (tmp_path / "err").read_text() == ""
    assert left(tmp_path) == []


@pytest.mark.slow
def test_a_module_and_output_without_ranks(tmp_path: Path) -> None:
    needs_mpi()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__main__.py").write_text("import sys\nprint(__name__, sys.argv[1:])\n")
    command = [sys.executable, "-m", "gnomon.distributed.run", "--no-prefix", "-m", "mine", "--x"]
    assert Started(tmp_path, command).end() == Ended(0, "__main__ ['--x']\n", "")


@pytest.mark.slow
def test_a_program_that_can_not_start_is_named(tmp_path: Path) -> None:
    found = ended(tmp_path, "", "--nproc 2 --mpiexec-argument=--no-such-option")
    assert found.status == 1 and "0 of 2 ranks had started" in found.err and "no-such-option" in found.err
    found = launched(tmp_path, "1 +").end()
    assert found.status == 1 and "it raised SyntaxError: invalid syntax" in found.err


def test_wrong_commands_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main([str(tmp_path / "none.py")]) == 2
    assert capsys.readouterr().err == f"gnomon.distributed.run: there is no file '{tmp_path / 'none.py'}'\n"
    (tmp_path / "some.py").write_text("")
    assert run.main(["--mpiexec", str(tmp_path / "mpiexec"), str(tmp_path / "some.py")]) == 2
    assert "install an MPI, as in pip install 'gnomon[mpi]'" in capsys.readouterr().err
    for wrong in (["--nproc", "0"], ["--max-restarts", "-1"], ["--timeout", "0"], ["--timeout", "nan"]):
        with pytest.raises(SystemExit):
            run.main([*wrong, "x.py"])
        assert re.search(r"expected a (positive )?number of (at least|seconds)", capsys.readouterr().err)


def test_each_mpiexec_is_told_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "environ", {"GNOMON_BLAS": "1", "HOME": "/"})
    mpich, open_mpi = Mpiexec("mpiexec", False), Mpiexec("mpiexec", True)
    assert mpich.command(2, [], ["-a"]) == ["mpiexec", "-n", "2", "-a"]
    assert mpich.command(2, ["h", "i"], []) == ["mpiexec", "-n", "4", "-hosts", "h,i", "-ppn", "2"]
    oversubscribed = ["--map-by", ":OVERSUBSCRIBE", "--allow-run-as-root"]
    assert open_mpi.command(2, [], ["-a"]) == ["mpiexec", "-n", "2", *oversubscribed, "-a"]
    assert open_mpi.command(2, ["h", "i"], []) == [
        *("mpiexec", "-n", "4", *oversubscribed, "--host", "h:2,i:2", "-x", "GNOMON_BLAS")
    ]


def test_under_mpiexec_alone_a_rank_that_raises_ends_all(tmp_path: Path) -> None:
    needs_mpi()
    (tmp_path / "program.py").write_text(PROGRAM)
    start = find_mpiexec(mpiexec()).command(2, [], [])
    command = [*start, sys.executable, "program.py", "raise ValueError('mine')"]
    found = Started(tmp_path, command).end()
    assert found.status != 0 and left(tmp_path) == [] and len(pids(tmp_path)) == 2
    assert "ValueError: mine\n" in found.err and f'program.py", line {LINE}, in <module>' in found.err
    who = f"gnomon.distributed: rank 1 on {socket.gethostname()} raised ValueError: ending all ranks\n"
    assert found.err.count(who) == 1
