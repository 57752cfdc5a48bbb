"""Conversions: strided to sparse and back, coalescing, copies, masks.

Source: aten/src/ATen/native/sparse/SparseTensor.cpp, SparseTensorMath.cpp;
aten/src/ATen/native/TensorConversions.cpp.
"""

from __future__ import annotations

from typing import Any

from ..calls.checks import check_same_layout
from ..calls.native import native_function
from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.device import _mkldnn, sparse_coo, strided
from ..values.dtype import bool_
from ..values.geometry import numel_of
from .compressed_tensor import CompressedTensor
from .construction import check_resizable
from .index_kernels import add_at
from .registration import autograd_sparse_kernel, sparse_kernel, stops_gradients_of
from .tensor import SparseTensor, become, columns_of, flat_positions, like, make_sparse, positions_of


def coalesced(tensor: SparseTensor) -> SparseTensor:
    """``tensor`` with unique, sorted columns: values of equal ones are summed in their order."""
    if tensor.coalesced:
        return tensor
    if tensor.held_nnz < 2:
        return make_sparse(tensor.held_indices, tensor.held_values, tensor._spec.sizes, coalesced=True)
    unique, inverse = aten._unique2.default(positions_of(tensor), True, True, False)[:2]
    sums = summed(tensor.held_values, inverse, unique._spec.sizes[0])
    return make_sparse(columns_of(unique, tensor.sparse_sizes), sums, tensor._spec.sizes, coalesced=True)


def summed(values: Tensor, places: Tensor, count: int) -> Tensor:
    """Sums of the rows of ``values``: row k of the result, of ``count`` rows, is that of all with place k."""
    sums = aten.zeros.default(
        (count, *values._spec.sizes[1:]), values._spec.dtype, None, values._spec.device, None
    )
    return sums.index_add_(0, places, values)


def add_into(target: Tensor, source: SparseTensor, alpha: Any = 1) -> Tensor:
    """``target`` += ``alpha`` * ``source``, for a contiguous strided target."""
    if source._spec.dtype is bool_:  # True twice at one place is True, not 2
        source = coalesced(source)
    ndim = source.sparse_ndim
    rows = target.view(numel_of(source.sparse_sizes), *source._spec.sizes[ndim:])
    add_at(rows, positions_of(source), source.held_values.to(target._spec.dtype), alpha)
    return target


def to_strided(tensor: SparseTensor, dtype: Any = None) -> Tensor:
    """The strided tensor with the same elements."""
    spec = tensor._spec
    made = aten.zeros.default(spec.sizes, dtype or spec.dtype, None, spec.device, None)
    return add_into(made, tensor)


native_function(
    "_coalesce(Tensor self) -> Tensor",
    variants="none",
    explicit=lambda self: _not_sparse("coalesce"),
    derivatives={"self": lambda grad: grad},
    doc="``coalesce`` of a tensor that is not coalesced.",
)
sparse_kernel("_coalesce")(coalesced)


def _not_sparse(name: str) -> Any:
    raise RuntimeError(f"{name} expected sparse coordinate tensor layout but got Strided")


def _coalesce(self: Tensor) -> Tensor:
    if not isinstance(self, SparseTensor):
        _not_sparse("coalesce")
    return self if self.is_coalesced() else aten._coalesce.default(self)


native_function(
    "coalesce(Tensor(a) self) -> Tensor(a)",
    variants="method",
    composite=_coalesce,
    doc="""The sparse tensor with unique indices in lexicographic order; values of equal indices are summed.

    A coalesced tensor itself is returned.  Raises RuntimeError for a strided tensor.""",
)


# ---------------------------------------------------------------------------------------------------------
# To strided tensors.


def _to_dense(self: Tensor, dtype: Any, masked_grad: Any) -> Tensor:
    if self._spec.layout is strided:
        return self if dtype is None else self.to(dtype)
    return aten._to_dense.default(self, dtype, masked_grad)


native_function(
    "to_dense(Tensor self, ScalarType? dtype=None, *, bool? masked_grad=None) -> Tensor",
    variants="method",
    composite=_to_dense,
    doc="""The strided tensor with the same elements.

    ``masked_grad``: whether the gradient of a sparse tensor is that of its specified elements only (the
    default), or also of those that are not specified.""",
)


