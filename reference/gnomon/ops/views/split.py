"""Splitting a tensor: unbind, split, chunk, tensor_split, all views.

The unsafe_ operators return the same pieces, but autograd treats them as new tensors, and does not detect
in-place writes to them.  Source: aten/src/ATen/native/TensorShape.cpp, derivatives.yaml.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.accessor import elements
from ...memory.spec import Spec
from ...values.dtype import int64
from ...values.errors import OutOfMemoryError
from ...values.geometry import wrap_dim

Views = list[tuple[Spec, int]]

VIEW_NBYTES = 256  # the least memory of a view: its slots, its keys, its entry in a tuple


def check_count(count: int) -> None:
    """Raises OutOfMemoryError for more views than fit into this machine's memory, before creating any."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if count * VIEW_NBYTES > memory:
        raise OutOfMemoryError(
            f"{count} views need at least {count * VIEW_NBYTES} bytes, but this machine has {memory}"
        )


def _unbind(self: Spec, dim: int) -> Views:
    dim = wrap_dim(dim, self.ndim, wrap_scalar=False)
    slice_spec = self.with_geometry(
        self.sizes[:dim] + self.sizes[dim + 1 :], self.strides[:dim] + self.strides[dim + 1 :]
    )
    check_count(self.sizes[dim])
    return [(slice_spec, index * self.strides[dim]) for index in range(self.sizes[dim])]


def _unbind_grad(grads: Sequence[Any], self_spec: Spec, dim: int) -> Any:
    """Stacks the slices' gradients, with zeros for slices without one."""
    some = next(grad for grad in grads if grad is not None)
    return aten.stack.default([some.new_zeros(some.shape) if grad is None else grad for grad in grads], dim)


unbind = native_function(
    "unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]",
    view=_unbind,
    derivatives={"self": _unbind_grad},
    doc="""Returns all slices along dimension ``dim``, as views without that dimension.

    Raises IndexError for a 0-dim tensor and a ``dim`` out of range.""",
)


def _pieces(self: Spec, lengths: Sequence[int], dim: int) -> Views:
    """Views of the given lengths along ``dim``, one after another."""
    views = []
    start = 0
    for length in lengths:
        sizes = (*self.sizes[:dim], length, *self.sizes[dim + 1 :])
        views.append((self.with_geometry(sizes, self.strides), start * self.strides[dim]))
        start += length
    return views


def _check_has_dims(name: str, self: Any) -> None:
    """Raises RuntimeError for a 0-dim tensor."""
    if not self.ndim:
        raise RuntimeError(f"{name} expects at least a 1-dimensional tensor")


def _split_sizes(self: Spec, split_sizes: Sequence[int], dim: int) -> Views:
    _check_has_dims("split", self)
    dim = wrap_dim(dim, self.ndim)
    size = self.sizes[dim]
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
    return _pieces(self, split_sizes, dim)


def _pieces_grad(grads: Sequence[Any], self_spec: Spec, lengths: Sequence[int], dim: int) -> Any:
    """Concatenates the pieces' gradients, with zeros for pieces without one."""
    dim = wrap_dim(dim, self_spec.ndim)
    some = next(grad for grad in grads if grad is not None)

    def zeros(length: int) -> Any:
        return some.new_zeros((*self_spec.sizes[:dim], length, *self_spec.sizes[dim + 1 :]))

    pieces = [zeros(length) if grad is None else grad for grad, length in zip(grads, lengths)]
    return aten.cat.default(pieces, dim)


native_function(
    "split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]",
    view=_split_sizes,
    derivatives={
        "self": lambda grads, self_spec, split_sizes, dim: _pieces_grad(grads, self_spec, split_sizes, dim)
    },
    doc="""Splits dimension ``dim`` into chunks of the given sizes, as views.

    Raises RuntimeError unless they are non-negative and sum to the size of the dimension.""",
)


