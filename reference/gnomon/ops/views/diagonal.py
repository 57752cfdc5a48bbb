"""Diagonals: views of them, matrices made from them.

Source: aten/src/ATen/native/TensorShape.cpp, TriangularOps.cpp, derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.spec import Spec
from ...values import geometry


def _diagonal(self: Spec, offset: int, dim1: int, dim2: int) -> tuple[Spec, int]:
    sizes, strides, start = geometry.diagonal(self.sizes, self.strides, offset, dim1, dim2)
    return self.with_geometry(sizes, strides), start


native_function(
    "diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
    view=_diagonal,
    derivatives={
        "self": lambda grad, self_sizes, offset, dim1, dim2: aten.diagonal_backward.default(
            grad, self_sizes, offset, dim1, dim2
        )
    },
    doc="""Returns a view of the diagonals with respect to ``dim1`` and ``dim2``, as its last dimension.

    ``offset`` > 0 selects a diagonal above the main one, < 0 one below; outside of the matrix it is empty.
    Raises RuntimeError if the dimensions are identical, IndexError if one is out of range.""",
)


def _diagonal_backward(
    grad_output: Any, input_sizes: Sequence[int], offset: int, dim1: int, dim2: int
) -> Any:
    zeros = grad_output.new_zeros(tuple(input_sizes))
    aten.copy_.default(aten.diagonal.default(zeros, offset, dim1, dim2), grad_output, False)
    return zeros


native_function(
    "diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor",
    variants="function",
    explicit=_diagonal_backward,
    derivatives={"grad_output": lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2)},
    batching="sized",
    doc="Returns zeros of sizes ``input_sizes`` with ``grad_output`` on the diagonal.",
)


def _diag_embed(self: Any, offset: int, dim1: int, dim2: int) -> Any:
    ndim = self.ndim + 1
    first, second = geometry.diagonal_dims(dim1, dim2, ndim)
    side = self.size(-1) + abs(offset)
    sizes = list(self._spec.sizes[:-1])
    for dim in sorted((first, second)):
        sizes.insert(dim, side)
    made = self.new_zeros(sizes)
    aten.copy_.default(aten.diagonal.default(made, offset, first, second), self, False)
    return made


native_function(
    "diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
    explicit=_diag_embed,
    derivatives={"self": lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2)},
    batching="along",
    doc="""Returns zeros with the last dimension of ``self`` on the diagonals of two new dimensions, ``dim1``
    and ``dim2``.

    Both have the size of that dimension plus ``|offset|``.  Raises RuntimeError if they are identical,
    IndexError for a 0-dim tensor.""",
)


def _diag(self: Any, diagonal: int) -> Any:
    if self.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {self.ndim}D")
    if self.ndim == 1:
        return aten.diag_embed.default(self, diagonal, 0, 1)
    return aten.diagonal_copy.default(self, diagonal, 0, 1)


native_function(
    "diag(Tensor self, int diagonal=0) -> Tensor",
    composite=_diag,
    out=Out(exact=True),
    doc="""Returns a matrix with the vector ``self`` on its diagonal, or a copy of the diagonal of the matrix
    ``self``.  Raises RuntimeError for other numbers of dimensions.""",
)

native_function(
    "diagflat(Tensor self, int offset=0) -> Tensor",
    composite=lambda self, offset: aten.diag.default(self.contiguous().view(-1), offset),
    doc="Returns a matrix with all elements of ``self``, in row-major order, on its diagonal.",
)


def _fill_diagonal_(self: Any, fill_value: Any, wrap: bool) -> Any:
    sizes = self.shape
    if len(sizes) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(sizes) > 2:
        if len(set(sizes)) > 1:
            raise RuntimeError("all dimensions of input must be of equal length")
        diagonal = self
        while diagonal.ndim > 1:
            diagonal = diagonal.diagonal(0, 0, -1)
        diagonal.fill_(fill_value)
        return self
    height, period = sizes[0], sizes[1] + 1
    if not wrap or height <= period:
        self.diagonal().fill_(fill_value)
        return self
    whole = height - height % period
    self.narrow(0, 0, whole).unflatten(0, (-1, period)).diagonal(0, 1, 2).fill_(fill_value)
    self.narrow(0, whole, height - whole).diagonal().fill_(fill_value)
    return self


native_function(
    "fill_diagonal_(Tensor(a!) self, Scalar fill_value, bool wrap=False) -> Tensor(a!)",
    variants="method",
    composite=_fill_diagonal_,
    doc="""Fills the main diagonal with ``fill_value``, in-place: the elements whose indices are all equal.

    With ``wrap`` the diagonal of a tall matrix starts again one row below where it ended.  Raises
    RuntimeError for fewer than 2 dimensions, for more than 2 that do not have one size, and for a number that
    the dtype does not hold.""",
)
