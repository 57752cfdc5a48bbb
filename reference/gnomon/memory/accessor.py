"""TensorAccessor: a tensor's elements as Python numbers, by index or by offset.

The reference's kernels read and write through it.  On host memory it works in place; of other memory it reads
a copy, and can not write.

Source: ATen/core/TensorAccessor.h.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..values import geometry
from ..values.dtype import Number
from .tensor import Tensor


class TensorAccessor:
    """Reads an element with ``accessor[i, j]``, and stores ``accessor[i, j] = x`` cast to the tensor's dtype.

    ``read(offset)`` and ``write(offset, value)`` use the element's offset in the storage instead.
    """

    __slots__ = ("_storage_bytes", "_tensor", "_write", "offset", "read", "sizes", "strides")

    def __init__(self, tensor: Tensor):
        storage = tensor.untyped_storage()
        itemsize = tensor._spec.dtype.itemsize
        view = storage.copy_out()
        # a storage may have bytes after its last whole element
        view = view[: view.nbytes - view.nbytes % itemsize]
        self._tensor = tensor
        self._storage_bytes = view
        self._write: Any = None
        self.sizes = tensor._spec.sizes
        self.strides = tensor._spec.strides
        self.offset = tensor._storage_offset
        self.read = tensor._spec.dtype.reader(view)

    @property
    def write(self) -> Any:
        """The function ``write(offset, value)``."""
        if self._write is None:
            self._write = self._tensor._spec.dtype.writer(self._storage_bytes)
        return self._write

    def offset_of(self, index: Sequence[int]) -> int:
        """The offset of the element at ``index``."""
        return self.offset + sum(i * stride for i, stride in zip(index, self.strides))

    def offsets(self) -> Iterator[int]:
        """The offset of each element, in row-major order."""
        return geometry.offsets(self.sizes, self.strides, self.offset)

    def __getitem__(self, index: Any) -> Any:
        return self.read(self.offset_of(index if isinstance(index, tuple) else (index,)))

    def __setitem__(self, index: Any, value: Number) -> None:
        self.write(self.offset_of(index if isinstance(index, tuple) else (index,)), value)


def elements(tensor: Tensor) -> list[Any]:
    """All elements in row-major order."""
    if _lies_plainly(tensor):
        return _typed(tensor, (tensor._spec.numel,))
    accessor = TensorAccessor(tensor)
    read = accessor.read
    return [read(offset) for offset in accessor.offsets()]


def nested_list(tensor: Tensor) -> Any:
    """The elements as nested lists, or the number itself for a 0-dim tensor."""
    sizes = tensor._spec.sizes
    if sizes and _lies_plainly(tensor):
        return _typed(tensor, sizes)
    flat = elements(tensor)
    return _nested(sizes, iter(flat)) if sizes else flat[0]


def _lies_plainly(tensor: Tensor) -> bool:
    spec = tensor._spec
    return spec.is_contiguous and spec.numel > 0 and spec.dtype.is_plain


def _typed(tensor: Tensor, sizes: geometry.Ints) -> list[Any]:
    """The elements of a tensor that ``_lies_plainly``, as nested lists of these sizes."""
    spec = tensor._spec
    start = tensor._storage_offset * spec.dtype.itemsize
    view = tensor.untyped_storage().copy_out()[start : start + spec.nbytes]
    return view.cast("B").cast(spec.dtype.format, sizes).tolist()  # type: ignore[call-overload]


def _nested(sizes: Sequence[int], numbers: Iterator[Any]) -> list[Any]:
    if len(sizes) == 1:
        return [next(numbers) for _ in range(sizes[0])]
    return [_nested(sizes[1:], numbers) for _ in range(sizes[0])]


def fill_from(tensor: Tensor, values: Sequence[Number]) -> None:
    """Write ``values``, in row-major order, into a contiguous tensor whose storage offset is 0."""
    tensor.untyped_storage().copy_in(0, memoryview(tensor._spec.dtype.packed(values)).cast("B"))
