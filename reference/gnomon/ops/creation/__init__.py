"""Factories: filled and empty tensors, ranges, random numbers."""

from . import distributions, factory, gamma, random, ranges, storage, windows

__all__ = ["distributions", "factory", "gamma", "random", "ranges", "storage", "windows"]