def _to_dense_grad(grad: Tensor, self: Tensor, masked_grad: bool | None) -> Tensor:
    if isinstance(self, CompressedTensor):
        if masked_grad is not False:
            return grad.sparse_mask(self)
        blocksize = self.blocksize or None
        return grad.to_sparse(layout=self.layout, blocksize=blocksize, dense_dim=self.dense_dim())
    if self._spec.layout is _mkldnn:
        return grad.to_mkldnn(self._spec.dtype)
    if masked_grad is False:
        return grad.to_sparse(self.sparse_dim())
    return grad.sparse_mask(self.coalesce())


native_function(
    "_to_dense(Tensor self, ScalarType? dtype=None, bool? masked_grad=None) -> Tensor",
    variants="method",
    explicit=lambda self, dtype, masked_grad: self if dtype is None else self.to(dtype),
    derivatives={"self": lambda grad, self, masked_grad: _to_dense_grad(grad, self, masked_grad)},
    node_name="ToDenseBackward0",
    doc="``to_dense`` of a tensor that is not strided.",
)


@sparse_kernel("_to_dense")
def _to_dense_of(self: SparseTensor, dtype: Any, masked_grad: Any) -> Tensor:
    if dtype is not None:
        raise RuntimeError("dtype argument is not supported by sparse_to_dense")
    return to_strided(self)


# ---------------------------------------------------------------------------------------------------------
# To sparse tensors.


def _specified(self: Tensor, sparse_dim: int) -> SparseTensor:
    """The sparse tensor of the elements, or slices of the last dimensions, that are not zero."""
    sizes, ndim = self._spec.sizes, self._spec.ndim
    if not 0 <= sparse_dim <= ndim:
        raise RuntimeError(
            f"dense_to_sparse: sparse_dim argument must be in [0,{ndim}] range, but {sparse_dim} is given"
        )
    if ndim and not sparse_dim:
        raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
    is_nonzero = self.ne(0)
    if sparse_dim < ndim:
        is_nonzero = is_nonzero.any(dim=tuple(range(sparse_dim, ndim)))
    indices = is_nonzero.nonzero().t().contiguous()
    if not ndim:
        values = self.reshape(1)[: indices._spec.sizes[1]].clone()
    else:
        values = self.index(list(indices.unbind(0)))
    return make_sparse(indices, values, sizes, coalesced=True)


def to_sparse_grad(grad: Tensor, self_spec: Any) -> Tensor:
    """The gradient in the layout of the input."""
    if self_spec.layout is strided:
        return grad.to_dense()
    return grad.to_sparse(layout=self_spec.layout, blocksize=getattr(self_spec, "blocksize", ()) or None)


def _convert(self: Tensor, layout: Any, blocksize: Any, dense_dim: Any) -> SparseTensor:
    if layout is not None and layout is not sparse_coo:
        raise RuntimeError(f"to_sparse: conversion from {self._spec.layout} to {layout} is not supported")
    if blocksize is not None:
        raise RuntimeError(
            f"to_sparse: {self._spec.layout} to {sparse_coo} conversion does not use specified blocksize"
        )
    return _specified(self, self._spec.ndim - (dense_dim or 0))


for _public, _schema, _function in (
    ("to_sparse.sparse_dim", "(Tensor self, int sparse_dim) -> Tensor", _specified),
    (
        "to_sparse",
        "(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> Tensor",
        _convert,
    ),
):
    native_function(
        f"_{_public}{_schema}",
        variants="none",
        explicit=_function,
        derivatives={"self": lambda grad, self_spec: to_sparse_grad(grad, self_spec)},
        node_name="ToSparseBackward0",
        out="out" if _public == "to_sparse" else "sparse_dim_out",
        doc=f"``{_public}`` of a strided tensor.",
    )
    sparse_kernel(f"_{_public}")(_function)  # ``layout=`` asks for a sparse result


def _to_sparse_dim(self: Tensor, sparse_dim: int) -> Tensor:
    if isinstance(self, SparseTensor):
        if sparse_dim != self.sparse_ndim:
            raise RuntimeError(
                "to_sparse: conversion from Sparse to Sparse with sparse_dim argument !=self.sparse_dim() "
                "is not "
                "supported"
            )
        return self
    return aten._to_sparse.sparse_dim(self, sparse_dim)


def _to_sparse(self: Tensor, layout: Any, blocksize: Any, dense_dim: Any) -> Tensor:
    if self._spec.layout is not (layout or sparse_coo):
        return aten._to_sparse.default(self, layout, blocksize, dense_dim)
    for name, given in (("blocksize", blocksize), ("dense_dim", dense_dim)):
        if given is not None and self._spec.layout is sparse_coo:
            raise RuntimeError(
                f"to_sparse: conversion from Sparse to Sparse with {name} argument given is not supported"
            )
    return self


