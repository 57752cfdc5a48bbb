"""Views: other sizes and strides over the same memory.

Each is a pure function from a spec to (spec, offset in elements); values/geometry.py has the arithmetic.
Source: aten/src/ATen/native/TensorShape.cpp, derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..kit.native import native_function
from ..memory.spec import Spec
from ..values import geometry
from ..values.device import contiguous_format
from ..values.geometry import wrap_dim

View = tuple[Spec, int]


def _view(self: Spec, size: Sequence[int]) -> View:
    sizes = geometry.infer_size(size, self.numel)
    strides = geometry.view_strides(self.sizes, self.strides, sizes)
    if strides is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans "
            "across two contiguous subspaces). Use .reshape(...) instead."
        )
    return self.with_geometry(sizes, strides), 0


view = native_function(
    "view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
    variants="method",
    view=_view,
    derivatives={"self": lambda grad, self_sizes: grad.reshape(self_sizes)},
    doc="""The same elements in another shape, without copying; one size may be -1 and is inferred.

    Raises RuntimeError when the shape has another number of elements, or when the strides do not allow
    it.""",
)


def _reshape(self: Any, shape: Sequence[int]) -> Any:
    sizes = geometry.infer_size(shape, self._spec.numel)
    if geometry.view_strides(self._spec.sizes, self._spec.strides, sizes) is not None:
        return aten.view.default(self, sizes)
    return aten.view.default(aten.clone.default(self, contiguous_format), sizes)


reshape = native_function(
    "reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
    composite=_reshape,
    doc="The same elements in another shape: a view where strides allow it, else a copy.",
)


def _flatten(self: Any, start_dim: int, end_dim: int) -> Any:
    sizes = self._spec.sizes
    start = wrap_dim(start_dim, len(sizes))
    end = wrap_dim(end_dim, len(sizes))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not sizes:
        return aten.reshape.default(self, (1,))
    if start == end:
        return self
    return aten.reshape.default(
        self, (*sizes[:start], geometry.numel_of(sizes[start : end + 1]), *sizes[end + 1 :])
    )


flatten = native_function(
    "flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)",
    composite=_flatten,
    doc="Dimensions ``start_dim`` to ``end_dim`` joined into one.",
)


def _expand(self: Spec, size: Sequence[int], implicit: bool) -> View:
    size = tuple(size)
    if len(size) < self.ndim:
        raise RuntimeError(
            f"expand({list(self.sizes)}, size={list(size)}): the number of sizes provided ({len(size)}) "
            f"must be greater or equal to the number of dimensions in the tensor ({self.ndim})"
        )
    pad = len(size) - self.ndim
    sizes = []
    for dim, wanted in enumerate(size):
        existing = self.sizes[dim - pad] if dim >= pad else 1
        if wanted == -1:
            if dim < pad:
                raise RuntimeError(
                    f"The expanded size of the tensor ({wanted}) isn't allowed in a leading, non-existing "
                    f"dimension {dim}"
                )
            wanted = existing
        elif wanted < 0:
            raise RuntimeError(f"expand: invalid size {wanted} in dimension {dim}")
        if existing not in (1, wanted):
            raise RuntimeError(
                f"The expanded size of the tensor ({wanted}) must match the existing size ({existing}) at "
                f"non-singleton dimension {dim}.  Target sizes: {list(size)}.  Tensor sizes: "
                f"{list(self.sizes)}"
            )
        sizes.append(wanted)
    target = tuple(sizes)
    # a new leading dimension of size 1 gets the stride that a row-major tensor would have there
    strides = list(geometry.expand_strides(self.sizes, self.strides, target))
    for dim in range(pad - 1, -1, -1):
        if target[dim] == 1:
            strides[dim] = target[dim + 1] * strides[dim + 1] if dim + 1 < len(target) else 1
    return self.with_geometry(target, tuple(strides)), 0


expand = native_function(
    "expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
    variants="method",
    view=_expand,
    derivatives={"self": lambda grad, self_sizes: grad.sum_to_size(self_sizes)},
    doc="""Dimensions of size 1 repeated to ``size`` (stride 0, no memory); -1 keeps a size; new ones come in
    front.

    Raises RuntimeError for a dimension of another size.""",
)

native_function(
    "expand_as(Tensor(a) self, Tensor other) -> Tensor(a)",
    variants="method",
    composite=lambda self, other: aten.expand.default(self, other._spec.sizes, False),
    doc="Expanded to the sizes of ``other``.",
)


def _permute(self: Spec, dims: Sequence[int]) -> View:
    if len(dims) != self.ndim:
        raise RuntimeError(
            "number of dimensions in the tensor input does not match the length of the desired ordering of "
            f"dimensions i.e. input.dim() = {self.ndim} is not equal to len(dims) = {len(dims)}"
        )
    order = geometry.wrap_dims(dims, self.ndim)
    return self.with_geometry(
        tuple(self.sizes[dim] for dim in order), tuple(self.strides[dim] for dim in order)
    ), 0


def _permute_back(grad: Any, dims: Sequence[int]) -> Any:
    inverse = [0] * len(dims)
    for position, dim in enumerate(dims):
        inverse[dim] = position
    return grad.permute(inverse)


permute = native_function(
    "permute(Tensor(a) self, int[] dims) -> Tensor(a)",
    view=_permute,
    derivatives={"self": _permute_back},
    doc="Dimensions in another order: dimension i of the result is dimension ``dims[i]``.",
)


def _transpose(self: Spec, dim0: int, dim1: int) -> View:
    first, second = wrap_dim(dim0, self.ndim), wrap_dim(dim1, self.ndim)
    if not self.ndim:
        return self, 0
    sizes, strides = list(self.sizes), list(self.strides)
    sizes[first], sizes[second] = sizes[second], sizes[first]
    strides[first], strides[second] = strides[second], strides[first]
    return self.with_geometry(tuple(sizes), tuple(strides)), 0


transpose = native_function(
    "transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
    view=_transpose,
    derivatives={"self": lambda grad, dim0, dim1: grad.transpose(dim0, dim1)},
    doc="Two dimensions exchanged.",
)


def _t(self: Spec) -> View:
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return _transpose(self, 0, 0 if self.ndim < 2 else 1)


t = native_function(
    "t(Tensor(a) self) -> Tensor(a)",
    view=_t,
    derivatives={"self": lambda grad: grad.t()},
    node_name="TBackward0",
    doc="The transpose of a matrix; vectors and 0-dim tensors as they are.  Raises RuntimeError for more "
    "dimensions.",
)


def _squeeze_dims(self: Spec, dims: Sequence[int]) -> View:
    kept = [dim for dim in range(self.ndim) if dim not in dims or self.sizes[dim] != 1]
    return self.with_geometry(
        tuple(self.sizes[dim] for dim in kept), tuple(self.strides[dim] for dim in kept)
    ), 0


native_function(
    "squeeze(Tensor(a) self) -> Tensor(a)",
    view=lambda self: _squeeze_dims(self, range(self.ndim)),
    derivatives={"self": lambda grad, self_sizes: grad.reshape(self_sizes)},
    doc="Without its dimensions of size 1.",
)

native_function(
    "squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
    view=lambda self, dim: _squeeze_dims(self, [wrap_dim(dim, self.ndim)]),
    derivatives={"self": lambda grad, self_sizes: grad.reshape(self_sizes)},
    node_name="SqueezeBackward1",
    doc="Without dimension ``dim`` if its size is 1.",
)

native_function(
    "squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)",
    view=lambda self, dim: _squeeze_dims(self, geometry.wrap_dims(dim, self.ndim)),
    derivatives={"self": lambda grad, self_sizes: grad.reshape(self_sizes)},
    node_name="SqueezeBackward2",
    doc="Without those of the dimensions ``dim`` whose size is 1.",
)


def _unsqueeze(self: Spec, dim: int) -> View:
    dim = wrap_dim(dim, self.ndim + 1)
    stride = self.sizes[dim] * self.strides[dim] if dim < self.ndim else 1
    sizes = (*self.sizes[:dim], 1, *self.sizes[dim:])
    return self.with_geometry(sizes, (*self.strides[:dim], stride, *self.strides[dim:])), 0


unsqueeze = native_function(
    "unsqueeze(Tensor(a) self, int dim) -> Tensor(a)",
    view=_unsqueeze,
    derivatives={"self": lambda grad, self_sizes: grad.reshape(self_sizes)},
    doc="With a new dimension of size 1 at position ``dim``.",
)


def _select(self: Spec, dim: int, index: int) -> View:
    if not self.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, self.ndim)
    size = self.sizes[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self.sizes)} at dimension {dim}"
        )
    index = index + size if index < 0 else index
    sizes = (*self.sizes[:dim], *self.sizes[dim + 1 :])
    strides = (*self.strides[:dim], *self.strides[dim + 1 :])
    return self.with_geometry(sizes, strides), index * self.strides[dim]


select = native_function(
    "select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
    view=_select,
    derivatives={
        "self": lambda grad, self_sizes, dim, index: aten.select_backward.default(
            grad, self_sizes, dim, index
        )
    },
    doc="The slice at ``index`` of dimension ``dim``, which goes.  Raises IndexError when out of range.",
)

native_function(
    "select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor",
    explicit=lambda grad_output, input_sizes, dim, index: _place(
        grad_output, input_sizes, lambda zeros: zeros.select(dim, index)
    ),
    derivatives={"grad_output": lambda grad, dim, index: grad.select(dim, index)},
    doc="Zeros of ``input_sizes`` with ``grad_output`` at ``index`` of dimension ``dim``.",
)


def _place(grad_output: Any, input_sizes: Sequence[int], view: Any) -> Any:
    """Zeros with ``grad_output`` written into a view of them."""
    zeros = grad_output.new_zeros(tuple(input_sizes))
    aten.copy_.default(view(zeros), grad_output, False)
    return zeros


def _slice(self: Spec, dim: int, start: int | None, end: int | None, step: int) -> View:
    if not self.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, self.ndim)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    first, last = geometry.slice_bounds(start, end, self.sizes[dim])
    length = (last - first + step - 1) // step
    sizes = (*self.sizes[:dim], length, *self.sizes[dim + 1 :])
    strides = (*self.strides[:dim], self.strides[dim] * step, *self.strides[dim + 1 :])
    return self.with_geometry(sizes, strides), first * self.strides[dim]


slice_ = native_function(
    "slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> "
    "Tensor(a)",
    view=_slice,
    derivatives={
        "self": lambda grad, self_sizes, dim, start, end, step: aten.slice_backward.default(
            grad, self_sizes, dim, start, end, step
        )
    },
    doc="Elements ``start`` to before ``end`` of dimension ``dim``, in steps; bounds are clamped, the step "
    "is positive.",
)

native_function(
    "slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, SymInt "
    "step) -> Tensor",
    explicit=lambda grad_output, input_sizes, dim, start, end, step: _place(
        grad_output, input_sizes, lambda zeros: aten.slice.Tensor(zeros, dim, start, end, step)
    ),
    derivatives={
        "grad_output": lambda grad, dim, start, end, step: aten.slice.Tensor(grad, dim, start, end, step)
    },
    doc="Zeros of ``input_sizes`` with ``grad_output`` in the slice.",
)


def _narrow(self: Any, dim: int, start: int, length: int) -> Any:
    if not self.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    size = self.size(dim)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= start <= size:
        raise IndexError(
            f"narrow: Dimension out of range (expected to be in range of [{-size}, {size}], but got {start})"
        )
    start = start + size if start < 0 else start
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return aten.slice.Tensor(self, dim, start, start + length, 1)


native_function(
    "narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)",
    composite=_narrow,
    doc="``length`` elements of dimension ``dim`` from ``start`` on.  Raises RuntimeError when out of range.",
)


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
    """as_strided's offset counts from the start of the storage, and the storage has to reach."""
    offset = self._storage_offset if storage_offset is None else storage_offset
    if offset < 0:
        raise RuntimeError(f"as_strided: Tensor: invalid storage offset {offset}")
    itemsize = self._spec.dtype.itemsize
    needed = (offset + geometry.extent(tuple(size), tuple(stride))) * itemsize
    available = self.untyped_storage().nbytes()
    if (
        needed > available
        and geometry.numel_of(size)
        and len(size) == len(stride)
        and min(stride, default=0) >= 0
    ):
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
            f"{itemsize} requiring a storage size of {needed} are out of bounds for storage of size "
            f"{available}"
        )
    return aten._as_strided.default(self, tuple(size), tuple(stride), offset - self._storage_offset)


