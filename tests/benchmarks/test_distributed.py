"""benchmarks/distributed.py runs, and prints a row for each kind."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MPIEXEC = os.path.join(os.path.dirname(sys.executable), "mpiexec")
HAS_MPI = os.path.exists(MPIEXEC) and importlib.util.find_spec("mpi4py") is not None


@pytest.mark.slow
@pytest.mark.skipif(not HAS_MPI, reason="mpi4py and an MPI are not installed")
def test_it_times_each_kind() -> None:
    small = "--width 16 --blocks 1 --batch 2 --rounds 2 --steps 1 --peers none".split()
    command = [sys.executable, "benchmarks/distributed.py", *small]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].endswith("2 ranks of one thread, batches of 2")
    kinds = ["alone", "ddp", "ddp views", "ddp float16", "ddp bfloat16"]
    assert [line[:20].strip() for line in lines[2:]] == [f"gnomon {each}" for each in kinds]
    sent = [line.split()[-1] for line in lines[2:]]
    assert sent == ["0.00", "0.02", "0.02", "0.01", "0.01"]
