"""A program that collates by the names of types, and has workers."""

import multiprocessing

import numpy as np
import torch
from torch.utils.data import DataLoader

NUMPY = {str(torch.float32): np.float32, str(torch.int64): np.int64}


def collate(batch):
    kind = type(batch[0])
    if kind.__module__ == "torch" and kind.__name__ == "Tensor":
        return torch.stack(batch)
    if kind.__module__ == "numpy":
        return collate([torch.as_tensor(each) for each in batch])
    return [collate(list(each)) for each in zip(*batch)]


class Rows:
    def __len__(self):
        return 4

    def __getitem__(self, row):
        return torch.full((2,), row), np.float32(row)


if __name__ == "__main__":
    for workers in (0, 1):
        for x, y in DataLoader(Rows(), 2, collate_fn=collate, num_workers=workers):
            print(x, y, x.dtype, y.type(), x.device)
    x = torch.ones(2)
    print(
        NUMPY[str(x.dtype)], np.dtype(str(x.dtype).replace("torch.", "")), torch.tensor(np.float64(1)).type()
    )
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(str, [torch.float32, torch.Size([1])]), pool.map(torch.sum, [torch.ones(3)]))
        print(pool.map(repr, [torch.device("cpu")]))
