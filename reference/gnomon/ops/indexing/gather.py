"""Selecting elements by position: gather, take_along_dim, take, index_select.

Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, derivatives.yaml.
"""

from __future__ import annotations

from typing import Any

from ...calls.checks import check_index_dims, check_index_dtype, check_long_index, refuse_limited
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.indexing import flat_index, positions_along, slice_offsets
from ...values import geometry
from ...values.dtype import FLOAT8, LIMITED, complex32, int64
from ...values.geometry import Ints, wrap_dim


def _gather_meta(self: Spec, dim: int, index: Spec, sparse_grad: bool) -> Spec:
    dim = wrap_dim(dim, self.ndim)
    if index.numel:
        check_index_dtype(index)
        check_index_dims(index, input=self)
    for each in range(min(self.ndim, index.ndim) if index.numel else 0):
        if each != dim and index.sizes[each] > self.sizes[each]:
            raise RuntimeError(
                f"Size does not match at dimension {each} expected index {list(index.sizes)} to be no "
                f"larger than self {list(self.sizes)} apart from dimension {dim}"
            )
    return self.contiguous(index.sizes)


def _gather_kernel(output: Tensor, self: Tensor, dim: int, index: Tensor, sparse_grad: bool) -> None:
    """``output[i][j] = self[index[i][j]][j]`` for dim 0, and so on."""
    source, out = TensorAccessor(self), TensorAccessor(output)
    dim = wrap_dim(dim, len(source.sizes))
    positions = positions_along(index, source.sizes, source.strides, source.offset, dim)
    for target, position in zip(out.offsets(), positions):
        out.write(target, source.read(position))


gather = native_function(
    "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
    meta=_gather_meta,
    kernel=_gather_kernel,
    derivatives={
        "self": lambda grad, self_sizes, dim, index, sparse_grad: _gather_grad(
            grad, self_sizes, dim, index, sparse_grad
        )
    },
    linear=("self",),
    separate=("self",),
    out=Out(exact=True),
    doc="""Gathers elements along ``dim`` at the indices in ``index`` (int64 or int32); the result
    has its sizes.  ``sparse_grad``: whether the gradient of ``self`` is a sparse tensor.

    ``result[i][j] = self[index[i][j]][j]`` for dim 0.  Raises RuntimeError for an index out of range
    (negative ones included), and for an ``index`` larger than ``self`` in another dimension than ``dim``.""",
)


def _gather_grad(grad: Tensor, sizes: Ints, dim: int, index: Tensor, sparse_grad: bool) -> Tensor:
    if sparse_grad:
        return _sparse_gather_grad(grad, sizes, dim, index)
    return aten.scatter_add.default(grad.new_zeros(sizes), dim, index, grad)


def _sparse_gather_grad(grad: Tensor, sizes: Ints, dim: int, index: Tensor) -> Tensor:
    """The sparse gradient, with a column of indices for each element of ``index``."""
    places = [aten.arange.default(size, device=index._spec.device) for size in index._spec.sizes]
    rows = [each.flatten() for each in aten.meshgrid.indexing(places, "ij")] if places else []
    if rows:
        rows[wrap_dim(dim, len(sizes))] = index.flatten().to(int64)
        indices = aten.stack.default(rows, 0)
    else:
        indices = index.new_empty((0, 1), dtype=int64)
    return aten._sparse_coo_tensor_unsafe.default(indices, grad.flatten(), sizes)


native_function(
    "_gather_sparse_backward(Tensor self, int dim, Tensor index, Tensor grad) -> Tensor",
    variants="none",
    composite=lambda self, dim, index, grad: _sparse_gather_grad(grad, self._spec.sizes, dim, index),
    doc="The gradient of gather as a sparse tensor, whose columns of indices are those that were gathered.",
)
native_function(
    "gather_backward(Tensor grad, Tensor self, int dim, Tensor index, bool sparse_grad) -> Tensor",
    variants="none",
    composite=lambda grad, self, dim, index, sparse_grad: _gather_grad(
        grad, self._spec.sizes, dim, index, sparse_grad
    ),
    doc="The gradient of gather, sparse or strided.",
)


