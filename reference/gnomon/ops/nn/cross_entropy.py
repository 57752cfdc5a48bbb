"""Classification losses: negative log likelihood, cross entropy.

A reduction is an int: 0 none, 1 mean, 2 sum.  Sums are exact and rounded once.
Source: aten/src/ATen/native/LossNLL.cpp.
"""

from __future__ import annotations

import math
from typing import Any

from ...calls.checks import check_same_dtype, refuse_dtype
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import divide, exact_sum
from ...values.dtype import int64, uint8

NONE, MEAN, SUM = 0, 1, 2


def _check_one_target(size: int) -> None:
    """Raises ValueError unless a 1-D input has one target."""
    if size != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {size}")


def _nll_meta(
    self: Spec, target: Spec, weight: Spec | None, reduction: int, ignore_index: int
) -> tuple[Spec, Spec]:
    if self.ndim not in (1, 2):
        raise RuntimeError("input tensor should be 1D or 2D")
    if self.ndim == target.ndim == 1:
        _check_one_target(target.sizes[0])
    if target.ndim > 1 or target.ndim < self.ndim - 1:
        raise RuntimeError(
            "0D or 1D target tensor expected, multi-target not supported: input has sizes "
            f"{list(self.sizes)}, target {list(target.sizes)}"
        )
    if self.ndim == 2 and self.sizes[0] != target.sizes[0]:
        raise RuntimeError(f"size mismatch (got input: {list(self.sizes)}, target: {list(target.sizes)})")
    if target.dtype is not int64:
        raise RuntimeError(
            f"expected target dtype to be Long or Byte, but got {target.dtype.scalar_type}; target.long() "
            f"converts class indices, and class probabilities have the input's sizes, {list(self.sizes)}"
        )
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    if weight is not None and weight.dtype is not self.dtype:
        raise RuntimeError(
            f"expected scalar type {self.dtype.name} but found {weight.dtype.name} for argument 'weight'"
        )
    if weight is not None and weight.sizes != (self.sizes[-1],):
        raise RuntimeError(
            f"weight tensor should be defined either for all {self.sizes[-1]} classes or no classes but got "
            f"weight tensor of shape: {list(weight.sizes)}"
        )
    per_element = reduction == NONE and self.ndim == 2
    return self.contiguous((self.sizes[0],) if per_element else ()), self.contiguous(())


def _picked(self: TensorAccessor, target: TensorAccessor, weight: Any, ignore_index: int) -> Any:
    """For each row its class, the offset of that class's element, and the class's weight; None if ignored."""
    classes = self.sizes[-1]
    step = self.strides[-1]
    for row, at in enumerate(target.offsets()):
        number = target.read(at)
        if number == ignore_index:
            yield None
            continue
        if not 0 <= number < classes:
            raise IndexError(
                f"Target {number} is out of bounds. Expected a class from 0 to {classes - 1}, or "
                f"ignore_index, {ignore_index}"
            )
        start = self.offset + (row * self.strides[0] if len(self.sizes) == 2 else 0)
        yield number, start + number * step, (1.0 if weight is None else weight[number])


def _nll_kernel(
    output: Tensor,
    total_weight: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
) -> None:
    """Minus the target's element of each row times the class's weight; their sum, or their weighted mean."""
    source = TensorAccessor(self)
    weights = None if weight is None else TensorAccessor(weight)
    losses, used = [], []
    for picked in _picked(source, TensorAccessor(target), weights, ignore_index):
        losses.append(-0.0 if picked is None else -source.read(picked[1]) * picked[2])
        used.append(0.0 if picked is None else picked[2])
    out = TensorAccessor(output)
    if reduction == NONE and self._spec.ndim == 2:
        for offset, loss in zip(out.offsets(), losses):
            out.write(offset, 0.0 if loss == 0 else loss)
        TensorAccessor(total_weight)[()] = 0.0
        return
    total, count = exact_sum(losses), exact_sum(used)
    if not losses:
        total, count = 0.0, 0.0
    out[()] = divide(total, count) if reduction == MEAN else total
    TensorAccessor(total_weight)[()] = count


