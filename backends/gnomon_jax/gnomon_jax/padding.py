"""Reflection and replication padding, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from .numbers import Array
from .pointwise import is_bool
from .programs import ALL, Family
from .tables import Table, picked, shared_out

family = Family()

Sources = Callable[[int, int, int], Any]


def _reflected(size: int, before: int, after: int) -> Any:
    at = np.abs(np.arange(-before, size + after))
    return np.where(at >= size, 2 * (size - 1) - at, at)


def _replicated(size: int, before: int, after: int) -> Any:
    return np.clip(np.arange(-before, size + after), 0, size - 1)


def _tables(sources: Sources, sizes: Sequence[int], padding: Sequence[int], spatial: int) -> list[Table]:
    """Tables with one neighbour per element; ``padding`` starts with the last dimension."""
    tables = []
    for dim in range(spatial):
        number = 2 * (spatial - 1 - dim)
        found = sources(sizes[dim - spatial], padding[number], padding[number + 1])[:, None]
        tables.append(Table(found, np.ones(found.shape, bool)))
    return tables


def _kernels(name: str, sources: Sources, spatial: int) -> None:
    @family.kernel(name, ALL)
    def kernel(a: Array, padding: Sequence[int]) -> Array:
        """Copies each element from its source position."""
        return picked(a, _tables(sources, a.shape, padding, spatial))

    @family.kernel(f"{name}_backward", ALL)
    def backward(grad: Array, a: Array, padding: Sequence[int]) -> Array:
        """Each element's gradient is the sum of the gradients of its copies."""
        given = grad.astype(jnp.int64) if is_bool(grad) else grad
        tables = _tables(sources, a.shape, padding, spatial)
        return shared_out(given, tables, a.shape[a.ndim - spatial :])


for _spatial in (1, 2, 3):
    _kernels(f"reflection_pad{_spatial}d", _reflected, _spatial)
    _kernels(f"replication_pad{_spatial}d", _replicated, _spatial)
