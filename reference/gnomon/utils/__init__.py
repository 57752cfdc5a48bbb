"""Utilities: data loading, pytrees, activation checkpoints, and what describes this machine.

Source: torch/utils.
"""

from . import checkpoint, collect_env, data, model_zoo, pytree

__all__ = ["checkpoint", "collect_env", "data", "model_zoo", "pytree"]
