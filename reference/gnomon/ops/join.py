"""Joining tensors.  Source: aten/src/ATen/native/TensorShape.cpp (cat, stack)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..kit.iterator import result_type
from ..kit.native import native_function
from ..memory.accessor import TensorAccessor
from ..memory.spec import Spec
from ..memory.tensor import Tensor
from ..values import geometry
from ..values.geometry import wrap_dim


def is_skipped(spec: Spec) -> bool:
    """An old courtesy: a 1-D tensor of size 0 joins with anything."""
    return spec.sizes == (0,)


def _cat_rule(tensors: Sequence[Spec], dim: int) -> Spec:
    if not tensors:
        raise ValueError("expected a non-empty list of Tensors")
    for position, spec in enumerate(tensors):
        if spec.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {position}) cannot be concatenated")
    joined = [spec for spec in tensors if not is_skipped(spec)]
    dtype = result_type(*tensors)
    if not joined:
        return tensors[0].contiguous((0,), dtype)
    first = joined[0]
    dim = wrap_dim(dim, first.ndim)
    for position, spec in enumerate(tensors):
        if is_skipped(spec):
            continue
        if spec.ndim != first.ndim:
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {first.ndim} and {spec.ndim}"
            )
        for each in range(first.ndim):
            if each != dim and spec.sizes[each] != first.sizes[each]:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size "
                    f"{first.sizes[each]} but got size {spec.sizes[each]} for tensor number {position} in "
                    "the list."
                )
    total = sum(spec.sizes[dim] for spec in joined)
    return first.contiguous((*first.sizes[:dim], total, *first.sizes[dim + 1 :]), dtype)


def _cat_kernel(output: Tensor, tensors: Sequence[Tensor], dim: int) -> None:
    """Copy each tensor into its part of the output."""
    out = TensorAccessor(output)
    write = out.write
    if not out.sizes:
        return
    dim = wrap_dim(dim, len(out.sizes))
    start = out.offset
    for tensor in tensors:
        if is_skipped(tensor._spec):
            continue
        source = TensorAccessor(tensor)
        targets = geometry.offsets(source.sizes, out.strides, start)
        for target, offset in zip(targets, source.offsets()):
            write(target, source.read(offset))
        start += source.sizes[dim] * out.strides[dim]


def _cat_grad(grad: Any, tensors_spec: Sequence[Spec], dim: int, grad_input_mask: Sequence[bool]) -> Any:
    pieces: list[Any] = []
    start = 0
    for spec, wanted in zip(tensors_spec, grad_input_mask):
        if is_skipped(spec):
            pieces.append(grad.new_zeros((0,)) if wanted else None)
            continue
        size = spec.sizes[wrap_dim(dim, spec.ndim)]
        pieces.append(grad.narrow(dim, start, size) if wanted else None)
        start += size
    return pieces


cat = native_function(
    "cat(Tensor[] tensors, int dim=0) -> Tensor",
    meta=_cat_rule,
    kernel=_cat_kernel,
    promotes_inputs=True,
    derivatives={"tensors": _cat_grad},
    out="out",
    doc="""Tensors one after another along dimension ``dim``; their other sizes must agree, their dtypes
    promote.

    Raises RuntimeError for an empty list, 0-dim tensors and sizes that do not fit, IndexError for the
    dim.""",
)


def _stack(tensors: Sequence[Any], dim: int) -> Any:
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]._spec.sizes
    dim = wrap_dim(dim, len(first) + 1)
    for position, tensor in enumerate(tensors):
        if tensor._spec.sizes != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(tensor._spec.sizes)} at entry {position}"
            )
    return aten.cat.default([tensor.unsqueeze(dim) for tensor in tensors], dim)


stack = native_function(
    "stack(Tensor[] tensors, int dim=0) -> Tensor",
    composite=_stack,
    out="out",
    doc="Tensors of equal sizes along a new dimension ``dim``.",
)
