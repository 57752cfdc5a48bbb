"""Type promotion.

``x + y`` is computed in one dtype.  Which one depends on the operands' dtypes, and on what kind of operand
each is.  There are three kinds, from the one with the most say to that with the least: tensors with
dimensions ("dimensioned"), tensors without dimensions ("zero-dim"), Python's numbers ("number").

Each dtype has a category: bool 0, integers 1, floating point 2, complex 3 (``dtype.category``).  An operand
of a lower kind matters only if its category is higher than that of the kinds above it: ``int_tensor + 2.5``
becomes floating point, but ``float16_tensor + 2.5`` remains float16.  Where categories are different in
this way, and the result becomes complex, the precision is still that of the floats of the higher kind.

Write ``promote``.  ``gn.promote_types(a, b)`` gives the common dtype of two operands of the same kind, and
``dtype.to_complex()`` the complex dtype of a float's precision.  Numbers come as gn.bool, gn.int64,
gn.float32 and gn.complex64.

    promote([(gn.float16, "dimensioned"), (gn.float32, "number")])  ->  gn.float16
    promote([(gn.int8, "dimensioned"), (gn.float64, "zero-dim")])   ->  gn.float64
    promote([(gn.int8, "dimensioned"), (gn.int64, "zero-dim")])     ->  gn.int8
"""

from __future__ import annotations

import gnomon as gn


def promote(operands: list[tuple[gn.dtype, str]]) -> gn.dtype:
    """The common dtype of operands: pairs of a dtype and a kind.  There is at least one."""
    raise NotImplementedError
