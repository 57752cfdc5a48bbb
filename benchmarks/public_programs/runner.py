"""Runs a program once with each library, and compares the records."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from public_programs.manifest import Program

CHILD = Path(__file__).with_name("child.py")
THREADS = 2
SECONDS = 600  # that one run may take

# The same for all runs: threads, the order of sets, and no compiled files in the snapshots.
COMMON = {
    "OMP_NUM_THREADS": str(THREADS),
    "GNOMON_NUM_THREADS": str(THREADS),
    "GNOMON_BACKEND": "c",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONWARNINGS": "ignore",
}
# PyTorch with other kernels: they compute the same in another order, so that only the rounding differs.
OTHER_KERNELS = {
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_CBWR": "COMPATIBLE",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "OMP_NUM_THREADS": "1",
}


class ProgramError(RuntimeError):
    """A run that failed, with the end of what it printed."""


@dataclass
class Record:
    losses: np.ndarray
    parameters: list[np.ndarray]
    seconds: np.ndarray  # of each step but the first
    environment_steps: int = 0


@dataclass
class Difference:
    """The largest differences of two records.

    losses      of a loss, relative to the loss if that is above 1
    parameters  of an element, relative to the largest element of its parameter
    """

    losses: float
    parameters: float


def run(
    program: Program,
    snapshots: Path,
    name: str,
    environment: dict[str, str] | None = None,
    moved: int = 0,
) -> Record:
    """Run the program in a copy of its folder.  Raises ProgramError.

    If ``moved`` is not 0, its parameters start from neighbouring numbers, other ones for each value of it.
    """
    repository = snapshots / program.repository.replace("/", "+")
    source = repository / program.path
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "a" / "b" / source.parent.name  # programs write to ../../data
        shutil.copytree(
            source.parent, folder, ignore=shutil.ignore_patterns("*.png", "*.jpg", "*.gif", ".git")
        )
        if program.prepare is not None:
            program.prepare(folder)
        libraries = [str((repository / library).resolve()) for library in program.libraries]
        variables = {**os.environ, **COMMON, "PYTHONPATH": os.pathsep.join(libraries), **(environment or {})}

        record = Path(scratch) / "record.npz"
        child = [sys.executable, str(CHILD), name, str(record), str(program.steps), str(moved)]
        done = subprocess.run(
            [*child, str(folder / source.name), *program.arguments.split()],
            cwd=folder,
            env=variables,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        if done.returncode:
            raise ProgramError((done.stdout[-300:] + done.stderr[-1000:]).strip())
        with np.load(record) as content:
            parameters = [content[f"parameter{i}"] for i in range(len(content.files) - 3)]
            steps = int(content["environment_steps"])
            return Record(content["losses"], parameters, content["seconds"], steps)


def least_seconds(records: list[Record]) -> float:
    """The sum over the steps of the least time that each took in any of the runs, which do the same work."""
    return float(np.min([record.seconds for record in records], axis=0).sum())


def _largest(values: list[float]) -> float:
    """The largest value; NaN counts as infinite."""
    return max((math.inf if math.isnan(value) else value for value in values), default=0.0)


def largest(differences: list[Difference]) -> Difference:
    """The largest of each."""
    return Difference(max(each.losses for each in differences), max(each.parameters for each in differences))


def compare(expected: Record, found: Record) -> Difference:
    """The difference of ``found`` from ``expected``; infinite if they do not have the same shapes."""
    shapes = [[parameter.shape for parameter in record.parameters] for record in (expected, found)]
    if len(expected.losses) != len(found.losses) or shapes[0] != shapes[1]:
        return Difference(math.inf, math.inf)
    losses = np.abs(found.losses - expected.losses) / np.maximum(np.abs(expected.losses), 1)
    parameters = [
        float(np.abs(b - a).max() / max(np.abs(a).max(), 1e-30))
        for a, b in zip(expected.parameters, found.parameters)
        if a.size and not np.array_equal(a, b)
    ]
    return Difference(_largest(losses.tolist()), _largest(parameters))
