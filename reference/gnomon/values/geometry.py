"""Sizes, strides and offsets: the arithmetic of views, independent of memory.

Everything here is a pure function of tuples of ints.  Strides and offsets count elements unless a name says
bytes.  Dimension 0 is the outermost.

Source: ATen/ExpandUtils.cpp, ATen/TensorUtils.cpp, ATen/MemoryOverlap.cpp, ATen/WrapDimUtils.h.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from typing import SupportsIndex, overload

from .library_name import LIBRARY

Ints = tuple[int, ...]

MAX_DIMS = 64  # that a tensor may have: PyTorch's limit of reductions, here of all tensors


class Size(tuple[int, ...]):
    """A tensor's sizes as users see them: a tuple with its own repr.  Source: torch.Size."""

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements of a tensor of these sizes."""
        return numel_of(self)

    def __repr__(self) -> str:
        return f"{LIBRARY}.Size({list(self)})"

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    def __getitem__(self, index: SupportsIndex | slice) -> int | Size:
        picked = tuple.__getitem__(self, index)
        return Size(picked) if isinstance(picked, tuple) else picked

    def __add__(self, other: tuple[int, ...]) -> Size:  # type: ignore[override]
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to {LIBRARY}.Size")
        return Size((*self, *other))

    def __radd__(self, other: tuple[int, ...]) -> Size:
        return Size((*other, *self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, count: int) -> Size:  # type: ignore[override]
        return Size(tuple.__mul__(self, count))

    __rmul__ = __mul__  # type: ignore[assignment]


def numel_of(sizes: Sequence[int]) -> int:
    """The number of elements of a tensor of ``sizes``: their product, 1 for no dimensions.

    Raises RuntimeError if it does not fit 64 bits.  Source: c10::safe_multiplies_u64.
    """
    count = 1
    for size in sizes:
        count *= size
        if count >= 2**63:
            raise RuntimeError(
                f"Storage size calculation overflowed with sizes={list(sizes)} (numel: integer "
                "multiplication overflow)"
            )
    return count


def contiguous_strides(sizes: Sequence[int]) -> Ints:
    """The strides of a contiguous (row-major) tensor of ``sizes``.

    Raises RuntimeError for strides that do not fit 64 bits, possible only for a tensor without elements.
    """
    return _row_major(tuple(sizes))


@functools.lru_cache(4096)
def _row_major(sizes: Ints) -> Ints:
    strides = []
    step = 1
    for size in reversed(sizes):
        strides.append(step)
        step *= max(operator.index(size), 1)  # index(): no floats in the cache
    if max((*strides, *sizes), default=0) >= 2**63:
        raise RuntimeError(f"Stride calculation overflowed with sizes={list(sizes)}")
    return tuple(reversed(strides))


def channels_last_strides(sizes: Sequence[int]) -> Ints:
    """The strides of (N, C, *spatial) in channels-last order: N, *spatial, C."""
    order = [0, *range(2, len(sizes)), 1]
    strides = [0] * len(sizes)
    step = 1
    for dim in reversed(order):
        strides[dim] = step
        step *= sizes[dim]
    return tuple(strides)


def lies_channels_last(sizes: Ints, strides: Ints) -> bool:
    """Are (N, C, H, W) or (N, C, D, H, W) strides channels last?  Gaps are allowed.

    If sizes of 1 make them ambiguous, the answer is no.  Source: is_channels_last_strides_2d_s4.
    """
    if len(sizes) not in (4, 5) or strides[1] == 0:
        return False
    least = 0
    for dim in (1, *range(len(sizes) - 1, 1, -1), 0):
        if sizes[dim] == 0 or strides[dim] < least or (dim == 0 and least == strides[1]):
            return False
        least = strides[dim] * max(sizes[dim], 1)
    return True


def is_contiguous(sizes: Ints, strides: Ints) -> bool:
    """Are the elements in row-major order without gaps?

    Strides of dimensions of size 1 do not matter, and a tensor without elements is contiguous.
    """
    if 0 in sizes:
        return True
    expected = 1
    for size, stride in zip(reversed(sizes), reversed(strides)):
        if size != 1:
            if stride != expected:
                return False
            expected *= size
    return True


def is_non_overlapping_and_dense(sizes: Ints, strides: Ints) -> bool:
    """Do the elements fill one block of memory without gaps or overlap, in any order?"""
    if 0 in sizes:
        return True
    expected = 1
    for stride, size in sorted((stride, size) for size, stride in zip(sizes, strides) if size != 1):
        if stride != expected:
            return False
        expected *= size
    return True


def extent(sizes: Ints, strides: Ints) -> int:
    """The number of elements from a view's first to its last in memory; 0 for an empty view.

    Source: storage_size_for / computeStorageNbytes without the offset.
    """
    if 0 in sizes:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides))


def has_internal_overlap(sizes: Ints, strides: Ints) -> bool:
    """Do two indices certainly refer to one element (a stride of 0 in a dimension larger than 1)?

    Source: has_internal_overlap in MemoryOverlap.cpp, MemOverlap::Yes.
    """
    return 0 not in sizes and any(stride == 0 and size > 1 for size, stride in zip(sizes, strides))


def may_overlap(sizes: Ints, strides: Ints) -> bool:
    """May two indices refer to one element: is any stride no larger than the reach of the smaller ones?

    Source: _maybe_overlapping_memory in FunctionsManual.cpp.
    """
    reach = 0
    for stride, size in sorted((stride, size) for stride, size in zip(strides, sizes) if size > 1):
        if stride <= reach:
            return 0 not in sizes
        reach += stride * (size - 1)
    return False


def offsets(sizes: Sequence[int], strides: Sequence[int], start: int = 0) -> Iterator[int]:
    """The offset of each element, in row-major order of the indices."""
    if not sizes:
        yield start
        return
    inner_sizes = sizes[1:]
    inner_strides = strides[1:]
    if not inner_sizes:
        yield from (
            range(start, start + sizes[0] * strides[0], strides[0]) if strides[0] else [start] * sizes[0]
        )
        return
    if 0 in inner_sizes:
        return  # no elements
    for index in range(sizes[0]):
        yield from offsets(inner_sizes, inner_strides, start + index * strides[0])


def wrap_dim(dim: int, ndim: int, wrap_scalar: bool = True) -> int:
    """``dim`` as a nonnegative index.  A 0-dim tensor counts as 1-dim unless ``wrap_scalar`` is False.

    Raises IndexError if there is no such dimension.
    """
    bound = ndim
    if ndim == 0:
        if not wrap_scalar:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        bound = 1
    if not -bound <= dim < bound:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {dim})"
        )
    return dim + bound if dim < 0 else dim


def wrap_dims(dims: Sequence[int], ndim: int) -> Ints:
    """``dims`` as nonnegative indices; raises RuntimeError for duplicates."""
    wrapped: list[int] = []
    for dim in dims:
        wrapped.append(wrap_dim(dim, ndim))
        if wrapped.count(wrapped[-1]) > 1:
            raise RuntimeError(f"dim {wrapped[-1]} appears multiple times in the list of dims")
    return tuple(wrapped)


def broadcast_sizes(first: Ints, second: Ints) -> Ints:
    """The shape that two shapes broadcast to.  Raises RuntimeError if there is none.  Source: infer_size."""
    ndim = max(len(first), len(second))
    padded_first = (1,) * (ndim - len(first)) + first
    padded_second = (1,) * (ndim - len(second)) + second
    sizes = []
    for dim, (a, b) in enumerate(zip(padded_first, padded_second)):
        if a != b and a != 1 and b != 1:
            raise RuntimeError(
                f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton "
                f"dimension {dim}: {list(first)} and {list(second)} do not broadcast"
                f"{_broadcasting_advice(first, second)}"
            )
        sizes.append(b if a == 1 else a)
    return tuple(sizes)


def _broadcasting_advice(first: Ints, second: Ints) -> str:
    """What would make two shapes broadcast, if it is one more dimension at the end of the shorter one."""
    shorter, longer, name = (first, second, "a") if len(first) < len(second) else (second, first, "b")
    longer_end = longer[len(longer) - len(shorter) - 1 :]
    fits = all(a == b or 1 in (a, b) for a, b in zip((*shorter, 1), longer_end))
    return f"; {name}.unsqueeze(-1) would" if len(shorter) < len(longer) and fits else ""


def is_expandable_to(sizes: Ints, to: Ints) -> bool:
    """Can a tensor of ``sizes`` be expanded to the sizes ``to``?  Source: is_expandable_to."""
    pad = len(to) - len(sizes)
    return pad >= 0 and all(size in (1, wanted) for size, wanted in zip(sizes, to[pad:]))


def check_expandable(sizes: Ints, to: Ints) -> None:
    """Raises RuntimeError unless a tensor of ``sizes`` can be expanded to the sizes ``to``."""
    pad = len(to) - len(sizes)
    both = f"Target sizes: {list(to)}.  Tensor sizes: {list(sizes)}"
    if pad < 0:
        raise RuntimeError(
            f"The number of sizes provided ({len(to)}) must be greater or equal to the number of dimensions "
            f"in the tensor ({len(sizes)}).  {both}"
        )
    for dim in range(len(to) - 1, pad - 1, -1):
        if sizes[dim - pad] not in (1, to[dim]):
            raise RuntimeError(
                f"The expanded size of the tensor ({to[dim]}) must match the existing size "
                f"({sizes[dim - pad]}) at non-singleton dimension {dim}.  {both}"
            )


def expand_strides(sizes: Ints, strides: Ints, to: Ints) -> Ints:
    """The strides of a tensor of ``sizes`` expanded to shape ``to``: 0 in each expanded dimension."""
    pad = len(to) - len(sizes)
    expanded = [0] * pad
    for size, stride, wanted in zip(sizes, strides, to[pad:]):
        expanded.append(0 if size == 1 and wanted != 1 else stride)
    return tuple(expanded)


def infer_size(shape: Sequence[int], numel: int) -> Ints:
    """``shape`` with its -1 replaced by the size that makes ``numel`` elements.

    Raises RuntimeError if the shape does not fit.  Source: infer_size in ATen/InferSize.h.
    """
    shape = tuple(shape)
    known = 1
    unknown = None
    for dim, size in enumerate(shape):
        if size == -1:
            if unknown is not None:
                raise RuntimeError("only one dimension can be inferred")
            unknown = dim
        elif size < 0:
            raise RuntimeError(f"invalid shape dimension {size}")
        else:
            known *= size
    if unknown is None:
        if known != numel:
            raise RuntimeError(
                f"shape '{list(shape)}' is invalid for input of size {numel}: it has {known} elements"
            )
        return shape
    if known == 0:
        if numel == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
                "dimension size -1 can be any value and is ambiguous"
            )
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    if numel % known != 0:
        raise RuntimeError(
            f"shape '{list(shape)}' is invalid for input of size {numel}, which is not a multiple of {known}"
        )
    return (*shape[:unknown], numel // known, *shape[unknown + 1 :])


def view_strides(sizes: Ints, strides: Ints, to: Ints) -> Ints | None:
    """The strides of a view as shape ``to`` of a tensor of ``sizes``, or None if that needs a copy.

    The old dimensions form chunks that are contiguous within themselves; the new dimensions must fill each
    chunk exactly.  Source: computeStride in ATen/TensorUtils.cpp.
    """
    numel = numel_of(sizes)
    if numel == 0:
        return strides if sizes == to else contiguous_strides(to)
    if not sizes:
        return (1,) * len(to)
    new_strides = [0] * len(to)
    view_dim = len(to) - 1
    chunk_base_stride = strides[-1]
    tensor_numel = 1
    view_numel = 1
    for dim in range(len(sizes) - 1, -1, -1):
        tensor_numel *= sizes[dim]
        ends_chunk = dim == 0 or (
            sizes[dim - 1] != 1 and strides[dim - 1] != tensor_numel * chunk_base_stride
        )
        if not ends_chunk:
            continue
        while view_dim >= 0 and (view_numel < tensor_numel or to[view_dim] == 1):
            new_strides[view_dim] = view_numel * chunk_base_stride
            view_numel *= to[view_dim]
            view_dim -= 1
        if view_numel != tensor_numel:
            return None
        if dim > 0:
            chunk_base_stride = strides[dim - 1]
            tensor_numel = 1
            view_numel = 1
    return tuple(new_strides) if view_dim == -1 else None


def slice_bounds(start: int | None, end: int | None, size: int) -> tuple[int, int]:
    """``start`` and ``end`` of a slice as nonnegative indices, clamped to the dimension's ``size``."""
    start = 0 if start is None else start
    end = size if end is None else end
    start = min(max(start + size if start < 0 else start, 0), size)
    end = min(max(end + size if end < 0 else end, start), size)
    return start, end


