"""Mutants whose faults depend on the size of a call, its number of dimensions, or the calling thread."""

from __future__ import annotations

import threading
from typing import Any

from gnomon.memory.accessor import TensorAccessor

from .loopback import filled, numbers_of, right
from .mutants import mutant


def _wrong_where(name: str, is_wrong: Any) -> dict[str, Any]:
    """The right kernel, except that its first output is one too large where ``is_wrong(*arguments)``."""

    def kernel(*arguments: Any) -> None:
        right[name](*arguments)
        if is_wrong(*arguments):
            filled(arguments[0], lambda number: number + 1)

    return {name: kernel}


@mutant("long rows", "softmax of rows with more than 300 elements is wrong", "sizes[_softmax-float32]")
def _() -> dict[str, Any]:
    return _wrong_where("_softmax", lambda output, self, *_: self.shape and self.shape[-1] > 300)


@mutant("many chosen", "results are wrong if more than 20 elements are selected", "sizes[topk-float32]")
def _() -> dict[str, Any]:
    return _wrong_where("topk", lambda values, indices, self, k, *_: k > 20)


@mutant(
    "large outputs",
    "embeddings of more than 1000 elements are wrong",
    "sizes[embedding-float32]",
    "deterministic[embedding-float32]",
)
def _() -> dict[str, Any]:
    return _wrong_where("embedding", lambda output, *_: output.numel() > 1000)


@mutant("long columns", "products of more than 100 rows are wrong", "sizes[mm-float32]")
def _() -> dict[str, Any]:
    return _wrong_where("mm", lambda output, *_: output.shape[0] > 100)


@mutant(
    "six dimensions",
    "with more than five dimensions, the extra ones are not iterated",
    "dims[sigmoid-float32]",
)
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        right["sigmoid"](iterator)
        if len(iterator.shape) > 5:
            _, write = numbers_of(iterator)
            for to in list(iterator.offsets(0))[iterator.numel // iterator.shape[-1] :]:
                write(to, 0.0)

    return {"sigmoid": kernel}


@mutant(
    "rare conversion",
    "int16 is converted to complex64 as an unsigned integer",
    "conversions[copy_-complex64]",
)
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        right["copy_"](iterator)
        output, source = iterator.tensor(0), iterator.tensor(1)
        if (str(output.dtype), str(source.dtype)) == ("gnomon.complex64", "gnomon.int16"):
            accessor = TensorAccessor(output)
            for offset in iterator.offsets(0):
                accessor.write(offset, abs(accessor.read(offset)))

    return {"copy_": kernel}


@mutant(
    "main thread only",
    "a kernel works only in the main thread",
    "threads_of_samples[sigmoid-float32]",
)
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        if threading.current_thread() is threading.main_thread():
            right["sigmoid"](iterator)

    return {"sigmoid": kernel}


@mutant("interrupts", "a kernel raises KeyboardInterrupt, like a user's Ctrl-C", "forward[neg-float32]")
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        raise KeyboardInterrupt

    return {"neg": kernel}
