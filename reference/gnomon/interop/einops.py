"""einops on gnomon's tensors: ``rearrange``, ``reduce``, ``repeat``, ``einsum``, ``pack`` and the rest.

    from gnomon.interop.einops import register

    register()
    einops.rearrange(images, "b c h w -> (b h) w c")

einops looks for a backend among the subclasses of its AbstractBackend, by their ``framework_name``, when it
first meets a tensor of a type.  So a subclass is all that it needs: nothing of einops is replaced.
"""

from __future__ import annotations

import functools
from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.dtype import int64
from .numpy import from_numpy


@functools.cache
def register() -> type[Any]:
    """Make einops accept gnomon's tensors, and return the subclass of its AbstractBackend that does it.

    Further calls do nothing.  Results are recorded by autograd, and share memory as those of gnomon's own
    ``view``, ``permute`` and ``expand``.  Raises ModuleNotFoundError if einops is not installed.
    """
    from einops._backends import AbstractBackend

    class GnomonBackend(AbstractBackend):
        """The operations of which einops composes its functions."""

        framework_name = "gnomon"

        def is_appropriate_type(self, tensor: Any) -> bool:
            return isinstance(tensor, Tensor)

        def from_numpy(self, x: Any) -> Tensor:
            return from_numpy(x)

        def to_numpy(self, x: Tensor) -> Any:
            return x.detach().cpu().numpy()

        def arange(self, start: int, stop: int) -> Tensor:
            return aten.arange(start, stop, dtype=int64)

        def transpose(self, x: Tensor, axes: Any) -> Tensor:
            return x.permute(tuple(axes))

        def reduce(self, x: Tensor, operation: str, axes: Any) -> Tensor:
            if operation in ("min", "max"):
                return getattr(x, f"a{operation}")(tuple(axes))
            if operation in ("sum", "mean"):
                return getattr(x, operation)(tuple(axes))
            for axis in sorted(axes, reverse=True):  # prod, any, all: of one dimension
                x = getattr(x, operation)(axis)
            return x

        def stack_on_zeroth_dimension(self, tensors: list[Tensor]) -> Tensor:
            return aten.stack(tensors)

        def add_axis(self, x: Tensor, new_position: int) -> Tensor:
            return x.unsqueeze(new_position)

        def add_axes(self, x: Tensor, n_axes: int, pos2len: dict[int, int]) -> Tensor:
            sizes = [-1] * n_axes
            for position, size in pos2len.items():
                x = x.unsqueeze(position)
                sizes[position] = size
            return x.expand(sizes)  # no copy

        def tile(self, x: Tensor, repeats: Any) -> Tensor:
            return x.repeat(tuple(repeats))

        def concat(self, tensors: list[Tensor], axis: int) -> Tensor:
            return aten.cat(tensors, axis)

        def is_float_type(self, x: Tensor) -> bool:
            return x.is_floating_point()

        def einsum(self, pattern: str, *x: Tensor) -> Tensor:
            return aten.einsum(pattern, x)

    return GnomonBackend
