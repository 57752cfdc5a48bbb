"""Spec: everything that describes a tensor except its data and its storage offset.

A spec is an immutable value, and interned: equal specs are the same object, so that dictionaries find them by
identity.  Views, broadcasting, type promotion and meta functions map specs to specs, so their results can be
cached under the specs of their inputs (calls/running.py does so).
"""

from __future__ import annotations

from collections import deque
from operator import index
from weakref import WeakValueDictionary

from ..values import dtype as dtypes
from ..values import geometry
from ..values.device import device, layout, strided
from ..values.dtype import dtype
from ..values.geometry import Ints, Size
from .prepared import register_free  # noqa: F401  (backends of contract 1.2 import it from here)


class Spec:
    """Sizes, strides (in elements), dtype, device and layout; created by ``spec_of`` only.

    ``extent_nbytes`` counts the bytes from the first element to the end of the last one that the strides
    reach.
    """

    __slots__ = (
        "__weakref__",
        "device",
        "dtype",
        "extent_nbytes",
        "is_contiguous",
        "layout",
        "ndim",
        "numel",
        "shape",
        "sizes",
        "strides",
    )

    sizes: Ints
    strides: Ints
    dtype: dtype
    device: device
    layout: layout
    shape: Size
    ndim: int
    numel: int
    is_contiguous: bool
    extent_nbytes: int

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, without gaps."""
        return self.numel * self.dtype.itemsize

    def with_geometry(self, sizes: Ints, strides: Ints) -> Spec:
        """The spec of a view: other sizes and strides, same dtype and device."""
        return spec_of(sizes, strides, self.dtype, self.device)

    def contiguous(self, sizes: Ints | None = None, dtype: dtypes.dtype | None = None) -> Spec:
        """The spec of a contiguous tensor like this one, with other sizes or another dtype if given."""
        return contiguous_spec(self.sizes if sizes is None else sizes, dtype or self.dtype, self.device)

    def __repr__(self) -> str:
        return f"Spec({list(self.sizes)}, strides={list(self.strides)}, {self.dtype.name}, {self.device})"


_interned: WeakValueDictionary[tuple[Ints, Ints, dtype, device], Spec] = WeakValueDictionary()
_recent: deque[Spec] = deque(maxlen=256)  # outlive their tensors for a while, for reuse


def check_size_nonnegative(sizes: Ints) -> None:
    """Raises RuntimeError for a negative size.  Source: EmptyTensor.h, check_size_nonnegative."""
    for size in sizes:
        if size < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {size}: {list(sizes)}")


def check_dims(count: int) -> None:
    """Raises RuntimeError for more dimensions than a tensor may have.

    PyTorch's tensors may have more, although its reductions then raise "only tensors with up to 64 dims are
    supported"; here kernels have room for no more.
    """
    if count > geometry.MAX_DIMS:
        raise RuntimeError(f"a tensor has at most {geometry.MAX_DIMS} dimensions, got {count}")


def spec_of(sizes: Ints, strides: Ints, dtype: dtype, device: device) -> Spec:
    """The spec with these four values.

    Raises RuntimeError for a negative size or too many dimensions, and TypeError for a size that is not an
    integer; callers should have raised a better error for the latter.
    """
    key = (sizes, strides, dtype, device)
    spec = _interned.get(key)
    if spec is None:
        # 2.0 == 2: a spec with floats would later be found for the integers
        sizes, strides = tuple(map(index, sizes)), tuple(map(index, strides))
        key = (sizes, strides, dtype, device)
        check_size_nonnegative(sizes)
        check_dims(len(sizes))
        spec = Spec()
        spec.sizes = sizes
        spec.strides = strides
        spec.dtype = dtype
        spec.device = device
        spec.layout = strided
        spec.shape = Size(sizes)
        spec.ndim = len(sizes)
        spec.numel = geometry.numel_of(sizes)
        spec.is_contiguous = geometry.is_contiguous(sizes, strides)
        spec.extent_nbytes = geometry.extent(sizes, strides) * dtype.itemsize
        # two threads may both have found none: the second gets the first one's
        spec = _interned.setdefault(key, spec)
        _recent.append(spec)
    return spec


def contiguous_spec(sizes: Ints, dtype: dtype, device: device) -> Spec:
    """The spec of a new contiguous tensor."""
    return spec_of(sizes, geometry.contiguous_strides(sizes), dtype, device)
