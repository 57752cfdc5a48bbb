"""Reductions and orderings: sums, norms, statistics, scans, sort, unique."""

from . import norm, reduce, scan, sort, statistics, unique

__all__ = ["norm", "reduce", "scan", "sort", "statistics", "unique"]
