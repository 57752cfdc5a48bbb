"""sort, topk, medians and quantiles.

NaN counts as larger than every other number, and 0.0 equals -0.0.  Sorting is always stable.  PyTorch
guarantees that only with ``stable=True``; otherwise it does not specify which of equal elements sort (of more
than 16 elements), topk, kthvalue and mode (of more than 16) return, nor the order of 0.0 and -0.0.  For
medians it returns the first one in stable order, as gnomon does.

Source: aten/src/ATen/native/Sorting.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.checks import can_be_read, refuse_dtype, zero_numel_check_dims
from ...calls.meta_functions import dense_like
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.formulas import evenly_distributed
from ...numerics.loops import rows_along
from ...values.dtype import UNSIGNED, float32, float64, int64
from ...values.geometry import wrap_dim


def rank_of(number: Any) -> tuple[bool, Any]:
    """The sort key of a number: NaN comes last."""
    return (True, 0) if number != number else (False, number)


def ascending(numbers: Sequence[Any]) -> list[int]:
    """argsort, ascending and stable."""
    return sorted(range(len(numbers)), key=lambda position: rank_of(numbers[position]))


def _descending(numbers: Sequence[Any]) -> list[int]:
    return sorted(range(len(numbers)), key=lambda position: rank_of(numbers[position]), reverse=True)


def selection_grad(grad: Any, self_sizes: Any, dim: int, indices: Any) -> Any:
    """The gradient at the selected elements, 0 elsewhere.  Source: value_selecting_reduction_backward."""
    if not self_sizes:
        return grad
    return aten.scatter_add.default(grad.new_zeros(self_sizes), dim, indices, grad)


# -- sort ----------------------------------------------------------------------------------------------------


def _sort_meta(self: Spec, stable: Any, dim: int, descending: bool) -> tuple[Spec, Spec]:
    if self.dtype.is_complex:
        raise RuntimeError(f"Sort does not support complex dtypes, got {self.dtype.name}")
    wrap_dim(dim, self.ndim)
    return dense_like(self), dense_like(self, int64)


def _sort_kernel(
    values: Tensor, indices: Tensor, self: Tensor, stable: Any, dim: int, descending: bool
) -> None:
    """Sorts each row along ``dim``; also writes the original position of each element."""
    write_value, write_index = TensorAccessor(values).write, TensorAccessor(indices).write
    rows = zip(rows_along(values, dim, []), rows_along(indices, dim, []), rows_along(self, dim, []))
    for (_, value_at, _), (_, index_at, _), (_, _, numbers) in rows:
        order = _descending(numbers) if descending else ascending(numbers)
        for value_offset, index_offset, position in zip(value_at, index_at, order):
            write_value(value_offset, numbers[position])
            write_index(index_offset, position)


sort_stable = native_function(
    "sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor "
    "indices)",
    meta=_sort_meta,
    kernel=_sort_kernel,
    limited=UNSIGNED,
    derivatives={"self": selection_grad},
    non_differentiable_outputs=(1,),
    node_name="SortBackward0",
    out=Out(
        "sort.values_stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False, Tensor(a!) "
        "values, Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)",
        exact=True,
    ),
    doc="""Sorts the elements along ``dim``; returns the sorted elements and their indices (int64).

    NaN counts as the largest; equal elements keep their order, even without ``stable``.  Raises RuntimeError
    for complex dtypes, IndexError if ``dim`` is out of range.""",
)

native_function(
    "sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
    composite=lambda self, dim, descending: aten.sort.stable(self, False, dim, descending),
    out=Out(
        "sort.values(Tensor self, int dim=-1, bool descending=False, *, Tensor(a!) values, Tensor(b!) "
        "indices) -> (Tensor(a!) values, Tensor(b!) indices)",
        exact=True,
    ),
    doc="Sorts the elements along ``dim``; returns the sorted elements and their indices (int64).",
)

native_function(
    "msort(Tensor self) -> Tensor",
    composite=lambda self: aten.sort.default(self, 0, False)[0],
    out=Out(exact=True),
    doc="Sorts the elements along the first dimension in ascending order.",
)

native_function(
    "argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor",
    composite=lambda self, dim, descending: aten.sort.default(self, dim, descending)[1],
    doc="Returns the indices (int64) that sort the elements along ``dim``.",
)

native_function(
    "argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor",
    composite=lambda self, stable, dim, descending: aten.sort.stable(self, stable, dim, descending)[1],
    out=Out("stable_out", exact=True),
    doc="Returns the indices (int64) that sort the elements along ``dim``; equal elements keep their order.",
)


def _topk_meta(self: Spec, k: int, dim: int, largest: bool, sorted: bool) -> tuple[Spec, Spec]:
    if self.dtype.category == 0 or self.dtype.is_complex:
        raise RuntimeError(f"topk does not support {self.dtype.name}")
    dim = wrap_dim(dim, self.ndim)
    if not 0 <= k <= (self.sizes[dim] if self.ndim else 1):
        raise RuntimeError(f"selected index k out of range: got {k} for dimension {dim}")
    sizes = (*self.sizes[:dim], k, *self.sizes[dim + 1 :]) if self.ndim else ()
    return self.contiguous(sizes), self.contiguous(sizes, int64)


def _topk_kernel(
    values: Tensor, indices: Tensor, self: Tensor, k: int, dim: int, largest: bool, sorted: bool
) -> None:
    """The first ``k`` elements of each row in sorted order."""
    write_value, write_index = TensorAccessor(values).write, TensorAccessor(indices).write
    rows = zip(rows_along(values, dim, []), rows_along(indices, dim, []), rows_along(self, dim, []))
    for (_, value_at, _), (_, index_at, _), (_, _, numbers) in rows:
        order = _descending(numbers) if largest else ascending(numbers)
        for value_offset, index_offset, position in zip(value_at, index_at, order):
            write_value(value_offset, numbers[position])
            write_index(index_offset, position)


topk = native_function(
    "topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor "
    "indices)",
    meta=_topk_meta,
    kernel=_topk_kernel,
    derivatives={"self": selection_grad},
    non_differentiable_outputs=(1,),
    out=Out(
        "topk.values(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True, *, Tensor(a!) "
        "values, Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)",
        exact=True,
    ),
    doc="""Returns the ``k`` largest (or smallest) elements along ``dim`` and their indices (int64).

    They are sorted, even without ``sorted``; NaN counts as the largest, and of equal elements the first are
    returned.  Raises RuntimeError for bool and complex dtypes, and if ``k`` is out of range.""",
)


# -- selecting one element -----------------------------------------------------------------------------------


def _reduced_row(
    self: Spec, dim: int, keepdim: bool, refused: Sequence[str] = ("bool", "complex")
) -> tuple[Spec, Spec]:
    """The specs of values and indices of a reduction over ``dim``, which must not be empty."""
    dim = wrap_dim(dim, self.ndim)
    zero_numel_check_dims(self, dim)
    refuse_dtype(self.dtype, *refused)
    if not self.ndim:
        return self.contiguous(()), self.contiguous((), int64)
    sizes = (*self.sizes[:dim], *((1,) if keepdim else ()), *self.sizes[dim + 1 :])
    return self.contiguous(sizes), self.contiguous(sizes, int64)


def _choosing(choose: Any) -> Any:
    """The kernel that writes, for each row along ``dim``, the element at ``choose(numbers, *arguments)``."""

    def kernel(values: Tensor, indices: Tensor, self: Tensor, *arguments: Any) -> None:
        *rest, dim, _ = arguments
        write_value, write_index = TensorAccessor(values).write, TensorAccessor(indices).write
        for (value_at, index_at), _, numbers in rows_along(self, dim, [values, indices]):
            position = choose(numbers, *rest)
            write_value(value_at, numbers[position])
            write_index(index_at, position)

    return kernel


def _choice_grad(grad: Any, self_sizes: Any, dim: int, keepdim: bool, indices: Any) -> Any:
    if self_sizes and not keepdim:
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return selection_grad(grad, self_sizes, dim, indices)


def _kthvalue_meta(self: Spec, k: int, dim: int, keepdim: bool) -> tuple[Spec, Spec]:
    dim = wrap_dim(dim, self.ndim)
    zero_numel_check_dims(self, dim)
    if not 1 <= k <= (self.sizes[dim] if self.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}: got {k}")
    return _reduced_row(self, dim, keepdim)


kthvalue = native_function(
    "kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
    meta=_kthvalue_meta,
    kernel=_choosing(lambda numbers, k: ascending(numbers)[k - 1]),
    derivatives={"self": _choice_grad},
    non_differentiable_outputs=(1,),
    separate=("self",),
    out=Out(
        "kthvalue.values(Tensor self, SymInt k, int dim=-1, bool keepdim=False, *, Tensor(a!) values, "
        "Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)",
        exact=True,
    ),
    doc="""Returns the ``k``-th smallest element along ``dim``, counted from 1, and its index (int64).

    NaN counts as the largest; equal elements are ordered as by a stable sort.  Raises RuntimeError if ``k``
    is out of range.""",
)


def _median(numbers: list[Any]) -> int:
    """The position of the lower median, or of the first NaN if there is one."""
    unordered = [position for position, number in enumerate(numbers) if number != number]
    return unordered[0] if unordered else ascending(numbers)[(len(numbers) - 1) // 2]


def _nanmedian(numbers: list[Any]) -> int:
    """The same among the elements that are not NaN."""
    count = sum(number == number for number in numbers)
    return ascending(numbers)[max(count - 1, 0) // 2]


def _flat_median(choose: Any) -> Any:
    def kernel(output: Tensor, self: Tensor) -> None:
        accessor = TensorAccessor(self)
        numbers = [accessor.read(offset) for offset in accessor.offsets()]
        TensorAccessor(output)[()] = numbers[choose(numbers)] if numbers else float("nan")

    return kernel


def _flat_median_meta(self: Spec) -> Spec:
    # the median of an empty tensor compares nothing: it is NaN cast to the dtype, for every dtype
    if 0 not in self.sizes:
        refuse_dtype(self.dtype, "bool", "complex")
    return self.contiguous(())


for _name, _choose, _note in (
    ("median", _median, "NaN if any element is NaN"),
    ("nanmedian", _nanmedian, "NaN is ignored"),
):
    native_function(
        f"{_name}(Tensor self) -> Tensor",
        meta=_flat_median_meta,
        kernel=_flat_median(_choose),
        derivatives={"self": evenly_distributed},
        batching="over_all",
        doc=f"""Returns the lower median of all elements; {_note}.

        The gradient is distributed evenly between equal elements.  The median of an empty tensor is NaN, cast
        to its dtype.""",
    )
    native_function(
        f"{_name}.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
        meta=_reduced_row,
        kernel=_choosing(_choose),
        derivatives={"self": _choice_grad},
        non_differentiable_outputs=(1,),
        node_name=f"{_name.capitalize()}Backward1",
        out=Out(
            f"{_name}.dim_values(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) values, Tensor(b!) "
            "indices) -> (Tensor(a!) values, Tensor(b!) indices)",
            exact=True,
        ),
        doc=f"""Returns the lower median along ``dim`` and its index (int64); {_note}.

        Raises IndexError if ``dim`` is out of range or has size 0.""",
    )


def _mode(numbers: list[Any]) -> int:
    """The last position of the most frequent number (of several, the smallest).  NaN equals nothing."""
    order = ascending(numbers)
    best = most = run = 0
    for number, position in enumerate(order):
        run = run + 1 if number and numbers[position] == numbers[order[number - 1]] else 1
        if run > most:
            best, most = position, run
    return best


native_function(
    "mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
    meta=lambda self, dim, keepdim: _reduced_row(self, dim, keepdim, () if 0 in self.sizes else ("complex",)),
    kernel=_choosing(_mode),
    derivatives={"self": _choice_grad},
    non_differentiable_outputs=(1,),
    out=Out(
        "mode.values(Tensor self, int dim=-1, bool keepdim=False, *, Tensor(a!) values, Tensor(b!) indices) "
        "-> (Tensor(a!) values, Tensor(b!) indices)",
        exact=True,
    ),
    doc="""Returns the most frequent element along ``dim``, and the index (int64) of its last occurrence.

    Of several equally frequent elements, it is the smallest.  Raises IndexError if ``dim`` is out of range or
    has size 0, NotImplementedError for complex dtypes.""",
)


# -- quantiles -----------------------------------------------------------------------------------------------

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _check_quantile(self: Any, q: Any, interpolation: str) -> None:
    if self.dtype not in (float32, float64):
        raise RuntimeError(f"quantile() input tensor must be either float or double dtype, got {self.dtype}")
    if self.numel() == 0:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if interpolation not in _INTERPOLATIONS:
        raise RuntimeError(
            f"quantile() interpolation must be one of {', '.join(_INTERPOLATIONS)}, but got {interpolation}"
        )
    if q.ndim > 1:
        raise RuntimeError(f"quantile() q must be a scalar or 1D tensor, got {q.ndim}D")
    if q.dtype is not self.dtype:
        raise RuntimeError(
            f"quantile() q tensor must be same dtype as the input tensor, got {q.dtype} and {self.dtype}"
        )
    if q.device != self.device:
        raise RuntimeError(
            f"quantile() q tensor must be on {self.device} as the input tensor, got {q.device}"
        )
    if can_be_read(q) and not bool(((q >= 0) & (q <= 1)).all().item()):
        raise RuntimeError("quantile() q values must be in the range [0, 1]")


def _quantile(self: Any, q: Any, dim: int | None, keepdim: bool, interpolation: str, skip_nan: bool) -> Any:
    """The interpolated element at position ``q * (n - 1)`` of the sorted elements."""
    _check_quantile(self, q, interpolation)
    wrapped = wrap_dim(0 if dim is None else dim, self.ndim)
    # move the elements of a row to a new last dimension, later that of q; dim remains with size 1
    if dim is None or not self.ndim:
        rows = self.flatten()
    else:
        rows = self.unsqueeze(-1).transpose(wrapped, -1)
    rows = aten.sort.default(rows, -1, False)[0]
    unordered = rows.isnan()
    last = rows.size(-1) - 1
    if skip_nan:
        counted = (~unordered).sum(-1, keepdim=True).to(self.dtype) - 1
        ranks = aten.clamp_min(q * counted, 0)
    else:
        ranks = aten.where.self(
            unordered.any(-1, keepdim=True), last, (q * last).expand((*rows.shape[:-1], q.numel()))
        )
    if interpolation == "lower":
        ranks = ranks.floor()
    elif interpolation == "higher":
        ranks = ranks.ceil()
    elif interpolation == "nearest":
        ranks = ranks.round()
    below = ranks.to(int64)
    values = aten.gather(rows, -1, below)
    if interpolation in ("linear", "midpoint"):
        weights = aten.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below.to(ranks.dtype)
        above = aten.gather(rows, -1, ranks.ceil().to(int64))
        values = aten.lerp.Tensor(values, above, weights)
    if dim is None and keepdim:
        values = values.reshape((*((1,) * self.ndim), q.numel()))
    elif dim is not None and self.ndim and not keepdim:
        values = values.squeeze(wrapped)
    return values.squeeze(-1) if q.ndim == 0 else values.movedim(-1, 0)


def _as_tensor_q(self: Any, q: float) -> Any:
    if not 0 <= q <= 1:
        raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q}")
    return aten.scalar_tensor(q, dtype=self.dtype, device=self.device)


def _quantile_operators(name: str, skip_nan: bool, note: str) -> None:
    options = "int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor"
    doc = f"""Computes the ``q``-th quantiles of the elements along ``dim``, or of all elements; {note}.

        ``q`` is a number or a vector of the dtype of ``self`` (float32 or float64), whose dimension comes
        first in the result.  ``interpolation`` is 'linear', 'lower', 'higher', 'midpoint' or 'nearest'.
        Raises RuntimeError for other dtypes, an empty tensor, and a q outside [0, 1]."""
    native_function(
        f"{name}(Tensor self, Tensor q, {options}",
        composite=lambda self, q, dim, keepdim, interpolation: _quantile(
            self, q, dim, keepdim, interpolation, skip_nan
        ),
        out=Out(exact=True, row_major=True),
        doc=doc,
    )
    native_function(
        f"{name}.scalar(Tensor self, float q, {options}",
        composite=lambda self, q, dim, keepdim, interpolation: _quantile(
            self, _as_tensor_q(self, q), dim, keepdim, interpolation, skip_nan
        ),
        out=Out("scalar_out", exact=True, row_major=True),
        doc=doc,
    )


_quantile_operators("quantile", False, "NaN if any element is NaN")
_quantile_operators("nanquantile", True, "NaN is ignored")
