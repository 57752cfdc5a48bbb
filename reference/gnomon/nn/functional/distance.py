"""Distances and normalization of vectors."""

from __future__ import annotations

import gnomon as gn

cosine_similarity = gn.cosine_similarity
pairwise_distance = gn.pairwise_distance
pdist = gn.pdist


def normalize(
    input: gn.Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: gn.Tensor | None = None
) -> gn.Tensor:
    """``input`` divided by its p-norm along ``dim``, which is clamped to at least ``eps``.

    The result has the shape and the dtype of the input, floating point or complex.  Raises IndexError for a
    dim out of range.

    Source: torch.nn.functional.normalize.
    """
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / length if out is None else gn.div(input, length, out=out)
