"""Benchmarks of transforms of vectors: distances, Fourier."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .defining import M, on_tensors, ramp


def _transform(
    name: str,
    function: Callable[..., Any],
    *sizes: tuple[int, ...],
    operations: float,
    dtype: str | tuple[str, ...] = "float32",
) -> None:
    """``function`` applied to tensors of these sizes, of one dtype or one each."""
    dtypes = (dtype,) * len(sizes) if isinstance(dtype, str) else dtype
    on_tensors(
        name,
        "transforms",
        lambda: [(ramp(*size), each) for size, each in zip(sizes, dtypes)],
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
    for n_fft, hop in ((400, 160), (512, 128)):
        _transform(
            f"stft 16000, {n_fft}",
            lambda module, a, window, n_fft=n_fft, hop=hop: module.stft(
                a, n_fft, hop, window=window, return_complex=True
            ),
            *((16000,), (n_fft,)),
            operations=2.5 * 16000 / hop * n_fft * math.log2(n_fft),
        )
        frequencies, frames = n_fft // 2 + 1, 16000 // hop + 1
        _transform(
            f"istft 16000, {n_fft}",
            lambda module, a, window, n_fft=n_fft, hop=hop: module.istft(a, n_fft, hop, window=window + 1),
            *((frequencies, frames), (n_fft,)),
            operations=2.5 * 16000 / hop * n_fft * math.log2(n_fft),
            dtype=("complex64", "float32"),
        )
    for lines, length in ((4096, 16), (163, 400), (148, 441), (128, 512), (64, 1009)):
        _transform(
            f"fft {lines}x{length}",
            lambda module, a: module.fft.fft(a),
            (lines, length),
            operations=5 * lines * length * math.log2(length),
            dtype="complex64",
        )
        _transform(
            f"rfft {lines}x{length}",
            lambda module, a: module.fft.rfft(a),
            (lines, length),
            operations=2.5 * lines * length * math.log2(length),
        )
    _transform(
        "rfft2 8x224x224",
        lambda module, a: module.fft.rfft2(a),
        (8, 224, 224),
        operations=2.5 * 8 * 224 * 224 * math.log2(224 * 224),
    )
