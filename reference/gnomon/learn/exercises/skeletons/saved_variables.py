"""Saved variables.

A Node keeps tensors that its formula will need.  Between forward and backward three things may happen to
them: the program writes to one (then backward must refuse), hooks pack them (to save memory, say), and
backward releases them when it is done.

Write ``SavedVariable``, for gnomon's tensors; ``tensor._version`` is a tensor's version counter.

- ``unpack`` returns the tensor; it raises RuntimeError if the tensor was written to since it was saved.
- With hooks, ``pack(tensor)`` is called when the tensor is saved, and its result is kept instead of the
  tensor; ``unpack(that result)`` is called each time that ``unpack`` is, and gives the tensor.  No version
  is checked then.  If the pack hook itself writes to the tensor, saving raises RuntimeError.
- ``release`` forgets everything.  After it, ``unpack`` raises RuntimeError.  Releasing twice is no error.

    x = gn.ones(2)
    saved = SavedVariable(x)
    saved.unpack()  ->  x
    x.add_(1)
    saved.unpack()  ->  RuntimeError
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gnomon import Tensor


class SavedVariable:
    """A tensor saved for backward."""

    def __init__(
        self,
        tensor: Tensor,
        pack: Callable[[Tensor], Any] | None = None,
        unpack: Callable[[Any], Tensor] | None = None,
    ):
        raise NotImplementedError

    def unpack(self) -> Tensor:
        """The tensor.  Raises RuntimeError if it was written to, or released."""
        raise NotImplementedError

    def release(self) -> None:
        """Forget the tensor."""
        raise NotImplementedError
