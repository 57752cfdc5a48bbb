"""embedding, the rows of a table by index, and one_hot.

Source: aten/src/ATen/native/Embedding.cpp, Onehot.cpp.
"""

from __future__ import annotations

from typing import Any

from ...calls.checks import check_dim_range, check_dtype, check_size
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import exact_sum
from ...values import geometry
from ...values.dtype import LIMITED, complex32, int32, int64


def _embedding_meta(
    weight: Spec, indices: Spec, padding_idx: int, scale_grad_by_freq: bool, sparse: bool
) -> Spec:
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_dtype(int64, int32, indices=indices)
    return weight.contiguous((*indices.sizes, weight.sizes[1]))


def _embedding_kernel(
    output: Tensor, weight: Tensor, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool, sparse: bool
) -> None:
    """``output[..., :] = weight[indices[...], :]``."""
    table, where, out = TensorAccessor(weight), TensorAccessor(indices), TensorAccessor(output)
    rows, width = table.sizes
    starts = geometry.offsets(out.sizes[:-1], out.strides[:-1], out.offset)
    for start, at in zip(starts, where.offsets()):
        row = where.read(at)
        if not 0 <= row < rows:
            raise IndexError(
                f"embedding(): index {row} out of range in self: weight has {rows} rows, expected an index "
                f"from 0 to {rows - 1}"
            )
        for column in range(width):
            out.write(start + column * out.strides[-1], table[row, column])


native_function(
    "embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool "
    "sparse=False) -> Tensor",
    meta=_embedding_meta,
    kernel=_embedding_kernel,
    limited=LIMITED,
    derivatives={
        "weight": lambda grad, indices, weight_sizes, padding_idx, scale_grad_by_freq, sparse: (
            aten.embedding_backward.default(
                grad, indices, weight_sizes[0], padding_idx, scale_grad_by_freq, sparse
            )
        )
    },
    linear=("weight",),
    doc="""Returns the rows of ``weight`` (num_embeddings, embedding_dim) at ``indices`` (*), int32 or int64:
    (*, embedding_dim).

    The row ``padding_idx`` gets no gradient.  With ``sparse`` the gradient of ``weight`` is a sparse tensor
    of the rows at ``indices``.  Raises IndexError for an index out of range.""",
)


def _embedding_backward(
    grad: Tensor,
    indices: Tensor,
    num_weights: int,
    padding_idx: int,
    scale_grad_by_freq: bool,
    sparse: bool,
) -> Tensor:
    function = aten.embedding_sparse_backward if sparse else aten.embedding_dense_backward
    return function.default(grad, indices, num_weights, padding_idx, scale_grad_by_freq)


native_function(
    "embedding_backward(Tensor grad, Tensor indices, SymInt num_weights, SymInt padding_idx, bool "
    "scale_grad_by_freq, bool sparse) -> Tensor",
    variants="none",
    composite=_embedding_backward,
    doc="The gradient of embedding with respect to weight, sparse or strided.",
)


