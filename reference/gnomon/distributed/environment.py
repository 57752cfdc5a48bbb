"""What started this process, and which rank it has."""

from __future__ import annotations

import os
from typing import NamedTuple

# Variables by which an mpiexec tells a process its rank and the number of processes: MPICH's, Open MPI's, and
# Slurm's, whose srun starts both.
_STARTED_BY = (("PMI_RANK", "PMI_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))
_SLURM = ("SLURM_PROCID", "SLURM_NTASKS")
RANK_NAMES = [each[0] for each in (*_STARTED_BY, _SLURM)]


class Place(NamedTuple):
    """A process among others."""

    rank: int
    size: int


def place_by_mpiexec() -> Place | None:
    """The place that an mpiexec gave; None if none started this process."""
    names = list(_STARTED_BY)
    if "PMIX_RANK" in os.environ or "PMI_FD" in os.environ:
        names.append(_SLURM)
    for rank, size in names:
        if rank in os.environ and size in os.environ:
            return Place(int(os.environ[rank]), int(os.environ[size]))
    return None


def place_by_variables() -> Place | None:
    """The place of the variables ``RANK`` and ``WORLD_SIZE``; None if they are not set."""
    if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
        return Place(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    return None


def is_torchelastic_launched() -> bool:
    """Did ``python -m gnomon.distributed.run`` start this process?

    Source: torch.distributed.is_torchelastic_launched.
    """
    return "GNOMON_DISTRIBUTED_REPORT" in os.environ


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """The rank of this process on its machine.

    Raises RuntimeError if what started the process does not say, and there is no ``fallback_rank``.
    Source: torch.distributed.get_node_local_rank.
    """
    for name in ("LOCAL_RANK", "MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"):
        if name in os.environ:
            return int(os.environ[name])
    if fallback_rank is not None:
        return fallback_rank
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` "
        "to work, "
        "assuming you are not running in a multi-device context and want the code to run locally instead."
    )
