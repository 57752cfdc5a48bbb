"""A model answer."""

from __future__ import annotations


class Object:
    """An object that counts its references; at 0 it is freed."""

    def __init__(self, name: str):
        self.name = name
        self.references = 1

    def incref(self) -> None:
        """Add a reference.  Raises RuntimeError if the object was freed."""
        if not self.references:
            raise RuntimeError(f"{self.name} is used after it was freed")
        self.references += 1

    def decref(self) -> None:
        """Release a reference.  Raises RuntimeError if the object was freed."""
        if not self.references:
            raise RuntimeError(f"{self.name} is released after it was freed")
        self.references -= 1


class Slots:
    def __init__(self, count: int):
        self.objects: list[Object | None] = [None] * count
        self.owned = [False] * count

    def borrow(self, i: int, object: Object) -> None:
        self.set(i, object, False)

    def keep(self, i: int, object: Object) -> None:
        object.incref()
        self.set(i, object, True)

    def take(self, i: int, object: Object) -> None:
        self.set(i, object, True)

    def set(self, i: int, object: Object | None, is_owned: bool) -> None:
        """Put an object into a slot, then release what the slot owned."""
        old, was_owned = self.objects[i], self.owned[i]
        self.objects[i], self.owned[i] = object, is_owned
        if old is not None and was_owned:
            old.decref()

    def get(self, i: int) -> Object | None:
        return self.objects[i]

    def give(self, i: int) -> Object | None:
        object = self.objects[i]
        if object is not None and not self.owned[i]:
            object.incref()
        self.objects[i], self.owned[i] = None, False
        return object

    def clear(self) -> None:
        for i in range(len(self.objects)):
            self.set(i, None, False)
