"""A model answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import gnomon as gn
from gnomon.memory.backend import CONTRACT_VERSION


class Memory:
    """A block of memory; it is freed when nobody refers to it any more."""

    def __init__(self, nbytes: int):
        self.bytes = memoryview(bytearray(nbytes))


def pointwise(function: Callable[..., Any]) -> Callable[..., None]:
    """The kernel that computes ``output = function(*inputs, *arguments)`` for each element."""

    def kernel(iterator: Any, *arguments: Any) -> None:
        tensors = [iterator.tensor(number) for number in range(len(iterator.operands))]
        output, *inputs = (each.untyped_storage().memory.bytes for each in tensors)
        write = tensors[0].dtype.writer(output)
        reads = [each.dtype.reader(memory) for each, memory in zip(tensors[1:], inputs)]
        for to, *places in zip(*(iterator.offsets(number) for number in range(len(tensors)))):
            write(to, function(*(read(place) for read, place in zip(reads, places)), *arguments))

    return kernel


KERNELS: dict[str, Callable[..., None]] = {
    "copy_": pointwise(lambda a: a),
    "neg": pointwise(lambda a: -a),
    "add.Tensor": pointwise(lambda a, b, alpha: a + alpha * b),
    "mul.Tensor": pointwise(lambda a, b: a * b),
}
CLAIMS: dict[str, tuple[str, ...]] = dict.fromkeys(KERNELS, ("float32", "int64"))


class DictionaryBackend(gn.Backend):
    contract_version = CONTRACT_VERSION
    name = "dictionary"
    device_type = "dictionary"
    kernels: ClassVar = KERNELS
    capabilities: ClassVar = CLAIMS

    def is_available(self) -> tuple[bool, str]:
        return True, ""

    def allocate(self, nbytes: int, index: int) -> Memory:
        return Memory(nbytes)

    def copy_in(self, memory: Memory, offset: int, data: memoryview) -> None:
        memory.bytes[offset : offset + data.nbytes] = data.cast("B")

    def copy_out(self, memory: Memory, offset: int, nbytes: int) -> bytes:
        return bytes(memory.bytes[offset : offset + nbytes])
