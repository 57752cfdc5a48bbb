"""Factories: filled and empty tensors, ranges, random numbers."""

from . import distributions, factory, gamma, random, ranges, windows

__all__ = ["distributions", "factory", "gamma", "random", "ranges", "windows"]
