"""Utilities: data loading, pytrees, activation checkpoints, and what describes this machine.

Source: torch/utils.
"""

from . import benchmark, checkpoint, collect_env, data, model_zoo, pytree

__all__ = ["benchmark", "checkpoint", "collect_env", "data", "model_zoo", "pytree"]
