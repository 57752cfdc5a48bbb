"""Parts that derivative formulas share.

A formula is a function of tensors (and numbers that stand for tensors) made of ordinary operators, so that it
can be differentiated again; see autograd/variable_type.py.
"""

from __future__ import annotations

from typing import Any


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
