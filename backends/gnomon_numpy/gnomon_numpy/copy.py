"""Copies and fills, by one assignment each, for all dtypes and strides."""

from __future__ import annotations

from typing import Any

from gnomon.calls.iterator import TensorIterator

from .arrays import put, raw_operand, scalar
from .families import EVERY, Family, operand

family = Family()


@family.kernel("copy_", EVERY)
def copy(iterator: TensorIterator) -> None:
    """``output = input``, converted to the output's dtype."""
    output, source = iterator.tensor(0), iterator.tensor(1)
    if output._spec.dtype is source._spec.dtype:
        raw_operand(iterator, 0)[...] = raw_operand(iterator, 1)
    else:
        put(raw_operand(iterator, 0), output._spec.dtype, operand(iterator, 1, {}))


@family.kernel("fill_.Scalar", EVERY)
def fill(iterator: TensorIterator, value: Any) -> None:
    """``output = value``."""
    raw_operand(iterator, 0)[...] = scalar(value, iterator.tensor(0)._spec.dtype)
