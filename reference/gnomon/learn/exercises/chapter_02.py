"""The exercises of chapter 2: layout, device, dtype."""

from __future__ import annotations

import itertools
import math
import random
import struct
from types import ModuleType
from typing import Any

import gnomon as gn

from ...calls.iterator import result_type
from ...values.dtype import ALL
from .comparing import compare, equal
from .record import Exercise

_NUMBERS = {gn.bool: True, gn.int64: 1, gn.float32: 1.0, gn.complex64: 1j}


def mark_promote(module: ModuleType) -> list[str]:
    """Against ``result_type`` of tensors and numbers: all pairs, and some triples."""
    rng = random.Random("promote")
    operands = [(dtype, kind) for dtype in ALL for kind in ("dimensioned", "zero-dim")]
    operands += [(dtype, "number") for dtype in _NUMBERS]

    def promoted(given: list[tuple[Any, str]]) -> Any:
        made = []
        for dtype, kind in given:
            sizes = (2,) if kind == "dimensioned" else ()
            made.append(_NUMBERS[dtype] if kind == "number" else gn.empty(sizes, dtype=dtype)._spec)
        return result_type(*made)

    cases = [[each] for each in operands]
    cases += [list(pair) for pair in itertools.product(operands, repeat=2)]
    cases += [[rng.choice(operands) for _ in range(rng.randint(3, 5))] for _ in range(500)]
    return compare(module, "promote", promoted, [(each,) for each in cases])


def mark_round_to_bfloat16(module: ModuleType) -> list[str]:
    """Against the bits of a bfloat16 tensor; a NaN may have any pattern of a NaN."""
    rng = random.Random("round_to_bfloat16")

    def bits(value: float) -> int:
        return int(gn.tensor([value], dtype=gn.bfloat16).view(gn.int16).item()) & 0xFFFF

    def same(got: Any, expected: int) -> bool:
        if type(got) is int and 0 <= got <= 0xFFFF and expected & 0x7FFF > 0x7F80:
            return got & 0x7FFF > 0x7F80
        return equal(got, expected)

    patterns = [0x3F80_8000, 0x3F81_8000, 0x3F80_8001, 0x3F80_7FFF, 0x7F7F_FFFF, 0x7F7F_7FFF, 0xFFFF_FFFF]
    patterns += [0x7F80_0001, 0x7FFF_FFFF, 0xFF80_0001, 0x0000_8000, 0x0001_8000, 0x0000_0001, 0x8000_8001]
    for _ in range(500):
        upper, lower = rng.getrandbits(16), rng.choice([0, 0x7FFF, 0x8000, 0x8001, rng.getrandbits(16)])
        patterns.append(upper << 16 | lower)
    values = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan]
    values += [struct.unpack("<f", struct.pack("<I", each))[0] for each in patterns]
    return compare(module, "round_to_bfloat16", bits, [(each,) for each in values], same)


def mark_dense_to_csr(module: ModuleType) -> list[str]:
    """Against ``to_sparse_csr``."""
    rng = random.Random("dense_to_csr")

    def converted(rows: list[list[float]], columns: int) -> tuple[Any, ...]:
        dense = gn.tensor(rows, dtype=gn.float64).reshape(len(rows), columns)
        csr = dense.to_sparse_csr()
        return csr.crow_indices().tolist(), csr.col_indices().tolist(), csr.values().tolist()

    cases: list[tuple[Any, ...]] = [([], 0), ([], 3), ([[], []], 0), ([[math.nan, -0.0]], 2)]
    for _ in range(150):
        count, columns = rng.randint(0, 4), rng.randint(0, 4)
        numbers = rng.choice([(0.0,), (0.0, 1.0, -2.0), (0.0, 0.0, 0.0, 5.0), (-0.0, math.inf, math.nan)])
        cases.append(([[rng.choice(numbers) for _ in range(columns)] for _ in range(count)], columns))
    return compare(module, "dense_to_csr", converted, cases)


EXERCISES = (
    Exercise(
        "promote",
        "the dtype in which operands of several dtypes are computed",
        """
        First promote each kind of operand for itself: one dtype of all tensors with dimensions, one
        of all 0-dim tensors, one of all numbers. There may be none of a kind.

        Then combine two kinds, a higher and a lower one: the higher one stays, unless the lower one
        is of a higher category. Combine 0-dim tensors with numbers first, and tensors with
        dimensions with that.

        What is the result if the lower one is of a higher category? Of a float and a complex
        number, the complex dtype of that float's precision: gn.float64 with 1j is complex128,
        gn.float16 with a 0-dim complex128 is complex32. Of anything else and a complex number, that
        complex dtype. Else promote_types of both.

        combine(higher, lower): if one is None, the other. If category(lower) <= category(higher),
        higher. If higher is a float (so lower is complex), higher.to_complex(). If lower is
        complex, lower. Otherwise gn.promote_types(higher, lower).
        """,
        mark_promote,
        ("result_type",),
    ),
    Exercise(
        "round_to_bfloat16",
        "the bits of a float as bfloat16, ties to even",
        """
        struct.unpack('<I', struct.pack('<f', value)) gives the 32 bits. The upper 16 are the
        bfloat16, if nothing is to be rounded.

        Look at the lower 16 bits: above 0x8000, add 1 to the upper ones; below it, do not; at
        exactly 0x8000 (a tie) add 1 if the upper ones are odd. The carry into the exponent is
        right, up to infinity.

        A NaN has an exponent of ones, and any bits below, not all 0. Cut or rounded, it could
        become an infinity, or lose its sign bit by a carry. Return 0x7FC0 for it before anything
        else. For the rest: (bits + 0x7FFF + (bits >> 16 & 1)) >> 16. Why 0x7FFF?
        """,
        mark_round_to_bfloat16,
        ("bfloat16",),
    ),
    Exercise(
        "dense_to_csr",
        "a matrix in compressed sparse rows: three lists",
        """
        Go through the matrix row by row, and collect the column and the value of each number that
        is not 0.

        crow_indices[i] is how many values come before row i. So the first is 0, there is one more
        than there are rows, and the last is the number of values.

        After each row, append the number of values so far to crow_indices. -0.0 equals 0 and is
        left out; NaN does not equal 0.
        """,
        mark_dense_to_csr,
        ("to_sparse_csr", "to_sparse"),
    ),
)
