"""The cross entropy of a linear layer's scores, which in chunks of the batch need not all be in memory.

Source: torch/nn/functional.py, torch/nn/modules/linear_cross_entropy.py, linear_cross_entropy_options.py.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import gnomon as gn

from ...autograd.function import Function
from ...values.errors import warn
from ..common_types import Reduction
from .arguments import resolve_reduction
from .linear import linear
from .loss import cross_entropy

_HALVES = (gn.float16, gn.bfloat16)
_POLICIES = ("auto", "accurate", "balanced", "compact")
_TWICE = (
    "linear_cross_entropy: its backward was called twice; set allow_retain_graph=True in the "
    "LinearCrossEntropyOptions for a second one (second derivatives are not supported)"
)


@dataclasses.dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """How ``linear_cross_entropy`` computes in chunks of the batch.

    ``batch_chunk_size`` is the number of rows of a chunk, by default all.  ``chunking_method`` computes it
    instead: with 'aspect_ratio' the scores of a chunk need about as much memory as the input, with
    'aspect_ratio:N' an N-th of that; 'auto' is 'aspect_ratio' for half types on the host, else
    'aspect_ratio:2'.  ``acc_dtype`` is the dtype of scores and sums, for half types float32 or their own;
    ``acc_policy`` ('accurate', 'balanced', 'compact') is accepted, but all are as precise as 'accurate'.
    With ``allow_retain_graph``, backward may run more than once, and needs memory for another gradient.

    Raises ValueError for other values.  Source: torch.nn.LinearCrossEntropyOptions.
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: gn.dtype | None = None

    def __post_init__(self) -> None:
        if self.acc_policy not in _POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, colon, factor = str(self.chunking_method).partition(":")
            is_factor = factor.isdigit() and int(factor) > 0
            if name != "aspect_ratio" or is_factor is not bool(colon):
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype not in (None, *_HALVES, gn.float32, gn.float64):
            raise ValueError(
                "acc_dtype must be one of {None, gnomon.float16, gnomon.bfloat16, gnomon.float32, "
                f"gnomon.float64}}, got {self.acc_dtype!r}. Pass acc_dtype=None to let the op pick "
                "automatically."
            )

    def _rows(self, input: gn.Tensor, num_classes: int) -> int:
        """The rows of a chunk of a 2-d ``input``.  Raises ValueError if it is given twice, and differs."""
        count, features = input.shape
        method = self.chunking_method
        if method == "auto":
            is_precise = input.dtype in _HALVES and not input.is_cuda
            method = "aspect_ratio" if is_precise else "aspect_ratio:2"
            if self.batch_chunk_size is not None:
                method = None
        if method is None:
            return max(min(self.batch_chunk_size or count, count), 1)
        least = -(-count // -(-num_classes // features))
        power = 1 << (least - 1).bit_length()  # the next power of 2
        rows = min(power // int(method.partition(":")[2] or 1), count)
        if self.batch_chunk_size not in (None, rows):
            raise ValueError(
                f"batch_chunk_size (={self.batch_chunk_size}) and chunking_method ('{method}') give "
                f"different chunk sizes ({self.batch_chunk_size} vs {rows}); pass only one."
            )
        return max(rows, 1)

    def _sum_dtype(self, dtype: gn.dtype) -> gn.dtype:
        """The dtype of scores and sums.  Raises RuntimeError for one that does not go with ``dtype``."""
        if self.acc_dtype is None:
            return gn.float32 if self.acc_policy == "auto" and dtype in _HALVES else dtype
        if self.acc_dtype is not dtype and not (dtype in _HALVES and self.acc_dtype is gn.float32):
            raise RuntimeError(
                "linear_cross_entropy supports float32 acc_dtype with float16/bfloat16 inputs, but got "
                f"{self.acc_dtype} acc_dtype and {dtype} inputs."
            )
        return self.acc_dtype


# input (N, features), linear_weight (C, features), linear_bias (C)
_Operands = tuple[gn.Tensor, gn.Tensor, gn.Tensor | None]


class _Chunks(NamedTuple):
    """The classes of a call, and how it is divided."""

    classes: gn.Tensor  # (N); 0 for rows that are ignored
    factors: gn.Tensor  # (N): the weight of each row's term in the loss; 0 for rows that are ignored
    rows: int  # of a chunk
    dtype: gn.dtype  # of scores and sums

    def run(self, operands: _Operands, needs: Sequence[bool]) -> tuple[gn.Tensor, list[gn.Tensor | None]]:
        """The terms of the loss (N), and the gradients of their sum that are needed."""
        input, weight, bias = operands
        sums = [
            gn.zeros_like(tensor, dtype=self.dtype) if need and tensor is not None else None
            for tensor, need in zip(operands, needs)
        ]
        grad_input, grad_weight, grad_bias = sums
        weight = weight.to(self.dtype)
        bias = None if bias is None else bias.to(self.dtype)
        terms = gn.zeros_like(self.factors)
        for start in range(0, len(self.classes), self.rows):
            part = slice(start, start + self.rows)
            rows, factors = input[part].to(self.dtype), self.factors[part].unsqueeze(1)
            classes = self.classes[part].unsqueeze(1)
            logarithms = linear(rows, weight, bias).log_softmax(1)
            terms[part] = gn.where(factors == 0, 0, -factors * logarithms.gather(1, classes)).squeeze(1)
            if not any(needs):
                continue
            gradient = (logarithms.exp_() * factors).scatter_add_(1, classes, -factors)
            if grad_input is not None:
                grad_input[part] = gradient @ weight
            if grad_weight is not None:
                grad_weight.addmm_(gradient.t(), rows)
            if grad_bias is not None:
                grad_bias += gradient.sum(0)
        return terms, [None if total is None else total.to(input.dtype) for total in sums]


class _Reduced(Function):
    """The sum of the terms: the gradients are computed with it, and backward scales them in place."""

    @staticmethod
    def forward(ctx: Any, chunks: _Chunks, keeps: bool, *operands: Any) -> gn.Tensor:
        terms, ctx.gradients = chunks.run(operands, ctx.needs_input_grad[2:])
        ctx.keeps = keeps
        return terms.sum().to(operands[0].dtype)

    @staticmethod
    @gn.autograd.function.once_differentiable
    def backward(ctx: Any, grad: gn.Tensor) -> tuple[gn.Tensor | None, ...]:
        if ctx.gradients is None:
            raise RuntimeError(_TWICE)
        gradients = ctx.gradients
        if ctx.keeps:
            return None, None, *(None if each is None else each * grad for each in gradients)
        ctx.gradients = None
        return None, None, *(None if each is None else each.mul_(grad) for each in gradients)


class _Terms(Function):
    """The terms of the loss: backward, which first knows their gradients, computes the scores again."""

    @staticmethod
    def forward(ctx: Any, chunks: _Chunks, *operands: Any) -> gn.Tensor:
        ctx.save_for_backward(*operands)
        ctx.chunks = chunks
        return chunks.run(operands, (False, False, False))[0].to(operands[0].dtype)

    @staticmethod
    @gn.autograd.function.once_differentiable
    def backward(ctx: Any, grad: gn.Tensor) -> tuple[gn.Tensor | None, ...]:
        chunks = ctx.chunks._replace(factors=ctx.chunks.factors * grad.to(ctx.chunks.dtype))
        return None, *chunks.run(ctx.saved_tensors, ctx.needs_input_grad[1:])[1]


def _in_chunks(
    operands: _Operands,
    target: gn.Tensor,
    weight: gn.Tensor | None,
    reduction: str,
    ignore_index: int,
    options: LinearCrossEntropyOptions,
) -> gn.Tensor:
    """The loss, or for 'none' its terms (N)."""
    input, linear_weight, _ = operands
    dtype = options._sum_dtype(input.dtype)
    is_kept = target != ignore_index
    classes = gn.where(is_kept, target, 0)
    factors = is_kept.to(dtype)
    if weight is not None:
        factors = gn.where(is_kept, weight.to(dtype).index_select(0, classes), 0)
    if reduction == "mean":
        factors = factors / factors.sum()
    chunks = _Chunks(classes, factors, options._rows(input, linear_weight.shape[0]), dtype)
    if reduction == "none":
        return _Terms.apply(chunks, *operands)
    return _Reduced.apply(chunks, options.allow_retain_graph, *operands)


def linear_cross_entropy(
    input: gn.Tensor,
    linear_weight: gn.Tensor,
    target: gn.Tensor,
    *,
    linear_bias: gn.Tensor | None = None,
    weight: gn.Tensor | None = None,
    reduction: Reduction = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> gn.Tensor:
    """``cross_entropy(linear(input, linear_weight, linear_bias), target, ...)``.

    ``input`` is (features) or (N, features), ``linear_weight`` (C, features) or for losses of K dimensions
    (C, d1, ..., dK, features), ``linear_bias`` (C) or (C, d1, ..., dK); ``target`` holds classes, () or
    (N, d1, ..., dK), or their probabilities, (C) or (N, C, d1, ..., dK).  The result is 0-d, or with the
    reduction 'none' has the shape of classes.

    With ``options`` the scores are computed in chunks of the batch, and never all of them are in memory.
    This is for classes, without K dimensions and label smoothing (else a warning says that ``options`` is
    ignored), and has no second derivative.

    Raises RuntimeError for shapes that do not fit, and for an ``ignore_index`` beside probabilities.
    Source: torch.nn.functional.linear_cross_entropy.
    """
    if input.dim() not in (1, 2):
        raise RuntimeError(
            f"linear_cross_entropy: expected input with dimensionality 1 or 2, got {input.dim()}"
        )
    if linear_weight.dim() < 2:
        raise RuntimeError(
            "linear_cross_entropy: expected linear_weight with dimensionality at least 2, got "
            f"{linear_weight.dim()}"
        )
    (num_classes, *out_features), features = linear_weight.shape[:-1], linear_weight.shape[-1]
    if input.shape[-1] != features:
        raise RuntimeError(
            "linear_cross_entropy: expected equal input and linear_weight last dimensions (in_features), "
            f"got {input.shape[-1]} and {features}, respectively"
        )
    if linear_bias is not None and linear_bias.shape != linear_weight.shape[:-1]:
        raise RuntimeError(
            f"linear_cross_entropy: expected linear_bias shape {(num_classes, *out_features)}, got "
            f"{tuple(linear_bias.shape)}"
        )
    if out_features and input.dim() == 1:
        raise RuntimeError(
            "linear_cross_entropy: K-dimensional loss defined by linear_weight shape "
            f"{tuple(linear_weight.shape)} requires batched input, (N, {features}), got unbatched input with "
            f"shape {tuple(input.shape)}"
        )
    shape = (*input.shape[:-1], num_classes, *out_features)
    if target.shape == shape and ignore_index is not None:
        raise RuntimeError(
            "linear_cross_entropy: ignore_index cannot be specified when target contains probabilities"
        )
    ignored = -100 if ignore_index is None else ignore_index
    if not input.numel():
        options = None  # there is nothing to divide
    if options is not None:
        if not out_features and label_smoothing == 0 and target.dtype is gn.int64:
            resolve_reduction(reduction)
            if target.shape != input.shape[:-1]:
                raise RuntimeError(
                    f"linear_cross_entropy: expected target of shape {tuple(input.shape[:-1])}, got "
                    f"{tuple(target.shape)}"
                )
            if weight is not None and weight.shape != (num_classes,):
                raise RuntimeError(
                    f"linear_cross_entropy: expected weight of shape {(num_classes,)}, got "
                    f"{tuple(weight.shape)}"
                )
            is_single = input.dim() == 1
            if is_single:
                input, target = input.unsqueeze(0), target.unsqueeze(0)
            operands = (input, linear_weight, linear_bias)
            loss = _in_chunks(operands, target, weight, reduction, ignored, options)
            return loss.squeeze(0) if is_single else loss
        warn(
            "linear_cross_entropy: options are ignored; computing in chunks needs label_smoothing == 0, a "
            f"target of int64, and no out_features. Got label_smoothing={label_smoothing}, "
            f"target.dtype={target.dtype}, out_features={tuple(out_features)}."
        )
    flat = math.prod(out_features, start=num_classes)
    scores = linear(
        input,
        linear_weight.reshape(flat, features),
        None if linear_bias is None else linear_bias.reshape(flat),
    )
    return cross_entropy(
        scores.reshape(shape),
        target,
        weight=weight,
        ignore_index=ignored,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )
