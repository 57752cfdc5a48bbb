"""Mutants whose faults depend on layout: rows with gaps, permutations, outputs that are inputs."""

from __future__ import annotations

from typing import Any

from gnomon.memory.accessor import TensorAccessor
from gnomon.values import geometry

from .loopback import from_start, numbers_of, right
from .mutants import mutant


def _as(tensor: Any, strides: Any) -> Any:
    """The tensor's memory with other strides, if these stay within the storage."""
    room = tensor.untyped_storage().nbytes() // tensor.dtype.itemsize - tensor.storage_offset()
    if geometry.extent(tensor.shape, strides) > room:
        return tensor
    return tensor.as_strided(tensor.shape, strides, tensor.storage_offset())


def _with_input(name: str, change: Any) -> dict[str, Any]:
    """The right kernel of (output, self, …), called with a changed ``self``."""
    return {name: lambda output, self, *arguments: right[name](output, change(self), *arguments)}


@mutant(
    "the other permutation",
    "any dense input that is not row-major is treated as a transposed one",
    "layouts[cumsum-float32]",
)
def _() -> dict[str, Any]:
    def change(self: Any) -> Any:
        sizes, strides = tuple(self.shape), tuple(self.stride())
        is_dense = geometry.is_non_overlapping_and_dense(sizes, strides)
        if self.is_contiguous() or not is_dense:
            return self
        return _as(self, tuple(reversed(geometry.contiguous_strides(sizes[::-1]))))

    return _with_input("cumsum", change)


@mutant(
    "leading dimension ignored",
    "if the elements of a row are adjacent, the rows are assumed to be adjacent, too",
    "layouts[mm-float32]",
)
def _() -> dict[str, Any]:
    def dense(matrix: Any) -> Any:
        rows, columns = matrix.shape
        is_window = matrix.stride(1) == 1 and matrix.stride(0) > columns and rows > 1
        return _as(matrix, (columns, 1)) if is_window else matrix

    return {"mm": lambda output, self, other: right["mm"](output, dense(self), dense(other))}


@mutant(
    "overlapping rows laid apart",
    "overlapping rows are treated as consecutive ones",
    "layouts[cumsum-float32]",
)
def _() -> dict[str, Any]:
    def change(self: Any) -> Any:
        sizes, strides = tuple(self.shape), tuple(self.stride())
        if 0 in (*sizes, *strides) or geometry.extent(sizes, strides) >= self.numel():
            return self
        apart = self.clone()
        for place, offset in enumerate(TensorAccessor(apart).offsets()):
            source = self.storage_offset() + place % geometry.extent(sizes, strides)
            TensorAccessor(apart).write(offset, TensorAccessor(self).read(source))
        return apart

    return _with_input("cumsum", change)


@mutant(
    "stride of one element trusted",
    "the size of a batch of one is taken from its stride",
    "layouts[avg_pool2d-float32]",
)
def _() -> dict[str, Any]:
    def change(self: Any) -> Any:
        if self.dim() != 4 or self.shape[0] != 1 or not self.is_contiguous():
            return self
        channels, *image = self.shape[1:]
        step = self.stride(0) // channels  # correct for a dense tensor
        return _as(self, (self.stride(0), step, image[1], 1))

    return _with_input("avg_pool2d", change)


@mutant("empty not foreseen", "a call without elements fails", "no_elements[scatter_add-float32]")
def _() -> dict[str, Any]:
    def change(self: Any) -> Any:
        return self if 1 / self.numel() else None

    return _with_input("scatter_add", change)


@mutant(
    "in place from the start",
    "an in-place write starts at the beginning of the storage",
    "inplace_layouts[neg_-float32]",
)
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        output, given = iterator.tensor(0), iterator.tensor(1)
        if output.untyped_storage() is not given.untyped_storage():
            return right["neg"](iterator)
        (read,), write = numbers_of(iterator)
        numbers = [-read(at) for at in iterator.offsets(1)]
        for to, number in zip(from_start(iterator, 0), numbers):
            write(to, number)
        return None

    return {"neg": kernel}


@mutant(
    "read after written",
    "`self` is copied to the output before `other` is read, which is lost if `other` is the output",
    "out_places[sub.out-float32]",
)
def _() -> dict[str, Any]:
    def kernel(iterator: Any, alpha: Any) -> None:
        (a, b), write = numbers_of(iterator)
        output = TensorAccessor(iterator.tensor(0))
        if iterator.tensor(0) is not iterator.tensor(2):
            return right["sub.Tensor"](iterator, alpha)
        for to, at in zip(iterator.offsets(0), iterator.offsets(1)):
            write(to, a(at))
        for to, other in zip(iterator.offsets(0), iterator.offsets(2)):
            write(to, output.read(to) - alpha * b(other))
        return None

    return {"sub.Tensor": kernel}


@mutant(
    "gaps between rows written",
    "a written row is rounded up to a whole vector, over the memory after it",
    "out_layouts[neg.out-float32]",
    "inplace_layouts[neg_-float32]",
)
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        right["neg"](iterator)
        output = iterator.tensor(0)
        if output.dim() < 2 or output.stride(-1) != 1 or output.stride(-2) <= output.shape[-1] + 1:
            return
        write = TensorAccessor(output).write
        for first in list(TensorAccessor(output).offsets())[:: output.shape[-1]]:
            write(first + output.shape[-1], 0)

    return {"neg": kernel}


@mutant(
    "expanded gradient read as dense",
    "an expanded gradient is read as if it were dense",
    "gradient_layouts[tanh-float32]",
)
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        (grad, output), write = numbers_of(iterator)
        last = max(iterator.offsets(1), default=0)
        places = zip(iterator.offsets(0), iterator.offsets(1), iterator.offsets(2))
        is_expanded = 0 in iterator.tensor(1).stride()
        for count, (to, at, other) in enumerate(places):
            at = min(count, last) if is_expanded else at
            write(to, grad(at) * (1 - output(other) * output(other)))

    return {"tanh_backward": kernel}
