"""Stands in for gym, the older name of gymnasium."""

from gymnasium import make  # noqa: F401
