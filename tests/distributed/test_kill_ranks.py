"""tools/kill_ranks.py, with few kills."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ranks import needs_mpi

TOOL = Path(__file__).resolve().parents[2] / "tools" / "kill_ranks.py"


@pytest.mark.slow
def test_a_training_whose_ranks_are_killed_has_the_losses_of_one_undisturbed() -> None:
    needs_mpi()
    command = [sys.executable, str(TOOL), "--kills", "3", "--steps", "80", "--seed", "1"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.endswith("all losses bit for bit, nothing half-written, no process left\n")
    assert ran.stdout.splitlines()[-1].startswith("3 kills in ")
