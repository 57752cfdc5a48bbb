"""A model answer."""

from __future__ import annotations

import math
import struct


def round_to_bfloat16(value: float) -> int:
    if math.isnan(value):
        return 0x7FC0
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    # half of the last place, less one; plus one if the last bit is odd, so that a tie carries only then
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