native_function(
    "nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> "
    "(Tensor output, Tensor total_weight)",
    python_module="nn",
    meta=_nll_meta,
    kernel=_nll_kernel,
    derivatives={
        "self": lambda grad, self, target, weight, reduction, ignore_index, total_weight: (
            aten.nll_loss_backward.default(grad, self, target, weight, reduction, ignore_index, total_weight)
        )
    },
    non_differentiable_outputs=(1,),
    node_name="NllLossBackward0",
    doc="Returns the negative log likelihood of log-probabilities (N, C) for class indices (N), and the sum "
    "of the class weights used (0 if ``reduction`` is 0).",
)


def _nll_backward_meta(
    grad_output: Spec,
    self: Spec,
    target: Spec,
    weight: Spec | None,
    reduction: int,
    ignore_index: int,
    total_weight: Spec,
) -> Spec:
    output, _ = _nll_meta(self, target, weight, reduction, ignore_index)
    if output.ndim and grad_output.sizes != output.sizes:
        raise RuntimeError(
            f"Expected a tensor of dimension 1 and tensor.size[0] == {output.sizes[0]} but got: dimension "
            f"{grad_output.ndim} and sizes {list(grad_output.sizes)}"
        )
    if not output.ndim and (grad_output.numel != 1 or grad_output.ndim > 1):
        raise RuntimeError(
            f"Expected a single element grad_output tensor, but got: {list(grad_output.sizes)}"
        )
    if total_weight.numel != 1:
        raise RuntimeError(
            f"expected total_weight to be a single element tensor, but got {list(total_weight.sizes)}"
        )
    check_same_dtype(self=self, grad_output=grad_output, total_weight=total_weight)
    return self.contiguous()


def _nll_backward_kernel(
    grad_input: Tensor,
    grad_output: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
    total_weight: Tensor,
) -> None:
    """At each row's target, minus the weight (for a mean, over the total) times ``grad``; 0 elsewhere."""
    out, grad = TensorAccessor(grad_input), TensorAccessor(grad_output)
    for offset in out.offsets():
        out.write(offset, 0.0)
    weights = None if weight is None else TensorAccessor(weight)
    total = TensorAccessor(total_weight)[()]
    per_element = reduction == NONE and self._spec.ndim == 2
    for row, picked in enumerate(
        _picked(TensorAccessor(self), TensorAccessor(target), weights, ignore_index)
    ):
        if picked is None:
            continue
        number, _, class_weight = picked
        gradient = grad[row] if per_element else grad.read(grad.offset)
        value = -gradient * class_weight
        if reduction == MEAN:
            value = divide(value, total)
        out[(row, number) if len(out.sizes) == 2 else (number,)] = value


native_function(
    "nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, "
    "SymInt ignore_index, Tensor total_weight) -> Tensor",
    python_module="nn",
    meta=_nll_backward_meta,
    kernel=_nll_backward_kernel,
    derivatives={
        "grad_output": lambda grad, target, weight, reduction, ignore_index: aten.nll_loss_forward.default(
            grad, target, weight, reduction, ignore_index
        )[0],
        "self": lambda grad: aten.zeros_like(grad),
    },
    doc="The gradient of nll_loss_forward.",
)


