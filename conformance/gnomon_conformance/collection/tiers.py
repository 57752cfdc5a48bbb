"""Tiers: the order in which a backend is built up and tested, and the dependencies between them.

An operator's tier is the lowest one among the files of samples/ that call it; ``pytest.mark.tier`` overrides
it for a test, as for gradients.  The basic calls of a tier (foundation.py) are tested first.  If they fail,
the tests of the tiers that depend on it do not run but are *blocked*: thousands of identical failures would
hide the cause.
"""

from __future__ import annotations

from .. import expressions
from ..samples import families_of

# tier -> the tiers that it depends on
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
        *("view_copy", "view_scatter", "views"),
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
        "special",
    ),
    "reductions": ("reductions", "scans", "segments", "statistics"),
    "matrix": ("linear_algebra", "matrices", "products", "sparse", "sparse_compressed", "spectral"),
    "indexing": ("indexing", "joining", "scatter"),
    "neural network": (
        *(
            "activations",
            "attention",
            "convolution",
            "embedding",
            "embedding_bag",
            "fake_quantize",
            "folding",
            "losses",
        ),
        "opaque",
        "quantized",
        *(
            "networks",
            "normalization",
            "optimizer",
            "padding",
            "pooling",
            "recurrent",
            "resampling",
            "vision",
        ),
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
    """All tiers that ``tier`` depends on, directly or not."""
    found: set[str] = set()
    for below in TIERS[tier]:
        found |= {below, *rests_on(below)}
    return found


def order_of(tier: str) -> int:
    """The position of a tier in TIERS."""
    return list(TIERS).index(tier)
