"""The programs of examples/distributed, each on several ranks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "distributed"))
from ranks import needs_mpi

EXAMPLES = Path(__file__).parents[2] / "examples" / "distributed"


def run(name: str, ranks: int, *options: object) -> str:
    needs_mpi()
    command = [
        sys.executable,
        "-m",
        "gnomon.distributed.run",
        "--nproc",
        str(ranks),
        str(EXAMPLES / f"{name}.py"),
    ]
    done = subprocess.run([*command, *map(str, options)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_ring() -> None:
    assert run("ring", 3) == "[rank 0] the sum over 3 ranks: [300, 303, 306, 309, 312, 315]\n"


@pytest.mark.slow
def test_buckets_follow_the_order_of_gradients() -> None:
    lines = run("buckets", 2).splitlines()
    first, second = lines.index("[rank 0] backward 0"), lines.index("[rank 0] backward 1")
    assert lines[first + 1 : second] == [line for line in lines[first + 1 : second] if "the last" in line]
    assert "3.bias, 3.weight" in lines[second + 1] and lines[-1].endswith("0.bias, 0.weight")


@pytest.mark.slow
def test_the_losses_do_not_depend_on_the_number_of_ranks(tmp_path: Path) -> None:
    def losses(ranks: int, *options: object) -> list[float]:
        lines = run("train_digits", ranks, *options).splitlines()
        return [float(line.split()[-1]) for line in lines if "loss" in line]

    alone = losses(1)
    assert len(alone) == 3 and alone[-1] < 0.6 * alone[0]
    for ranks in (2, 4):
        assert losses(ranks) == pytest.approx(alone, abs=2e-3)
    for kind in ("sharded", "zero"):
        assert losses(3, "--kind", kind) == pytest.approx(losses(3), abs=1e-3)
    # what one kind has saved, another goes on with
    folder = tmp_path / "other"
    begun = losses(2, "--steps", 20, "--checkpoint", folder, "--kind", "sharded")
    begun += losses(1, "--steps", 40, "--checkpoint", folder)
    begun += losses(2, "--steps", 60, "--checkpoint", folder, "--kind", "zero")
    assert begun == pytest.approx(alone, abs=2e-3)
    # and a run that goes on from its checkpoint has the losses of one that was not interrupted
    folder = tmp_path / "run"
    begun = losses(2, "--steps", 40, "--checkpoint", folder)
    assert begun + losses(2, "--steps", 60, "--checkpoint", folder) == losses(2)
