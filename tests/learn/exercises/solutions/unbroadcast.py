"""A model answer."""

from __future__ import annotations

from gnomon import Tensor


def unbroadcast(gradient: Tensor, sizes: tuple[int, ...]) -> Tensor:
    added = gradient.dim() - len(sizes)
    expanded = [
        added + dim for dim, size in enumerate(sizes) if size == 1 and gradient.shape[added + dim] != 1
    ]
    dims = [*range(added), *expanded]
    return gradient.sum(dims, keepdim=True).reshape(sizes) if dims else gradient
