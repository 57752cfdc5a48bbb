"""as_strided, and unfold, which views sliding windows along one dimension.

Source: aten/src/ATen/native/TensorShape.cpp, UnfoldBackward.cpp, derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.checks import check_in_bounds_for_storage
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.spec import Spec
from ...values import geometry
from ...values.dispatch_key import BATCHED

View = tuple[Spec, int]


def _as_strided(self: Spec, size: Sequence[int], stride: Sequence[int], storage_offset: int | None) -> View:
    sizes, strides = tuple(size), tuple(stride)
    if len(sizes) != len(strides):
        raise RuntimeError(f"mismatch in length of strides and shape: {len(strides)} and {len(sizes)}")
    for each in strides:
        if each < 0:
            raise RuntimeError(
                f"as_strided: Negative strides are not supported at the moment, got strides: {list(strides)}"
            )
    for each in sizes:
        if each < 0:
            raise RuntimeError(f"as_strided: Negative sizes are not supported, got sizes: {list(sizes)}")
    return self.with_geometry(sizes, strides), storage_offset or 0


def _as_strided_checked(self: Any, size: Any, stride: Any, storage_offset: int | None) -> Any:
    """as_strided; the offset counts from the start of the storage.  Raises RuntimeError if the storage is too
    small.
    """
    offset = self._storage_offset if storage_offset is None else storage_offset
    if offset < 0:
        raise RuntimeError(f"as_strided: Tensor: invalid storage offset {offset}")
    is_batched = self._keys & BATCHED  # checked for the examples instead
    if not is_batched and len(size) == len(stride) and min(stride, default=0) >= 0:
        itemsize, nbytes = self._spec.dtype.itemsize, self.untyped_storage().nbytes()
        check_in_bounds_for_storage(tuple(size), tuple(stride), offset, itemsize, nbytes)
    return aten._as_strided.default(self, tuple(size), tuple(stride), offset - self._storage_offset)


def _as_strided_grad(grad: Any, self_spec: Spec, size: Any, stride: Any, storage_offset: int) -> Any:
    """Sums the gradients of each memory location, and reads the sums with the geometry of ``self``.

    The gradient of a location is divided evenly between the elements of ``self`` that share it.  Source:
    as_strided_backward.
    """
    sizes, strides = self_spec.sizes, self_spec.strides
    start = max(-storage_offset, 0)  # of self, in the memory that both show
    count = max(geometry.extent(size, stride) + storage_offset, geometry.extent(sizes, strides)) + start
    base = grad.new_zeros((count,))
    positions = _window_positions(grad, size, stride, storage_offset + start)
    summed = aten.scatter_add.default(base, 0, positions, grad.reshape(-1))
    if geometry.numel_of(sizes) > 1 and not geometry.is_non_overlapping_and_dense(sizes, strides):
        mine = _window_positions(grad, sizes, strides, start)
        shares = aten.scatter_add.default(aten.zeros_like(base), 0, mine, aten.ones_like(base[mine]))
        summed = summed / shares.masked_fill(shares == 0, 1)
    return aten._as_strided.default(summed, sizes, strides, start)


def _window_positions(grad: Any, size: Any, stride: Any, storage_offset: int) -> Any:
    positions = None
    for dim, (length, step) in enumerate(zip(size, stride)):
        along = aten.arange.start_step(0, length, 1, None, None, grad.device, None) * step
        along = along.reshape([length if dim == each else 1 for each in range(len(size))])
        positions = along if positions is None else positions + along
    if positions is None:
        positions = aten.zeros.default(
            (1,), aten.arange.default(1, None, None, None, None).dtype, None, grad.device, None
        )
    return (positions + storage_offset).expand(tuple(size) or (1,)).reshape(-1)


native_function(
    "_as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt storage_offset) -> Tensor(a)",
    view=_as_strided,
    derivatives={"self": _as_strided_grad},
    node_name="AsStridedBackward0",
    doc="""as_strided with an offset relative to the first element of ``self``.  Its gradient assumes that
    ``self`` is contiguous.""",
)

native_function(
    "as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)",
    composite=_as_strided_checked,
    doc="""Returns a view of the storage with the given sizes and strides (in elements); ``storage_offset``
    defaults to that of ``self``.

    Raises RuntimeError for negative sizes or strides, and if the view exceeds the storage.""",
)

native_function(
    "unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)",
    variants="method",
    view=lambda self, dimension, size, step: (
        self.with_geometry(*geometry.unfold(self.sizes, self.strides, dimension, size, step)),
        0,
    ),
    derivatives={
        "self": lambda grad, self_sizes, dimension, size, step: aten.unfold_backward.default(
            grad, self_sizes, dimension, size, step
        )
    },
    doc="""Returns a view of all windows of ``size`` elements along ``dimension``, one every ``step``
    elements.

    ``dimension`` indexes the windows, a new last dimension their elements.  Raises RuntimeError if ``size``
    is greater than the dimension, and unless ``step`` is positive.""",
)


def _unfold_backward(grad_in: Any, input_sizes: Sequence[int], dim: int, size: int, step: int) -> Any:
    """Sums, for each element, the gradients of all windows that contain it: windows that are far enough
    apart do not overlap, and are added at once.
    """
    sizes = tuple(input_sizes)
    if step <= 0:
        raise ValueError(f"step is {step} but must be > 0")
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    dim = geometry.wrap_dim(dim, len(sizes))
    if not sizes:
        return grad_in.sum(-1)
    zeros = grad_in.new_zeros(sizes)
    windows = grad_in.size(dim)
    apart = (size + step - 1) // step
    for first in range(min(apart, windows)):
        chosen = aten.slice.Tensor(grad_in, dim, first, None, apart)
        covered = (chosen.size(dim) - 1) * apart * step + size
        part = zeros.narrow(dim, first * step, covered)
        part.unfold(dim, size, apart * step).add_(chosen)
    return zeros


native_function(
    "unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor",
    variants="function",
    explicit=_unfold_backward,
    derivatives={"grad_in": lambda grad, dim, size, step: grad.unfold(dim, size, step)},
    batching="sized",
    doc="""Sums the windows ``grad_in`` into zeros of sizes ``input_sizes``, at the elements that unfold took
    them from.""",
)
