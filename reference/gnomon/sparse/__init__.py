"""Sparse tensors: the layout ``gnomon.sparse_coo``, the compressed layouts, and functions of torch.sparse.

Here a layout is an implementation of tensors of its own (tensor.py, compressed_tensor.py), with kernels for
the dispatch keys Sparse and AutogradSparse, or SparseCsr and AutogradSparseCsr (registration.py); the
operators on strided tensors do not know of it.  Source: torch/sparse.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..bindings.creation import as_tensor
from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.device import device, layout, sparse_bsc, sparse_bsr, sparse_csc, sparse_csr, strided
from ..values.dtype import dtype, int64
from . import (  # noqa: F401  (they register kernels)
    compressed_pointwise,
    compressed_products,
    compressed_shapes,
    conversion,
    copying,
    older_names,
    pointwise,
    products,
    reductions,
    resizing,
    shapes,
    solves,
)
from .compressed_construction import check_compressed_layout
from .compressed_tensor import BLOCKED, CompressedTensor, names_of
from .invariants import check_sparse_tensor_invariants
from .products import scaled
from .tensor import SparseTensor

__all__ = [
    "addmm",
    "as_sparse_gradcheck",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "softmax",
    "spdiags",
    "spsolve",
    "sum",
]


def sparse_coo_tensor(
    indices: Tensor | Sequence[Any] | None = None,
    values: Tensor | Sequence[Any] | None = None,
    size: Sequence[int] | None = None,
    *,
    dtype: dtype | None = None,
    device: device | str | int | None = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Tensor:
    """A sparse tensor of layout ``gnomon.sparse_coo``.

    ``indices`` (sparse_dim, nnz): integers, a tensor or nested lists; column k has the coordinates of value
    k. ``values`` (nnz, *): a tensor or nested lists.  ``size``: the sizes, by default the smallest that hold
    the indices. Elements that are specified several times are sums.  With only sizes, no element is
    specified. Differentiable by ``values``.  ``check_invariants``: whether it is checked that indices are
    below ``size`` and, if ``is_coalesced``, sorted and not repeated, by default that of
    ``gnomon.sparse.check_sparse_tensor_invariants``; without them, invalid indices are noticed later, or
    never.  Raises RuntimeError for parts that do not fit each other.  Source: torch.sparse_coo_tensor.
    """
    if values is None:
        if (indices is None) is (size is None):
            raise TypeError("sparse_coo_tensor() takes sizes alone, or indices and values")
        sizes: Any = indices if size is None else size
        made = aten.sparse_coo_tensor.size(tuple(sizes), dtype, None, device, pin_memory)
        return made.requires_grad_(requires_grad)
    if indices is None:
        raise TypeError("sparse_coo_tensor(): values were given without indices")
    held = as_tensor(values, dtype=dtype, device=device)
    columns = as_tensor(indices, device=held.device)
    columns = columns if columns._spec.dtype is int64 else columns.to(int64)
    given = (None, None, None, pin_memory or None, is_coalesced)
    enabled = check_sparse_tensor_invariants.is_enabled() if check_invariants is None else check_invariants
    with check_sparse_tensor_invariants(enabled):
        if size is None:
            made = aten.sparse_coo_tensor.indices(columns, held, *given)
        else:
            made = aten.sparse_coo_tensor.indices_size(columns, held, tuple(size), *given)
    return made.requires_grad_() if requires_grad else made


def sparse_compressed_tensor(
    compressed_indices: Tensor | Sequence[Any],
    plain_indices: Tensor | Sequence[Any],
    values: Tensor | Sequence[Any],
    size: Sequence[int] | None = None,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | int | None = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """A tensor of the compressed ``layout``: sparse_csr, sparse_csc, sparse_bsr or sparse_bsc.

    ``compressed_indices`` (*, lines + 1) says where the elements of each row, or column, begin;
    ``plain_indices`` (*, nnz) has the columns, or rows, of the elements; both are int32 or int64, tensors or
    nested lists.  ``values`` (*, nnz), or (*, nnz, *blocksize, *) in a layout with blocks.  ``size``: the
    sizes, by default the smallest that hold the indices.  Differentiable by ``values``.
    ``check_invariants``: whether the parts are checked, by default that of
    ``gnomon.sparse.check_sparse_tensor_invariants``.  Raises RuntimeError for parts that do not fit each
    other, if they are checked.  Source: torch.sparse_compressed_tensor.
    """
    layout = check_compressed_layout("sparse_compressed_tensor", layout)
    held = as_tensor(values, dtype=dtype, device=device)
    indices = [as_tensor(each, device=held.device) for each in (compressed_indices, plain_indices)]
    # an empty list has no integers
    indices = [each if each.numel() or isinstance(given, Tensor) else each.to(int64)
               for each, given in zip(indices, (compressed_indices, plain_indices))]  # fmt: skip
    name, (compressed, plain) = f"{layout.name}_tensor", names_of(layout)
    overload = f"{compressed.removesuffix('_indices')}_{plain.removesuffix('_indices')}_value"
    options = (None, None, None, pin_memory)
    enabled = check_sparse_tensor_invariants.is_enabled() if check_invariants is None else check_invariants
    with check_sparse_tensor_invariants(enabled):
        if size is None:
            made = aten._find(f"{name}.{overload}")(*indices, held, *options)
        else:
            made = aten._find(f"{name}.{overload}_size")(*indices, held, tuple(size), *options)
    return made.requires_grad_() if requires_grad else made


def _constructor(own: layout, indices: tuple[str, str]) -> Any:
    name = f"{own.name}_tensor"

    def make(*arguments: Any, layout: layout | None = None, **keywords: Any) -> Tensor:
        if layout is not None and layout is not own:
            raise RuntimeError(f"{name}: layout must be {own.title} but got {layout.title}")
        for theirs, common in zip(indices, ("compressed_indices", "plain_indices")):
            if theirs in keywords:
                keywords[common] = keywords.pop(theirs)
        return sparse_compressed_tensor(*arguments, layout=own, **keywords)

    make.__name__ = make.__qualname__ = name
    blocks = ", *blocksize" if own in BLOCKED else ""
    make.__doc__ = f"""A tensor of layout gnomon.{own.name}.

    ``{name}({indices[0]}, {indices[1]}, values, size=None, *, dtype=None, device=None, pin_memory=False,
    requires_grad=False, check_invariants=None)``; ``values`` is (*, nnz{blocks}, *).  The arguments and the
    errors are those of ``sparse_compressed_tensor``.  Source: torch.{name}.
    """
    return make


sparse_csr_tensor = _constructor(sparse_csr, ("crow_indices", "col_indices"))
sparse_csc_tensor = _constructor(sparse_csc, ("ccol_indices", "row_indices"))
sparse_bsr_tensor = _constructor(sparse_bsr, ("crow_indices", "col_indices"))
sparse_bsc_tensor = _constructor(sparse_bsc, ("ccol_indices", "row_indices"))


def mm(mat1: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """The product of a sparse matrix and a sparse or strided one.

    Unlike ``gnomon.mm``, it gives a sparse ``mat1`` a sparse gradient, at its own indices.  ``reduce``: how
    the terms of an element are reduced, if ``mat1`` has the layout sparse_csr and ``mat2`` is strided:
    "sum", "mean", "amax" or "amin".  Source: torch.sparse.mm.
    """
    if reduce is not None:
        return aten._sparse_mm.reduce(mat1, mat2, reduce)
    if isinstance(mat1, SparseTensor) and isinstance(mat2, SparseTensor):
        return aten._sparse_sparse_matmul.default(mat1, mat2)
    if isinstance(mat2, SparseTensor) or (mat1._spec.layout is strided and mat2._spec.layout is not strided):
        return aten._sparse_mm.default(mat2.t(), mat1.t()).t()
    if mat1._spec.layout is strided:
        return aten.mm.default(mat2.t(), mat1.t()).t()
    return aten._sparse_mm.default(mat1, mat2)


def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """``beta`` * ``mat`` + ``alpha`` * ``mat1`` @ ``mat2``, where ``mat1`` is sparse.  Source:
    torch.sparse.addmm.
    """
    if isinstance(mat1, CompressedTensor) or mat1._spec.layout is not mat2._spec.layout is strided:
        product = scaled(mm(mat1, mat2), alpha, "alpha")
        return product if beta == 0 else scaled(mat, beta, "beta") + product
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


def sampled_addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: float = 1.0,
    alpha: float = 1.0,
    out: Tensor | None = None,
) -> Tensor:
    """``beta`` * ``input`` + ``alpha`` * the elements of ``mat1`` @ ``mat2`` at the indices of ``input``.

    ``input`` has the layout sparse_csr, ``mat1`` and ``mat2`` are strided.  Raises RuntimeError for sizes or
    dtypes that do not fit.  Source: torch.sparse.sampled_addmm.
    """
    if out is not None and out._spec.layout is not sparse_csr:
        found = out._spec.layout.title
        raise RuntimeError(f"sampled_addmm: Expected result to have sparse csr layout, but got {found}")
    result = aten.sparse_sampled_addmm.default(input, mat1, mat2, beta, alpha)
    return result if out is None else out.copy_(result)


def spdiags(diagonals: Tensor, offsets: Tensor, shape: Any, layout: layout | None = None) -> Tensor:
    """The sparse matrix of sizes ``shape`` whose diagonals ``offsets`` are the rows of ``diagonals``.

    Element j of a row is in column j.  ``layout``: sparse_coo (the default), sparse_csr or sparse_csc.
    Raises RuntimeError for offsets that are repeated or do not match.  Source: torch.sparse.spdiags.
    """
    return aten._spdiags.default(diagonals, offsets, tuple(shape), layout)


def spsolve(input: Tensor, other: Tensor, *, left: bool = True) -> Tensor:
    """The solution of a system of equations whose matrix ``input`` has the layout sparse_csr.

    Raises NotImplementedError: like PyTorch on the host, gnomon has no kernel.  Source: torch.sparse.spsolve.
    """
    return solves.spsolve(input, other)


def _of_values(tensor: Tensor) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """The values of a sparse tensor, and the function that gives one with the same indices."""
    plain = tensor.detach()
    if isinstance(plain, SparseTensor):
        found = plain.coalesce()
        indices = found.indices()
        return found.values(), lambda values: sparse_coo_tensor(
            indices, values, plain.shape, is_coalesced=True
        )
    assert isinstance(plain, CompressedTensor)
    compressed, other = (getattr(plain, name)() for name in names_of(plain.layout))
    return plain.values(), lambda values: sparse_compressed_tensor(
        compressed, other, values, plain.shape, layout=plain.layout
    )


def as_sparse_gradcheck(gradcheck: Callable[..., bool]) -> Callable[..., bool]:
    """``gradcheck`` (or gradgradcheck) for functions whose results may be sparse; they are made strided.

    With ``masked=True``, the function is one of the values of sparse inputs.  Source:
    torch.sparse.as_sparse_gradcheck.
    """

    @functools.wraps(gradcheck)
    def check(func: Callable[..., Any], inputs: Any, **options: Any) -> bool:
        masked = bool(options.get("masked", False))
        given = [inputs] if isinstance(inputs, Tensor) else list(inputs)
        makers: dict[int, Callable[[Tensor], Tensor]] = {}
        for position, each in enumerate(given):
            if masked and isinstance(each, (SparseTensor, CompressedTensor)) and each.requires_grad:
                values, makers[position] = _of_values(each)
                given[position] = values.clone().requires_grad_()

        def strided_results(*values: Any) -> Any:
            results = func(
                *(makers[place](each) if place in makers else each for place, each in enumerate(values))
            )
            made = [
                each.to_dense(masked_grad=masked)
                if isinstance(each, (SparseTensor, CompressedTensor))
                else each
                for each in (results if isinstance(results, (tuple, list)) else (results,))
            ]
            return tuple(made) if isinstance(results, (tuple, list)) else made[0]

        return gradcheck(strided_results, given, **options)

    return check