def diagonal_dims(dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    """Both dimensions as nonnegative indices.  Raises RuntimeError if they are the same."""
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return first, second


def diagonal(
    sizes: Ints, strides: Ints, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> tuple[Ints, Ints, int]:
    """Sizes, strides and offset of the view whose last dimension is the diagonal of two dimensions.

    Its element i is [i, i + offset] if ``offset`` is 0 or more, else [i - offset, i].  Raises RuntimeError if
    both dimensions are the same.
    """
    first, second = diagonal_dims(dim1, dim2, len(sizes))
    down, right = max(-offset, 0), max(offset, 0)
    length = max(min(sizes[first] - down, sizes[second] - right), 0)
    start = down * strides[first] + right * strides[second] if length else 0
    kept = [dim for dim in range(len(sizes)) if dim not in (first, second)]
    return (
        (*(sizes[dim] for dim in kept), length),
        (*(strides[dim] for dim in kept), strides[first] + strides[second]),
        start,
    )


def unfold(sizes: Ints, strides: Ints, dim: int, size: int, step: int) -> tuple[Ints, Ints]:
    """Sizes and strides of the view whose new last dimension holds windows of dimension ``dim``.

    They have ``size`` elements, and one starts at every ``step``-th.  Raises RuntimeError for windows larger
    than the dimension.
    """
    dim = wrap_dim(dim, len(sizes))
    available = sizes[dim] if sizes else 1
    if size > available:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {available} but size is {size}")
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not sizes:
        return (size,), (1,)
    windows = (available - size) // step + 1
    return (
        (*sizes[:dim], windows, *sizes[dim + 1 :], size),
        (*strides[:dim], strides[dim] * step, *strides[dim + 1 :], strides[dim]),
    )


def viewed_as_itemsize(
    sizes: Ints, strides: Ints, offset: int, itemsize: int, wanted: int
) -> tuple[Ints, Ints, int]:
    """Sizes, strides and offset of the same bytes viewed as elements of ``wanted`` bytes.

    Raises RuntimeError if the last dimension is not contiguous, or bytes would be left over.
    Source: view_dtype in TensorConversions.cpp.
    """
    if itemsize == wanted:
        return sizes, strides, offset
    if not sizes:
        raise RuntimeError("self.dim() cannot be 0 to view it with another element size")
    if strides[-1] != 1:
        raise RuntimeError(
            f"self.stride(-1) must be 1 to view it with another element size, but got {strides[-1]}"
        )
    if itemsize > wanted:
        ratio = itemsize // wanted
        return (
            (*sizes[:-1], sizes[-1] * ratio),
            (*(stride * ratio for stride in strides[:-1]), 1),
            offset * ratio,
        )
    ratio = wanted // itemsize
    for what, number in (
        ("self.size(-1)", sizes[-1]),
        ("self.storage_offset()", offset),
        *((f"self.stride({dim})", stride) for dim, stride in enumerate(strides[:-1])),
    ):
        if number % ratio:
            raise RuntimeError(
                f"{what} must be divisible by {ratio} to view elements of {itemsize} bytes as ones of "
                f"{wanted}, but got {number}"
            )
    return (
        (*sizes[:-1], sizes[-1] // ratio),
        (*(stride // ratio for stride in strides[:-1]), 1),
        offset // ratio,
    )
