"""Distinct elements and their counts: unique and unique_consecutive.

All are composites of sorting, comparing neighbours and counting, so that they run on every backend.

Source: aten/src/ATen/native/Unique.cpp, SummaryOps.cpp.
"""

from __future__ import annotations

from typing import Any

from ...calls.checks import refuse_dtype, refuse_limited
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...values.dtype import UNSIGNED, bool_, int64
from ...values.geometry import wrap_dim


def _groups(is_first: Any, return_inverse: bool, return_counts: bool) -> tuple[Any, Any, Any]:
    """From the starts of runs of equal elements (bool, n): their positions, each element's run, the lengths.

    Results that are not requested are empty tensors.
    """
    positions = aten.nonzero.default(is_first).flatten()
    nothing = aten.empty((0,), dtype=int64, device=is_first.device)
    inverse = aten.cumsum(is_first, 0) - 1 if return_inverse else nothing
    if not return_counts:
        return positions, inverse, nothing
    end = aten.full((1,), is_first.numel(), dtype=int64, device=is_first.device)
    return positions, inverse, aten.diff(positions, append=end)


def _run_starts(flat: Any) -> Any:
    """True where an element differs from the one before it; NaN differs from everything."""
    first = aten.ones((min(flat.numel(), 1),), dtype=bool_, device=flat.device)
    return aten.cat([first, flat[1:] != flat[:-1]])


def _unique2(self: Any, sorted: bool, return_inverse: bool, return_counts: bool) -> Any:
    refuse_limited(self.dtype, UNSIGNED)
    refuse_dtype(self.dtype, "complex")
    flat = self.detach().flatten()
    values, order = aten.sort.stable(flat, True, 0, False)
    positions, inverse, counts = _groups(_run_starts(values), return_inverse, return_counts)
    if return_inverse:
        inverse = aten.empty_like(inverse).index_put_([order], inverse).view(self.shape)
    return values[positions], inverse, counts


unique2 = native_function(
    "_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> "
    "(Tensor, Tensor, Tensor)",
    explicit=_unique2,
    batching="dynamic_shape",
    doc="""Returns the distinct elements in ascending order (n), their inverse indices and their counts.

    The inverse indices (int64, the sizes of ``self``) give each element's index among the distinct elements;
    the counts (int64, n) give how often each occurs.  Both are empty unless requested.  Each NaN is distinct.
    Raises NotImplementedError for complex dtypes.""",
)


def _unique_consecutive(self: Any, return_inverse: bool, return_counts: bool, dim: int | None) -> Any:
    refuse_limited(self.dtype, UNSIGNED)
    if dim is not None:
        return aten.unique_dim_consecutive.default(self, dim, return_inverse, return_counts)
    refuse_dtype(self.dtype, "complex")
    flat = self.detach().flatten()
    positions, inverse, counts = _groups(_run_starts(flat), return_inverse, return_counts)
    return flat[positions], inverse.view(self.shape) if return_inverse else inverse, counts


unique_consecutive = native_function(
    "unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> "
    "(Tensor, Tensor, Tensor)",
    explicit=_unique_consecutive,
    batching="dynamic_shape",
    doc="""Returns the first of each run of equal elements, the index of each element's run, and the runs'
    lengths.""",
)


def _rows_of(self: Any, dim: int) -> tuple[Any, int]:
    """The slices along ``dim`` as rows of a matrix, and ``dim`` as a non-negative number."""
    refuse_dtype(self.dtype, "complex")
    dim = wrap_dim(dim, self.ndim, wrap_scalar=False)
    if self.numel() == 0 and any(size == 0 for each, size in enumerate(self.shape) if each != dim):
        raise RuntimeError(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
        )
    rows = self.detach().movedim(dim, 0)
    width = 1
    for size in rows.shape[1:]:
        width *= size
    return rows.reshape((rows.shape[0], width)), dim


def _distinct_rows(rows: Any) -> tuple[Any, Any, Any]:
    """The positions, inverse and lengths of runs of equal rows, as _groups returns them."""
    first = aten.ones((min(rows.shape[0], 1),), dtype=bool_, device=rows.device)
    is_first = aten.cat([first, aten.any(rows[1:] != rows[:-1], 1)])
    return _groups(is_first, True, True)


def _unique_dim_consecutive(self: Any, dim: int, return_inverse: bool, return_counts: bool) -> Any:
    refuse_limited(self.dtype, UNSIGNED)
    rows, dim = _rows_of(self, dim)
    positions, inverse, counts = _distinct_rows(rows)
    return _picked(self, dim, positions), inverse, counts


def _picked(self: Any, dim: int, positions: Any) -> Any:
    """The slices at ``positions``, with PyTorch's strides: selected along a leading ``dim``, then moved back;
    contiguous if there are none.
    """
    if not positions.numel():
        return aten.empty(tuple(self.shape), dtype=self.dtype, device=self.device)
    moved = aten.index_select(self.detach().movedim(dim, 0), 0, positions)
    return moved.movedim(0, dim)


def _unique_dim(self: Any, dim: int, sorted: bool, return_inverse: bool, return_counts: bool) -> Any:
    """Sorts rows lexicographically: stable sorts by one column after another, the most significant last."""
    rows, dim = _rows_of(self, dim)
    order = aten.arange(rows.shape[0], device=rows.device)
    for column in range(rows.shape[1] - 1, -1, -1):
        order = order[aten.sort.stable(rows[:, column][order], True, 0, False)[1]]
    positions, runs, counts = _distinct_rows(rows[order])
    inverse = aten.empty_like(runs).index_put_([order], runs)
    return _picked(self, dim, order[positions]), inverse, counts


native_function(
    "unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) "
    "-> (Tensor, Tensor, Tensor)",
    explicit=_unique_dim,
    batching="dynamic_shape",
    doc="""Returns the distinct slices along ``dim`` in ascending order, inverse indices and counts.

    Inverse indices and counts are int64, and are returned even if not requested.  Raises RuntimeError for
    empty slices.""",
)

native_function(
    "unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool return_counts=False) -> "
    "(Tensor, Tensor, Tensor)",
    explicit=_unique_dim_consecutive,
    batching="dynamic_shape",
    doc="""Returns the first of each run of equal slices along ``dim``, the index of each slice's run, and the
    runs' lengths.""",
)
