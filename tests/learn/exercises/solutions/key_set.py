"""A model answer."""

from __future__ import annotations

from enum import IntEnum


class Key(IntEnum):
    Dense = 0
    Batched = 1
    ADInplaceOrView = 2
    Autograd = 3
    Autocast = 4


class KeySet:
    def __init__(self, bits: int):
        self.bits = bits

    def highest(self) -> Key | None:
        return Key(self.bits.bit_length() - 1) if self.bits else None

    def has(self, key: Key) -> bool:
        return bool(self.bits >> key & 1)

    def without(self, key: Key) -> KeySet:
        return KeySet(self.bits & ~(1 << key))

    def union(self, other: KeySet) -> KeySet:
        return KeySet(self.bits | other.bits)

    def keys(self) -> list[Key]:
        return [key for key in reversed(Key) if self.has(key)]
