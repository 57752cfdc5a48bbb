"""Embedding and EmbeddingBag: rows of a table by index.  Source: torch/nn/modules/sparse.py."""

from __future__ import annotations

import gnomon as gn

from .. import functional, init
from ..common_types import BagMode
from ..parameter import Parameter
from .module import Module


class _Table(Module):
    """A table of vectors, initialized from N(0, 1); the row ``padding_idx`` is zero."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None,
        max_norm: float | None,
        norm_type: float,
        scale_grad_by_freq: bool,
        sparse: bool,
        weight: gn.Tensor | None,
        freeze: bool,
        device: gn.device | str | int | None,
        dtype: gn.dtype | None,
    ) -> None:
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < max(num_embeddings, 1):
            raise AssertionError(f"{self._padding_name} must be within num_embeddings")
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None and padding_idx < 0:
            padding_idx += num_embeddings
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if weight is not None:
            if list(weight.shape) != [num_embeddings, embedding_dim]:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(weight, requires_grad=not freeze)
        else:
            made = gn.empty((num_embeddings, embedding_dim), device=device, dtype=dtype)
            self.weight = Parameter(made, requires_grad=not freeze)
            self.reset_parameters()

    _padding_name = "padding_idx"

    def reset_parameters(self) -> None:
        """Reinitializes the table with random numbers."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with gn.no_grad():
                self.weight[self.padding_idx].fill_(0)


class Embedding(_Table):
    """Row ``input[…]`` of ``weight``, for integer ``input``: (*) -> (*, embedding_dim).

    ``weight`` is (num_embeddings, embedding_dim), initialized from N(0, 1); the row ``padding_idx`` is zero
    and gets no gradient.  ``max_norm``: used rows whose ``norm_type``-norm exceeds it are scaled down to it.
    ``scale_grad_by_freq`` divides a row's gradient by how often it is used.

    Raises AssertionError for a ``padding_idx`` out of range.  Source:
    torch.nn.Embedding.
    """

    _padding_name = "Padding_idx"

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
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        super().__init__(num_embeddings, embedding_dim, *options, _weight, _freeze, device, dtype)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: gn.Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """An Embedding whose weight is ``embeddings``, (num_embeddings, embedding_dim).

        With ``freeze`` it requires no grad.  Raises AssertionError unless it has two dimensions.
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(
            rows,
            columns,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            _weight=embeddings,
            _freeze=freeze,
        )

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
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq is not False:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        return text


class EmbeddingBag(_Table):
    """The 'sum', 'mean' or 'max' of bags of rows of ``weight`` (num_embeddings, embedding_dim).

    The options are those of Embedding; rows ``padding_idx`` are not part of a bag.  ``include_last_offset``
    says that the offsets of ``forward`` end with the number of indices.

    Raises AssertionError for a ``padding_idx`` out of range.  Source:
    torch.nn.EmbeddingBag.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: BagMode = "mean",
        sparse: bool = False,
        _weight: gn.Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        super().__init__(num_embeddings, embedding_dim, *options, _weight, False, device, dtype)
        self.mode = mode
        self.include_last_offset = include_last_offset

    @classmethod
    def from_pretrained(
        cls,
        embeddings: gn.Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: BagMode = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """An EmbeddingBag whose weight is ``embeddings``, (num_embeddings, embedding_dim).

        With ``freeze`` it requires no grad.  Raises AssertionError unless it has two dimensions.
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        made = cls(
            rows,
            columns,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            embeddings,
            include_last_offset,
            padding_idx,
        )
        made.weight.requires_grad = not freeze
        return made

    def forward(
        self,
        input: gn.Tensor,
        offsets: gn.Tensor | None = None,
        per_sample_weights: gn.Tensor | None = None,
    ) -> gn.Tensor:
        """(bags, rows per bag), or (*) with the ``offsets`` (bags) of the bags -> (bags, embedding_dim).

        ``per_sample_weights``, with the shape of ``input``, scale the rows of a sum.
        """
        return functional.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq is not False:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        text += f", mode={self.mode!r}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        return text
