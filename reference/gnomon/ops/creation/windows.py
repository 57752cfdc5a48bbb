"""Windows for the frames of a short-time Fourier transform.

Each is computed from the numbers 0, 1, 2 … in its dtype, step by step as in PyTorch, so that it is rounded
as there.  Source: aten/src/ATen/native/TensorFactories.cpp, cpu/UnaryOpsKernel.cpp (kaiser_window).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...calls.checks import check_options
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...values.dtype import get_default_dtype

_OPTIONS = "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"


def _bartlett(numbers: Any, last: int) -> Any:
    rising = numbers * (2 / last)
    return aten.where.self(numbers <= last // 2, rising, 2 - rising)


def _blackman(numbers: Any, last: int) -> Any:
    angles = numbers * (math.pi / last)
    return (angles * 4).cos() * 0.08 - (angles * 2).cos() * 0.5 + 0.42


def _hamming(numbers: Any, last: int, alpha: float = 0.54, beta: float = 0.46) -> Any:
    return (numbers * (math.pi * 2 / last)).cos() * -beta + alpha


def _hann(numbers: Any, last: int) -> Any:
    return _hamming(numbers, last, 0.5, 0.5)


def _kaiser(numbers: Any, last: int, beta: float = 12.0) -> Any:
    center = last / 2
    places = (numbers - center) / center
    scale = aten.i0.default(numbers.new_full([], beta))
    return aten.i0.default((1 - places * places).sqrt() * beta) / scale


def _make(name: str, shape: Callable[..., Any], parameters: int, is_periodic: bool) -> Callable[..., Any]:
    """The function that makes a window; ``parameters``: how many of its arguments ``shape`` gets."""

    def make(window_length: int, *arguments: Any) -> Any:
        given, (dtype, layout, device, pin_memory) = arguments[:-4], arguments[-4:]
        check_options(layout, pin_memory)
        dtype = get_default_dtype() if dtype is None else dtype
        if dtype.category < 2:
            raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype.name}")
        if window_length < 0:
            raise RuntimeError(
                f"{name} requires non-negative window_length, got window_length={window_length}"
            )
        if window_length < 2:
            return aten.ones([window_length], dtype=dtype, device=device)
        periodic = given[0] if is_periodic else True
        length = window_length + 1 if periodic else window_length
        numbers = aten.arange(length, dtype=dtype, device=device)
        window = shape(numbers, length - 1, *given[len(given) - parameters :])
        return window.narrow(0, 0, window_length) if periodic else window

    return make


_WINDOWS: dict[str, tuple[Callable[..., Any], str]] = {
    "bartlett": (_bartlett, "that rises from 0 to 1 and falls in straight lines"),
    "blackman": (_blackman, "``0.42 - 0.5 cos(x) + 0.08 cos(2 x)``, x from 0 to 2 pi"),
    "hamming": (_hamming, "``alpha - beta cos(x)``, 0.54 and 0.46 by default, x from 0 to 2 pi"),
    "hann": (_hann, "``0.5 - 0.5 cos(x)``, x from 0 to 2 pi"),
    "kaiser": (_kaiser, "``i0(beta sqrt(1 - x * x)) / i0(beta)``, x from -1 to 1, ``beta`` 12 by default"),
}
_MORE = {
    "hamming": (("periodic_alpha", ("alpha",)), ("periodic_alpha_beta", ("alpha", "beta"))),
    "kaiser": (("beta", ("beta",)),),
}
for _window, (_shape, _what) in _WINDOWS.items():
    _name = f"{_window}_window"
    for _overload, _parameters in (("", None), ("periodic", ()), *_MORE.get(_window, ())):
        _arguments = ["int window_length"]
        if _parameters is not None:
            _arguments += ["bool periodic", *(f"float {each}" for each in _parameters)]
        native_function(
            f"{_name}{'.' if _overload else ''}{_overload}({', '.join(_arguments)}, {_OPTIONS}) -> Tensor",
            explicit=_make(_name, _shape, len(_parameters or ()), _parameters is not None),
            doc=f"""Returns the window (window_length) {_what}.

            It is floating point, in the default dtype if ``dtype`` is not given.  A ``periodic`` window, the
            default, is that of one element more without its last.  Raises RuntimeError for a negative length
            and for integer dtypes.""",
        )
