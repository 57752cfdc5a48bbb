"""Embedding: rows of a table by index."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from . import functional, init
from .module import Module
from .parameter import Parameter


class Embedding(Module):
    """Row ``input[…]`` of ``weight``, for integer ``input``: (*) -> (*, embedding_dim).

    ``weight`` is (num_embeddings, embedding_dim), initialized from N(0, 1); the row ``padding_idx`` is zero
    and gets no gradient.  Raises ValueError for a ``padding_idx`` out of range, NotImplementedError for
    ``max_norm`` and ``sparse``.  Source: torch.nn.Embedding.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: gn.Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__()
        functional.check_embedding_options(max_norm, sparse)
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = functional.wrap_padding_idx(padding_idx, num_embeddings)
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if _weight is None:
            weight = gn.empty((num_embeddings, embedding_dim), device=device, dtype=dtype)
            self.weight = Parameter(weight, requires_grad=not _freeze)
            self.reset_parameters()
        else:
            if tuple(_weight.shape) != (num_embeddings, embedding_dim):
                raise ValueError(
                    "Embedding: shape of weight does not match num_embeddings and embedding_dim: expected "
                    f"{(num_embeddings, embedding_dim)}, but got {tuple(_weight.shape)}"
                )
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    def reset_parameters(self) -> None:
        """Reinitializes the table with random numbers."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with gn.no_grad():
                self.weight[self.padding_idx].zero_()

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(*), int32 or int64 -> (*, embedding_dim)."""
        return functional.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        if self.scale_grad_by_freq:
            text += ", scale_grad_by_freq=True"
        return text
