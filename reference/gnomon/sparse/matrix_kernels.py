"""The kernels under products of sparse and strided matrices, which get the tensors that the sparse one holds.

Source: aten/src/ATen/native/mkl/SparseBlasImpl.cpp (addmm_sparse_input_dense_result);
aten/src/ATen/native/sparse/SparseBlasImpl.cpp (sampled_addmm_sparse_csr).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ..calls.checks import check_same_dtype, refuse_dtype
from ..calls.native import native_function
from ..dispatch.dispatcher import OpOverload, aten
from ..memory.accessor import TensorAccessor, elements
from ..memory.backend import backend_of, claims
from ..memory.spec import Spec
from ..memory.tensor import Tensor
from ..numerics.arithmetic import exact_sum
from ..values.dtype import bool_, float32, float64, int32, int64
from ..values.geometry import Ints

Indices = Sequence[int]


def _has_kernel(operator: OpOverload, operand: Tensor) -> bool:
    spec = operand._spec
    return spec.dtype is not bool_ and claims(backend_of(spec.device), operator.name, spec.dtype.name)


def _check_dims(ndim: int, **operands: Spec) -> None:
    for name, spec in operands.items():
        if spec.ndim != ndim:
            raise RuntimeError(f"expected {name} to be of dimension {ndim}, but got {spec.ndim}")


def _check_indices(crow_indices: Spec, col_indices: Spec) -> None:
    _check_dims(1, crow_indices=crow_indices, col_indices=col_indices)
    for name, spec in (("crow_indices", crow_indices), ("col_indices", col_indices)):
        if spec.dtype not in (int32, int64) or spec.dtype is not crow_indices.dtype:
            raise RuntimeError(
                f"expected indices of int32 or of int64, but got {name} of {spec.dtype.name} and "
                f"crow_indices of {crow_indices.dtype.name}"
            )


def _read_indices(name: str, crow_indices: Tensor, col_indices: Tensor, size: int) -> tuple[Indices, Indices]:
    """Where each row begins, and the columns, which are below ``size``, as lists.  Raises RuntimeError."""
    starts, columns = elements(crow_indices), elements(col_indices)
    for which, indices, limit in (
        ("crow_indices", starts, len(columns) + 1),
        ("col_indices", columns, size),
    ):
        for index in indices:
            if not 0 <= index < limit:
                raise RuntimeError(
                    f"{name}: {which} takes value {index} which is not in the valid range [0, {limit})"
                )
    return starts, columns


def _csr_mm_meta(values: Spec, crow_indices: Spec, col_indices: Spec, mat2: Spec) -> Spec:
    _check_dims(1, values=values)
    _check_dims(2, mat2=mat2)
    _check_indices(crow_indices, col_indices)
    if not crow_indices.sizes[0] or col_indices.sizes != values.sizes:
        raise RuntimeError(
            "expected crow_indices to have an element, and col_indices and values to have equal sizes, but "
            f"got {list(crow_indices.sizes)}, {list(col_indices.sizes)} and {list(values.sizes)}"
        )
    check_same_dtype(values=values, mat2=mat2)
    refuse_dtype(values.dtype, "bool")
    return mat2.contiguous((crow_indices.sizes[0] - 1, mat2.sizes[1]))


def _csr_mm_kernel(
    output: Tensor, values: Tensor, crow_indices: Tensor, col_indices: Tensor, mat2: Tensor
) -> None:
    """``output[i, j]`` = the sum over the elements k of row i of ``values[k] * mat2[col_indices[k], j]``."""
    out, factors, rows = TensorAccessor(output), TensorAccessor(values), TensorAccessor(mat2)
    starts, columns = _read_indices("_csr_mm", crow_indices, col_indices, rows.sizes[0])
    for row, column in itertools.product(*map(range, out.sizes)):
        places = range(starts[row], starts[row + 1])
        out[row, column] = exact_sum([factors[k] * rows[columns[k], column] for k in places])


csr_mm = native_function(
    "_csr_mm(Tensor values, Tensor crow_indices, Tensor col_indices, Tensor mat2) -> Tensor",
    variants="none",
    meta=_csr_mm_meta,
    kernel=_csr_mm_kernel,
    doc="""Computes the product of a sparse_csr matrix (n, k), given by its values (m) and its indices (n + 1)
    and (m), int32 or int64, and a strided matrix (k, l).

    Raises RuntimeError for other numbers of dimensions, sizes or dtypes that do not match, and an index
    that is out of range.""",
)


def _sampled_mm_meta(mat1: Spec, mat2: Spec, crow_indices: Spec, col_indices: Spec) -> Spec:
    _check_dims(2, mat1=mat1, mat2=mat2)
    _check_indices(crow_indices, col_indices)
    if crow_indices.sizes[0] != mat1.sizes[0] + 1 or mat1.sizes[1] != mat2.sizes[0]:
        raise RuntimeError(
            f"expected sizes (n, k) of mat1, (k, m) of mat2 and (n + 1,) of crow_indices, but got "
            f"{list(mat1.sizes)}, {list(mat2.sizes)} and {list(crow_indices.sizes)}"
        )
    check_same_dtype(mat1=mat1, mat2=mat2)
    refuse_dtype(mat1.dtype, "bool")
    return mat1.contiguous(col_indices.sizes)


def _sampled_mm_kernel(
    output: Tensor, mat1: Tensor, mat2: Tensor, crow_indices: Tensor, col_indices: Tensor
) -> None:
    """``output[k]`` = the element of ``mat1 @ mat2`` in the row of k and column ``col_indices[k]``."""
    out, left, right = TensorAccessor(output), TensorAccessor(mat1), TensorAccessor(mat2)
    starts, columns = _read_indices("_csr_sampled_mm", crow_indices, col_indices, right.sizes[1])
    if starts != sorted(starts) or starts[0] != 0 or starts[-1] != len(columns):
        raise RuntimeError(
            f"_csr_sampled_mm: expected crow_indices from 0 to {len(columns)} that do not decrease, got "
            f"{starts}"
        )
    for row in range(left.sizes[0]):
        for k in range(starts[row], starts[row + 1]):
            out[k] = exact_sum([left[row, i] * right[i, columns[k]] for i in range(left.sizes[1])])


def _of_rows(values: Tensor, crow_indices: Tensor, col_indices: Tensor, sizes: Ints) -> Tensor:
    """The sparse_coo matrix with these values."""
    indices = aten._convert_indices_from_csr_to_coo.default(crow_indices, col_indices)
    return aten.sparse_coo_tensor.indices_size(indices, values, sizes)


csr_sampled_mm = native_function(
    "_csr_sampled_mm(Tensor mat1, Tensor mat2, Tensor crow_indices, Tensor col_indices) -> Tensor",
    variants="none",
    meta=_sampled_mm_meta,
    kernel=_sampled_mm_kernel,
    derivatives={
        "mat1": lambda grad, mat1, mat2, crow_indices, col_indices: aten._sparse_mm.default(
            _of_rows(grad, crow_indices, col_indices, (mat1.size(0), mat2.size(1))), mat2.mH
        ),
        "mat2": lambda grad, mat1, mat2, crow_indices, col_indices: aten._sparse_mm.default(
            _of_rows(grad, crow_indices, col_indices, (mat1.size(0), mat2.size(1))).t(), mat1.conj()
        ).t(),
    },
    doc="""Computes elements of the product of two matrices, (n, k) and (k, m): those that a sparse_csr matrix
    with the indices (n + 1) and (p), int32 or int64, specifies; (p,).

    Raises RuntimeError for other numbers of dimensions, sizes or dtypes that do not match, an index that is
    out of range, and rows that do not begin where the one before ends.""",
)


def csr_product(values: Tensor, crow_indices: Tensor, col_indices: Tensor, mat2: Tensor) -> Tensor:
    """The product of a matrix of layout sparse_csr and a strided one: weighted sums of rows of ``mat2``."""
    if _has_kernel(csr_mm, mat2):
        return csr_mm(values, crow_indices, col_indices, mat2)
    if mat2._spec.dtype in (float32, float64):  # an embedding bag, for which other backends have a kernel
        return aten._embedding_bag.default(
            mat2, col_indices, crow_indices, False, 0, False, values, True, -1
        )[0]
    rows = aten._convert_indices_from_csr_to_coo.default(crow_indices, col_indices)[0]
    sums = mat2.new_zeros((crow_indices._spec.sizes[0] - 1, mat2._spec.sizes[1]))
    return sums.index_add_(0, rows, values.unsqueeze(1) * mat2[col_indices])


def sampled_product(mat1: Tensor, mat2: Tensor, crow_indices: Tensor, col_indices: Tensor) -> Tensor:
    """The elements of the product of two strided matrices that a sparse_csr matrix specifies."""
    if _has_kernel(csr_sampled_mm, mat1) and mat1._spec.dtype is mat2._spec.dtype:
        return csr_sampled_mm(mat1, mat2, crow_indices, col_indices)
    rows, columns = aten._convert_indices_from_csr_to_coo.default(crow_indices, col_indices).unbind(0)
    return (mat1[rows] * mat2.t()[columns]).sum(1)
