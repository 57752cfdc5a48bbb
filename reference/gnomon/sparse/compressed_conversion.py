"""Conversions of compressed tensors to and from other layouts, copies, masks.

A compressed matrix is computed with as a matrix of layout sparse_coo whose elements are its blocks, or its
numbers: ``grids_of`` gives one for each matrix of a batch, ``from_grids`` compresses them.

Source: aten/src/ATen/native/TensorConversions.cpp; aten/src/ATen/native/sparse/SparseCsrTensor.cpp.
"""

from __future__ import annotations

from typing import Any

from ..calls.checks import can_be_read, check_same_layout, refuse_dtype
from ..calls.native import native_function
from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.device import layout, sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr, strided
from ..values.dispatch_key import DispatchKey
from ..values.dtype import int32, int64
from ..values.geometry import Ints, numel_of
from .compressed_construction import (
    compressed_kernel,
    empty_compressed,
    of_same_batches,
    refuse_coordinates,
)
from .compressed_tensor import (
    BLOCKED,
    BY_ROWS,
    COMPRESSED,
    CompressedTensor,
    become,
    like,
    make_compressed,
    parts_of,
)
from .conversion import coalesced, to_sparse_grad, to_strided, values_at
from .index_kernels import csr_rows, has_kernel
from .registration import autograd_sparse_kernel, no_kernel, sparse_kernel
from .tensor import SparseTensor, make_sparse

# ---------------------------------------------------------------------------------------------------------
# Indices.


def _compress(self: Tensor, size: int, out_int32: bool) -> Tensor:
    refuse_dtype(self._spec.dtype, "floating", "complex")
    limits = aten.arange.default(size + 1, device=self._spec.device, dtype=self._spec.dtype)
    return aten.searchsorted.Tensor(self, limits, out_int32, False, None, None)


def expand_indices(crow_indices: Tensor, col_indices: Tensor, out_int32: bool, transpose: bool) -> Tensor:
    """The coordinates of the elements with compressed indices; ``transpose``: columns are compressed."""
    if crow_indices._spec.ndim != col_indices._spec.ndim:
        raise RuntimeError(
            "crow_indices and col_indices are supposed to have the same dimensionality, but got "
            f"{crow_indices._spec.ndim} and {col_indices._spec.ndim} dimensional tensors, respectively."
        )
    if crow_indices._spec.ndim == 1 and has_kernel(csr_rows, crow_indices) and can_be_read(col_indices):
        try:
            lines = csr_rows(crow_indices, col_indices)
        except RuntimeError:
            raise RuntimeError(
                f"{'ccol' if transpose else 'crow'}_indices decrease, or are not from 0 to the number of "
                "elements; check_invariants=True refuses such a tensor"
            ) from None
        kind = int32 if out_int32 else int64
        pair = [col_indices, lines] if transpose else [lines, col_indices]
        return aten.stack.default([each.to(kind) for each in pair], 0)
    batch = crow_indices._spec.sizes[:-1]
    count, nnz = numel_of(batch), col_indices._spec.sizes[-1]
    starts = crow_indices.reshape(count, crow_indices._spec.sizes[-1])
    lengths = starts.diff()
    if can_be_read(lengths) and (lengths < 0).any().item():
        raise RuntimeError(
            f"{'ccol' if transpose else 'crow'}_indices decrease; check_invariants=True refuses such a tensor"
        )
    rows = [aten.repeat_interleave.Tensor(each) for each in lengths.unbind(0)]
    plain = col_indices.reshape(count * nnz)
    lines = aten.cat.default(rows, 0) if rows else plain
    pair = [plain, lines] if transpose else [lines, plain]
    places = aten.arange.default(count, device=plain._spec.device).repeat_interleave(nnz)
    for size in reversed(batch):
        pair.insert(0, places % size)
        places = places.floor_divide(size)
    return aten.stack.default([each.to(int32 if out_int32 else int64) for each in pair], 0)


