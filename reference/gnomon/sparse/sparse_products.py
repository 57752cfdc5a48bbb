"""The kernels under the product of two sparse matrices: how many elements its rows have, and which.

Source: aten/src/ATen/native/sparse/SparseMatMul.cpp (_csr_matmult_maxnnz, _csr_matmult).
"""

from __future__ import annotations

from ..calls.checks import check_same_dtype, refuse_dtype
from ..calls.native import native_function
from ..memory.accessor import TensorAccessor, elements
from ..memory.spec import Spec
from ..memory.tensor import Tensor
from ..numerics.arithmetic import exact_sum
from ..values.dtype import int64
from .index_kernels import check_rows, starts_of


def _columns_of(
    name: str, crow: Tensor, col: Tensor, other_crow: Tensor, other_col: Tensor, columns: int
) -> list[dict[int, list[tuple[int, int]]]]:
    """For each row of the product: its columns, and the pairs of elements whose products are added there."""
    starts, others = (
        starts_of(name, each, count._spec.sizes[0]) for each, count in ((crow, col), (other_crow, other_col))
    )
    inner, outer = elements(col), elements(other_col)
    for which, indices, limit in (("col", inner, len(others) - 1), ("other_col", outer, columns)):
        for index in indices:
            if not 0 <= index < limit:
                raise RuntimeError(
                    f"{name}: {which} takes value {index} which is not in the valid range [0, {limit})"
                )
    rows: list[dict[int, list[tuple[int, int]]]] = []
    for row in range(len(starts) - 1):
        found: dict[int, list[tuple[int, int]]] = {}
        for k in range(starts[row], starts[row + 1]):
            for i in range(others[inner[k]], others[inner[k] + 1]):
                found.setdefault(outer[i], []).append((k, i))
        rows.append(found)
    return rows


def _starts_meta(crow: Spec, col: Spec, other_crow: Spec, other_col: Spec, columns: int) -> Spec:
    check_rows(crow=crow, col=col, other_crow=other_crow, other_col=other_col)
    if not crow.sizes[0] or not other_crow.sizes[0]:
        raise RuntimeError("expected crow and other_crow to have an element")
    return crow.contiguous(crow.sizes, dtype=int64)


def _starts_kernel(
    output: Tensor, crow: Tensor, col: Tensor, other_crow: Tensor, other_col: Tensor, columns: int
) -> None:
    out = TensorAccessor(output)
    out[0] = 0
    rows = _columns_of("_csr_csr_starts", crow, col, other_crow, other_col, columns)
    for row, found in enumerate(rows):
        out[row + 1] = out[row] + len(found)


csr_csr_starts = native_function(
    "_csr_csr_starts(Tensor crow, Tensor col, Tensor other_crow, Tensor other_col, int columns) -> Tensor",
    variants="none",
    meta=_starts_meta,
    kernel=_starts_kernel,
    doc="""Where the elements of each row begin in the product of two matrices with compressed indices, the
    second of which has ``columns`` columns; (rows + 1), int64.

    Raises RuntimeError for indices that are no vectors of int32 or int64, that are out of range, or rows that
    do not begin where the one before ends.""",
)


def _mm_meta(
    values: Spec,
    crow: Spec,
    col: Spec,
    other_values: Spec,
    other_crow: Spec,
    other_col: Spec,
    starts: Spec,
    columns: int,
    count: int,
) -> tuple[Spec, Spec]:
    check_rows(crow=crow, col=col, other_crow=other_crow, other_col=other_col, starts=starts)
    check_same_dtype(values=values, other_values=other_values)
    refuse_dtype(values.dtype, "bool")
    if values.sizes != col.sizes or other_values.sizes != other_col.sizes or starts.sizes != crow.sizes:
        raise RuntimeError(
            "expected as many values as plain indices, and as many starts as compressed indices, but got "
            f"{list(values.sizes)} and {list(col.sizes)}, {list(other_values.sizes)} and "
            f"{list(other_col.sizes)}, {list(starts.sizes)} and {list(crow.sizes)}"
        )
    if not crow.sizes[0] or not other_crow.sizes[0]:
        raise RuntimeError("expected crow and other_crow to have an element")
    return values.contiguous((count,)), values.contiguous((count,), dtype=int64)


def _mm_kernel(
    output: Tensor,
    indices: Tensor,
    values: Tensor,
    crow: Tensor,
    col: Tensor,
    other_values: Tensor,
    other_crow: Tensor,
    other_col: Tensor,
    starts: Tensor,
    columns: int,
    count: int,
) -> None:
    out, places = TensorAccessor(output), TensorAccessor(indices)
    one, other = TensorAccessor(values), TensorAccessor(other_values)
    rows = _columns_of("_csr_csr_mm", crow, col, other_crow, other_col, columns)
    begins = list(elements(starts))
    for row, found in enumerate(rows):
        if begins[row + 1] - begins[row] != len(found) or not 0 <= begins[row] <= begins[row + 1] <= count:
            raise RuntimeError(f"_csr_csr_mm: expected the starts of the product, got {begins}")
        for place, column in enumerate(sorted(found), begins[row]):
            places[place] = column
            out[place] = exact_sum([one[k] * other[i] for k, i in found[column]])


csr_csr_mm = native_function(
    "_csr_csr_mm(Tensor values, Tensor crow, Tensor col, Tensor other_values, Tensor other_crow, Tensor "
    "other_col, Tensor starts, int columns, int count) -> (Tensor, Tensor)",
    variants="none",
    meta=_mm_meta,
    kernel=_mm_kernel,
    doc="""The values and the columns, sorted in each row, of the product of two matrices that values and
    compressed indices give; (count,) each.

    ``starts`` is what ``_csr_csr_starts`` returns, and ``count`` its last element.  Raises RuntimeError for
    sizes or dtypes that do not match, and for indices out of range.""",
)


def sparse_product(
    one: tuple[Tensor, Tensor, Tensor], other: tuple[Tensor, Tensor, Tensor], columns: int
) -> tuple[Tensor, Tensor, Tensor]:
    """The compressed indices, the plain ones and the values of a product; the second has ``columns``."""
    (crow, col, values), (other_crow, other_col, other_values) = one, other
    starts = csr_csr_starts(crow, col, other_crow, other_col, columns)
    count = int(starts[-1].item())
    made = csr_csr_mm(values, crow, col, other_values, other_crow, other_col, starts, columns, count)
    return starts, made[1], made[0]
