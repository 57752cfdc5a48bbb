"""Norms of vectors and matrices.

Accumulation: powers are summed exactly rounded in float64 and the result is rounded once; intermediate values
of the 2-norm neither overflow nor underflow.

Source: aten/src/ATen/native/LinearAlgebra.cpp (linalg_norm and relatives), ReduceOps.cpp (norm).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...calls.checks import check_floating_or_complex, check_matrix
from ...calls.iterator import TensorIterator
from ...calls.meta_functions import reduce, reduced_dims
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...numerics import arithmetic
from ...values.dtype import bfloat16, complex32, float16, float32, promote_types
from ...values.geometry import wrap_dim


def _check_dtype(self: Any, dtype: Any) -> None:
    """``dtype`` may only widen the dtype of ``self``, which must be floating point or complex."""
    check_floating_or_complex(self)
    if dtype is None:
        return
    if dtype.category < 2:
        raise RuntimeError(f"dtype should be floating point or complex, but got {dtype.name}")
    if dtype.is_complex != self.is_complex:
        kind = "complex" if self.is_complex else "real"
        raise RuntimeError(f"dtype should be {kind} for {kind} inputs, but got {dtype.name}")
    if promote_types(self, dtype) is not dtype:
        raise RuntimeError(
            f"the dtype of the input ({self.name}) should be convertible without narrowing to the "
            f"specified dtype ({dtype.name})"
        )


def _vector_norm_meta(self: Spec, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> TensorIterator:
    if isinstance(ord, complex):
        raise RuntimeError("Expected a non-complex scalar as the order of norm.")
    _check_dtype(self.dtype, dtype)
    dims = reduced_dims(dim, self.ndim)
    if ord < 0 or ord == math.inf:
        for each in dims if dim is not None and len(dim) else ():
            if self.ndim and not self.sizes[each]:
                raise RuntimeError(
                    f"cannot compute the {ord} norm on the dimension {each} because this dimension is empty "
                    "and the operation does not have an identity"
                )
        if (dim is None or not len(dim)) and not self.numel:
            raise RuntimeError(
                f"cannot compute the {ord} norm on an empty tensor because the operation does not have an "
                "identity"
            )
    wide = dtype or self.dtype
    return reduce(self, dim, keepdim, wide.to_real(), wide)


def vector_norm(numbers: list[Any], ord: float) -> float:
    """``(sum of |x| ** ord) ** (1 / ord)``; for ord 0 the count of nonzeros, for ±inf the extreme of |x|."""
    sizes = [arithmetic.absolute(number) for number in numbers]
    if ord == 0:
        return float(sum(size != 0 for size in sizes))
    if any(size != size for size in sizes):
        return math.nan
    if math.isinf(ord):
        return max(sizes) if ord > 0 else min(sizes)
    if ord == 1:
        return arithmetic.exact_sum(sizes) + 0.0
    largest = max(sizes, default=0.0)
    if largest == 0 or math.isinf(largest):
        return arithmetic.power(
            arithmetic.exact_sum([arithmetic.power(each, ord) for each in sizes]) + 0.0, 1 / ord
        )
    # scaled by the largest, so that powers do not overflow float64
    powers = arithmetic.exact_sum([arithmetic.power(size / largest, ord) for size in sizes])
    return largest * arithmetic.power(powers, 1 / ord)


def _vector_norm_kernel(iterator: TensorIterator, ord: Any, dim: Any, keepdim: bool) -> None:
    """The norm of the elements over the reduced dimensions."""
    write = TensorAccessor(iterator.tensor(0)).write
    read = TensorAccessor(iterator.tensor(1)).read
    for target, sources in iterator.reduction_groups(1):
        write(target, vector_norm([read(source) for source in sources], ord))


def _vector_norm_grad(grad: Any, self: Any, ord: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """``grad * |x| ** (ord - 1) * sgn(x) / norm ** (ord - 1)``, and 0 where the norm is 0.

    Source: linalg_vector_norm_backward.
    """
    sizes = self._spec.sizes
    self = self.to(aten.result_type.Tensor(self, grad)) if self.dtype.to_real() is not grad.dtype else self
    if not keepdim and sizes:
        for each in reduced_dims(dim, len(sizes)):
            grad, result = grad.unsqueeze(each), result.unsqueeze(each)
    if ord == 0:
        return None
    if ord == 1:
        return self.sgn() * grad
    if ord == 2:
        return grad * _over(self, result)
    if math.isinf(ord):
        size = self.abs()
        chosen = (size == result) | (size.isnan() & result.isnan())
        count = aten.sum.dim_IntList(chosen, dim, True, None) if sizes else 1
        return self.sgn() * (chosen / count * grad)
    if ord < 1:
        scaled = self.sgn() * self.abs().pow(ord - 1).masked_fill(self == 0, 0)
        return scaled * (result.pow(1 - ord) * grad)
    scaled = self.sgn() * self.abs().pow(ord - 1) if ord < 2 else self * self.abs().pow(ord - 2)
    return scaled * _over(grad, result, ord - 1)


def _over(grad: Any, result: Any, exponent: Any = 1) -> Any:
    """``grad / result ** exponent``, 0 where the result is 0; masked elements do not become inf either."""
    is_zero = result == 0
    quotient = grad / result.masked_fill(is_zero, 1).pow(exponent)
    return aten.where.self(is_zero, 0, quotient)  # which, unlike masked_fill, keeps the order of dimensions


linalg_vector_norm = native_function(
    "linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
    "dtype=None) -> Tensor",
    meta=_vector_norm_meta,
    kernel=_vector_norm_kernel,
    limited=(complex32,),
    derivatives={"self": _vector_norm_grad},
    identity=0,
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="""Computes the norm of order ``ord`` over dimensions ``dim`` (all if None), as of one vector.

    ``(sum of |x| ** ord) ** (1 / ord)``; for ord 0 the number of nonzero elements, for inf and -inf the
    largest and the smallest absolute value.  ``self`` is first converted to ``dtype``, which may only widen
    it.  The result is real.  Raises RuntimeError for integers, and for an empty dimension if the order has no
    identity.""",
)


# -- norm ----------------------------------------------------------------------------------------------------


def _norm(self: Any, p: Any, dim: Sequence[int], keepdim: bool, dtype: Any) -> Any:
    return aten.linalg_vector_norm.default(self, 2 if p is None else p, dim, keepdim, dtype)


for _schema, _function in (
    (
        "norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor",
        lambda self, p, dtype: _norm(self, p, (), False, dtype),
    ),
    ("norm.Scalar(Tensor self, Scalar p=2) -> Tensor", lambda self, p: _norm(self, p, (), False, None)),
):
    native_function(
        _schema, composite=_function, doc="Computes the norm of order ``p`` (2 if None) of all elements."
    )

native_function(
    "norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> "
    "Tensor",
    composite=_norm,
    out=Out("dtype_out", exact=True),
    doc="Computes the norm of order ``p`` (2 if None) over dimensions ``dim``, in ``dtype``.",
)

native_function(
    "norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
    composite=lambda self, p, dim, keepdim: _norm(self, p, dim, keepdim, None),
    out=Out(exact=True),
    doc="Computes the norm of order ``p`` (2 if None) over dimensions ``dim``.",
)


# -- matrix norms --------------------------------------------------------------------------------------------


def _matrix_dims(self: Any, dim: Sequence[int]) -> tuple[int, int]:
    check_matrix(A=self)
    if len(dim) != 2:
        raise RuntimeError(f"dim must be a 2-tuple. Got {list(dim)}")
    first, second = (wrap_dim(each, self.ndim) for each in dim)
    if first == second:
        raise RuntimeError(f"dims must be different. Got ({dim[0]}, {dim[1]})")
    return first, second


def _check_precision(dtype: Any) -> None:
    if dtype in (float16, bfloat16):
        raise RuntimeError(f"Low precision dtypes not supported. Got {dtype.name}")


def _extreme(sizes: Any, dim: int, keepdim: bool, ord: Any) -> Any:
    """For a positive order the largest along ``dim`` (0 if there is none), else the smallest."""
    if ord < 0:
        return aten.amin.default(sizes, (dim,), keepdim)
    if not sizes.size(dim):
        return sizes.sum(dim, keepdim)
    return aten.amax.default(sizes, (dim,), keepdim)


def _check_order(ord: Any, is_known: bool) -> None:
    """Raises RuntimeError for an order that matrix norms do not have."""
    if not is_known:
        raise RuntimeError(f"Order {ord} not supported.")


def _matrix_norm(self: Any, ord: Any, dim: Sequence[int], keepdim: bool, dtype: Any) -> Any:
    """ord 1 is the largest column sum of |x|, inf the largest row sum, 2 the largest singular value; negative
    orders are the smallest.
    """
    size = abs(ord) if not isinstance(ord, complex) else ord
    _check_order(ord, size in (1, 2, math.inf))
    _check_dtype(self.dtype, dtype)
    rows, columns = _matrix_dims(self, dim)
    if size == 2:
        _check_precision(self.dtype)
        matrices = (self if dtype is None else self.to(dtype)).movedim((rows, columns), (-2, -1))
        result = _extreme(aten.linalg_svdvals(matrices), -1, keepdim, ord)
        return _moved_back(result, rows, columns) if keepdim else result
    summed, kept = (rows, columns) if size == 1 else (columns, rows)
    sums = aten.linalg_vector_norm.default(self, 1, (summed,), keepdim, dtype)
    if not keepdim and kept > summed:
        kept -= 1
    return _extreme(sums, kept, keepdim, ord)


def _moved_back(result: Any, rows: int, columns: int) -> Any:
    """Moves the reduced dimensions (size 1) of one number per matrix back to ``rows`` and ``columns``."""
    return result.unsqueeze(-1).movedim((-2, -1), (rows, columns))


def _named_matrix_norm(self: Any, ord: str, dim: Sequence[int], keepdim: bool, dtype: Any) -> Any:
    _check_order(ord, ord in ("fro", "nuc"))
    _check_dtype(self.dtype, dtype)
    rows, columns = _matrix_dims(self, dim)
    if ord == "fro":
        return aten.linalg_vector_norm.default(self, 2, (rows, columns), keepdim, dtype)
    _check_precision(self.dtype)
    matrices = (self if dtype is None else self.to(dtype)).movedim((rows, columns), (-2, -1))
    result = aten.linalg_svdvals(matrices).sum(-1, keepdim)
    return _moved_back(result, rows, columns) if keepdim else result


_DOC = """Computes the norm of matrices in the two dimensions ``dim``.

    'fro': the 2-norm of the elements; 'nuc': the sum of the singular values; 1 and inf: the largest sum of
    absolute values of a column and of a row; 2: the largest singular value; negative orders: the smallest.
    Raises RuntimeError for integers and other orders."""

native_function(
    "linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2,-1], bool keepdim=False, *, ScalarType? "
    "dtype=None) -> Tensor",
    composite=_matrix_norm,
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc=_DOC,
)

native_function(
    "linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2,-1], bool keepdim=False, *, "
    "ScalarType? dtype=None) -> Tensor",
    composite=_named_matrix_norm,
    python_module="linalg",
    variants="function",
    out=Out("str_ord_out", exact=True),
    doc=_DOC,
)


def _check_whole(self: Any) -> None:
    """Raises RuntimeError unless ``self`` is 1-D or 2-D: ``ord`` without ``dim`` needs that."""
    if self.ndim not in (1, 2):
        raise RuntimeError(
            f"If dim is not specified but ord is, the input must be 1D or 2D. Got {self.ndim}D."
        )


def _linalg_norm(self: Any, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    """A vector norm over one dimension, or over all if ``ord`` is None; a matrix norm over two."""
    if dim is not None and len(dim) not in (1, 2):
        raise RuntimeError(f"If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    if dim is None and ord is not None:
        _check_whole(self)
    if ord is not None and (len(dim) if dim is not None else self.ndim) == 2:
        where = (0, 1) if dim is None else dim
        return aten.linalg_matrix_norm.default(self, ord, where, keepdim, dtype)
    return aten.linalg_vector_norm.default(self, 2 if ord is None else ord, dim, keepdim, dtype)


def _named_linalg_norm(self: Any, ord: str, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if dim is None:
        _check_whole(self)
    where = (-2, -1) if dim is None else dim
    return aten.linalg_matrix_norm.str_ord(self, ord, where, keepdim, dtype)


native_function(
    "linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
    "dtype=None) -> Tensor",
    composite=_linalg_norm,
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="""Computes a vector norm over one dimension, a matrix norm over two.

    If ``ord`` is None, it is the 2-norm of the elements over ``dim`` (all if None).  See linalg.vector_norm
    and linalg.matrix_norm.""",
)

native_function(
    "linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
    "dtype=None) -> Tensor",
    composite=_named_linalg_norm,
    python_module="linalg",
    variants="function",
    out=Out("ord_str_out", exact=True),
    doc="Computes the matrix norm named 'fro' or 'nuc'; see linalg.matrix_norm.",
)


native_function(
    "dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
    composite=lambda self, other, p: (self - other).norm(p),
    out=Out(exact=True),
    doc="""Computes the ``p``-norm of ``self - other``; the operands broadcast.

    Raises RuntimeError if the difference is neither floating point nor complex.""",
)


def _renorm(self: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    for name, number in (("p", p), ("maxnorm", maxnorm)):
        if isinstance(number, complex):
            raise RuntimeError(f"{name} must be real-valued")
    if not p > 0:  # or NaN
        raise RuntimeError("non-positive-norm not supported")
    if not maxnorm >= 0:
        raise RuntimeError(f"expected maxnorm to be >= 0 but got {maxnorm}")
    if self.ndim < 2:
        raise RuntimeError(f"input needs at least 2 dimensions, got {self.ndim} dimensions")
    dim = wrap_dim(dim, self.ndim)
    others = [each for each in range(self.ndim) if each != dim]
    wide = float32 if self.dtype in (float16, bfloat16) else None
    norms = aten.linalg_vector_norm.default(self, p, others, True, wide)
    factors = aten.where(norms > maxnorm, maxnorm / (norms + 1e-7), aten.ones_like(norms))
    return (self * factors.to(self.dtype)).contiguous()


native_function(
    "renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor",
    composite=_renorm,
    inplace=True,
    out=Out(exact=True),
    doc="""Scales each slice along ``dim`` whose ``p``-norm is above ``maxnorm`` to that norm.

    Floating point or complex; half precision computes the norms in float32.  Raises RuntimeError for fewer
    than 2 dimensions, ``p`` <= 0 and ``maxnorm`` < 0.""",
)


# -- names from before linalg --------------------------------------------------------------------------------


def _nuclear_norm(self: Any, dim: Sequence[int], keepdim: bool) -> Any:
    return _named_matrix_norm(self, "nuc", dim, keepdim, None)


native_function(
    "nuclear_norm(Tensor self, bool keepdim=False) -> Tensor",
    variants="function",
    composite=lambda self, keepdim: _nuclear_norm(self, (-2, -1), keepdim),
    out=Out(exact=True),
    doc="""Computes the sum of the singular values of matrices, in the last two dimensions.

    Deprecated: see linalg.matrix_norm.""",
)

native_function(
    "nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor",
    variants="function",
    composite=_nuclear_norm,
    out=Out("dim_out", exact=True),
    doc="The same for matrices in the two dimensions ``dim``.",
)


def _frobenius_norm(self: Any, dim: Sequence[int], keepdim: bool) -> Any:
    if len(dim) > 2:
        raise RuntimeError(f"Expected at most 2 dimensions, but got {len(dim)} dimensions instead.")
    return _norm(self, 2, dim, keepdim, None)


native_function(
    "frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
    variants="function",
    composite=_frobenius_norm,
    out=Out(exact=True),
    doc="""Computes the 2-norm of the elements over at most two dimensions ``dim``, or over all if it is ().

    Deprecated: see linalg.vector_norm.  Raises RuntimeError for more dimensions, and for integers.""",
)


def _norm_except_dim(v: Any, pow: int, dim: int) -> Any:
    if dim == -1:
        return v.norm(pow)
    if dim == 0:
        rows = v.contiguous().view((v.size(0), -1))
        return _norm(rows, pow, (1,), False, None).view((v.size(0), *[1] * (v.ndim - 1)))
    if dim == v.ndim - 1:
        columns = v.contiguous().view((-1, v.size(dim)))
        return _norm(columns, pow, (0,), False, None).view((*[1] * dim, v.size(dim)))
    return _norm_except_dim(v.swapaxes(0, dim), pow, 0).swapaxes(0, dim)


native_function(
    "norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor",
    variants="function",
    composite=_norm_except_dim,
    doc="""Computes the norm of order ``pow`` of each slice along ``dim``, as a tensor that broadcasts with
    ``v``; for a ``dim`` of -1, of all elements.

    Raises RuntimeError for integers, IndexError for a dim out of range.""",
)