native_function(
    "_convert_indices_from_coo_to_csr(Tensor self, int size, *, bool out_int32=False) -> Tensor",
    variants="none",
    composite=_compress,
    doc="""Where each of ``size`` rows begins, (size + 1,), if ``self`` (n,) are the row numbers of sorted
    elements; int64, or int32 with ``out_int32``.""",
)
native_function(
    "_convert_indices_from_csr_to_coo(Tensor crow_indices, Tensor col_indices, *, bool out_int32=False, bool "
    "transpose=False) -> Tensor",
    variants="none",
    composite=expand_indices,
    doc="""The coordinates (batch dimensions + 2, elements) of the elements with compressed indices.

    int64, or int32 with ``out_int32``.  ``transpose``: columns are compressed.""",
)


def grids_of(tensor: CompressedTensor) -> list[SparseTensor]:
    """For each matrix of a batch, the sparse_coo matrix of its numbers or blocks."""
    by_rows = tensor._spec.layout in BY_ROWS
    grids = []
    parts = zip(*of_same_batches(tensor)) if tensor.batch_ndim else (parts_of(tensor),)
    for compressed, plain, values in parts:
        indices = expand_indices(compressed, plain, False, not by_rows)
        sizes = (*tensor.grid_sizes, *values._spec.sizes[1:])
        grids.append(make_sparse(indices, values, sizes, coalesced=by_rows))
    return grids


def from_grids(
    grids: list[SparseTensor], sizes: Ints, batch_ndim: int, layout: layout, index_dtype: Any = int64
) -> CompressedTensor:
    """The inverse of ``grids_of``: a tensor of ``layout`` and of these sizes."""
    if not grids:
        raise RuntimeError(f"to_{layout.name}: Expected product of batch dimensions to be non-zero.")
    parts = []
    for grid in grids:
        grid = coalesced(grid)
        lines, plain = grid.held_indices.unbind(0)
        values = grid.held_values
        if layout not in BY_ROWS:
            order = aten.argsort.stable(plain, True, 0, False)
            lines, plain, values = plain[order], lines[order], values[order]
        count = grid._spec.sizes[0 if layout in BY_ROWS else 1]
        parts.append((_compress(lines.contiguous(), count, False), plain, values))
    if any(plain._spec.numel != parts[0][1]._spec.numel for _, plain, _ in parts):
        raise RuntimeError("Expect the same number of specified elements per batch.")
    batch = sizes[:batch_ndim]
    if batch:
        parts[:] = [
            tuple(
                aten.stack.default(list(each), 0).reshape(*batch, *each[0]._spec.sizes)
                for each in zip(*parts)
            )
        ]
    compressed, plain, values = parts[0]
    return make_compressed((compressed.to(index_dtype), plain.to(index_dtype), values), sizes, layout)


# ---------------------------------------------------------------------------------------------------------
# Strided tensors.


