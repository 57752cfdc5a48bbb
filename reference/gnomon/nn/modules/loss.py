"""Losses: each calls the function of the same name in ``functional``.

``reduction`` is 'mean', 'sum' or 'none'; ``size_average`` and ``reduce`` are deprecated, with a warning.  A
loss is 0-d, or with reduction 'none' has the shape of the terms.

Source: torch/nn/modules/loss.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import gnomon as gn

from ...values.errors import warn
from .. import functional
from ..common_types import Reduction
from ..functional.linear_cross_entropy import LinearCrossEntropyOptions
from .distance import PairwiseDistance
from .linear import Linear
from .module import Module


class _Loss(Module):
    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: Reduction = "mean"
    ) -> None:
        super().__init__()
        self.reduction = functional.resolve_reduction(reduction, size_average, reduce)


class _WeightedLoss(_Loss):
    """A loss with a buffer ``weight``."""

    def __init__(
        self,
        weight: gn.Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """``|input - target|``.  Source: torch.nn.L1Loss."""

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Two tensors of one shape -> 0-d, or with reduction 'none' that shape."""
        return functional.l1_loss(input, target, reduction=self.reduction)


class NLLLoss(_WeightedLoss):
    """Minus the log-probability of each target class.

    ``weight`` (C) has a weight for each class; targets equal to ``ignore_index`` are ignored.  Source:
    torch.nn.NLLLoss.
    """

    def __init__(
        self,
        weight: gn.Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Log-probabilities (N, C, *) and classes (N, *) -> 0-d, or with reduction 'none' (N, *)."""
        return functional.nll_loss(
            input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )


class NLLLoss2d(NLLLoss):
    """Deprecated alias of NLLLoss, with a FutureWarning.  Source: torch.nn.NLLLoss2d."""

    def __init__(
        self,
        weight: gn.Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class PoissonNLLLoss(_Loss):
    """The negative log likelihood of counts under a Poisson distribution; see
    ``functional.poisson_nll_loss``.

    Source: torch.nn.PoissonNLLLoss.
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Two tensors of one shape -> 0-d, or with reduction 'none' that shape."""
        return functional.poisson_nll_loss(
            log_input,
            target,
            log_input=self.log_input,
            full=self.full,
            eps=self.eps,
            reduction=self.reduction,
        )


class GaussianNLLLoss(_Loss):
    """The negative log likelihood under normal distributions; see ``functional.gaussian_nll_loss``.

    Source: torch.nn.GaussianNLLLoss.
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: Reduction = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: gn.Tensor, target: gn.Tensor, var: gn.Tensor | float) -> gn.Tensor:
        """Means, values and variances of one shape -> 0-d, or with reduction 'none' that shape."""
        return functional.gaussian_nll_loss(
            input, target, var, full=self.full, eps=self.eps, reduction=self.reduction
        )


class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence, ``target * (log(target) - input)``.

    ``reduction`` may also be 'batchmean': the sum divided by the batch size.  ``log_target`` says that the
    target has logarithms, as ``input`` always has.  Source: torch.nn.KLDivLoss.
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Two tensors of one shape -> 0-d, or with reduction 'none' that shape."""
        return functional.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class MSELoss(_Loss):
    """``(input - target) ** 2``.  Source: torch.nn.MSELoss."""

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Two tensors of one shape -> 0-d, or with reduction 'none' that shape."""
        return functional.mse_loss(input, target, reduction=self.reduction)


