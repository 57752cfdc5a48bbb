"""Clipping of gradients, by list operators unless ``foreach`` is False or they are on several devices.

Source: torch/nn/utils/clip_grad.py.
"""

from __future__ import annotations

import math
import types
from collections.abc import Iterable
from typing import Any

import gnomon as gn

from ...dispatch.dispatcher import aten
from ...values.errors import warn

Tensors = gn.Tensor | Iterable[gn.Tensor]


def _as_list(tensors: Tensors) -> list[gn.Tensor]:
    return [tensors] if isinstance(tensors, gn.Tensor) else list(tensors)


@gn.no_grad()
def get_total_norm(
    tensors: Tensors,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> gn.Tensor:
    """The norm of all tensors together, as if they were one vector: 0-d, on the first one's device.

    Raises RuntimeError for a norm that is not finite if ``error_if_nonfinite``.  Source:
    torch.nn.utils.get_total_norm.
    """
    tensors = _as_list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return gn.tensor(0.0)
    device = tensors[0].device
    if _uses_lists(tensors, foreach):
        norms = list(aten._foreach_norm.Scalar(tensors, norm_type, None))
    else:
        norms = [gn.linalg.vector_norm(each, norm_type).to(device) for each in tensors]
    total_norm = gn.linalg.vector_norm(gn.stack(norms), norm_type)
    if error_if_nonfinite and not bool(total_norm.isfinite()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it "
            "cannot be clipped. To disable this error and scale the gradients by the non-finite norm anyway, "
            "set `error_if_nonfinite=False`"
        )
    return total_norm


@gn.no_grad()
def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: gn.Tensor, foreach: bool | None = None
) -> None:
    """Scales the gradients, in place, by ``max_norm / total_norm``, but never up.

    Source: torch.nn.utils.clip_grads_with_norm_.
    """
    grads = [each.grad for each in _as_list(parameters) if each.grad is not None]
    if not grads:
        return
    # Without a comparison, which would wait for the device; the small number avoids a division by zero.
    factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    if _uses_lists(grads, foreach):
        aten._foreach_mul_.Tensor(grads, factor.to(grads[0].device))
        return
    for grad in grads:
        grad.mul_(factor.to(grad.device))


@gn.no_grad()
def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> gn.Tensor:
    """Scales the gradients, in place, so that the norm of all together is at most ``max_norm``.

    Returns the norm before, 0-d.  Of parameters of which each process has a part (``fully_shard``) it is
    that of the whole; all processes must call this.  Raises RuntimeError for a norm that is not finite if
    ``error_if_nonfinite``.  Warns of an empty generator.  Source: torch.nn.utils.clip_grad_norm_.
    """
    is_generator = isinstance(parameters, types.GeneratorType)
    parameters = _as_list(parameters)
    if is_generator and not parameters:
        warn("`parameters` is an empty generator, no gradient clipping will occur.")
    total_norm = _norm_of_gradients(parameters, float(norm_type), error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total_norm, foreach)
    return total_norm


def _norm_of_gradients(
    parameters: list[gn.Tensor], norm_type: float, error_if_nonfinite: bool, foreach: bool | None
) -> gn.Tensor:
    """The norm of all gradients, those that are in parts among processes as wholes."""
    in_parts: dict[Any, list[gn.Tensor]] = {}  # by the groups of processes that have parts
    norms = []
    for parameter in parameters:
        sharding = getattr(parameter, "_sharding", None)  # distributed.tensor.Sharding
        if sharding is not None:
            in_parts.setdefault(sharding.groups, []).append(parameter)
        elif parameter.grad is not None:
            norms.append(parameter.grad)
    for members in in_parts.values():
        own = gn.stack([_norm_of_part(each, norm_type) for each in members])
        norms += members[0]._sharding.norm_of_whole(own, norm_type).unbind()  # type: ignore[attr-defined]
    return get_total_norm(norms, norm_type, error_if_nonfinite, foreach)


def _norm_of_part(parameter: gn.Tensor, norm_type: float) -> gn.Tensor:
    if parameter.grad is None or not parameter.numel():
        nothing = 0.0 if norm_type >= 0 else math.inf
        return parameter.new_full((), nothing, dtype=parameter.dtype.to_real())
    return gn.linalg.vector_norm(parameter.grad, norm_type)


def clip_grad_norm(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> gn.Tensor:
    """Deprecated name of ``clip_grad_norm_``, with a FutureWarning."""
    warn(
        "`gnomon.nn.utils.clip_grad_norm` is now deprecated in favor of `gnomon.nn.utils.clip_grad_norm_`.",
        FutureWarning,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@gn.no_grad()
def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Clamps the gradients, in place, to [-clip_value, clip_value].

    Source: torch.nn.utils.clip_grad_value_.
    """
    clip_value = float(clip_value)
    grads = [each.grad for each in _as_list(parameters) if each.grad is not None]
    if grads and _uses_lists(grads, foreach):
        aten._foreach_clamp_min_.Scalar(grads, -clip_value)
        aten._foreach_clamp_max_.Scalar(grads, clip_value)
        return
    for grad in grads:
        grad.clamp_(min=-clip_value, max=clip_value)


def _uses_lists(tensors: list[gn.Tensor], foreach: bool | None) -> bool:
    """Are they scaled by list operators?  By default if all are on one device."""
    return foreach is not False and all(each.device == tensors[0].device for each in tensors)
