"""Tiers: in which order a backend is built up, and so tested; and what rests on what.

An operator's tier is the first of those of the files of samples/ that call it; a test may say another by
``pytest.mark.tier``, as those of gradients do.  A tier's foundation (foundation.py) is a handful of plain
calls.  Where they fail, the tests of the tiers that rest on it are not run but *blocked*: thousands of
failures that all say the same would hide it.
"""

from __future__ import annotations

from .. import expressions
from ..samples import families_of

# tier -> the tiers that it rests on
TIERS: dict[str, tuple[str, ...]] = {
    "memory": (),
    "views": ("memory",),
    "pointwise": ("memory",),
    "reductions": ("memory",),
    "matrix": ("memory",),
    "indexing": ("memory",),
    "neural network": ("pointwise", "reductions"),
    "autograd": ("pointwise", "reductions"),
    "random": ("memory",),
    "threads": ("pointwise",),
    "models": ("views", "matrix", "neural network", "autograd"),
}

# tier -> files of samples/ and of expressions/
FAMILIES: dict[str, tuple[str, ...]] = {
    "memory": ("copies", "factories"),
    "views": (
        *("diagonal", "permute", "rearrange", "slicing", "split", "strided", "view_inplace"),
        *("view_scatter", "views"),
    ),
    "pointwise": (
        "arguments",
        "elementary",
        "foreach",
        "infinities",
        "operators",
        "outputs",
        "pointwise",
        "promotion",
    ),
    "reductions": ("reductions", "scans", "statistics"),
    "matrix": ("matrices", "products", "spectral"),
    "indexing": ("indexing", "joining", "scatter"),
    "neural network": (
        *("activations", "attention", "convolution", "embedding", "embedding_bag", "folding", "losses"),
        *("networks", "normalization", "optimizer", "padding", "pooling", "resampling", "vision"),
    ),
    "random": ("dropout", "random"),
}

_TIER_OF_FAMILY = {family: tier for tier, families in FAMILIES.items() for family in families}


def tier_of(operator: str) -> str:
    """The tier of an operator that has samples, by its full name."""
    found = [_TIER_OF_FAMILY[family] for family in families_of(operator)]
    return min(found, key=order_of, default="pointwise")


def tier_of_expression(name: str) -> str:
    """The tier of a public name that has expressions."""
    expressions.all_expressions()
    return _TIER_OF_FAMILY[expressions.FAMILIES[name]]


def rests_on(tier: str) -> set[str]:
    """All tiers that ``tier`` rests on, directly or not."""
    found: set[str] = set()
    for below in TIERS[tier]:
        found |= {below, *rests_on(below)}
    return found


def order_of(tier: str) -> int:
    """The place of a tier in the order."""
    return list(TIERS).index(tier)
