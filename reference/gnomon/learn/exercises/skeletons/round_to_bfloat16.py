"""Rounding to bfloat16.

A bfloat16 is the upper half of a float32: the sign, all 8 bits of the exponent, and 7 of the 23 bits of the
fraction.  So a conversion has to round away 16 bits.  Hardware rounds to the nearest number, and a number
exactly in the middle (a tie) to the one whose last bit is 0: "ties to even".

Write ``round_to_bfloat16``, which returns the 16 bits as an int.  Numbers too large for bfloat16 become
infinite.  A NaN must remain a NaN, with any pattern that is one.  The module ``struct`` gives you the bits
of a float32.

    round_to_bfloat16(1.0)          ->  0x3f80
    round_to_bfloat16(1.00390625)   ->  0x3f80  (1 + 2**-8 is a tie; the even neighbor is 1)
    round_to_bfloat16(1.01171875)   ->  0x3f82  (1 + 3 * 2**-8 is a tie, too)
"""

from __future__ import annotations


def round_to_bfloat16(value: float) -> int:
    """The bits of ``value`` as bfloat16.  ``value`` is exactly a float32."""
    raise NotImplementedError
