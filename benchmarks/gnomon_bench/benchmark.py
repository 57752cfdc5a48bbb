"""A benchmark: work for a library, parametrized by sizes, dtypes and layouts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .library import Library

Work = Callable[[], Any]
Make = Callable[..., Work]  # (library, **values of the axes) -> a function that does the work once

TORCH_LIKE = ("gnomon", "torch")  # kinds of libraries with PyTorch's API
ARRAYS = (*TORCH_LIKE, "numpy")  # and those with strides
ALL = (*ARRAYS, "jax", "tinygrad")


class Cost(NamedTuple):
    """The minimum that the work takes: floating point operations, and bytes read and written."""

    operations: float
    bytes: float


@dataclass(frozen=True)
class Benchmark:
    """One kind of work.

    name      such as ``add``; unique within its group
    group     such as ``pointwise``
    make      (library, **values) -> a function that does the work once
    axes      name -> values, the default first
    cost      (**values) -> Cost of one call, or None if that is not meaningful
    elements  (**values) -> the number of elements, or multiply-adds; limits what the reference is given
    kinds     the kinds of libraries that it can be made for
    units     how many units, for example Nodes, one call counts for
    is_timed  whether the function returns its own seconds, because part of what it does is preparation
    version   changes when old figures cannot be compared with new ones
    """

    name: str
    group: str
    make: Make
    axes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    cost: Callable[..., Cost] | None = None
    elements: Callable[..., float] = lambda **values: 0
    kinds: tuple[str, ...] = TORCH_LIKE
    units: int = 1
    is_timed: bool = False
    version: int = 1

    def points(self) -> Iterator[Point]:
        """All combinations of the axes' values."""
        for values in itertools.product(*self.axes.values()):
            yield Point(self, dict(zip(self.axes, values)))


class Point(NamedTuple):
    """A benchmark with one value for each axis."""

    benchmark: Benchmark
    values: dict[str, Any]

    @property
    def name(self) -> str:
        """For example ``pointwise/add[size=1024, dtype=float32]``."""
        inside = ", ".join(f"{axis}={value}" for axis, value in self.values.items())
        return f"{self.benchmark.group}/{self.benchmark.name}" + (f"[{inside}]" if inside else "")

    @property
    def cost(self) -> Cost | None:
        """The cost of one unit."""
        if self.benchmark.cost is None:
            return None
        cost = self.benchmark.cost(**self.values)
        return Cost(cost.operations / self.benchmark.units, cost.bytes / self.benchmark.units)

    @property
    def elements(self) -> float:
        """The number of elements, or multiply-adds."""
        return self.benchmark.elements(**self.values)

    def is_for(self, library: Library) -> bool:
        """Whether it can be made for that library."""
        return library.kind in self.benchmark.kinds and library.has(self.values.get("dtype", "float32"))

    def make(self, library: Library) -> Work:
        """A function that does the work once, with everything prepared."""
        return self.benchmark.make(library, **self.values)
