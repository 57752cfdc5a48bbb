"""Version counters.

Backward needs tensors as they were in forward.  If one of them is written to in between, the gradient would
be wrong without any sign.  So every write increments a version counter; a saved tensor keeps the version
that it had, and unpacking it raises RuntimeError if it is another one now.

Write the three classes, for tensors of one dimension.  Tensors that share memory share the counter, too: a
view, and what ``detach`` returns.  The one exception is ``data``: the same memory, but a counter of its
own, which begins at 0.  (This is why ``x.data`` is dangerous.)

    a = Tensor(Storage([1.0, 2.0, 3.0]), 0, 3)
    b = a.view(1, 3)
    saved = SavedTensor(a)
    b.write(0, 9.0)
    a.read()          ->  [1.0, 9.0, 3.0]
    a.version()       ->  1
    saved.unpack()    ->  RuntimeError
"""

from __future__ import annotations


class Storage:
    """A block of memory."""

    def __init__(self, numbers: list[float]):
        self.numbers = numbers


class Tensor:
    """The numbers of a storage from ``start`` up to, but not including, ``stop``."""

    def __init__(self, storage: Storage, start: int, stop: int):
        raise NotImplementedError

    def read(self) -> list[float]:
        """The numbers."""
        raise NotImplementedError

    def write(self, index: int, number: float) -> None:
        """Write one number; ``index`` counts from the tensor's first."""
        raise NotImplementedError

    def version(self) -> int:
        """How many writes the version counter has counted."""
        raise NotImplementedError

    def view(self, start: int, stop: int) -> Tensor:
        """A part of this tensor, in the same memory; ``start`` and ``stop`` count from its first number."""
        raise NotImplementedError

    def detach(self) -> Tensor:
        """A tensor of the same memory and the same version counter."""
        raise NotImplementedError

    def data(self) -> Tensor:
        """A tensor of the same memory, with a version counter of its own."""
        raise NotImplementedError


class SavedTensor:
    """A tensor saved for backward."""

    def __init__(self, tensor: Tensor):
        raise NotImplementedError

    def unpack(self) -> Tensor:
        """The tensor.  Raises RuntimeError if it was written to since it was saved."""
        raise NotImplementedError
