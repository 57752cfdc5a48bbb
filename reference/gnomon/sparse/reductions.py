"""Reductions of sparse tensors: sums, norms, softmax over the specified elements.

Source: aten/src/ATen/native/sparse/SparseTensorMath.cpp (_sparse_sum), SoftMax.cpp.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..calls.checks import refuse_dtype
from ..calls.native import native_function
from ..dispatch.dispatcher import OpOverload, aten
from ..memory.tensor import Tensor
from ..values import geometry
from ..values.dispatch_key import DispatchKey
from ..values.dtype import float32, int64
from .conversion import coalesced, summed, values_at
from .registration import sparse_kernel
from .tensor import SparseTensor, flat_positions, like, make_sparse


def _sum_over(self: SparseTensor, dims: Any) -> Tensor:
    """The sum over ``dims``: sparse, or strided if no sparse dimension is left."""
    ndim = self._spec.ndim
    wrapped = sorted({geometry.wrap_dim(dim, ndim) for dim in dims})
    if len(wrapped) != len(tuple(dims)):
        raise RuntimeError("sum: a dim appears multiple times in the list of dims")
    self = coalesced(self)
    values = self.held_values
    dense = [dim - self.sparse_ndim + 1 for dim in wrapped if dim >= self.sparse_ndim]
    kept = [dim for dim in range(self.sparse_ndim) if dim not in wrapped]
    if dense:
        values = values.sum(dense)
    if not kept:
        return values.sum(0)
    sizes = tuple(size for dim, size in enumerate(self._spec.sizes) if dim not in wrapped)
    if len(kept) == self.sparse_ndim:
        return make_sparse(self.held_indices, values, sizes, self.coalesced)
    return coalesced(make_sparse(self.held_indices[kept], values, sizes))


def _spread(grad: Tensor, self: SparseTensor, dims: Any) -> SparseTensor:
    """The gradient of a sum over ``dims``: ``grad`` at each specified element."""
    self = coalesced(self)
    ndim = self._spec.ndim
    wrapped = sorted({geometry.wrap_dim(dim, ndim) for dim in dims})
    kept = [dim for dim in range(self.sparse_ndim) if dim not in wrapped]
    grads = values_at(grad, self.held_indices[kept], len(kept))
    for dim in wrapped:
        if dim >= self.sparse_ndim:
            grads = grads.unsqueeze(dim - self.sparse_ndim + 1)
    return like(self, grads.expand(self.held_values._spec.sizes).clone())


native_function(
    "_sparse_sum_backward(Tensor grad, Tensor self, int[] dim) -> Tensor",
    variants="none",
    explicit=_spread,
    derivatives={"grad": lambda grad, dim: aten._sparse_sum.dim(grad, dim)},
    doc="The gradient of a sum over ``dim`` of a sparse tensor.",
)
sparse_kernel("_sparse_sum_backward")(_spread)


native_function(
    "_sparse_sum.dim(Tensor self, int[1] dim) -> Tensor",
    variants="none",
    explicit=lambda self, dim: self.sum(dim),
    derivatives={"self": lambda grad, self, dim: aten._sparse_sum_backward.default(grad, self, dim)},
    doc="""The sum over ``dim`` of a sparse tensor: a sparse tensor, or a strided one if no sparse dimension
    is left.""",
)
sparse_kernel("_sparse_sum.dim")(_sum_over)
native_function(
    "_sparse_sum(Tensor self) -> Tensor",
    variants="none",
    composite=lambda self: self.coalesce().values().sum(),
    doc="The sum of all elements of a sparse tensor, (), strided.",
)
native_function(
    "_sparse_sum.dtype(Tensor self, *, ScalarType dtype) -> Tensor",
    variants="none",
    composite=lambda self, dtype: self.coalesce().values().sum(dtype=dtype),
    doc="The sum of all elements of a sparse tensor, converted to ``dtype``.",
)
native_function(
    "_sparse_sum.dim_dtype(Tensor self, int[1] dim, *, ScalarType dtype) -> Tensor",
    variants="none",
    composite=lambda self, dim, dtype: aten._sparse_sum.dim(self.to(dtype), dim),
    doc="The sum over ``dim`` of a sparse tensor, converted to ``dtype``.",
)


@sparse_kernel("sum")
def _sum(self: SparseTensor, dtype: Any) -> Tensor:
    return self.held_values.sum(dtype=dtype)


@sparse_kernel("sum.dim_IntList")
def _sum_of_all(self: SparseTensor, dim: Any, keepdim: bool, dtype: Any) -> Tensor:
    """Of all sparse dimensions at least: strided."""
    dims = {geometry.wrap_dim(each, self._spec.ndim) for each in dim or range(self._spec.ndim)}
    dense = [each - self.sparse_ndim + 1 for each in dims if each >= self.sparse_ndim]
    result = self.held_values.sum([0, *dense], dtype=dtype)
    for each in sorted(dims) if keepdim else ():
        result = result.unsqueeze(each)
    return result


def _sum_dims(self: SparseTensor, dim: Any, keepdim: bool, dtype: Any) -> Tensor:
    dims = tuple(range(self._spec.ndim)) if not dim else tuple(dim)
    kind = dtype or (None if self._spec.dtype.category >= 2 else int64)
    result = aten._sparse_sum.dim(self if kind is None else self.to(kind), dims)
    if keepdim:
        for each in sorted(geometry.wrap_dim(dim, self._spec.ndim) for dim in dims):
            result = result.unsqueeze(each)
    return result


@sparse_kernel("any.dims")
def _any(self: SparseTensor, dim: Any, keepdim: bool) -> Tensor:
    if keepdim or (dim and len(dim) != self._spec.ndim):
        raise RuntimeError(
            "any of a sparse tensor: only the one of all elements is supported, without dim and keepdim"
        )
    return coalesced(self).held_values.any()


@sparse_kernel("linalg_vector_norm")
def _norm(self: SparseTensor, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Tensor:
    if keepdim or (dim and len(dim) != self._spec.ndim):
        raise RuntimeError(
            "norm of a sparse tensor: only full reductions are supported, without dim and keepdim"
        )
    if ord in (0, -math.inf) or ord < 0:
        raise RuntimeError(f"norm of a sparse tensor: expected an order p > 0, got {ord}")
    return aten.linalg_vector_norm.default(coalesced(self).held_values, ord, None, False, dtype)


def _sum_with_gradient(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Tensor:
    """A strided sum has the gradient of a strided tensor, which is strided."""
    self, dim = arguments[0], arguments[1]
    ndim = self._spec.ndim
    dims = [geometry.wrap_dim(each, ndim) for each in dim or range(ndim)]
    if len(set(dims)) == len(dims) and set(range(self.sparse_ndim)) <= set(dims):
        return operator.redispatch(keys & ~(1 << keys.bit_length() - 1), arguments)
    return _sum_dims(*arguments)


aten.sum.dim_IntList.register(DispatchKey.AutogradSparse, _sum_with_gradient)


# ---------------------------------------------------------------------------------------------------------
# Softmax: elements that are not specified count as minus infinity.


def _groups(self: SparseTensor, dim: int) -> tuple[Tensor, int]:
    """Along ``dim``, a sparse dimension: the number of each column's line, and the number of lines."""
    others = [each for each in range(self.sparse_ndim) if each != dim]
    sizes = tuple(self._spec.sizes[each] for each in others)
    lines, count = flat_positions(self.held_indices[others], sizes), geometry.numel_of(sizes)
    if count <= 64 * self.held_nnz:
        return lines, count
    unique, inverse = aten._unique2.default(lines, True, True, False)[:2]  # most lines have no element
    return inverse, unique._spec.sizes[0]