native_function(
    "to_sparse.sparse_dim(Tensor self, int sparse_dim) -> Tensor",
    variants="method",
    composite=_to_sparse_dim,
    doc="""The sparse tensor whose first ``sparse_dim`` dimensions have indices; its values are slices of the
    others.

    Raises RuntimeError for a number that is not from 1 to the number of dimensions.""",
)
native_function(
    "to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> Tensor",
    variants="method",
    composite=_to_sparse,
    doc="""The sparse tensor of the elements that are not zero, coalesced.

    ``layout``: gnomon.sparse_coo, or a compressed one, with a ``blocksize`` if it has blocks.  ``dense_dim``:
    the number of last dimensions that are in the values.""",
)


# ---------------------------------------------------------------------------------------------------------
# The same layout.


def _check_strided(memory_format: Any) -> None:
    if memory_format is not None and memory_format.name != "preserve_format":
        name = {"contiguous_format": "Contiguous"}.get(memory_format.name, memory_format.name)
        raise RuntimeError(f"unsupported memory format option {name}")


@sparse_kernel("clone")
def _clone(self: SparseTensor, memory_format: Any) -> SparseTensor:
    if memory_format is not None:
        _check_strided(memory_format)
    return make_sparse(self.held_indices.clone(), self.held_values.clone(), self._spec.sizes, self.coalesced)


@sparse_kernel("detach", "alias")
def _detach(self: SparseTensor) -> SparseTensor:
    return like(self, self.held_values)


@sparse_kernel("_to_copy")
def _to_copy(
    self: SparseTensor,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    non_blocking: bool,
    memory_format: Any,
) -> SparseTensor:
    check_same_layout(self._spec, layout)
    values = aten._to_copy.default(self.held_values, dtype, None, device, pin_memory, non_blocking, None)
    indices = aten._to_copy.default(self.held_indices, None, None, device, pin_memory, non_blocking, None)
    return make_sparse(indices, values, self._spec.sizes, self.coalesced)


@sparse_kernel("copy_")
def _copy_(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    if not isinstance(self, SparseTensor) or not isinstance(src, SparseTensor):
        raise RuntimeError(
            "copy_() between dense and sparse Tensors is not implemented! Found self layout = "
            f"{self._spec.layout} and src layout = {src._spec.layout}"
        )
    if self is src:
        return self
    if self.held_nnz and self.sparse_ndim != src.sparse_ndim:
        check_resizable(self, src._spec.sizes, src.sparse_ndim, src.dense_ndim)
    values = src.held_values.to(device=self._spec.device, dtype=self._spec.dtype, copy=True)
    indices = src.held_indices.to(device=self._spec.device, copy=True)
    become(self, make_sparse(indices, values, src._spec.sizes, src.coalesced))
    return self


@autograd_sparse_kernel("zero_")
def _zero_(self: SparseTensor) -> Tensor:
    return self.copy_(aten.zeros_like.default(self, None, None, None, None, None))


# ---------------------------------------------------------------------------------------------------------
# The elements at the indices of another tensor.


def values_at(self: Tensor, indices: Tensor, sparse_ndim: int) -> Tensor:
    """The elements (or slices of the last dimensions) of ``self``, sparse or strided, at the columns of
    ``indices``.
    """
    if not isinstance(self, SparseTensor):
        if not sparse_ndim:
            return self.unsqueeze(0).expand(indices._spec.sizes[1], *self._spec.sizes).clone()
        return self.index(list(indices.unbind(0)))
    found = coalesced(self)
    wanted = flat_positions(indices, self.sparse_sizes)
    made = aten.zeros.default(
        (indices._spec.sizes[1], *found.held_values._spec.sizes[1:]),
        self._spec.dtype,
        None,
        self._spec.device,
        None,
    )
    if not found.held_nnz or not indices._spec.sizes[1]:
        return made
    known = positions_of(found)
    places = aten.searchsorted.Tensor(known, wanted).clamp_max(found.held_nnz - 1)
    is_there = known[places] == wanted
    made[is_there] = found.held_values[places[is_there]]
    return made


native_function(
    "_sparse_values_at(Tensor self, Tensor indices) -> Tensor",
    variants="none",
    explicit=lambda self, indices: values_at(self, indices, indices._spec.sizes[0]),
    derivatives={
        "self": lambda grad, self, indices: aten._sparse_coo_tensor_unsafe.default(
            indices, grad, self._spec.sizes, None, None, None, None, None
        )
    },
    doc="The elements of ``self`` at the columns of ``indices``, zero where a sparse tensor specifies none.",
)
sparse_kernel("_sparse_values_at")(lambda self, indices: values_at(self, indices, indices._spec.sizes[0]))


def _masked(self: Any, mask: Any) -> SparseTensor:
    if not isinstance(mask, SparseTensor):
        raise NotImplementedError("sparse_mask: expected mask to have sparse layout, but got Strided")
    if self._spec.sizes != mask._spec.sizes:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(self._spec.sizes)} but "
            "mask has size "
            f"{list(mask._spec.sizes)}"
        )
    if isinstance(self, SparseTensor) and self.sparse_ndim != mask.sparse_ndim:
        raise RuntimeError(
            f"sparse_mask(): the number of sparse dimensions in `self` should match that of the `mask`. Got "
            f"`self.sparse_dim() == {self.sparse_ndim}` != `mask.sparse_dim() == {mask.sparse_ndim}`."
        )
    is_same = isinstance(self, SparseTensor) and self.held_values is mask.held_values
    if (
        is_same and self.held_indices is mask.held_indices
    ):  # as it is, even with several elements of one place
        return make_sparse(
            mask.held_indices.clone(), mask.held_values.clone(), mask._spec.sizes, mask.coalesced
        )
    values = values_at(self, mask.held_indices, mask.sparse_ndim)
    return make_sparse(mask.held_indices.clone(), values, mask._spec.sizes, mask.coalesced)


