"""Margin losses: the scores of the target classes should exceed all others by a margin.

The input has shape (N, C) or (C), with C classes.  A reduction is an int: 0 none, 1 mean, 2 sum.

Source: aten/src/ATen/native/LossMultiMargin.cpp, LossMultiLabelMargin.cpp.
"""

from __future__ import annotations

from typing import Any

from ...calls.checks import can_be_read, check_dtype, check_same_dtype, refuse_half
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...values.dtype import check_number_fits, int32, int64

MEAN, SUM = 1, 2


def _rows(self: Any, target: Any) -> Any:
    """``self`` as (N, C).

    Raises RuntimeError for other shapes and a target of another dtype than int64, NotImplementedError for all
    dtypes but float32 and float64.
    """
    if self.ndim > 2 or 0 in self.shape[-1:]:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(self.shape)}"
        )
    refuse_half(self._spec.dtype, "bool", "integer", "complex")
    check_dtype(int64, target=target)
    return self if self.ndim == 2 else self.reshape((1, -1))


def _check_classes(target: Any, least: int, classes: int) -> None:
    """Raises RuntimeError for a class outside [least, classes), if the target's data can be read."""
    if not can_be_read(target) or not target.numel():
        return
    low, high = int(target.min().item()), int(target.max().item())
    if low < least or high >= classes:
        raise RuntimeError(
            f"target out of range: expected classes from {least} to {classes - 1}, but got {low} to {high}"
        )


def _reduced(losses: Any, reduction: int) -> Any:
    if reduction == MEAN:
        return losses.mean()
    return losses.sum() if reduction == SUM else losses


def _lacking(lacks: Any) -> Any:
    """``max(lacks, 0)``; NaN becomes 0."""
    return lacks.masked_fill(~(lacks > 0), 0.0)


def _multi_margin_loss(self: Any, target: Any, p: Any, margin: Any, weight: Any, reduction: int) -> Any:
    check_number_fits(p, int32)
    p = int(p.real)
    if p not in (1, 2):
        raise RuntimeError(f"only p == 1 and p == 2 supported, but got {p}")
    rows = _rows(self, target)
    count, classes = rows.shape
    if target.ndim > 1 or target.numel() != count:
        raise RuntimeError(
            "target tensor should be 1-D with size equal to the number of input samples. Expected size "
            f"{count}, but got {list(target.shape)}"
        )
    if weight is not None and (weight.ndim > 1 or weight.numel() != classes):
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    check_same_dtype(self=self, weight=weight)
    check_number_fits(margin, self._spec.dtype)
    _check_classes(target, 0, classes)
    chosen = target.reshape((-1, 1))
    lacks = _lacking(float(margin.real) - rows.gather(1, chosen) + rows)
    if p == 2:
        lacks = lacks * lacks
    losses = lacks.scatter(1, chosen, 0.0)
    if weight is not None:
        losses = losses * weight.reshape((-1,)).index_select(0, target.reshape((-1,))).unsqueeze(1)
    return _reduced((losses.sum(1) / classes).reshape(target.shape), reduction)


native_function(
    "multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int "
    "reduction=Mean) -> Tensor",
    python_module="nn",
    composite=_multi_margin_loss,
    out=Out(exact=True),
    doc="""The sum of ``max(0, margin - self[target] + self[i]) ** p`` over the other classes i, divided by C.

    ``self``: float32 or float64 scores (N, C) or (C); ``target``: class indices (N), int64; ``weight`` (C)
    multiplies the terms of each target class.  ``p`` is 1 or 2.  Raises RuntimeError for other shapes and
    classes out of range.""",
)


def _multilabel_margin_loss(self: Any, target: Any, reduction: int) -> Any:
    rows = _rows(self, target)
    classes = rows.size(1)
    if target.shape != self.shape if self.ndim == 2 else target.ndim > 1 or target.numel() != classes:
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(self.shape)}"
        )
    _check_classes(target, -1, classes)
    labels = target.reshape(rows.shape)
    counts = (labels >= 0).to(int64).cumprod(1)  # 1 up to the first -1, which ends the list
    labels = labels * counts
    given = counts.to(rows._spec.dtype)
    wrong = aten.zeros_like(rows).scatter_add(1, labels, given) == 0
    lacks = _lacking(1.0 - rows.gather(1, labels).unsqueeze(2) + rows.unsqueeze(1))
    losses = (lacks * given.unsqueeze(2) * wrong.unsqueeze(1)).sum((1, 2)) / classes
    return _reduced(losses if self.ndim == 2 else losses.reshape(()), reduction)


native_function(
    "multilabel_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor",
    python_module="nn",
    composite=_multilabel_margin_loss,
    out=Out(exact=True),
    doc="""The sum of ``max(0, 1 - self[t] + self[i])`` over target classes t and all others i, divided by C.

    ``self``: float32 or float64 scores (N, C) or (C); ``target``: int64, with the shape of ``self``, the
    class indices of each row up to the first -1.  Raises RuntimeError for other shapes and classes out of
    range.""",
)