def _softmax_of(self: SparseTensor, dim: int, is_log: bool) -> SparseTensor:
    dim = geometry.wrap_dim(dim, self._spec.ndim)
    refuse_dtype(self._spec.dtype, "bool", "integer")
    found = coalesced(self)
    values = found.held_values
    if dim >= found.sparse_ndim:
        function = aten._log_softmax.default if is_log else aten._softmax.default
        return like(found, function(values, dim - found.sparse_ndim + 1, False))
    if not found.held_nnz:
        return like(found, values.clone())
    lines, count = _groups(found, dim)
    lowest = aten.full.default(
        (count, *values._spec.sizes[1:]), -math.inf, values._spec.dtype, None, values.device, None
    )
    largest = lowest.index_reduce(0, lines, values, "amax")
    shifted = values - largest[lines]
    exponentials = shifted.exp()
    sums = summed(exponentials, lines, count)[lines]
    return like(found, shifted - sums.log() if is_log else exponentials / sums)


def _softmax_grad_of(grad: Tensor, output: SparseTensor, dim: int, is_log: bool) -> SparseTensor:
    dim = geometry.wrap_dim(dim, output._spec.ndim)
    grads = values_at(grad, output.held_indices, output.sparse_ndim)
    values = output.held_values
    if dim >= output.sparse_ndim:
        place = dim - output.sparse_ndim + 1
        total = (grads if is_log else grads * values).sum(place, keepdim=True)
    else:
        lines, count = _groups(output, dim)
        total = summed(grads if is_log else grads * values, lines, count)[lines]
    return like(output, grads - values.exp() * total if is_log else values * (grads - total))


def _backward_of(name: str) -> Any:
    return lambda grad, result, dim, self: aten._find(f"{name}_backward_data")(grad, result, dim, self)


for _is_log, _name in ((False, "_sparse_softmax"), (True, "_sparse_log_softmax")):
    native_function(
        f"{_name}(Tensor self, int dim, bool half_to_float) -> Tensor",
        variants="none",
        explicit=lambda self, dim, half_to_float: _refuse_strided(),
        derivatives={"self": _backward_of(_name)},
        doc=f"``{_name[8:]}`` over the specified elements of a sparse tensor along ``dim``.",
    )
    sparse_kernel(_name)(
        lambda self, dim, half_to_float, is_log=_is_log: _softmax_of(
            self.to(float32) if half_to_float else self, dim, is_log
        )
    )
    native_function(
        f"{_name}_backward_data(Tensor grad_output, Tensor output, int dim, Tensor self) -> Tensor",
        variants="none",
        explicit=lambda grad_output, output, dim, self: _refuse_strided(),
        doc=f"The gradient of ``{_name}``.",
    )
    sparse_kernel(f"{_name}_backward_data")(
        lambda grad_output, output, dim, self, is_log=_is_log: _softmax_grad_of(
            grad_output, output, dim, is_log
        )
    )
    native_function(
        f"{_name}.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
        variants="none",
        composite=lambda self, dim, dtype, name=_name: aten._find(name)(
            self if dtype is None else self.to(dtype), dim, False
        ),
        doc=f"``{_name}``, of ``self`` converted to ``dtype``.",
    )


def _refuse_strided() -> Any:
    raise NotImplementedError("softmax over specified elements needs a sparse tensor")
