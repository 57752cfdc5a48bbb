"""A dispatch mode that logs every operator that runs, below autograd.

    python examples/logging_mode.py

PyTorch's ``__torch_dispatch__`` is ``__gnomon_dispatch__`` here.
"""

from __future__ import annotations

from typing import Any

import gnomon as gn


def described(value: Any) -> str:
    """A short description of a value: the dtype and shape of a tensor, the repr of anything else."""
    if isinstance(value, gn.Tensor):
        return f"{value.dtype.name}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(described(each) for each in value)}]"
    return repr(value)


class LoggingMode(gn.DispatchMode):
    """Keeps a line for each operator that runs inside the block, in ``lines``."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __gnomon_dispatch__(
        self, func: Any, types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        arguments = [described(each) for each in args]
        arguments += [f"{name}={described(value)}" for name, value in (kwargs or {}).items()]
        self.lines.append(f"{func.name}({', '.join(arguments)}) -> {described(result)}")
        return result


def main() -> None:
    """Log the forward and the backward of a small layer."""
    gn.manual_seed(0)
    layer = gn.nn.Linear(3, 2)
    x = gn.randn(4, 3)
    with LoggingMode() as log:
        loss = gn.nn.functional.gelu(layer(x)).pow(2).mean()
        log.lines.append("-- backward --")
        loss.backward()
    print("\n".join(log.lines))


if __name__ == "__main__":
    main()
