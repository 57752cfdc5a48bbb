"""Reference counts.

In C, whoever *owns* a reference to a Python object must release it once; whoever only *borrows* one must
not, and may use the object only as long as somebody owns it.  A reference too many is a leak, one too few a
crash.

gnomon's C code collects the arguments of a call in slots.  Some are borrowed (the caller's tuple owns
them), others are owned (a number that was converted, a default that was made).  Write ``Slots``, with an
``Object`` that counts its references:

- ``borrow(i, object)``: slot i refers to the object; the caller must keep it alive.
- ``keep(i, object)``: slot i gets a reference of its own.
- ``take(i, object)``: slot i takes over a reference that the caller owned (this is called *stealing*).
- ``get(i)``: the object of slot i or None, as a borrowed reference.
- ``give(i)``: the object or None, as a reference that the caller owns from now on.  The slot is empty then.
- ``clear()``: all slots are empty.

A slot that is set again first gets the new object, then releases what it owned.

    a = Object("a")      the caller owns one reference
    slots = Slots(2)
    slots.keep(0, a)     a.references  ->  2
    slots.borrow(1, a)   a.references  ->  2
    slots.clear()        a.references  ->  1
"""

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
    """The slots of a call."""

    def __init__(self, count: int):
        raise NotImplementedError

    def borrow(self, i: int, object: Object) -> None:
        """Refer to an object that the caller keeps alive."""
        raise NotImplementedError

    def keep(self, i: int, object: Object) -> None:
        """Refer to an object by a reference of the slot's own."""
        raise NotImplementedError

    def take(self, i: int, object: Object) -> None:
        """Take over one of the caller's references."""
        raise NotImplementedError

    def get(self, i: int) -> Object | None:
        """The object of a slot, borrowed."""
        raise NotImplementedError

    def give(self, i: int) -> Object | None:
        """The object of a slot, which the caller owns then; empties the slot."""
        raise NotImplementedError

    def clear(self) -> None:
        """Empty all slots."""
        raise NotImplementedError
