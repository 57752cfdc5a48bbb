"""Sparse tensors: the layout ``gnomon.sparse_coo``, and functions of torch.sparse.

Here a layout is an implementation of tensors of its own (tensor.py), with kernels for the dispatch keys
Sparse and AutogradSparse (registration.py); the operators on strided tensors do not know of it.  Source:
torch/sparse.
"""

from __future__ import annotations

from typing import Any

from ..bindings.creation import as_tensor
from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.dtype import dtype, int64
from . import conversion, pointwise, products, reductions, shapes  # noqa: F401  (they register kernels)
from .tensor import SparseTensor

__all__ = ["addmm", "log_softmax", "mm", "softmax", "sum"]


def sparse_coo_tensor(
    indices: Any,
    values: Any = None,
    size: Any = None,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Tensor:
    """A sparse tensor of layout ``gnomon.sparse_coo``.

    ``indices`` (sparse_dim, nnz): integers, a tensor or nested lists; column k has the coordinates of value
    k. ``values`` (nnz, *): a tensor or nested lists.  ``size``: the sizes, by default the smallest that hold
    the indices. Elements that are specified several times are sums.  With only sizes, no element is
    specified. Differentiable by ``values``.  ``check_invariants``: whether indices are checked against
    ``size``, unless it is False.  Raises RuntimeError for parts that do not fit each other.  Source:
    torch.sparse_coo_tensor.
    """
    if values is None:
        sizes = tuple(indices) if size is None else tuple(size)
        made = aten.sparse_coo_tensor.size(sizes, dtype, None, device, pin_memory)
        return made.requires_grad_(requires_grad)
    held = as_tensor(values, dtype=dtype, device=device)
    columns = as_tensor(indices, device=held.device)
    columns = columns if columns._spec.dtype is int64 else columns.to(int64)
    given = (None, None, None, pin_memory or None, is_coalesced)
    if size is None:
        made = aten.sparse_coo_tensor.indices(columns, held, *given)
    elif check_invariants is False:
        made = aten._sparse_coo_tensor_unsafe.default(columns, held, tuple(size), *given)
    else:
        made = aten.sparse_coo_tensor.indices_size(columns, held, tuple(size), *given)
    return made.requires_grad_() if requires_grad else made


def mm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse matrix and a sparse or strided one.

    Unlike ``gnomon.mm``, it gives a sparse ``mat1`` a sparse gradient, at its own indices.  Source:
    torch.sparse.mm.
    """
    if isinstance(mat1, SparseTensor) and isinstance(mat2, SparseTensor):
        return aten._sparse_sparse_matmul.default(mat1, mat2)
    if isinstance(mat2, SparseTensor):
        return aten._sparse_mm.default(mat2.t(), mat1.t()).t()
    return aten._sparse_mm.default(mat1, mat2)


def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """``beta`` * ``mat`` + ``alpha`` * ``mat1`` @ ``mat2``, where ``mat1`` is sparse.  Source:
    torch.sparse.addmm.
    """
    return aten.addmm.default(mat, mat1, mat2, beta, alpha)


def sum(input: Tensor, dim: Any = None, dtype: dtype | None = None) -> Tensor:
    """The sum of a sparse tensor over all dimensions, or over ``dim``.

    The result is sparse unless no sparse dimension is left.  Source: torch.sparse.sum.
    """
    given = input if dtype is None else input.to(dtype)
    if dim is None:
        return aten._sparse_sum.default(given)
    return aten._sparse_sum.dim(given, (dim,) if isinstance(dim, int) else tuple(dim))


def softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """Softmax along ``dim`` over the specified elements.  Source: torch.sparse.softmax."""
    return aten._sparse_softmax.int(input, dim, dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """The logarithm of ``softmax``.  Source: torch.sparse.log_softmax."""
    return aten._sparse_log_softmax.int(input, dim, dtype)
