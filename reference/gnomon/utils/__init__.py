"""Utilities: pytrees and activation checkpoints.

Source: torch/utils.
"""

from . import checkpoint, pytree

__all__ = ["checkpoint", "pytree"]