def _in_blocks(self: Tensor, batch_ndim: int, blocksize: Ints) -> Tensor:
    """(n, rows of blocks, columns of blocks, *blocksize, *dense): the matrices of a batch in blocks."""
    rows, columns = self.size(batch_ndim), self.size(batch_ndim + 1)
    dense = self._spec.sizes[batch_ndim + 2 :]
    count = numel_of(self._spec.sizes[:batch_ndim])
    if not blocksize:
        return self.reshape(count, rows, columns, *dense)
    height, width = blocksize
    return self.reshape(count, rows // height, height, columns // width, width, *dense).transpose(2, 3)


def _of_blocks(blocks: Tensor, sizes: Ints, blocksize: Ints) -> Tensor:
    """The inverse of ``_in_blocks``."""
    return (blocks.transpose(2, 3) if blocksize else blocks).reshape(sizes)


def to_dense(tensor: CompressedTensor) -> Tensor:
    """The strided tensor with the same elements."""
    spec = tensor._spec
    grids = [to_strided(each) for each in grids_of(tensor)]
    if not grids:
        return aten.zeros.default(spec.sizes, spec.dtype, None, spec.device, None)
    if len(grids) == 1:  # without a copy
        return _of_blocks(grids[0].unsqueeze(0), spec.sizes, tensor.blocksize)
    return _of_blocks(aten.stack.default(grids, 0), spec.sizes, tensor.blocksize)


@compressed_kernel("_to_dense")
def _to_dense(self: CompressedTensor, dtype: Any, masked_grad: Any) -> Tensor:
    if dtype is not None:
        raise RuntimeError(f"to_dense: dtype argument is not supported for {self._spec.layout.title}")
    return to_dense(self)


def _from_strided(self: Tensor, layout: layout, blocksize: Ints, dense_dim: int) -> CompressedTensor:
    if self._spec.ndim < 2:
        raise IndexError(
            f"to_{layout.name}: expected a tensor with at least two dimensions, got {self._spec.ndim}"
        )
    batch_ndim = self._spec.ndim - 2 - dense_dim
    blocks = _in_blocks(self, batch_ndim, blocksize)
    grids = [aten._to_sparse.sparse_dim(each, 2) for each in blocks.unbind(0)]
    return from_grids(grids, self._spec.sizes, batch_ndim, layout)


# ---------------------------------------------------------------------------------------------------------
# Tensors of layout sparse_coo.


def to_coo(tensor: CompressedTensor) -> SparseTensor:
    """The tensor of layout sparse_coo with the same numbers, in the order in which ``tensor`` has them."""
    grids = grids_of(tensor)
    if len(grids) == 1 and not tensor.batch_ndim and not tensor.blocksize:
        return make_sparse(
            grids[0].held_indices, grids[0].held_values, tensor._spec.sizes, tensor._spec.layout is sparse_csr
        )
    height, width = tensor.blocksize or (1, 1)
    device = tensor._spec.device
    places = aten.arange.default(height * width, device=device)
    indices, values = [], []
    for number, grid in enumerate(grids):
        rows, columns = grid.held_indices.unbind(0)
        rows = (rows.unsqueeze(1) * height + places.floor_divide(width)).flatten()
        columns = (columns.unsqueeze(1) * width + places % width).flatten()
        pair = [rows, columns]
        for size in reversed(tensor.batch_sizes):
            pair.insert(0, aten.full_like.default(rows, number % size))
            number //= size
        indices.append(aten.stack.default(pair, 0))
        dense = grid._spec.sizes[2 + len(tensor.blocksize) :]
        values.append(grid.held_values.reshape(rows._spec.numel, *dense))
    if not grids:
        return aten._to_sparse.sparse_dim(to_dense(tensor), tensor._spec.ndim - tensor.dense_ndim)
    is_coalesced = tensor._spec.layout is sparse_csr
    if len(grids) == 1:  # shares the values
        return make_sparse(indices[0], values[0], tensor._spec.sizes, is_coalesced)
    return make_sparse(
        aten.cat.default(indices, 1), aten.cat.default(values, 0), tensor._spec.sizes, is_coalesced
    )


def from_coo(
    self: SparseTensor, layout: layout, blocksize: Ints = (), index_dtype: Any = int64
) -> CompressedTensor:
    """The tensor of a compressed layout with the numbers of a matrix of layout sparse_coo."""
    found = coalesced(self)
    if not blocksize:
        return from_grids([found], self._spec.sizes, 0, layout, index_dtype)
    height, width = blocksize
    rows, columns = found.held_indices.unbind(0)
    size = self._spec.sizes[1] // width  # of a row of blocks
    positions = rows.floor_divide(height) * size + columns.floor_divide(width)
    unique, inverse = aten._unique2.default(positions, True, True, False)[:2]
    dense = found.held_values._spec.sizes[1:]
    values = aten.zeros.default(
        (unique._spec.numel, height, width, *dense), self._spec.dtype, None, self._spec.device, None
    )
    values = values.index_put((inverse, rows % height, columns % width), found.held_values)
    indices = aten.stack.default([unique.floor_divide(max(size, 1)), unique % max(size, 1)], 0)
    sizes = (self._spec.sizes[0] // height, size, height, width, *dense)
    grid = make_sparse(indices, values, sizes, coalesced=True)
    return from_grids([grid], self._spec.sizes, 0, layout, index_dtype)


# ---------------------------------------------------------------------------------------------------------
# The conversions' operators.

_SOURCES = {strided: "dense", sparse_coo: "sparse_coo"}


def _check_blocksize(name: str, self: Tensor, change: str, blocksize: Any, dense_dim: int) -> None:
    if len(blocksize) != 2:
        raise RuntimeError(f"{name}: blocksize needs to be a tuple of size 2, but got {len(blocksize)}")
    if min(blocksize) <= 0:
        raise RuntimeError(f"{name}: blocksize needs to be positive, but got {list(blocksize)}")
    own = self.blocksize if isinstance(self, CompressedTensor) else ()
    if own and own != tuple(blocksize):
        raise RuntimeError(
            f"{name}: {change} with blocksize changed from {list(own)} to {list(blocksize)} is not supported"
        )
    first = self._spec.ndim - dense_dim - 2
    rows, columns = self._spec.sizes[first : first + 2] if first >= 0 else (0, 0)
    if rows % blocksize[0] or columns % blocksize[1]:
        raise RuntimeError(
            f"{name}: tensor sparse size ({rows},{columns}) must be divisible by given blocksize "
            f"({blocksize[0]},{blocksize[1]})"
        )


def _check_arguments(name: str, self: Tensor, layout: layout, blocksize: Any, dense_dim: Any) -> None:
    change = f"conversion from {self._spec.layout.title} to {layout.title}"
    if layout in BLOCKED:
        if blocksize is None:
            raise RuntimeError(f"{name}: {change} without blocksize argument given is not supported")
        _check_blocksize(name, self, change, blocksize, self.dense_dim() if dense_dim is None and
                         self._spec.layout is not strided else dense_dim or 0)  # fmt: skip
    elif blocksize is not None:
        raise RuntimeError(f"{name}: {change} with blocksize argument given is not supported")
    if dense_dim is not None:
        if self._spec.layout is not strided:
            raise RuntimeError(f"{name}: {change} with dense_dim argument given is not supported")
        most = self._spec.ndim - (2 if layout in COMPRESSED else 0)
        if not 0 <= dense_dim <= most:
            raise RuntimeError(
                f"{name}: dense_dim argument must be in [0,{most}] range, but {dense_dim} is given"
            )


def _source_of(self: Tensor) -> str:
    return _SOURCES.get(self._spec.layout, "sparse_compressed")


def compress(self: Tensor, layout: layout, blocksize: Any = None, dense_dim: Any = None) -> CompressedTensor:
    """The tensor of a compressed layout with the elements of ``self``."""
    name = f"{_source_of(self)}_to_{layout.name}"
    _check_arguments(name, self, layout, blocksize, dense_dim)
    blocksize = tuple(blocksize or ())
    if isinstance(self, SparseTensor):
        if self.sparse_ndim != 2:
            raise RuntimeError(
                f"coo_to_{layout.name}: conversion from Sparse to {layout.title} for input tensors with "
                "sparse_dim()!=2 is not supported"
            )
        return from_coo(self, layout, blocksize)
    if not isinstance(self, CompressedTensor):
        return _from_strided(self, layout, blocksize, dense_dim or 0)
    if self._spec.layout in BLOCKED and layout not in BLOCKED:
        raise RuntimeError(
            f"{name}: expected SparseCsr or SparseCsc layout but got {self._spec.layout.title}"
        )
    index_dtype = self.held_plain._spec.dtype
    if self.blocksize or layout not in BLOCKED:
        return from_grids(grids_of(self), self._spec.sizes, self.batch_ndim, layout, index_dtype)
    if self.batch_ndim:
        raise RuntimeError(
            f"{name}: conversion from {self._spec.layout.title} to {layout.title} for batched inputs is "
            "not supported"
        )
    return from_coo(to_coo(self), layout, blocksize, index_dtype)


@compressed_kernel("_to_sparse")
def _to_sparse(self: Tensor, layout: Any, blocksize: Any, dense_dim: Any) -> Tensor:
    layout = layout or sparse_coo
    _check_arguments(f"{_source_of(self)}_to_sparse", self, layout, blocksize, dense_dim)
    if layout is sparse_coo and isinstance(self, CompressedTensor):
        return to_coo(self)
    if layout not in COMPRESSED:
        change = f"conversion from {self._spec.layout.title} to {layout.title}"
        raise RuntimeError(f"{_source_of(self)}_to_sparse: {change} is not supported")
    return compress(self, layout, blocksize, dense_dim)


def _to_sparse_or_self(self: Tensor, layout: Any, blocksize: Any, dense_dim: Any) -> Tensor:
    if self._spec.layout is layout:
        _check_arguments("to_sparse", self, layout, blocksize, dense_dim)
        return self
    return aten._to_sparse.default(self, layout, blocksize, dense_dim)


autograd_sparse_kernel("to_sparse", DispatchKey.SparseCsr)(_to_sparse_or_self)


@compressed_kernel("_to_sparse.sparse_dim")
def _to_sparse_dim(self: CompressedTensor, sparse_dim: int) -> SparseTensor:
    if not isinstance(self, CompressedTensor):  # only ``out`` is
        raise no_kernel("_to_sparse.sparse_dim_out", "SparseCsrCPU")
    if sparse_dim != 2:
        raise RuntimeError(
            f"sparse_compressed_to_sparse: conversion from {self._spec.layout.title} to Sparse with "
            "sparse_dim argument !=2 is not supported"
        )
    return to_coo(self)


def _to_layout(name: str, own: layout, self: Tensor, blocksize: Any, dense_dim: Any) -> Tensor:
    """``to_sparse_csr`` and its like: a tensor that has the layout already is returned itself."""
    if self._spec.layout is own:
        _check_arguments(name, self, own, blocksize, dense_dim)
        return self
    blocks = () if own not in BLOCKED else (blocksize,)
    return aten._find(f"_{name}")(self, *blocks, dense_dim)


def _write_copy(target: CompressedTensor, result: CompressedTensor) -> None:
    """Write the result of a conversion to ``out``, which must have as many specified elements."""
    if target._spec.sizes != result._spec.sizes and target._spec.layout is result._spec.layout:
        target.resize_(result._spec.sizes)
    aten.copy_.default(target, result, False)


def _define(own: layout) -> None:
    name = f"to_{own.name}"
    is_blocked = own in BLOCKED
    schema = f"(Tensor self, {'int[2] blocksize, ' if is_blocked else ''}int? dense_dim=None) -> Tensor"

    def split(arguments: Any) -> tuple[Any, Any]:
        return arguments if is_blocked else (None, *arguments)

    def convert(self: Tensor, *arguments: Any) -> CompressedTensor:
        return compress(self, own, *split(arguments))

    native_function(
        f"_{name}{schema}",
        variants="none",
        explicit=convert,
        derivatives={"self": lambda grad, self_spec: to_sparse_grad(grad, self_spec)},
        out="out",
        node_name=f"ToSparse{own.name[-3:].title()}Backward0",
        doc=f"``{name}`` of a tensor with another layout.",
    )
    sparse_kernel(f"_{name}")(convert)
    sparse_kernel(f"_{name}", key=DispatchKey.SparseCsr, write=_write_copy)(convert)
    native_function(
        f"{name}{schema}",
        variants="method",
        composite=lambda self, *arguments: _to_layout(name, own, self, *split(arguments)),
        doc=f"""The tensor of layout {own} with the elements of ``self`` that are not zero{
            ", or the blocks that have some" if is_blocked else ""
        }.

        {
            "``blocksize``: the sizes of a block, which must divide those of a matrix.  "
            if is_blocked
            else ""
        }``dense_dim``: the number of last dimensions of a strided tensor that are in the values; those before
        its rows number matrices, which must have equally many elements.""",
    )


for _layout in (sparse_csr, sparse_csc, sparse_bsr, sparse_bsc):
    _define(_layout)


# ---------------------------------------------------------------------------------------------------------
# The same layout.

refuse_coordinates("coalesce")


@compressed_kernel("clone")
def _clone(self: CompressedTensor, memory_format: Any) -> CompressedTensor:
    if memory_format is not None and memory_format.name != "preserve_format":
        name = {"contiguous_format": "Contiguous"}.get(memory_format.name, memory_format.name)
        raise RuntimeError(f"unsupported memory format option {name}")
    copies = [each.clone() for each in parts_of(self)]
    return make_compressed(copies, self._spec.sizes, self._spec.layout)


@compressed_kernel("detach", "alias")
def _detach(self: CompressedTensor) -> CompressedTensor:
    return like(self, self.held_values)


@compressed_kernel("_to_copy")
def _to_copy(
    self: Tensor,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    non_blocking: bool,
    memory_format: Any,
) -> CompressedTensor:
    check_same_layout(self._spec, layout)
    options = (None, device, pin_memory, non_blocking, None)
    indices = [aten._to_copy.default(each, None, *options) for each in parts_of(self)[:2]]  # type: ignore[arg-type]
    values = aten._to_copy.default(self.held_values, dtype, *options)  # type: ignore[attr-defined]
    return make_compressed([*indices, values], self._spec.sizes, self._spec.layout)


@compressed_kernel("copy_")
def _copy_(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    if not isinstance(self, CompressedTensor):
        raise RuntimeError(
            f"copy_ expected sparse compressed tensor layout but got {self._spec.layout.title}"
        )
    if not isinstance(src, CompressedTensor) or self._spec.layout is not src._spec.layout:
        raise RuntimeError(
            "copy_: copy of sparse compressed tensors having different layouts is not supported. self layout "
            f"is {self._spec.layout.title} and src layout is {src._spec.layout.title}"
        )
    if self.held_nnz != src.held_nnz:
        raise RuntimeError(
            "copy_: only sparse compressed tensors with the same number of specified elements are supported."
        )
    if self._spec.sizes != src._spec.sizes or self.blocksize != src.blocksize:
        raise RuntimeError(
            "copy_: expected self and src to have the same sizes and block sizes, but got "
            f"{list(self._spec.sizes)} and {list(src._spec.sizes)}, {list(self.blocksize)} and "
            f"{list(src.blocksize)}"
        )
    become(self, src)
    return self


@compressed_kernel("zero_")
def _zero_(self: CompressedTensor) -> CompressedTensor:
    spec = self._spec
    become(
        self,
        empty_compressed(
            spec.sizes,
            spec.layout,
            spec.dtype,
            spec.device,
            self.batch_ndim,
            self.blocksize,
            self.held_plain._spec.dtype,
        ),
    )
    return self


# ---------------------------------------------------------------------------------------------------------
# The elements at the indices of another tensor.


def masked(self: Tensor, mask: CompressedTensor) -> CompressedTensor:
    """The elements of ``self``, of any layout, at the indices of ``mask``."""
    if self._spec.sizes != mask._spec.sizes:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(self._spec.sizes)} but "
            f"mask has size {list(mask._spec.sizes)}"
        )
    if isinstance(self, CompressedTensor):
        self = to_dense(self)
    elif isinstance(self, SparseTensor):
        self = to_strided(self)
    blocks = _in_blocks(self, mask.batch_ndim, mask.blocksize).unbind(0)
    found = [values_at(each, grid.held_indices, 2) for each, grid in zip(blocks, grids_of(mask))]
    values = mask.held_values
    if not found:
        return like(mask, values.to(self._spec.dtype))
    return like(mask, aten.stack.default(found, 0).reshape(values._spec.sizes))


def _values_at(self: Tensor, mask: Any) -> Tensor:
    return masked(self, mask).held_values


def _values_at_grad(grad: Tensor, mask: CompressedTensor, self_spec: Any) -> Tensor:
    made = aten._sparse_compressed_tensor_unsafe.default(
        *parts_of(mask)[:2], grad, mask._spec.sizes, None, mask.layout, None, None
    )
    if self_spec.layout is mask.layout:
        return made
    dense = made.to_dense()
    return dense if self_spec.layout is strided else to_sparse_grad(dense, self_spec)


native_function(
    "_compressed_values_at(Tensor self, Tensor mask) -> Tensor",
    variants="none",
    explicit=_values_at,
    derivatives={"self": lambda grad, mask, self_spec: _values_at_grad(grad, mask, self_spec)},
    doc="""The elements of ``self`` where the compressed tensor ``mask`` has some, in the sizes of its values;
    zero where a sparse ``self`` specifies none.""",
)
compressed_kernel("_compressed_values_at")(_values_at)
