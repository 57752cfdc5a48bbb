"""Dropout: elements, or whole channels, set to 0 at random while training.

``dropout`` multiplies by noise that is 0 or 1 / (1 - p), which preserves the mean; alpha dropout also
preserves the variance of inputs that selu has normalized.  Each result element is one product (and a sum for
alpha dropout), rounded to the dtype at each step; nothing is accumulated.

Source: aten/src/ATen/native/Dropout.cpp; Srivastava et al., "Dropout" (2014); Klambauer et al.,
"Self-Normalizing Neural Networks" (2017), for alpha dropout.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...values.dtype import bool_

_SELU_LIMIT = 1.7580993408473766  # minus the limit of selu at -infinity


def _noise(input: Any, by_feature: bool) -> Any:
    """An empty tensor with one element for each element of the input, or for each channel of (N, C, *)."""
    if not by_feature:
        return aten.empty_like(input.detach())
    if input.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return input.detach().new_empty((*input.shape[:2], *[1] * (input.ndim - 2)))


def _apply(input: Any, p: float, train: bool, by_feature: bool, alpha: bool, in_place: bool) -> Any:
    """All kinds of dropout.  Source: _dropout_impl."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")
    if p == 0 or not train or not input.numel():
        return input
    multiply = aten.mul_.Tensor if in_place else aten.mul.Tensor
    if p == 1:
        return multiply(input, aten.zeros((), dtype=input.dtype, device=input.device))
    noise = aten.bernoulli_.float(_noise(input, by_feature), 1 - p, None)
    if not alpha:
        return multiply(input, noise.div_(1 - p))
    scale = 1 / math.sqrt((_SELU_LIMIT * _SELU_LIMIT * p + 1) * (1 - p))
    shift = noise.add(-1).mul_(_SELU_LIMIT * scale).add_(_SELU_LIMIT * scale * p)
    return multiply(input, noise.mul_(scale)).add_(shift)


def _define(name: str, by_feature: bool, alpha: bool, doc: str) -> None:
    def function(in_place: bool) -> Callable[..., Any]:
        return lambda input, p, train: _apply(input, p, train, by_feature, alpha, in_place)

    schema = f"{name}(Tensor input, float p, bool train) -> Tensor"
    native_function(schema, composite=function(False), doc=doc)
    native_function(
        f"{name}_(Tensor(a!) self, float p, bool train) -> Tensor(a!)",
        composite=function(True),
        variants="function",
        doc=f"In-place version of {name}.",
    )


_define(
    "dropout",
    False,
    False,
    "Zeroes each element with probability ``p`` and divides the others by 1 - p; returns ``input`` itself "
    "unless ``train``.",
)
_define(
    "feature_dropout",
    True,
    False,
    "Zeroes each channel of (N, C, *) with probability ``p`` and divides the others by 1 - p; returns "
    "``input`` itself unless ``train``.",
)
_define(
    "alpha_dropout",
    False,
    True,
    "Sets each element with probability ``p`` to the limit of selu at -inf, then scales and shifts all to "
    "preserve mean and variance; returns ``input`` itself unless ``train``.",
)
_define(
    "feature_alpha_dropout",
    True,
    True,
    "alpha_dropout of whole channels of (N, C, *); returns ``input`` itself unless ``train``.",
)


def _native_dropout(input: Any, p: float, train: bool | None) -> tuple[Any, Any]:
    if not input.numel():
        return input.clone(), aten.empty_like(input, dtype=bool_)
    if train is False:
        return input.clone(), aten.ones_like(input, dtype=bool_)
    mask = aten.bernoulli_.float(aten.empty_like(input, dtype=bool_), 1 - p, None)
    return input.mul(mask).mul_(_scale(p, train)), mask


def _scale(p: float, train: bool | None) -> float:
    if train is False:
        return 1.0
    return 0.0 if p == 1 else 1.0 / (1.0 - p)


native_function(
    "native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)",
    explicit=_native_dropout,
    derivatives={
        "input": lambda grad, result1, p, train: aten.native_dropout_backward.default(
            grad, result1, _scale(p, train)
        )
    },
    non_differentiable_outputs=(1,),
    batching="composed",
    variants="function",
    doc="Returns dropout of ``input``, and the mask (bool) of kept elements: all, unless ``train`` is True "
    "or None.",
)

native_function(
    "native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor",
    explicit=lambda grad_output, mask, scale: grad_output * mask * scale,
    derivatives={
        "grad_output": lambda grad, mask, scale: aten.native_dropout_backward.default(grad, mask, scale)
    },
    batching="composed",
    variants="function",
    doc="""The gradient of native_dropout, ``grad_output * mask * scale``.

    The result has the sizes and dtype of ``grad_output``; the mask is bool.""",
)
