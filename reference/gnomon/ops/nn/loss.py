"""Regression and binary losses of element pairs, and losses of pairs of vectors.

A reduction is an int: 0 none, 1 mean, 2 sum.  The loss of each pair is rounded to the tensor's dtype; their
sum is exact and rounded once.  Source: aten/src/ATen/native/Loss.cpp.
"""

from __future__ import annotations

from typing import Any

from ...calls.checks import check_triplet, refuse_dtype
from ...calls.copies import row_major
from ...calls.iterator import TensorIterator, result_type
from ...calls.meta_functions import build_iterator, unary
from ...calls.native import native_function
from ...calls.outputs import check_cast
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...dispatch.mode import mode_word
from ...memory.spec import Spec
from ...numerics.arithmetic import log, log1p
from ...numerics.loops import pointwise
from ...values.dispatch_key import BATCHED, FORWARD_AD

NONE, MEAN, SUM = 0, 1, 2

_EPSILON = 9.999999960041972e-13  # 1e-12 rounded to float32, as in PyTorch


def _reduced(losses: Any, reduction: int) -> Any:
    if reduction == MEAN:
        return losses.mean()
    return losses.sum() if reduction == SUM else losses


def _difference(self: Any, target: Any) -> Any:
    """``self - target`` in the promoted dtype, where bool operands are allowed.  Raises NotImplementedError
    unless that dtype is a floating point one.
    """
    common = result_type(self._spec, target._spec)
    refuse_dtype(common, "bool", "integer", "complex")
    return self.to(common) - target.to(common)


def _in_dtype_of(self: Any, losses: Any) -> Any:
    """The losses cast to the input's dtype.  Raises RuntimeError if that is an integer one."""
    check_cast("", losses._spec.dtype, self._spec.dtype)
    return losses.to(self._spec.dtype)


def _mse_loss(self: Any, target: Any, reduction: int) -> Any:
    difference = _difference(self, target)
    return _reduced(difference * difference, reduction)


native_function(
    "mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor",
    python_module="nn",
    composite=_mse_loss,
    out="out",
    doc="The squared difference; ``reduction``: 0 none, 1 mean, 2 sum.",
)

native_function(
    "l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor",
    python_module="nn",
    composite=lambda self, target, reduction: _reduced((self - target).abs(), reduction),
    doc="The absolute difference; ``reduction``: 0 none, 1 mean, 2 sum.",
)


def _smooth_l1(difference: float, beta: float) -> float:
    size = abs(difference)
    return 0.5 * size * size / beta if size < beta else size - 0.5 * beta


native_function(
    "_smooth_l1(Tensor self, float beta) -> Tensor",
    meta=unary("bool", "integer", "complex"),
    kernel=pointwise(_smooth_l1),
    derivatives={
        "self": lambda grad, self, beta: row_major(grad * aten.hardtanh.default(self / beta, -1.0, 1.0))
    },
    doc="The kernel of smooth_l1_loss, applied to differences.",
)


def _smooth_l1_loss(self: Any, target: Any, reduction: int, beta: float) -> Any:
    if not beta >= 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta, but got {beta}.")
    difference = _difference(self, target)
    if beta == 0:
        return _reduced(difference.abs(), reduction)
    return _reduced(aten._smooth_l1.default(difference, beta), reduction)


native_function(
    "smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor",
    python_module="nn",
    composite=_smooth_l1_loss,
    out="out",
    doc="""``d ** 2 / (2 * beta)`` if ``|d| < beta``, otherwise ``|d| - beta / 2``, for each difference d.

    Raises RuntimeError for a negative beta.  Girshick (2015).""",
)


def _huber(difference: float, delta: float) -> float:
    size = abs(difference)
    return 0.5 * size * size if size <= delta else delta * (size - 0.5 * delta)


native_function(
    "_huber(Tensor self, float delta) -> Tensor",
    meta=unary("bool", "integer", "complex"),
    kernel=pointwise(_huber),
    derivatives={
        "self": lambda grad, self, delta: row_major(grad * aten.hardtanh.default(self, -delta, delta))
    },
    doc="The kernel of huber_loss, applied to differences.",
)