def _even_lengths(size: int, split_size: int) -> list[int]:
    """The lengths of split's pieces; a dimension of size 0 has one piece of length 0."""
    if size == 0:
        return [0]
    check_count(-(-size // split_size))
    return [min(split_size, size - start) for start in range(0, size, split_size)]


def _split(self: Spec, split_size: int, dim: int) -> Views:
    _check_has_dims("split", self)
    dim = wrap_dim(dim, self.ndim)
    size = self.sizes[dim]
    if split_size < 0 or (split_size == 0 and size):
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    return _pieces(self, _even_lengths(size, split_size), dim)


def _split_grad(grads: Sequence[Any], self_spec: Spec, split_size: int, dim: int) -> Any:
    return _pieces_grad(grads, self_spec, _even_lengths(self_spec.sizes[dim], split_size), dim)


native_function(
    "split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
    view=_split,
    derivatives={"self": _split_grad},
    doc="""Splits dimension ``dim`` into chunks of size ``split_size``, as views; the last may be smaller.

    Raises RuntimeError for a 0-dim tensor and a negative ``split_size``.""",
)


native_function(
    "split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]",
    composite=lambda self, split_size, dim: aten.split_with_sizes.default(self, split_size, dim),
    doc="Splits dimension ``dim`` into chunks of the given sizes; see split_with_sizes.",
)


def _chunk_length(self: Any, chunks: int, dim: int) -> int:
    if not self.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    length = -(-self.size(dim) // chunks)
    if length == 0:  # then there are ``chunks`` empty chunks
        check_count(chunks)
    return length


def _chunk(self: Any, chunks: int, dim: int) -> Any:
    length = _chunk_length(self, chunks, dim)
    if length == 0:
        return aten.split_with_sizes.default(self, (0,) * chunks, dim)
    return aten.split.Tensor(self, length, dim)


native_function(
    "chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
    composite=_chunk,
    doc="""Splits dimension ``dim`` into at most ``chunks`` chunks of equal size, as views; the last may be
    smaller.""",
)


native_function(
    "unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]",
    explicit=lambda *arguments: tuple(piece.data for piece in aten.split.Tensor(*arguments)),
    derivatives={"self": _split_grad},
    batching="along",
    doc="""Returns the chunks of split, without autograd's restrictions on in-place writes to views.

    Raises RuntimeError for a 0-dim tensor and a negative ``split_size``.""",
)

native_function(
    "unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]",
    explicit=lambda *arguments: tuple(piece.data for piece in aten.split_with_sizes.default(*arguments)),
    derivatives={
        "self": lambda grads, self_spec, split_sizes, dim: _pieces_grad(grads, self_spec, split_sizes, dim)
    },
    batching="along",
    doc="""Returns the chunks of split_with_sizes, without autograd's restrictions on in-place writes to
    views.

    Raises RuntimeError unless the sizes are non-negative and sum to the size of the dimension.""",
)


def _unsafe_chunk(self: Any, chunks: int, dim: int) -> Any:
    length = _chunk_length(self, chunks, dim)
    if length == 0:
        return aten.unsafe_split_with_sizes.default(self, (0,) * chunks, dim)
    return aten.unsafe_split.Tensor(self, length, dim)


native_function(
    "unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
    composite=_unsafe_chunk,
    doc="""Returns the chunks of chunk along dimension ``dim``, without autograd's restrictions on in-place
    writes to views.""",
)


def _check_tensor_split(self: Any) -> None:
    """Raises RuntimeError for a 0-dim tensor."""
    if not self.ndim:
        raise RuntimeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )


def _tensor_split_at(self: Any, indices: Sequence[int], dim: int) -> Any:
    _check_tensor_split(self)
    bounds = [0, *indices, self.size(dim)]
    return tuple(aten.slice.Tensor(self, dim, start, end, 1) for start, end in pairwise(bounds))


def _tensor_split(self: Any, sections: int, dim: int) -> Any:
    _check_tensor_split(self)
    size = self.size(dim)
    if sections <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
    check_count(sections)
    least, longer = divmod(size, sections)
    return _tensor_split_at(self, [least * i + min(i, longer) for i in range(1, sections)], dim)


def _tensor_split_by(self: Any, where: Any, dim: int) -> Any:
    """tensor_split by a tensor: a number of sections (0-dim) or indices (1-D)."""
    if where._spec.dtype is not int64:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
            f"{where._spec.dtype.name}"
        )
    if where.ndim > 1:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional "
            f"tensor, but got a tensor with {where.ndim} dims"
        )
    if where.ndim == 0:
        return _tensor_split(self, where.item(), dim)
    return _tensor_split_at(self, elements(where), dim)


native_function(
    "tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]",
    composite=_tensor_split,
    doc="""Splits dimension ``dim`` into ``sections`` views; if it does not divide evenly, the first ones are
    larger by 1.""",
)

native_function(
    "tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]",
    composite=_tensor_split_at,
    doc="Splits dimension ``dim`` at ``indices``, as views; indices out of range are clamped.",
)

native_function(
    "tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int "
    "dim=0) -> Tensor(a)[]",
    composite=_tensor_split_by,
    doc="As above, by an int64 tensor: 0-dim for the number of sections, 1-D for the indices.",
)


def _along(name: str, least_ndim: int, dim_of: Any) -> None:
    """Defines hsplit, vsplit or dsplit: tensor_split along a fixed dimension."""

    def check(self: Any) -> int:
        if self.ndim < least_ndim:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least_ndim} dimension"
                f"{'s' if least_ndim > 1 else ''}, but got a tensor with {self.ndim} dimensions!"
            )
        return dim_of(self)

    def evenly(self: Any, sections: int) -> Any:
        dim = check(self)
        if sections == 0 or self.size(dim) % sections:
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
                f"{self.size(dim)} is not divisible by the split_size {sections}!"
            )
        return _tensor_split(self, sections, dim)

    which = {"hsplit": "1 (0 of a vector)", "vsplit": "0", "dsplit": "2"}[name]
    native_function(
        f"{name}.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]",
        composite=evenly,
        doc=f"Splits dimension {which} into ``sections`` views of equal size.  Raises RuntimeError if it "
        "does not divide evenly.",
    )
    native_function(
        f"{name}.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]",
        composite=lambda self, indices: _tensor_split_at(self, indices, check(self)),
        doc=f"Splits dimension {which} at ``indices``, as views.",
    )


_along("hsplit", 1, lambda self: 0 if self.ndim == 1 else 1)
_along("vsplit", 2, lambda self: 0)
_along("dsplit", 3, lambda self: 2)
