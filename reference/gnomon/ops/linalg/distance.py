"""Distances of vectors (cdist, pdist and relatives), and cosine similarity.

The last dimension of a tensor is that of the vectors, unless ``dim`` is given.  Each distance is one exact
sum, rounded once.  Source: aten/src/ATen/native/Distance.cpp, cpu/DistanceOpsKernel.cpp.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from ...calls.checks import check_dim, check_matrices, check_size, refuse_half
from ...calls.iterator import result_type
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import exact_sum, maximum, power, sqrt
from ...values import geometry


def distance(
    one: Sequence[float], other: Sequence[float], p: float, largest_of: Callable[..., float]
) -> float:
    """``sum(|a - b| ** p) ** (1 / p)``; for p = inf the largest |a - b|, for p = 0 how many are not 0.

    NaN if a difference is NaN; for p = inf ``largest_of`` decides what is the larger of two.
    """
    sizes = [abs(a - b) for a, b in zip(one, other)]
    if p == math.inf:
        return functools.reduce(largest_of, sizes, 0.0)
    if p == 0:
        return math.nan if any(size != size for size in sizes) else float(sum(size != 0 for size in sizes))
    if p == 1:
        return exact_sum(sizes) or 0.0
    if p == 2:
        return sqrt(exact_sum([size * size for size in sizes]))
    return power(exact_sum([power(size, p) for size in sizes]), 1 / p)


def _slope(difference: Any, lengths: Any, p: float) -> Any:
    """The derivative of the distance with respect to the difference; 0 where it does not exist."""
    if p == 0:
        return aten.zeros_like(difference)
    if p == 1:
        return difference.sgn().where(difference == difference, difference)  # the sign of NaN is 0
    size = difference.abs()
    if p == math.inf:
        # times 1 if |difference| is the distance, 0 if not, NaN if infinities or NaN make it undecidable
        return difference.sgn() * (1 - (size - lengths).abs().ceil().clamp_max(1))
    # Zeros are replaced before the division and the power, so that the derivative of the slope is not NaN
    # where the slope is not.
    lengths = lengths.masked_fill(lengths == 0, 1)
    if p == 2:
        return difference / lengths
    equal = size == 0
    powers = size.masked_fill(equal, 1).pow(p - 2 if p > 2 else p - 1).masked_fill(equal, 0)
    return (difference if p > 2 else difference.sgn()) * (powers / lengths.pow(p - 1))


def _cdist_meta(x1: Spec, x2: Spec, p: float, compute_mode: int | None) -> Spec:
    check_matrices("cdist", X1=x1, X2=x2)
    if x1.sizes[-1] != x2.sizes[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.sizes[-1]} X2: {x2.sizes[-1]}"
        )
    for name, each in (("X1", x1), ("X2", x2)):
        if each.dtype.category != 2:
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {each.dtype.name}")
    if not p >= 0:
        raise RuntimeError(f"cdist only supports non-negative p values, but got {p}")
    if compute_mode is not None and not 0 <= compute_mode <= 2:
        raise RuntimeError(f"possible modes: 0, 1, 2, but was: {compute_mode}")
    if x1.dtype is not x2.dtype:
        raise RuntimeError(f"expected scalar type {x1.dtype.name} but found {x2.dtype.name}")
    if x1.numel and x2.numel and not (p == 2 and compute_mode == 1):  # here PyTorch runs its cdist kernel
        refuse_half(x1.dtype)
    batch = geometry.broadcast_sizes(x1.sizes[:-2], x2.sizes[:-2])
    return x1.contiguous((*batch, x1.sizes[-2], x2.sizes[-2]))


def _rows(tensor: Tensor, batch: tuple[int, ...]) -> Any:
    """For each index of ``batch``, to which the tensor is expanded, the list of the matrix's rows."""
    accessor = TensorAccessor(tensor)
    sizes, strides = accessor.sizes, accessor.strides
    outer = geometry.expand_strides(sizes[:-2], strides[:-2], batch)
    for start in geometry.offsets(batch, outer, accessor.offset):
        yield [
            [accessor.read(start + row * strides[-2] + column * strides[-1]) for column in range(sizes[-1])]
            for row in range(sizes[-2])
        ]


def _cdist_kernel(output: Tensor, x1: Tensor, x2: Tensor, p: float, compute_mode: int | None) -> None:
    """The distance of each row of ``x1`` from each row of ``x2``."""
    out = TensorAccessor(output)
    batch = out.sizes[:-2]
    # Python's max keeps its first argument unless the second is larger, so it ignores NaN, as PyTorch's
    # kernel does here; that of _pdist_forward does not.
    distances = (
        distance(one, other, p, max)
        for ones, others in zip(_rows(x1, batch), _rows(x2, batch))
        for one in ones
        for other in others
    )
    for at, number in zip(out.offsets(), distances):
        out.write(at, number)


native_function(
    "_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor",
    meta=_cdist_meta,
    kernel=_cdist_kernel,
    derivatives={
        "x1": lambda grad, x1, x2, p, result: aten._cdist_backward.default(grad, x1, x2, p, result),
        "x2": lambda grad, x1, x2, p, result: aten._cdist_backward.default(
            grad.transpose(-2, -1), x2, x1, p, result.transpose(-2, -1)
        ),
    },
    node_name="CdistBackward0",
    doc="""Computes the p-norm distance between each row of ``x1`` (*, P, M) and each row of ``x2`` (*, R, M):
    (*, P, R).

    ``compute_mode`` determines whether matrix products may be used for p = 2; the reference never uses them,
    a backend only if no precision is lost.""",
)