def _as_strided_grad(grad: Any, self_spec: Spec, size: Any, stride: Any, storage_offset: int) -> Any:
    """Add up what each element of a row-major base received through the window."""
    if not self_spec.is_contiguous:
        raise NotImplementedError(
            f"as_strided: the gradient needs a contiguous input, got strides {list(self_spec.strides)}; "
            "call .contiguous() first"
        )
    self_sizes = self_spec.sizes
    base = grad.new_zeros((geometry.extent(size, stride) + storage_offset,))
    positions = _window_positions(grad, size, stride, storage_offset)
    summed = aten.scatter_add.default(base, 0, positions, grad.reshape(-1))
    numel = geometry.numel_of(self_sizes)
    if summed.numel() < numel:
        summed = aten.cat.default([summed, grad.new_zeros((numel - summed.numel(),))], 0)
    return summed[:numel].reshape(self_sizes)


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
    doc="as_strided with an offset that counts from the first element.  Its gradient takes ``self`` as "
    "row-major.",
)

native_function(
    "as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)",
    composite=_as_strided_checked,
    doc="""Any sizes and strides (elements) over the storage, from ``storage_offset`` on (default: that of
    ``self``).

    Raises RuntimeError for negative strides and for reaching beyond the storage.""",
)


def _as_strided_scatter(self: Any, src: Any, size: Any, stride: Any, storage_offset: int | None) -> Any:
    made = aten.clone.default(self, contiguous_format)
    aten.copy_.default(aten.as_strided.default(made, size, stride, storage_offset or 0), src, False)
    return made


