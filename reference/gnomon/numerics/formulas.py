"""Parts that derivative formulas share.

A formula is a function of tensors (and numbers that stand for tensors) made of ordinary operators, so that it
can be differentiated again; see autograd/variable_type.py.
"""

from __future__ import annotations

from typing import Any

from ..dispatch.dispatcher import aten


def conj(value: Any) -> Any:
    """The complex conjugate of a tensor or number; a real one itself."""
    try:
        is_complex = value._spec.dtype.is_complex
    except AttributeError:
        return value.conjugate()
    return value.conj() if is_complex else value


def scaled(grad: Any, alpha: Any) -> Any:
    """``grad * conj(alpha)``, or grad itself where alpha is 1.  Source: maybe_multiply."""
    return grad if alpha == 1 else grad * alpha.conjugate()


def evenly_distributed(grad: Any, self: Any, result: Any) -> Any:
    """``grad`` spread evenly over the elements that are the result, 0 elsewhere; NaN is equal to NaN here.

    Source: evenly_distribute_backward.
    """
    chosen = (self == result).logical_or(self.isnan().logical_and(result.isnan()))
    return aten.zeros_like(self).masked_fill(chosen, grad / chosen.sum())
