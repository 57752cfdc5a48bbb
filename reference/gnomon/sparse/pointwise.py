"""Pointwise operators on sparse tensors: those that map zero to zero, sums, products, quotients by a number.

Source: aten/src/ATen/native/sparse/SparseUnaryOps.cpp, SparseTensorMath.cpp,
SparseBinaryOpIntersectionKernel.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..calls.checks import can_be_read, refuse_dtype
from ..calls.iterator import result_type
from ..dispatch.dispatcher import OpOverload, aten
from ..memory.tensor import Tensor
from ..values import geometry
from ..values.device import contiguous_format, strided
from ..values.dispatch_key import DispatchKey
from ..values.dtype import bool_
from .conversion import add_into, coalesced, values_at
from .index_kernels import add_at, merged_positions, placed, put_at, times
from .registration import run_below, sparse_kernel
from .shapes import broadcast
from .tensor import SparseTensor, like, make_sparse, positions_of

# Zero is mapped to zero.  A value of a sum is not the sum of values, so these coalesce first.
_UNARY = """abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac isinf
    isnan isneginf isposinf log1p nan_to_num rad2deg relu round round.decimals sgn sign signbit sin
    sinh sqrt tan tanh trunc"""


def _on_values(operator: OpOverload) -> Any:
    """The kernel that applies ``operator`` to the values."""

    def run(self: SparseTensor, *arguments: Any) -> SparseTensor:
        found = coalesced(self)
        return like(found, operator(found.held_values, *arguments))

    return run


for _name in _UNARY.split():
    sparse_kernel(_name)(_on_values(aten._find(_name)))


@sparse_kernel("view_as_real", "view_as_complex")
def _view_as_real(self: SparseTensor) -> SparseTensor:
    function = aten.view_as_real.default if self._spec.dtype.is_complex else aten.view_as_complex.default
    values = function(self.held_values)
    return like(self, values)


@sparse_kernel("neg")
def _neg(self: SparseTensor) -> SparseTensor:
    return like(self, self.held_values.neg())


@sparse_kernel("_conj_physical")
def _conj_physical(self: SparseTensor) -> SparseTensor:
    return like(self, aten._conj_physical.default(self.held_values))


@sparse_kernel("pow.Tensor_Scalar")
def _pow(self: SparseTensor, exponent: Any) -> SparseTensor:
    if exponent == 0:
        raise RuntimeError(
            "pow: the exponent of a sparse tensor must not be 0, since all elements would be 1"
        )
    found = coalesced(self)
    return like(found, found.held_values.pow(exponent))


@sparse_kernel("threshold_backward")
def _threshold_backward(grad_output: Tensor, self: Tensor, threshold: Any) -> SparseTensor:
    if not isinstance(self, SparseTensor):
        raise RuntimeError("threshold_backward: expected a sparse self for a sparse gradient")
    found = coalesced(self)
    grads = values_at(grad_output, found.held_indices, found.sparse_ndim)
    return like(found, aten.threshold_backward.default(grads, found.held_values, threshold))


# ---------------------------------------------------------------------------------------------------------
# Sums.


def _check_sums(name: str, self: Tensor, other: Any) -> None:
    if isinstance(self, SparseTensor) and not isinstance(other, SparseTensor):
        raise RuntimeError(f"{name}(sparse, dense) is not supported. Use {name}(dense, sparse) instead.")
    if isinstance(self, SparseTensor) and self._spec.sizes != other._spec.sizes:
        raise RuntimeError(
            f"{name}: expected sizes of 'self' and 'other' to match, but {list(self._spec.sizes)} != "
            f"{list(other._spec.sizes)}"
        )


def refuse_bool_difference(self: Any, other: Any) -> None:
    """Raises RuntimeError for tensors of bool: they have no difference.  Source: BinaryOps.h, sub_check."""
    are_bool = [isinstance(each, Tensor) and each._spec.dtype is bool_ for each in (self, other)]
    if all(are_bool):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    if any(are_bool):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
            "invert a mask, use the `~` or `logical_not()` operator instead."
        )


def _sum_of(name: str, self: Tensor, other: Any, alpha: Any) -> Tensor:
    _check_sums(name, self, other)
    dtype = result_type(self._spec, other._spec)
    if not isinstance(self, SparseTensor):
        if self._spec.sizes != other._spec.sizes:
            raise RuntimeError(
                f"{name}: expected 'self' and 'other' to have same size, but self has size "
                f"{list(self._spec.sizes)} while "
                f"other has size {list(other._spec.sizes)} (FYI: op2-sparse addition does not currently "
                "support "
                "broadcasting)"
            )
        return add_into(self.to(dtype).clone(memory_format=contiguous_format), other, alpha)
    if self.sparse_ndim != other.sparse_ndim:
        raise RuntimeError(
            f"{name}: expected 'self' and 'other' to have same number of sparse dimensions, but "
            f"{self.sparse_ndim} != "
            f"{other.sparse_ndim}"
        )
    if not other.held_nnz or not self.held_nnz:
        kept = (self if self.held_nnz else other).held_values.to(dtype)
        return like(self, kept) if self.held_nnz else like(other, times(kept, alpha))
    refuse_dtype(dtype, "bool")
    if self.held_indices is other.held_indices:
        return like(self, self.held_values.add(other.held_values, alpha=alpha))
    return _merged(self, other, dtype, alpha)


def _merged(self: SparseTensor, other: SparseTensor, dtype: Any, alpha: Any) -> SparseTensor:
    """The sum of two tensors.  Elements with equal indices that meet as both are read become one.

    So sums of tensors that specify the same elements, in whatever order, do not grow.  Tensors whose values
    are not contiguous are joined instead, and equal indices are added when there are more than elements of a
    strided tensor.
    """
    sizes, is_coalesced = self._spec.sizes, self.coalesced and other.coalesced
    one, two = self.held_values, other.held_values
    if one._spec.is_contiguous and two._spec.is_contiguous:
        if can_be_read(self.held_indices):
            places = merged_positions(positions_of(self), positions_of(other))
            total = placed(places[2], places[0], one.to(dtype))
            add_at(total, places[1], two.to(dtype), alpha)
            indices = placed(places[2], places[0], self.held_indices.t())
            indices.index_copy_(0, places[1], other.held_indices.t())
            return make_sparse(indices.t(), total, sizes, is_coalesced)
    values = aten.cat.default([one.to(dtype), two.to(dtype).mul(alpha)], 0)
    found = make_sparse(aten.cat.default([self.held_indices, other.held_indices], 1), values, sizes)
    return coalesced(found) if is_coalesced or found.held_nnz > self._spec.numel else found


@sparse_kernel("add.Tensor")
def _add(self: Tensor, other: Any, alpha: Any) -> Tensor:
    return _sum_of("add", self, other, alpha)


def _add_into(self: Tensor, other: Any, alpha: Any) -> bool:
    """Add a sparse tensor to a strided one in place, if no copy is needed; False if one is."""
    own, given = self._spec, other._spec
    if own.layout is not strided or not isinstance(other, SparseTensor) or not own.is_contiguous:
        return False
    if own.sizes != given.sizes or result_type(own, given) is not own.dtype:
        return False
    add_into(self, other, alpha)
    return True


@sparse_kernel("sub.Tensor")
def _sub(self: Tensor, other: Any, alpha: Any) -> Tensor:
    refuse_bool_difference(self, other)
    return _sum_of("sub", self, other, -alpha)


def _register_in_place(operator: OpOverload, sign: int) -> None:
    copying = operator.kernels[DispatchKey.Sparse]

    def run(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
        self, other, alpha = arguments
        if run_below(_add_into, self, other, sign * alpha):
            return self
        return copying(operator, keys, arguments)

    operator.register(DispatchKey.Sparse, run)


_register_in_place(aten.add_.Tensor, 1)
_register_in_place(aten.sub_.Tensor, -1)


# ---------------------------------------------------------------------------------------------------------
# Products and quotients.


def _is_number(value: Any) -> bool:
    return not isinstance(value, Tensor) or (not isinstance(value, SparseTensor) and not value._spec.ndim)


def _intersection(self: SparseTensor, other: SparseTensor) -> SparseTensor:
    """The product of two sparse tensors: each value of one times the element of the other."""
    if self._spec.ndim != other._spec.ndim or self.sparse_sizes != other.sparse_sizes:
        raise RuntimeError(
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of "
            "sparse dimensions, and shape of sparse dimensions"
        )
    if not self.held_nnz or not other.held_nnz:
        found = self if not self.held_nnz else other
        return like(found, found.held_values.to(result_type(self._spec, other._spec)), coalesced=True)
    if self.coalesced and other.coalesced:
        return _common_product(self, other)
    # zeros remain; the columns of a coalesced tensor, or else of the one with more of them, are looked up
    is_first = (self.coalesced, self.held_nnz) >= (other.coalesced, other.held_nnz)
    known, source = (coalesced(self), other) if is_first else (coalesced(other), self)
    values = source.held_values * values_at(known, source.held_indices, known.sparse_ndim)
    sizes = (*self.sparse_sizes, *values._spec.sizes[1:])
    return make_sparse(source.held_indices, values, sizes, source.coalesced)


def _common_product(self: SparseTensor, other: SparseTensor) -> SparseTensor:
    """The product of two coalesced tensors, at the columns that both have."""
    places, other_places, count = merged_positions(positions_of(self), positions_of(other))
    found: Any = put_at(
        places.new_full((count,), -1),
        other_places,
        aten.arange.default(other.held_nnz, device=places._spec.device),
    )
    partners = found[places]  # -1 at a column that `other` has not
    is_there = partners >= 0
    values = self.held_values[is_there] * other.held_values[partners[is_there]]
    sizes = (*self.sparse_sizes, *values._spec.sizes[1:])
    return make_sparse(self.held_indices[:, is_there], values, sizes, True)


@sparse_kernel("mul.Tensor")
def _mul(self: Tensor, other: Any) -> SparseTensor:
    if isinstance(self, SparseTensor) and isinstance(other, SparseTensor):
        return _intersection(self, other)
    sparse, dense = (self, other) if isinstance(self, SparseTensor) else (other, self)
    if _is_number(dense):
        return like(sparse, sparse.held_values * dense)
    sizes = geometry.broadcast_sizes(sparse._spec.sizes, dense._spec.sizes)
    sparse = broadcast(sparse, sizes)
    factors = values_at(dense.expand(sizes), sparse.held_indices, sparse.sparse_ndim)
    return like(sparse, sparse.held_values * factors)


def _quotient(name: str, operator: Any, self: Tensor, other: Any, *options: Any) -> SparseTensor:
    if not isinstance(self, SparseTensor) or not _is_number(other):
        sizes = list(other._spec.sizes) if isinstance(other, Tensor) else []
        raise RuntimeError(
            f"Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {sizes} for "
            "divisor)"
        )
    found = self if name == "true" else coalesced(self)  # rounding is not linear
    return like(found, operator(found.held_values, other, *options))


@sparse_kernel("div.Tensor")
def _div(self: Tensor, other: Any) -> SparseTensor:
    return _quotient("true", aten.div.Tensor, self, other)


@sparse_kernel("div.Tensor_mode")
def _div_mode(self: Tensor, other: Any, rounding_mode: Any) -> SparseTensor:
    return _quotient(rounding_mode or "true", aten.div.Tensor_mode, self, other, rounding_mode)


@sparse_kernel("floor_divide")
def _floor_divide(self: Tensor, other: Any) -> SparseTensor:
    return _quotient("floor", aten.floor_divide.default, self, other)
