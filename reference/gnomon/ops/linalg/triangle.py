"""tril, triu and trace of matrices.

Source: aten/src/ATen/native/TriangularOps.cpp, ReduceOps.cpp (trace).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...calls.checks import check_matrix, refuse_dtype, refuse_limited
from ...calls.native import native_function
from ...calls.record import Inplace, Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...values.dtype import complex32


def _triangle_meta(self: Spec, diagonal: int) -> Spec:
    check_matrix(self=self)
    return self.contiguous()


def _triangle_kernel(keeps: Callable[[Any, Any], Any]) -> Callable[..., None]:
    """The kernel that keeps an element where ``keeps(column - row, diagonal)`` and writes 0 elsewhere."""

    def kernel(output: Tensor, self: Tensor, diagonal: int) -> None:
        source, out = TensorAccessor(self), TensorAccessor(output)
        rows, columns = source.sizes[-2:]
        for position, (target, offset) in enumerate(zip(out.offsets(), source.offsets())):
            row, column = position // columns % rows, position % columns
            out.write(target, source.read(offset) if keeps(column - row, diagonal) else 0)

    return kernel


def _triangle_expanded(keeps: Callable[[Any, Any], Any]) -> Callable[..., None]:
    """Writes 0 to the memory of the dropped elements, and does not touch the memory of the others."""

    def write(self: Any, diagonal: int) -> None:
        rows, columns = self.shape[-2:]
        places = aten.arange(columns, device=self.device) - aten.arange(rows, device=self.device).unsqueeze(1)
        dropped = keeps(places, diagonal).logical_not().expand(self.shape)
        self = self.data  # has its own version counter
        for dim, stride in enumerate(self.stride()):
            if stride == 0:  # the whole dimension shares one element
                self, dropped = self.narrow(dim, 0, 1), dropped.any(dim, True)
        self.masked_fill_(dropped, 0)

    return write


for _name, _keeps, _side in (
    ("tril", lambda distance, diagonal: distance <= diagonal, "below"),
    ("triu", lambda distance, diagonal: distance >= diagonal, "above"),
):
    native_function(
        f"{_name}(Tensor self, SymInt diagonal=0) -> Tensor",
        meta=_triangle_meta,
        kernel=_triangle_kernel(_keeps),
        limited=(complex32,),
        derivatives={
            "self": (lambda grad, diagonal: aten.tril.default(grad, diagonal))
            if _name == "tril"
            else (lambda grad, diagonal: aten.triu.default(grad, diagonal))
        },
        linear=("self",),
        batching="leading",
        inplace=Inplace(on_expanded=_triangle_expanded(_keeps)),
        out=Out(exact=True),
        doc=f"""Returns the elements of matrices (*, n, m) on and {_side} ``diagonal``, and 0 elsewhere.

        ``diagonal`` 0 is the main diagonal, positive ones are above it.  Raises RuntimeError for fewer than
        two dimensions.""",
    )


def _trace(self: Any) -> Any:
    if self.ndim != 2:
        raise RuntimeError(f"expected a matrix, but got tensor with dim {self.ndim}")
    refuse_dtype(self.dtype, "bool")
    refuse_limited(self.dtype)
    return self.diagonal().sum()


def _trace_grad(grad: Any, self_sizes: tuple[int, ...]) -> Any:
    """``grad`` on the diagonal, 0 elsewhere.  Source: trace_backward."""
    zeros = grad.new_zeros(self_sizes)
    return zeros.diagonal_scatter(grad.expand((min(self_sizes),)))


trace = native_function(
    "trace(Tensor self) -> Tensor",
    explicit=_trace,
    derivatives={"self": _trace_grad},
    batching="composed",
    doc="Returns the sum of the main diagonal of a matrix; integers give int64.",
)

linalg_diagonal = native_function(
    "linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)",
    composite=lambda A, offset, dim1, dim2: A.diagonal(offset, dim1, dim2),
    python_module="linalg",
    variants="function",
    doc="""Returns a view of the diagonals of matrices, by default with respect to the last two dimensions;
    see diagonal.""",
)
