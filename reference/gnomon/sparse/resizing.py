"""Sparse tensors that become those of other sizes: ``resize_``, ``resize_as_`` and ``resize_as_sparse_``.

Source: aten/src/ATen/SparseCsrTensorImpl.cpp (resize_, resize_as_sparse_compressed_tensor_);
aten/src/ATen/native/sparse/SparseCsrTensor.cpp; aten/src/ATen/native/Resize.cpp (resize_as_sparse_).
"""

from __future__ import annotations

from typing import Any

from ..calls.native import native_function
from ..memory.spec import check_size_nonnegative
from ..memory.tensor import Tensor
from ..values.geometry import Ints, numel_of
from .compressed_construction import compressed_kernel
from .compressed_tensor import BY_ROWS, CompressedTensor, compressed_spec, parts_of
from .construction import resized
from .registration import no_kernel, sparse_kernel
from .tensor import SparseTensor


def _grown(part: Tensor, sizes: Ints) -> Tensor:
    """``part`` resized to ``sizes``: it keeps its first elements, others have no value yet."""
    return part if part._spec.sizes == sizes else part.resize_(sizes)


def _resize_(self: CompressedTensor, size: Any, memory_format: Any = None) -> CompressedTensor:
    """PyTorch takes each compressed tensor for one of layout sparse_csr, and leaves the indices of added
    matrices of a batch undefined.  Here the elements stay at their indices, in each layout, and what would be
    no valid tensor is refused.
    """
    sizes, spec = tuple(size), self._spec
    check_size_nonnegative(sizes)
    kind = spec.layout.name.removeprefix("sparse_").upper()
    if len(sizes) < 2:
        raise RuntimeError(
            f"gnomon.resize_: Only batched sparse {kind} matrices are supported, but got size {list(sizes)}"
        )
    if self.dense_ndim:
        raise RuntimeError(f"resize_: sparse {kind} tensors with dense dimensions are not supported")
    by_rows = spec.layout in BY_ROWS
    blocksize = self.blocksize or (1, 1)
    *batch, rows, columns = sizes
    if rows % blocksize[0] or columns % blocksize[1]:
        raise RuntimeError(
            f"resize_: expected numbers of rows and of columns that the blocksize {list(blocksize)} divides, "
            f"but got size {list(sizes)}"
        )
    other = -1 if by_rows else -2
    if spec.sizes[other] > sizes[other]:
        name = "columns" if by_rows else "rows"
        raise RuntimeError(
            f"gnomon.resize_: Resizing {name} of sparse {kind} tensors to a smaller value is not supported. "
            f"The original number of {name} is {spec.sizes[other]} while the requested new number of {name} "
            f"is {sizes[other]}."
        )
    grid = rows // blocksize[0], columns // blocksize[1]
    lines, starts = grid[0 if by_rows else 1], self.held_compressed
    before, nnz = starts._spec.sizes[-1], self.held_nnz
    if (lines + 1 != before and self.batch_ndim) or numel_of(batch) > numel_of(self.batch_sizes):
        raise RuntimeError(
            f"resize_: matrices cannot be added to a batch, nor {'rows' if by_rows else 'columns'} to those "
            f"of a batch, but got size {list(sizes)} for a tensor of size {list(spec.sizes)}"
        )
    count = min(nnz, numel_of(grid))
    starts = _grown(starts, (*batch, lines + 1))
    if lines + 1 > before:
        starts.narrow(-1, before, lines + 1 - before).fill_(nnz)
    elif lines + 1 < before:
        starts.narrow(-1, lines, 1).fill_(count)  # the last line has the elements of those that are dropped
    plain = _grown(self.held_plain, (*batch, count))
    values = _grown(self.held_values, (*batch, count, *self.blocksize))
    self.held_compressed, self.held_plain, self.held_values = starts, plain, values
    self._spec = compressed_spec(sizes, spec.dtype, spec.device, spec.layout, self.blocksize)
    return self


compressed_kernel("resize_")(_resize_)


@compressed_kernel("resize_as_")
def _resize_as_(self: Tensor, the_template: Tensor, memory_format: Any) -> Tensor:
    if isinstance(self, SparseTensor):
        raise no_kernel("resize_", "SparseCPU")
    return self.resize_(the_template._spec.sizes)


@sparse_kernel("resize_as_")
def _resize_as_coo(self: Tensor, the_template: Tensor, memory_format: Any) -> Tensor:
    if isinstance(the_template, SparseTensor) and isinstance(self, SparseTensor):
        return _resize_as_sparse_(self, the_template)
    return self.resize_(the_template._spec.sizes)


def _resize_as_sparse_(self: Any, the_template: Any) -> Tensor:
    """Of layout sparse_coo."""
    if not isinstance(self, SparseTensor):
        raise no_kernel("sparse_resize_", "CPU")
    ndims = the_template.sparse_dim(), the_template.dense_dim()
    if (self.sparse_ndim, self.dense_ndim) == ndims and self._spec.sizes == the_template._spec.sizes:
        return self
    return resized(self, the_template._spec.sizes, *ndims)


def _resize_as_compressed_(self: Tensor, the_template: Tensor) -> Tensor:
    for name, each in (("src", the_template), ("self", self)):
        if not isinstance(each, CompressedTensor):
            raise RuntimeError(
                f"resize_as_sparse_compressed_: {name}  expected sparse compressed tensor layout but got "
                f"{each._spec.layout.title}"
            )
    assert isinstance(self, CompressedTensor) and isinstance(the_template, CompressedTensor)
    spec, wanted = self._spec, the_template._spec
    if spec.layout is not wanted.layout:
        raise RuntimeError(
            "resize_as_sparse_compressed_tensor_: self and src must have the same layout, but got: self "
            f"({spec.layout.title}) and source ({wanted.layout.title})"
        )
    parts = list(zip(parts_of(self), parts_of(the_template)))
    fits = spec.sizes == wanted.sizes and all(own._spec.sizes == new._spec.sizes for own, new in parts)
    if not fits:
        *indices, values = [_grown(own, new._spec.sizes) for own, new in parts]
        for own, (_, new) in zip(indices, parts):
            own.copy_(new)
        self.held_compressed, self.held_plain, self.held_values = *indices, values
        blocksize = the_template.blocksize
        self._spec = compressed_spec(wanted.sizes, spec.dtype, spec.device, spec.layout, blocksize)
    return self


def _refuse_strided(self: Tensor, the_template: Tensor) -> Any:
    raise no_kernel("resize_as_sparse_", "CPU")


native_function(
    "resize_as_sparse_(Tensor(a!) self, Tensor the_template) -> Tensor(a!)",
    variants="function, method",
    explicit=_refuse_strided,
    derivatives={},
    doc="""Resize a sparse tensor in place to the sizes of ``the_template``, of the same layout; see
    sparse_resize_.

    A compressed tensor gets the indices of ``the_template``, and keeps as many of its values as it has
    then; others have no value yet.  Raises RuntimeError for another layout.  Returns ``self``.""",
)
sparse_kernel("resize_as_sparse_")(_resize_as_sparse_)
compressed_kernel("resize_as_sparse_")(_resize_as_compressed_)