class BCELoss(_WeightedLoss):
    """``-(target * log(input) + (1 - target) * log(1 - input))``, times ``weight``.

    Source: torch.nn.BCELoss.
    """

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Probabilities of one shape -> 0-d, or with reduction 'none' that shape."""
        return functional.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """``BCELoss`` of ``sigmoid(input)``, without overflow.

    The buffer ``weight`` multiplies all terms, ``pos_weight`` those of positive targets.  Source:
    torch.nn.BCEWithLogitsLoss.
    """

    def __init__(
        self,
        weight: gn.Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
        pos_weight: gn.Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Scores and probabilities of one shape -> 0-d, or with reduction 'none' that shape."""
        return functional.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class HingeEmbeddingLoss(_Loss):
    """``input`` where the target is 1, ``max(0, margin - input)`` where it is -1.

    Source: torch.nn.HingeEmbeddingLoss.
    """

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Two tensors of one shape -> 0-d, or with reduction 'none' that shape."""
        return functional.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """The margin loss of several target classes; see ``functional.multilabel_margin_loss``.

    Source: torch.nn.MultiLabelMarginLoss.
    """

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Scores ([N,] C) and lists of classes ([N,] C) -> 0-d, or with reduction 'none' (N) or ()."""
        return functional.multilabel_margin_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """``d ** 2 / (2 * beta)`` for differences d with ``|d| < beta``, else ``|d| - beta / 2``.

    Source: torch.nn.SmoothL1Loss.
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Two tensors of one shape -> 0-d, or with reduction 'none' that shape."""
        return functional.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """``d ** 2 / 2`` for differences d with ``|d| <= delta``, else ``delta * (|d| - delta / 2)``.

    Raises TypeError for a ``delta`` that is not a number.  Source: torch.nn.HuberLoss.
    """

    def __init__(self, reduction: Reduction = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Two tensors of one shape -> 0-d, or with reduction 'none' that shape."""
        return functional.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class SoftMarginLoss(_Loss):
    """``log(1 + exp(-target * input))``, for targets 1 and -1.  Source: torch.nn.SoftMarginLoss."""

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Two tensors of one shape -> 0-d, or with reduction 'none' that shape."""
        return functional.soft_margin_loss(input, target, reduction=self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """``NLLLoss`` of ``log_softmax(input, 1)``; ``label_smoothing`` mixes the target with all classes.

    Source: torch.nn.CrossEntropyLoss.
    """

    def __init__(
        self,
        weight: gn.Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Scores (N, C, *) and classes (N, *) or probabilities (N, C, *) -> 0-d, or for 'none' (N, *)."""
        return functional.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class LinearCrossEntropyLoss(_WeightedLoss):
    """``CrossEntropyLoss`` of the scores that a linear layer ``linear`` of its own computes.

    The layer has ``num_classes`` times the product of ``out_features`` outputs.  With ``options`` the scores
    are computed in chunks of the batch (``functional.linear_cross_entropy``).

    Raises RuntimeError unless ``weight`` is (num_classes) and ``label_smoothing`` between 0 and 1.
    Source: torch.nn.LinearCrossEntropyLoss.
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
        reduction: Reduction = "mean",
        weight: gn.Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:
        if weight is not None and weight.shape != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight, reduction=reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        outputs = math.prod(out_features, start=num_classes)
        self.linear = Linear(in_features, outputs, bias=bias, device=device, dtype=dtype)
        self.options = options

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Rows (N, in_features), classes (N, *) or probabilities (N, C, *) -> 0-d, or for 'none' (N, *)."""
        sizes = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return functional.linear_cross_entropy(
            input,
            self.linear.weight.reshape(*sizes, self.linear.in_features),
            target,
            linear_bias=None if bias is None else bias.reshape(sizes),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        """The sizes and options, as PyTorch writes them."""
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, "
            f"reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over the classes of ``BCEWithLogitsLoss``, each term times ``weight``.

    Source: torch.nn.MultiLabelSoftMarginLoss.
    """

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Scores and probabilities (N, C) -> 0-d, or with reduction 'none' (N)."""
        return functional.multilabel_soft_margin_loss(
            input, target, weight=self.weight, reduction=self.reduction
        )


class CosineEmbeddingLoss(_Loss):
    """With the cosine c of two vectors, ``1 - c`` if the target is 1, ``max(0, c - margin)`` if it is -1.

    Source: torch.nn.CosineEmbeddingLoss.
    """

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: gn.Tensor, input2: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Vectors ([N,] D) and targets (N) or () -> 0-d, or with reduction 'none' (N) or ()."""
        return functional.cosine_embedding_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class MarginRankingLoss(_Loss):
    """``max(0, margin - target * (input1 - input2))``.  Source: torch.nn.MarginRankingLoss."""

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: gn.Tensor, input2: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Three tensors of one shape -> 0-d, or with reduction 'none' that shape."""
        return functional.margin_ranking_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class MultiMarginLoss(_WeightedLoss):
    """The margin loss of one target class; see ``functional.multi_margin_loss``.

    Raises ValueError for a ``p`` other than 1 and 2, and for a ``weight`` that is not 1-D.  Source:
    torch.nn.MultiMarginLoss.
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: gn.Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead"
            )
        self.p = p
        self.margin = margin

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Scores ([N,] C) and classes (N) or () -> 0-d, or with reduction 'none' (N) or ()."""
        return functional.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class TripletMarginLoss(_Loss):
    """``max(0, margin + d(anchor, positive) - d(anchor, negative))``, where d is ``PairwiseDistance``.

    With ``swap``, d(positive, negative) replaces d(anchor, negative) if it is smaller.  Raises ValueError
    unless the margin is positive.  Source: torch.nn.TripletMarginLoss.
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        _check_margin(type(self).__name__, margin)
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: gn.Tensor, positive: gn.Tensor, negative: gn.Tensor) -> gn.Tensor:
        """Vectors ([N,] D) -> 0-d, or with reduction 'none' (N) or ()."""
        return functional.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(_Loss):
    """The same as TripletMarginLoss with any ``distance_function``, by default ``PairwiseDistance()``.

    Source: torch.nn.TripletMarginWithDistanceLoss.
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[gn.Tensor, gn.Tensor], gn.Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(None, None, reduction)
        _check_margin(type(self).__name__, margin)
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: gn.Tensor, positive: gn.Tensor, negative: gn.Tensor) -> gn.Tensor:
        """Vectors ([N,] D) -> 0-d, or with reduction 'none' (N) or ()."""
        return functional.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


def _check_margin(name: str, margin: float) -> None:
    if margin <= 0:
        raise ValueError(f"{name}: expected margin to be greater than 0, got {margin} instead")


class CTCLoss(_Loss):
    """The negative log likelihood of sequences of classes without alignment in time.

    ``blank`` is the class between others; ``zero_infinity`` makes infinite losses 0.  Source:
    torch.nn.CTCLoss; Graves et al. (2006).
    """

    def __init__(self, blank: int = 0, reduction: Reduction = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(
        self, log_probs: gn.Tensor, targets: gn.Tensor, input_lengths: Any, target_lengths: Any
    ) -> gn.Tensor:
        """Log-probabilities (T, N, C), targets (N, S) and lengths (N) -> 0-d, or with 'none' (N)."""
        return functional.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )
