"""Bitwise logic and shifts of integers; for bool, logic only.

Operands broadcast and promote.  Floating point and complex dtypes raise NotImplementedError.
Source: aten/src/ATen/native/BinaryOps.cpp, cpu/BinaryOpsKernel.cpp.
"""

from __future__ import annotations

from collections.abc import Callable

from ...calls.iterator import TensorIterator
from ...calls.meta_functions import binary, unary
from ...calls.native import native_function
from ...calls.record import Out
from ...numerics.loops import for_each, pointwise
from ...values.dtype import UNSIGNED

bitwise_not = native_function(
    "bitwise_not(Tensor self) -> Tensor",
    meta=unary("floating", "complex"),
    kernel=pointwise(lambda a: (not a) if isinstance(a, bool) else ~a),
    inplace=True,
    out=Out(exact=True),
    doc="Inverts each bit; for bool, computes the logical NOT.",
)

bitwise_and = native_function(
    "bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor",
    numbers="either",
    meta=binary("floating", "complex"),
    kernel=pointwise(lambda a, b: a & b),
    limited=UNSIGNED,
    inplace=True,
    out="Tensor_out",
    doc="Computes the bitwise AND of the operands; for bool, the logical AND.",
)

bitwise_or = native_function(
    "bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor",
    numbers="either",
    meta=binary("floating", "complex"),
    kernel=pointwise(lambda a, b: a | b),
    limited=UNSIGNED,
    inplace=True,
    out="Tensor_out",
    doc="Computes the bitwise OR of the operands; for bool, the logical OR.",
)

bitwise_xor = native_function(
    "bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor",
    numbers="either",
    meta=binary("floating", "complex"),
    kernel=pointwise(lambda a, b: a ^ b),
    limited=UNSIGNED,
    inplace=True,
    out="Tensor_out",
    doc="Computes the bitwise XOR of the operands; for bool, the logical XOR.",
)


def _shift(function: Callable[[int, int, int], int]) -> Callable[[TensorIterator], None]:
    """The kernel of ``function(number, shift, bits of the dtype without the sign bit)``."""

    def kernel(iterator: TensorIterator) -> None:
        dtype = iterator.common_dtype
        bits = dtype.bits - dtype.is_signed
        for_each(iterator, lambda a, places: function(a, places, bits))

    return kernel


bitwise_left_shift = native_function(
    "bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor",
    numbers="either",
    meta=binary("bool", "floating", "complex"),
    kernel=_shift(lambda a, places, bits: a << places if 0 <= places <= bits else 0),
    inplace=True,
    out="Tensor_out",
    doc="""Computes ``self * 2**other``, wrapping around; 0 if all bits are shifted out or ``other`` is
    negative.""",
)

bitwise_right_shift = native_function(
    "bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor",
    numbers="either",
    meta=binary("bool", "floating", "complex"),
    kernel=_shift(lambda a, places, bits: a >> (places if 0 <= places <= bits else bits)),
    inplace=True,
    out="Tensor_out",
    doc="""Computes ``floor(self / 2**other)``: an arithmetic shift, which keeps the sign.

    If all bits are shifted out or ``other`` is negative, the result is -1 for negative elements, else 0.""",
)
