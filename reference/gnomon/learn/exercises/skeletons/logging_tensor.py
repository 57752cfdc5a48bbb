"""A tensor subclass.

A mode sees everything in its block; a subclass of Tensor sees everything that its tensors take part in,
wherever that is.  Its ``__gnomon_dispatch__`` (PyTorch's ``__torch_dispatch__``) is called instead of each
operator's kernel, below autograd.

Write ``LoggingTensor``: a tensor that has an ordinary tensor inside (``inner``) and a list (``log``).  Each
operator on it appends the operator's name (``func.name``) to the list after it has run, and gives
LoggingTensors with the same list.  Autograd works on it as on any tensor, because it is above.

    log = []
    x = LoggingTensor.wrap(gn.ones(2), log)
    y = (x + x).exp()
    y.inner  ->  tensor([7.3891, 7.3891])
    log      ->  ["add.Tensor", "exp"]
"""

from __future__ import annotations

from typing import Any

import gnomon as gn


class LoggingTensor(gn.Tensor):
    """A tensor that logs the operators that it takes part in."""

    inner: gn.Tensor  # type: ignore[assignment]  # hides a function of tensors
    log: list[str]  # type: ignore[assignment]

    @staticmethod
    def wrap(inner: gn.Tensor, log: list[str]) -> LoggingTensor:
        """A LoggingTensor of the same sizes, strides, dtype, device and requires_grad.

        ``inner`` is kept detached.
        """
        raise NotImplementedError

    @classmethod
    def __gnomon_dispatch__(
        cls, func: Any, types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Called instead of ``func(*args, **kwargs)``; ``func.schema`` is the operator's schema."""
        raise NotImplementedError
