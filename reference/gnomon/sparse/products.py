"""Products of matrices one of which, or both, are sparse.

Source: aten/src/ATen/native/sparse/SparseTensorMath.cpp (s_addmm_out_sparse_dense_cpu), SparseMatMul.cpp;
tools/autograd/derivatives.yaml (_sparse_addmm, _sparse_sparse_matmul).
"""

from __future__ import annotations

from typing import Any

from ..calls.checks import check_alpha
from ..calls.native import native_function
from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.device import sparse_coo
from ..values.dtype import bool_
from .conversion import coalesced
from .index_kernels import csr_rows, has_kernel, times
from .matrix_kernels import csr_product, sampled_product
from .registration import sparse_kernel
from .shapes import permuted
from .sparse_products import csr_csr_mm, sparse_product
from .tensor import SparseTensor, make_sparse


def _check(name: str, self: Tensor, other: Tensor) -> None:
    for each in (self, other):
        if each._spec.ndim != 2:
            raise RuntimeError(
                f"{name}: expected matrices, got {self._spec.ndim}D and {other._spec.ndim}D tensors"
            )
        if isinstance(each, SparseTensor) and each.dense_ndim:
            raise RuntimeError(f"{name}: scalar values expected, got {each.dense_ndim + 1}D values")
    if self._spec.sizes[1] != other._spec.sizes[0]:
        rows, columns = self._spec.sizes, other._spec.sizes
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows[0]}x{rows[1]} and {columns[0]}x{columns[1]})"
        )
    if self._spec.dtype is not other._spec.dtype:
        raise RuntimeError(
            f"{name}: expected both matrices to have the same dtype, but got {self._spec.dtype} and "
            f"{other._spec.dtype}"
        )


def _with_strided(sparse: SparseTensor, dense: Tensor) -> Tensor:
    """The strided product of a sparse and a strided matrix."""
    _check("mm", sparse, dense)
    rows, columns = sparse.held_indices.unbind(0)
    values = sparse.held_values
    if not sparse.coalesced:
        rows, order = rows.sort(stable=True)
        columns, values = columns[order], values[order]
    starts = aten._convert_indices_from_coo_to_csr.default(rows, sparse._spec.sizes[0])
    return csr_product(values, starts, columns, dense)


def _compressed(tensor: SparseTensor) -> tuple[Tensor, Tensor, Tensor]:
    """The compressed indices, the plain ones, and the values of a coalesced matrix."""
    rows, columns = tensor.held_indices.unbind(0)
    starts = aten._convert_indices_from_coo_to_csr.default(rows.contiguous(), tensor._spec.sizes[0])
    return starts, columns, tensor.held_values


def _with_sparse(self: SparseTensor, other: SparseTensor) -> SparseTensor:
    """The sparse product of two sparse matrices: each value times the specified elements of a row of
    ``other``.
    """
    _check("_sparse_sparse_matmul", self, other)
    self, other = coalesced(self), coalesced(other)
    sizes = (self._spec.sizes[0], other._spec.sizes[1])
    if has_kernel(csr_csr_mm, self.held_values) and self._spec.dtype is not bool_:
        starts, columns, values = sparse_product(_compressed(self), _compressed(other), sizes[1])
        rows = csr_rows(starts, columns)
        return make_sparse(aten.stack.default([rows, columns], 0), values, sizes, coalesced=True)
    counts = aten.bincount.default(other.held_indices[0], None, other._spec.sizes[0])
    starts = counts.cumsum(0) - counts
    rows, columns = self.held_indices.unbind(0)
    repeats = counts[columns]
    of_self = aten.repeat_interleave.Tensor(repeats)
    first = repeats.cumsum(0) - repeats  # where the terms of each value begin
    within = aten.arange.default(of_self._spec.sizes[0], device=of_self._spec.device) - first[of_self]
    of_other = starts[columns[of_self]] + within
    values = self.held_values[of_self] * other.held_values[of_other]
    indices = aten.stack.default([rows[of_self], other.held_indices[1][of_other]], 0)
    return coalesced(make_sparse(indices, values, sizes))


def _refuse_strided(*arguments: Any) -> Any:
    raise RuntimeError("sparse_mm: expected a sparse first matrix")


