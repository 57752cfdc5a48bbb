"""The numbers in place of elements that a mask does not select, and the dimensions of a reduction.

Source: torch/masked/_ops.py (_reduction_identity, _combine_input_and_mask, _canonical_dim).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn
from gnomon import Tensor

from .sparse import selected_elements

_SUMS = ("sum", "cumsum", "mean", "normalize")
_PRODUCTS = ("prod", "cumprod")
_LEAST = ("amax", "argmax", "logsumexp", "logaddexp", "softmax", "log_softmax")
_EXPONENTIALS = ("logsumexp", "logaddexp", "softmax", "log_softmax", "softmin")


def identity(name: str, input: Tensor) -> float:
    """The number that does not change the result of the operation, in the dtype of ``input``.

    Raises NotImplementedError if it has none: a maximum of bool or complex numbers.
    """
    if name in _SUMS:
        return 0
    if name in _PRODUCTS:
        return 1
    dtype = input.dtype
    if dtype is gn.bool or (dtype.is_complex and name not in _EXPONENTIALS):
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    if dtype.is_floating_point or dtype.is_complex:
        return -float("inf") if name in _LEAST else float("inf")
    limits = gn.iinfo(dtype)
    return limits.min if name in _LEAST else limits.max


def full_mask(input: Tensor, mask: Tensor) -> Tensor:
    """The mask as bool, with the sizes of ``input``.  Raises IndexError if it has more dimensions."""
    if mask.ndim > input.ndim:
        raise IndexError(
            "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"
        )
    if mask.layout is not gn.strided:
        mask = mask.to_dense()
    return mask.to(gn.bool).broadcast_to(input.shape)


def selected(input: Tensor, mask: Tensor | None, fill: float) -> Tensor:
    """``input`` with ``fill`` in place of the elements that are not selected."""
    if mask is None:
        return input
    if mask.ndim > input.ndim:
        full_mask(input, mask)  # raises
    if input.layout is not gn.strided:
        return selected_elements(input, mask, fill)
    return gn.where(full_mask(input, mask), input, gn.tensor(fill, dtype=input.dtype, device=input.device))


def combined(name: str, input: Tensor, mask: Tensor | None) -> Tensor:
    """``input`` with the operation's identity in place of the elements that are not selected."""
    return input if mask is None else selected(input, mask, identity(name, input))


def canonical_dims(dim: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """The dimensions, counted from the front; all for None and ().

    Raises RuntimeError for repeated ones, IndexError for ones out of range.
    """
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(ndim))
    dims: list[int] = []
    count = max(ndim, 1)
    for each in (dim,) if isinstance(dim, int) else dim:
        if not -count <= each < count:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {each})"
            )
        if each % count in dims:
            raise RuntimeError(f"dim={each % count} appears multiple times in the list of dims")
        dims.append(each % count)
    return tuple(sorted(dims))


def wide_dtype(input: Tensor, dtype: Any) -> Any:
    """The dtype of a sum or product: int64 for bool and smaller integers, unless ``dtype`` is given."""
    if dtype is None and not (input.dtype.is_floating_point or input.dtype.is_complex):
        return gn.int64
    return input.dtype if dtype is None else dtype
