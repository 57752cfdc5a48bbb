"""Datasets and loaders."""

from __future__ import annotations

import gnomon as gn
from gnomon import Tensor
from gnomon.utils.data import DataLoader, Dataset, TensorDataset, random_split


class Numbers(Dataset[Tensor]):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Tensor:
        return index  # error: return-value


class Words(Dataset[str]):
    def __getitem__(self, index: int) -> int:  # error: override
        return index


numbers = Numbers()
numbers[0].upper()  # error: attr-defined
loader: DataLoader[str] = DataLoader(numbers)  # error: arg-type
DataLoader(numbers, batch_size="two")  # error: arg-type
DataLoader(numbers, shufle=True)  # error: call-arg
DataLoader(3)  # error: arg-type
TensorDataset([1, 2])  # error: arg-type
TensorDataset(gn.ones(2))[0].sum()  # error: attr-defined
train, test = random_split(numbers, [2, 2])
train[0].upper()  # error: attr-defined
gn.save(numbers)  # error: call-arg
gn.load("file", weight_only=True)  # error: call-arg
gn.load("file", weights_only=False, encoding=1)  # error: arg-type
