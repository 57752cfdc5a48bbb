"""Stands in for the module of matplotlib of this name."""

from matplotlib import __getattr__  # noqa: F401
