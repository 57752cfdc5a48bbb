"""Linear layers and embeddings."""

from __future__ import annotations

import gnomon as gn

from .arguments import check_embedding_options, wrap_padding_idx


def linear(input: gn.Tensor, weight: gn.Tensor, bias: gn.Tensor | None = None) -> gn.Tensor:
    """``input @ weight.T + bias``: (*, in) with weight (out, in) -> (*, out)."""
    return gn.ops.aten.linear(input, weight, bias)


def embedding(
    input: gn.Tensor,
    weight: gn.Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> gn.Tensor:
    """Rows of ``weight`` (n, d) by number: integer ``input`` (*) -> (*, d).

    ``padding_idx``'s row gets no gradient.

    Raises ValueError for a ``padding_idx`` out of range, NotImplementedError for ``max_norm`` and ``sparse``.
    """
    check_embedding_options(max_norm, sparse)
    row = wrap_padding_idx(padding_idx, weight.shape[0])
    return gn.ops.aten.embedding(weight, input, -1 if row is None else row, scale_grad_by_freq, sparse)
