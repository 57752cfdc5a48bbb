"""Distances between the rows of matrices."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from .numbers import Array
from .programs import FLOATS, Family

family = Family()


def _distances(differences: Array, p: float, ignores_nan: bool) -> Array:
    """Over the last dimension: ``sum(|a - b| ** p) ** (1 / p)``, the largest for inf, a count for 0."""
    sizes = jnp.abs(differences)
    if p == math.inf:
        return jnp.max(jnp.where(jnp.isnan(sizes), 0.0, sizes) if ignores_nan else sizes, -1, initial=0.0)
    if p == 0:
        return jnp.sum(jnp.where(jnp.isnan(sizes), sizes, sizes != 0), axis=-1)
    if p == 1:
        return jnp.sum(sizes, axis=-1)
    if p == 2:
        return jnp.sqrt(jnp.sum(sizes * sizes, axis=-1))
    return jnp.sum(sizes**p, axis=-1) ** (1 / p)


@family.kernel("_cdist_forward", FLOATS)
def cdist(x1: Array, x2: Array, p: float, compute_mode: int | None) -> Array:
    """The distance of each row of ``x1`` from each row of ``x2``."""
    return _distances(x1[..., :, None, :] - x2[..., None, :, :], p, True)


@family.kernel("_pdist_forward", FLOATS)
def pdist(a: Array, p: float) -> Array:
    """The distance of each row from each following row."""
    one, other = (np.asarray(each) for each in np.triu_indices(a.shape[0], 1))
    picked: Any = a[one] - a[other] if one.size else jnp.zeros((0, a.shape[-1]))
    return _distances(picked, p, False)
