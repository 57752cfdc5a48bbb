"""Sparse tensors from indices and values, empty ones, and what they consist of.

Source: aten/src/ATen/native/sparse/SparseTensor.cpp; torch/csrc/utils/tensor_new.cpp
(sparse_coo_tensor_ctor).
"""

from __future__ import annotations

from typing import Any

from ..calls.native import native_function
from ..dispatch.dispatcher import OpOverload, aten
from ..memory.backend import get_default_device, resolve_device
from ..memory.spec import check_size_nonnegative
from ..memory.tensor import Tensor, alias_tensor
from ..values.device import sparse_coo
from ..values.dtype import get_default_dtype, int64
from ..values.geometry import Ints
from .compressed_tensor import CompressedTensor
from .invariants import check_sparse_tensor_invariants
from .registration import sparse_kernel
from .tensor import SparseTensor, flat_positions, make_sparse, sparse_spec

_OPTIONS = "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"
_OPTIONS_UNPINNED = _OPTIONS.replace("pin_memory=None", "pin_memory=False")


def empty_sparse(sizes: Ints, dense_ndim: int, dtype: Any, device: Any) -> SparseTensor:
    """A sparse tensor without specified elements."""
    check_size_nonnegative(sizes)
    sparse_ndim = len(sizes) - dense_ndim
    where = get_default_device() if device is None else resolve_device(device)
    indices = aten.empty.memory_format((sparse_ndim, 0), int64, None, where, None, None)
    values = aten.empty.memory_format(
        (0, *sizes[sparse_ndim:]), dtype or get_default_dtype(), None, where, None, None
    )
    return make_sparse(indices, values, sizes, coalesced=True)


def _check_sparse_layout(name: str, layout: Any) -> None:
    if layout is not None and layout is not sparse_coo:
        raise RuntimeError(f"{name}: expected layout gnomon.sparse_coo, got {layout}")