def _sparse_backward(
    grad: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    """A row of values for each index, in the indices' order; rows of equal indices are not summed."""
    if scale_grad_by_freq:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    width = grad.size(-1)
    rows, values = indices.reshape(-1), grad.reshape(indices._spec.numel, width)
    if padding_idx != -1:
        is_used = rows != padding_idx
        rows, values = rows[is_used], values[is_used]
    return aten._sparse_coo_tensor_unsafe.default(
        rows.unsqueeze(0), values, (num_weights, width), None, None, None, None, None
    )


native_function(
    "embedding_sparse_backward(Tensor grad, Tensor indices, int num_weights, int padding_idx, bool "
    "scale_grad_by_freq) -> Tensor",
    variants="none",
    composite=_sparse_backward,
    doc="""The gradient of embedding with respect to weight as a sparse tensor (num_weights, embedding_dim).

    Raises RuntimeError for ``scale_grad_by_freq``.""",
)


def _backward_meta(
    grad_output: Spec, indices: Spec, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Spec:
    check_dim_range(1, geometry.MAX_DIMS + 1, grad_output=grad_output)
    check_dtype(int64, int32, indices=indices)
    check_size((*indices.sizes, grad_output.sizes[-1]), grad_output=grad_output)
    return grad_output.contiguous((num_weights, grad_output.sizes[-1]))


def _backward_kernel(
    grad_weight: Tensor,
    grad_output: Tensor,
    indices: Tensor,
    num_weights: int,
    padding_idx: int,
    scale_grad_by_freq: bool,
) -> None:
    """Each row's gradient is the sum (with ``scale_grad_by_freq`` the mean) of the gradients of its uses."""
    grad, where, out = TensorAccessor(grad_output), TensorAccessor(indices), TensorAccessor(grad_weight)
    uses: dict[int, list[int]] = {}
    starts = geometry.offsets(grad.sizes[:-1], grad.strides[:-1], grad.offset)
    for start, at in zip(starts, where.offsets()):
        row = where.read(at)
        if row != padding_idx:
            uses.setdefault(row, []).append(start)
    dtype = grad_output._spec.dtype
    cast, is_integral = dtype.cast, dtype.category < 2  # an integer sum wraps around before division
    for row in range(num_weights):
        for column in range(out.sizes[1]):
            numbers = [grad.read(start + column * grad.strides[-1]) for start in uses.get(row, [])]
            total = cast(exact_sum(numbers)) if is_integral else exact_sum(numbers)
            out[row, column] = total / len(numbers) if scale_grad_by_freq and numbers else total


native_function(
    "embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, "
    "bool scale_grad_by_freq) -> Tensor",
    meta=_backward_meta,
    kernel=_backward_kernel,
    limited=(complex32,),
    derivatives={
        "grad_output": lambda grad, indices, padding_idx, scale_grad_by_freq: _picked(
            grad, indices, padding_idx, scale_grad_by_freq
        )
    },
    doc="The gradient of embedding with respect to weight.",
)


def _picked(grad: Any, indices: Any, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    picked = grad.index_select(0, indices.reshape(-1)).view((*indices._spec.sizes, grad.size(-1)))
    if padding_idx >= 0:
        picked = picked.masked_fill((indices == padding_idx).unsqueeze(-1), 0)
    if scale_grad_by_freq:
        counts = aten.scatter_add.default(
            grad.new_zeros((grad.size(0),)), 0, indices.reshape(-1), grad.new_ones((indices.numel(),))
        )
        picked = picked / counts.gather(0, indices.reshape(-1)).view((*indices._spec.sizes, 1))
    return picked


def _one_hot(self: Any, num_classes: int) -> Any:
    if self.dtype is not int64:
        raise RuntimeError(
            f"one_hot is only applicable to index tensor of type int64, but got {self.dtype.name}"
        )
    if not self.numel():
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return self.new_zeros((*self.shape, num_classes))
    if not self.is_meta:
        if self.min().item() < 0:
            raise RuntimeError("Class values must be non-negative.")
        largest = self.max().item()
        if num_classes == -1:
            num_classes = largest + 1
        elif num_classes <= largest:
            raise RuntimeError("Class values must be smaller than num_classes.")
    elif num_classes < 1:
        raise RuntimeError("num_classes must be given for a tensor on the meta device")
    classes = aten.arange(num_classes, device=self.device)
    return (self.contiguous().unsqueeze(-1) == classes).to(int64)


native_function(
    "one_hot(Tensor self, int num_classes=-1) -> Tensor",
    python_module="nn",
    composite=_one_hot,
    doc="""Returns a tensor (*, num_classes) with 1 at the index given by each element of ``self`` (*), int64,
    and 0 elsewhere.

    If ``num_classes`` is -1, it is the largest class plus 1.  Raises RuntimeError for other dtypes and for
    classes out of range.""",
)
