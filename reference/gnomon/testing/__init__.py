"""For tests: ``assert_close`` compares tensors, numbers and containers of them, ``make_tensor`` makes inputs.

Source: torch.testing.
"""

from .comparison import assert_close
from .creation import make_tensor

__all__ = ["assert_close", "make_tensor"]