@sparse_kernel("empty.memory_format")
def _empty(
    size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> SparseTensor:
    if memory_format is not None:
        raise RuntimeError(
            f"memory format option is only supported by strided tensors, but got {memory_format}"
        )
    return empty_sparse(tuple(size), 0, dtype, device)


@sparse_kernel("zeros")
def _zeros(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> SparseTensor:
    return empty_sparse(tuple(size), 0, dtype, device)


@sparse_kernel("new_zeros")
def _new_zeros(self: Tensor, size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    spec = self._spec
    wanted = spec.layout if layout is None else layout
    return aten.zeros.default(tuple(size), dtype or spec.dtype, wanted, device or spec.device, pin_memory)


@sparse_kernel("full")
def _full(size: Any, fill_value: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> SparseTensor:
    raise RuntimeError("full(...) is not implemented for sparse layout")


@sparse_kernel("ones")
def _ones(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> SparseTensor:
    raise RuntimeError("full(...) is not implemented for sparse layout")


@sparse_kernel("empty_like", "zeros_like")
def _empty_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    spec = self._spec
    dtype, device = dtype or spec.dtype, device or spec.device
    if layout is not None and layout is not sparse_coo:
        return aten.zeros.default(spec.sizes, dtype, layout, device, pin_memory)
    dense_ndim = self.dense_ndim if isinstance(self, SparseTensor) else 0
    return empty_sparse(spec.sizes, dense_ndim, dtype, device)


def _check_indices(indices: Tensor) -> None:
    if indices._spec.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(indices._spec.sizes)}")


def checked_parts(
    indices: Tensor, values: Tensor, sizes: Ints | None, check_invariants: bool = False
) -> tuple[Tensor, Tensor, Ints]:
    """The parts of a new sparse tensor, after the checks that need no numbers; a scalar value is made
    (1,).
    """
    if not values._spec.ndim:
        values = values.unsqueeze(0)
    _check_indices(indices)
    if indices._spec.dtype.is_complex or indices._spec.dtype.name == "bool":
        raise RuntimeError(f"indices must be an int64 tensor, but got: {indices._spec.dtype}")
    indices = indices.to(device=values._spec.device, dtype=int64)
    sparse_ndim = indices._spec.sizes[0]
    if sizes is None:
        sizes = (*_least_sizes(indices, values), *values._spec.sizes[1:])
    check_size_nonnegative(sizes)
    if len(sizes) != sparse_ndim + values._spec.ndim - 1:
        raise RuntimeError(
            f"number of dimensions must be sparse_dim ({sparse_ndim}) + dense_dim "
            f"({values._spec.ndim - 1}), but "
            f"got {len(sizes)}"
        )
    _check_parts(indices, values, sizes, sparse_ndim)
    if check_invariants:
        check_columns(indices, sizes)
    return indices, values, sizes


def _check_parts(indices: Tensor, values: Tensor, sizes: Ints, sparse_ndim: int) -> None:
    """Raises RuntimeError for indices or values that are not those of a tensor of these sizes."""
    nnz = indices._spec.sizes[1]
    if sparse_ndim != indices._spec.sizes[0]:
        raise RuntimeError(f"indices has incorrect first dimension, expected {sparse_ndim}, got "
                           f"{indices._spec.sizes[0]}")  # fmt: skip
    if nnz != values._spec.sizes[0]:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {nnz}, nnz from values: "
            f"{values._spec.sizes[0]}"
        )
    if sizes[sparse_ndim:] != values._spec.sizes[1:]:
        raise RuntimeError(
            f"values has incorrect size, expected {[nnz, *sizes[sparse_ndim:]]}, got "
            f"{list(values._spec.sizes)}"
        )


def _least_sizes(indices: Tensor, values: Tensor) -> Ints:
    """The sizes of the sparse dimensions that the largest indices need."""
    if not indices._spec.sizes[1]:
        return (0,) * indices._spec.sizes[0]
    least = indices.amin(1).tolist()
    for dim, index in enumerate(least):
        if index < 0:
            raise RuntimeError(f"found negative index {index} for dim {dim}")
    return tuple(largest + 1 for largest in indices.amax(1).tolist())


def check_columns(indices: Tensor, sizes: Ints) -> None:
    """Raises RuntimeError for indices outside of the sizes."""
    if not indices._spec.sizes[1]:
        return
    lowest, highest = indices.amin(1).tolist(), indices.amax(1).tolist()
    for dim, (low, high) in enumerate(zip(lowest, highest)):
        if low < 0:
            raise RuntimeError(f"found negative index {low} for dim {dim}")
        if high >= sizes[dim]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {sizes[dim]} but found index "
                f"{high}"
            )


def check_coalesced(indices: Tensor, sizes: Ints) -> None:
    """Raises RuntimeError for columns that are repeated or not in order."""
    positions = flat_positions(indices, sizes)
    if (positions[1:] <= positions[:-1]).any().item():
        raise RuntimeError("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")


def _detached(tensor: Tensor) -> Tensor:
    """The strided tensor that a sparse one holds: an alias without history."""
    return alias_tensor(tensor, tensor._spec, tensor._storage_offset)


def _check_ndims(sizes: Ints, sparse_dim: int, dense_dim: int) -> None:
    if len(sizes) != sparse_dim + dense_dim:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(sizes)}, sparse_dim = "
            f"{sparse_dim}, dense_dim = {dense_dim}"
        )


