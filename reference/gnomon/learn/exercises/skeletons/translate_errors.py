"""Errors across the border.

A kernel in C cannot raise exceptions: it returns a status.  Python translates it:

- OK: all is well; the result of ``run`` is None.
- BAD_VALUE: an argument has a bad value (an index out of range, say).  ``reference()`` computes the same in
  Python, and raises the error with its full text.  (If it does not raise, what it returns is the result.)
- OUT_OF_MEMORY: raise ``gn.OutOfMemoryError``.
- NOT_IMPLEMENTED: the kernel does not serve these arguments; the result is ``reference()``.
- any other status: a RuntimeError whose text contains the number.

Write ``run``.  The kernel has several parts: ``kernel(0)``, ``kernel(1)`` … are called until one returns
something other than OK.  The kernel may also raise an exception (in a callback), which goes to the caller.
In the end ``release()`` must be called, exactly once, whatever happened before; it may raise an error
itself.  The caller must see the *first* error, not one of the cleaning up.

    run(lambda part: OUT_OF_MEMORY, 1, reference, release)  ->  OutOfMemoryError, after release()
    run(lambda part: OK, 2, reference, release)             ->  None, after kernel(0), kernel(1), release()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gnomon as gn  # noqa: F401  (for gn.OutOfMemoryError)

OK, BAD_VALUE, OUT_OF_MEMORY, NOT_IMPLEMENTED = range(4)


def run(
    kernel: Callable[[int], int], parts: int, reference: Callable[[], Any], release: Callable[[], None]
) -> Any:
    """Run a kernel's parts.

    Raises what its status means (``gn.OutOfMemoryError``, RuntimeError), or what a function has raised first.
    """
    raise NotImplementedError
