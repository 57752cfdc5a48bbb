"""Factories: filled and empty tensors, ranges, random numbers."""

from . import distributions, factory, random, ranges

__all__ = ["distributions", "factory", "random", "ranges"]
