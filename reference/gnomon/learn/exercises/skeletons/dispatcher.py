"""A dispatcher.

An operator has kernels for dispatch keys.  A call runs the kernel of the highest of its keys that has one;
the kernel does its part (Autograd records a Node, say) and *redispatches*: it calls the same operator again
with the keys below its own.

Keys are ints from 0 (lowest) to 4, and a set of them is an int with a bit for each, as in ``key_set``.
There are three kinds of entries:

- a kernel of one operator for one key;
- a fallthrough of one operator for one key: this key is skipped, even if there is a fallback for it;
- a fallback for one key: the kernel of all operators that have no entry of their own for it.

The last registration of a kind for the same operator and key counts, and a kernel replaces a fallthrough
(and the other way round).  A key without any entry is skipped.  Registrations may come between calls.

A kernel is called as ``kernel(operator, keys, *arguments)``, where ``keys`` are the keys of the call
without the skipped ones above the kernel's own.  It calls ``redispatch(operator, keys without its own,
*arguments)`` itself.

    d = Dispatcher()
    d.register("neg", 0, lambda operator, keys, x: -x)
    d.register("neg", 3, lambda operator, keys, x: ["recorded", d.redispatch(operator, keys & ~0b1000, x)])
    d.call("neg", 0b1001, 5)  ->  ["recorded", -5]
    d.call("neg", 0b0101, 5)  ->  -5
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Dispatcher:
    """Operators' kernels by key."""

    def __init__(self) -> None:
        raise NotImplementedError

    def register(self, operator: str, key: int, kernel: Callable[..., Any]) -> None:
        """Make ``kernel`` the operator's kernel for ``key``."""
        raise NotImplementedError

    def register_fallthrough(self, operator: str, key: int) -> None:
        """Skip ``key`` in calls of the operator."""
        raise NotImplementedError

    def register_fallback(self, key: int, kernel: Callable[..., Any]) -> None:
        """Make ``kernel`` the kernel for ``key`` of operators without an entry of their own."""
        raise NotImplementedError

    def call(self, operator: str, keys: int, *arguments: Any) -> Any:
        """Call an operator whose arguments and modes have these keys.

        Raises NotImplementedError, with a text, if no key has a kernel.
        """
        raise NotImplementedError

    def redispatch(self, operator: str, keys: int, *arguments: Any) -> Any:
        """Run the kernel of the highest of ``keys`` that has one; see ``call``."""
        raise NotImplementedError
