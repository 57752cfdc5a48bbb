"""Reductions: sums, means, logsumexp, minimum and maximum, any and all.

Accumulation: floating point sums are exactly rounded (math.fsum over the elements in float64), whatever the
dtype; integers are summed exactly in int64 and wrap around.

Source: aten/src/ATen/native/ReduceOps.cpp, TensorCompare.cpp.
"""

from __future__ import annotations

import functools
import math
import operator
import struct
from collections.abc import Sequence
from typing import Any

from ...calls.checks import refuse_dtype, refuse_limited, zero_numel_check_dims
from ...calls.iterator import TensorIterator
from ...calls.meta_functions import bool_result_dtype, reduce, reduced_dims, sum_dtype, to_float
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics import arithmetic
from ...numerics.formulas import evenly_distributed
from ...numerics.loops import reduction, rows_along
from ...values import geometry
from ...values.dispatch_key import BATCHED
from ...values.dtype import LIMITED, bool_, complex32, int64, uint8, uint64
from ...values.geometry import wrap_dim
from ...values.library_name import LIBRARY


def _sum_meta(self: Spec, dim: Any, keepdim: bool, dtype: Any) -> TensorIterator:
    accumulated = sum_dtype(self, dtype)
    return reduce(self, dim, keepdim, accumulated, accumulated)


def expanded(grad: Any, sizes: tuple[int, ...], dim: Any, keepdim: bool) -> Any:
    """The gradient of a reduction's output, expanded to the sizes of its input."""
    if not keepdim and sizes and dim is not None:
        for each in reduced_dims(dim, len(sizes)):
            grad = grad.unsqueeze(each)
    return grad.expand(sizes)


sum_dim = native_function(
    "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    meta=_sum_meta,
    kernel=reduction(arithmetic.exact_sum),
    derivatives={
        "self": lambda grad, self_sizes, dim, keepdim: expanded(grad, self_sizes, dim, keepdim),
    },
    linear=("self",),
    node_name="SumBackward1",
    identity=0,
    out=Out("IntList_out", gives_dtype=True),
    doc="""Returns the sum over dimensions ``dim`` (all if None or empty), removed unless ``keepdim``.

    Integers and bool are summed in int64 unless ``dtype`` is given.  Raises IndexError if ``dim`` is out of
    range.""",
)

native_function(
    "sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    meta=lambda self, dtype: _sum_meta(self, None, False, dtype),
    kernel_of="sum.dim_IntList",
    identity=0,
    derivatives={"self": lambda grad, self_sizes: grad.expand(self_sizes)},
    linear=("self",),
    batching="over_all",
    out=Out(gives_dtype=True),
    doc="Returns the sum of all elements.",
)


def _sum_to_size(self: Any, size: Sequence[int]) -> Any:
    """Sums over the dimensions along which broadcasting repeated ``size``."""
    sizes = tuple(size)
    mine = self._spec.sizes
    if sizes == mine and sizes:
        return self
    if not sizes:
        return aten.sum.default(self, None)
    dims, keeps = _repeated_dims(mine, sizes)
    summed = aten.sum.dim_IntList(self, dims, keeps, None)
    return aten.view.default(summed, sizes) if keeps and len(mine) > len(sizes) else summed


@functools.lru_cache(maxsize=1024)
def _repeated_dims(mine: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[tuple[int, ...], bool]:
    """The dimensions to sum over to get from ``mine`` to ``sizes``, and keepdim for the sum: False if exactly
    the leading dimensions disappear, so that no view is needed.

    Raises RuntimeError unless ``sizes`` broadcasts to ``mine``.
    """
    pad = len(mine) - len(sizes)
    fits = pad >= 0 and all(wanted in (1, have) for wanted, have in zip(sizes, mine[pad:]))
    if not fits:
        raise RuntimeError(f"sum_to_size: size {list(sizes)} is not expandable to size {list(mine)}.")
    dims = [dim for dim, have in enumerate(mine) if dim < pad or (sizes[dim - pad] == 1 and have != 1)]
    return tuple(dims), pad != len(dims)


native_function(
    "sum_to_size(Tensor self, SymInt[] size) -> Tensor",
    variants="method",
    composite=_sum_to_size,
    doc="""Sums ``self`` to shape ``size``, over the dimensions that broadcasting from ``size`` would expand.

    Raises RuntimeError if ``size`` does not broadcast to the sizes of ``self``.""",
)


def _mean_meta(self: Spec, dim: Any, keepdim: bool, dtype: Any) -> TensorIterator:
    dtype = dtype or self.dtype
    if dtype.category < 2:
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
            f"dtype. Got: {dtype.name}; mean(dtype={LIBRARY}.float32) would do"
        )
    return reduce(self, dim, keepdim, dtype, dtype)


