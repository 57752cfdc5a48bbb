"""Pickling sparse tensors: by their parts.

Source: torch/_tensor.py (_reduce_ex_internal), torch/_utils.py (_rebuild_sparse_tensor,
_validate_loaded_sparse_tensors).
"""

from __future__ import annotations

import copyreg
from typing import Any

from ..bindings.copying import state_of
from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor, autograd_meta
from ..values.device import layout, sparse_coo
from ..values.errors import type_name
from .compressed_construction import check_compressed_layout
from .compressed_tensor import CompressedTensor, names_of
from .invariants import check_sparse_tensor_invariants
from .tensor import SparseTensor


def parts_of(tensor: Tensor) -> tuple[Any, ...]:
    """What a sparse tensor is rebuilt from: its indices, its values, its sizes, and whether it is coalesced.

    Of a compressed layout: the compressed and the plain indices, the values and the sizes.
    """
    if isinstance(tensor, CompressedTensor):
        return tensor.held_compressed, tensor.held_plain, tensor.held_values, tensor._spec.sizes
    assert isinstance(tensor, SparseTensor)
    return tensor.held_indices, tensor.held_values, tensor._spec.sizes, tensor.coalesced


def rebuild_sparse(
    kind: layout, parts: Any, requires_grad: bool = False, is_parameter: bool = False
) -> Tensor:
    """The tensor of layout ``kind`` with the ``parts`` that ``parts_of`` returns.

    Raises TypeError or RuntimeError for parts that are no valid tensor: a file may come from anywhere.
    """
    if not isinstance(kind, layout):
        raise TypeError(f"rebuilding a sparse tensor: expected a gnomon.layout, got {type_name(kind)}")
    parts = tuple(parts) if isinstance(parts, (tuple, list)) else ()
    if kind is sparse_coo and len(parts) == 3:  # of older versions of PyTorch
        parts = (*parts, None)
    if len(parts) != 4:
        raise TypeError(f"rebuilding a sparse tensor: expected four parts of {kind.name}, got {len(parts)}")
    *held, sizes, is_coalesced = parts if kind is sparse_coo else (*parts, None)
    for each in held:
        if not isinstance(each, Tensor):
            raise TypeError(f"rebuilding a sparse tensor: its parts must be tensors, got {type_name(each)}")
    if not isinstance(sizes, (tuple, list)) or not all(type(each) is int for each in sizes):
        raise TypeError(f"rebuilding a sparse tensor: its sizes must be ints, got {sizes!r}")
    held = [each.detach() for each in held]
    unchanged = (None, None, None, None)
    with check_sparse_tensor_invariants(True):
        if kind is sparse_coo:
            made = aten.sparse_coo_tensor.indices_size(*held, tuple(sizes), *unchanged, is_coalesced)
        else:
            name = check_compressed_layout("rebuilding a sparse tensor", kind).name
            compressed, plain = (each.removesuffix("_indices") for each in names_of(kind))
            make = aten._find(f"{name}_tensor.{compressed}_{plain}_value_size")
            made = make(*held, tuple(sizes), *unchanged)
    if is_parameter:
        autograd_meta(made).is_parameter = True
    return made.requires_grad_(requires_grad)


def _reduce(tensor: Tensor) -> Any:
    """The pickled form of a sparse tensor."""
    meta = tensor._autograd_meta
    is_parameter = meta is not None and meta.is_parameter
    made_of = (tensor._spec.layout, parts_of(tensor), tensor.requires_grad, is_parameter)
    state = state_of(tensor)
    return (rebuild_sparse, made_of) if state is None else (rebuild_sparse, made_of, state)


copyreg.pickle(SparseTensor, _reduce)
copyreg.pickle(CompressedTensor, _reduce)