def _huber_loss(self: Any, target: Any, reduction: int, delta: float) -> Any:
    if not delta > 0:
        raise RuntimeError(f"huber_loss does not support non-positive values for delta, but got {delta}.")
    losses = aten._huber.default(_difference(self, target), delta)
    return _reduced(_in_dtype_of(self, losses), reduction)


native_function(
    "huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor",
    python_module="nn",
    composite=_huber_loss,
    out="out",
    doc="""``d ** 2 / 2`` if ``|d| <= delta``, otherwise ``delta * (|d| - delta / 2)``, for each difference d.

    Raises RuntimeError unless delta is positive.  Huber (1964).""",
)


def _same_dtype_meta(self: Spec, target: Spec) -> TensorIterator:
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    if target.dtype is not self.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.name} but expected {self.dtype.name}")
    return build_iterator([self, target], self.dtype, self.dtype)


def _binary_cross_entropy(probability: float, target: float) -> float:
    """Logarithms are clamped to -100, so that a wrong prediction of 0 or 1 has a finite loss."""
    for name, number in (("input", probability), ("target", target)):
        if not 0 <= number <= 1:
            raise RuntimeError(f"all elements of {name} should be between 0 and 1, but one is {number}")
    return (target - 1) * max(log1p(-probability), -100.0) - target * max(log(probability), -100.0)


def _binary_cross_entropy_target_grad(grad: Any, self: Any) -> Any:
    """As in PyTorch, the logarithms are not clamped here: at 0 and 1 they are infinite."""
    return ((1 - self).log() - self.log()) * grad


native_function(
    "_binary_cross_entropy(Tensor self, Tensor target) -> Tensor",
    meta=_same_dtype_meta,
    kernel=pointwise(_binary_cross_entropy),
    derivatives={
        "self": lambda grad, self, target: (self - target) * grad / ((1 - self) * self).clamp_min(1e-12),
        "target": _binary_cross_entropy_target_grad,
    },
    doc="The kernel of binary_cross_entropy, without weight and reduction.",
)


def _may_be_written(other: Any) -> bool:
    """May a new tensor be modified in place with values of ``other``?

    Not under vmap or in forward mode: the new tensor, or its tangent, may be unbatched while ``other`` is
    batched.
    """
    return not (other._keys & BATCHED or mode_word() & FORWARD_AD)


def _times(made: Any, factor: Any) -> Any:
    """``made`` times ``factor``, in place if possible."""
    return made.mul_(factor) if _may_be_written(factor) else (made * factor).to(made.dtype)


def _weighted_binary_cross_entropy(self: Any, target: Any, weight: Any, reduction: int) -> Any:
    losses = aten._binary_cross_entropy.default(self, target)
    return _reduced(losses if weight is None else _times(losses, weight), reduction)


native_function(
    "binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor",
    python_module="nn",
    composite=_weighted_binary_cross_entropy,
    out=Out(exact=True),
    doc="""``-(target * log(self) + (1 - target) * log(1 - self))``, times ``weight``.

    Logarithms are clamped to at least -100.  Raises RuntimeError for elements outside [0, 1], and for a
    target of another dtype.""",
)


def _binary_cross_entropy_with_logits(
    self: Any, target: Any, weight: Any, pos_weight: Any, reduction: int
) -> Any:
    losses = _times(1 - target, self)  # first, so that its gradient is added to the other one's
    logarithms = aten.log_sigmoid.default(self)
    if pos_weight is not None:
        logarithms = _times(logarithms, (pos_weight - 1) * target + 1)
    if _may_be_written(logarithms):
        losses = losses.sub_(logarithms)
    else:
        losses = (losses - logarithms).to(losses.dtype)
    return _reduced(losses if weight is None else _times(losses, weight), reduction)


native_function(
    "binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? "
    "pos_weight=None, int reduction=Mean) -> Tensor",
    variants="function",
    composite=_binary_cross_entropy_with_logits,
    doc="""binary_cross_entropy of ``sigmoid(self)``, without overflow.

    ``pos_weight`` multiplies the terms of positive targets, ``weight`` the losses.  The result has the dtype
    of ``target``.""",
)