def _cdist_backward(grad: Any, x1: Any, x2: Any, p: float, cdist: Any) -> Any:
    difference, lengths = x1.unsqueeze(-2) - x2.unsqueeze(-3), cdist.unsqueeze(-1)
    shares = grad.unsqueeze(-1) * _slope(difference, lengths, p)
    if p not in (1, math.inf):  # also for an infinite or NaN gradient, 0 where the slope does not exist
        none = lengths == 0
        shares = shares.masked_fill(none | (difference == 0) if p < 1 else none, 0)
    return shares.sum(-2)


native_function(
    "_cdist_backward(Tensor grad, Tensor x1, Tensor x2, float p, Tensor cdist) -> Tensor",
    composite=_cdist_backward,
    doc="Computes the gradient of _cdist_forward with respect to ``x1``.",
)

cdist = native_function(
    "cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None) -> Tensor",
    composite=lambda x1, x2, p, compute_mode: aten._cdist_forward.default(x1, x2, p, compute_mode),
    doc="""Computes the p-norm distance between each row of ``x1`` (*, P, M) and each row of ``x2`` (*, R, M):
    (*, P, R).

    Both have the same dtype, float32 or float64.  Raises RuntimeError for a negative p.""",
)


def _pdist_meta(self: Spec, p: float) -> Spec:
    if not self.is_contiguous:
        raise RuntimeError(f"_pdist_forward requires contiguous input, but got strides {list(self.strides)}")
    check_dim(2, self=self)
    if not p >= 0:
        raise RuntimeError(f"only supports non-negative p values, but got {p}")
    rows = self.sizes[0]
    pairs = rows * (rows - 1) // 2
    if pairs and self.numel:
        refuse_half(self.dtype, "bool", "integer", "complex")
    return self.contiguous((pairs,))


def _pdist_kernel(output: Tensor, self: Tensor, p: float) -> None:
    out = TensorAccessor(output)
    rows = next(_rows(self, ()))
    pairs = ((one, other) for number, one in enumerate(rows) for other in rows[number + 1 :])
    for at, (one, other) in zip(out.offsets(), pairs):
        out.write(at, distance(one, other, p, maximum))


native_function(
    "_pdist_forward(Tensor self, float p=2) -> Tensor",
    meta=_pdist_meta,
    kernel=_pdist_kernel,
    derivatives={"self": lambda grad, self, p, result: aten._pdist_backward.default(grad, self, p, result)},
    node_name="PdistBackward0",
    doc="""Computes the p-norm distance between each pair of rows of ``self`` (N, M), as a vector of
    N (N - 1) / 2.""",
)


def _square(vector: Any, rows: int) -> Any:
    """The symmetric matrix whose upper triangle, row by row, is ``vector``; 0 on the diagonal."""
    numbers = aten.arange(rows, device=vector.device)
    column = numbers.unsqueeze(1)
    low, high = aten.minimum(column, numbers), aten.maximum(column, numbers)
    position = low * rows - low * (low + 1) // 2 + high - low - 1
    matrix = vector.index_select(0, position.clamp(0).reshape(-1)).reshape((rows, rows))
    return matrix.masked_fill(low == high, 0)


def _pdist_backward(grad: Any, self: Any, p: float, pdist: Any) -> Any:
    check_dim(2, self=self)
    rows = self.size(0)
    pairs = (rows * (rows - 1) // 2,)
    check_size(pairs, grad=grad, pdist=pdist)
    if rows < 2:
        return aten.zeros_like(self)
    return aten._cdist_backward.default(_square(grad, rows), self, self, p, _square(pdist, rows))


native_function(
    "_pdist_backward(Tensor grad, Tensor self, float p, Tensor pdist) -> Tensor",
    composite=_pdist_backward,
    doc="Computes the gradient of _pdist_forward with respect to ``self``.",
)


def _pdist(self: Any, p: float) -> Any:
    spec = self._spec
    if spec.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {spec.ndim}D")
    if spec.dtype.category != 2:
        raise RuntimeError(f"pdist only supports floating-point dtypes, but got {spec.dtype.name}")
    if not p >= 0:
        raise RuntimeError(f"pdist only supports non-negative p values, but got {p}")
    return aten._pdist_forward.default(self.contiguous(), p)


pdist = native_function(
    "pdist(Tensor self, float p=2) -> Tensor",
    variants="function",
    composite=_pdist,
    doc="""Computes the p-norm distance between each pair of rows of ``self`` (N, M), as a vector of
    N (N - 1) / 2.

    float32 and float64.  Raises RuntimeError for a negative p.""",
)

pairwise_distance = native_function(
    "pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor",
    composite=lambda x1, x2, p, eps, keepdim: aten.norm.ScalarOpt_dim(
        x1 - x2 + eps, p, (max(x1.ndim, x2.ndim) - 1,), keepdim
    ),
    doc="Computes the p-norm of ``x1 - x2 + eps`` along the last dimension.",
)


def _cosine_similarity(x1: Any, x2: Any, dim: int, eps: float) -> Any:
    common = result_type(x1._spec, x2._spec)
    if not common.is_floating_point:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {common.name}")
    if not eps >= 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    directions = []
    for each in aten.broadcast_tensors((x1, x2)):
        vectors = each.to(common) if each._spec.dtype.category < 2 else each
        length = aten.linalg_vector_norm.default(vectors, 2, (dim,), True, None).clone()
        length.detach().clamp_min_(eps)  # not recorded by autograd
        directions.append(vectors / length)
    return (directions[0] * directions[1]).sum(dim)


cosine_similarity = native_function(
    "cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor",
    composite=_cosine_similarity,
    doc="""Computes the cosine similarity of the vectors along ``dim``: their dot product divided by their
    norms.

    Norms are clamped to at least ``eps``.  Raises RuntimeError unless the common dtype is floating point, and
    for a negative ``eps``.""",
)
