"""Compressed tensors from indices and values, empty ones, and what they consist of.

Source: aten/src/ATen/native/sparse/SparseCsrTensor.cpp; torch/csrc/utils/tensor_new.cpp
(sparse_compressed_tensor_ctor_worker).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..calls.native import native_function
from ..dispatch.dispatcher import aten
from ..memory.backend import get_default_device, resolve_device
from ..memory.spec import check_size_nonnegative
from ..memory.tensor import Tensor, alias_tensor
from ..values.device import layout, sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr
from ..values.dispatch_key import DispatchKey
from ..values.dtype import get_default_dtype, int32, int64
from ..values.geometry import Ints, numel_of
from . import construction, invariants  # noqa: F401  (construction defines operators of parts)
from .compressed_tensor import (
    BLOCKED,
    BY_ROWS,
    COMPRESSED,
    CompressedTensor,
    become,
    make_compressed,
    names_of,
    parts_of,
)
from .registration import sparse_kernel

compressed_kernel = functools.partial(sparse_kernel, key=DispatchKey.SparseCsr, write=become)
_OPTIONS = "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory={}"
_OPTIONS_UNPINNED, _OPTIONS_OR_NONE = _OPTIONS.format("False"), _OPTIONS.format("None")


def check_compressed_layout(name: str, wanted: layout | None) -> layout:
    """The layout, if it is a compressed one.  Raises RuntimeError for others, and for None."""
    if wanted not in COMPRESSED:
        raise RuntimeError(
            f"{name} expected sparse compressed tensor layout but got "
            f"{'none' if wanted is None else wanted.title}"
        )
    return wanted


# ---------------------------------------------------------------------------------------------------------
# From parts.


def _alias(tensor: Tensor) -> Tensor:
    """The strided tensor that a compressed one holds: an alias without history."""
    return alias_tensor(tensor, tensor._spec, tensor._storage_offset)


def _unsafe(
    compressed_indices: Tensor,
    plain_indices: Tensor,
    values: Tensor,
    size: Any,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
) -> CompressedTensor:
    check_compressed_layout("sparse_compressed_tensor_unsafe", layout)
    check_size_nonnegative(tuple(size))
    parts = [_alias(each.to(device=device)) for each in (compressed_indices, plain_indices)]
    values = _alias(values.to(device=device, dtype=dtype))
    return make_compressed([*parts, values], tuple(size), layout)


_UNSAFE = "_sparse_compressed_tensor_unsafe"
native_function(
    f"{_UNSAFE}(Tensor compressed_indices, Tensor plain_indices, Tensor values, SymInt[] size, *, "
    f"{_OPTIONS_OR_NONE}) -> Tensor",
    variants="none",
    explicit=_unsafe,
    derivatives={"values": lambda grad, result: aten._compressed_values_at.default(grad, result)},
    doc="""The tensor of the compressed ``layout`` that holds these indices and ``values``, without checks.
    Differentiable by the values.""",
)
compressed_kernel(_UNSAFE)(_unsafe)


def _validate(
    compressed_indices: Tensor,
    plain_indices: Tensor,
    values: Tensor,
    size: Any,
    layout: Any,
    check_pinning: Any = None,
) -> None:
    invariants.check_compressed_parts(compressed_indices, plain_indices, values, tuple(size), layout)


native_function(
    "_validate_sparse_compressed_tensor_args(Tensor compressed_indices, Tensor plain_indices, Tensor values, "
    "int[] size, Layout layout, bool? check_pinning=None) -> ()",
    variants="none",
    composite=_validate,
    doc="""Raises RuntimeError for parts that are not those of a tensor of sizes ``size`` and of a compressed
    ``layout``.""",
)


def _with_size(
    compressed_indices: Tensor, plain_indices: Tensor, values: Tensor, size: Any, *options: Any
) -> Tensor:
    check_compressed_layout("sparse_compressed_tensor", options[1])
    if invariants.check_sparse_tensor_invariants.is_enabled():
        _validate(compressed_indices, plain_indices, values, size, options[1])
    return aten._sparse_compressed_tensor_unsafe.default(
        compressed_indices, plain_indices, values, size, *options
    )


def _without_size(compressed_indices: Tensor, plain_indices: Tensor, values: Tensor, *options: Any) -> Tensor:
    check_compressed_layout("sparse_compressed_tensor", options[1])
    size = least_sizes(compressed_indices, plain_indices, values, options[1])
    return _with_size(compressed_indices, plain_indices, values, size, *options)


def least_sizes(compressed: Tensor, plain: Tensor, values: Tensor, layout: layout) -> Ints:
    """The sizes of the smallest tensor that has these parts."""
    batch_ndim = max(compressed._spec.ndim - 1, 0)
    block_ndim = 2 if layout in BLOCKED else 0
    invariants.check_values_ndim(values, batch_ndim, block_ndim)
    sizes = values._spec.sizes
    blocksize = sizes[batch_ndim + 1 : batch_ndim + 3] if block_ndim else (1, 1)
    if plain._spec.dtype not in (int32, int64):
        raise NotImplementedError(
            "sparse_compressed_tensor: the sizes cannot be estimated from indices of dtype "
            f"{plain._spec.dtype}; expected int32 or int64"
        )
    grid = [compressed._spec.sizes[-1] - 1, int(plain.max()) + 1 if plain._spec.numel else 0]
    if layout not in BY_ROWS:
        grid.reverse()
    matrix = tuple(count * block for count, block in zip(grid, blocksize))
    return (*compressed._spec.sizes[:-1], *matrix, *sizes[batch_ndim + 1 + block_ndim :])


native_function(
    "sparse_compressed_tensor.comp_plain_value_size(Tensor compressed_indices, Tensor plain_indices, Tensor "
    f"values, SymInt[] size, *, {_OPTIONS_UNPINNED}) -> Tensor",
    variants="none",
    composite=_with_size,
    doc="The tensor of sizes ``size`` and of a compressed ``layout`` with these indices and values.",
)
native_function(
    "sparse_compressed_tensor.comp_plain_value(Tensor compressed_indices, Tensor plain_indices, Tensor "
    f"values, *, {_OPTIONS_UNPINNED}) -> Tensor",
    variants="none",
    composite=_without_size,
    doc="The tensor of a compressed ``layout`` with these indices and values, as small as they allow.",
)


def _of_layout(name: str, own: layout, function: Callable[..., Tensor], count: int) -> Callable[..., Tensor]:
    """``function``, with ``own`` for an omitted layout; ``count`` arguments precede the options."""

    def make(*arguments: Any) -> Tensor:
        dtype, given, device, pin_memory = arguments[count:]
        if given is not None and given is not own:
            raise RuntimeError(f"{name}: layout must be {own.title} but got {given.title}")
        return function(*arguments[:count], dtype, own, device, pin_memory)

    return make


for _layout in (sparse_csr, sparse_csc, sparse_bsr, sparse_bsc):
    _compressed, _plain = names_of(_layout)
    _name = f"{_layout.name}_tensor"
    _parts = f"Tensor {_compressed}, Tensor {_plain}, Tensor values"
    for _schema, _function, _count, _what in (
        (f"{_name}.{_compressed[:4]}_{_plain[:3]}_value_size({_parts}, int[] size, *, {_OPTIONS_UNPINNED})",
         _with_size, 4, "of sizes ``size`` with these indices and values"),
        (f"{_name}.{_compressed[:4]}_{_plain[:3]}_value({_parts}, *, {_OPTIONS_UNPINNED})",
         _without_size, 3, "with these indices and values, as small as they allow"),
        (f"_{_name}_unsafe({_parts}, int[] size, *, {_OPTIONS_OR_NONE})",
         lambda *arguments: aten._sparse_compressed_tensor_unsafe.default(*arguments), 4,
         "of sizes ``size`` with these indices and values, without checks"),
    ):  # fmt: skip
        native_function(
            f"{_schema} -> Tensor",
            variants="none",
            composite=_of_layout(_name, _layout, _function, _count),
            doc=f"The tensor of layout {_layout} {_what}.",
        )
    native_function(
        f"_validate_{_name}_args({_parts}, int[] size, bool? check_pinning=None) -> ()",
        variants="none",
        composite=lambda compressed, plain, values, size, check_pinning, of=_layout: _validate(
            compressed, plain, values, size, of
        ),
        doc=f"Raises RuntimeError for parts that are not those of a tensor of layout {_layout}.",
    )


# ---------------------------------------------------------------------------------------------------------
# Without elements.


def empty_compressed(
    sizes: Ints,
    layout: layout,
    dtype: Any,
    device: Any,
    batch_ndim: int,
    blocksize: Ints = (),
    index_dtype: Any = int64,
) -> CompressedTensor:
    """A compressed tensor without specified elements."""
    check_size_nonnegative(sizes)
    where = get_default_device() if device is None else resolve_device(device)
    batch, matrix, dense = sizes[:batch_ndim], sizes[batch_ndim : batch_ndim + 2], sizes[batch_ndim + 2 :]
    dim = 0 if layout in BY_ROWS else 1
    lines = matrix[dim] // (blocksize[dim] if blocksize else 1)
    compressed = aten.zeros.default((*batch, lines + 1), index_dtype, None, where, None)
    plain = aten.zeros.default((*batch, 0), index_dtype, None, where, None)
    values = aten.zeros.default(
        (*batch, 0, *blocksize, *dense), dtype or get_default_dtype(), None, where, None
    )
    return make_compressed((compressed, plain, values), sizes, layout)


def _new(name: str, sizes: Ints, dtype: Any, layout: layout, device: Any) -> CompressedTensor:
    if layout in BLOCKED:
        raise RuntimeError(
            f"{name}_sparse_compressed expected sparse compressed (non-block) tensor layout but got "
            f"{layout.title}"
        )
    if len(sizes) < 2:
        raise RuntimeError(
            f"gnomon.{name}: Only batched sparse compressed (non-block) tensors are supported, but got size "
            f"{list(sizes)}"
        )
    return empty_compressed(sizes, layout, dtype, device, len(sizes) - 2)


@compressed_kernel("empty.memory_format")
def _empty(
    size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> CompressedTensor:
    if memory_format is not None:
        raise RuntimeError(
            f"memory format option is only supported by strided tensors, but got {memory_format}"
        )
    return _new("empty", tuple(size), dtype, layout, device)


@compressed_kernel("zeros")
def _zeros(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> CompressedTensor:
    return _new("zeros", tuple(size), dtype, layout, device)


@compressed_kernel("new_zeros")
def _new_zeros(self: Tensor, size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    spec = self._spec
    wanted = spec.layout if layout is None else layout
    return aten.zeros.default(tuple(size), dtype or spec.dtype, wanted, device or spec.device, pin_memory)


@compressed_kernel("full")
def _full(size: Any, fill_value: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Any:
    raise RuntimeError("full(...) is not implemented for sparse layout")


@compressed_kernel("ones")
def _ones(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Any:
    raise RuntimeError("full(...) is not implemented for sparse layout")


@compressed_kernel("empty_like")
def _empty_like(self: Any, *options: Any) -> CompressedTensor:
    made = _zeros_like(self, *options)
    if self._spec.layout is not made._spec.layout:
        return made
    values = aten.empty_like.default(self.held_values, made._spec.dtype, None, made._spec.device)
    parts = [each.to(made._spec.device, copy=True) for each in parts_of(self)[:2]]
    return make_compressed([*parts, values], made._spec.sizes, made._spec.layout)


@compressed_kernel("ones_like")
def _ones_like(self: Tensor, *options: Any) -> CompressedTensor:
    made = _empty_like(self, *options)
    made.held_values.fill_(1)
    return made


@compressed_kernel("full_like")
def _full_like(self: Tensor, fill_value: Any, *options: Any) -> CompressedTensor:
    made = _empty_like(self, *options)
    made.held_values.fill_(fill_value)
    return made


@compressed_kernel("fill_.Scalar")
def _fill_(self: CompressedTensor, value: Any) -> CompressedTensor:
    self.held_values.fill_(value)
    return self


@compressed_kernel("zeros_like")
def _zeros_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    spec = self._spec
    dtype, device = dtype or spec.dtype, device or spec.device
    if not isinstance(self, CompressedTensor):
        return _new("empty", spec.sizes, dtype, layout, device)
    if layout is sparse_coo:
        return aten.zeros.default(spec.sizes, dtype, layout, device, pin_memory)
    if layout is not None and (layout not in COMPRESSED or (layout in BLOCKED) is not bool(self.blocksize)):
        raise RuntimeError(
            "empty_like with different sparse layout is not supported (self is "
            f"{spec.layout.title} but you requested {layout.title})"
        )
    return empty_compressed(
        spec.sizes,
        layout or spec.layout,
        dtype,
        device,
        self.batch_ndim,
        self.blocksize,
        self.held_plain._spec.dtype,
    )


# ---------------------------------------------------------------------------------------------------------
# Its parts.


def _indices_of(name: str, layouts: tuple[layout, ...], of: Callable[[Any], Tensor]) -> None:
    kind = "row" if sparse_csr in layouts else "column"

    def refuse(self: Tensor) -> Any:
        raise RuntimeError(
            f"{name} expected sparse {kind} compressed tensor layout but got {self._spec.layout.title}"
        )

    native_function(
        f"{name}(Tensor(a) self) -> Tensor(a)",
        variants="method",
        explicit=refuse,
        derivatives={},
        doc=f"""The {"compressed" if name[0] == "c" and name[1] != "o" else "plain"} indices of a tensor
        whose {kind}s are compressed, which it holds.  Raises RuntimeError for others.""",
    )
    sparse_kernel(name)(refuse)
    compressed_kernel(name)(lambda self: _alias(of(self)) if self._spec.layout in layouts else refuse(self))


for _layouts in (BY_ROWS, (sparse_csc, sparse_bsc)):
    _compressed, _plain = names_of(_layouts[0])
    _indices_of(_compressed, _layouts, lambda self: self.held_compressed)
    _indices_of(_plain, _layouts, lambda self: self.held_plain)
compressed_kernel("values")(lambda self: _alias(self.held_values))
compressed_kernel("_nnz")(lambda self: self.held_nnz)
compressed_kernel("sparse_dim")(lambda self: 2)
compressed_kernel("dense_dim")(lambda self: self.dense_ndim)


def refuse_coordinates(name: str) -> None:
    """An operator for sparse_coo only refuses compressed tensors with its own text."""

    def refuse(self: Tensor, *arguments: Any) -> Any:
        raise RuntimeError(
            f"{name} expected sparse coordinate tensor layout but got {self._spec.layout.title}"
        )

    compressed_kernel(name)(refuse)


refuse_coordinates("indices")
refuse_coordinates("is_coalesced")


def of_same_batches(tensor: CompressedTensor) -> tuple[list[Tensor], ...]:
    """For each matrix of a batch its compressed and its plain indices and its values."""
    count = numel_of(tensor.batch_sizes)
    parts = (tensor.held_compressed, tensor.held_plain, tensor.held_values)
    return tuple(
        list(each.reshape(count, *each._spec.sizes[tensor.batch_ndim :]).unbind(0)) for each in parts
    )