def _kl_div(self: Any, target: Any, reduction: int, log_target: bool) -> Any:
    for each in (self, target):
        if each._spec.dtype.category != 2:
            raise RuntimeError(f"kl_div: Integral and complex inputs not supported, but got {each.dtype}.")
    if log_target:
        return _reduced(target.exp() * (target - self), reduction)
    product = target * self  # first, so that its gradient is added to the other one's
    return _reduced(aten.xlogy.Tensor(target, target) - product, reduction)


native_function(
    "kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor",
    variants="function",
    composite=_kl_div,
    doc="""The Kullback-Leibler divergence ``target * (log(target) - self)``; ``self`` contains
    log-probabilities.

    With ``log_target``, so does ``target``.  Raises RuntimeError for dtypes that are not floating point.""",
)


def _hinge_embedding_loss(self: Any, target: Any, margin: float, reduction: int) -> Any:
    zeros = aten.zeros_like(self)
    far = aten.where.self(target != 1, (aten.full_like(self, margin) - self).clamp_min(0), zeros)
    near = aten.where.self(target != -1, self, zeros)
    return _reduced(far + near, reduction)


native_function(
    "hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=Mean) -> Tensor",
    variants="function",
    composite=_hinge_embedding_loss,
    doc="``self`` if the target is 1, ``max(0, margin - self)`` if it is -1.",
)

native_function(
    "margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=Mean) "
    "-> Tensor",
    composite=lambda input1, input2, target, margin, reduction: _reduced(
        (-target * (input1 - input2) + margin).clamp_min(0), reduction
    ),
    doc="``max(0, margin - target * (input1 - input2))``: for target 1, ``input1`` should be the larger.",
)

native_function(
    "soft_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor",
    python_module="nn",
    composite=lambda self, target, reduction: _reduced(
        _in_dtype_of(self, ((-(target * self)).exp() + 1).log()), reduction
    ),
    out=Out(exact=True),
    doc="``log(1 + exp(-target * self))`` in the dtype of ``self``; inf if the exponential overflows.",
)


def _cosine_embedding_loss(input1: Any, input2: Any, target: Any, margin: float, reduction: int) -> Any:
    ndim = target.ndim
    if ndim > 1:
        raise RuntimeError(
            f"0D or 1D target tensor expected, multi-target not supported, but got sizes {list(target.shape)}"
        )
    if input1.ndim != ndim + 1 or input2.ndim != ndim + 1:
        raise RuntimeError(
            f"{ndim}D target tensor expects {ndim + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    product = (input1 * input2).sum(ndim)
    square1 = (input1 * input1).sum(ndim) + _EPSILON
    square2 = (input2 * input2).sum(ndim) + _EPSILON
    cosine = product / (square1 * square2).sqrt()
    zeros = aten.zeros_like(cosine)
    near = aten.where.self(target == 1, 1 - cosine, zeros)
    far = aten.where.self(target == -1, (cosine - margin).clamp_min(0), zeros)
    return _reduced(near + far, reduction)


native_function(
    "cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int "
    "reduction=Mean) -> Tensor",
    composite=_cosine_embedding_loss,
    doc="""``1 - c`` if the target is 1, ``max(0, c - margin)`` if it is -1, where c is the cosine similarity
    of each pair of vectors.

    Inputs (N, D) with target (N), or (D) with a 0-dim target.  Raises RuntimeError for other numbers of
    dimensions.""",
)


def _triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float, p: float, eps: float, swap: bool, reduction: int
) -> Any:
    check_triplet(anchor, positive, negative)
    near = aten.pairwise_distance.default(anchor, positive, p, eps, False)
    far = aten.pairwise_distance.default(anchor, negative, p, eps, False)
    if swap:
        far = aten.minimum.default(far, aten.pairwise_distance.default(positive, negative, p, eps, False))
    return _reduced((margin + near - far).clamp_min(0), reduction)


native_function(
    "triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float "
    "eps=1e-06, bool swap=False, int reduction=Mean) -> Tensor",
    composite=_triplet_margin_loss,
    doc="""``max(0, margin + d(anchor, positive) - d(anchor, negative))``, where d is pairwise_distance.

    With ``swap``, d(positive, negative) replaces d(anchor, negative) if it is smaller.  Balntas et al.
    (2016).""",
)
