"""How benchmarks are defined: by tensors of fixed numbers, and a function of them for each kind of library.

gnomon has PyTorch's API, so one function serves both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from .benchmark import ALL, Benchmark, Work
from .library import Library

K, M = 2**10, 2**20
ITEMSIZES = {"float64": 8, "int64": 8, "complex64": 8, "float32": 4, "int32": 4, "float16": 2, "bfloat16": 2}

BENCHMARKS: list[Benchmark] = []


def itemsize(dtype: str) -> int:
    """Bytes of an element."""
    return ITEMSIZES.get(dtype, 1)


def ramp(*sizes: int, low: float = -2.0, high: float = 2.0) -> numpy.ndarray:
    """Numbers from ``low`` to ``high`` in a fixed irregular order."""
    positions = (numpy.arange(math.prod(sizes), dtype=numpy.int64) * 1299709) % 1048583
    return (positions.astype(numpy.float32) * ((high - low) / 1048583) + low).reshape(sizes)


def places(limit: int, *sizes: int) -> numpy.ndarray:
    """Integers from 0 to ``limit`` - 1, in a fixed irregular order."""
    return ((numpy.arange(math.prod(sizes), dtype=numpy.int64) * 7919 + 13) % limit).reshape(sizes)


def add(name: str, group: str, make: Callable[..., Work], **fields: Any) -> None:
    """Define a benchmark."""
    BENCHMARKS.append(Benchmark(name, group, make, **fields))


Contents = Callable[..., Sequence[tuple[numpy.ndarray, str]]]  # (**values) -> arrays and their dtypes


def on_tensors(
    name: str, group: str, contents: Contents, functions: dict[str, Callable[..., Any]], **fields: Any
) -> None:
    """Define a benchmark with one function per kind of library: (module, *tensors) -> results.

    ``torch`` also serves gnomon.
    """
    by_kind = dict(functions)
    by_kind["gnomon"] = by_kind["torch"]

    def make(library: Library, **values: Any) -> Work:
        tensors = [library.tensor(content, dtype) for content, dtype in contents(**values)]
        function, module = by_kind[library.kind], library.module
        compiled = library.compiled(lambda *given: function(module, *given))
        return lambda: compiled(*tensors)

    add(name, group, make, kinds=tuple(kind for kind in ALL if kind in by_kind), **fields)
