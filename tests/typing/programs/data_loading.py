"""A Dataset of one's own, samplers, collation and splits."""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import assert_type

import gnomon as gn
from gnomon import Tensor
from gnomon.utils.data import (
    DataLoader,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)

Pair = tuple[Tensor, int]


class Squares(Dataset[Pair]):
    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Pair:
        return gn.tensor([float(index), float(index**2)]), index % 2


class Countdown(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        return iter(range(5, 0, -1))


def stacked(samples: list[Pair]) -> tuple[Tensor, Tensor]:
    return gn.stack([x for x, _ in samples]), gn.tensor([label for _, label in samples])


squares = Squares(10)
assert_type(squares[3], Pair)
loader = DataLoader(squares, batch_size=4, collate_fn=stacked, drop_last=False)
assert_type(loader, DataLoader[Pair])
assert_type(loader.dataset, Dataset[Pair])
sizes = []
for features, labels in loader:
    sizes.append((features.shape[0], int(labels.sum())))
assert sizes == [(4, 2), (4, 2), (2, 1)] and len(loader) == 3

train, test = random_split(squares, [7, 3], generator=gn.Generator().manual_seed(0))
assert_type(train, Subset[Pair])
assert len(train) == 7 and len(test) == 3 and sorted([*train.indices, *test.indices]) == list(range(10))

tensors = TensorDataset(gn.arange(6), gn.arange(6) * 2)
assert_type(tensors[0], tuple[Tensor, ...])
sampler = WeightedRandomSampler([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], num_samples=4)
assert [int(x) for x, _ in DataLoader(tensors, batch_size=None, sampler=sampler)] == [2] * 4
assert [each.tolist() for each in DataLoader(Countdown(), batch_size=2)] == [[5, 4], [3, 2], [1]]
