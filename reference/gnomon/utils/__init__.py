"""Utilities: data loading, pytrees and activation checkpoints.

Source: torch/utils.
"""

from . import checkpoint, data, pytree

__all__ = ["checkpoint", "data", "pytree"]
