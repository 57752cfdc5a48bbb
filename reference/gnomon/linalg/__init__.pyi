"""Types of gnomon.linalg.  Written by tools/make_stubs.py."""

import builtins
from collections.abc import Sequence
from typing import Any, TypeAlias, overload

from ..memory.tensor import Tensor
from ..values.device import device, layout, memory_format
from ..values.dtype import dtype

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_dtype: TypeAlias = dtype
_device: TypeAlias = device
_layout: TypeAlias = layout
_memory_format: TypeAlias = memory_format
_Device: TypeAlias = device | str
_Number: TypeAlias = _bool | _int | _float
_Scalar: TypeAlias = _Number | complex
_Operand: TypeAlias = Tensor | _Scalar

def cross(input: Tensor, other: Tensor, *, dim: _int = ..., out: Tensor | None = ...) -> Tensor: ...
def diagonal(A: Tensor, *, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> Tensor: ...
@overload
def matrix_norm(
    input: Tensor,
    ord: _Scalar,
    dim: Sequence[_int] = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
@overload
def matrix_norm(
    input: Tensor,
    ord: str = ...,
    dim: Sequence[_int] = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = ...) -> Tensor: ...
@overload
def norm(
    input: Tensor,
    ord: _Scalar | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
@overload
def norm(
    input: Tensor,
    ord: str,
    dim: Sequence[_int] | _int | None = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
def svdvals(A: Tensor, *, driver: str | None = ..., out: Tensor | None = ...) -> Tensor: ...
def vecdot(x: Tensor, y: Tensor, *, dim: _int = ..., out: Tensor | None = ...) -> Tensor: ...
def vector_norm(
    input: Tensor,
    ord: _Scalar = ...,
    dim: Sequence[_int] | _int | None = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
