"""The inverse of a view: a copy of ``self`` in which the elements that the view selects are those of ``src``.

The copy has the strides of ``self``.  Source: aten/src/ATen/native/TensorShape.cpp (*_scatter),
derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...calls.copies import clone_with_strides
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...values.device import contiguous_format


def _scattered(name: str, view: Callable[..., Any]) -> Callable[..., Any]:
    def scatter(self: Any, src: Any, *arguments: Any) -> Any:
        made = clone_with_strides(self)
        part = view(made, *arguments)
        if part._spec.sizes != src._spec.sizes:
            raise RuntimeError(
                f"expected src to have a size equal to the {name} of self. src size = "
                f"{list(src._spec.sizes)}, {name} size = {list(part._spec.sizes)}"
            )
        aten.copy_.default(part, src, False)
        return made

    return scatter


def _from_start(grad: Any) -> Any:
    """A contiguous gradient with storage offset 0: as_strided counts offsets from the storage's start."""
    return grad.clone(memory_format=contiguous_format) if grad._storage_offset else grad.contiguous()


native_function(
    "slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) "
    "-> Tensor",
    explicit=_scattered("slice", lambda made, *arguments: aten.slice.Tensor(made, *arguments)),
    derivatives={
        "self": lambda grad, src_spec, dim, start, end, step: aten.slice_scatter.default(
            grad, grad.new_zeros(src_spec.sizes), dim, start, end, step
        ),
        "src": lambda grad, dim, start, end, step: aten.slice.Tensor(grad, dim, start, end, step),
    },
    out=Out(row_major=True, exact=True),
    doc="""Returns a copy of ``self`` with ``src`` written to the elements that ``slice`` selects.  Raises
    RuntimeError if the sizes of ``src`` differ.""",
)

native_function(
    "select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor",
    explicit=_scattered("slice", lambda made, *arguments: aten.select.int(made, *arguments)),
    derivatives={
        "self": lambda grad, src_spec, dim, index: aten.select_scatter.default(
            grad, grad.new_zeros(src_spec.sizes), dim, index
        ),
        "src": lambda grad, dim, index: grad.select(dim, index),
    },
    doc="""Returns a copy of ``self`` with ``src`` written to ``index`` of dimension ``dim``.  Raises
    RuntimeError if the sizes of ``src`` differ.""",
)

native_function(
    "diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
    explicit=_scattered("slice", lambda made, *arguments: aten.diagonal.default(made, *arguments)),
    derivatives={
        "self": lambda grad, src_spec, offset, dim1, dim2: aten.diagonal_scatter.default(
            grad, grad.new_zeros(src_spec.sizes), offset, dim1, dim2
        ),
        "src": lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2),
    },
    doc="""Returns a copy of ``self`` with ``src`` written to the diagonal of ``dim1`` and ``dim2``.  Raises
    RuntimeError if the sizes of ``src`` differ.""",
)


def _scattered_as_strided(self: Any, *arguments: Any) -> Any:
    if self.requires_grad and not self.is_contiguous():  # the formula assumes it
        raise RuntimeError("as_strided_scatter is currently only supported for contiguous inputs")
    return _scatter_window(self, *arguments)


_scatter_window = _scattered("slice", lambda made, *arguments: aten.as_strided.default(made, *arguments))

native_function(
    "as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? "
    "storage_offset=None) -> Tensor",
    explicit=_scattered_as_strided,
    derivatives={
        "self": lambda grad, src_spec, size, stride, storage_offset: aten.as_strided_scatter.default(
            _from_start(grad), grad.new_zeros(src_spec.sizes), size, stride, storage_offset
        ),
        "src": lambda grad, size, stride, storage_offset: _from_start(grad).as_strided(
            size, stride, storage_offset
        ),
    },
    doc="""Returns a copy of ``self`` with ``src`` written to the elements that as_strided selects; the
    gradients assume that ``self`` is contiguous.

    Raises RuntimeError if the sizes of ``src`` differ, if the view exceeds the storage, and if ``self``
    requires grad but is not contiguous.""",
)
