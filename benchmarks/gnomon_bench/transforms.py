"""Benchmarks of transforms of vectors: distances, Fourier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .defining import M, on_tensors, ramp


def _transform(
    name: str,
    function: Callable[..., Any],
    *sizes: tuple[int, ...],
    operations: float,
    dtype: str = "float32",
) -> None:
    """``function`` applied to tensors of these sizes."""
    on_tensors(
        name,
        "transforms",
        lambda: [(ramp(*size), dtype) for size in sizes],
        {"torch": function},
        elements=lambda: operations,
    )


def define() -> None:
    """Define them, after those defined before."""
    _transform(
        "cdist 500x64",
        lambda module, a, b: module.cdist(a, b),
        *((500, 64), (500, 64)),
        operations=500 * 500 * 64,
    )
    _transform(
        "fft 256x1024",
        lambda module, a: module.fft.fft(a),
        (256, 1024),
        operations=5 * 256 * 1024 * 10,
        dtype="complex64",
    )
    _transform("rfft 1M", lambda module, a: module.fft.rfft(a), (M,), operations=5 * M * 20)
    _transform(
        "stft 1M",
        lambda module, a, window: module.stft(a, 512, 128, window=window, return_complex=True),
        *((M,), (512,)),
        operations=5 * M / 128 * 512 * 9,
    )
