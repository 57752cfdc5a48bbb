"""Scans and normalizations of the elements that a mask selects, and the logarithm of a sum of exponentials.

Elements that are not selected have results, too, which mean nothing.  Source: torch/masked/_ops.py.
"""

from __future__ import annotations

import gnomon as gn
from gnomon import Tensor, dtype

from .masks import canonical_dims, combined, selected
from .reductions import norm
from .sparse import check_strided


def cumsum(input: Tensor, dim: int, *, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The cumulative sum of the selected elements along ``dim``, in the dtype of ``input``."""
    check_strided("cumsum", input)
    along = canonical_dims(dim, input.ndim)[0]
    return gn.cumsum(combined("cumsum", input, mask), along, dtype=dtype or input.dtype)


def cumprod(input: Tensor, dim: int, *, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The cumulative product of the selected elements along ``dim``, in the dtype of ``input``."""
    check_strided("cumprod", input)
    along = canonical_dims(dim, input.ndim)[0]
    return gn.cumprod(combined("cumprod", input, mask), along, dtype=dtype or input.dtype)


def softmax(input: Tensor, dim: int, *, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The softmax of the selected elements along ``dim``; 0 for the others, NaN if none are selected."""
    check_strided("softmax", input)
    along = canonical_dims(dim, input.ndim)[0]
    return gn.nn.functional.softmax(combined("softmax", input, mask), along, dtype=dtype or input.dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The logarithm of ``softmax``; -inf for elements that are not selected."""
    check_strided("log_softmax", input)
    along = canonical_dims(dim, input.ndim)[0]
    return gn.nn.functional.log_softmax(
        combined("log_softmax", input, mask), along, dtype=dtype or input.dtype
    )


def softmin(input: Tensor, dim: int, *, dtype: dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The softmax of the negatives of the selected elements along ``dim``; 0 for the others."""
    check_strided("softmin", input)
    along = canonical_dims(dim, input.ndim)[0]
    return gn.nn.functional.softmin(combined("softmin", input, mask), along, dtype=dtype or input.dtype)


def normalize(
    input: Tensor,
    ord: float,
    dim: int,
    *,
    eps: float = 1e-12,
    dtype: dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The selected elements divided by their norm along ``dim``, at least ``eps``; 0 for the others."""
    check_strided("normalize", input)
    along = canonical_dims(dim, input.ndim)[0]
    length = norm(input, ord, along, keepdim=True, dtype=dtype, mask=mask)
    return selected(input, mask, 0) / gn.maximum(length, gn.full_like(length, eps))


def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: dtype | None = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """``log(exp(input) + exp(other))``, where elements that a mask does not select count as -inf."""
    found = gn.logaddexp(combined("logaddexp", input, input_mask), combined("logaddexp", other, other_mask))
    return found.to(dtype or input.dtype)
