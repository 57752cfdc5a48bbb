"""Benchmarks of transforms of vectors and matrices: decompositions, batches of small systems, Fourier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from .defining import K, M, on_tensors, ramp


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


def _batches(name: str, functions: dict[str, Callable[..., Any]], operations: float) -> None:
    """A function of positive definite matrices; ``operations``: for one of them, over side**3."""

    def contents(batch: int, side: int) -> list[tuple[numpy.ndarray, str]]:
        root = ramp(batch, side, side)
        return [(root @ root.transpose(0, 2, 1) + side * numpy.eye(side, dtype=numpy.float32), "float32")]

    on_tensors(
        name,
        "transforms",
        contents,
        functions,
        axes={"batch": (K,), "side": (8, 4, 32)},
        elements=lambda batch, side: operations * batch * side**3,
    )


def define() -> None:
    """Define them, after those defined before."""
    for side in (64, 16, 256):
        _transform(
            f"svdvals {side}x{side}",
            lambda module, a: module.linalg.svdvals(a),
            (side, side),
            operations=100 * side**3,
        )
    for name, operations in (("inv", 2.0), ("cholesky", 1 / 3), ("det", 2 / 3)):
        of_module = lambda module, a, name=name: getattr(module.linalg, name)(a)  # noqa: E731
        _batches(name, {"torch": of_module, "numpy": of_module}, operations)
    _batches("solve", {"torch": lambda module, a: module.linalg.solve(a, a[..., :1])}, 2 / 3)
    _batches("eigvalsh", {"torch": lambda module, a: module.linalg.eigvalsh(a)}, 10)
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
