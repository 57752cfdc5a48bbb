"""A sampler that gives each of several processes its part of a dataset.

Source: torch.utils.data.distributed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sized

from ...dispatch.dispatcher import aten
from ...ops.creation.random import Generator
from .sampler import Sampler


class DistributedSampler(Sampler[int]):
    """The indices of a dataset for process ``rank`` of ``num_replicas``: every ``num_replicas``-th one.

    With ``shuffle`` the order is random, but the same in all processes: it depends on ``seed`` and on the
    number given to ``set_epoch``.  All processes get the same number of indices.  For that, some are repeated
    at the end, or with ``drop_last`` left out.

    Without ``num_replicas`` or ``rank`` it asks the process group.  Raises RuntimeError if there is none,
    ValueError for a rank that is negative or not less than ``num_replicas``.
    Source: torch.utils.data.distributed.DistributedSampler.
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        from ... import distributed  # above this floor, and few programs need it

        if (num_replicas is None or rank is None) and not distributed.is_available():
            raise RuntimeError("Requires distributed package to be available")
        self.num_replicas = distributed.get_world_size() if num_replicas is None else num_replicas
        self.rank = distributed.get_rank() if rank is None else rank
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(
                f"Invalid rank {self.rank}, rank should be in the interval [0, {self.num_replicas - 1}]"
            )
        self.dataset = dataset
        self.shuffle = shuffle
        self.seed = seed
        self.epoch = 0
        self.drop_last = drop_last
        count = len(dataset)
        self.num_samples = count // self.num_replicas if drop_last else -(-count // self.num_replicas)
        self.total_size = self.num_samples * self.num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        indices = list(range(count))
        if self.shuffle:
            generator = Generator().manual_seed(self.seed + self.epoch)
            indices = aten.randperm(count, generator=generator).tolist()
        places = range(self.rank, self.total_size, self.num_replicas)
        return iter([indices[place % count] for place in places])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Sets the number of the epoch, on which the random order depends."""
        self.epoch = epoch
