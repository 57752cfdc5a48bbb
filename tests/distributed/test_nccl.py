"""Collectives of tensors on CUDA devices: an emulated NCCL, between emulated devices of several processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ranks import mpiexec, needs_mpi

PROGRAMS = Path(__file__).parent


@pytest.mark.parametrize(
    "size", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)]
)
def test_collectives_between_devices(size: int) -> None:
    run("nccl_program.py", size)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2])
def test_a_model_is_trained_on_several_devices(size: int) -> None:
    run("nccl_training_program.py", size)


def run(program: str, size: int) -> None:
    """Run a program of this folder in so many processes, each with an emulated device of its own."""
    needs_mpi()
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    environment = {
        **os.environ,
        "GNOMON_CUDA_EMULATE": "1",
        "GNOMON_CUDA_EMULATED_NCCL": "1",
        "GNOMON_CUDA_EMULATED_DEVICES": str(size),
        "GNOMON_NUM_THREADS": "1",
    }
    done = subprocess.run(
        [mpiexec(), "-n", str(size), sys.executable, str(PROGRAMS / program)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and done.stdout.count("all is well") == size, done.stdout + done.stderr
