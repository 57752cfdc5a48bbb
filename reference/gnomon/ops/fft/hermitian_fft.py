"""hfftn, ihfftn and their 2-D forms: Fourier transforms of tensors that are Hermitian in the last dimension.

Hermitian means that element k is the conjugate of element n - k, so that half of the elements are enough and
the transform is real.  Each operator is a complex transform over the other dimensions and a Hermitian one
over the last.

Source: aten/src/ATen/native/SpectralOps.cpp.
"""

from __future__ import annotations

from typing import Any

from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...values.dtype import bfloat16, float16, float32, float64
from ...values.geometry import Ints, wrap_dim


def _split(name: str, self: Any, s: Any, dim: Any) -> tuple[Ints, Ints, int, int | None]:
    """The sizes and dimensions of the complex transform, then the dimension and size of the Hermitian one.

    A size of -1 becomes the tensor's size, in the last dimension None.  Raises RuntimeError for ``s`` and
    ``dim`` of different lengths, IndexError for a dimension out of range.
    """
    if dim is None:
        dims: Ints = tuple(range(self.ndim))
        if s is not None and len(s) > self.ndim:
            raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {self.ndim} dims.")
        dims = dims if s is None else dims[self.ndim - len(s) :]
    else:
        dims = tuple(wrap_dim(each, self.ndim, wrap_scalar=False) for each in dim)
        if len(set(dims)) < len(dims):
            raise RuntimeError(f"FFT dims must be unique, but got {list(dim)}")
        if s is not None and len(dim) != len(s):
            raise RuntimeError(
                f"When given, dim and shape arguments must have the same length, but got {len(dim)} and "
                f"{len(s)}"
            )
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    sizes = tuple(s) if s is not None else (-1,) * len(dims)
    return sizes[:-1], dims[:-1], dims[-1], None if sizes[-1] == -1 else sizes[-1]


def _resized(self: Any, dim: int, size: int) -> Any:
    """``self`` truncated or zero-padded to ``size`` along ``dim``; invalid sizes are refused later."""
    have = self.size(dim)
    if size < 1 or size == have:
        return self
    if size < have:
        return self.narrow(dim, 0, size)
    pads = [0] * (2 * (self.ndim - dim) - 1) + [size - have]
    return aten.constant_pad_nd.default(self, pads, 0)


def _hfftn(self: Any, s: Any, dim: Any, norm: str | None) -> Any:
    sizes, dims, last, count = _split("hfftn", self, s, dim)
    found = aten.fft_fftn.default(self, sizes, dims, norm) if dims else self
    return aten.fft_hfft.default(found, count, last, norm)


def _ihfftn(self: Any, s: Any, dim: Any, norm: str | None) -> Any:
    sizes, dims, last, count = _split("ihfftn", self, s, dim)
    # resize all dimensions first, as PyTorch does: this determines the result's strides
    for each, size in zip(dims, sizes):
        self = _resized(self, each, size)
    found = aten.fft_ihfft.default(self, count, last, norm)
    return aten.fft_ifftn.default(found, sizes, dims, norm) if dims else found


_PLANE = "Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None"
_ALL = "Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None"

for _name, _arguments, _function, _doc in (
    (
        "hfft2",
        _PLANE,
        _hfftn,
        "Computes the real Fourier transform along two dimensions of a signal Hermitian in the last one.",
    ),
    ("ihfft2", _PLANE, _ihfftn, "Computes the inverse of hfft2."),
    (
        "hfftn",
        _ALL,
        _hfftn,
        "Computes the real Fourier transform along ``dim`` of a signal Hermitian in the last dimension.",
    ),
    ("ihfftn", _ALL, _ihfftn, "Computes the inverse of hfftn."),
):
    native_function(
        f"fft_{_name}({_arguments}) -> Tensor",
        python_module="fft",
        composite=_function,
        out=Out(
            row_major=True, dtypes=(float16, bfloat16, float32, float64) if _name.startswith("hfft") else ()
        ),
        variants="function",
        doc=f"{_doc}  A Hermitian dimension is given by n // 2 + 1 elements.\n\nSizes and ``norm`` as for "
        "hfft.  Raises RuntimeError for half precision and sizes less than 1.",
    )