native_function(
    "as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? "
    "storage_offset=None) -> Tensor",
    explicit=_as_strided_scatter,
    derivatives={
        "self": lambda grad, src_spec, size, stride, storage_offset: aten.as_strided_scatter.default(
            grad, grad.new_zeros(src_spec.sizes), size, stride, storage_offset
        ),
        "src": lambda grad, size, stride, storage_offset: grad.contiguous().as_strided(
            size, stride, storage_offset
        ),
    },
    doc="A row-major copy of ``self`` with ``src`` written into the window that as_strided would show.",
)


def _unbind(self: Spec, dim: int) -> list[View]:
    dim = wrap_dim(dim, self.ndim)
    return [_select(self, dim, index) for index in range(self.sizes[dim])]


unbind = native_function(
    "unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]",
    composite=lambda self, dim: tuple(aten.select.int(self, dim, index) for index in range(self.size(dim))),
    doc="The slices along dimension ``dim``, one after another.",
)


def _split_sizes(self: Any, split_sizes: Sequence[int], dim: int) -> Any:
    size = self.size(dim)
    if any(each < 0 for each in split_sizes):
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"{list(split_sizes)}"
        )
    if sum(split_sizes) != size:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at "
            f"dimension {dim}), but got split_sizes={list(split_sizes)}"
        )
    starts = [sum(split_sizes[:position]) for position in range(len(split_sizes))]
    return tuple(
        aten.slice.Tensor(self, dim, start, start + length, 1) for start, length in zip(starts, split_sizes)
    )


