"""Embeddings: rows of a table by index, singly or in bags; one-hot vectors."""

from __future__ import annotations

import gnomon as gn

from ...values.errors import warn
from ..common_types import BagMode

aten = gn.ops.aten

one_hot = aten.one_hot.parser


def _shorten(weight: gn.Tensor, input: gn.Tensor, max_norm: float, norm_type: float) -> None:
    """Scales the used rows down to ``max_norm``, hidden from autograd."""
    aten.embedding_renorm_(weight.detach(), input, max_norm, norm_type)


def embedding(
    input: gn.Tensor,
    weight: gn.Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> gn.Tensor:
    """Rows of ``weight`` (n, d) by index: integer ``input`` (*) -> (*, d).

    The row ``padding_idx`` gets no gradient.  ``max_norm``: used rows whose ``norm_type``-norm exceeds it are
    first scaled down to it, in place in ``weight``.  With ``sparse`` the gradient of ``weight`` is sparse.
    Raises AssertionError for a ``padding_idx`` out of range.

    The result has the shape of the indices (int64 or int32), followed by the size of a row.

    Source: torch.nn.functional.embedding.
    """
    rows = weight.size(0) if weight.ndim else 0  # the operator refuses a weight that is not 2-D
    if padding_idx is not None and not -rows <= padding_idx < max(rows, 1):
        raise AssertionError(
            f"Padding_idx must be within num_embeddings, but got padding_idx {padding_idx} and {rows} rows"
        )
    row = -1 if padding_idx is None else padding_idx % max(rows, 1)
    if max_norm is not None:
        _shorten(weight, input, max_norm, norm_type)
    return aten.embedding(weight, input, row, scale_grad_by_freq, sparse)


_MODES = {"sum": 0, "mean": 1, "max": 2}


def embedding_bag(
    input: gn.Tensor,
    weight: gn.Tensor,
    offsets: gn.Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: BagMode = "mean",
    sparse: bool = False,
    per_sample_weights: gn.Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> gn.Tensor:
    """The 'sum', 'mean' or 'max' of bags of rows of ``weight`` (n, d).

    A 2-D ``input`` (bags, rows per bag) has bags of equal size; for a 1-D one ``offsets`` are the starts of
    the bags.  ``per_sample_weights`` scale the rows of a sum; the row ``padding_idx`` is ignored; for
    ``max_norm`` see ``embedding``.

    Raises ValueError for offsets with a 2-D input, and for a 1-D input without offsets; RuntimeError for
    dtypes that do not match.

    Source: torch.nn.functional.embedding_bag.
    """
    if weight.dtype is gn.int64 and input.is_floating_point():
        warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, "
            "...)` is deprecated, and should now be `embedding_bag(input, weight, ...)`.",
        )
        weight, input = input, weight
    if per_sample_weights is not None and input.shape != per_sample_weights.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must "
            f"have the same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
                f"length sequences. However, found offsets of type {type(offsets)}"
            )
        offsets = gn.arange(0, input.numel(), input.size(1), dtype=input.dtype, device=input.device)
        include_last_offset = False
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    elif input.dim() != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    elif offsets is None or offsets.dim() != 1:
        raise ValueError(f"offsets has to be a 1D Tensor but got {offsets}")
    if mode not in _MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if max_norm is not None:
        _shorten(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            f"embedding_bag: per_sample_weights is only supported for mode='sum' (got mode='{mode}')."
        )
    options = (scale_grad_by_freq, _MODES[mode], sparse, per_sample_weights, include_last_offset)
    return aten.embedding_bag.padding_idx(weight, input, offsets, *options, padding_idx)[0]
