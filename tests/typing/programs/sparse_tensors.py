"""Sparse tensors: construction, conversion, products and gradients."""

from __future__ import annotations

import gnomon as gn
from gnomon import Tensor


def adjacency(edges: list[tuple[int, int]], nodes: int) -> Tensor:
    indices = gn.tensor(edges).t()
    return gn.sparse_coo_tensor(indices, gn.ones(len(edges)), (nodes, nodes))


graph = adjacency([(0, 1), (1, 2), (2, 0), (0, 1)], 3)
assert graph.is_sparse and graph.layout == gn.sparse_coo
assert graph.sparse_dim() == 2 and graph.dense_dim() == 0
once = graph.coalesce()
assert once.is_coalesced() and once.values().tolist() == [2.0, 1.0, 1.0]
assert once.indices().shape == (2, 3)
degrees: Tensor = gn.sparse.sum(once, dim=1).to_dense()
assert degrees.tolist() == [2.0, 1.0, 1.0]

features = gn.eye(3, requires_grad=True)
spread = gn.sparse.mm(once, features)
spread.sum().backward()
assert gn.equal(spread.detach(), once.to_dense())
assert features.grad is not None and features.grad[1].tolist() == [2.0, 2.0, 2.0]

rows = once.to_sparse_csr()
assert rows.layout is gn.sparse_csr and rows.crow_indices().tolist() == [0, 1, 2, 3]
vector = gn.tensor([1.0, 10.0, 100.0])
assert (rows @ vector).tolist() == [20.0, 100.0, 1.0]
built = gn.sparse_csr_tensor([0, 1, 1], [1], [5.0], size=(2, 2), dtype=gn.float64)
assert built.to_dense().tolist() == [[0.0, 5.0], [0.0, 0.0]] and built._nnz() == 1

dense = gn.tensor([[0.0, 3.0], [0.0, 0.0]])
sparse = dense.to_sparse()
assert sparse.indices().tolist() == [[0], [1]] and sparse.shape == dense.shape
assert gn.equal((sparse * 2 + sparse).to_dense(), 3 * dense)
