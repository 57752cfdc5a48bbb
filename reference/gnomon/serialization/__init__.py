"""Files: ``gnomon.save`` and ``gnomon.load``, in PyTorch's format.

Source: torch.serialization.
"""

from .files import load, save
from .weights_only import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals

__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "load", "safe_globals", "save"]
