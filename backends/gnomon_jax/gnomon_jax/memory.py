"""Memory: the bytes of a storage in an immutable array.

The array's elements are *words*, unsigned integers of 1, 2, 4 or 8 bytes, whichever the last kernel wrote.  A
kernel that needs words of another size, as after ``view(dtype)``, gets the same bytes as such.

XLA compiles a program for each size of its arrays.  So that small storages of different sizes share programs,
their arrays are as long as the next power of four; larger ones are only filled to a multiple of 16 bytes.

An array is never changed.  A kernel computes another, and ``replace`` puts it in its place.  Between reading
the old array and replacing it no other thread may do so, or one of the two writes would be lost; ``LOCK``
is held as long.
"""

from __future__ import annotations

import threading
from typing import Any

import jax
import numpy as np

LOCK = threading.RLock()

WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}

_SMALLEST, _LARGEST_SHARED = 256, 2**16  # bytes

# Larger requests are tried with NumPy, which refuses what the machine does not have.
_SURE_TO_FIT = 2**28

_last: list[Any] = []  # the array that was computed last


def bucket(count: int, smallest: int) -> int:
    """The least of ``smallest`` and its products with powers of four that is not below ``count``."""
    while smallest < count:
        smallest *= 4
    return smallest


def length(nbytes: int) -> int:
    """The bytes of the array for a storage of ``nbytes`` bytes."""
    return bucket(nbytes, _SMALLEST) if nbytes <= _LARGEST_SHARED else -(-nbytes // 16) * 16


class Memory:
    """``nbytes`` bytes, which are zeros until they are written.

    content  an array of words, NumPy's if it came from the host and no kernel has used it; None: zeros
    """

    __slots__ = ("__weakref__", "content", "length", "nbytes")

    def __init__(self, nbytes: int):
        if nbytes > _SURE_TO_FIT:
            try:
                np.empty(nbytes, np.uint8)
            except ValueError:  # more than an array may have
                raise MemoryError from None
        self.nbytes = nbytes
        self.length = length(nbytes)
        self.content: Any = None

    def words(self, size: int) -> Any:
        """The content in words of ``size`` bytes."""
        if self.content is None:
            return np.zeros(self.length // size, WORDS[size])
        if self.content.dtype.itemsize == size:
            return self.content
        return np.asarray(self.content).view(WORDS[size])

    def replace(self, content: Any) -> None:
        """Take another array as the content."""
        self.content = content
        _last[:] = [content]

    def bytes(self) -> Any:
        """The content as a NumPy array of bytes; waits until it is computed."""
        return np.asarray(self.words(1))[: self.nbytes]

    def write(self, offset: int, data: memoryview) -> None:
        """Replace some bytes by those of ``data``."""
        if not data.nbytes:
            return
        given = np.frombuffer(data.cast("B"), np.uint8)
        with LOCK:
            whole = np.zeros(self.length, np.uint8)
            if given.size < self.nbytes:
                whole[: self.nbytes] = self.bytes()
            whole[offset : offset + given.size] = given
            self.content = whole


def wait() -> None:
    """Wait until all that was begun is computed."""
    jax.block_until_ready(_last)