def _with_dims(
    sparse_dim: int, dense_dim: int, size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> SparseTensor:
    _check_ndims(tuple(size), sparse_dim, dense_dim)
    return empty_sparse(tuple(size), dense_dim, dtype, device)


native_function(
    "_sparse_coo_tensor_with_dims(int sparse_dim, int dense_dim, int[] size, *, "
    f"{_OPTIONS_UNPINNED}) -> Tensor",
    variants="none",
    explicit=lambda *arguments: _refuse_strided("_sparse_coo_tensor_with_dims")(*arguments[:1]),
    derivatives={},
    doc="""The sparse tensor of sizes ``size`` without specified elements, whose last ``dense_dim`` dimensions
    are in the values.

    Raises RuntimeError unless ``size`` has ``sparse_dim`` + ``dense_dim`` elements, NotImplementedError if
    ``layout`` is not sparse_coo.""",
)
sparse_kernel("_sparse_coo_tensor_with_dims")(_with_dims)


def _with_dims_and_tensors(
    sparse_dim: int,
    dense_dim: int,
    size: Any,
    indices: Tensor,
    values: Tensor,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    is_coalesced: Any,
) -> SparseTensor:
    sizes = tuple(size)
    _check_ndims(sizes, sparse_dim, dense_dim)
    _check_indices(indices)
    if indices._spec.dtype is not int64:
        raise RuntimeError(f"indices must be an int64 tensor, but got: {indices._spec.dtype}")
    _check_parts(indices, values, sizes, sparse_dim)
    return make_sparse(_detached(indices), _detached(values), sizes, bool(is_coalesced))


native_function(
    "_sparse_coo_tensor_with_dims_and_tensors(int sparse_dim, int dense_dim, SymInt[] size, Tensor indices, "
    "Tensor "
    f"values, *, {_OPTIONS_UNPINNED}, bool? is_coalesced=None) -> Tensor",
    explicit=_with_dims_and_tensors,
    derivatives={"values": lambda grad, indices: aten._sparse_values_at.default(grad, indices)},
    doc="""The sparse tensor of sizes ``size`` that holds ``indices`` (sparse_dim, nnz), int64, and ``values``
    (nnz, *), whose indices are not checked.  Differentiable by the values.""",
)


sparse_kernel("_sparse_coo_tensor_with_dims_and_tensors")(_with_dims_and_tensors)


def _unsafe(
    indices: Tensor,
    values: Tensor,
    size: Any,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    is_coalesced: Any,
) -> Tensor:
    indices, values, sizes = checked_parts(indices, values, tuple(size))
    sparse_ndim = indices._spec.sizes[0]
    return aten._sparse_coo_tensor_with_dims_and_tensors.default(
        sparse_ndim,
        len(sizes) - sparse_ndim,
        sizes,
        indices,
        values,
        None,
        sparse_coo,
        None,
        None,
        is_coalesced,
    )


native_function(
    f"_sparse_coo_tensor_unsafe(Tensor indices, Tensor values, SymInt[] size, *, {_OPTIONS}, bool? "
    "is_coalesced=None) -> Tensor",
    composite=_unsafe,
    doc="The sparse tensor of ``indices`` and ``values``, whose indices are not checked against ``size``.",
)


def _from_parts(
    indices: Tensor,
    values: Tensor,
    size: Any,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    is_coalesced: Any,
) -> Tensor:
    _check_sparse_layout("sparse_coo_tensor", layout)
    if dtype is not None or device is not None:
        values = values.to(device=device, dtype=dtype)
    indices, values, sizes = checked_parts(
        indices, values, None if size is None else tuple(size), check_sparse_tensor_invariants.is_enabled()
    )
    if is_coalesced and check_sparse_tensor_invariants.is_enabled():
        check_coalesced(indices, sizes)
    return _unsafe(indices, values, sizes, None, None, None, None, is_coalesced)


native_function(
    f"sparse_coo_tensor.size(int[] size, *, {_OPTIONS_UNPINNED}) -> Tensor",
    variants="none",
    composite=lambda size, dtype, layout, device, pin_memory: empty_sparse(tuple(size), 0, dtype, device),
    doc="A sparse tensor of sizes ``size`` without specified elements.",
)

native_function(
    f"sparse_coo_tensor.indices(Tensor indices, Tensor values, *, {_OPTIONS}, bool? is_coalesced=None) -> "
    "Tensor",
    variants="none",
    composite=lambda indices, values, *options: _from_parts(indices, values, None, *options),
    doc="The sparse tensor of ``indices`` and ``values``, as small as the indices allow.",
)

native_function(
    f"sparse_coo_tensor.indices_size(Tensor indices, Tensor values, int[] size, *, {_OPTIONS}, bool? "
    "is_coalesced=None) -> Tensor",
    variants="none",
    composite=_from_parts,
    doc="The sparse tensor of sizes ``size`` with ``indices`` and ``values``.",
)


# ---------------------------------------------------------------------------------------------------------
# Its parts.


def _expected(name: str, what: str = "coordinate tensor layout") -> Any:
    def refuse(self: Tensor, *arguments: Any) -> Any:
        raise RuntimeError(f"{name} expected sparse {what} but got Strided")

    return refuse


def _count(schema: str, of_strided: Any, of_sparse: Any, doc: str) -> None:
    """A method that tells a number; it has no kernel for gradients."""
    operator = native_function(schema, variants="method", explicit=of_strided, derivatives={}, doc=doc)
    sparse_kernel(operator.name)(of_sparse)


def _refuse_strided(name: str) -> Any:
    def refuse(self: Tensor) -> Any:
        raise NotImplementedError(f"Could not run 'aten::{name}' with arguments from the 'CPU' backend.")

    return refuse


for _name in ("sparse_dim", "_dimI"):
    _count(
        f"{_name}(Tensor self) -> int",
        (lambda self: 0) if _name == "sparse_dim" else _refuse_strided(_name),
        lambda self: self.sparse_ndim,
        "The number of dimensions that the indices have; 0 for a strided tensor.",
    )
for _name in ("dense_dim", "_dimV"):
    _count(
        f"{_name}(Tensor self) -> int",
        (lambda self: self.dim()) if _name == "dense_dim" else _refuse_strided(_name),
        lambda self: self.dense_ndim,
        "The number of dimensions that each value has; all those of a strided tensor.",
    )
_count(
    "_nnz(Tensor self) -> int",
    _refuse_strided("_nnz"),
    lambda self: self.held_nnz,
    "The number of specified elements, those that are specified several times included.",
)
_count(
    "is_coalesced(Tensor self) -> bool",
    _expected("is_coalesced"),
    lambda self: self.coalesced,
    "Are the indices unique and sorted?  Raises RuntimeError for a strided tensor.",
)


@sparse_kernel("_local_scalar_dense")
def _number(self: SparseTensor) -> Any:
    """The number of a tensor with one element: the sum of the values that it specifies."""
    return self.held_values.sum(0, dtype=self._spec.dtype).item() if self.held_nnz else 0


def _part(operator: OpOverload, of: Any) -> None:
    """Register what returns a strided tensor that ``self`` holds; it is an alias, but no view."""
    sparse_kernel(operator.name)(lambda self: _detached(of(self)))


def _coalesced_part(name: str, of: Any) -> Any:
    def part(self: SparseTensor) -> Tensor:
        if not self.coalesced:
            raise RuntimeError(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")
        return of(self)

    return part


for _name, _of in (("indices", lambda self: self.held_indices), ("values", lambda self: self.held_values)):
    _part(
        native_function(
            f"_{_name}(Tensor(a) self) -> Tensor(a)",
            variants="method",
            explicit=_refuse_strided(f"_{_name}"),
            derivatives={},
            doc=f"The {_name} of a sparse tensor, also of one that is not coalesced; not differentiable.",
        ),
        _of,
    )
_part(
    native_function(
        "indices(Tensor(a) self) -> Tensor(a)",
        variants="method",
        explicit=_expected("indices"),
        derivatives={},
        doc="The indices (sparse_dim, nnz) of a coalesced tensor, int64.  Raises RuntimeError for others.",
    ),
    _coalesced_part("indices", lambda self: self.held_indices),
)
_part(
    native_function(
        "values(Tensor(a) self) -> Tensor(a)",
        variants="method",
        explicit=_expected("values", "tensor layout"),
        derivatives={"self": lambda grad, self: _values_grad(grad, self)},
        doc="The values (nnz, *) of a coalesced tensor.  Raises RuntimeError for others.",
    ),
    _coalesced_part("values", lambda self: self.held_values),
)


def _values_grad(grad: Tensor, self: Any) -> Tensor:
    """The gradient of a sparse tensor, from that of its values."""
    if isinstance(self, CompressedTensor):
        return aten._sparse_compressed_tensor_unsafe.default(
            self.held_compressed, self.held_plain, grad, self._spec.sizes, None, self.layout, None, None
        )
    return aten._sparse_coo_tensor_with_dims_and_tensors.default(
        self.sparse_ndim,
        self.dense_ndim,
        self._spec.sizes,
        self._indices(),
        grad,
        None,
        sparse_coo,
        None,
        None,
        True,
    )


def _mark_coalesced(self: SparseTensor, coalesced: bool) -> SparseTensor:
    self.coalesced = coalesced
    return self


native_function(
    "_coalesced_(Tensor(a!) self, bool coalesced) -> Tensor(a!)",
    variants="method",
    explicit=_refuse_strided("_coalesced_"),
    derivatives={},
    doc="Declare whether the indices are unique and sorted, which is not checked; returns ``self``.",
)
sparse_kernel("_coalesced_")(_mark_coalesced)


# ---------------------------------------------------------------------------------------------------------
# Other sizes.


def check_resizable(self: SparseTensor, sizes: Ints, sparse_dim: int, dense_dim: int) -> None:
    """Raises RuntimeError if the specified elements do not fit in the sizes."""
    hint = (
        "\nYou could try the following options:\n1. If you need an empty sparse tensor of this size, call "
        "`x = gnomon.sparse_coo_tensor(size)`.\n2. If you need to resize this tensor, you have the following "
        "options:\n\t1. For both sparse and dense dimensions, keep the number of them constant and the size "
        "of them non-shrinking, and then try the same call again.\n\t2. Or, create a new sparse tensor with "
        "the correct indices and values from this sparse tensor."
    )
    counts = (("sparse", self.sparse_ndim, sparse_dim), ("dense", self.dense_ndim, dense_dim))
    for kind, now, wanted in counts:
        if now != wanted:
            raise RuntimeError(
                f"changing the number of {kind} dimensions (from {now} to {wanted}) on a non-empty sparse "
                f"tensor is not supported.{hint}"
            )
    for kind, part in (("sparse", slice(0, sparse_dim)), ("dense", slice(sparse_dim, None))):
        before, after = self._spec.sizes[part], sizes[part]
        if any(new < old for old, new in zip(before, after)):
            raise RuntimeError(
                f"shrinking the size of {kind} dimensions (from {list(before)} to {list(after)}) on a "
                f"non-empty sparse tensor is not supported.{hint}"
            )


def resized(self: SparseTensor, size: Any, sparse_dim: int, dense_dim: int) -> SparseTensor:
    """``self`` with other sizes; its specified elements remain.  Raises RuntimeError if they cannot."""
    sizes = tuple(size)
    if len(sizes) != sparse_dim + dense_dim:
        raise RuntimeError(
            f"number of dimensions must be sparse_dim ({sparse_dim}) + dense_dim ({dense_dim}), but got "
            f"{len(sizes)}"
        )
    if self.held_nnz:
        check_resizable(self, sizes, sparse_dim, dense_dim)
        if sizes[sparse_dim:] != self._spec.sizes[sparse_dim:]:
            values = aten.zeros.default(
                (self.held_nnz, *sizes[sparse_dim:]), self._spec.dtype, None, self._spec.device, None
            )
            places = tuple(slice(0, each) for each in self.held_values._spec.sizes)
            values[places] = self.held_values
            self.held_values = values
    else:
        made = empty_sparse(sizes, dense_dim, self._spec.dtype, self._spec.device)
        self.held_indices, self.held_values = made.held_indices, made.held_values
    self._spec = sparse_spec(sizes, self._spec.dtype, self._spec.device)
    return self


def _cleared(self: SparseTensor, size: Any, sparse_dim: int, dense_dim: int) -> SparseTensor:
    sizes = tuple(size)
    if len(sizes) != sparse_dim + dense_dim:
        raise RuntimeError(
            f"number of dimensions must be sparse_dim ({sparse_dim}) + dense_dim ({dense_dim}), but got "
            f"{len(sizes)}"
        )
    made = empty_sparse(sizes, dense_dim, self._spec.dtype, self._spec.device)
    self.held_indices, self.held_values, self.coalesced = made.held_indices, made.held_values, True
    self._spec = made._spec
    return self


for _name, _function, _what in (
    ("sparse_resize_", resized, "Its specified elements remain: none of the sizes may shrink"),
    ("sparse_resize_and_clear_", _cleared, "It has no specified elements then"),
):
    native_function(
        f"{_name}(Tensor(a!) self, int[] size, int sparse_dim, int dense_dim) -> Tensor(a!)",
        variants="method",
        explicit=_refuse_strided(_name),
        derivatives={},
        doc=f"Give a sparse tensor other sizes and numbers of dimensions.  {_what}.  Returns ``self``.",
    )
    sparse_kernel(_name)(_function)