def sampled(sparse: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """The elements of the product of two strided matrices at the indices of ``sparse``."""
    if not isinstance(sparse, SparseTensor):  # of a compressed layout
        return aten.mm.default(left, right).sparse_mask(sparse)
    indices = sparse.coalesce()._indices()
    rows, columns = indices.unbind(0)
    starts = aten._convert_indices_from_coo_to_csr.default(rows.contiguous(), sparse._spec.sizes[0])
    values = sampled_product(left, right, starts, columns)
    return aten._sparse_coo_tensor_unsafe.default(
        indices, values, sparse._spec.sizes, None, None, None, None, True
    )


native_function(
    "_sparse_mm(Tensor sparse, Tensor dense) -> Tensor",
    variants="none",
    explicit=_refuse_strided,
    derivatives={
        "sparse": lambda grad, sparse, dense: sampled(sparse, grad, dense.t().conj()),
        "dense": lambda grad, sparse, dense: aten._sparse_mm.default(sparse.t().conj_physical(), grad),
    },
    doc="""The product (n, p), strided, of a sparse matrix (n, m) and a strided one (m, p).

    The gradient of the sparse matrix is sparse, with its indices.""",
)
sparse_kernel("_sparse_mm")(_with_strided)

native_function(
    "_sparse_sparse_matmul(Tensor self, Tensor other) -> Tensor",
    variants="none",
    explicit=_refuse_strided,
    derivatives={
        "self": lambda grad, self, other: _masked_product(grad, other.t().conj_physical(), self),
        "other": lambda grad, self, other: _masked_product(self.t().conj_physical(), grad, other),
    },
    doc="The sparse product (n, p) of two sparse matrices (n, m) and (m, p).",
)
sparse_kernel("_sparse_sparse_matmul")(_with_sparse)


def _masked_product(self: Tensor, other: Tensor, mask: Tensor) -> Tensor:
    return aten.mm.default(self, other).sparse_mask(mask.coalesce())


@sparse_kernel("mm")
def _mm(self: Tensor, mat2: Tensor) -> Tensor:
    _check("mm", self, mat2)
    if isinstance(self, SparseTensor):
        return _with_sparse(self, mat2) if isinstance(mat2, SparseTensor) else _with_strided(self, mat2)
    assert isinstance(mat2, SparseTensor)
    return _with_strided(permuted(mat2, (1, 0)), self.t()).t()


@sparse_kernel("mv")
def _mv(self: Tensor, vec: Tensor) -> Tensor:
    return _mm(self, vec.unsqueeze(1)).squeeze(1)


def scaled(tensor: Tensor, factor: Any, name: str) -> Tensor:
    """``tensor * factor``, of the tensor's dtype; RuntimeError for a factor ``name`` that it can not hold."""
    if factor == 1:
        return tensor
    check_alpha(tensor._spec.dtype, factor, name)
    return times(tensor, factor)


@sparse_kernel("addmm")
def _addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Tensor:
    product = scaled(_mm(mat1, mat2), alpha, "alpha")
    if beta == 0 and not isinstance(product, SparseTensor):
        return product
    return scaled(self, beta, "beta") + product


@sparse_kernel("bmm")
def _bmm(self: Tensor, mat2: Tensor) -> Tensor:
    if isinstance(mat2, SparseTensor):
        raise RuntimeError("bmm_sparse: Tensor 'mat2' must be dense")
    if self._spec.ndim != 3 or mat2._spec.ndim != 3:
        raise RuntimeError("bmm_sparse: expected 3D tensors")
    if self.dense_ndim:  # type: ignore[attr-defined]
        raise RuntimeError(
            f"bmm_sparse: Tensor 'self' must have 0 dense dims, but has {self.dense_ndim}"  # type: ignore[attr-defined]
        )
    return aten.stack.default([_mm(each, other) for each, other in zip(self.unbind(0), mat2.unbind(0))], 0)


def _rows(mat1: Tensor) -> Tensor:
    """The numbers of the rows that have a specified element."""
    return mat1._indices()[0].unique()


def _sspaddmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Tensor:
    product = scaled(aten.mm.default(mat1, mat2), alpha, "alpha")
    rows = _rows(mat1)
    columns = aten.arange.default(product._spec.sizes[1], device=product._spec.device)
    added = aten.stack.default(aten.meshgrid.indexing([rows, columns], "ij"), 0).flatten(1)
    held = scaled(self, beta, "beta")
    return aten._sparse_coo_tensor_unsafe.default(
        aten.cat.default([held._indices(), added], 1),
        aten.cat.default([held._values(), product[rows].flatten()], 0),
        self._spec.sizes,
    )


def _hspmm(mat1: Tensor, mat2: Tensor) -> Tensor:
    product, rows = aten.mm.default(mat1, mat2), _rows(mat1)
    sizes = product._spec.sizes
    return aten._sparse_coo_tensor_unsafe.default(rows.unsqueeze(0), product[rows], sizes)


def _smm(self: Tensor, mat2: Tensor) -> Tensor:
    sizes = (self._spec.sizes[0], mat2._spec.sizes[1])
    nothing = aten.zeros.default(sizes, self.dtype, sparse_coo, self.device, None)
    return _sspaddmm(nothing, self, mat2, 0, 1)


native_function(
    "smm(Tensor self, Tensor mat2) -> Tensor",
    composite=_smm,
    doc="The product of a sparse and a strided matrix, as a sparse one.",
)
native_function(
    "sspaddmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    composite=_sspaddmm,
    out="out",
    doc="""``beta`` * ``self`` + ``alpha`` * the product of a sparse and a strided matrix; sparse.

    It specifies the elements of ``self``, then those of each row of the product that is not all zero.""",
)
native_function(
    "hspmm(Tensor mat1, Tensor mat2) -> Tensor",
    composite=_hspmm,
    out="out",
    variants="function",
    doc="The product of a sparse and a strided matrix, as a hybrid tensor whose values are rows.",
)
sparse_kernel("hspmm", only_variants=True)(_hspmm)
sparse_kernel("sspaddmm", only_variants=True)(_sspaddmm)
