"""Scans: each element of the result depends on the elements up to its position along one dimension.

Accumulation: each partial sum of floating point numbers is the exact one, rounded once (math.fsum); products
and logarithms of sums of exponentials are rounded to float64 at each step; integers are exact and wrap
around.

Source: aten/src/ATen/native/ReduceOps.cpp (cumsum, cumprod, logcumsumexp, cummax, diff).
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

from ...calls.checks import can_be_read, check_same_dim, refuse_dtype
from ...calls.meta_functions import sum_dtype
from ...calls.native import native_function
from ...calls.record import Inputs, Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics import arithmetic
from ...numerics.loops import rows_along
from ...numerics.special import logaddexp
from ...values.dtype import bool_, int64
from ...values.geometry import wrap_dim
from ...values.limits import finfo


def _scan_meta(self: Spec, dim: int, dtype: Any) -> Spec:
    wrap_dim(dim, self.ndim)
    accumulated = sum_dtype(self, dtype)
    if self.ndim and self.numel:
        refuse_dtype(accumulated, "bool")
    return self.contiguous(self.sizes, accumulated)


def scan(function: Callable[[list[Any]], Iterator[Any]]) -> Callable[..., None]:
    """The kernel that writes ``function(elements)`` for each row along ``dim``."""

    def kernel(output: Tensor, self: Tensor, dim: int, *arguments: Any) -> None:
        write = TensorAccessor(output).write
        for (_, targets, _), (_, _, numbers) in zip(rows_along(output, dim, []), rows_along(self, dim, [])):
            for target, number in zip(targets, function(numbers)):
                write(target, number)

    return kernel


def _running_sums(numbers: list[Any]) -> Iterator[Any]:
    if numbers and isinstance(numbers[0], int):
        return itertools.accumulate(numbers)
    return (arithmetic.exact_sum(numbers[: count + 1]) for count in range(len(numbers)))


cumsum = native_function(
    "cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
    meta=_scan_meta,
    kernel=scan(_running_sums),
    inputs=Inputs(promoted=True),
    derivatives={"self": lambda grad, dim: grad.flip(dim).cumsum(dim).flip(dim) if grad.ndim else grad},
    linear=("self",),
    inplace=True,
    out=Out(gives_dtype=True),
    doc="""Returns the cumulative sum of the elements along ``dim``.

    Integers and bool are summed in int64 unless ``dtype`` is given.  Raises IndexError if ``dim`` is out of
    range.""",
)


def _running_products(numbers: list[Any]) -> Iterator[Any]:
    if numbers and isinstance(numbers[0], int):
        return itertools.accumulate((int(number) for number in numbers), lambda a, b: (a * b) & (1 << 64) - 1)
    # starts with the factor 1, as PyTorch does: times 1 a complex infinity becomes NaN
    return itertools.islice(itertools.accumulate(numbers, operator.mul, initial=1), 1, None)


def _cumprod_grad(grad: Any, self: Any, dim: int, result: Any) -> Any:
    """The reverse cumulative sum of ``grad * result``, divided by ``self``; no division if there are zeros.

    With zeros, gradient i is the sum over j >= i of grad[j] times the product of all elements up to j except
    element i.  Source: cumprod_backward, which has more cases, depending on where the zeros are.
    """
    if not self.ndim or self.numel() <= 1 or self.size(dim) == 1:
        return grad * 1 if not self.ndim else grad
    weighted = aten.mul(grad, result.conj())
    if can_be_read(self) and not bool((self == 0).any().item()):
        return weighted.flip(dim).cumsum(dim).flip(dim) / self.conj()
    dim = wrap_dim(dim, self.ndim)
    size = self.size(dim)
    rows = []
    for index in range(size):
        before = aten.prod.dim_int(self.narrow(dim, 0, index), dim, True, None)
        after = self.narrow(dim, index + 1, size - index - 1)
        without = aten.cat([aten.ones_like(before), after], dim).cumprod(dim) * before
        rows.append((grad.narrow(dim, index, size - index) * without.conj()).sum(dim, keepdim=True))
    return aten.cat(rows, dim)


cumprod = native_function(
    "cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
    meta=_scan_meta,
    kernel=scan(_running_products),
    inputs=Inputs(promoted=True),
    derivatives={"self": _cumprod_grad},
    inplace=True,
    out=Out(gives_dtype=True),
    doc="""Returns the cumulative product of the elements along ``dim``.

    Integers and bool are multiplied in int64 unless ``dtype`` is given.  Raises IndexError if ``dim`` is out
    of range.""",
)


def _log_add_exp(total: Any, number: Any) -> Any:
    """``log(exp(total) + exp(number))``.  Source: _log_add_exp_helper in LogAddExp.h.

    Of complex numbers, a NaN in one part makes both NaN; the logarithm of 0 has no angle, and an infinite sum
    gets its angle from the exponentials.
    """
    if not isinstance(number, complex):
        return logaddexp(total, number)
    if total != total or number != number:
        return complex(math.nan, math.nan)
    if number.real == -math.inf:
        return total
    if number.real == total.real == math.inf:
        return arithmetic.log(arithmetic.exp(total) + arithmetic.exp(number))
    return logaddexp(complex(total), number)


def _logcumsumexp_meta(self: Spec, dim: int) -> Spec:
    wrap_dim(dim, self.ndim)
    refuse_dtype(self.dtype, "bool", "integer")
    return self.contiguous()


def _logcumsumexp_grad(grad: Any, self: Any, result: Any, dim: int) -> Any:
    """``exp(self)`` times the reverse cumulative sum of ``grad / exp(result)``, in logarithms.

    Those of positive and of negative gradients are added separately.  Source: logcumsumexp_backward.
    """
    if not grad.ndim or not grad.numel():
        return grad

    def reversed_sum(logarithms: Any) -> Any:
        sums = aten.logcumsumexp((logarithms - result.conj()).flip(dim), dim).flip(dim)
        return aten.exp(sums + self.conj())

    if grad.is_complex():
        return reversed_sum(aten.log(grad))
    logarithms = aten.log(grad.abs())
    least = finfo(grad.dtype).min
    positive, negative = logarithms.masked_fill(grad <= 0, least), logarithms.masked_fill(grad >= 0, least)
    return reversed_sum(positive) - reversed_sum(negative)


logcumsumexp = native_function(
    "logcumsumexp(Tensor self, int dim) -> Tensor",
    meta=_logcumsumexp_meta,
    kernel=scan(
        lambda numbers: itertools.islice(
            itertools.accumulate(numbers, _log_add_exp, initial=-math.inf), 1, None
        )
    ),
    derivatives={"self": _logcumsumexp_grad},
    tangent_from_ones=True,
    out=Out(exact=True),
    doc="""Returns the logarithm of the cumulative sum of the exponentials of the elements along ``dim``.

    No exponential overflows.  The result has the sizes and dtype of ``self``.  Raises IndexError if ``dim``
    is out of range, NotImplementedError for integers and bool.  Source: logcumsumexp_cpu_kernel.""",
)


def _cummax_meta(self: Spec, dim: int) -> tuple[Spec, Spec]:
    wrap_dim(dim, self.ndim)
    refuse_dtype(self.dtype, "complex")
    return self.contiguous(), self.contiguous(self.sizes, int64)


def _running_best(better: Callable[[Any, Any], bool]) -> Callable[..., None]:
    """The kernel of cummax and cummin: of equal elements the last wins, and NaN wins over all numbers."""

    def kernel(values: Tensor, indices: Tensor, self: Tensor, dim: int) -> None:
        write_value, write_index = TensorAccessor(values).write, TensorAccessor(indices).write
        rows = zip(rows_along(values, dim, []), rows_along(indices, dim, []), rows_along(self, dim, []))
        for (_, value_at, _), (_, index_at, _), (_, _, numbers) in rows:
            best = 0
            for position, number in enumerate(numbers):
                if number != number or (numbers[best] == numbers[best] and better(number, numbers[best])):
                    best = position
                write_value(value_at[position], numbers[best])
                write_index(index_at[position], best)

    return kernel


def _cummax_grad(grad: Any, self_sizes: Any, dim: int, indices: Any) -> Any:
    """Adds each gradient to the element that was the extreme.  Source: cummaxmin_backward."""
    return aten.scatter_add(grad.new_zeros(self_sizes), dim, indices, grad) if self_sizes else grad


for _name, _better, _word in (
    ("cummax", lambda a, b: a >= b, "maximum"),
    ("cummin", lambda a, b: a <= b, "minimum"),
):
    native_function(
        f"{_name}(Tensor self, int dim) -> (Tensor values, Tensor indices)",
        meta=_cummax_meta,
        kernel=_running_best(_better),
        derivatives={"self": _cummax_grad},
        non_differentiable_outputs=(1,),
        out=Out(
            f"{_name}.out(Tensor self, int dim, *, Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!) "
            "values, Tensor(b!) indices)",
            exact=True,
        ),
        doc=f"""Returns the cumulative {_word} of the elements along ``dim``, and its index (int64).

        Of equal elements, it is the index of the last; NaN counts as the {_word}.  Raises IndexError if
        ``dim`` is out of range, NotImplementedError for complex dtypes.""",
    )


def _diff(self: Any, n: int, dim: int, prepend: Any, append: Any) -> Any:
    if self.ndim < 1:
        raise RuntimeError("expects input to be at least one-dimensional")
    dim = wrap_dim(dim, self.ndim)
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    for name, other in (("prepend", prepend), ("append", append)):
        if other is None:
            continue
        check_same_dim(self=self, **{name: other})
        for each, (size, wanted) in enumerate(zip(other.shape, self.shape)):
            if each != dim and size != wanted:
                raise RuntimeError(
                    f"expected the shape of {name} to match that of input but for dim {dim}; at dim {each} "
                    f"it has size {size}, and input {wanted}"
                )
    if n == 0:  # ignores prepend and append
        return aten.clone.default(self, None)
    pieces = [each for each in (prepend, self, append) if each is not None]
    joined = aten.cat(pieces, dim) if len(pieces) > 1 else self
    n = min(n, joined.size(dim))
    for _ in range(n):
        count = joined.size(dim) - 1
        later, earlier = joined.narrow(dim, 1, count), joined.narrow(dim, 0, count)
        joined = later ^ earlier if joined.dtype is bool_ else later - earlier
    return joined


diff = native_function(
    "diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor",
    composite=_diff,
    out=Out(row_major=lambda self, n, *options: n == 0),
    doc="""Computes the ``n``-th differences of adjacent elements along ``dim``; exclusive or for bool.

    ``prepend`` and ``append`` are concatenated first.  Raises RuntimeError for a 0-dim tensor, a negative
    ``n``, and tensors whose sizes do not match.""",
)
