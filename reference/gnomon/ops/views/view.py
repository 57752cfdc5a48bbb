"""Views: other sizes and strides over the same storage; more in permute, diagonal, split and strided.

Each is a pure function from a spec to (spec, offset in elements); the arithmetic is in values/geometry.py.
Source: aten/src/ATen/native/TensorShape.cpp, derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.native import native_function
from ...calls.record import Batching
from ...dispatch.dispatcher import aten
from ...memory.spec import Spec, spec_of
from ...memory.tensor import Tensor, alias_tensor
from ...values import geometry
from ...values.device import contiguous_format
from ...values.geometry import wrap_dim

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
    doc="""Returns a view with the same elements in another shape; one size may be -1 and is inferred.

    Raises RuntimeError if the numbers of elements differ, or if the strides do not allow a view.""",
)


def _view_dtype(self: Tensor, dtype: Any) -> Tensor:
    spec = self._spec
    sizes, strides, offset = geometry.viewed_as_itemsize(
        spec.sizes, spec.strides, self._storage_offset, spec.dtype.itemsize, dtype.itemsize
    )
    return alias_tensor(self, spec_of(sizes, strides, dtype, spec.device), offset)


native_function(
    "view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)",
    variants="method",
    explicit=_view_dtype,
    derivatives={},  # not differentiable, like detach
    batching=Batching("leading", 1),
    doc="""Reinterprets the bytes as elements of another dtype; the last dimension is scaled by the ratio of
    the element sizes.

    Raises RuntimeError if that dimension is not contiguous, or not divisible by the ratio.""",
)


def _reshape(self: Any, shape: Sequence[int]) -> Any:
    sizes = geometry.infer_size(shape, self._spec.numel)
    if geometry.view_strides(self._spec.sizes, self._spec.strides, sizes) is not None:
        return aten.view.default(self, sizes)
    return aten.view.default(aten.clone.default(self, contiguous_format), sizes)


reshape = native_function(
    "reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
    composite=_reshape,
    doc="Returns the same elements in another shape: a view if the strides allow it, else a copy.",
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
    doc="Flattens dimensions ``start_dim`` to ``end_dim`` into one.",
)


native_function(
    "ravel(Tensor(a) self) -> Tensor(a)",
    composite=lambda self: aten.view.default(self.contiguous(), (-1,)),
    doc="""Flattens ``self`` into one dimension in row-major order: a view of a contiguous tensor, else a
    copy.""",
)


def _unflatten(self: Any, dim: int, sizes: Sequence[int]) -> Any:
    dim = wrap_dim(dim, self.ndim)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if not self.ndim:
        raise RuntimeError(f"unflatten: dimension specified as {dim} but tensor has no dimensions")
    size = self.size(dim)
    try:
        inferred = geometry.infer_size(sizes, size)
    except RuntimeError as error:
        if "ambiguous" in str(error) or "only one" in str(error):
            raise
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({size}) in "
            "the input tensor"
        ) from None
    shape = self._spec.sizes
    return aten.view.default(self, (*shape[:dim], *inferred, *shape[dim + 1 :]))


native_function(
    "unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)",
    composite=_unflatten,
    doc="""Expands dimension ``dim`` into dimensions of ``sizes``, one of which may be -1.  Raises
    RuntimeError unless their product is its size.""",
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
        sizes.append(wanted)
    target = tuple(sizes)
    geometry.check_expandable(self.sizes, target)
    # a new leading dimension of size 1 gets the stride that a row-major tensor would have there
    strides = list(geometry.expand_strides(self.sizes, self.strides, target))
    for dim in range(pad - 1, -1, -1) if self.ndim else ():  # those of a 0-dim tensor stay 0
        if target[dim] == 1:
            strides[dim] = target[dim + 1] * strides[dim + 1] if dim + 1 < len(target) else 1
    return self.with_geometry(target, tuple(strides)), 0


expand = native_function(
    "expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
    variants="method",
    view=_expand,
    derivatives={"self": lambda grad, self_sizes: grad.sum_to_size(self_sizes)},
    doc="""Returns a view with dimensions of size 1 expanded to ``size`` (stride 0, no memory); -1 keeps a
    size; new dimensions are leading.

    Raises RuntimeError if a dimension of another size than 1 would change.""",
)

native_function(
    "expand_as(Tensor(a) self, Tensor other) -> Tensor(a)",
    variants="method",
    composite=lambda self, other: aten.expand.default(self, other._spec.sizes, False),
    doc="Expands ``self`` to the sizes of ``other``.",
)

native_function(
    "broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)",
    composite=lambda self, size: aten.expand.default(self, size, False),
    doc="Expands ``self`` to ``size``; see Tensor.expand.",
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
    doc="Returns a view without the dimensions of size 1.",
)

native_function(
    "squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
    view=lambda self, dim: _squeeze_dims(self, [wrap_dim(dim, self.ndim)]),
    derivatives={"self": lambda grad, self_sizes: grad.reshape(self_sizes)},
    node_name="SqueezeBackward1",
    doc="Returns a view without dimension ``dim`` if its size is 1.",
)

native_function(
    "squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)",
    view=lambda self, dim: _squeeze_dims(self, geometry.wrap_dims(dim, self.ndim)),
    derivatives={"self": lambda grad, self_sizes: grad.reshape(self_sizes)},
    node_name="SqueezeBackward2",
    doc="Returns a view without those of the dimensions ``dim`` whose size is 1.",
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
    doc="Returns a view with a new dimension of size 1 at position ``dim``.",
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
    doc="""Returns the slice at ``index`` of dimension ``dim``, as a view without that dimension.  Raises
    IndexError if out of range.""",
)

native_function(
    "select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor",
    explicit=lambda grad_output, input_sizes, dim, index: _place(
        grad_output, input_sizes, lambda zeros: zeros.select(dim, index)
    ),
    derivatives={"grad_output": lambda grad, dim, index: grad.select(dim, index)},
    batching="sized",
    doc="Returns zeros of sizes ``input_sizes`` with ``grad_output`` at ``index`` of dimension ``dim``.",
)


def _place(grad_output: Any, input_sizes: Sequence[int], view: Any) -> Any:
    """Zeros of ``input_sizes``, with ``grad_output`` written into a view of them."""
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
    doc="""Returns a view of elements ``start`` (inclusive) to ``end`` (exclusive) of dimension ``dim``, every
    ``step``-th; bounds are clamped, ``step`` is positive.""",
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
    batching="sized",
    doc="Returns zeros of sizes ``input_sizes`` with ``grad_output`` in the slice.",
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
    doc="""Returns a view of ``length`` elements of dimension ``dim``, beginning at ``start``.  Raises
    IndexError if ``start`` is out of range, RuntimeError if ``start + length`` is.""",
)


def _narrow_from(self: Any, dim: int, start: Any, length: int) -> Any:
    if start.ndim or start._spec.dtype.category != 1:
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    return _narrow(self, dim, start.item(), length)


native_function(
    "narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)",
    composite=_narrow_from,
    doc="As above, with ``start`` as a 0-dim integer tensor.",
)

detach = native_function(
    "detach(Tensor(a) self) -> Tensor(a)",
    view=lambda self: (self, 0),
    derivatives={},
    doc="Returns a view detached from the autograd graph: it does not require grad.",
)

native_function(
    "alias(Tensor(a) self) -> Tensor(a)",
    view=lambda self: (self, 0),
    derivatives={"self": lambda grad: grad},
    doc="Returns another tensor over the same memory.",
)

native_function(
    "lift_fresh(Tensor(a) self) -> Tensor(a)",
    variants="none",
    explicit=lambda self: self,
    derivatives={},
    batching="leading",
    doc="Returns ``self``; dispatch modes see this call for a tensor created from Python or NumPy data.",
)

native_function(
    "view_as(Tensor(a) self, Tensor other) -> Tensor(a)",
    variants="method",
    composite=lambda self, other: aten.view.default(self, other._spec.sizes),
    doc="Returns a view with the sizes of ``other``.",
)

native_function(
    "reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)",
    variants="method",
    composite=lambda self, other: aten.reshape.default(self, other._spec.sizes),
    doc="Reshapes ``self`` to the sizes of ``other``.",
)


def _as_many_dims(name: str, convert: Any, doc: str) -> None:
    native_function(f"{name}(Tensor self) -> Tensor", variants="function", composite=convert, doc=doc)
    native_function(
        f"{name}.Sequence(Tensor[] tensors) -> Tensor[]",
        composite=lambda tensors: tuple(convert(each) for each in tensors),
        doc="Applies it to each of several tensors.",
    )


def _atleast_3d(self: Any) -> Any:
    if self.ndim == 2:
        return self.unsqueeze(-1)
    return (
        self.unsqueeze(0).unsqueeze(-1)
        if self.ndim == 1
        else self.reshape((1, 1, 1))
        if not self.ndim
        else self
    )


_as_many_dims(
    "atleast_1d",
    lambda self: self if self.ndim else self.reshape((1,)),
    "Returns a 0-dim tensor with one dimension; others unchanged.",
)
_as_many_dims(
    "atleast_2d",
    lambda self: self.unsqueeze(0) if self.ndim == 1 else self if self.ndim else self.reshape((1, 1)),
    "Returns a tensor with at least two dimensions; new ones are leading.",
)
_as_many_dims(
    "atleast_3d",
    _atleast_3d,
    "Returns a tensor with at least three dimensions: a vector becomes (1, n, 1), a matrix (m, n, 1).",
)
