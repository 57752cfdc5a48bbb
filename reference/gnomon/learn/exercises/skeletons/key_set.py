"""A set of dispatch keys.

Every call of an operator collects the dispatch keys of its tensors, and those of the thread's modes, and
runs the kernel of the highest one.  This happens for every call, so the set is an int: bit number k is 1 if
key k is in it, and the highest key is the highest bit.

Write ``KeySet``.  A set never changes: ``union`` and ``without`` return a new one.

    a = KeySet(0b1001)                    Dense and Autograd
    a.highest()                     ->    Key.Autograd
    a.without(Key.Autograd).keys()  ->    [Key.Dense]
    KeySet(0).highest()             ->    None
"""

from __future__ import annotations

from enum import IntEnum


class Key(IntEnum):
    """Dispatch keys, lowest priority first."""

    Dense = 0
    Batched = 1
    ADInplaceOrView = 2
    Autograd = 3
    Autocast = 4


class KeySet:
    """A set of keys, by its bits."""

    def __init__(self, bits: int):
        self.bits = bits

    def highest(self) -> Key | None:
        """The key of the highest priority, or None for the empty set."""
        raise NotImplementedError

    def has(self, key: Key) -> bool:
        """Is ``key`` in the set?"""
        raise NotImplementedError

    def without(self, key: Key) -> KeySet:
        """The set without ``key``, which need not be in it."""
        raise NotImplementedError

    def union(self, other: KeySet) -> KeySet:
        """The keys of both sets."""
        raise NotImplementedError

    def keys(self) -> list[Key]:
        """The keys, highest priority first."""
        raise NotImplementedError
