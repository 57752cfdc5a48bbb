"""Products of matrices one of which, or both, have a compressed layout; matrices of given diagonals.

Source: aten/src/ATen/native/sparse/SparseBlas.cpp, SparseBlasImpl.cpp, SparseCsrTensorMath.cpp;
aten/src/ATen/native/cpu/SpmmReduceKernel.cpp; torch/sparse/__init__.py (spdiags);
tools/autograd/derivatives.yaml (sparse_sampled_addmm).
"""

from __future__ import annotations

from typing import Any

from ..calls.native import native_function
from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.device import sparse_coo, sparse_csc, sparse_csr, strided
from ..values.dtype import bool_, int64
from ..values.geometry import Ints, numel_of
from . import products  # noqa: F401  (it defines _sparse_mm)
from .compressed_construction import compressed_kernel, of_same_batches
from .compressed_conversion import from_coo, to_coo
from .compressed_tensor import CompressedTensor, like, make_compressed, parts_of
from .index_kernels import has_kernel
from .matrix_kernels import csr_product, sampled_product
from .products import scaled
from .registration import sparse_kernel
from .sparse_products import csr_csr_mm, sparse_product
from .tensor import SparseTensor, make_sparse


def _of_matrix(tensor: Tensor) -> Tensor:
    """A compressed matrix as one of layout sparse_coo."""
    if not isinstance(tensor, CompressedTensor):
        return tensor
    if tensor._spec.ndim != 2:
        raise RuntimeError(
            "mm: expected matrices without batch and dense dimensions, got a tensor of layout "
            f"{tensor._spec.layout.title} with sizes {list(tensor._spec.sizes)}"
        )
    return to_coo(tensor)


def _can_multiply(self: Tensor, mat2: Tensor) -> bool:
    """Have two matrices a kernel of their product?  Others are refused or multiplied as sparse_coo ones."""
    one, two = self._spec, mat2._spec
    return (
        one.ndim == two.ndim == 2
        and one.sizes[1] == two.sizes[0]
        and one.dtype is two.dtype is not bool_
        and has_kernel(csr_csr_mm, self.held_values)  # type: ignore[attr-defined]
    )


@compressed_kernel("mm", "_sparse_mm")
def _mm(self: Tensor, mat2: Tensor) -> Tensor:
    if self._spec.layout is sparse_csr and mat2._spec.layout is strided:
        is_matrix = self._spec.ndim == mat2._spec.ndim == 2 and self._spec.sizes[1] == mat2._spec.sizes[0]
        if is_matrix and self._spec.dtype is mat2._spec.dtype:
            held = (self.held_values, self.held_compressed, self.held_plain)  # type: ignore[attr-defined]
            return csr_product(*held, mat2)
    if self._spec.layout is mat2._spec.layout is sparse_csr and _can_multiply(self, mat2):
        columns = mat2._spec.sizes[1]
        (crow, col, values), other = parts_of(self), parts_of(mat2)  # type: ignore[arg-type]
        found = sparse_product((crow, col, values), other, columns)
        return make_compressed(found, (self._spec.sizes[0], columns), sparse_csr)
    product = aten.mm.default(_of_matrix(self), _of_matrix(mat2))
    return from_coo(product, sparse_csr) if isinstance(product, SparseTensor) else product.contiguous()


@compressed_kernel("mv")
def _mv(self: Tensor, vec: Tensor) -> Tensor:
    if self._spec.ndim != 2 or vec._spec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {self._spec.ndim}, {vec._spec.ndim}")
    if self._spec.sizes[1:] != vec._spec.sizes:
        rows, columns = self._spec.sizes
        raise RuntimeError(
            f"size mismatch, got input ({rows}), mat ({rows}x{columns}), vec ({vec._spec.numel})"
        )
    return aten.squeeze.dim(_mm(self, aten.unsqueeze.default(vec, 1)), 1)


@compressed_kernel("addmm")
def _addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Tensor:
    product = scaled(_mm(mat1, mat2), alpha, "alpha")
    if self._spec.layout is strided and isinstance(product, CompressedTensor):
        product = product.to_dense()
    if self._spec.layout is strided and self._spec.sizes != product._spec.sizes:
        self = self.expand(product._spec.sizes)
    return product if beta == 0 else scaled(self, beta, "beta") + product


@compressed_kernel("addmv")
def _addmv(self: Tensor, mat: Tensor, vec: Tensor, beta: Any, alpha: Any) -> Tensor:
    product = scaled(_mv(mat, vec), alpha, "alpha")
    return product if beta == 0 else scaled(self, beta, "beta") + product


# ---------------------------------------------------------------------------------------------------------
# Elements of a product at given places.


