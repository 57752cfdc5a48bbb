"""Gives PyTorch gnomon's random numbers, so that both start from the same weights and draw the same.

PyTorch draws from a Mersenne Twister on the CPU, gnomon from Philox on all devices.  While the mode is
active, gnomon's operator of the same name and overload computes each random operator of PyTorch.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

import gnomon as gn


def _is_random(function: Any) -> bool:
    """Whether the operator draws: attention has the tag too, but draws through dropout on the CPU."""
    return torch.Tag.nondeterministic_seeded in function.tags and "attention" not in str(function)


class SameDraws(TorchDispatchMode):
    """A dispatch mode in which PyTorch's random operators draw from gnomon's generators."""

    def __init__(self) -> None:
        super().__init__()
        self.generators: list[tuple[Any, gn.Generator]] = []

    def generator(self, generator: Any) -> gn.Generator:
        """gnomon's generator for one of PyTorch, with its seed."""
        for theirs, ours in self.generators:
            if theirs is generator and ours.initial_seed() == theirs.initial_seed():
                return ours
        made = gn.Generator().manual_seed(generator.initial_seed())
        self.generators.append((generator, made))
        return made

    def argument(self, value: Any) -> Any:
        """An argument for gnomon; tensors share their memory."""
        if isinstance(value, torch.Tensor):
            return gn.from_numpy(value.detach().numpy())
        if isinstance(value, torch.Generator):
            return self.generator(value)
        if isinstance(value, torch.dtype):
            return getattr(gn, str(value).removeprefix("torch."))
        return value

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = kwargs or {}
        if not _is_random(function):
            return function(*args, **options)
        namespace = function.namespace
        name, _, overload = function.__name__.partition(".")
        ours = getattr(getattr(getattr(gn.ops, namespace), name), overload)
        kept = {
            key: self.argument(value)
            for key, value in options.items()
            if key not in ("device", "layout", "pin_memory")
        }
        made = ours(*[self.argument(value) for value in args], **kept)
        return args[0] if name.endswith("_") else torch.from_numpy(made.numpy())


def start() -> None:
    """Enter the mode for good, and let ``torch.manual_seed`` seed gnomon's default generator."""

    def manual_seed(seed: int) -> torch.Generator:
        gn.manual_seed(int(seed))
        return original(seed)

    original = torch.manual_seed
    torch.manual_seed = torch.random.manual_seed = manual_seed
    SameDraws().__enter__()
