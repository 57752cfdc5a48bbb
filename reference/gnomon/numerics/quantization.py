"""The scale and the zero point with which integers represent a range of numbers.

Source: aten/src/ATen/native/quantized/cpu/QuantUtils.h (ChooseQuantizationParams).
"""

from __future__ import annotations

import math

from ..values.dtype import round_to_float32

_SMALLEST_SCALE = round_to_float32(6.1e-5)


def choose_scale(
    low: float, high: float, least: int, most: int, symmetric: bool = False
) -> tuple[float, int]:
    """The scale and the zero point for numbers from ``low`` to ``high``, and integers from ``least`` to
    ``most``, so that 0 is represented exactly.

    ``symmetric``: if the range contains numbers of both signs, 0 is the middle integer.
    """
    if low < 0 < high and symmetric:
        half = (most - least) // 2
        widest = max(round_to_float32(low / -(half + 1)), round_to_float32(high / half))
        low, high = round_to_float32(widest * -(half + 1)), round_to_float32(widest * half)
    low, high = min(low, 0.0), max(high, 0.0)
    scale = (high - low) / (most - least)
    single = round_to_float32(scale)
    if single == 0.0 or math.isinf(round_to_float32(1.0 / single)):
        scale = 0.1
    if scale < _SMALLEST_SCALE:
        if low == 0.0:
            high = round_to_float32(_SMALLEST_SCALE * (most - least))
        elif high == 0.0:
            low = round_to_float32(-_SMALLEST_SCALE * (most - least))
        else:
            amplifier = round_to_float32(_SMALLEST_SCALE / round_to_float32(scale))
            low, high = round_to_float32(low * amplifier), round_to_float32(high * amplifier)
        scale = _SMALLEST_SCALE
    from_low, from_high = least - low / scale, most - high / scale
    is_low_better = abs(least) + abs(low / scale) < abs(most) + abs(high / scale)
    zero_point = from_low if is_low_better else from_high
    if low < 0 < high and symmetric:
        zero_point = (least + most) / 2
    return scale, max(least, min(most, round(zero_point)))