def _mean(numbers: list[Any]) -> Any:
    return arithmetic.divide(arithmetic.exact_sum(numbers), len(numbers)) if numbers else math.nan


def count_reduced(sizes: tuple[int, ...], dim: Any) -> int:
    """The number of elements that are reduced to each output."""
    return geometry.numel_of([sizes[each] for each in reduced_dims(dim, len(sizes))]) if sizes else 1


mean_dim = native_function(
    "mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    meta=_mean_meta,
    kernel=reduction(_mean),
    derivatives={
        "self": lambda grad, self_sizes, dim, keepdim: (
            expanded(grad, self_sizes, dim, keepdim) / count_reduced(self_sizes, dim)
        ),
    },
    linear=("self",),
    node_name="MeanBackward1",
    identity=complex(math.nan, math.nan),
    out="out",
    doc="""Returns the mean over dimensions ``dim`` (all if None or empty), removed unless ``keepdim``.

    The mean of no elements is NaN.  Raises RuntimeError for integers, unless ``dtype`` is a floating point or
    complex dtype.""",
)

native_function(
    "mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    meta=lambda self, dtype: _mean_meta(self, None, False, dtype),
    kernel_of="mean.dim",
    identity=complex(math.nan, math.nan),
    derivatives={
        "self": lambda grad, self_sizes: grad.expand(self_sizes) / geometry.numel_of(self_sizes),
    },
    linear=("self",),
    batching="over_all",
    out="dtype_out",
    doc="Returns the mean of all elements.",
)


def _logsumexp_meta(self: Spec, dim: Any, keepdim: bool) -> TensorIterator:
    dtype = to_float(self.dtype)
    return reduce(self, dim, keepdim, dtype, dtype)


def _log_sum_exp(numbers: list[Any]) -> Any:
    """logsumexp; subtracts the largest number first, so that exponentials do not overflow."""
    largest = max((number.real for number in numbers), default=-math.inf)
    shift = 0.0 if math.isinf(largest) or math.isnan(largest) else largest
    powers = [arithmetic.exp(number - shift) for number in numbers]
    return arithmetic.log(arithmetic.exact_sum(powers)) + shift


