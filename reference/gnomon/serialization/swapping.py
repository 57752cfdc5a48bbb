"""The order of the bytes in numbers."""

from __future__ import annotations

import array

from ..values.dtype import dtype


def swapped(data: bytes, kind: dtype) -> bytes:
    """``data``, numbers of dtype ``kind``, in the other byte order."""
    width = kind.itemsize // 2 if kind.is_complex else kind.itemsize
    numbers = array.array({1: "B", 2: "H", 4: "I", 8: "Q"}[width], data)
    numbers.byteswap()
    return numbers.tobytes()