def _check_sampled(self: Tensor, mat1: Tensor, mat2: Tensor) -> None:
    def check(is_true: bool, what: str) -> None:
        if not is_true:
            raise RuntimeError(f"sampled_addmm: {what}")

    for name, each in (("mat1", mat1), ("mat2", mat2)):
        found = each._spec.layout.title
        check(each._spec.layout is strided, f"Expected {name} to have strided layout, but got {found}")
    found = self._spec.layout.title
    check(self._spec.layout is sparse_csr, f"Expected result to have sparse csr layout, but got {found}")
    check(not self.dense_ndim, "Expected non-hybrid self tensor")  # type: ignore[attr-defined]
    for (name, each), (other_name, other) in (
        (("mat1", mat1), ("mat2", mat2)),
        (("mat1", mat1), ("self", self)),
    ):
        check(
            each._spec.dtype is other._spec.dtype,
            f"Expected {name} and {other_name} to have the same dtype, but got {each._spec.dtype} and "
            f"{other._spec.dtype}",
        )
    for name, each in (("mat1", mat1), ("mat2", mat2)):
        check(each._spec.ndim >= 2, f"Expected {name} to be a matrix, got {each._spec.ndim}-D tensor")
    one, two, own = mat1._spec.sizes, mat2._spec.sizes, self._spec.sizes
    check(one[:-2] == two[:-2], "Expected mat1 and mat2 to have the same batch size, but got "
          f"{list(one[:-2])} and {list(two[:-2])}")  # fmt: skip
    check(own[:-2] == one[:-2], "Expected self and mat1 to have the same batch size, but got "
          f"{list(own[:-2])} and {list(one[:-2])}")  # fmt: skip
    check(
        one[-1] == two[-2],
        f"mat1 and mat2 shapes cannot be multiplied ({one[-2]}x{one[-1]} and {two[-2]}x{two[-1]})",
    )
    check(own[-2] == one[-2], "self.shape[-2] must match mat1.shape[-2]")
    check(own[-1] == two[-1], "self.shape[-1] must match mat2.shape[-1]")
    if self._spec.dtype.category < 2:
        raise RuntimeError(
            "sparse_sampled_addmm: Expected self to be a floating-point or complex tensor, but got "
            f"{self._spec.dtype}"
        )


