"""Functions that derivative formulas share.

A formula is a function of tensors (and wrapped numbers) that calls ordinary operators, so that it can be
differentiated again; see autograd/variable_type.py.
"""

from __future__ import annotations

from typing import Any

from ..dispatch.dispatcher import aten


def conj(value: Any) -> Any:
    """The complex conjugate of a tensor or number; itself if it is real."""
    try:
        is_complex = value._spec.dtype.is_complex
    except AttributeError:
        return value.conjugate()
    return value.conj() if is_complex else value


def scaled(grad: Any, alpha: Any) -> Any:
    """``grad * conj(alpha)``, or ``grad`` itself if alpha is 1.  Source: maybe_multiply."""
    return grad if alpha == 1 else grad * alpha.conjugate()


def evenly_distributed(grad: Any, self: Any, result: Any) -> Any:
    """``grad`` distributed evenly over the elements equal to the result, 0 elsewhere; NaN equals NaN.

    Source: evenly_distribute_backward.
    """
    chosen = (self == result).logical_or(self.isnan().logical_and(result.isnan()))
    return aten.zeros_like(self).masked_fill(chosen, grad / chosen.sum())
