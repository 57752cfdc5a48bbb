"""Joining tensors (cat, stack and relatives), and broadcasting several tensors together.

Source: aten/src/ATen/native/TensorShape.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.iterator import result_type
from ...calls.native import native_function
from ...calls.record import Inputs, Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec, spec_of
from ...memory.tensor import Tensor
from ...values import geometry
from ...values.dtype import LIMITED
from ...values.geometry import wrap_dim


def is_skipped(spec: Spec) -> bool:
    """Legacy behavior of PyTorch: cat skips a 1-D tensor of size 0."""
    return spec.sizes == (0,)


def _cat_meta(tensors: Sequence[Spec], dim: int) -> Spec:
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
    sizes = (*first.sizes[:dim], total, *first.sizes[dim + 1 :])
    if all(geometry.lies_channels_last(spec.sizes, spec.strides) for spec in tensors):
        return spec_of(sizes, geometry.channels_last_strides(sizes), dtype, first.device)
    return first.contiguous(sizes, dtype)


def _cat_kernel(output: Tensor, tensors: Sequence[Tensor], dim: int) -> None:
    """Copy each tensor into its part of the output."""
    out = TensorAccessor(output)
    write = out.write
    if not out.sizes:
        return
    joined = [tensor for tensor in tensors if not is_skipped(tensor._spec)]
    start = out.offset
    for tensor in joined:
        dim = wrap_dim(dim, len(out.sizes))  # not checked if all tensors are skipped
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
    meta=_cat_meta,
    kernel=_cat_kernel,
    limited=LIMITED,
    inputs=Inputs(promoted=True),
    derivatives={"tensors": _cat_grad},
    linear=("tensors",),
    separate=("tensors",),
    out=Out(cast_error=TypeError),
    doc="""Concatenates tensors along dimension ``dim``; their other sizes must match, their dtypes promote.

    Raises ValueError for an empty list, RuntimeError for 0-dim tensors and sizes that do not match,
    IndexError if ``dim`` is out of range.""",
)


for _name in ("concat", "concatenate"):
    native_function(
        f"{_name}(Tensor[] tensors, int dim=0) -> Tensor",
        composite=lambda tensors, dim: aten.cat.default(tensors, dim),
        separate=("tensors",),
        out=Out(cast_error=TypeError),
        doc="Alias of cat.",
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
    if dim == len(first):
        return aten.cat.default([tensor.unsqueeze(dim) for tensor in tensors], dim)
    joined = aten.cat.default(tensors, dim)  # any dimension can be split by a view
    return joined.view((*first[:dim], len(tensors), *first[dim:])).data


def _stack_grad(grad: Any, dim: int, tensors_spec: Sequence[Spec], grad_input_mask: Sequence[bool]) -> Any:
    return [grad.select(dim, position) if wanted else None for position, wanted in enumerate(grad_input_mask)]


stack = native_function(
    "stack(Tensor[] tensors, int dim=0) -> Tensor",
    explicit=_stack,
    launches="cat",
    derivatives={"tensors": _stack_grad},
    linear=("tensors",),
    separate=("tensors",),
    out=Out(cast_error=TypeError, row_major=True),
    doc="Stacks tensors of equal sizes along a new dimension ``dim``.",
)


def _check_not_empty(name: str, tensors: Sequence[Any]) -> None:
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")


def _hstack(tensors: Sequence[Any]) -> Any:
    _check_not_empty("hstack", tensors)
    tensors = aten.atleast_1d.Sequence(tensors)
    return aten.cat.default(tensors, 0 if tensors[0].ndim == 1 else 1)


def _vstack(tensors: Sequence[Any]) -> Any:
    _check_not_empty("vstack", tensors)
    return aten.cat.default(aten.atleast_2d.Sequence(tensors), 0)


def _dstack(tensors: Sequence[Any]) -> Any:
    _check_not_empty("dstack", tensors)
    return aten.cat.default(aten.atleast_3d.Sequence(tensors), 2)


def _column_stack(tensors: Sequence[Any]) -> Any:
    _check_not_empty("column_stack", tensors)
    return _hstack([each.reshape((each.numel(), 1)) if each.ndim < 2 else each for each in tensors])


for _name, _function, _doc in (
    ("hstack", _hstack, "Concatenates tensors horizontally: along dimension 1, vectors along 0."),
    ("vstack", _vstack, "Concatenates tensors vertically: along dimension 0, vectors as rows."),
    ("row_stack", _vstack, "Alias of vstack."),
    ("dstack", _dstack, "Concatenates tensors depthwise: along dimension 2, after atleast_3d."),
    ("column_stack", _column_stack, "Concatenates tensors along dimension 1, vectors as columns."),
):
    native_function(
        f"{_name}(Tensor[] tensors) -> Tensor",
        composite=_function,
        separate=("tensors",),
        out=Out(cast_error=TypeError),
        doc=_doc + "  Raises RuntimeError for an empty list.",
    )


def _broadcast_tensors(tensors: Sequence[Any]) -> Any:
    sizes: geometry.Ints = ()
    for tensor in tensors:
        sizes = geometry.broadcast_sizes(sizes, tensor._spec.sizes)
    return tuple(tensor if tensor._spec.sizes == sizes else tensor.expand(sizes) for tensor in tensors)


native_function(
    "broadcast_tensors(Tensor[] tensors) -> Tensor[]",
    composite=_broadcast_tensors,
    doc="""Returns views of the tensors, all expanded to their broadcast sizes.  Raises RuntimeError if they
    do not broadcast.""",
)


def _meshgrid(tensors: Sequence[Any], indexing: str) -> Any:
    _check_not_empty("meshgrid", tensors)
    for tensor in tensors:
        if tensor.ndim > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {tensor.ndim}D"
            )
        if tensor._spec.dtype is not tensors[0]._spec.dtype:
            raise RuntimeError("torch.meshgrid expects all tensors to have the same dtype")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swapped = indexing == "xy" and len(tensors) > 1
    ordered = [tensors[1], tensors[0], *tensors[2:]] if swapped else tensors
    sizes = [tensor.numel() for tensor in ordered]
    grids = []
    for dim, tensor in enumerate(ordered):
        along = tensor.reshape([sizes[dim] if each == dim else 1 for each in range(len(sizes))])
        grids.append(along.expand(sizes))
    if swapped:
        grids[:2] = grids[1], grids[0]
    return tuple(grids)


native_function(
    "meshgrid(Tensor[] tensors) -> Tensor[]",
    composite=lambda tensors: _meshgrid(tensors, "ij"),
    doc="""Returns for each of n vectors an n-dimensional tensor in which that vector runs along its own
    dimension and is expanded along the others.""",
)

native_function(
    "meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]",
    composite=_meshgrid,
    doc="""As above; with ``indexing="xy"`` the first vector runs along dimension 1, the second along 0.
    Raises RuntimeError for tensors of more than one dimension, and for different dtypes.""",
)


def _chunk_cat(tensors: Sequence[Any], dim: int, num_chunks: int) -> Any:
    if num_chunks < 1:
        raise RuntimeError("expects positive num_chunks")
    if not tensors:
        raise RuntimeError("expects a non-empty input tensor list")
    first = tensors[0]
    if dim < 0 and any(each.ndim != first.ndim for each in tensors):
        raise RuntimeError("expects non-negative dim when input tensors have different ndims")
    dim = wrap_dim(dim, first.ndim)
    rows = []
    for each in tensors:
        sizes = each.shape
        if not each.numel():
            raise RuntimeError("expects non-empty tensor")
        if each.dtype is not first.dtype:
            raise RuntimeError("expects all input tensors with the same dtype")
        if dim >= each.ndim:
            raise RuntimeError("expects dim < ndim for all input tensors")
        if sizes[:dim] != first.shape[:dim]:
            raise RuntimeError("expects same sizes of 0,...,dim-1 dimensions for all tensors")
        missing = -sizes[dim] % num_chunks
        padded = aten.constant_pad_nd.default(each, (*(0, 0) * (each.ndim - 1 - dim), 0, missing), 0)
        rows.append(padded.reshape((*sizes[:dim], num_chunks, -1)))
    return aten.cat.default(rows, dim + 1)


native_function(
    "_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor",
    explicit=_chunk_cat,
    batching="composed",
    out=Out(cast_error=TypeError),
    doc="""Cuts each tensor along ``dim`` into ``num_chunks`` pieces of equal length, and joins the pieces.

    A tensor is first extended with zeros, to a multiple of ``num_chunks``.  All dimensions of a piece from
    ``dim`` on become one; the result has ``dim`` + 2 dimensions, of which number ``dim`` counts the pieces.
    Raises RuntimeError for tensors without elements, different dtypes, and other sizes before ``dim``.""",
)
