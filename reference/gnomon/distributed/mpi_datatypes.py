"""gnomon's dtypes and reductions in MPI's terms.

MPI adds and multiplies its own datatypes itself.  What it does not know (bfloat16, float16, NaN in a minimum)
it moves as bytes, and combines by an operation that is registered with it and that runs gnomon's operators on
MPI's memory: no element is ever converted, and nothing is pickled.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gnomon as gn

from .reduce_op import ReduceOp

_NUMBERS = {
    gn.uint8: "UINT8_T",
    gn.uint16: "UINT16_T",
    gn.uint32: "UINT32_T",
    gn.uint64: "UINT64_T",
    gn.int8: "INT8_T",
    gn.int16: "INT16_T",
    gn.int32: "INT32_T",
    gn.int64: "INT64_T",
    gn.float32: "FLOAT",
    gn.float64: "DOUBLE",
    gn.complex64: "C_FLOAT_COMPLEX",
    gn.complex128: "C_DOUBLE_COMPLEX",
}
_OF_NUMBERS = {ReduceOp.SUM: "SUM", ReduceOp.AVG: "SUM", ReduceOp.PRODUCT: "PROD"}
_OF_INTEGERS = {**_OF_NUMBERS, **{ReduceOp[each]: each for each in ("MIN", "MAX", "BAND", "BOR", "BXOR")}}
_OF_BOOL = {
    **dict.fromkeys([ReduceOp.SUM, ReduceOp.MAX, ReduceOp.BOR], "LOR"),
    **dict.fromkeys([ReduceOp.PRODUCT, ReduceOp.MIN, ReduceOp.BAND], "LAND"),
    ReduceOp.BXOR: "LXOR",
}
_OPERATORS: dict[ReduceOp, Callable[..., Any]] = {
    ReduceOp.SUM: gn.add,
    ReduceOp.AVG: gn.add,
    ReduceOp.PRODUCT: gn.mul,
    ReduceOp.MIN: gn.minimum,
    ReduceOp.MAX: gn.maximum,
}


@functools.cache
def datatype_of(dtype: gn.dtype) -> Any:
    """The MPI datatype of an element."""
    from mpi4py import MPI

    if dtype is gn.bool:
        return MPI.C_BOOL
    if dtype in _NUMBERS:
        return getattr(MPI, _NUMBERS[dtype])
    return MPI.BYTE.Create_contiguous(dtype.itemsize).Commit()


@functools.cache
def operation_of(op: ReduceOp, dtype: gn.dtype) -> Any:
    """The MPI operation that combines elements of a dtype."""
    from mpi4py import MPI

    if dtype is gn.bool:
        return getattr(MPI, _OF_BOOL[op])
    if dtype in _NUMBERS:
        named = _OF_NUMBERS if dtype.is_floating_point or dtype.is_complex else _OF_INTEGERS
        if op in named:
            return getattr(MPI, named[op])
    return MPI.Op.Create(_combining(_OPERATORS[op], dtype), commute=True)


def _combining(operator: Callable[..., Any], dtype: gn.dtype) -> Callable[[Any, Any, Any], None]:
    """A function ``combine(source, target, datatype)`` for MPI: target = operator(source, target)."""

    def combine(source: Any, target: Any, datatype: Any) -> None:
        with gn.no_grad():
            left, right = (gn.frombuffer(memoryview(each), dtype=dtype) for each in (source, target))
            operator(left, right, out=right)

    return combine
