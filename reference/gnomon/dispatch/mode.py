"""Modes: the state that the current thread (or async task) adds to every call, and how to change it.

Source: c10/core/impl/LocalDispatchKeySet.h, c10/core/AutogradState.h.
"""

from __future__ import annotations

from ..values.dispatch_key import (
    ALL_KEYS,
    AUTOGRAD,
    EXCLUDED_SHIFT,
    FORWARD_AD,
    GRAD_MODE_BIT,
    INFERENCE_MODE_BIT,
    MODE_WORD,
    DispatchKey,
    mode_word,
    set_mode_word,
)
from ..values.thread_local_state import State, ThreadLocalStateGuard

# Kernels below Autograd must not record: the key Autograd is excluded while they run.
EXCLUDE_AUTOGRAD = AUTOGRAD << EXCLUDED_SHIFT


def is_grad_enabled() -> bool:
    """Does the current thread record operators on tensors that require grad?"""
    return bool(mode_word() & GRAD_MODE_BIT)


def is_differentiating() -> bool:
    """May a derivative of what is computed be wanted, in backward or in forward mode?"""
    return bool(mode_word() & (GRAD_MODE_BIT | FORWARD_AD))


def is_inference_mode_enabled() -> bool:
    """Does the current thread create inference tensors?"""
    return bool(mode_word() & INFERENCE_MODE_BIT)


def set_grad_mode(enabled: bool) -> None:
    """Turn grad mode on or off for the current thread."""
    word = mode_word()
    set_mode_word(word | GRAD_MODE_BIT if enabled else word & ~GRAD_MODE_BIT)


class excluding(ThreadLocalStateGuard):
    """Excludes ``keys`` from dispatch in the block.  Source: c10::impl::ExcludeDispatchKeyGuard."""

    __slots__ = ("_excluded",)

    def __init__(self, *keys: DispatchKey):
        self._excluded = sum(1 << key for key in keys) << EXCLUDED_SHIFT

    def _inside(self) -> State:
        return ((MODE_WORD, mode_word() | self._excluded),)


def active_keys(operand_keys: int, word: int) -> int:
    """The dispatch key set of a call: the keys of its operands and of the thread, without excluded ones."""
    return (operand_keys | word) & ALL_KEYS & ~(word >> EXCLUDED_SHIFT)


__all__ = [
    "EXCLUDED_SHIFT",
    "EXCLUDE_AUTOGRAD",
    "MODE_WORD",
    "active_keys",
    "excluding",
    "is_differentiating",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "mode_word",
    "set_grad_mode",
    "set_mode_word",
]
