"""The mpiexec of MPICH and that of Open MPI, and how each is told the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence


class NoMpiexec(Exception):
    """There is no mpiexec."""


class Mpiexec:
    """An mpiexec, and whether it is Open MPI's."""

    def __init__(self, path: str, is_open_mpi: bool) -> None:
        self.path = path
        self.is_open_mpi = is_open_mpi

    def command(self, nproc: int, hosts: Sequence[str], more: Sequence[str]) -> list[str]:
        """The command that starts ``nproc`` ranks on each host, without the program."""
        total = nproc * max(len(hosts), 1)
        made = [self.path, "-n", str(total)]
        if self.is_open_mpi:
            made += ["--map-by", ":OVERSUBSCRIBE", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
            made += ["--host", ",".join(f"{each}:{nproc}" for each in hosts)] if hosts else []
            for name in sorted(os.environ) if hosts else ():  # MPICH passes all on
                made += ["-x", name] if name.startswith(("GNOMON_", "PYTHON", "TORCH")) else []
        else:
            made += ["-hosts", ",".join(hosts), "-ppn", str(nproc)] if hosts else []
        return [*made, *more]


def find_mpiexec(given: str | None = None) -> Mpiexec:
    """The mpiexec given, or that beside the Python that runs, or the first in PATH.

    Raises NoMpiexec if there is none.
    """
    beside = os.path.join(os.path.dirname(sys.executable), "mpiexec")
    path = shutil.which(given or beside) or (None if given else shutil.which("mpiexec"))
    if path is None:
        raise NoMpiexec(
            f"there is no {given or 'mpiexec'}: install an MPI, as in pip install 'gnomon[mpi]', or give "
            "--mpiexec"
        )
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    text = (said.stdout + said.stderr).lower()
    return Mpiexec(path, any(name in text for name in ("open mpi", "openmpi", "openrte", "prrte")))
