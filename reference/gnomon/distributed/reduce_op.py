"""How a collective combines the elements of several processes.  Source: torch.distributed.ReduceOp."""

from __future__ import annotations

import enum
from typing import Any

from ..memory.tensor import Tensor
from ..values.dtype import dtype


class ReduceOp(enum.Enum):
    """The reductions of ``all_reduce``, ``reduce`` and ``reduce_scatter``.

    ``AVG`` is the sum divided by the number of processes, for integers rounded toward zero.  ``MIN`` and
    ``MAX`` return NaN where any process has it.  ``BAND``, ``BOR`` and ``BXOR`` are for integers and bool.
    With bool, ``SUM`` and ``MAX`` are "or", ``PRODUCT`` and ``MIN`` are "and".
    Source: torch.distributed.ReduceOp.
    """

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7


_BITWISE = (ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR)


def check_op(op: Any) -> None:
    """Raises ValueError for what is no ReduceOp."""
    if not isinstance(op, ReduceOp):
        raise ValueError("Invalid ``op`` arg. Expected to be of type ``ReduceOp`` or ``ReduceOp.RedOpType``.")


def supports_complex(op: ReduceOp) -> bool:
    """Whether complex numbers can be combined so.  Source: torch.distributed.supports_complex."""
    return op in (ReduceOp.SUM, ReduceOp.AVG)


def check_reduction(name: str, op: Any, tensor: Tensor) -> None:
    """Raises ValueError for what is no ReduceOp, and for one that complex numbers do not have; RuntimeError
    for one that the tensor's dtype does not have.
    """
    check_op(op)
    kind: dtype = tensor.dtype
    if kind.is_complex and not supports_complex(op):
        raise ValueError(f"{name} does not support {op} on complex tensors")
    if op in _BITWISE and kind.is_floating_point:
        raise RuntimeError(f"{name}: cannot use {op} with non-integral dtype {kind}")
    has_no_mean = op is ReduceOp.AVG and kind.name in ("bool", "uint64")
    if has_no_mean or (kind.itemsize == 1 and kind.is_floating_point):  # which have no arithmetic
        raise RuntimeError(f"{name}: cannot use {op} with dtype {kind}")
