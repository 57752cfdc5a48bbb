"""Reductions and orderings: sums, norms, statistics, scans, sort, searchsorted, unique, bincount."""

from . import bucketization, integration, norm, reduce, scan, sort, statistics, summary, unique

__all__ = [
    "bucketization",
    "integration",
    "norm",
    "reduce",
    "scan",
    "sort",
    "statistics",
    "summary",
    "unique",
]
