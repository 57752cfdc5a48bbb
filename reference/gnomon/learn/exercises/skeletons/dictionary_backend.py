"""A backend.

A backend brings memory and kernels; all else (shapes, dtypes, broadcasting, errors, autograd) gnomon does
before a kernel is called.  The kernels are a dictionary from operators' names to functions.

Write a backend for the device "dictionary": the three methods for memory, and the kernels of ``copy_``,
``neg``, ``add.Tensor`` and ``mul.Tensor``, for float32 and int64.  A kernel is called with an iterator,
whose operand 0 is the output and whose others are the inputs, and with further arguments (``alpha`` for
add: self + alpha * other):

- ``iterator.tensor(i)`` is operand i; it has a ``dtype``, and its ``untyped_storage().memory`` is what
  ``allocate`` returned,
- ``iterator.offsets(i)`` are the places of its elements, in the order of the iteration,
- ``dtype.reader(memoryview)`` and ``dtype.writer(memoryview)`` give functions ``read(place)`` and
  ``write(place, number)``.

Claim in CLAIMS what works: operator -> names of dtypes.  What is not claimed runs on the reference, with
copies.  If the conformance suite is installed, its own tests mark your kernels, too (this takes some
seconds).

    x = gn.tensor([1.0, 2.0], device="dictionary")   after gn.register_backend(DictionaryBackend())
    (x + x.neg()).tolist()  ->  [0.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Callable

import gnomon as gn
from gnomon.memory.backend import CONTRACT_VERSION


class Memory:
    """A block of memory; it is freed when nobody refers to it any more."""

    def __init__(self, nbytes: int):
        self.bytes = memoryview(bytearray(nbytes))


# Operator -> kernel, and operator -> names of the dtypes that the kernel supports.
KERNELS: dict[str, Callable[..., None]] = {}
CLAIMS: dict[str, tuple[str, ...]] = {}


class DictionaryBackend(gn.Backend):
    """The backend of the device "dictionary"."""

    contract_version = CONTRACT_VERSION
    name = "dictionary"
    device_type = "dictionary"
    kernels = KERNELS
    capabilities = CLAIMS

    def is_available(self) -> tuple[bool, str]:
        """It can run anywhere."""
        return True, ""

    def allocate(self, nbytes: int, index: int) -> Memory:
        """New memory of ``nbytes`` bytes, which may be 0."""
        raise NotImplementedError

    def copy_in(self, memory: Memory, offset: int, data: memoryview) -> None:
        """Write host bytes into ``memory``, beginning at byte ``offset``."""
        raise NotImplementedError

    def copy_out(self, memory: Memory, offset: int, nbytes: int) -> bytes:
        """Read ``nbytes`` bytes, beginning at byte ``offset``."""
        raise NotImplementedError
