"""The dtypes of LIMITED: unsigned integers of 16, 32 and 64 bits, floats of 8 bits, and complex32."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from gnomon.values.dtype import ALL, FLOAT8, LIMITED, UNSIGNED, check_number_fits

# torch.promote_types for each pair, in the order of ALL and LIMITED; "-": PyTorch refuses it
PROMOTED = """
b8 u8 i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128 - - - - - c32
u8 u8 i16 i16 i32 i64 f16 bf16 f32 f64 c64 c128 - - - - - c32
i8 i16 i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128 - - - - - c32
i16 i16 i16 i16 i32 i64 f16 bf16 f32 f64 c64 c128 - - - - - c32
i32 i32 i32 i32 i32 i64 f16 bf16 f32 f64 c64 c128 - - - - - c32
i64 i64 i64 i64 i64 i64 f16 bf16 f32 f64 c64 c128 - - - - - c32
f16 f16 f16 f16 f16 f16 f16 f32 f32 f64 c64 c128 f16 f16 f16 - - c32
bf16 bf16 bf16 bf16 bf16 bf16 f32 bf16 f32 f64 c64 c128 bf16 bf16 bf16 - - c64
f32 f32 f32 f32 f32 f32 f32 f32 f32 f64 c64 c128 f32 f32 f32 - - c64
f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 c128 c128 f64 f64 f64 - - c128
c64 c64 c64 c64 c64 c64 c64 c64 c64 c128 c64 c128 - - - - - c64
c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 - - - - - c128
- - - - - - f16 bf16 f32 f64 - - u16 - - - - -
- - - - - - f16 bf16 f32 f64 - - - u32 - - - -
- - - - - - f16 bf16 f32 f64 - - - - u64 - - -
- - - - - - - - - - - - - - - e4m3 - -
- - - - - - - - - - - - - - - - e5m2 -
c32 c32 c32 c32 c32 c32 c32 c64 c64 c128 c64 c128 - - - - - c32
"""
# torch.result_type of a vector and a 0-dim tensor; "U": there is no complex dtype of this precision.
WITH_ZERO_DIM = """
b8 u8 i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128 - - - - - c32
u8 u8 u8 u8 u8 u8 f16 bf16 f32 f64 c64 c128 u8 u8 u8 - - c32
i8 i8 i8 i8 i8 i8 f16 bf16 f32 f64 c64 c128 i8 i8 i8 - - c32
i16 i16 i16 i16 i16 i16 f16 bf16 f32 f64 c64 c128 i16 i16 i16 - - c32
i32 i32 i32 i32 i32 i32 f16 bf16 f32 f64 c64 c128 i32 i32 i32 - - c32
i64 i64 i64 i64 i64 i64 f16 bf16 f32 f64 c64 c128 i64 i64 i64 - - c32
f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 c32 c32 f16 f16 f16 f16 f16 c32
bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 c64 c64 bf16 bf16 bf16 bf16 bf16 c64
f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 c64 c64 f32 f32 f32 f32 f32 c64
f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 c128 c128 f64 f64 f64 f64 f64 c128
c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64
c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128
u16 u16 u16 u16 u16 u16 f16 bf16 f32 f64 c64 c128 u16 u16 u16 - - c32
u32 u32 u32 u32 u32 u32 f16 bf16 f32 f64 c64 c128 u32 u32 u32 - - c32
u64 u64 u64 u64 u64 u64 f16 bf16 f32 f64 c64 c128 u64 u64 u64 - - c32
e4m3 e4m3 e4m3 e4m3 e4m3 e4m3 e4m3 e4m3 e4m3 e4m3 U U e4m3 e4m3 e4m3 e4m3 e4m3 U
e5m2 e5m2 e5m2 e5m2 e5m2 e5m2 e5m2 e5m2 e5m2 e5m2 U U e5m2 e5m2 e5m2 e5m2 e5m2 U
c32 c32 c32 c32 c32 c32 c32 c32 c32 c32 c32 c32 c32 c32 c32 c32 c32 c32
"""
# torch.result_type of a vector and the numbers True, 1, 1.0 and 1j
WITH_NUMBERS = """
u16 u16 f32 c64
u32 u32 f32 c64
u64 u64 f32 c64
e4m3 e4m3 e4m3 U
e5m2 e5m2 e5m2 U
c32 c32 c32 c32
"""
EVERY = (*ALL, *LIMITED)
_WORDS = "b8 u8 i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128 u16 u32 u64 e4m3 e5m2 c32".split()
SHORT = dict(zip(EVERY, _WORDS))


def rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.split("\n") if line]


def outcome(function: Callable[..., Any], *operands: Any) -> str:
    try:
        return SHORT[function(*operands)]
    except RuntimeError as error:
        if "Unknown Complex ScalarType for" in str(error):
            return "U"
        assert "is not supported, attempted to promote" in str(error)
        return "-"


def test_the_tables_of_promotion_are_pytorchs() -> None:
    for first, row, with_zero in zip(EVERY, rows(PROMOTED), rows(WITH_ZERO_DIM)):
        vector = gn.empty(2, dtype=first, device="reference")
        for second, expected, mixed in zip(EVERY, row, with_zero):
            assert outcome(gn.promote_types, first, second) == expected, (first, second)
            scalar = gn.empty((), dtype=second, device="reference")
            assert outcome(gn.result_type, vector, scalar) == mixed, (first, second)
    for first, row in zip(LIMITED, rows(WITH_NUMBERS)):
        vector = gn.empty(2, dtype=first, device="reference")
        found = [outcome(gn.result_type, vector, number) for number in (True, 1, 1.0, 1j)]
        assert found == row, first


def test_errors_of_promotion_name_both_types() -> None:
    unsigned = r"^Promotion for uint16, uint32, uint64 types is not .*, attempted to promote Int and UInt16$"
    with pytest.raises(RuntimeError, match=unsigned):
        gn.promote_types(gn.int32, gn.uint16)
    floats = r"^Promotion for Float8 Types is not supported, attempted to promote Float8_e5m2 and UInt16$"
    with pytest.raises(RuntimeError, match=floats):
        gn.promote_types(gn.float8_e5m2, gn.uint16)
    with pytest.raises(RuntimeError, match=r"^add: Promotion for uint16, .* promote UInt32 and Long"):
        gn.ones(2, dtype=gn.uint32) + gn.ones(2, dtype=gn.int64)


def test_casts_are_refused_by_category_only() -> None:
    category = {each: each.category for each in EVERY}
    for first, second in itertools.product(EVERY, EVERY):
        expected = not (
            (category[first] == 3 and category[second] != 3)
            or (category[first] == 2 and category[second] < 2)
            or (first is not gn.bool and second is gn.bool)
        )
        assert gn.can_cast(first, second) is expected, (first, second)


@pytest.mark.parametrize("kind", FLOAT8, ids=str)
def test_every_float_of_8_bits_is_its_own_rounding_and_halves_go_to_even(kind: gn.dtype) -> None:
    values = [kind._decode[code] for code in range(256)]  # type: ignore[index]
    for code, value in enumerate(values):
        assert value != value or (kind._encode(value) == code and kind.cast(value) == value)
    finite = [code for code in range(128) if math.isfinite(values[code])]
    for low, high in itertools.pairwise(finite):
        half = (values[low] + values[high]) / 2
        even = low if low % 2 == 0 else high
        assert kind._encode(half) == even and kind._encode(-half) == even | 0x80
        assert kind._encode(half * (1 - 2.0**-20)) == low and kind._encode(half * (1 + 2.0**-20)) == high
    assert kind._encode(0.0) == 0 and kind._encode(-0.0) == 0x80


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("float8_e4m3fn", 448.0, 0x7E),
        ("float8_e4m3fn", 464.0, 0x7E),
        ("float8_e4m3fn", 1e9, 0x7E),  # it saturates, as it has no infinities
        ("float8_e4m3fn", math.inf, 0x7E),
        ("float8_e4m3fn", -math.inf, 0xFE),
        ("float8_e4m3fn", math.nan, 0x7F),
        ("float8_e4m3fn", 2.0**-10, 0),
        ("float8_e4m3fn", 1 + 2.0**-4 + 2.0**-40, 0x38),  # rounded via float32
        ("float8_e5m2", 57344.0, 0x7B),
        ("float8_e5m2", 61439.0, 0x7B),
        ("float8_e5m2", 61440.0, 0x7C),
        ("float8_e5m2", -1e300, 0xFC),
        ("float8_e5m2", math.nan, 0x7F),
        ("float8_e5m2", 300, 0x5D),
    ],
)
def test_rounding_to_8_bits(name: str, value: float, code: int) -> None:
    made = gn.tensor([value]).to(getattr(gn, name))
    assert made.view(gn.uint8).item() == code


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("uint16", -1, 65535),
        ("uint16", -1.5, 65535),
        ("uint16", 5e9, 0),
        ("uint32", 2**40 + 7, 7),
        ("uint32", -1.5, 2**32 - 1),
        ("uint32", 5e9, 705032704),
        ("uint64", -1, 2**64 - 1),
        ("uint64", 2.0**63, 2**63),
        ("uint64", 2.0**63 * 1.5, 3 * 2**62),
        ("uint64", -5e9, 2**64 - 5 * 10**9),
        ("uint64", 1e30, 0),
        ("uint64", math.nan, 2**63),
    ],
)
def test_unsigned_integers_wrap_around(name: str, value: float, expected: int) -> None:
    assert getattr(gn, name).cast(value) == expected


def test_limits() -> None:
    assert repr(gn.iinfo(gn.uint16)) == "iinfo(min=0, max=65535, dtype=uint16)"
    assert gn.iinfo(gn.uint64).max == 2**64 - 1 and gn.iinfo(gn.uint32).bits == 32
    assert repr(gn.finfo(gn.float8_e4m3fn)) == (
        "finfo(resolution=1, min=-448, max=448, eps=0.125, smallest_normal=0.015625, tiny=0.015625, "
        "dtype=float8_e4m3fn)"
    )
    assert gn.finfo(gn.float8_e5m2).max == 57344 and gn.finfo(gn.float8_e5m2).eps == 0.25
    assert [each.is_signed for each in LIMITED] == [False, False, False, True, True, True]
    with pytest.raises(RuntimeError, match="Unknown Complex ScalarType for UInt16"):
        gn.uint16.to_complex()
    with pytest.raises(TypeError, match="couldn't find storage object Float8_e5m2Storage"):
        gn.set_default_dtype(gn.float8_e5m2)


def test_numbers_that_do_not_fit() -> None:
    for kind, value in (
        (gn.uint16, 65536),
        (gn.uint32, -(2**32)),
        (gn.uint64, 1e30),
        (gn.uint64, math.nan),
        (gn.float8_e4m3fn, 449.0),
        (gn.float8_e4m3fn, math.inf),
        (gn.float8_e5m2, 57345.0),
    ):
        with pytest.raises(RuntimeError, match=f"converted to type {kind.name} without overflow"):
            check_number_fits(value, kind)
    check_number_fits(-5, gn.uint16)
    check_number_fits(2**64 - 1, gn.uint64)
    check_number_fits(math.inf, gn.float8_e5m2)
    check_number_fits(math.nan, gn.float8_e4m3fn)


@pytest.mark.oracle
def test_tables_and_conversions_are_pytorchs() -> None:
    import torch

    def of(kind: gn.dtype) -> Any:
        return getattr(torch, kind.name)

    def name_of(function: Callable[..., Any], *operands: Any) -> str:
        try:
            return str(function(*operands)).rpartition(".")[2]
        except RuntimeError as error:
            return str(error).removeprefix("result_type: ")

    for first, second in itertools.product(EVERY, EVERY):
        one, other = of(first), of(second)
        assert gn.can_cast(first, second) == torch.can_cast(one, other)
        assert name_of(gn.promote_types, first, second) == name_of(torch.promote_types, one, other)
        for sizes in itertools.product(((), (2,)), repeat=2):
            mine = [
                gn.empty(size, dtype=each, device="reference") for size, each in zip(sizes, (first, second))
            ]
            theirs = [torch.empty(size, dtype=each) for size, each in zip(sizes, (one, other))]
            expected = name_of(torch.result_type, *theirs)
            assert name_of(gn.result_type, *mine) == expected, (first, second, sizes)
    generator = torch.Generator().manual_seed(7)
    bits = torch.randint(-(2**31), 2**31, (20_000,), generator=generator)
    numbers = torch.cat(
        [bits.to(torch.int32).view(torch.float32), torch.randn(5000, generator=generator) * 20]
    )
    for kind in FLOAT8:
        codes = torch.arange(256, dtype=torch.uint8).view(of(kind)).float().tolist()
        assert str([kind._decode[code] for code in range(256)]) == str(codes)  # type: ignore[index]
        expected = numbers.to(of(kind)).view(torch.uint8).tolist()
        assert [kind._encode(number) for number in numbers.tolist()] == expected
    wide = torch.rand(5000, generator=generator, dtype=torch.float64) * 2.0**31  # beyond, C leaves it open
    for kind in UNSIGNED[1:]:
        assert [kind.cast(number) for number in wide.tolist()] == wide.to(of(kind)).tolist()
