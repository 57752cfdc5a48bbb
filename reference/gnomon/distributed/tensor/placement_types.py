"""What each process of a group has of a tensor.  Source: torch.distributed.tensor.placement_types."""

from __future__ import annotations

from dataclasses import dataclass


class Placement:
    """What a process has of a tensor: ``Shard``, ``Replicate`` or ``Partial``.

    Source: torch.distributed.tensor.Placement.
    """


@dataclass(frozen=True)
class Shard(Placement):
    """Its part along dimension ``dim``.  Source: torch.distributed.tensor.Shard."""

    dim: int


@dataclass(frozen=True)
class Replicate(Placement):
    """All of it.  Source: torch.distributed.tensor.Replicate."""


@dataclass(frozen=True)
class Partial(Placement):
    """A summand.  Source: torch.distributed.tensor.Partial."""


__all__ = ["Partial", "Placement", "Replicate", "Shard"]
