"""Inner, outer, Kronecker and cross products, tensordot, and chains of matrix products.

Most are composites of matrix products, and accumulate as those do.

Source: aten/src/ATen/native/Linear.cpp (tensordot, einsum), LinearAlgebra.cpp, Cross.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.checks import check_floating_or_complex, check_same_dtype, refuse_dtype
from ...calls.native import native_function
from ...calls.record import Inputs, Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.loops import rows_along
from ...values import geometry
from ...values.geometry import wrap_dim, wrap_dims


def _conj(tensor: Any) -> Any:
    return tensor.conj() if tensor.dtype.is_complex else tensor


vdot = native_function(
    "vdot(Tensor self, Tensor other) -> Tensor",
    composite=lambda self, other: aten.dot.default(_conj(self), other),
    out=Out(exact=True),
    doc="Computes the dot product of two vectors of equal size and dtype, the first one conjugated.",
)


def _outer(self: Any, vec2: Any) -> Any:
    for name, each in (("self", self), ("vec2", vec2)):
        if each.ndim != 1:
            raise RuntimeError(f"Expected 1-D argument {name}, but got {each.ndim}-D")
    return aten.mul.Tensor(self.unsqueeze(1), vec2)


for _name in ("outer", "ger"):
    native_function(
        f"{_name}(Tensor self, Tensor vec2) -> Tensor",
        composite=_outer,
        out="out",
        doc="""Computes the outer product of vectors (n) and (m): ``result[i, j] = self[i] * vec2[j]``, a
        matrix (n, m).

        The dtypes promote.  Raises RuntimeError for operands that are not vectors.""",
    )


def _inner(self: Any, other: Any) -> Any:
    if not self.ndim or not other.ndim:
        return aten.mul.Tensor(self, other)
    if self.size(-1) != other.size(-1):
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(self.shape)} and {list(other.shape)}"
        )
    if self.ndim == other.ndim == 1:
        return aten.dot.default(self, other)
    return aten.tensordot.default(self, other, (-1,), (-1,))


inner = native_function(
    "inner(Tensor self, Tensor other) -> Tensor",
    composite=_inner,
    out="out",
    doc="""Computes the sum of products over the last dimensions: (*, k) and (+, k) give (*, +).

    Multiplies if one operand is 0-dim.  Raises RuntimeError for sizes and dtypes that differ.""",
)


def _kron(self: Any, other: Any) -> Any:
    """Each dimension of the result merges one of ``self`` and one of ``other``, in this order."""
    ndim = max(self.ndim, other.ndim)
    left, right = (each.reshape(((1,) * (ndim - each.ndim)) + tuple(each.shape)) for each in (self, other))
    sizes = [a * b for a, b in zip(left.shape, right.shape)]
    left = left.reshape([size for each in left.shape for size in (each, 1)])
    right = right.reshape([size for each in right.shape for size in (1, each)])
    return aten.mul.Tensor(left, right).reshape(sizes)


kron = native_function(
    "kron(Tensor self, Tensor other) -> Tensor",
    composite=_kron,
    out=Out(row_major=True),
    doc="""Computes the Kronecker product: each element of ``self`` times all of ``other``.

    The operand with fewer dimensions gets leading dimensions of size 1.  Sizes multiply; dtypes promote.""",
)


# -- the cross product ---------------------------------------------------------------------------------------


def _check_same_ndim(self: Any, other: Any) -> None:
    """Raises RuntimeError for different numbers of dimensions."""
    if self.ndim != other.ndim:
        raise RuntimeError("inputs must have the same number of dimensions.")


def _cross_meta(self: Spec, other: Spec, dim: int) -> Spec:
    _check_same_ndim(self, other)
    where = wrap_dim(dim, self.ndim)
    if not self.ndim or self.sizes[where] != 3 or other.sizes[where] != 3:
        sizes = [each.sizes[where] if each.ndim else 1 for each in (self, other)]
        raise RuntimeError(f"inputs dimension {dim} must have length 3. Got {sizes[0]} and {sizes[1]}")
    check_same_dtype(self=self, other=other)
    refuse_dtype(self.dtype, "bool")
    return self.contiguous(geometry.broadcast_sizes(self.sizes, other.sizes))


def _cross_kernel(output: Tensor, self: Tensor, other: Tensor, dim: int) -> None:
    """The cross product of the vectors along ``dim``."""
    write = TensorAccessor(output).write
    rows = zip(rows_along(output, dim, []), rows_along(self, dim, []), rows_along(other, dim, []))
    for (_, targets, _), (_, _, a), (_, _, b) in rows:
        write(targets[0], a[1] * b[2] - a[2] * b[1])
        write(targets[1], a[2] * b[0] - a[0] * b[2])
        write(targets[2], a[0] * b[1] - a[1] * b[0])


linalg_cross = native_function(
    "linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor",
    meta=_cross_meta,
    kernel=_cross_kernel,
    inputs=Inputs(expanded=("self", "other")),
    python_module="linalg",
    variants="function",
    derivatives={
        "self": lambda grad, other, dim: aten.linalg_cross.default(_conj(other).expand_as(grad), grad, dim),
        "other": lambda grad, self, dim: aten.linalg_cross.default(grad, _conj(self).expand_as(grad), dim),
    },
    separate=("self", "other"),
    out=Out(exact=True),
    doc="""Computes the cross product of the 3-dimensional vectors along ``dim``; the other dimensions
    broadcast.

    Raises RuntimeError for another size of ``dim``, and for different dtypes or numbers of dimensions.""",
)


def _cross(self: Any, other: Any, dim: int | None) -> Any:
    if dim is None:
        _check_same_ndim(self, other)
        dim = next((each for each, size in enumerate(self.shape) if size == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return aten.linalg_cross.default(self, other, dim)


cross = native_function(
    "cross(Tensor self, Tensor other, int? dim=None) -> Tensor",
    composite=_cross,
    separate=("self", "other"),
    out=Out(exact=True),
    doc="""Computes the cross product along ``dim``, by default the first dimension of size 3; see
    linalg.cross.""",
)


def _vecdot(x: Any, y: Any, dim: int) -> Any:
    check_floating_or_complex(x.dtype)
    if x.dtype is not y.dtype:
        raise RuntimeError(
            f"Expected x and y to have the same dtype, but found x of type {x.dtype.name} and y of type "
            f"{y.dtype.name} instead"
        )
    if x.ndim == 1 and y.ndim == 1:
        if x.numel() != y.numel():
            geometry.broadcast_sizes(tuple(x.shape), tuple(y.shape))
        return aten.vdot.default(x, y)
    wrap_dim(dim, max(x.ndim, y.ndim))
    sizes = geometry.broadcast_sizes(tuple(x.shape), tuple(y.shape))
    if not sizes:
        return _conj(x) * y
    left, right = (each.expand(sizes).movedim(dim, -1) for each in (_conj(x), y))
    return aten.matmul.default(left.unsqueeze(-2), right.unsqueeze(-1)).squeeze(-1).squeeze(-1)


linalg_vecdot = native_function(
    "linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor",
    composite=_vecdot,
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="""Computes the dot products of the vectors along ``dim``, ``x`` conjugated; the other dimensions
    broadcast.

    Raises RuntimeError for integers, and for different dtypes.""",
)


# -- chains of matrices --------------------------------------------------------------------------------------


def _best_order(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """For each product of matrices i to j, the split that needs the fewest multiplications.

    Matrix i has sizes ``sizes[i]`` x ``sizes[i + 1]``.  Source: Cormen et al., "Introduction to Algorithms",
    matrix-chain order.
    """
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    split = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            choices = [
                cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)
            ]
            cost[i, j] = min(choices)
            split[i, j] = i + choices.index(cost[i, j])
    return split


def _multi_dot(tensors: Sequence[Any]) -> Any:
    count = len(tensors)
    if count < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {count}")
    for position, each in enumerate(tensors):
        at_end = position in (0, count - 1)
        if each.ndim != 2 and not (at_end and each.ndim == 1):
            expected = "1D or 2D" if at_end else "2D"
            raise RuntimeError(f"multi_dot(): tensor {position} must be {expected} but got {each.ndim}D")
        if each.dtype is not tensors[0].dtype:
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{tensors[0].dtype.name} and tensor {position} {each.dtype.name}"
            )
    matrices = list(tensors)
    sizes = [*tensors[0].shape[:-1], *tensors[-1].shape[1:]]
    if matrices[0].ndim == 1:
        matrices[0] = matrices[0].unsqueeze(0)
    if matrices[-1].ndim == 1:
        matrices[-1] = matrices[-1].unsqueeze(-1)
    for position in range(count - 1):
        if matrices[position].size(1) != matrices[position + 1].size(0):
            raise RuntimeError(
                f"multi_dot(): tensors {position} and {position + 1} with shapes "
                f"{list(tensors[position].shape)} and {list(tensors[position + 1].shape)} cannot be "
                "multiplied"
            )
    split = _best_order([matrices[0].size(0), *(each.size(1) for each in matrices)])
    return _product_of(matrices, split, 0, count - 1).view(sizes)


def _product_of(matrices: Any, split: Any, first: int, last: int) -> Any:
    """The product of matrices ``first`` to ``last``, parenthesized according to ``split``."""
    if first == last:
        return matrices[first]
    left = _product_of(matrices, split, first, split[first, last])
    return aten.mm.default(left, _product_of(matrices, split, split[first, last] + 1, last))


linalg_multi_dot = native_function(
    "linalg_multi_dot(Tensor[] tensors) -> Tensor",
    composite=_multi_dot,
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="""Computes the product of several matrices, in the order with the fewest multiplications.

    The first and the last may be vectors.  Raises RuntimeError for fewer than two, sizes that do not match,
    and different dtypes.""",
)


def _chain_matmul(matrices: Sequence[Any]) -> Any:
    for each in matrices:
        if each.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {each.ndim}, expected 2 instead.")
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    return matrices[0].clone() if len(matrices) == 1 else _multi_dot(matrices)


native_function(
    "chain_matmul(Tensor[] matrices) -> Tensor",
    composite=_chain_matmul,
    out=Out(exact=True, row_major=True),
    doc="""Computes the product of matrices, in the order with the fewest multiplications.

    Of one matrix it is a copy.  Deprecated: see linalg.multi_dot.  Raises RuntimeError for no matrices,
    for vectors, sizes that do not match, and different dtypes.""",
)


# -- contractions --------------------------------------------------------------------------------------------


def _tensordot(self: Any, other: Any, dims_self: Sequence[int], dims_other: Sequence[int]) -> Any:
    """A matrix product, with the contracted dimensions moved last in ``self`` and first in ``other``."""
    if len(dims_self) != len(dims_other):
        raise RuntimeError("both dimension lists should have same length")
    if self.dtype is not other.dtype:
        raise RuntimeError(
            f"both inputs should have same dtype, got {self.dtype.name} and {other.dtype.name}"
        )
    mine, theirs = wrap_dims(dims_self, self.ndim), wrap_dims(dims_other, other.ndim)
    size = 1
    left, right = self, other
    for a, b, dim_a, dim_b in zip(mine, theirs, dims_self, dims_other):
        if left.size(a) == 1:  # broadcasts, so the other operand can be summed first
            right = aten.sum.dim_IntList(right, (b,), True, right.dtype)
        elif right.size(b) == 1:
            left = aten.sum.dim_IntList(left, (a,), True, left.dtype)
        elif left.size(a) != right.size(b):
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {left.size(a)} in dim {dim_a} and "
                f"second has size {right.size(b)} in dim {dim_b}"
            )
        size *= min(left.size(a), right.size(b)) if 1 in (left.size(a), right.size(b)) else left.size(a)
    free_left = [dim for dim in range(left.ndim) if dim not in mine]
    free_right = [dim for dim in range(right.ndim) if dim not in theirs]
    rows, columns = [left.size(dim) for dim in free_left], [right.size(dim) for dim in free_right]
    matrix = left.permute([*free_left, *mine]).reshape((geometry.numel_of(rows), size))
    other_matrix = right.permute([*theirs, *free_right]).reshape((size, geometry.numel_of(columns)))
    return aten.mm.default(matrix, other_matrix).reshape([*rows, *columns])


tensordot = native_function(
    "tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor",
    composite=_tensordot,
    out=Out(exact=True),
    doc="""Contracts dimensions ``dims_self`` of ``self`` with ``dims_other`` of ``other``, pair by pair.

    The result has the remaining dimensions of ``self``, then those of ``other``.  Raises RuntimeError for
    sizes or dtypes that differ.""",
)
