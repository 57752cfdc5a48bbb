"""Masks, advanced indexing, gather and scatter, sorting and reductions."""

from __future__ import annotations

from typing_extensions import assert_type

import gnomon as gn
from gnomon import Tensor

x = gn.tensor([[3.0, -1.0, 2.0], [0.0, 5.0, -4.0]])
positive = x > 0
assert_type(positive, Tensor)
assert x[positive].tolist() == [3.0, 2.0, 5.0]
assert x[..., None, 1:].shape == (2, 1, 2) and x[0, ::2].tolist() == [3.0, 2.0]
assert x[[1, 0], [2, 0]].tolist() == [-4.0, 3.0]
x[~positive] = 0
x[gn.tensor([0]), 1] = 9.0
assert x.tolist() == [[3.0, 9.0, 2.0], [0.0, 5.0, 0.0]]
rows, columns = gn.where(x == 0)
assert rows.tolist() == [1, 1] and columns.tolist() == [0, 2]
assert gn.where(x > 4, x, 0.0).sum().item() == 14.0
assert ((x > 1) & (x < 5) | (x == 0)).sum() == 4

assert_type(gn.max(x), Tensor)
best = gn.max(x, dim=1)
assert_type(best.values, Tensor)
assert best.values.tolist() == [9.0, 5.0] and best.indices.tolist() == [1, 1]
values, order = x.sort(dim=1, descending=True, stable=True)
assert values[0].tolist() == [9.0, 3.0, 2.0] and order[0].tolist() == [1, 0, 2]
top, _ = x.topk(1)
assert top.flatten().tolist() == [9.0, 5.0]
variance, mean = gn.var_mean(x, dim=0, correction=0)
assert mean.tolist() == [1.5, 7.0, 1.0] and variance.tolist() == [2.25, 4.0, 1.0]
found, inverse, counts = gn.unique(gn.tensor([3, 1, 3]), return_inverse=True, return_counts=True)
assert found.tolist() == [1, 3] and inverse.tolist() == [1, 0, 1] and counts.tolist() == [1, 2]

picked = x.gather(1, gn.tensor([[0], [1]]))
assert picked.tolist() == [[3.0], [5.0]]
total = gn.zeros(3).scatter_add_(0, gn.tensor([0, 0, 2]), gn.tensor([1.0, 2.0, 4.0]))
assert total.tolist() == [3.0, 0.0, 4.0]
largest = gn.zeros(2).scatter_reduce(0, gn.tensor([0, 0, 1]), gn.tensor([1.0, 7.0, 2.0]), reduce="amax")
assert largest.tolist() == [7.0, 2.0]
across, down = gn.meshgrid(gn.arange(2), gn.arange(3), indexing="ij")
assert (across * 10 + down)[1].tolist() == [10, 11, 12]
assert gn.searchsorted(gn.tensor([1, 3, 5]), gn.tensor([3]), side="right").item() == 2
assert gn.bucketize(gn.tensor([0.5, 2.5]), gn.tensor([1.0, 2.0])).tolist() == [0, 2]
assert [float(each) for each in x[0]] == [3.0, 9.0, 2.0] and 9.0 in x and not gn.any(x < 0)
assert gn.quantile(x, 0.5, interpolation="lower").item() == 2.0
assert gn.div(gn.tensor(-7), 2, rounding_mode="floor").item() == -4
assert gn.cat([x, x], dim=0).shape == gn.cat((x, x)).shape == (4, 3)
