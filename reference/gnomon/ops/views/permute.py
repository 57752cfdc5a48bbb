"""Reordering of dimensions: permute, transpose, movedim and their aliases, all views.

Source: aten/src/ATen/native/TensorShape.cpp, derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.spec import Spec
from ...values import geometry
from ...values.geometry import wrap_dim

View = tuple[Spec, int]


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
    doc="Returns a view with the dimensions permuted: dimension i of the result is dimension ``dims[i]``.",
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
    doc="Returns a view with two dimensions swapped.",
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
    doc="""Returns the transpose of a matrix as a view; 0-dim and 1-D tensors unchanged.  Raises RuntimeError
    for more dimensions.""",
)

for _name, _first, _second in (("swapaxes", "axis0", "axis1"), ("swapdims", "dim0", "dim1")):
    native_function(
        f"{_name}(Tensor(a) self, int {_first}, int {_second}) -> Tensor(a)",
        composite=lambda self, first, second: aten.transpose.int(self, first, second),
        doc="Returns a view with two dimensions swapped; NumPy's name for transpose.",
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


for _name in ("movedim", "moveaxis"):
    native_function(
        f"{_name}.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)",
        composite=_movedim,
        doc="""Returns a view with dimensions ``source`` moved to ``destination``; the others keep their
        order.""",
    )
    native_function(
        f"{_name}.int(Tensor(a) self, int source, int destination) -> Tensor(a)",
        composite=lambda self, source, destination: _movedim(self, (source,), (destination,)),
        doc="Returns a view with dimension ``source`` moved to ``destination``.",
    )
