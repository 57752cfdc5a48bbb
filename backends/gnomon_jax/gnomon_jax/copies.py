"""Copies, conversions and fills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gnomon.calls.iterator import TensorIterator

from .memory import WORDS
from .numbers import Array, decoded, encoded
from .programs import MOVED, Call, Family, View

family = Family()


def copied(outputs: Sequence[View], words: Array, source: str) -> Sequence[Array]:
    """The same words if the dtypes are the same, so that all bits are kept; else converted numbers."""
    import gnomon

    output, given = outputs[0].dtype, getattr(gnomon, source)
    return (words if output is given else encoded(decoded(words, given), output),)


copied.is_raw = copied.is_elementwise = True  # type: ignore[attr-defined]


def copy(iterator: TensorIterator) -> None:
    """``output = input``, converted to the output's dtype."""
    call = Call()
    output, source = (call.operand(iterator, position) for position in range(2))
    call.run(copied, [output], [source, source.dtype.name])


family.add("copy_", MOVED, copied, copy)


def filled(outputs: Sequence[View], words: Array) -> Sequence[Array]:
    """The words of one number."""
    return (words,)


filled.is_raw = filled.is_elementwise = True  # type: ignore[attr-defined]


def fill(iterator: TensorIterator, value: Any) -> None:
    """``output = value``; integers beyond 64 bits wrap around.

    The number is data, not a part of the program.
    """
    call = Call()
    output = call.operand(iterator, 0)
    number = bytearray(output.dtype.itemsize)
    output.dtype.writer(memoryview(number))(0, output.dtype.cast(value))
    words = np.frombuffer(number, WORDS[output.word])
    call.run(filled, [output], [words if output.parts == 2 else words.reshape(())])


family.add("fill_.Scalar", MOVED, filled, fill)
