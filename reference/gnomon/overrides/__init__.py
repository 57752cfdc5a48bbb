"""Objects that override functions, by ``__torch_function__``: gnomon has ``__gnomon_dispatch__`` instead.

So no argument overrides a function, as the functions below say.  Source: torch.overrides.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..memory.tensor import Tensor
from ..values.absent import absent

__getattr__ = absent(__name__, "gnomon has no __torch_function__; see gnomon.DispatchMode")


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """False: no argument has ``__torch_function__``."""
    return False


def has_torch_function_unary(input: Any) -> bool:
    """False: the argument has no ``__torch_function__``."""
    return False


def has_torch_function_variadic(*args: Any) -> bool:
    """False: no argument has ``__torch_function__``."""
    return False


def is_tensor_like(inp: Any) -> bool:
    """Is this a tensor?  Source: torch.overrides.is_tensor_like."""
    return isinstance(inp, Tensor)
