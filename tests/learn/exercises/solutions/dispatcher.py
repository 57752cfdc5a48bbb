"""A model answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Kernel = Callable[..., Any]


class Dispatcher:
    def __init__(self) -> None:
        self.own: dict[tuple[str, int], Kernel | None] = {}  # None is a fallthrough
        self.fallbacks: dict[int, Kernel] = {}

    def register(self, operator: str, key: int, kernel: Kernel) -> None:
        self.own[operator, key] = kernel

    def register_fallthrough(self, operator: str, key: int) -> None:
        self.own[operator, key] = None

    def register_fallback(self, key: int, kernel: Kernel) -> None:
        self.fallbacks[key] = kernel

    def call(self, operator: str, keys: int, *arguments: Any) -> Any:
        return self.redispatch(operator, keys, *arguments)

    def redispatch(self, operator: str, keys: int, *arguments: Any) -> Any:
        while keys:
            key = keys.bit_length() - 1
            kernel = self.own.get((operator, key), self.fallbacks.get(key))
            if kernel is not None:
                return kernel(operator, keys, *arguments)
            keys &= ~(1 << key)
        raise NotImplementedError(f"{operator}: no kernel")