def _take_along_dim(self: Any, indices: Any, dim: int | None) -> Any:
    if dim is None:
        return aten.gather.default(self.view((-1,)), 0, indices.view((-1,)), False)
    if indices._spec.dtype is not int64:
        raise RuntimeError(f"dtype of indices should be Long but got {indices._spec.dtype.name}")
    if self.ndim != indices.ndim:
        raise RuntimeError(
            "input and indices should have the same number of dimensions, but got "
            f"{self.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    dim = wrap_dim(dim, self.ndim, wrap_scalar=False)
    if self.size(dim):  # indices wrap around, any number of times
        indices = indices % self.size(dim)
    mine, theirs = self._spec.sizes, indices._spec.sizes
    # both broadcast to common sizes in all dimensions except dim, where each keeps its own
    wanted = geometry.broadcast_sizes((*mine[:dim], *theirs[dim : dim + 1], *mine[dim + 1 :]), theirs)
    source = geometry.broadcast_sizes((*theirs[:dim], *mine[dim : dim + 1], *theirs[dim + 1 :]), mine)
    return aten.gather.default(self.expand(source), dim, indices.expand(wanted), False)


native_function(
    "take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor",
    composite=_take_along_dim,
    separate=("self",),
    out=Out(exact=True),
    doc="""Gathers elements along ``dim`` at ``indices`` (int64), such as argsort's; both broadcast except
    along ``dim``.

    Without ``dim`` both are flattened; with it, indices are taken modulo the size.  Raises RuntimeError for
    other dtypes, and for sizes that do not broadcast.""",
)


def _take_meta(self: Spec, index: Spec) -> Spec:
    check_long_index(index)
    if not self.numel and index.numel:
        raise IndexError("take(): tried to take from an empty tensor")
    return self.contiguous(index.sizes)


def _take_kernel(output: Tensor, self: Tensor, index: Tensor) -> None:
    """``output[i] = self.flatten()[index[i]]``."""
    source, out, where = TensorAccessor(self), TensorAccessor(output), TensorAccessor(index)
    offsets = list(source.offsets())
    for target, at in zip(out.offsets(), where.offsets()):
        position = where.read(at)
        out.write(target, source.read(offsets[flat_index(position, len(offsets))]))


native_function(
    "take(Tensor self, Tensor index) -> Tensor",
    meta=_take_meta,
    kernel=_take_kernel,
    derivatives={
        "self": lambda grad, self, index: aten.put.default(aten.zeros_like(self), index, grad, True)
    },
    separate=("self", "index"),
    out=Out(exact=True),
    doc="""Returns the elements of the flattened ``self`` at the indices in ``index`` (int64), with the sizes
    of ``index``.

    Negative indices count from the end.  Raises IndexError if out of range.""",
)


def _index_select_meta(self: Spec, dim: int, index: Spec) -> Spec:
    dim = wrap_dim(dim, self.ndim)
    if index.ndim > 1:
        raise IndexError(f"Index is supposed to be a vector, but got dim: {index.ndim}")
    check_index_dtype(index)
    if self.ndim < 2:  # PyTorch's kernel of slices takes every dtype, that of numbers does not
        refuse_limited(self.dtype, (*FLOAT8, complex32))
    if not self.ndim:
        if index.numel != 1:
            raise RuntimeError(f"Index to scalar can have only 1 value, got {index.numel} value(s)")
        return self.contiguous(())
    return self.contiguous((*self.sizes[:dim], index.numel, *self.sizes[dim + 1 :]))


def _index_select_kernel(output: Tensor, self: Tensor, dim: int, index: Tensor) -> None:
    """``output[..., i, ...] = self[..., index[i], ...]``."""
    source, out, where = TensorAccessor(self), TensorAccessor(output), TensorAccessor(index)
    dim = wrap_dim(dim, len(source.sizes))
    size = source.sizes[dim] if source.sizes else 1
    # PyTorch has two kernels, chosen by the sizes, which raise different exceptions
    error = RuntimeError if len(source.sizes) > 1 and (dim == 1 or 0 in source.sizes) else IndexError
    for position, at in enumerate(where.offsets()):
        number = where.read(at)
        if not 0 <= number < size:
            raise error(
                f"index_select(): index {number} is out of range for dimension {dim} with size {size}"
            )
        starts = slice_offsets(source, dim, number)
        for target, offset in zip(slice_offsets(out, dim, position), starts):
            out.write(target, source.read(offset))


def _index_select_grad(grad: Any, self_sizes: Any, dim: int, index: Any) -> Any:
    if not self_sizes:
        return grad
    shape = [1] * len(self_sizes)
    dim = wrap_dim(dim, len(self_sizes))
    shape[dim] = index.numel()
    return aten.scatter_add.default(
        grad.new_zeros(self_sizes), dim, index.reshape(shape).expand(grad._spec.sizes), grad
    )


index_select = native_function(
    "index_select(Tensor self, int dim, Tensor index) -> Tensor",
    meta=_index_select_meta,
    kernel=_index_select_kernel,
    limited=LIMITED,
    derivatives={"self": _index_select_grad},
    linear=("self",),
    separate=("self", "index"),
    out=Out(exact=True),
    doc="""Returns the slices along ``dim`` at the indices in a vector ``index`` (int32 or int64).

    ``result[:, i] = self[:, index[i]]`` for dim 1.  Raises IndexError for an index out of range, negative
    ones included (RuntimeError along dim 1, as in PyTorch); RuntimeError for other dtypes of ``index``.""",
)