native_function(
    "split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]",
    composite=_split_sizes,
    doc="Pieces of the given lengths along dimension ``dim``.  Raises RuntimeError unless they add up to "
    "its size.",
)


def _split(self: Any, split_size: int, dim: int) -> Any:
    if not self.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    size = self.size(dim)
    if split_size < 0 or (split_size == 0 and size):
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    if size == 0:
        return (aten.slice.Tensor(self, dim, 0, 0, 1),)
    return _split_sizes(self, [min(split_size, size - start) for start in range(0, size, split_size)], dim)


native_function(
    "split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
    composite=_split,
    doc="Pieces of length ``split_size`` along dimension ``dim``, the last perhaps shorter.",
)


def _chunk(self: Any, chunks: int, dim: int) -> Any:
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    if not self.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    size = self.size(dim)
    return _split(self, max((size + chunks - 1) // chunks, 1), dim)


native_function(
    "chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
    composite=_chunk,
    doc="At most ``chunks`` pieces of equal length along dimension ``dim``, the last perhaps shorter.",
)

detach = native_function(
    "detach(Tensor(a) self) -> Tensor(a)",
    view=lambda self: (self, 0),
    derivatives={},
    doc="The same numbers, without history: a tensor that does not require grad.",
)

native_function(
    "alias(Tensor(a) self) -> Tensor(a)",
    view=lambda self: (self, 0),
    derivatives={"self": lambda grad: grad},
    doc="Another tensor over the same memory.",
)

native_function(
    "view_as(Tensor(a) self, Tensor other) -> Tensor(a)",
    variants="method",
    composite=lambda self, other: aten.view.default(self, other._spec.sizes),
    doc="The view with the sizes of ``other``.",
)

native_function(
    "reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)",
    variants="method",
    composite=lambda self, other: aten.reshape.default(self, other._spec.sizes),
    doc="Reshaped to the sizes of ``other``.",
)


def _movedim(self: Any, source: Sequence[int], destination: Sequence[int]) -> Any:
    ndim = self.ndim
    if len(source) != len(destination):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain the "
            f"same number of dims as destination ({list(destination)} dims)"
        )
    sources = geometry.wrap_dims(source, ndim)
    targets = geometry.wrap_dims(destination, ndim)
    placed = dict(zip(targets, sources))
    others = iter(dim for dim in range(ndim) if dim not in sources)
    return aten.permute.default(
        self, tuple(placed[dim] if dim in placed else next(others) for dim in range(ndim))
    )


native_function(
    "movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)",
    composite=_movedim,
    doc="Dimensions ``source`` moved to positions ``destination``; the others keep their order.",
)

native_function(
    "movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)",
    composite=lambda self, source, destination: _movedim(self, (source,), (destination,)),
    doc="Dimension ``source`` moved to position ``destination``.",
)
