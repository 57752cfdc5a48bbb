"""Older names of products, and copies of the parts of sparse tensors.

Source: tools/autograd/templates/python_torch_functions.cpp (spmm, saddmm, dsmm, hsmm);
aten/src/ATen/native/native_functions.yaml (values_copy and its kin).
"""

from __future__ import annotations

from typing import Any

from ..calls.native import native_function
from ..calls.record import Out
from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from .registration import no_kernel
from .tensor import SparseTensor


def spmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices, sparse or strided: another name of ``gnomon.mm``.  Source: torch.spmm."""
    return aten.mm.default(input, mat2) if out is None else aten.mm.out(input, mat2, out)


def dsmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse and a strided matrix: another name of ``gnomon.mm``.  Source: torch.dsmm."""
    return aten.mm.default(input, mat2)


def hsmm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse and a strided matrix as a hybrid tensor: another name of ``gnomon.hspmm``.

    Source: torch.hsmm.
    """
    return aten.hspmm.default(mat1, mat2)


def saddmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: float = 1,
    alpha: float = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta`` * ``input`` + ``alpha`` * ``mat1`` @ ``mat2``, sparse: another name of ``gnomon.sspaddmm``.

    Source: torch.saddmm.
    """
    if out is None:
        return aten.sspaddmm.default(input, mat1, mat2, beta, alpha)
    return aten.sspaddmm.out(input, mat1, mat2, beta, alpha, out)


def indices_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Raises NotImplementedError: PyTorch has this name, but no kernel for the layout sparse_coo.

    Raises RuntimeError for the other layouts, which have no ``indices``.  Source: torch.indices_copy.
    """
    if isinstance(input, SparseTensor):
        raise no_kernel("indices_copy", "SparseCPU")
    return aten.indices.default(input)


_OF_COMPRESSED = ("values", "crow_indices", "col_indices", "ccol_indices", "row_indices")


def _copy_of(name: str) -> Any:
    def copy(self: Tensor) -> Tensor:
        if isinstance(self, SparseTensor):
            raise no_kernel(f"{name}_copy", "SparseCPU")
        return aten._find(name)(self).clone()

    return copy


for _name in _OF_COMPRESSED:
    native_function(
        f"{_name}_copy(Tensor self) -> Tensor",
        variants="function",
        composite=_copy_of(_name),
        out=Out("out", exact=True),
        doc=f"""A copy of what ``Tensor.{_name}`` returns, with memory of its own.

        Raises NotImplementedError for the layout sparse_coo, as PyTorch does, and the errors of
        ``{_name}``.""",
    )
