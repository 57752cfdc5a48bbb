"""A model answer."""

from __future__ import annotations


def broadcast(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    ndim = max(map(len, shapes), default=0)
    padded = [(1,) * (ndim - len(shape)) + shape for shape in shapes]
    sizes = []
    for column in zip(*padded):
        different = set(column) - {1}
        if len(different) > 1:
            raise RuntimeError(f"sizes {sorted(different)} do not broadcast")
        sizes.append(different.pop() if different else 1)
    return tuple(sizes)