def _nll_loss_nd(self: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    if self.ndim < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {self.ndim})")
    if self.ndim == 1 and target.ndim == 1:
        _check_one_target(target.size(0))
        target = target.squeeze(0)
    rows = target.size(0) if target.ndim else 0
    if self.ndim != 1 and self.size(0) != rows:
        raise ValueError(f"Expected input batch_size ({self.size(0)}) to match target batch_size ({rows}).")
    wanted = (self.size(0), *self.shape[2:])
    if self.ndim > 2 and tuple(target.shape) != wanted:
        raise RuntimeError(f"Expected target size {list(wanted)}, got {list(target.shape)}")
    if self.ndim <= 2:
        if target.dtype is uint8:
            target = target.to(int64)
        return aten.nll_loss_forward.default(self, target, weight, reduction, ignore_index)[0]
    # dimension 1 is that of the classes; the dimensions after it become rows
    rows = self.movedim(1, -1).reshape(target._spec.numel, self.size(1))
    losses = aten.nll_loss_forward.default(rows, target.reshape(-1), weight, reduction, ignore_index)[0]
    return losses.view(target._spec.sizes) if reduction == NONE else losses


native_function(
    "nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt "
    "ignore_index=-100) -> Tensor",
    python_module="nn",
    composite=_nll_loss_nd,
    doc="Returns the negative log likelihood of log-probabilities (N, C, *) for class indices (N, *).",
)


def _cross_entropy(
    self: Any, target: Any, weight: Any, reduction: int, ignore_index: int, label_smoothing: float
) -> Any:
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if self.shape == target.shape:
        if not target.is_floating_point():
            raise RuntimeError(
                f"Expected floating point type for target with class probabilities, got {target.dtype.name}"
            )
        if ignore_index >= 0:
            raise RuntimeError(
                f"ignore_index is not supported for floating point target, but got {ignore_index}"
            )
    class_dim = 0 if self.ndim == 1 else 1
    classes = self.size(class_dim)
    is_of_classes = weight is None or (weight.ndim == 1 and weight.numel() == classes)
    if self.shape == target.shape and not is_of_classes:  # for class indices nll_loss checks it
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes "
            f"but got weight tensor of shape: {list(weight.shape)}"
        )
    logarithms = aten._log_softmax.default(self, class_dim, False)
    if self.shape == target.shape:
        return _against_probabilities(
            logarithms, target, weight, reduction, label_smoothing, class_dim, classes
        )
    loss = _nll_loss_nd(logarithms, target, weight, reduction, ignore_index)
    if label_smoothing == 0:
        return loss
    smooth = (
        -logarithms.sum(class_dim)
        if weight is None
        else -(
            logarithms * weight.reshape([classes if dim == class_dim else 1 for dim in range(self.ndim)])
        ).sum(class_dim)
    )
    ignored = target == ignore_index
    smooth = smooth.masked_fill(ignored, 0.0)
    if reduction == MEAN:
        if weight is not None:
            used = (
                weight.gather(0, target.masked_fill(ignored, 0).reshape(-1))
                .masked_fill(ignored.reshape(-1), 0.0)
                .sum()
            )
            smooth = smooth.sum() / used
        else:
            smooth = smooth.sum() / (~ignored).sum()
    elif reduction == SUM:
        smooth = smooth.sum()
    return (1 - label_smoothing) * loss + smooth * divide(label_smoothing, classes)


def _against_probabilities(
    logarithms: Any,
    target: Any,
    weight: Any,
    reduction: int,
    label_smoothing: float,
    class_dim: int,
    classes: int,
) -> Any:
    if label_smoothing > 0:
        target = target * (1 - label_smoothing) + divide(label_smoothing, classes)
    terms = logarithms * target
    if weight is not None:
        terms = terms * weight.reshape([classes if dim == class_dim else 1 for dim in range(logarithms.ndim)])
    if reduction == MEAN:
        rows = logarithms.numel() // classes if classes else 0
        return -(terms.sum()) / (rows if rows else math.nan)
    if reduction == SUM:
        return -terms.sum()
    return -terms.sum(class_dim)


native_function(
    "cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt "
    "ignore_index=-100, float label_smoothing=0.0) -> Tensor",
    python_module="nn",
    composite=_cross_entropy,
    doc="""Returns the cross entropy of logits (N, C, *) and targets: class indices (N, *), or class
    probabilities with the sizes of the logits.

    ``reduction``: 0 none, 1 mean (weighted, for class indices), 2 sum.""",
)
