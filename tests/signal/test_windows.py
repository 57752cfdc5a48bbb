"""Window functions: known values, symmetry, arguments that are refused."""

from __future__ import annotations

import math
from typing import Any

import pytest

import gnomon as gn
from gnomon.signal import windows

OPTIONS: dict[str, dict[str, Any]] = {name: {} for name in windows.__all__}
OPTIONS["general_cosine"] = {"a": [0.5, 0.25, 0.25]}


@pytest.mark.parametrize("name", windows.__all__)
def test_windows_are_symmetric_or_periodic(name: str) -> None:
    window = getattr(windows, name)
    options = OPTIONS[name]
    whole = window(9, dtype=gn.float64, **options)
    assert whole.shape == (9,) and whole.dtype is gn.float64 and not whole.requires_grad
    gn.testing.assert_close(whole, whole.flip(0))
    gn.testing.assert_close(window(8, sym=False, dtype=gn.float64, **options), whole[:8])
    assert window(0, **options).shape == (0,) and window(0, **options).dtype is gn.float32
    assert window(1, sym=False, **options).tolist() == [1.0]
    with pytest.raises(ValueError, match="non-negative window length, got M=-1"):
        window(-1, **options)
    with pytest.raises(ValueError, match=r"float32 or float64 dtypes, got: gnomon\.int32"):
        window(3, dtype=gn.int32, **options)


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("bartlett", {}, [0.0, 0.5, 1.0, 0.5, 0.0]),
        ("hann", {}, [0.0, 0.5, 1.0, 0.5, 0.0]),
        ("hamming", {}, [0.08, 0.54, 1.0, 0.54, 0.08]),
        ("blackman", {}, [0.0, 0.34, 1.0, 0.34, 0.0]),
        ("general_hamming", {"alpha": 0.75}, [0.5, 0.75, 1.0, 0.75, 0.5]),
        ("cosine", {}, [math.sin(math.pi * (n + 0.5) / 5) for n in range(5)]),
        ("gaussian", {"std": 2.0}, [math.exp(-((n - 2) ** 2) / 8) for n in range(5)]),
        ("exponential", {"tau": 2.0}, [math.exp(-abs(n - 2) / 2) for n in range(5)]),
        ("exponential", {"center": 1, "sym": False}, [math.exp(-abs(n - 1)) for n in range(5)]),
        ("kaiser", {"beta": 0.0}, [1.0] * 5),
    ],
)
def test_values(name: str, options: dict[str, Any], expected: list[float]) -> None:
    found = getattr(windows, name)(5, dtype=gn.float64, **options)
    gn.testing.assert_close(found, gn.tensor(expected, dtype=gn.float64), atol=1e-15, rtol=1e-12)


def test_kaiser_is_a_quotient_of_bessel_functions() -> None:
    found = windows.kaiser(3, beta=2.0, dtype=gn.float64)
    edge = 1 / sum((1.0**k / math.factorial(k)) ** 2 for k in range(20))  # 1 / I0(2)
    gn.testing.assert_close(found, gn.tensor([edge, 1.0, edge], dtype=gn.float64), rtol=1e-12, atol=0)


def test_parameters_are_checked() -> None:
    for call in (
        lambda: windows.gaussian(3, std=0),
        lambda: windows.exponential(3, tau=0),
        lambda: windows.exponential(3, center=1),
        lambda: windows.kaiser(3, beta=-1),
        lambda: windows.general_cosine(3, a=[]),
    ):
        with pytest.raises(ValueError, match=r"positive|negative|symmetric|empty"):
            call()
    with pytest.raises(TypeError, match="must be a list/tuple"):
        windows.general_cosine(3, a=3)  # type: ignore[arg-type]
    assert windows.hann(4, requires_grad=True).requires_grad
