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
from enum import IntEnum


class DispatchKey(IntEnum):
    """The keys, lowest priority first.  The value is the number of the bit."""

    Dense = 0  # run the backend's kernel
    ADInplaceOrView = 1  # mark views, bump version counters
    Autograd = 2  # record the graph; carried by tensors that require grad
    PythonDispatch = 3  # a mode or a tensor subclass wants to see the call


# A word beside the keys: bit 4 is not a key but the grad mode, so that "does this call record" is one
# comparison.
GRAD_MODE_BIT = 1 << 4
TRACE_BIT = 1 << 5  # somebody listens to calls (dispatch/trace.py)

DENSE = 1 << DispatchKey.Dense
AD_INPLACE_OR_VIEW = 1 << DispatchKey.ADInplaceOrView
AUTOGRAD = 1 << DispatchKey.Autograd
PYTHON_DISPATCH = 1 << DispatchKey.PythonDispatch

TENSOR_KEYS = DENSE | AD_INPLACE_OR_VIEW  # what every strided tensor carries
ALL_KEYS = TENSOR_KEYS | AUTOGRAD | PYTHON_DISPATCH

# What `keys_a | keys_b | mode_word` comes to when nothing but the backend has a say, and when only autograd
# has.
PLAIN_CALL = TENSOR_KEYS | GRAD_MODE_BIT
RECORDED_CALL = PLAIN_CALL | AUTOGRAD
NO_GRAD_CALL = TENSOR_KEYS
NO_GRAD_CALL_ON_VARIABLES = TENSOR_KEYS | AUTOGRAD


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