def _logsumexp_grad(grad: Any, self: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    sizes = self._spec.sizes
    return expanded(grad, sizes, dim, keepdim) * (self - expanded(result, sizes, dim, keepdim)).exp().conj()


native_function(
    "logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
    meta=_logsumexp_meta,
    kernel=reduction(_log_sum_exp),
    derivatives={"self": _logsumexp_grad},
    identity=complex(-math.inf, 0),
    out="out",
    doc="""Computes ``log(sum(exp(x)))`` over dimensions ``dim`` without overflow.

    ``dim`` is removed unless ``keepdim``.  The result has the dtype of ``self``; for integers and bool, the
    default dtype.  It is -inf for no elements.  Raises IndexError if ``dim`` is out of range, RuntimeError if
    a dimension is repeated.""",
)


def _product(numbers: list[Any]) -> Any:
    result: Any = 1
    for number in numbers:
        result = result * number
    return result


def _prod_meta(self: Spec, dim: int, keepdim: bool, dtype: Any) -> TensorIterator:
    accumulated = sum_dtype(self, dtype)
    return reduce(self, dim, keepdim, accumulated, accumulated)


def _prod_grad(grad: Any, self: Any, dim: int, keepdim: bool) -> Any:
    """``grad`` times the product of all other elements, which is right for zeros too."""
    if not self._spec.sizes:
        return grad
    if not keepdim:
        grad = grad.unsqueeze(dim)
    size = self.size(dim)
    rows = []
    for index in range(size):
        others = [aten.slice.Tensor(self, dim, 0, index, 1), aten.slice.Tensor(self, dim, index + 1, size, 1)]
        rows.append(aten.prod.dim_int(aten.cat.default(others, dim), dim, True, None))
    return grad * aten.cat.default(rows, dim).conj() if rows else aten.zeros_like(self)


prod_dim = native_function(
    "prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    meta=_prod_meta,
    kernel=reduction(_product),
    derivatives={"self": _prod_grad},
    node_name="ProdBackward1",
    identity=1,
    out=Out("int_out", gives_dtype=True),
    doc="""Returns the product over dimension ``dim``; integers are multiplied in int64 unless ``dtype`` is
    given.""",
)

native_function(
    "prod(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    explicit=lambda self, dtype: aten.prod.dim_int(aten.reshape.default(self, (-1,)), 0, False, dtype),
    derivatives={"self": lambda grad, self: _prod_grad(grad, self.reshape((-1,)), 0, False).view(self.shape)},
    batching="composed",
    out=Out(gives_dtype=True),
    doc="Returns the product of all elements.",
)


def _check_not_empty(self: Spec, dim: Any) -> None:
    """Raises RuntimeError or IndexError for a reduction, without a neutral element, over no elements."""
    dims = reduced_dims(dim, self.ndim)
    if self.numel == 0 and not dim and not isinstance(dim, int):
        raise RuntimeError(
            "Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    for each in dims:
        zero_numel_check_dims(self, each)


def _extreme_meta(self: Spec, dim: Any, keepdim: bool) -> TensorIterator:
    refuse_dtype(self.dtype, "complex")
    _check_not_empty(self, dim)
    return reduce(self, dim, keepdim, self.dtype, self.dtype)


def _extreme_grad(grad: Any, self: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """Divides the gradient evenly between equal extremes.  Source: scale_grad_by_count."""
    sizes = self._spec.sizes
    chosen = self == expanded(result, sizes, dim, keepdim)
    count = aten.sum.dim_IntList(chosen, None if dim is None else dim, True, None)
    return expanded(grad, sizes, dim, keepdim) * chosen / count.expand(sizes) if sizes else grad


def _largest(numbers: list[Any]) -> Any:
    best = numbers[0]
    for number in numbers:
        if number != number:
            return number
        if number > best:
            best = number
    return best


def _smallest(numbers: list[Any]) -> Any:
    best = numbers[0]
    for number in numbers:
        if number != number:
            return number
        if number < best:
            best = number
    return best


amax = native_function(
    "amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
    meta=_extreme_meta,
    kernel=reduction(_largest),
    derivatives={"self": _extreme_grad},
    out=Out(exact=True),
    doc="""Returns the maximum over dimensions ``dim`` (all if empty); NaN if any element is NaN.

    The gradient is distributed evenly between equal elements.""",
)

amin = native_function(
    "amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
    meta=_extreme_meta,
    kernel=reduction(_smallest),
    derivatives={"self": _extreme_grad},
    out=Out(exact=True),
    doc="""Returns the minimum over dimensions ``dim`` (all if empty); NaN if any element is NaN.

    The gradient is distributed evenly between equal elements.""",
)


def _hash_meta(self: Spec, dim: Any, keepdim: bool, mode: int) -> TensorIterator:
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    _check_not_empty(self, dim)
    refuse_dtype(self.dtype, "complex")
    refuse_limited(self.dtype)
    return reduce(self, dim, keepdim, uint64, self.dtype)


def _xor_sum(numbers: list[Any]) -> int:
    """The exclusive or of the bits of all numbers: of floats as float64, of integers as int64."""
    if isinstance(numbers[0], float):
        words: Sequence[int] = struct.unpack(f"={len(numbers)}Q", struct.pack(f"={len(numbers)}d", *numbers))
    else:
        words = [int(number) % 2**64 for number in numbers]
    return functools.reduce(operator.xor, words)


hash_tensor = native_function(
    "hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor",
    meta=_hash_meta,
    kernel=reduction(_xor_sum),
    limited=(uint64,),
    derivatives={},
    out=Out(exact=True),
    doc="""Returns a hash over dimensions ``dim`` (all if empty), uint64: the exclusive or of the bits of all
    elements, of floats as float64 and of integers as int64.

    ``mode`` is 0.  Raises RuntimeError for another one and for no elements, NotImplementedError for complex
    dtypes.""",
)

native_function(
    "max(Tensor self) -> Tensor",
    meta=lambda self: _extreme_meta(self, (), False),
    kernel_of="amax",
    derivatives={"self": evenly_distributed},
    node_name="MaxBackward1",
    batching="over_all",
    out="unary_out",
    doc="""Returns the maximum of all elements, or along ``dim``; NaN if any element is NaN.

    Without ``dim``, the result is a 0-dim tensor of the dtype of ``self``; with ``dim``, which is removed
    unless ``keepdim``, the values and their indices (int64).  Raises RuntimeError for complex dtypes and for
    an empty tensor, IndexError if ``dim`` is out of range or has size 0.""",
)

native_function(
    "min(Tensor self) -> Tensor",
    meta=lambda self: _extreme_meta(self, (), False),
    kernel_of="amin",
    derivatives={"self": evenly_distributed},
    node_name="MinBackward1",
    batching="over_all",
    out="unary_out",
    doc="""Returns the minimum of all elements, or along ``dim``; NaN if any element is NaN.

    Without ``dim``, the result is a 0-dim tensor of the dtype of ``self``; with ``dim``, which is removed
    unless ``keepdim``, the values and their indices (int64).  Raises RuntimeError for complex dtypes and for
    an empty tensor, IndexError if ``dim`` is out of range or has size 0.""",
)


def _index_meta(self: Spec, dim: int | None, keepdim: bool) -> tuple[int | None, tuple[int, ...]]:
    """The wrapped dim and the output sizes of argmax or argmin."""
    if self.dtype.is_complex:
        raise RuntimeError("does not support complex input; use x.abs() to compare absolute values")
    if dim is None:
        if self.numel == 0:
            raise IndexError("Expected reduction dim to be specified for input.numel() == 0.")
        return None, (1,) * self.ndim if keepdim else ()
    dim = wrap_dim(dim, self.ndim)
    if not self.ndim:
        return dim, ()
    zero_numel_check_dims(self, dim)
    return dim, (*self.sizes[:dim], *((1,) if keepdim else ()), *self.sizes[dim + 1 :])


def _arg_meta(self: Spec, dim: int | None, keepdim: bool) -> Spec:
    if self.dtype is bool_:
        raise RuntimeError("does not support bool input")
    return self.contiguous(_index_meta(self, dim, keepdim)[1], int64)


def _position(numbers: list[Any], better: Any) -> int:
    """The position of the first extreme; the first NaN if there is one."""
    best = 0
    for position, number in enumerate(numbers):
        if number != number:
            return position
        if better(number, numbers[best]):
            best = position
    return best


def _arg_kernel(better: Any) -> Any:
    def kernel(output: Tensor, self: Tensor, dim: int | None, keepdim: bool) -> None:
        write = TensorAccessor(output).write
        for target, _, numbers in rows_along(self, dim, [output]):
            write(target[0], _position(numbers, better))

    return kernel


argmax = native_function(
    "argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
    meta=_arg_meta,
    kernel=_arg_kernel(lambda a, b: a > b),
    batching="over_all",
    out=Out(exact=True),
    doc="Returns the index (int64) of the first maximum along ``dim``, or in the flattened tensor if None.",
)

argmin = native_function(
    "argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
    meta=_arg_meta,
    kernel=_arg_kernel(lambda a, b: a < b),
    batching="over_all",
    out=Out(exact=True),
    doc="Returns the index (int64) of the first minimum along ``dim``, or in the flattened tensor if None.",
)


def _with_index_meta(self: Spec, dim: int, keepdim: bool) -> tuple[Spec, Spec]:
    sizes = _index_meta(self, dim, keepdim)[1]
    return self.contiguous(sizes), self.contiguous(sizes, int64)


def _with_index_kernel(better: Any) -> Any:
    def kernel(values: Tensor, indices: Tensor, self: Tensor, dim: int, keepdim: bool) -> None:
        write_value = TensorAccessor(values).write
        write_index = TensorAccessor(indices).write
        for (value_at, index_at), _, numbers in rows_along(self, dim, [values, indices]):
            position = _position(numbers, better)
            write_value(value_at, numbers[position])
            write_index(index_at, position)

    return kernel


def _value_grad(grad: Any, self_sizes: Any, dim: int, keepdim: bool, indices: Any) -> Any:
    """The gradient at the selected elements, 0 elsewhere.  Source: value_selecting_reduction_backward."""
    if not self_sizes:
        return grad
    if not keepdim:
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return aten.scatter_add.default(grad.new_zeros(self_sizes), dim, indices, grad)


for _name, _better, _word in (
    ("max", lambda a, b: a > b, "maximum"),
    ("min", lambda a, b: a < b, "minimum"),
):
    native_function(
        f"{_name}.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
        meta=_with_index_meta,
        kernel=_with_index_kernel(_better),
        derivatives={"self": _value_grad},
        non_differentiable_outputs=(1,),
        node_name=f"{_name.capitalize()}Backward0",
        out=Out(
            f"{_name}.dim_{_name}(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) {_name}, "
            f"Tensor(b!) {_name}_{'values' if _name == 'max' else 'indices'}) -> (Tensor(a!) values, "
            "Tensor(b!) indices)",
            exact=True,
        ),
        doc=f"""Returns the {_word} along ``dim`` and the index (int64) of its first occurrence; NaN counts as
        the {_word}.""",
    )


native_function(
    "max.other(Tensor self, Tensor other) -> Tensor",
    composite=lambda self, other: aten.maximum.default(self, other),
    out="out",
    doc="Returns the larger of each pair of elements, like ``maximum``.",
)

native_function(
    "min.other(Tensor self, Tensor other) -> Tensor",
    composite=lambda self, other: aten.minimum.default(self, other),
    out="out",
    doc="Returns the smaller of each pair of elements, like ``minimum``.",
)


def _any_meta(self: Spec, dim: Any, keepdim: bool) -> TensorIterator:
    return reduce(self, dim, keepdim, bool_result_dtype(self), self.dtype, empty_means_all=False)


for _name, _function, _identity in (("any", any, 0), ("all", all, 1)):
    native_function(
        f"{_name}.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
        meta=_any_meta,
        kernel=reduction(_function),
        limited=LIMITED,
        identity=_identity,
        doc=f"""Tests whether {_name} elements over dimensions ``dim`` are nonzero.  The result is bool, or
        uint8 for uint8.""",
        out=Out("dims_out", dtypes=(bool_, uint8)),
    )


def _register_any_all(name: str, packet: Any) -> None:
    native_function(
        f"{name}(Tensor self) -> Tensor",
        composite=lambda self: packet.dims(self, None, False),
        out=Out("all_out", dtypes=(bool_, uint8)),
        doc=f"Tests whether {name} elements are nonzero.",
    )
    native_function(
        f"{name}.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
        composite=lambda self, dim, keepdim: packet.dims(self, (dim,), keepdim),
        out=Out(dtypes=(bool_, uint8)),
        doc=f"Tests whether {name} elements along ``dim`` are nonzero.",
    )


_register_any_all("any", aten.any)
_register_any_all("all", aten.all)


def _of_bools(name: str, function: Any) -> Any:
    def check(self: Any) -> Any:
        if self.dtype is not bool_:
            raise RuntimeError(f"{name}: expected a bool tensor, but got {self.dtype.name}")
        return function.default(self)

    return check


for _name, _function in (("_is_any_true", aten.any), ("_is_all_true", aten.all)):
    native_function(
        f"{_name}(Tensor self) -> Tensor",
        composite=_of_bools(_name, _function),
        doc=f"``{_function.name}`` of a bool tensor.  Raises RuntimeError for other dtypes.",
    )

native_function(
    "count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor",
    composite=lambda self, dim: aten.sum.dim_IntList(self != 0, dim, False, None),
    doc="Counts the nonzero elements over dimensions ``dim`` (int64).",
)


def _count_all_kernel(output: Tensor, self: Tensor) -> None:
    source, out = TensorAccessor(self), TensorAccessor(output)
    out[()] = sum(source.read(offset) != 0 for offset in source.offsets())


native_function(
    "_count_nonzero(Tensor self) -> Tensor",
    variants="function",
    meta=lambda self: self.contiguous((), int64),
    kernel=_count_all_kernel,
    limited=(complex32,),
    doc="Counts all nonzero elements (int64): the kernel of ``count_nonzero`` without ``dim``.",
)


def _count_nonzero(self: Any, dim: int | None) -> Any:
    if dim is None and not self._keys & BATCHED:
        return aten._count_nonzero.default(self.detach())
    return aten.sum.dim_IntList(self != 0, None if dim is None else (dim,), False, None)


native_function(
    "count_nonzero(Tensor self, int? dim=None) -> Tensor",
    composite=_count_nonzero,
    doc="Counts the nonzero elements (int64) along ``dim``, or all of them.",
)
