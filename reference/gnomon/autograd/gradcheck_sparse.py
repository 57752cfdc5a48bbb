"""gradcheck of functions of sparse tensors, as functions of the strided tensors with the same elements.

The function gets a sparse tensor that is made of a strided one, and the strided one's gradient is that of the
sparse one, with zeros where it specifies no element.

Source: torch/autograd/gradcheck.py (_densify, _to_flat_dense_if_sparse).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.device import sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr
from .function import Function

SPARSE = (sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc)


def is_sparse(value: Any) -> bool:
    """Is this a sparse tensor, of any sparse layout?"""
    return isinstance(value, Tensor) and value._spec.layout in SPARSE


class _SparseMask(Function):
    """The elements of a strided tensor that ``mask`` specifies; the gradient has zeros elsewhere."""

    @staticmethod
    def forward(ctx: Any, strided: Tensor, mask: Tensor) -> Tensor:
        ctx.mask = mask
        return aten.sparse_mask.default(strided, mask)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return (grad.to_dense() if is_sparse(grad) else grad), None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, mask: None) -> Tensor:
        return aten.sparse_mask.default(tangent, ctx.mask)


def _with_all_specified(sparse: Tensor) -> Tensor:
    """A tensor of the same layout that specifies all elements."""
    ones = aten.ones_like(sparse.to_dense())
    if sparse._spec.layout is sparse_coo:
        return ones.to_sparse(sparse.sparse_dim())
    blocksize = sparse.values().shape[-2 - sparse.dense_dim() :][:2]
    is_blocked = sparse._spec.layout in (sparse_bsr, sparse_bsc)
    return ones.to_sparse(
        layout=sparse._spec.layout,
        blocksize=tuple(blocksize) if is_blocked else None,
        dense_dim=sparse.dense_dim(),
    )


def of_strided(
    func: Callable[..., Any], inputs: Sequence[Any], masked: bool
) -> tuple[Callable[..., Any], list[Any]]:
    """``func`` as a function of strided tensors instead of sparse ones that require grad, and its inputs.

    ``masked``: only the elements that the sparse tensors specify are changed, otherwise all.
    """
    masks: dict[int, Tensor] = {}
    strided = list(inputs)
    for position, each in enumerate(inputs):
        if is_sparse(each) and each.requires_grad:
            plain = aten.detach.default(each)
            plain = plain.coalesce() if plain._spec.layout is sparse_coo else plain
            masks[position] = plain if masked else _with_all_specified(plain)
            strided[position] = plain.to_dense().requires_grad_()
    if not masks:
        return func, strided

    def of_these(*values: Any) -> Any:
        return func(
            *(
                _SparseMask.apply(each, masks[position]) if position in masks else each
                for position, each in enumerate(values)
            )
        )

    return of_these, strided
