"""Types of gnomon.fft.  Written by tools/make_stubs.py."""

import builtins
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias, overload

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

def fft(
    input: Tensor, n: _int | None = ..., dim: _int = ..., norm: str | None = ..., *, out: Tensor | None = ...
) -> Tensor: ...
def fft2(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int = ...,
    norm: str | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor: ...
def fftfreq(
    n: _int,
    d: _float = ...,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor: ...
def fftn(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    norm: str | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor: ...
def fftshift(input: Tensor, dim: Sequence[_int] | _int | None = ...) -> Tensor: ...
def hfft(
    input: Tensor, n: _int | None = ..., dim: _int = ..., norm: str | None = ..., *, out: Tensor | None = ...
) -> Tensor: ...
def hfft2(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int = ...,
    norm: str | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor: ...
def hfftn(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    norm: str | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor: ...
def ifft(
    input: Tensor, n: _int | None = ..., dim: _int = ..., norm: str | None = ..., *, out: Tensor | None = ...
) -> Tensor: ...
def ifft2(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int = ...,
    norm: str | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor: ...
def ifftn(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    norm: str | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor: ...
def ifftshift(input: Tensor, dim: Sequence[_int] | _int | None = ...) -> Tensor: ...
def ihfft(
    input: Tensor, n: _int | None = ..., dim: _int = ..., norm: str | None = ..., *, out: Tensor | None = ...
) -> Tensor: ...
def ihfft2(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int = ...,
    norm: str | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor: ...
def ihfftn(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    norm: str | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor: ...
def irfft(
    input: Tensor, n: _int | None = ..., dim: _int = ..., norm: str | None = ..., *, out: Tensor | None = ...
) -> Tensor: ...
def irfft2(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int = ...,
    norm: str | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor: ...
def irfftn(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    norm: str | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor: ...
def rfft(
    input: Tensor, n: _int | None = ..., dim: _int = ..., norm: str | None = ..., *, out: Tensor | None = ...
) -> Tensor: ...
def rfft2(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int = ...,
    norm: str | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor: ...
def rfftfreq(
    n: _int,
    d: _float = ...,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor: ...
def rfftn(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    norm: str | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor: ...
