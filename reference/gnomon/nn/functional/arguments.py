"""Checks and normalizes arguments of modules and functions."""

from __future__ import annotations

from typing import Any

from ...values.errors import warn
from ..common_types import Reduction

# The number by which operators take a reduction.  Source: at::Reduction.
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def pair(value: Any) -> tuple[int, int]:
    """``n`` -> ``(n, n)``; a pair is returned unchanged.  Raises ValueError for another length."""
    if isinstance(value, int):
        return (value, value)
    values = tuple(value)
    if len(values) != 2:
        raise ValueError(f"expected one or two numbers, but got {values}")
    return values


def resolve_reduction(
    reduction: Reduction, size_average: bool | None = None, reduce: bool | None = None
) -> Reduction:
    """The reduction; the deprecated ``size_average`` and ``reduce`` override it if given, with a warning.

    Source: torch.nn._reduction.
    """
    if size_average is None and reduce is None:
        return reduction
    if reduce is not None and not reduce:
        meant: Reduction = "none"
    elif size_average is None or size_average:
        meant = "mean"
    else:
        meant = "sum"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{meant}' instead.")
    return meant


def reduction_number(reduction: str) -> int:
    if reduction not in REDUCTIONS:
        raise ValueError(
            f"{reduction} is not a valid value for reduction; expected one of {list(REDUCTIONS)}"
        )
    return REDUCTIONS[reduction]


def check_probability(p: float) -> None:
    """Raises ValueError unless ``0 <= p <= 1``."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def wrap_padding_idx(padding_idx: int | None, num_embeddings: int) -> int | None:
    """``padding_idx`` as a non-negative number.  Raises ValueError if it is out of range."""
    if padding_idx is None:
        return None
    if not -num_embeddings <= padding_idx < num_embeddings:
        raise ValueError(
            f"Padding_idx must be within num_embeddings, but got padding_idx {padding_idx} and "
            f"{num_embeddings} rows"
        )
    return padding_idx % num_embeddings


def implicit_dim(name: str, ndim: int) -> int:
    """The default dimension of softmax, by PyTorch's rule and with its warning."""
    warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
        "argument.",
    )
    return 0 if ndim in (0, 1, 3) else 1
