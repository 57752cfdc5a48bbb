"""Set functions: the different elements of a tensor.

NaN differs from all numbers, and from every other NaN; -0.0 equals 0.0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import gnomon as gn
from gnomon import Tensor

from .elementwise import operands
from .sorting import argsort


class UniqueAll(NamedTuple):
    """What ``unique_all`` returns."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """What ``unique_counts`` returns."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """What ``unique_inverse`` returns."""

    values: Tensor
    inverse_indices: Tensor


def _order(flat: Tensor) -> Tensor:
    """The indices that sort a vector, stable; complex numbers by their real parts, then by the imaginary."""
    if not flat.is_complex():
        return argsort(flat.to(gn.uint8) if flat.dtype is gn.bool else flat)
    by_imaginary = argsort(flat.imag.contiguous())
    return by_imaginary[argsort(flat.real[by_imaginary])]


def unique_all(x: Tensor, /) -> UniqueAll:
    """The different elements, in order; where each is first, of ``x`` as a vector; for each element of ``x``
    which of them it is; and how often each occurs.
    """
    flat = x.reshape(-1)
    order = _order(flat)
    in_order = flat[order]
    begins = gn.ones(flat.shape, dtype=gn.bool, device=x.device)
    begins[1:] = in_order[1:] != in_order[:-1]
    (first,) = gn.nonzero(begins, as_tuple=True)
    inverse = gn.empty_like(order)
    inverse[order] = begins.to(gn.int64).cumsum(0) - 1
    ends = gn.cat([first[1:], gn.full((min(1, first.numel()),), flat.numel(), device=x.device)])
    return UniqueAll(in_order[first], order[first], inverse.reshape(x.shape), ends - first)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """The different elements, in order, and how often each occurs."""
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """The different elements, in order, and for each element of ``x`` which of them it is."""
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Tensor, /) -> Tensor:
    """The different elements, in order."""
    return unique_all(x).values


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Tensor:
    """Is each element of ``x1`` in ``x2``?  With ``invert``: is it not?  Bool."""
    x1, x2 = operands("isin", x1, x2)
    found = (x1.unsqueeze(-1) == x2.reshape(-1)).any(-1)
    return ~found if invert else found
