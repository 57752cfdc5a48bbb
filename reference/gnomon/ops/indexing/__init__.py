"""Indexing by positions or masks: x[index], gather, scatter, nonzero, masked_select."""

from . import gather, index, masked, scatter

__all__ = ["gather", "index", "masked", "scatter"]
