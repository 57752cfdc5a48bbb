"""Tensors from nothing: filled, empty, ranges, random numbers."""

from . import distributions, factory, random, ranges

__all__ = ["distributions", "factory", "random", "ranges"]
