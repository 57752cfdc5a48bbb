"""Reductions of the elements that a mask selects.

``dim`` is a dimension, several of them, or all of them for None; ``dtype`` is that of the result.
Source: torch/masked/_ops.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn
from gnomon import Tensor, dtype

from .masks import canonical_dims, combined, full_mask, selected, wide_dtype
from .sparse import check_strided, reduced

Dims = int | Sequence[int] | None


def sum(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The sum of the selected elements; 0 if there are none.  Integers are summed in int64."""
    dims, wide = canonical_dims(dim, input.ndim), wide_dtype(input, dtype)
    found = combined("sum", input, mask)
    if input.layout is not gn.strided:
        return reduced("sum", found, dims, bool(keepdim), wide, mask)
    return gn.sum(found, dims, bool(keepdim), dtype=wide)


def prod(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The product of the selected elements; 1 if there are none.  Integers are multiplied in int64."""
    result = combined("prod", input, mask)
    dims, wide = canonical_dims(dim, input.ndim), wide_dtype(input, dtype)
    if input.layout is not gn.strided:
        return reduced("prod", result, dims, bool(keepdim), wide, mask)
    for each in reversed(dims):
        result = result.prod(each, keepdim=bool(keepdim), dtype=wide)
    return result.to(wide)


def amax(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The largest selected element; the lowest number of the dtype if there are none."""
    found, dims = combined("amax", input, mask), canonical_dims(dim, input.ndim)
    if input.layout is not gn.strided:
        return reduced("amax", found, dims, bool(keepdim), dtype or input.dtype, mask)
    return gn.amax(found, dims, bool(keepdim)).to(dtype or input.dtype)


def amin(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The smallest selected element; the largest number of the dtype if there are none."""
    found, dims = combined("amin", input, mask), canonical_dims(dim, input.ndim)
    if input.layout is not gn.strided:
        return reduced("amin", found, dims, bool(keepdim), dtype or input.dtype, mask)
    return gn.amin(found, dims, bool(keepdim)).to(dtype or input.dtype)


def argmax(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The index of the largest selected element, like PyTorch's in the dtype of ``input``."""
    check_strided("argmax", input)
    return gn.argmax(combined("argmax", input, mask), dim, bool(keepdim)).to(dtype or input.dtype)


def argmin(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The index of the smallest selected element, like PyTorch's in the dtype of ``input``."""
    check_strided("argmin", input)
    return gn.argmin(combined("argmin", input, mask), dim, bool(keepdim)).to(dtype or input.dtype)


def _count(input: Tensor, dims: tuple[int, ...], keepdim: bool, mask: Tensor | None) -> Tensor:
    """How many elements are selected."""
    ones = gn.ones(input.shape, dtype=gn.int64, device=input.device)
    return sum(ones, dims, keepdim=keepdim, mask=mask)


def mean(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The mean of the selected elements; NaN if there are none.

    Raises ValueError for integers and bool without ``dtype``.
    """
    dtype_ = input.dtype if dtype is None else dtype
    if not (dtype_.is_floating_point or dtype_.is_complex):
        raise ValueError(
            "mean(): Could not infer output dtype. Input dtype must be either a floating point or complex "
            f"dtype. Got: {dtype_}"
        )
    dims = canonical_dims(dim, input.ndim)
    if input.layout is not gn.strided:
        found = combined("mean", input, mask) if input.layout is gn.sparse_csr else input
        return reduced("mean", found, dims, bool(keepdim), dtype_, mask)
    if mask is None:
        return gn.mean(input, dims, bool(keepdim), dtype=dtype_)
    total = sum(input, dims, keepdim=keepdim, dtype=dtype_, mask=mask)
    return total / _count(input, dims, bool(keepdim), mask)


def median(
    input: Tensor,
    dim: int | None = -1,
    *,
    keepdim: bool = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The median of the selected elements along ``dim``, the lower one of two; NaN if there are none.

    Raises ValueError if there are none and the dtype has no NaN.
    """
    check_strided("median", input)
    along = canonical_dims(dim, input.ndim)[0]
    is_float = input.dtype.is_floating_point
    wide = input if is_float else input.to(gn.float64)
    found = gn.nanmedian(selected(wide, mask, float("nan")), along, keepdim).values
    if not is_float and bool(found.isnan().any()):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return found.to(dtype or input.dtype)


def norm(
    input: Tensor,
    ord: float | None = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The vector norm of the selected elements: see linalg.vector_norm; 0 if there are none."""
    check_strided("norm", input)
    fill = float("inf") if ord == -float("inf") else 0
    dims = canonical_dims(dim, input.ndim)
    order: Any = ord  # vector_norm refuses None
    return gn.linalg.vector_norm(selected(input, mask, fill), order, dims, bool(keepdim), dtype=dtype)


def logsumexp(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The logarithm of the sum of the exponentials of the selected elements; -inf if there are none."""
    check_strided("logsumexp", input)
    dims = canonical_dims(dim, input.ndim)
    return gn.logsumexp(combined("logsumexp", input, mask), dims, keepdim).to(dtype or input.dtype)


def _variance(
    input: Tensor,
    dim: Dims,
    unbiased: bool | None,
    correction: float | None,
    keepdim: bool | None,
    dtype: Any,
    mask: Tensor | None,
) -> Tensor:
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    check_strided("std/var", input)
    if correction is None:
        correction = 0 if unbiased is False else 1
    result_dtype = input.dtype if dtype is None else dtype
    if not (result_dtype.is_floating_point or result_dtype.is_complex):
        result_dtype = gn.float32
    wide = gn.float32 if result_dtype in (gn.float16, gn.bfloat16) else result_dtype
    dims = canonical_dims(dim, input.ndim)
    center = sum(input, dims, keepdim=True, dtype=wide, mask=mask) / _count(input, dims, True, mask)
    if mask is None:
        distances = input - center
    else:
        distances = gn.where(full_mask(input, mask), input - center, gn.zeros_like(center))
    total = sum(distances * distances.conj(), dims, keepdim=keepdim, dtype=wide)
    count = _count(input, dims, bool(keepdim), mask)
    if correction:
        count = gn.maximum(count - correction, gn.zeros_like(count))
    return (total / count).to(result_dtype)


def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The variance of the selected elements; NaN if there are none.

    The sum of squares is divided by the number of elements less ``correction``, 1 by default, 0 with
    ``unbiased=False``.  Integers have a float32 variance.
    """
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask)


def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: int | None = None,
    keepdim: bool | None = False,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The standard deviation of the selected elements, the square root of ``var``."""
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask).sqrt()
