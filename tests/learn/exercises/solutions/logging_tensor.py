"""A model answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gnomon as gn


class LoggingTensor(gn.Tensor):
    inner: gn.Tensor
    log: list[str]

    @staticmethod
    def wrap(inner: gn.Tensor, log: list[str]) -> LoggingTensor:
        made = gn.Tensor._make_wrapper_subclass(
            LoggingTensor,
            inner.shape,
            strides=inner.stride(),
            dtype=inner.dtype,
            device=inner.device,
            requires_grad=inner.requires_grad,
        )
        made.inner = inner.detach()
        made.log = log
        return made

    @classmethod
    def __gnomon_dispatch__(
        cls, func: Any, types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        logs: list[list[str]] = []

        def unwrap(value: Any) -> Any:
            if isinstance(value, LoggingTensor):
                logs.append(value.log)
                return value.inner
            return value

        result = func(*each(args, unwrap), **each(kwargs or {}, unwrap))
        log = logs[0]
        log.append(func.name)
        if func.schema.is_inplace:
            return args[0]
        return each(result, lambda value: cls.wrap(value, log) if isinstance(value, gn.Tensor) else value)


def each(values: Any, function: Callable[[Any], Any]) -> Any:
    """Apply a function to everything in nested lists, tuples and dicts."""
    if isinstance(values, dict):
        return {name: each(value, function) for name, value in values.items()}
    if isinstance(values, (list, tuple)):
        return type(values)(each(value, function) for value in values)
    return function(values)
