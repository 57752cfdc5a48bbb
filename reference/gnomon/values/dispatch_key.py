"""Dispatch keys: the reasons a call may have to go somewhere else than to a plain kernel.

A tensor carries a set of keys, a thread adds and removes some (its modes), and a call goes to the highest key
in the union that has a kernel for the operator.  Each kernel does its part and *redispatches* below itself.

Which backend a Dense kernel belongs to is not a key of its own here but the tensor's device: PyTorch's
"per-backend functionality keys" (Dense x CPU, Dense x CUDA) are the pairs (Dense, device type).

Sets are ints, one bit a key, so that one ``|`` of the operands' keys and the mode word decides a call.

Source: c10/core/DispatchKey.h, c10/core/DispatchKeySet.h.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from enum import IntEnum


class DispatchKey(IntEnum):
    """The keys, lowest priority first.  The value is the number of the bit."""

    Dense = 0  # run the backend's kernel
    Python = 1  # a DispatchMode or a tensor subclass wants to see the call
    Batched = 2  # an operand has a hidden batch dimension (func/vmap.py)
    ADInplaceOrView = 3  # mark views, bump version counters
    Autograd = 4  # record the graph; carried by tensors that require grad
    ForwardAD = 5  # push tangents forward; added to every call inside a dual level


# Beside the keys stand what else a thread adds to a call, so that "is this a plain call" is one comparison.
GRAD_MODE_BIT = 1 << 8  # operators are recorded
SAVED_TENSOR_HOOKS_BIT = 1 << 9  # what is saved for backward is packed first
INFERENCE_MODE_BIT = 1 << 10  # new tensors are inference tensors
OBSERVED_BIT = 1 << 11  # somebody is told where calls begin and end (dispatch/record_function.py)
TRACED_BIT = 1 << 12  # and wants to see each step: each call goes the readable way

DENSE = 1 << DispatchKey.Dense
PYTHON = 1 << DispatchKey.Python
BATCHED = 1 << DispatchKey.Batched
AD_INPLACE_OR_VIEW = 1 << DispatchKey.ADInplaceOrView
AUTOGRAD = 1 << DispatchKey.Autograd

TENSOR_KEYS = DENSE | AD_INPLACE_OR_VIEW  # what every strided tensor carries
FORWARD_AD = 1 << DispatchKey.ForwardAD

WRAPPER_KEYS = PYTHON | BATCHED  # what a tensor carries whose numbers are another's
ALL_KEYS = TENSOR_KEYS | AUTOGRAD | PYTHON | BATCHED | FORWARD_AD

# The mode word: what the current thread (or async task) adds to every call.  One int in one ContextVar, read
# once a call.  Bits 0 to 7 are keys that are
# added, bits 8 to 15 the modes above, and from bit 16 on stand the keys that are taken away (bit 16 + key).
# Source: c10/core/impl/LocalDispatchKeySet.h.
EXCLUDED_SHIFT = 16
MODE_WORD: ContextVar[int] = ContextVar("gnomon_mode_word", default=GRAD_MODE_BIT)
mode_word = MODE_WORD.get
set_mode_word = MODE_WORD.set


class DispatchKeySet:
    """A set of keys, for people: what ``tensor._dispatch_keys()`` returns and what traces print."""

    __slots__ = ("bits",)

    def __init__(self, bits: int):
        self.bits = bits & ALL_KEYS

    def __iter__(self) -> Iterator[DispatchKey]:
        """Highest priority first."""
        return (key for key in reversed(DispatchKey) if self.has(key))

    def has(self, key: DispatchKey) -> bool:
        """Is ``key`` in the set?"""
        return bool(self.bits >> key & 1)

    def highest_priority(self) -> DispatchKey | None:
        """The key that a call goes to first, or None for the empty set."""
        return DispatchKey(self.bits.bit_length() - 1) if self.bits else None

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self.bits | other.bits)

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self.bits & ~other.bits)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and self.bits == other.bits

    def __hash__(self) -> int:
        return hash(self.bits)

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(key.name for key in self)})"
