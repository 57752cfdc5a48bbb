"""Mutants whose faults show only beyond a limit: of rows, lists, indices, seeds, calls."""

from __future__ import annotations

from typing import Any

from gnomon.memory.accessor import TensorAccessor, elements

from .loopback import bfloat16, filled, numbers_of, right
from .mutants import mutant


@mutant("a grid of 65535", "softmax does not compute rows after the 65535th", "rows[_softmax-float32]")
def _() -> dict[str, Any]:
    def kernel(output: Any, self: Any, dim: int, half: bool) -> None:
        right["_softmax"](output, self, dim, half)
        if output.dim() and output.shape[0] > 65535:
            filled(output.narrow(0, 65535, output.shape[0] - 65535), lambda number: 0)

    return {"_softmax": kernel}


@mutant(
    "columns of a block",
    "a maximum over rows does not compute columns after the 4096th",
    "rows[amax-float16]",
)
def _() -> dict[str, Any]:
    def kernel(iterator: Any, *arguments: Any) -> None:
        right["amax"](iterator, *arguments)
        output = iterator.tensor(0)
        if output.dtype.name == "float16" and output.dim() and output.shape[-1] > 4096:
            filled(output.narrow(-1, 4096, output.shape[-1] - 4096), lambda number: 0)

    return {"amax": kernel}


@mutant("counted in 16 bits", "neg of int16 computes only 32768 elements", "rows[neg-int16]")
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        if iterator.tensor(0).dtype.name != "int16":
            return right["neg"](iterator)
        (read,), write = numbers_of(iterator)
        for number, (to, at) in enumerate(zip(iterator.offsets(0), iterator.offsets(1))):
            write(to, -read(at) if number < 2**15 else 0)
        return None

    return {"neg": kernel}


@mutant("a short scan", "a cumulative sum restarts after 32768 elements", "long[cumsum-int64]")
def _() -> dict[str, Any]:
    def kernel(output: Any, self: Any, dim: int, *rest: Any) -> None:
        right["cumsum"](output, self, dim, *rest)
        if self.dim() and self.shape[dim] > 2**15:
            count = self.shape[dim] - 2**15
            right["cumsum"](output.narrow(dim, 2**15, count), self.narrow(dim, 2**15, count), dim, *rest)

    return {"cumsum": kernel}


@mutant("64 tensors joined", "cat leaves zeros after the 64th tensor", "lists[cat-float32]")
def _() -> dict[str, Any]:
    def kernel(output: Any, tensors: Any, dim: int) -> None:
        right["cat"](output, tensors, dim)
        if len(tensors) > 64:
            first = sum(each.shape[dim] for each in tensors[:64])
            filled(output.narrow(dim, first, output.shape[dim] - first), lambda number: 0)

    return {"cat": kernel}


@mutant(
    "duplicates of several dimensions",
    "index_put with accumulate adds only once if two index tensors repeat an element",
    "many_numbers[_index_put-float32]",
)
def _() -> dict[str, Any]:
    def kernel(output: Any, self: Any, indices: Any, values: Any, accumulate: bool) -> None:
        several = sum(each is not None for each in indices) > 1
        right["_index_put"](output, self, indices, values, accumulate)
        if several and accumulate and self.dim() and values.numel() > 16:
            right["_index_put"](output, self, indices, values, False)

    return {"_index_put": kernel}


@mutant(
    "gradients of words in half precision",
    "gradients of a repeated index are summed in bfloat16",
    "many_numbers[embedding_dense_backward-bfloat16]",
)
def _() -> dict[str, Any]:
    def kernel(output: Any, grad: Any, indices: Any, *rest: Any) -> None:
        right["embedding_dense_backward"](output, grad, indices, *rest)
        if output.dtype.name != "bfloat16" or rest[-1]:
            return
        columns = grad.shape[-1]
        sums = [0.0] * output.numel()
        numbers = elements(grad)
        for row, word in enumerate(elements(indices)):
            for column in range(columns if word != rest[1] else 0):
                place = word * columns + column
                sums[place] = bfloat16(sums[place] + numbers[row * columns + column])
        write = TensorAccessor(output)
        for to, number in zip(list(write.offsets()), sums):
            write.write(to, number)

    return {"embedding_dense_backward": kernel}


@mutant("indices of 32 bits", "an index is truncated to 32 bits", "far[index_select]")
def _() -> dict[str, Any]:
    def kernel(output: Any, self: Any, dim: int, index: Any) -> None:
        narrow = index.clone()
        filled(narrow, lambda number: (number + 2**31) % 2**32 - 2**31)
        right["index_select"](output, self, dim, narrow)

    return {"index_select": kernel}


@mutant("offsets of 32 bits", "byte offsets of elements have only 32 bits", "far[neg]")
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        (read,), write = numbers_of(iterator)
        size = iterator.tensor(1).dtype.itemsize
        for to, at in zip(iterator.offsets(0), iterator.offsets(1)):
            write(to, -read(at * size % 2**32 // size))

    return {"neg": kernel}


@mutant("seeds of 32 bits", "a seed is truncated to 32 bits", "seeds[uniform_]")
def _() -> dict[str, Any]:
    def kernel(output: Any, self: Any, low: float, high: float, stream: Any) -> None:
        seed, *counter = stream
        right["uniform_"](output, self, low, high, (seed % 2**32, *counter))

    return {"uniform_": kernel}


@mutant("a counter of 32 bits", "the counter of a generator is truncated to 32 bits", "seeds[normal_]")
def _() -> dict[str, Any]:
    def kernel(output: Any, self: Any, mean: float, deviation: float, stream: Any) -> None:
        seed, low, _ = stream
        right["normal_"](output, self, mean, deviation, (seed, low % 2**32, 0))

    return {"normal_": kernel}


@mutant("ranges of 32 bits", "a random integer has only 32 bits", "seeds[random_.from]")
def _() -> dict[str, Any]:
    def kernel(output: Any, self: Any, low: int, high: Any, stream: Any) -> None:
        right["random_.from"](output, self, low, high, stream)
        if output.dtype.name == "int64" and high is not None and 2**33 < high - low < 2**62:
            filled(output, lambda number: low + (number - low) % 2**32)

    return {"random_.from": kernel}


@mutant("never forgets", "a kernel keeps references to its arguments", "memory_of_calls[exp-float32]")
def _() -> dict[str, Any]:
    kept: list[Any] = []

    def kernel(iterator: Any) -> None:
        kept.append([iterator.tensor(0).clone(), iterator.shape])
        right["exp"](iterator)

    return {"exp": kernel}


@mutant(
    "in the place of the second",
    "in int16, if the output is the second input, the first is written there before the second is read",
    "inputs_as_outputs[sub.out-int16]",
)
def _() -> dict[str, Any]:
    def kernel(iterator: Any, alpha: Any) -> None:
        output, other = iterator.tensor(0), iterator.tensor(2)
        is_same = output is other and iterator.tensor(1) is not other and output.dtype.name == "int16"
        right["sub.Tensor"](iterator, alpha)
        if is_same:
            filled(output, lambda number: 0)

    return {"sub.Tensor": kernel}
