"""Types of gnomon.fft.  Written by tools/make_stubs.py."""

import builtins
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, overload

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
_Device: TypeAlias = device | str | _int
_Number: TypeAlias = _bool | _int | _float
_Scalar: TypeAlias = _Number | builtins.complex
_Operand: TypeAlias = Tensor | _Scalar

def fft(
    input: Tensor,
    n: _int | None = ...,
    dim: _int = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor

    Computes the Fourier transform along ``dim``.
    """

def fft2(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None) -> Tensor

    Computes the Fourier transform along two dimensions.
    """

def fftfreq(
    n: _int,
    d: _float = ...,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """fft_fftfreq(int n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the frequencies of fft's elements, for ``n`` samples at distance ``d``: 0, 1, …, -2, -1
    over n * d.
    """

def fftn(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor

    Computes the Fourier transform along dimensions ``dim``, by default all.
    """

def fftshift(input: Tensor, dim: Sequence[_int] | _int | None = ...) -> Tensor:
    """fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor

    Shifts frequency 0 from the start to the center of each dimension in ``dim``, by default all.
    """

def hfft(
    input: Tensor,
    n: _int | None = ...,
    dim: _int = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_hfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor

    Computes the real Fourier transform along ``dim`` of a Hermitian signal, given by its first half.
    """

def hfft2(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_hfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None) -> Tensor

    Computes the real Fourier transform along two dimensions of a signal Hermitian in the last one.  A Hermitian dimension is given by n // 2 + 1 elements.
    """

def hfftn(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_hfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor

    Computes the real Fourier transform along ``dim`` of a signal Hermitian in the last dimension.  A Hermitian dimension is given by n // 2 + 1 elements.
    """

def ifft(
    input: Tensor,
    n: _int | None = ...,
    dim: _int = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_ifft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor

    Computes the inverse Fourier transform along ``dim``.
    """

def ifft2(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_ifft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None) -> Tensor

    Computes the inverse Fourier transform along two dimensions.
    """

def ifftn(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_ifftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor

    Computes the inverse Fourier transform along dimensions ``dim``, by default all.
    """

def ifftshift(input: Tensor, dim: Sequence[_int] | _int | None = ...) -> Tensor:
    """fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor

    Shifts frequency 0 from the center to the start: the inverse of fftshift.
    """

def ihfft(
    input: Tensor,
    n: _int | None = ...,
    dim: _int = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_ihfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor

    Computes the inverse of hfft along ``dim``.
    """

def ihfft2(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_ihfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None) -> Tensor

    Computes the inverse of hfft2.  A Hermitian dimension is given by n // 2 + 1 elements.
    """

def ihfftn(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_ihfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor

    Computes the inverse of hfftn.  A Hermitian dimension is given by n // 2 + 1 elements.
    """

def irfft(
    input: Tensor,
    n: _int | None = ...,
    dim: _int = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_irfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor

    Computes the inverse of rfft along ``dim``: ``n`` real elements, by default 2 * (size - 1).
    """

def irfft2(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_irfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None) -> Tensor

    Computes the inverse of rfft2, which is real.
    """

def irfftn(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_irfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor

    Computes the inverse of rfftn, which is real.
    """

def rfft(
    input: Tensor,
    n: _int | None = ...,
    dim: _int = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_rfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor

    Computes the first n // 2 + 1 elements of the Fourier transform of real input along ``dim``.
    """

def rfft2(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_rfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None) -> Tensor

    Computes the Fourier transform of real input along two dimensions, onesided in the last one.
    """

def rfftfreq(
    n: _int,
    d: _float = ...,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """fft_rfftfreq(int n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the frequencies of rfft's elements, for ``n`` samples at distance ``d``: 0, 1, …, n // 2
    over n * d.
    """

def rfftn(
    input: Tensor,
    s: Sequence[_int] | _int | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    norm: Literal["forward", "backward", "ortho"] | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """fft_rfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor

    Computes the Fourier transform of real input along dimensions ``dim``, onesided in the last one.
    """
