"""Writing or adding elements at the positions in an index tensor: scatter, scatter_reduce, index_add,
index_copy, index_fill, put.

Accumulation: all terms of one element are summed exactly (products are computed in float64, for integers
exactly) and rounded once to the dtype.  If several elements are written to one position, the last one wins.
Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, ScatterGatherChecks.h, derivatives.yaml.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any

from ...calls.checks import (
    check_index_dims,
    check_index_dtype,
    check_long_index,
    refuse_dtype,
)
from ...calls.iterator import converted_spec
from ...calls.native import native_function
from ...calls.record import Inplace, Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor, elements
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics import arithmetic
from ...numerics.arithmetic import exact_sum
from ...numerics.indexing import (
    add_at,
    copy_elements,
    flat_index,
    from_front,
    positions_along,
    slice_offsets,
)
from ...values import geometry
from ...values.dtype import check_number_fits, complex32, int64
from ...values.geometry import wrap_dim

# -- scatter -----------------------------------------------------------------------------------------------


def _check_shapes(self: Spec, dim: int, index: Spec, src: Spec | None) -> None:
    """Raises RuntimeError for an index larger than ``src``, or (except along ``dim``) than ``self``."""
    if not index.numel:
        return
    check_index_dims(index, self=self, src=src)
    sizes, mine = index.sizes or (1,), self.sizes or (1,)
    for each, size in enumerate(sizes):
        too_large = each != dim and size > mine[each]
        if too_large or (src is not None and size > (src.sizes or (1,))[each]):
            of_src = f" and to be no larger than src {list(src.sizes)}" if src is not None else ""
            raise RuntimeError(
                f"Expected index {list(index.sizes)} to be no larger than self {list(self.sizes)} apart from "
                f"dimension {dim}{of_src}"
            )


def _scatter_meta(self: Spec, dim: int, index: Spec, src: Any, reduce: str | None = None) -> Spec:
    dim = wrap_dim(dim, self.ndim)
    if index.numel:
        check_index_dtype(index)
    if isinstance(src, Spec):
        if src.dtype is not self.dtype:
            raise RuntimeError(
                f"Expected self.dtype to be equal to src.dtype, got {self.dtype.name} and {src.dtype.name}"
            )
        _check_shapes(self, dim, index, src)
    else:
        _check_shapes(self, dim, index, None)
        if index.numel:
            check_number_fits(src, self.dtype)
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError(f"reduce argument must be either add or multiply, got {reduce!r}")
    return self.contiguous()


def _pairs(output: TensorAccessor, dim: int, index: Tensor, src: Any) -> Iterator[tuple[int, Any]]:
    """For each element of ``index``: the offset in the output, and the value to write there."""
    dim = wrap_dim(dim, len(output.sizes))
    positions = positions_along(index, output.sizes, output.strides, output.offset, dim)
    if not isinstance(src, Tensor):
        return zip(positions, repeat(src))
    source = TensorAccessor(src)
    sizes = index._spec.sizes
    strides = source.strides[: len(sizes)] or (0,) * len(sizes)  # a 0-dim src: the index has one element
    return zip(positions, map(source.read, geometry.offsets(sizes, strides, source.offset)))


def _product(numbers: Sequence[Any]) -> Any:
    return math.prod(numbers)


def _scatter_kernel(
    output: Tensor, self: Tensor, dim: int, index: Tensor, src: Any, reduce: str | None = None
) -> None:
    """``output = self``, then ``output[index[i][j]][j] = src[i][j]`` for dim 0 (or ``+=``, ``*=``)."""
    out = TensorAccessor(output)
    copy_elements(out, TensorAccessor(self))
    if not index._spec.numel:
        return
    if not isinstance(src, Tensor):
        src = output._spec.dtype.cast(src)  # before accumulation: 2.5 becomes 2 for integers
    pairs = _pairs(out, dim, index, src)
    if reduce == "add":
        add_at(out, pairs)
    elif reduce == "multiply":
        _combine(out, pairs, True, _product)
    else:
        for offset, value in pairs:
            out.write(offset, value)


def _combine(
    out: TensorAccessor, pairs: Iterator[tuple[int, Any]], include_self: bool, function: Callable[..., Any]
) -> None:
    """Writes to each offset ``function`` of its element (with ``include_self``) and of all its new values."""
    groups: dict[int, list[Any]] = {}
    for offset, value in pairs:
        group = groups.setdefault(offset, [out.read(offset)] if include_self else [])
        group.append(value)
    for offset, numbers in groups.items():
        out.write(offset, function(numbers))


native_function(
    "scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
    meta=_scatter_meta,
    kernel=_scatter_kernel,
    derivatives={
        "self": lambda grad, dim, index: aten.scatter.value(grad, dim, index, 0),
        "src": lambda grad, dim, index: grad.gather(dim, index),
    },
    linear=("self src",),
    separate=("index", "src"),
    inplace=Inplace(updates=True),
    out=Out("src_out", exact=True),
    doc="""Returns a copy of ``self`` with the elements of ``src`` written at the indices along ``dim`` in
    ``index`` (int64 or int32).

    ``result[index[i][j]][j] = src[i][j]`` for dim 0.  Raises RuntimeError if the dtypes of ``self`` and
    ``src`` differ, for an index out of range (negative ones included), and for an ``index`` larger than
    ``src``, or than ``self`` in another dimension than ``dim``.""",
)

native_function(
    "scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
    meta=_scatter_meta,
    kernel=_scatter_kernel,
    derivatives={"self": lambda grad, dim, index: aten.scatter.value(grad, dim, index, 0)},
    node_name="ScatterBackward1",
    separate=("index",),
    inplace=True,
    out=Out("value_out", exact=True),
    doc="Returns a copy of ``self`` with the number ``value`` at the indices along ``dim`` in ``index``.",
)

native_function(
    "scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
    meta=_scatter_meta,
    kernel=_scatter_kernel,
    separate=("index", "src"),
    inplace=True,
    out=Out("reduce_out", exact=True),
    doc="""Returns a copy of ``self`` with the elements of ``src`` added (``reduce="add"``) or multiplied
    (``"multiply"``) at the indices in ``index``.  Not differentiable, unlike scatter_reduce.""",
)

native_function(
    "scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
    meta=_scatter_meta,
    kernel=_scatter_kernel,
    separate=("index",),
    inplace=True,
    out=Out("value_reduce_out", exact=True),
    doc="As above, with the number ``value``.",
)

scatter_add = native_function(
    "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
    meta=_scatter_meta,
    kernel=lambda output, self, dim, index, src: _scatter_kernel(output, self, dim, index, src, "add"),
    derivatives={"self": lambda grad: grad, "src": lambda grad, dim, index: grad.gather(dim, index)},
    linear=("self src",),
    separate=("index", "src"),
    inplace=Inplace(updates=True),
    out=Out(exact=True),
    doc="""Returns a copy of ``self`` with the elements of ``src`` added at the indices along ``dim`` in
    ``index`` (int64 or int32).""",
)


# -- scatter_reduce ----------------------------------------------------------------------------------------


def _mean(numbers: list[Any]) -> Any:
    total = exact_sum(numbers)
    return total // len(numbers) if isinstance(total, int) else total / len(numbers)


def _largest(numbers: list[Any]) -> Any:
    largest = numbers[0]
    for number in numbers[1:]:
        largest = arithmetic.maximum(largest, number)
    return largest


def _smallest(numbers: list[Any]) -> Any:
    smallest = numbers[0]
    for number in numbers[1:]:
        smallest = arithmetic.minimum(smallest, number)
    return smallest


_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": exact_sum,
    "prod": _product,
    "mean": _mean,
    "amax": _largest,
    "amin": _smallest,
}


def _reduction_of(reduce: str, dtype: Any) -> Callable[..., Any]:
    """The function of a list of numbers; in a mean of integers, the sum and the count wrap around."""
    if reduce == "mean" and dtype.category == 1:
        return lambda numbers: dtype.cast(exact_sum(numbers)) // (dtype.cast(len(numbers)) or 1)
    return _REDUCTIONS[reduce]


def _scatter_reduce_meta(
    self: Spec, dim: int, index: Spec, src: Spec, reduce: str, include_self: bool
) -> Spec:
    if reduce not in _REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if reduce == "mean":
        refuse_dtype(self.dtype, "bool")
    elif index.numel and reduce in ("amax", "amin"):
        refuse_dtype(self.dtype, "complex")
    return _scatter_meta(self, dim, index, src)


def _scatter_reduce_kernel(
    output: Tensor, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool
) -> None:
    """Reduces each element of ``self`` with the elements of ``src`` that are scattered to it."""
    out = TensorAccessor(output)
    copy_elements(out, TensorAccessor(self))
    if index._spec.numel:
        function = _reduction_of(reduce, output._spec.dtype)
        _combine(out, _pairs(out, dim, index, src), include_self, function)


def _scatter_reduce_grad(
    grad: Any,
    self: Any,
    dim: int,
    index: Any,
    src: Any,
    reduce: str,
    include_self: bool,
    result: Any,
) -> tuple[Any, Any]:
    """The gradients of ``self`` and ``src``.  Source: scatter_reduce_backward in FunctionsManual.cpp."""
    if reduce == "sum":
        grad_self, grad_src = grad, grad.gather(dim, index)
    elif reduce == "mean":
        base = aten.ones_like(grad) if include_self else aten.zeros_like(grad)
        counts = base.scatter_add(dim, index, aten.ones_like(src))
        counts = counts.masked_fill(counts == 0, 1)
        grad_self = grad / counts
        grad_src = grad.gather(dim, index) / counts.gather(dim, index)
    elif reduce == "prod":
        grad_self, grad_src = _product_grads(grad, self, dim, index, src, include_self, result)
    else:  # equal extremes share the gradient
        mine = (self == result).to(self.dtype)
        theirs = (src == result.gather(dim, index)).to(self.dtype)
        shared = grad / mine.scatter_add(dim, index, theirs)
        grad_self, grad_src = mine * shared, theirs * shared.gather(dim, index)
    if not include_self:
        grad_self = aten.scatter.value(grad_self, dim, index, 0)
    return grad_self, grad_src


def _product_grads(
    grad: Any, self: Any, dim: int, index: Any, src: Any, include_self: bool, result: Any
) -> tuple[Any, Any]:
    """The product of all other factors: by division, except for the only 0, where it is computed anew."""
    nonzero_self = self.masked_fill(self == 0, 1)
    others = aten.scatter_reduce.two(nonzero_self, dim, index, src, "prod", include_self)
    is_zero = src == 0
    zeros = aten.zeros_like(self).scatter_add(dim, index, is_zero.to(self.dtype)).gather(dim, index)
    is_only_zero = aten.logical_and(is_zero, zeros == 1)
    without = aten.scatter_reduce.two(
        self, dim, index, src.masked_fill(is_only_zero, 1), "prod", include_self
    )
    divided = (grad * result.conj()).gather(dim, index) / src.masked_fill(is_zero, 1).conj()
    return (
        grad * (others / nonzero_self).conj(),
        aten.where.self(is_only_zero, (grad * without.conj()).gather(dim, index), divided),
    )


native_function(
    "scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool "
    "include_self=True) -> Tensor",
    meta=_scatter_reduce_meta,
    kernel=_scatter_reduce_kernel,
    derivatives={"self, src": _scatter_reduce_grad},
    separate=("index", "src"),
    inplace=True,
    out=Out("two_out", exact=True),
    doc="""Returns a copy of ``self`` with the elements of ``src`` reduced into it at the indices along
    ``dim`` in ``index``.

    ``reduce`` is "sum", "prod", "mean", "amax" or "amin"; without ``include_self`` the elements of ``self``
    at those indices are not part of the reduction.  A mean of integers is rounded down.  Raises RuntimeError
    as scatter does.""",
)


# -- slices along a dimension ------------------------------------------------------------------------------


def _check_vector(index: Spec) -> None:
    if index.ndim > 1:
        raise IndexError(f"Index should have dimension 1 or 0 (got {index.ndim})")


def _check_source_dtype(self: Spec, source: Spec) -> None:
    if self.dtype is not source.dtype:
        raise RuntimeError(
            "self and source expected to have the same dtype, but got (self) "
            f"{self.dtype.name} and (source) {source.dtype.name}"
        )


def _check_slices(self: Spec, dim: int, index: Spec, source: Spec) -> None:
    """Raises RuntimeError unless ``source`` has one slice per index, of the sizes of a slice of ``self``."""
    if not self.ndim and not source.ndim and index.numel != 1:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if dim and dim >= source.ndim:
        raise RuntimeError(f"Indexing dim {dim} is out of bounds of the source tensor with dim {source.ndim}")
    count = source.sizes[dim] if source.ndim else 1
    if index.numel != count:
        raise RuntimeError(
            f"Number of indices ({index.numel}) should be equal to source.size(dim): ({count}), for dim: "
            f"{dim}"
        )
    mine, theirs = self.sizes, source.sizes
    if self.ndim and source.ndim:
        mine, theirs = (*mine[:dim], *mine[dim + 1 :]), (*theirs[:dim], *theirs[dim + 1 :])
    if mine != theirs:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            f"self.shape = {list(self.sizes)} source.shape = {list(source.sizes)}"
        )


def _index_add_meta(self: Spec, dim: int, index: Spec, source: Spec, alpha: Any) -> Spec:
    dim = wrap_dim(dim, self.ndim)
    _check_vector(index)
    check_index_dtype(index)
    _check_source_dtype(self, source)
    _check_slices(self, dim, index, source)
    check_number_fits(alpha, self.dtype)
    return self.contiguous()


def _index_add_kernel(
    output: Tensor, self: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Any
) -> None:
    """``output = self``, then ``output[..., index[i], ...] += alpha * source[..., i, ...]``."""
    out, given = TensorAccessor(output), TensorAccessor(source)
    copy_elements(out, TensorAccessor(self))
    dim = wrap_dim(dim, len(out.sizes))
    size = out.sizes[dim] if out.sizes else 1
    factor = self._spec.dtype.cast(alpha)

    def pairs() -> Iterator[tuple[int, Any]]:
        for position, number in enumerate(elements(index)):
            if not 0 <= number < size:
                is_plain = len(out.sizes) == 2 and alpha == 1 and index._spec.dtype is int64
                error = RuntimeError if is_plain else IndexError  # PyTorch's two kernels differ
                raise error(f"index out of range in self: {number} in dimension {dim} with size {size}")
            targets = slice_offsets(out, dim, number)
            for target, offset in zip(targets, slice_offsets(given, dim, position)):
                value = given.read(offset)
                yield target, value if factor == 1 else factor * value

    add_at(out, pairs())


def _selected_grad(grad: Any, dim: int, index: Any, source_spec: Spec) -> Any:
    """The gradient of each slice of the source, read at the position that it was written to."""
    return grad.index_select(dim, index).reshape(source_spec.sizes)


native_function(
    "index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
    meta=_index_add_meta,
    kernel=_index_add_kernel,
    limited=(complex32,),
    derivatives={
        "self": lambda grad: grad,
        "source": lambda grad, dim, index, source_spec, alpha: (
            _selected_grad(grad, dim, index, source_spec) * alpha
        ),
    },
    separate=("index", "source"),
    inplace=Inplace(updates=True),
    out=Out(exact=True),
    doc="""Returns a copy of ``self`` with ``alpha`` times slice i of ``source`` added to slice ``index[i]``,
    along ``dim``.

    ``index`` is a vector (int64 or int32).  Raises IndexError if out of range, RuntimeError if the slice
    sizes or the dtypes differ.""",
)


# -- index_reduce ------------------------------------------------------------------------------------------


def _index_reduce_meta(
    self: Spec, dim: int, index: Spec, source: Spec, reduce: str, include_self: bool
) -> Spec:
    dim = wrap_dim(dim, self.ndim)
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    _check_vector(index)
    check_index_dtype(index)
    _check_source_dtype(self, source)
    _check_slices(self, dim, index, source)
    if index.numel and reduce != "prod":
        refuse_dtype(self.dtype, "bool" if reduce == "mean" else "complex")
    return self.contiguous()


def _index_reduce_kernel(
    output: Tensor, self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool
) -> None:
    """Reduces each element of ``self`` with those of the slices of ``source`` that ``index`` adds to it."""
    out, given = TensorAccessor(output), TensorAccessor(source)
    copy_elements(out, TensorAccessor(self))
    dim = wrap_dim(dim, len(out.sizes))
    size = out.sizes[dim] if out.sizes else 1

    def pairs() -> Iterator[tuple[int, Any]]:
        for position, number in enumerate(elements(index)):
            if not 0 <= number < size:
                raise IndexError(f"index out of range in self: {number} in dimension {dim} with size {size}")
            targets = slice_offsets(out, dim, number)
            for target, offset in zip(targets, slice_offsets(given, dim, position)):
                yield target, given.read(offset)

    _combine(out, pairs(), include_self, _reduction_of(reduce, output._spec.dtype))


def _index_reduce_grad(
    grad: Any,
    self: Any,
    dim: int,
    index: Any,
    source: Any,
    reduce: str,
    include_self: bool,
    result: Any,
) -> tuple[Any, Any]:
    """The gradients of ``self`` and ``source``: those of scatter_reduce, with ``index`` for all elements.

    Source: index_reduce_backward in FunctionsManual.cpp, which is that of scatter_reduce for slices.
    """
    if not grad.ndim:  # numbers as vectors of one element
        each = [tensor.reshape([1]) for tensor in (grad, self, source, result)]
        one, values, given, total = each
        grads = _scatter_reduce_grad(one, values, 0, index.reshape([1]), given, reduce, include_self, total)
        return grads[0].reshape([]), grads[1].reshape(source.shape)
    shape = [1] * source.ndim
    shape[dim] = -1
    everywhere = index.long().reshape(shape).expand(source.shape)
    return _scatter_reduce_grad(grad, self, dim, everywhere, source, reduce, include_self, result)


native_function(
    "index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) "
    "-> Tensor",
    meta=_index_reduce_meta,
    kernel=_index_reduce_kernel,
    derivatives={"self, source": _index_reduce_grad},
    separate=("index", "source"),
    inplace=True,
    out=Out(exact=True),
    doc="""Returns a copy of ``self`` with slice i of ``source`` reduced into slice ``index[i]``, along
    ``dim``.

    ``reduce`` is "prod", "mean", "amax" or "amin"; without ``include_self`` the slices of ``self`` that
    ``index`` names are not part of the reduction.  A mean of integers is rounded down.  ``index`` is a vector
    (int64 or int32).  Raises IndexError if out of range, RuntimeError if the slice sizes or the dtypes
    differ.  Source: index_reduce_func_impl.""",
)


def _index_copy_meta(self: Spec, dim: int, index: Spec, source: Spec) -> Spec:
    dim = wrap_dim(dim, self.ndim)
    _check_vector(index)
    if not source.ndim and index.numel != 1:
        raise IndexError(f"When source is scalar, index should have one element (got {index.numel})")
    if source.ndim != self.ndim and source.ndim and self.ndim:
        raise IndexError(
            "When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({self.ndim})"
        )
    check_long_index(index)
    _check_source_dtype(self, source)
    mine, theirs = (
        (*sizes[:dim], *sizes[dim + 1 :]) if sizes else () for sizes in (self.sizes, source.sizes)
    )
    if mine != theirs:
        raise RuntimeError(
            "Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{list(mine)} at dimension {dim} and source slice shape: {list(theirs)} at dimension 0."
        )
    if source.ndim and index.numel != source.sizes[dim]:
        raise IndexError(
            f"Number of indices ({index.numel}) should be equal to source.size(dim) ({source.sizes[dim]})"
        )
    return self.contiguous()


def _index_copy_kernel(output: Tensor, self: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    """``output = self``, then ``output[..., index[i], ...] = source[..., i, ...]``."""
    out, given = TensorAccessor(output), TensorAccessor(source)
    copy_elements(out, TensorAccessor(self))
    dim = wrap_dim(dim, len(out.sizes))
    size = out.sizes[dim] if out.sizes else 1
    for position, number in enumerate(elements(index)):
        if not 0 <= number < size:
            raise IndexError(f"index {number} is out of bounds for dimension {dim} with size {size}")
        targets = slice_offsets(out, dim, number)
        for target, offset in zip(targets, slice_offsets(given, dim, position)):
            out.write(target, given.read(offset))


native_function(
    "index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
    meta=_index_copy_meta,
    kernel=_index_copy_kernel,
    limited=(complex32,),
    derivatives={
        "self": lambda grad, dim, index: aten.index_fill.int_Scalar(grad, dim, index, 0),
        "source": _selected_grad,
    },
    separate=("index", "source"),
    inplace=Inplace(updates=True),
    out=Out(exact=True),
    doc="""Returns a copy of ``self`` with slice i of ``source`` written to slice ``index[i]``, along ``dim``.

    ``index`` is a vector (int64).  Raises IndexError if out of range or if the number of slices differs,
    RuntimeError if the slice sizes or the dtypes differ.""",
)


def _index_fill_meta(self: Spec, dim: int, index: Spec, value: Any) -> Spec:
    if index.dtype is not int64:
        raise IndexError("Expected dtype int64 for index.")
    wrap_dim(dim, self.ndim)
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar.")
    is_tensor = isinstance(value, Spec)
    if is_tensor and value.ndim:
        raise RuntimeError(
            f"Only supports 0-dimension value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    is_complex = value.dtype.is_complex if is_tensor else isinstance(value, complex)
    if is_complex and not self.dtype.is_complex:
        raise RuntimeError("Converting complex Scalar to non-complex type is not supported")
    if not is_tensor:
        check_number_fits(value, self.dtype)
    dense = geometry.is_non_overlapping_and_dense(self.sizes, self.strides)
    return self if dense else converted_spec(self, self.dtype)  # the strides of a clone of self


def _index_fill_kernel(output: Tensor, self: Tensor, dim: int, index: Tensor, value: Any) -> None:
    """``output = self``, then ``output[..., index[i], ...] = value``."""
    out = TensorAccessor(output)
    copy_elements(out, TensorAccessor(self))
    number = elements(value)[0] if isinstance(value, Tensor) else value
    check_number_fits(number, output._spec.dtype)
    dim = wrap_dim(dim, len(out.sizes))
    size = out.sizes[dim] if out.sizes else 1
    for position in elements(index):
        for target in slice_offsets(out, dim, from_front(position, size, dim)):
            out.write(target, number)


native_function(
    "index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
    meta=_index_fill_meta,
    kernel=_index_fill_kernel,
    limited=(complex32,),
    derivatives={"self": lambda grad, dim, index: aten.index_fill.int_Scalar(grad, dim, index, 0)},
    separate=("index",),
    inplace=Inplace(on_expanded=True),
    doc="""Returns a copy of ``self`` with the slices along ``dim`` at the indices in a vector ``index``
    (int64) filled with ``value``.

    Raises IndexError if out of range and for another dtype of ``index``.""",
)


def _filled_grad(grad: Any, dim: int, index: Any) -> Any:
    """The sum of the gradients of all filled elements."""
    filled = aten.index_fill.int_Scalar(aten.zeros_like(grad), dim, index, 1)
    return (grad * filled).sum()


native_function(
    "index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor",
    meta=_index_fill_meta,
    kernel=_index_fill_kernel,
    limited=(complex32,),
    derivatives={
        "self": lambda grad, dim, index: aten.index_fill.int_Scalar(grad, dim, index, 0),
        "value": _filled_grad,
    },
    node_name="IndexFillBackward1",
    separate=("index", "value"),
    inplace=Inplace(on_expanded=True),
    doc="As above, with the value of a 0-dim tensor.  Raises RuntimeError if it has dimensions.",
)


# -- put ---------------------------------------------------------------------------------------------------


def _put_meta(self: Spec, index: Spec, source: Spec, accumulate: bool) -> Spec:
    check_long_index(index)
    if self.dtype is not source.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{self.dtype.name} and source.dtype = {source.dtype.name}"
        )
    if index.numel != source.numel:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.numel}, index.numel() = {index.numel}"
        )
    if index.numel and not self.numel:
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    dense = geometry.is_non_overlapping_and_dense(self.sizes, self.strides)
    return self if dense else converted_spec(self, self.dtype)


def _put_kernel(output: Tensor, self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> None:
    """``output = self``, then ``output.flatten()[index[i]] = source[i]`` (or ``+=``)."""
    out = TensorAccessor(output)
    copy_elements(out, TensorAccessor(self))
    offsets = list(out.offsets())
    targets = []
    for position in elements(index):
        targets.append(offsets[flat_index(position, len(offsets))])
    pairs = zip(targets, elements(source))
    if accumulate:
        add_at(out, pairs)
        return
    for target, value in pairs:
        out.write(target, value)


native_function(
    "put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
    meta=_put_meta,
    kernel=_put_kernel,
    derivatives={
        "self": lambda grad, index, source_spec, accumulate: (
            grad if accumulate else aten.put.default(grad, index, grad.new_zeros(source_spec.sizes), False)
        ),
        "source": lambda grad, index, source_spec: grad.take(index).reshape(source_spec.sizes),
    },
    variants="function, method",
    separate=("index", "source"),
    inplace=Inplace(updates=True),
    doc="""Returns a copy of ``self`` with the elements of ``source`` written at the indices in ``index``
    (int64) of the flattened tensor, or added if ``accumulate`` is True.

    Negative indices count from the end.  Raises IndexError if out of range or if the numbers of elements
    differ, RuntimeError if the dtypes differ.""",
)
