"""Window functions: vectors of ``M`` weights for a finite piece of a signal.

Each is symmetric, or with ``sym=False`` periodic: the first ``M`` of the ``M + 1`` weights of the symmetric
window, as spectral analysis needs it.  Windows of one weight are 1.  Source: torch/signal/windows/windows.py;
J. O. Smith, Spectral Audio Signal Processing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import gnomon as gn
from gnomon import Tensor, device, dtype, layout, strided

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def _check(name: str, M: int, dtype: dtype | None, layout: layout) -> dtype:
    """The dtype of the window.  Raises ValueError for arguments that no window has."""
    dtype = gn.get_default_dtype() if dtype is None else dtype
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if dtype not in (gn.float32, gn.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    return dtype


def _options(dtype: Any, layout: Any, device: Any, requires_grad: bool) -> dict[str, Any]:
    return {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}


def _points(M: int, start: float, step: float, options: dict[str, Any]) -> Tensor:
    """``start``, ``start + step`` …: ``M`` points."""
    return gn.linspace(start, start + (M - 1) * step, M, **options)


def _spaces(M: int, sym: bool) -> int:
    """The number of spaces from the first weight to the last; a periodic window has one more."""
    return M if not sym and M > 1 else M - 1


def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = strided,
    device: device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """The exponential or Poisson window: ``exp(-|n - center| / tau)`` for n from 0 to M - 1.

    ``center`` is the middle, and may only be given for periodic windows.  Raises ValueError for ``tau`` <= 0,
    a negative ``M`` and a dtype other than float32 and float64.  Source: torch.signal.windows.exponential.
    """
    dtype = _check("exponential", M, dtype, layout)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    options = _options(dtype, layout, device, requires_grad)
    if M == 0:
        return gn.empty((0,), **options)
    middle = _spaces(M, sym) / 2.0 if center is None else center
    return gn.exp(-gn.abs(_points(M, -middle / tau, 1 / tau, options)))


def cosine(
    M: int,
    *,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = strided,
    device: device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """The cosine or sine window: ``sin(pi * (n + 0.5) / M)`` for n from 0 to M - 1.

    Raises ValueError for a negative ``M`` and a dtype other than float32 and float64.
    Source: torch.signal.windows.cosine.
    """
    dtype = _check("cosine", M, dtype, layout)
    options = _options(dtype, layout, device, requires_grad)
    if M == 0:
        return gn.empty((0,), **options)
    step = math.pi / (_spaces(M, sym) + 1)
    return gn.sin(_points(M, 0.5 * step, step, options))


def gaussian(
    M: int,
    *,
    std: float = 1.0,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = strided,
    device: device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """The Gaussian window: ``exp(-((n - middle) / std) ** 2 / 2)`` for n from 0 to M - 1.

    Raises ValueError for ``std`` <= 0, a negative ``M`` and a dtype other than float32 and float64.
    Source: torch.signal.windows.gaussian.
    """
    dtype = _check("gaussian", M, dtype, layout)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    options = _options(dtype, layout, device, requires_grad)
    if M == 0:
        return gn.empty((0,), **options)
    step = 1 / (std * math.sqrt(2))
    return gn.exp(-(_points(M, -_spaces(M, sym) / 2.0 * step, step, options) ** 2))


def kaiser(
    M: int,
    *,
    beta: float = 12.0,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = strided,
    device: device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """The Kaiser window: ``I0(beta * sqrt(1 - x ** 2)) / I0(beta)`` for x from -1 to 1.

    Raises ValueError for a negative ``beta`` or ``M`` and a dtype other than float32 and float64.
    Source: torch.signal.windows.kaiser.
    """
    dtype = _check("kaiser", M, dtype, layout)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    options = _options(dtype, layout, device, requires_grad)
    if M == 0:
        return gn.empty((0,), **options)
    if M == 1:
        return gn.ones((1,), **options)
    # the last point of a symmetric window is beta, whose square the rounding of the others must not exceed
    step = 2.0 * beta / _spaces(M, sym)
    last = min(beta, -beta + (M - 1) * step)
    points = gn.linspace(-beta, last, M, **options)
    limit = gn.tensor(beta, dtype=dtype, device=device)
    return gn.i0(gn.sqrt(limit * limit - gn.pow(points, 2))) / gn.i0(limit)


def general_cosine(
    M: int,
    *,
    a: Iterable[float],
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = strided,
    device: device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """A sum of cosines: ``a[0] - a[1] cos(x) + a[2] cos(2 x) - …`` for x from 0 to 2 pi.

    Raises TypeError if ``a`` is not a list or tuple, ValueError if it is empty, for a negative ``M`` and for
    a dtype other than float32 and float64.  Source: torch.signal.windows.general_cosine.
    """
    dtype = _check("general_cosine", M, dtype, layout)
    options = _options(dtype, layout, device, requires_grad)
    if M == 0:
        return gn.empty((0,), **options)
    if M == 1:
        return gn.ones((1,), **options)
    if not isinstance(a, (list, tuple)):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    points = _points(M, 0, 2 * math.pi / _spaces(M, sym), options)
    signed = gn.tensor(
        [(-1) ** place * each for place, each in enumerate(a)],
        dtype=dtype,
        device=device,
        requires_grad=requires_grad,
    )
    multiples = gn.arange(len(a), dtype=dtype, device=device, requires_grad=requires_grad)
    return (signed.unsqueeze(-1) * gn.cos(multiples.unsqueeze(-1) * points)).sum(0)


def general_hamming(
    M: int,
    *,
    alpha: float = 0.54,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = strided,
    device: device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """``alpha - (1 - alpha) cos(x)`` for x from 0 to 2 pi: see general_cosine.

    Source: torch.signal.windows.general_hamming.
    """
    return general_cosine(
        M,
        a=[alpha, 1.0 - alpha],
        sym=sym,
        dtype=dtype,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
    )


def hamming(
    M: int,
    *,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = strided,
    device: device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """The Hamming window, ``0.54 - 0.46 cos(x)``: see general_cosine.

    Source: torch.signal.windows.hamming.
    """
    return general_hamming(M, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def hann(
    M: int,
    *,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = strided,
    device: device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """The Hann window, ``0.5 - 0.5 cos(x)``: see general_cosine.  Source: torch.signal.windows.hann."""
    return general_hamming(
        M, alpha=0.5, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )


def blackman(
    M: int,
    *,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = strided,
    device: device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """The Blackman window, ``0.42 - 0.5 cos(x) + 0.08 cos(2 x)``: see general_cosine.

    Source: torch.signal.windows.blackman.
    """
    _check("blackman", M, dtype, layout)
    return general_cosine(
        M,
        a=[0.42, 0.5, 0.08],
        sym=sym,
        dtype=dtype,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
    )


def bartlett(
    M: int,
    *,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = strided,
    device: device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """The Bartlett window, a triangle: ``1 - |x|`` for x from -1 to 1.

    Raises ValueError for a negative ``M`` and a dtype other than float32 and float64.
    Source: torch.signal.windows.bartlett.
    """
    dtype = _check("bartlett", M, dtype, layout)
    options = _options(dtype, layout, device, requires_grad)
    if M == 0:
        return gn.empty((0,), **options)
    if M == 1:
        return gn.ones((1,), **options)
    return 1 - gn.abs(_points(M, -1, 2 / _spaces(M, sym), options))


def nuttall(
    M: int,
    *,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = strided,
    device: device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """The minimum 4-term Blackman-Harris window of Nuttall: see general_cosine.

    Source: torch.signal.windows.nuttall; A. Nuttall, Some windows with very good sidelobe behavior (1981).
    """
    return general_cosine(
        M,
        a=[0.3635819, 0.4891775, 0.1365995, 0.0106411],
        sym=sym,
        dtype=dtype,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
    )
