"""bincount.

Source: aten/src/ATen/native/SummaryOps.cpp.
"""

from __future__ import annotations

from typing import Any

from ...calls.checks import refuse_dtype
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...values.dtype import float32, float64, int64


def _bincount(self: Any, weights: Any, minlength: int) -> Any:
    refuse_dtype(self.dtype, "bool", "floating", "complex")
    if minlength < 0:
        raise RuntimeError(f"minlength should be >= 0, got {minlength}")
    if self.ndim != 1:
        raise RuntimeError(f"bincount only supports 1-d non-negative integral inputs, got {self.ndim}D")
    if weights is not None and weights.shape != self.shape:
        raise RuntimeError(
            "weights should be 1-d and have the same length as input, got "
            f"{list(weights.shape)} and {list(self.shape)}"
        )
    if self.numel() == 0:
        return aten.zeros((minlength,), dtype=int64, device=self.device)
    if int(self.min().item()) < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs, got a negative element")
    if weights is None:
        weights = aten.ones_like(self, dtype=int64)
    elif weights.dtype is not float32:
        weights = weights.to(float64)
    size = max(int(self.max().item()) + 1, minlength)
    counts = aten.zeros.default((size,), weights.dtype, None, self.device, None)
    positions = self if self.dtype is int64 else self.to(int64)
    return aten.scatter_add.default(counts, 0, positions, weights.detach())


bincount = native_function(
    "bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor",
    composite=_bincount,
    doc="""Counts the occurrences of each value in a 1-D tensor of nonnegative integers (int64).

    With ``weights``, sums the weights of each value instead (float64, or float32 for float32 weights).  The
    result has ``max + 1`` elements, at least ``minlength``.  Raises RuntimeError for other inputs.""",
)
