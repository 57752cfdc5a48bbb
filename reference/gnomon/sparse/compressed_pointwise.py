"""Pointwise operators on compressed tensors, and sums.

Source: aten/src/ATen/native/sparse/SparseCsrTensorMath.cpp; aten/src/ATen/native/BinaryOps.cpp
(mul_sparse_csr).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..calls.checks import refuse_dtype
from ..calls.iterator import result_type
from ..calls.native import native_function
from ..dispatch.dispatcher import OpOverload, aten
from ..memory.tensor import Tensor
from ..values import geometry
from ..values.device import sparse_csr
from ..values.dispatch_key import DispatchKey
from ..values.dtype import int64
from .compressed_construction import compressed_kernel
from .compressed_conversion import from_coo, from_grids, grids_of, masked, to_coo, to_dense
from .compressed_tensor import CompressedTensor, like, make_compressed, parts_of
from .conversion import coalesced
from .index_kernels import add_at, csr_merge, has_kernel, placed, put_at
from .pointwise import refuse_bool_difference
from .registration import autograd_sparse_kernel
from .tensor import SparseTensor, make_sparse

# Zero is mapped to zero.
_UNARY = """_conj_physical abs absolute angle asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac
    isinf isnan isneginf isposinf log1p neg positive rad2deg relu round sgn sign signbit sin sinh sqrt tan
    tanh trunc"""


def _on_values(operator: OpOverload) -> Callable[..., CompressedTensor]:
    """The kernel that applies ``operator`` to the values."""
    return lambda self, *arguments: like(self, operator(self.held_values, *arguments))


@compressed_kernel("normal_")
def _normal_(self: CompressedTensor, mean: float, std: float, generator: Any) -> CompressedTensor:
    self.held_values.normal_(mean, std, generator=generator)
    return self


@compressed_kernel("randn_like")
def _randn_like(self: Tensor, *options: Any) -> Tensor:
    return aten.empty_like.default(self, *options).normal_()


@compressed_kernel("randn_like.generator")
def _randn_like_of(self: Tensor, generator: Any, *options: Any) -> Tensor:
    return aten.empty_like.default(self, *options).normal_(generator=generator)


for _name in _UNARY.split():
    _operator = aten._find(_name)
    if _operator.record.composite is None:
        compressed_kernel(_name)(_on_values(_operator))


@compressed_kernel("threshold_backward")
def _threshold_backward(grad_output: Tensor, self: Tensor, threshold: Any) -> CompressedTensor:
    if not isinstance(self, CompressedTensor):
        raise RuntimeError("threshold_backward: expected a sparse self for a sparse gradient")
    grads = masked(grad_output, self).held_values
    return like(self, aten.threshold_backward.default(grads, self.held_values, threshold))


# ---------------------------------------------------------------------------------------------------------
# Sums and products.


def _by_grids(
    self: CompressedTensor, other: CompressedTensor, function: Callable[..., Any]
) -> CompressedTensor:
    """``function`` of the sparse_coo matrices of two tensors with blocks of equal sizes."""
    grids = [function(one, two) for one, two in zip(grids_of(self), grids_of(other))]
    index_dtype = self.held_plain._spec.dtype
    return from_grids(grids, self._spec.sizes, self.batch_ndim, self._spec.layout, index_dtype)


def _check_same(name: str, self: CompressedTensor, other: CompressedTensor) -> None:
    if self._spec.sizes != other._spec.sizes:
        raise RuntimeError(
            f"{name}: Expected input tensors to have the same shape, but got tensor `self` with shape "
            f"{list(self._spec.sizes)} and tensor `other` with shape {list(other._spec.sizes)}"
        )
    if self.blocksize != other.blocksize:
        raise RuntimeError(
            f"{name}: expected tensors with equal block sizes, but got {list(self.blocksize)} and "
            f"{list(other.blocksize)}"
        )


def _merged(self: CompressedTensor, other: CompressedTensor, alpha: Any) -> CompressedTensor:
    """The sum of two matrices of one layout, row by row (or column by column)."""
    one, two = parts_of(self), parts_of(other)
    if one[0] is two[0] and one[1] is two[1]:
        return like(self, one[2].add(two[2], alpha=alpha))
    kind = one[1]._spec.dtype
    places, other_places, starts = csr_merge(*one[:2], *(each.to(kind) for each in two[:2]))
    count = int(starts[-1].item())
    plain = put_at(placed(count, places, one[1]), other_places, two[1].to(kind))
    values = add_at(placed(count, places, one[2]), other_places, two[2], alpha)
    return make_compressed((starts.to(kind), plain, values), self._spec.sizes, self._spec.layout)


def _sum_of(name: str, self: Any, other: Any, alpha: Any) -> Tensor:
    if isinstance(self, CompressedTensor) and isinstance(other, CompressedTensor):
        _check_same(name, self, other)
        dtype = result_type(self._spec, other._spec)
        refuse_dtype(dtype, "bool")
        first, second = (like(each, each.held_values.to(dtype)) for each in (self, other))
        same = self._spec.layout is other._spec.layout
        if same and not self.batch_ndim and has_kernel(csr_merge, self.held_plain):
            return _merged(first, second, alpha)
        return _by_grids(first, second, lambda one, two: aten.add.Tensor(one, two, alpha))
    dense, sparse = (other, self) if isinstance(self, CompressedTensor) else (self, other)
    if not isinstance(dense, Tensor):
        dense = aten.scalar_tensor.default(dense)
    if isinstance(dense, SparseTensor):
        raise RuntimeError(
            f"{name}: tensors of layouts {self._spec.layout.title} and {other._spec.layout.title} cannot "
            "be added"
        )
    if dense._spec.sizes != sparse._spec.sizes:
        raise RuntimeError(
            f"{name}: expected 'self' and 'other' to have same size, but self has size "
            f"{list(dense._spec.sizes)} while other has size {list(sparse._spec.sizes)} (FYI: op2-sparse "
            "addition does not currently support broadcasting)"
        )
    if (sparse is other or alpha == 1) and not sparse.batch_ndim:
        return aten.add.Tensor(dense, to_coo(sparse), alpha)
    one, two = (to_dense(each) if isinstance(each, CompressedTensor) else each for each in (self, other))
    return aten.add.Tensor(one, two, alpha)


@compressed_kernel("add.Tensor")
def _add(self: Tensor, other: Tensor, alpha: Any) -> Tensor:
    return _sum_of("add", self, other, alpha)


@compressed_kernel("sub.Tensor")
def _sub(self: Tensor, other: Tensor, alpha: Any) -> Tensor:
    refuse_bool_difference(self, other)
    return _sum_of("sub", self, other, -alpha)


@compressed_kernel("mul.Tensor")
def _mul(self: Tensor, other: Any) -> CompressedTensor:
    sparse, factor = (self, other) if isinstance(self, CompressedTensor) else (other, self)
    if isinstance(factor, CompressedTensor):
        _check_same("mul", sparse, factor)
        return _by_grids(sparse, factor, aten.mul.Tensor)
    if isinstance(factor, SparseTensor):
        return from_coo(aten.mul.Tensor(to_coo(sparse), factor), sparse._spec.layout, sparse.blocksize)
    if isinstance(factor, Tensor) and factor._spec.ndim:
        factor = masked(factor, sparse).held_values
    return like(sparse, sparse.held_values * factor)


@compressed_kernel("sparse_mask")
def _sparse_mask(self: Tensor, mask: Tensor) -> CompressedTensor:
    if not isinstance(mask, CompressedTensor):
        raise RuntimeError(
            f"sparse_mask: expects mask to have sparse compressed layout, got {mask._spec.layout.title}"
        )
    is_alike = isinstance(self, CompressedTensor) and self._spec.layout is mask._spec.layout
    if not is_alike or self._spec.sizes != mask._spec.sizes:
        return masked(self, mask)
    # the elements that both specify
    return _mul(self, like(mask, aten.ones_like.default(mask.held_values, dtype=self._spec.dtype)))


# ---------------------------------------------------------------------------------------------------------
# Reductions.


@compressed_kernel("sum")
def _sum(self: CompressedTensor, dtype: Any) -> Tensor:
    return self.held_values.sum(dtype=dtype)


def _reduced(self: CompressedTensor, dim: Any, keepdim: bool, dtype: Any, is_product: bool) -> Tensor:
    """The sum or the product of the specified elements over ``dim``, with sizes of 1 there."""
    if self._spec.layout is not sparse_csr:
        name = "_sparse_csr_prod" if is_product else "_sparse_csr_sum"
        raise RuntimeError(
            f"{name}: expected a tensor of layout SparseCsr, but got {self._spec.layout.title}"
        )
    if not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    if self.batch_ndim or self.dense_ndim:
        raise RuntimeError("reduction operations on CSR tensors are supported for matrices only")
    dims = {geometry.wrap_dim(each, 2) for each in ((dim,) if isinstance(dim, int) else dim)}
    if len(dims) != len(tuple(dim)):
        raise RuntimeError("sum: a dim appears multiple times in the list of dims")
    values = self.held_values.to(dtype or (self._spec.dtype if self._spec.dtype.category >= 2 else int64))
    pair = list(_coordinates(self))
    sizes = list(self._spec.sizes)
    for each in dims:
        pair[each], sizes[each] = aten.zeros_like.default(pair[each]), 1
    positions = pair[0] * sizes[1] + pair[1]
    unique, inverse = aten._unique2.default(positions, True, True, False)[:2]
    made = values.new_full((unique._spec.numel,), 1 if is_product else 0)
    if is_product:
        made = made.index_reduce_(0, inverse, values, "prod")
    else:
        made = made.index_add_(0, inverse, values)
    indices = aten.stack.default([unique.floor_divide(max(sizes[1], 1)), unique % max(sizes[1], 1)], 0)
    found = make_sparse(indices, made, tuple(sizes), coalesced=True)
    return from_coo(found, sparse_csr, index_dtype=self.held_plain._spec.dtype)


def _coordinates(self: CompressedTensor) -> tuple[Tensor, Tensor]:
    rows, columns = coalesced(to_coo(self)).held_indices.unbind(0)
    return rows, columns


def _refuse_strided(*arguments: Any) -> Any:
    raise RuntimeError("expected a tensor of layout sparse_csr")


for _name, _is_product in (("_sparse_csr_sum", False), ("_sparse_csr_prod", True)):
    native_function(
        f"{_name}.dim_dtype(Tensor self, int[1] dim, bool keepdim=False, *, ScalarType? dtype=None) -> "
        "Tensor",
        variants="none",
        explicit=_refuse_strided,
        derivatives=None
        if _is_product
        else {"self": lambda grad, self: grad.to_dense().expand(self._spec.sizes).sparse_mask(self)},
        doc=f"""The {"product" if _is_product else "sum"} of the specified elements of a matrix of layout
        sparse_csr over ``dim``, a matrix of that layout; ``keepdim`` must be True.""",
    )
    compressed_kernel(f"{_name}.dim_dtype")(
        lambda self, dim, keepdim, dtype, is_product=_is_product: _reduced(
            self, dim, keepdim, dtype, is_product
        )
    )


@autograd_sparse_kernel("sum.dim_IntList", DispatchKey.SparseCsr)
def _sum_dims(self: CompressedTensor, dim: Any, keepdim: bool, dtype: Any) -> Tensor:
    if self._spec.layout is not sparse_csr:
        raise RuntimeError(
            "Currently the only compressed sparse format supported for sum.dim_IntList is CSR, but got "
            f"layout {self._spec.layout.title}"
        )
    return aten._sparse_csr_sum.dim_dtype(self, dim or (0, 1), keepdim, dtype)
