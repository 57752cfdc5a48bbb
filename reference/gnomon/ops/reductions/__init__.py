"""Reductions and orderings: sums, norms, statistics, scans, sort, searchsorted, unique, bincount."""

from . import (
    bucketization,
    histogram,
    integration,
    norm,
    reduce,
    scan,
    segments,
    sort,
    statistics,
    summary,
    unique,
)

__all__ = [
    "bucketization",
    "histogram",
    "integration",
    "norm",
    "reduce",
    "scan",
    "segments",
    "sort",
    "statistics",
    "summary",
    "unique",
]