def _sampled(self: Any, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> CompressedTensor:
    _check_sampled(self, mat1, mat2)
    held = self.held_values
    if self.batch_ndim:
        values = []
        count = numel_of(self._spec.sizes[:-2])
        one, two = (each.reshape(count, *each._spec.sizes[-2:]) for each in (mat1, mat2))
        for (crow, col, _), left, right in zip(zip(*of_same_batches(self)), one.unbind(0), two.unbind(0)):
            values.append(sampled_product(left, right, crow, col))
        product = aten.cat.default(values, 0).view(held._spec.sizes) if values else held
    else:
        crow, col, _ = parts_of(self)
        product = sampled_product(mat1, mat2, crow, col)
    product = product if alpha == 1 else product * alpha
    return like(self, product if beta == 0 else product.add(held, alpha=beta))


def _refuse(self: Tensor, *arguments: Any) -> Any:
    raise NotImplementedError(
        "Could not run 'aten::sparse_sampled_addmm' with arguments from the "
        f"{'CPU' if self._spec.layout is strided else 'SparseCPU'!r} backend."
    )


def _sampled_grad(grad: Tensor, matrix: Tensor, self: Tensor, alpha: Any, is_first: bool) -> Tensor:
    """The gradient of one matrix, from the other one."""
    dense = grad.sparse_mask(self).to_dense()
    product = dense.matmul(matrix.mH) if is_first else matrix.mH.matmul(dense)
    return product if alpha == 1 else product * _conjugate(alpha)


def _conjugate(number: Any) -> Any:
    return number.conjugate() if isinstance(number, complex) else number


native_function(
    "sparse_sampled_addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    variants="none",
    explicit=_refuse,
    derivatives={
        "self": lambda grad, beta: grad * _conjugate(beta),
        "mat1": lambda grad, mat2, self, alpha: _sampled_grad(grad, mat2, self, alpha, True),
        "mat2": lambda grad, mat1, self, alpha: _sampled_grad(grad, mat1, self, alpha, False),
    },
    doc="""``beta`` * ``self`` + ``alpha`` * the elements of ``mat1`` @ ``mat2`` at the indices of ``self``.

    ``self`` (*, n, p) has layout sparse_csr, and so has the result; ``mat1`` (*, n, m) and ``mat2`` (*, m, p)
    are strided.  Raises RuntimeError for other layouts, and for sizes and dtypes that do not fit.""",
)
sparse_kernel("sparse_sampled_addmm")(_refuse)
compressed_kernel("sparse_sampled_addmm")(_sampled)


# ---------------------------------------------------------------------------------------------------------
# Products whose sums are other reductions.

_REDUCTIONS = ("sum", "mean", "amax", "amin")


def _mm_reduced(sparse: Tensor, dense: Tensor, reduce: Any) -> Tensor:
    """Composed of gathered rows, so that both matrices have gradients."""
    if sparse._spec.layout is not sparse_csr:
        raise NotImplementedError(
            f"sparse_mm_reduce: expect self to be SparseCsr, got {sparse._spec.layout.title}"
        )
    if sparse._spec.ndim != 2:
        raise RuntimeError(f"sparse_mm_reduce: expected self to be a 2-D tensor, got {sparse._spec.ndim}-D")
    if reduce not in _REDUCTIONS:
        raise RuntimeError(f"sparse_mm_reduce: reduce type of {reduce} has not been enabled.")
    crow, col = sparse.crow_indices(), sparse.col_indices()
    rows = aten._convert_indices_from_csr_to_coo.default(crow, col)[0]
    terms = sparse.values().unsqueeze(1) * dense[col.to(int64)]
    made = terms.new_zeros((sparse._spec.sizes[0], dense._spec.sizes[1]))
    if reduce == "sum":
        return made.index_add(0, rows, terms)
    return made.index_reduce(0, rows, terms, reduce, include_self=False)


native_function(
    "_sparse_mm.reduce(Tensor sparse, Tensor dense, str reduce) -> Tensor",
    variants="none",
    composite=_mm_reduced,
    doc="""The product of a matrix of layout sparse_csr and a strided one, with another reduction than the
    sum: "sum", "mean", "amax" or "amin", over the specified elements of a row; 0 for a row without any.""",
)


# ---------------------------------------------------------------------------------------------------------
# Diagonals.


def _spdiags(diagonals: Tensor, offsets: Tensor, shape: Any, layout: Any) -> Tensor:
    sizes: Ints = tuple(shape)
    values = diagonals.unsqueeze(0) if diagonals._spec.ndim == 1 else diagonals
    if values._spec.ndim != 2:
        raise RuntimeError("Diagonals must be vector or matrix")
    if len(sizes) != 2:
        raise RuntimeError("Output shape must be 2d")
    places = offsets.unsqueeze(0) if not offsets._spec.ndim else offsets
    if places._spec.ndim != 1:
        raise RuntimeError("Offsets must be scalar or vector")
    if values._spec.sizes[0] != places._spec.sizes[0]:
        raise RuntimeError(
            f"Number of diagonals ({values._spec.sizes[0]}) does not match the number of offsets "
            f"({places._spec.sizes[0]})"
        )
    if layout not in (None, sparse_coo, sparse_csr, sparse_csc):
        raise RuntimeError(
            f"Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got {layout.title}"
        )
    if places._spec.dtype is not int64:
        raise RuntimeError(f"Offset Tensor must have dtype int64 but got {places._spec.dtype}")
    numbers = places.tolist()
    if len(set(numbers)) != len(numbers):
        raise RuntimeError("Offset tensor contains duplicate values")
    rows, columns, is_inside = _places(values, places, sizes)
    pair = aten.stack.default([rows[is_inside], columns[is_inside]], 0)
    made = make_sparse(pair, values[is_inside], sizes)
    return made if layout in (None, sparse_coo) else from_coo(made, layout)


def _places(values: Tensor, offsets: Tensor, sizes: Ints) -> tuple[Tensor, Tensor, Tensor]:
    """The row and the column of each element of ``values``, and whether the matrix has them."""
    columns = aten.arange.default(values._spec.sizes[1], device=values._spec.device).expand_as(values)
    rows = columns - offsets.unsqueeze(1)
    return rows, columns, (rows >= 0) & (rows < sizes[0]) & (columns < sizes[1])


native_function(
    "_spdiags(Tensor diagonals, Tensor offsets, int[] shape, Layout? layout=None) -> Tensor",
    variants="none",
    explicit=_spdiags,
    derivatives={
        "diagonals": lambda grad, diagonals, offsets: _diagonals_of(grad, diagonals, offsets),
    },
    doc="""The sparse matrix of sizes ``shape`` with these diagonals, rows of a matrix or one vector.

    Element j of a row of ``diagonals`` is in column j.  ``offsets``, int64, numbers the diagonals: 0 is the
    main one, positive ones are above it.  ``layout``: sparse_coo (the default), sparse_csr or sparse_csc.
    Raises RuntimeError for offsets that are repeated, or too few.""",
)
sparse_kernel("_spdiags")(_spdiags)
compressed_kernel("_spdiags")(_spdiags)


def _diagonals_of(grad: Tensor, diagonals: Tensor, offsets: Tensor) -> Tensor:
    """The gradient of ``diagonals``, from that of their matrix."""
    dense = grad.to_dense()
    offsets = offsets.reshape(-1)
    values = diagonals.reshape(offsets._spec.numel, diagonals._spec.sizes[-1])
    rows, columns, is_inside = _places(values, offsets, dense._spec.sizes)
    found = dense[rows[is_inside], columns[is_inside]]
    made = aten.index_put.default(values.new_zeros(values._spec.sizes), [is_inside], found, False)
    return made.reshape(diagonals._spec.sizes)