def _sparse_mask_grad(grad: Tensor, mask: SparseTensor, self_spec: Any) -> Tensor:
    if self_spec.layout is strided:
        return grad.to_dense()
    return grad.coalesce() if isinstance(grad, SparseTensor) else grad


native_function(
    "sparse_mask(Tensor self, Tensor mask) -> Tensor",
    variants="method",
    explicit=_masked,
    derivatives={"self": lambda grad, mask, self_spec: _sparse_mask_grad(grad, mask, self_spec)},
    doc="""The elements of ``self`` at the indices of the sparse tensor ``mask``, as a sparse tensor with
    these.

    Raises RuntimeError if the sizes differ.""",
)
sparse_kernel("sparse_mask")(_masked)
stops_gradients_of(1, "sparse_mask")


def _projected(self: Tensor, mask: Tensor, accumulate_matches: bool) -> SparseTensor:
    for name, each in (("self", self), ("mask", mask)):
        if not isinstance(each, SparseTensor):
            raise RuntimeError(
                f"_sparse_mask_projection: expected {name} to have sparse layout, but got "
                f"{each._spec.layout.title}"
            )
    assert isinstance(self, SparseTensor) and isinstance(mask, SparseTensor)
    if self._spec.sizes != mask._spec.sizes:
        raise RuntimeError(
            f"_sparse_mask_projection(): operands have incompatible sizes; self has size "
            f"{list(self._spec.sizes)} but mask has size {list(mask._spec.sizes)}"
        )
    if self.sparse_ndim != mask.sparse_ndim:
        raise RuntimeError(
            "_sparse_mask_projection(): the number of sparse dimensions in `self` should match that of the "
            f"`mask`. Got `self.sparse_dim() == {self.sparse_ndim}` != `mask.sparse_dim() == "
            f"{mask.sparse_ndim}`."
        )
    known, wanted = positions_of(mask).sort()[0], positions_of(self)
    counts = aten.searchsorted.Tensor(known, wanted, right=True) - aten.searchsorted.Tensor(known, wanted)
    counts = counts if accumulate_matches else counts.clamp_max(1)
    values = self.held_values
    return like(self, values * counts.reshape(-1, *[1] * self.dense_ndim).to(values._spec.dtype))


native_function(
    "_sparse_mask_projection(Tensor self, Tensor mask, bool accumulate_matches=False) -> Tensor",
    variants="method",
    explicit=_projected,
    doc="""The sparse tensor ``self``, with zeros for the values at indices that ``mask`` does not have.

    ``accumulate_matches``: a value is multiplied by how often ``mask`` has its index.  Raises RuntimeError if
    the sizes differ.""",
)
sparse_kernel("_sparse_mask_projection")(_projected)
