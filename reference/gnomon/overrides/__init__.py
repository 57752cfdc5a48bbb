"""Objects that override functions, by ``__torch_function__``: gnomon has ``__gnomon_dispatch__`` instead.

So no argument overrides a function, as the functions below say.  Source: torch.overrides.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
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


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Raises TypeError: no argument has ``__torch_function__``.  Source: torch.overrides."""
    raise TypeError(
        f"no implementation found for '{public_api.__module__}.{public_api.__name__}' on types that "
        "implement __torch_function__: []"
    )


def wrap_torch_function(
    dispatcher: Callable[..., Iterable[Any]],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: the function is called, as no argument that ``dispatcher`` returns overrides it."""

    def inner(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return func(*args, **kwargs)

        return wrapped

    return inner


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Is this a method of Tensor, or the ``__get__`` of a property?"""
    return func.__name__ == "__get__" or getattr(Tensor, func.__name__, None) is func
