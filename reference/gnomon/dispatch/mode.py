"""Modes: what the current thread (or async task) adds to every call, and how it is switched.

Source: c10/core/impl/LocalDispatchKeySet.h, c10/core/AutogradState.h.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..values.dispatch_key import (
    ALL_KEYS,
    AUTOGRAD,
    EXCLUDED_SHIFT,
    GRAD_MODE_BIT,
    INFERENCE_MODE_BIT,
    DispatchKey,
    mode_word,
    set_mode_word,
)

# Kernels below Autograd must not record: Autograd is taken away while they run.
EXCLUDE_AUTOGRAD = AUTOGRAD << EXCLUDED_SHIFT


def is_grad_enabled() -> bool:
    """Does the current thread record operators on tensors that require grad?"""
    return bool(mode_word() & GRAD_MODE_BIT)


def is_inference_mode_enabled() -> bool:
    """Does the current thread make inference tensors?"""
    return bool(mode_word() & INFERENCE_MODE_BIT)


def set_grad_mode(enabled: bool) -> None:
    """Switch recording on or off for the current thread."""
    word = mode_word()
    set_mode_word(word | GRAD_MODE_BIT if enabled else word & ~GRAD_MODE_BIT)


@contextmanager
def excluding(*keys: DispatchKey) -> Iterator[None]:
    """Inside the block, calls pass over ``keys``.  Source: c10::impl::ExcludeDispatchKeyGuard."""
    word = mode_word()
    excluded = sum(1 << key for key in keys)
    set_mode_word(word | excluded << EXCLUDED_SHIFT)
    try:
        yield
    finally:
        set_mode_word(word)


def active_keys(operand_keys: int, word: int) -> int:
    """The keys that have a say in a call: those of its operands and of the thread, less the excluded."""
    return (operand_keys | word) & ALL_KEYS & ~(word >> EXCLUDED_SHIFT)


__all__ = [
    "EXCLUDED_SHIFT",
    "EXCLUDE_AUTOGRAD",
    "active_keys",
    "excluding",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "mode_word",
    "set_grad_mode",
    "set_mode_word",
]
