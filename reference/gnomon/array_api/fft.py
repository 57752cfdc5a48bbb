"""The extension ``fft``: Fourier transforms, with gnomon's implementation under the standard's names.

norm: 'backward', 'ortho' or 'forward'; where the factor 1/n is.  Raises RuntimeError for another, for a size
below 1, and IndexError for an axis out of range.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import gnomon as gn
from gnomon import Tensor

Norm = Literal["backward", "ortho", "forward"]


class OneAxis(Protocol):
    """A transform along one axis; ``n`` elements of it are taken, or zeros added if there are fewer."""

    def __call__(
        self, x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward"
    ) -> Tensor:
        """The transform."""


class SeveralAxes(Protocol):
    """A transform along several axes, or all; ``s`` elements are taken along each."""

    def __call__(
        self,
        x: Tensor,
        /,
        *,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: Norm = "backward",
    ) -> Tensor:
        """The transform."""


def _one(name: str, text: str) -> OneAxis:
    """The transform ``name`` along one axis."""
    function: Any = getattr(gn.fft, name)

    def call(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
        return function(x, n=n, dim=axis, norm=norm)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{text}\n\n    ``n``: how many elements are taken; zeros are added if there are fewer."
    return call


def _several(name: str, text: str) -> SeveralAxes:
    """The transform ``name`` along several axes."""
    function: Any = getattr(gn.fft, name)

    def call(x: Tensor, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Tensor:
        if s is not None and axes is None:
            axes = range(x.ndim - len(s), x.ndim)
        return function(x, s=s, dim=None if axes is None else tuple(axes), norm=norm)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{text}\n\n    ``s``: how many elements are taken along each axis."
    return call


fft = _one("fft", "The transform of complex numbers along one axis.")
ifft = _one("ifft", "The inverse of ``fft``.")
rfft = _one("rfft", "The first half of the transform of real numbers, complex; the other is its conjugate.")
irfft = _one("irfft", "The inverse of ``rfft``, real numbers.")
hfft = _one("hfft", "The transform, real, of a sequence of which the first half is given.")
ihfft = _one("ihfft", "The inverse of ``hfft``.")
fftn = _several("fftn", "The transform of complex numbers along several axes, or all.")
ifftn = _several("ifftn", "The inverse of ``fftn``.")
rfftn = _several("rfftn", "The transform of real numbers along several axes; the last is halved.")
irfftn = _several("irfftn", "The inverse of ``rfftn``, real numbers.")


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies of the elements of a transform of ``n`` samples at distances ``d``."""
    return gn.fft.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies of the elements of ``rfft`` of ``n`` samples at distances ``d``."""
    return gn.fft.rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(x: Tensor, /, *, axes: Any = None) -> Tensor:
    """The frequency zero moved to the middle along some axes, or all."""
    return gn.fft.fftshift(x, axes)


def ifftshift(x: Tensor, /, *, axes: Any = None) -> Tensor:
    """The inverse of ``fftshift``."""
    return gn.fft.ifftshift(x, axes)
