"""Loss modules: each calls the function of the same name in ``functional``."""

from __future__ import annotations

import gnomon as gn

from . import functional
from .module import Module


class MSELoss(Module):
    """The mean or the sum of ``(input - target) ** 2``, or each.  Source: torch.nn.MSELoss."""

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        self.reduction = functional.resolve_reduction(reduction, size_average, reduce)

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Two tensors of one shape -> 0-d, or with reduction 'none' that shape."""
        return functional.mse_loss(input, target, reduction=self.reduction)


class NLLLoss(Module):
    """Minus the log-probability of each target class.  Source: torch.nn.NLLLoss."""

    def __init__(
        self,
        weight: gn.Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index
        self.reduction = functional.resolve_reduction(reduction, size_average, reduce)

    def forward(self, input: gn.Tensor, target: gn.Tensor) -> gn.Tensor:
        """Log-probabilities (N, C, *) and classes (N, *) -> 0-d, or with reduction 'none' (N, *)."""
        return functional.nll_loss(
            input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )


class CrossEntropyLoss(Module):
    """``NLLLoss`` of ``log_softmax(input, 1)``.  Source: torch.nn.CrossEntropyLoss."""

    def __init__(
        self,
        weight: gn.Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index
        self.reduction = functional.resolve_reduction(reduction, size_average, reduce)
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
