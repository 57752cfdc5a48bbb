"""Factories: filled and empty tensors, ranges, random numbers."""

from . import distributions, factory, gamma, random, ranges

__all__ = ["distributions", "factory", "gamma", "random", "ranges"]
