"""uint16, uint32 and uint64, for which PyTorch, and so gnomon, has few operators.

A signed integer of the same width has the same bits, and the same sums and products, which wrap around; with
the highest bit inverted it has the same order.  So most functions compute in signed integers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gnomon as gn
from gnomon import Tensor, dtype

SIGNED = {gn.uint16: gn.int16, gn.uint32: gn.int32, gn.uint64: gn.int64}


def is_unsigned(x: Any) -> bool:
    """Is it a tensor of one of the three dtypes?"""
    return isinstance(x, Tensor) and x.dtype in SIGNED


def bits(x: Any) -> Any:
    """The same bits as signed integers, a view; anything else as it is."""
    return x.view(SIGNED[x.dtype]) if is_unsigned(x) else x


def ordered(x: Any) -> Any:
    """Signed integers in the same order as the elements; anything else as it is."""
    return bits(x) ^ gn.iinfo(SIGNED[x.dtype]).min if is_unsigned(x) else x


def restored(x: Any, kind: dtype) -> Any:
    """The result of a function of ``bits`` in the dtype that its argument had, a view."""
    return x.view(kind) if kind in SIGNED and x.dtype is SIGNED[kind] else x


def on_bits(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, which moves, adds or multiplies elements of its first argument, for these dtypes, too.

    Other tensors of these dtypes among the positional arguments have the dtype of the first.
    """

    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_unsigned(x):
            return function(x, *args, **kwargs)
        return restored(function(bits(x), *map(bits, args), **kwargs), x.dtype)

    return call


def on_ordered(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, which compares elements, for these dtypes, too.  Its results are bool or indices."""
    return lambda x, *args, **kwargs: function(ordered(x), *map(ordered, args), **kwargs)


def larger(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, which chooses elements by their order, for these dtypes, too."""

    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_unsigned(x):
            return function(x, *args, **kwargs)
        lowest = gn.iinfo(SIGNED[x.dtype]).min
        return restored(function(ordered(x), *map(ordered, args), **kwargs) ^ lowest, x.dtype)

    return call


def floor_divide(x1: Tensor, x2: Tensor) -> Tensor:
    """The quotients of tensors of the same one of these dtypes, rounded down."""
    if x1.dtype is not gn.uint64:
        return (x1.to(gn.int64) // x2.to(gn.int64)).to(x1.dtype)
    x1, x2 = gn.broadcast_tensors(x1, x2)
    number, divisor = bits(x1), bits(x2)
    large = divisor < 0  # at least 2**63: the quotient is 0 or 1
    safe = gn.where(large, 1, divisor)
    half = _logical_shift(number, 1)  # fits int64
    quotient = (half // safe) * 2
    rest = number - quotient * safe
    quotient = quotient + (ordered(restored(rest, gn.uint64)) >= ordered(restored(safe, gn.uint64)))
    return restored(gn.where(large, (ordered(x1) >= ordered(x2)).to(gn.int64), quotient), gn.uint64)


def remainder(x1: Tensor, x2: Tensor) -> Tensor:
    """What ``floor_divide`` leaves."""
    return restored(bits(x1) - bits(floor_divide(x1, x2)) * bits(x2), x1.dtype)


def _logical_shift(number: Tensor, places: Any) -> Tensor:
    """int64 shifted to the right, with zeros from the left: by one place, then by the others."""
    first = gn.full_like(number, 1) * (places != 0)
    return gn.where(first != 0, (number >> 1) & (2**63 - 1), number) >> (places - first)


def right_shift(x1: Tensor, x2: Tensor) -> Tensor:
    """``x1 >> x2`` for tensors of the same one of these dtypes."""
    if x1.dtype is gn.uint64:
        return restored(_logical_shift(bits(x1), bits(x2)), gn.uint64)
    return (x1.to(gn.int64) >> x2.to(gn.int64)).to(x1.dtype)


def pow(x1: Tensor, x2: Tensor) -> Tensor:
    """``x1 ** x2``, which wraps around, for tensors of the same one of these dtypes."""
    x1, x2 = gn.broadcast_tensors(x1, x2)
    base, exponent = bits(x1.to(gn.uint64)), bits(x2.to(gn.uint64))
    result = gn.ones_like(base)
    while bool((exponent != 0).any()):
        result = gn.where(exponent & 1 == 1, result * base, result)
        base, exponent = base * base, _logical_shift(exponent, 1)
    return restored(result, gn.uint64).to(x1.dtype)
