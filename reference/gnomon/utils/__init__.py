"""What does not belong to any one part of the library: nested structures, and checkpoints.

Source: torch/utils.
"""

from . import checkpoint, pytree

__all__ = ["checkpoint", "pytree"]
