"""Reordered or repeated elements: flip, roll, rot90, repeat, tile, repeat_interleave.

All are copies.  Source: aten/src/ATen/native/TensorTransformations.cpp, TensorShape.cpp, Repeat.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.checks import check_implemented, refuse_limited
from ...calls.iterator import converted_spec
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...values import geometry
from ...values.device import contiguous_format
from ...values.dtype import LIMITED, int32, int64
from ...values.geometry import wrap_dim


def _flip_meta(self: Spec, dims: Sequence[int]) -> Spec:
    wrapped = geometry.wrap_dims(dims, self.ndim)
    if not _keeps_runs(self, wrapped):
        refuse_limited(self.dtype)
    dense = geometry.is_non_overlapping_and_dense(self.sizes, self.strides)
    return self if dense else converted_spec(self, self.dtype)  # as empty_like would make it


def _keeps_runs(self: Spec, dims: Sequence[int]) -> bool:
    """Whether flipping ``dims`` moves runs of adjacent elements, which PyTorch copies whatever their dtype.

    Source: cpu_vflip_memcpy in aten/src/ATen/native/cpu/IndexKernel.cpp.
    """
    several = [dim for dim in range(self.ndim) if self.sizes[dim] > 1]
    flipped = [dim for dim in dims if dim in several]
    if not flipped or not self.numel:
        return True
    innermost = min(several, key=lambda dim: self.strides[dim])
    return innermost not in flipped and self.strides[innermost] == 1


def _flip_kernel(output: Tensor, self: Tensor, dims: Sequence[int]) -> None:
    """Reads ``self`` from the end of each dimension in ``dims``, with negated strides."""
    source, out = TensorAccessor(self), TensorAccessor(output)
    if 0 in source.sizes:
        return
    start, strides = source.offset, list(source.strides)
    for dim in geometry.wrap_dims(dims, len(strides)) if strides else ():
        start += (source.sizes[dim] - 1) * strides[dim]
        strides[dim] = -strides[dim]
    for target, offset in zip(out.offsets(), geometry.offsets(source.sizes, strides, start)):
        out.write(target, source.read(offset))


flip = native_function(
    "flip(Tensor self, int[] dims) -> Tensor",
    meta=_flip_meta,
    kernel=_flip_kernel,
    limited=LIMITED,
    derivatives={"self": lambda grad, dims: grad.flip(dims)},
    linear=("self",),
    doc="""Returns a copy with the order of the elements reversed along each dimension in ``dims``.

    Raises RuntimeError for a repeated dimension, IndexError for one out of range.""",
)


def _fliplr(self: Any) -> Any:
    if self.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return aten.flip.default(self, (1,))


def _flipud(self: Any) -> Any:
    if self.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return aten.flip.default(self, (0,))


native_function(
    "fliplr(Tensor self) -> Tensor",
    composite=_fliplr,
    doc="Returns a copy with dimension 1, the columns of a matrix, in reverse order.",
)

native_function(
    "flipud(Tensor self) -> Tensor",
    composite=_flipud,
    doc="Returns a copy with dimension 0, the rows of a matrix, in reverse order.",
)


def _roll(self: Any, shifts: Sequence[int], dims: Sequence[int]) -> Any:
    """Rolls one dimension after another: elements shifted past the end reappear at the start."""
    if len(shifts) == 1 and len(dims) == 1 and self.numel():
        size = self.size(dims[0])
        start = -shifts[0] % size
        pieces = [self.narrow(dims[0], start, size - start), self.narrow(dims[0], 0, start)]
        return aten.cat.default(pieces, dims[0])
    if len(shifts) == 1 and len(dims) == 1:
        return self.clone()
    if not shifts:
        raise RuntimeError("`shifts` required")
    if not dims and len(shifts) == 1:
        return _roll(self.flatten(), shifts, (0,)).view(self._spec.sizes).data
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    for shift, dim in zip(shifts, dims):
        self = _roll(self, (shift,), (dim,))
    return self


native_function(
    "roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor",
    explicit=_roll,
    derivatives={
        "self": lambda grad, shifts, dims: aten.roll.default(
            grad, tuple(-shift for shift in reversed(shifts)), tuple(reversed(dims))
        )
    },
    linear=("self",),
    doc="""Returns a copy with dimension ``dims[j]`` rolled by ``shifts[j]``: element i moves to
    ``i + shifts[j]``, modulo the size.

    Without ``dims`` the flattened tensor is rolled.  Raises RuntimeError unless ``shifts`` and ``dims`` have
    the same length.""",
)


def _rot90(self: Any, k: int, dims: Sequence[int]) -> Any:
    ndim = self.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    first, second = (wrap_dim(dim, ndim) for dim in dims)
    if first == second:
        raise RuntimeError(
            f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    if k % 4 == 0:
        return self.clone(memory_format=contiguous_format)
    if k % 4 == 2:
        return self.flip(dims)
    flipped = dims[1] if k % 4 == 1 else dims[0]
    return self.flip((flipped,)).transpose(dims[0], dims[1]).data  # detached: autograd sees no view


native_function(
    "rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor",
    explicit=_rot90,
    derivatives={"self": lambda grad, k, dims: grad.rot90(-k, dims)},
    batching="along",
    doc="""Returns a copy rotated ``k`` times by 90 degrees in the plane of two dimensions, from the first
    towards the second.

    Raises RuntimeError unless ``dims`` are two different dimensions, IndexError if one is out of range.""",
)


def _interleaved(self_sizes: Sequence[int], repeats: Sequence[int]) -> list[int]:
    """The sizes (repeats, size, repeats, size …) that a repeated tensor can be viewed as."""
    padded = [1] * (len(repeats) - len(self_sizes)) + list(self_sizes)
    return [each for pair in zip(repeats, padded) for each in pair]


def _repeat(self: Any, repeats: Sequence[int]) -> Any:
    sizes = self._spec.sizes
    if len(repeats) < len(sizes):
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    padded = (1,) * (len(repeats) - len(sizes)) + sizes
    made = self.new_empty([count * size for count, size in zip(repeats, padded)])
    if made.numel():
        pairs = made.view(_interleaved(sizes, repeats))
        once = self.expand(padded)
        for dim in range(len(padded)):
            once = once.unsqueeze(2 * dim)
        aten.copy_.default(pairs, once, False)
    return made


def _repeat_grad(grad: Any, self_sizes: Sequence[int], repeats: Sequence[int]) -> Any:
    """The sum of the gradients of all copies."""
    if 0 in repeats:
        return grad.new_zeros(self_sizes)
    if not repeats:
        return grad
    pairs = grad.reshape(_interleaved(self_sizes, repeats))
    return pairs.sum(dim=list(range(0, 2 * len(repeats), 2))).reshape(self_sizes)


native_function(
    "repeat(Tensor self, SymInt[] repeats) -> Tensor",
    variants="method",
    explicit=_repeat,
    derivatives={"self": _repeat_grad},
    linear=("self",),
    doc="""Repeats ``self`` ``repeats[i]`` times along dimension i; additional repeats create new leading
    dimensions.

    Raises RuntimeError for fewer repeats than dimensions, and for negative ones.""",
)


def _tile(self: Any, dims: Sequence[int]) -> Any:
    return aten.repeat.default(self, (1,) * (self.ndim - len(dims)) + tuple(dims))


native_function(
    "tile(Tensor self, SymInt[] dims) -> Tensor",
    composite=_tile,
    doc="Repeats ``self`` ``dims[i]`` times along dimension i; missing leading ``dims`` are 1.",
)


def _repeated_positions(repeats: Any, output_size: int | None) -> Any:
    """Each position i, ``repeats[i]`` times."""
    if repeats.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    check_implemented(repeats._spec.dtype, int32, int64)
    if not repeats.numel():
        return aten.empty_like(repeats)
    if repeats.is_meta:
        if output_size is None:
            raise NotImplementedError("on the meta device output_size must be given")
        return repeats.new_empty((output_size,))
    if repeats.min().item() < 0:
        raise RuntimeError("repeats can not be negative")
    ends = repeats.cumsum(0)
    size = ends[-1].item()
    if output_size is not None and output_size != size:
        raise RuntimeError(
            f"allocated size does not match required size: got output_size={output_size}, and repeats that "
            f"add up to {size}"
        )
    # count the repeats that end at each position; the cumulative sum of the counts is the source position
    ending = aten.zeros((size + 1,), dtype=int64, device=repeats.device)
    ending = ending.scatter_add_(0, ends, aten.ones_like(ends))
    return ending[:size].cumsum(0, dtype=repeats.dtype)


native_function(
    "repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor",
    variants="function",
    explicit=_repeated_positions,
    derivatives={},
    doc="Returns the index i ``repeats[i]`` times, for each i.",
)


def _repeat_interleave(self: Any, repeats: Any, dim: int | None, output_size: int | None) -> Any:
    if dim is None:
        self, dim = self.flatten(), 0
    if repeats.ndim == 0 or repeats._spec.sizes == (1,):
        repeats = repeats.reshape((1,)).expand((self.size(dim),))
    elif repeats.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    elif repeats.size(0) != self.size(dim):
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{repeats.size(0)} and input.size({dim}) = {self.size(dim)}"
        )
    return self.index_select(dim, aten.repeat_interleave.Tensor(repeats, output_size))


native_function(
    "repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) "
    "-> Tensor",
    composite=_repeat_interleave,
    doc="""Repeats each slice i of dimension ``dim`` ``repeats[i]`` times in a row; without ``dim``, each
    element of the flattened tensor.

    Raises RuntimeError if ``repeats`` has another size than the dimension or is negative, and if
    ``output_size`` is not the resulting size.""",
)


def _repeat_interleave_evenly(self: Any, repeats: int, dim: int | None, output_size: int | None) -> Any:
    if dim is None:
        self, dim = self.flatten(), 0
    dim = wrap_dim(dim, self.ndim)
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    copies = self.unsqueeze(dim + 1)
    sizes = list(copies._spec.sizes)
    sizes[dim + 1] = repeats
    if output_size is not None and output_size != repeats * sizes[dim]:
        raise RuntimeError(f"Invalid output_size, expected {repeats * sizes[dim]} but got {output_size}")
    return copies.expand(sizes).clone(memory_format=contiguous_format).flatten(dim, dim + 1)


native_function(
    "repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> "
    "Tensor",
    composite=_repeat_interleave_evenly,
    doc="Repeats each slice of dimension ``dim`` ``repeats`` times in a row.",
)
