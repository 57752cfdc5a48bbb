"""The kernels of indices of sparse tensors: the rows that compressed indices name, and rows that are merged.

Source: aten/src/ATen/native/sparse/SparseTensorMath.cpp (add_out_sparse_contiguous);
aten/src/ATen/native/TensorConversions.cpp (_convert_indices_from_csr_to_coo).
"""

from __future__ import annotations

import itertools
from typing import Any

from ..calls.native import native_function
from ..dispatch.dispatcher import OpOverload, aten
from ..memory.accessor import TensorAccessor, elements
from ..memory.backend import backend_of, claims
from ..memory.spec import Spec
from ..memory.tensor import Tensor
from ..values.dtype import int32, int64


def has_kernel(operator: OpOverload, operand: Tensor) -> bool:
    """Has the backend a kernel of its own?"""
    spec = operand._spec
    return claims(backend_of(spec.device), operator.name, spec.dtype.name)


def check_rows(**indices: Spec) -> None:
    """Raises RuntimeError for indices that are no vectors of int32 or int64."""
    for name, spec in indices.items():
        if spec.ndim != 1 or spec.dtype not in (int32, int64):
            raise RuntimeError(
                f"expected {name} to be a vector of int32 or of int64, but got {spec.ndim} dimensions of "
                f"{spec.dtype.name}"
            )


def starts_of(name: str, crow_indices: Tensor, count: int) -> list[int]:
    """Where each row begins, from 0 to ``count``.  Raises RuntimeError if a row ends before it begins."""
    starts = list(elements(crow_indices))
    if starts != sorted(starts) or starts[0] != 0 or starts[-1] != count:
        raise RuntimeError(
            f"{name}: expected crow_indices from 0 to {count} that do not decrease, got {starts}"
        )
    return starts


def _rows_meta(crow_indices: Spec, col_indices: Spec) -> Spec:
    check_rows(crow_indices=crow_indices, col_indices=col_indices)
    if not crow_indices.sizes[0]:
        raise RuntimeError("expected crow_indices to have an element")
    return col_indices.contiguous(col_indices.sizes, dtype=int64)


def _rows_kernel(output: Tensor, crow_indices: Tensor, col_indices: Tensor) -> None:
    """``output[k]`` = the row of element k."""
    out = TensorAccessor(output)
    starts = starts_of("_csr_rows", crow_indices, col_indices._spec.sizes[0])
    for row, (start, end) in enumerate(itertools.pairwise(starts)):
        for k in range(start, end):
            out[k] = row


csr_rows = native_function(
    "_csr_rows(Tensor crow_indices, Tensor col_indices) -> Tensor",
    variants="none",
    meta=_rows_meta,
    kernel=_rows_kernel,
    doc="""The row of each element of a matrix with the compressed indices ``crow_indices`` (rows + 1) and the
    plain indices ``col_indices`` (n): (n,), int64.

    Raises RuntimeError for indices that are no vectors of int32 or int64, and for rows that do not begin
    where the one before ends.""",
)


def _merge_meta(crow: Spec, col: Spec, other_crow: Spec, other_col: Spec) -> tuple[Spec, Spec, Spec]:
    check_rows(crow=crow, col=col, other_crow=other_crow, other_col=other_col)
    if not crow.sizes[0] or crow.sizes != other_crow.sizes:
        raise RuntimeError(
            f"expected crow and other_crow of equal sizes, with an element, but got {list(crow.sizes)} and "
            f"{list(other_crow.sizes)}"
        )
    kinds = {each.dtype for each in (crow, col, other_crow, other_col)}
    if len(kinds) > 1:
        raise RuntimeError(f"expected indices of one dtype, but got {sorted(each.name for each in kinds)}")
    made = (each.contiguous(each.sizes, dtype=int64) for each in (col, other_col, crow))
    return tuple(made)  # type: ignore[return-value]


def _merge_kernel(
    places: Tensor,
    other_places: Tensor,
    starts: Tensor,
    crow: Tensor,
    col: Tensor,
    other_crow: Tensor,
    other_col: Tensor,
) -> None:
    """Of two rows the lesser column comes next; equal ones get one place."""
    first, second, begins = (TensorAccessor(each) for each in (places, other_places, starts))
    columns, others = list(elements(col)), list(elements(other_col))
    mine = starts_of("_csr_merge", crow, len(columns))
    theirs = starts_of("_csr_merge", other_crow, len(others))
    place = 0
    begins[0] = 0
    for row in range(len(mine) - 1):
        one, two = mine[row], theirs[row]
        while one < mine[row + 1] or two < theirs[row + 1]:
            has_one, has_two = one < mine[row + 1], two < theirs[row + 1]
            takes_one = has_one and (not has_two or columns[one] <= others[two])
            takes_two = has_two and (not has_one or others[two] <= columns[one])
            if takes_one:
                first[one] = place
                one += 1
            if takes_two:
                second[two] = place
                two += 1
            place += 1
        begins[row + 1] = place


csr_merge = native_function(
    "_csr_merge(Tensor crow, Tensor col, Tensor other_crow, Tensor other_col) -> (Tensor, Tensor, Tensor)",
    variants="none",
    meta=_merge_meta,
    kernel=_merge_kernel,
    doc="""Merges the elements of two matrices with compressed indices, (rows + 1) and (n), of one dtype: row
    by row, and in a row the lesser column first; elements that meet in one column get one place.

    Returns the place of each element of the first matrix and of the second, and where each row begins in the
    result, int64.  Columns need not be sorted: elements keep their order, and only those meet that are next
    in both rows at a time.  Raises RuntimeError for sizes or dtypes that do not match, and for rows that do
    not begin where the one before ends.""",
)


def _merge(*indices: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """``csr_merge``, or the reference's where the backend has none: the same elements meet everywhere."""
    if has_kernel(csr_merge, indices[1]):
        return csr_merge(*indices)
    there = indices[1]._spec.device
    one, two, starts = (each.to(there) for each in csr_merge(*(each.to("reference") for each in indices)))
    return one, two, starts


def merged_positions(positions: Tensor, other: Tensor) -> tuple[Tensor, Tensor, int]:
    """The places of two vectors of positions that are merged as the columns of one row, and their number."""
    made = aten.empty.memory_format((2,), int64, None, positions._spec.device, None, None).zero_()
    crows = []
    for each in (positions, other):
        crow = made.clone()
        crow[1] = each._spec.sizes[0]
        crows.append(crow)
    places, other_places, starts = _merge(crows[0], positions, crows[1], other)
    return places, other_places, int(starts[1].item())


def placed(count: int, places: Tensor, values: Tensor) -> Tensor:
    """``count`` slices, zero but for those at ``places``, which are ``values``; places are not repeated."""
    made: Any = values.new_zeros((count, *values._spec.sizes[1:]))
    return put_at(made, places, values)


def put_at(target: Tensor, places: Tensor, values: Tensor) -> Tensor:
    """Write slices to ``places``."""
    if values._spec.ndim == 1:
        return target.scatter_(0, places, values)
    return target.index_copy_(0, places, values)


def times(values: Tensor, factor: Any) -> Tensor:
    """``factor`` times the values, of their dtype: bool stays bool."""
    return values if factor == 1 else (values * factor).to(values._spec.dtype)


def add_at(target: Tensor, places: Tensor, values: Tensor, alpha: Any = 1) -> Tensor:
    """Add ``alpha`` times the slices to those at ``places``."""
    if values._spec.ndim == 1:
        return target.scatter_add_(0, places, times(values, alpha))
    return target.index_add_(0, places, values, alpha=alpha)
