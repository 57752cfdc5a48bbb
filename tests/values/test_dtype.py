"""values/dtype.py: rounding, wrapping, promotion."""

from __future__ import annotations

import math
import struct

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gnomon as gn
from gnomon.values import dtype as dtypes
from gnomon.values.dtype import ALL, FLOATS, INTEGERS, ResultType

# torch.promote_types for each pair, in the order of ALL
PROMOTED = """
b8 u8 i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128
u8 u8 i16 i16 i32 i64 f16 bf16 f32 f64 c64 c128
i8 i16 i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128
i16 i16 i16 i16 i32 i64 f16 bf16 f32 f64 c64 c128
i32 i32 i32 i32 i32 i64 f16 bf16 f32 f64 c64 c128
i64 i64 i64 i64 i64 i64 f16 bf16 f32 f64 c64 c128
f16 f16 f16 f16 f16 f16 f16 f32 f32 f64 c64 c128
bf16 bf16 bf16 bf16 bf16 bf16 f32 bf16 f32 f64 c64 c128
f32 f32 f32 f32 f32 f32 f32 f32 f32 f64 c64 c128
f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 c128 c128
c64 c64 c64 c64 c64 c64 c64 c64 c64 c128 c64 c128
c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128
"""
SHORT = dict(zip(("b8", "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "c64", "c128"), ALL))


def test_promotion_table_is_pytorchs() -> None:
    rows = [line.split() for line in PROMOTED.split("\n") if line]
    for first, row in zip(ALL, rows):
        for second, name in zip(ALL, row):
            assert gn.promote_types(first, second) is SHORT[name], (first, second)


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ([("i32", 1), ("f64", 0)], "f64"),  # a 0-dim tensor of a higher category counts, with its precision
        ([("f32", 1), ("f64", 0)], "f32"),  # one of the same category does not
        ([("i8", 1), ("i64", 0)], "i8"),
        ([("f32", 1), ("c128", 0)], "c64"),
        ([("b8", 1), ("i64", 0)], "i64"),
        ([("i32", 1), 2.5], "f32"),
        ([("i32", 1), 2], "i32"),
        ([("b8", 1), 2], "i64"),
        ([("u8", 0), -1], "u8"),
        ([("f16", 1), 2.5], "f16"),
        ([("f64", 1), 1j], "c128"),
        ([("i64", 1), 1j], "c64"),
        ([("i64", 0), ("f16", 0)], "f16"),
    ],
)
def test_result_type(operands: list[object], expected: str) -> None:
    state = ResultType()
    for operand in operands:
        if isinstance(operand, tuple):
            state.add_tensor(SHORT[operand[0]], operand[1])
        else:
            state.add_number(operand, dtypes.float32)
    assert state.result() is SHORT[expected]


@given(st.floats(width=32))
def test_float16_and_bfloat16_round_to_nearest_even(value: float) -> None:
    with numpy.errstate(over="ignore"):
        expected = float(numpy.float32(value).astype(numpy.float16))
    assert same(dtypes.float16.cast(value), expected)
    # bfloat16 by brute force: the nearer of the two neighbors, the even one in a tie
    if math.isfinite(value):
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        low = bits & 0xFFFF0000
        down, up = (
            struct.unpack("<f", struct.pack("<I", pattern))[0]
            for pattern in (low, min(low + 0x10000, 0xFFFFFFFF))
        )
        rest = bits & 0xFFFF
        to_even = down if (low >> 16) % 2 == 0 else up
        assert same(
            dtypes.bfloat16.cast(value), to_even if rest == 0x8000 else (down if rest < 0x8000 else up)
        )


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("float16", 65519.0, 65504.0),
        ("float16", 65520.0, math.inf),
        ("float16", -1e300, -math.inf),
        ("bfloat16", 3.4e38, math.inf),
        ("bfloat16", math.nan, math.nan),
        ("float32", 1e39, math.inf),
        ("float32", 1 + 2.0**-24, 1.0),
        ("float16", 1 + 2.0**-11 + 2.0**-30, 1.0),  # rounded via float32, as in PyTorch
    ],
)
def test_overflow_gives_infinity_and_ties_go_to_even(name: str, value: float, expected: float) -> None:
    assert same(dtypes.dtype_named(name).cast(value), expected)


@given(st.integers(-(2**70), 2**70), st.sampled_from(INTEGERS))
def test_integers_wrap_around(value: int, dtype: dtypes.dtype) -> None:
    wrapped = dtype.cast(value)
    assert (wrapped - value) % 2**dtype.bits == 0
    least = -(2 ** (dtype.bits - 1)) if dtype.is_signed else 0
    assert least <= wrapped < least + 2**dtype.bits


@given(st.sampled_from(ALL), st.lists(st.integers(-100, 100), min_size=1, max_size=5))
def test_what_is_written_is_read_back_as_cast(dtype: dtypes.dtype, values: list[int]) -> None:
    data = memoryview(bytearray(len(values) * dtype.itemsize))
    write, read = dtype.writer(data), dtype.reader(data)
    for index, value in enumerate(values):
        write(index, value)
    assert [read(index) for index in range(len(values))] == [dtype.cast(value) for value in values]


def test_can_cast_refuses_a_step_down_in_category() -> None:
    assert gn.can_cast(gn.float64, gn.float16)
    assert gn.can_cast(gn.int64, gn.uint8)
    assert gn.can_cast(gn.int32, gn.float16)
    assert not gn.can_cast(gn.float32, gn.int64)
    assert not gn.can_cast(gn.complex64, gn.float64)
    assert not gn.can_cast(gn.int8, gn.bool)


def test_default_dtype_is_what_floats_become() -> None:
    gn.set_default_dtype(gn.float64)
    try:
        assert gn.tensor([1.5]).dtype is gn.float64
        assert (gn.tensor([1]) / 2).dtype is gn.float64
    finally:
        gn.set_default_dtype(gn.float32)
    with pytest.raises(TypeError, match="floating-point"):
        gn.set_default_dtype(gn.int32)


def test_names_and_sizes() -> None:
    assert [each.itemsize for each in ALL] == [1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16]
    assert repr(gn.bfloat16) == "gnomon.bfloat16"
    with pytest.raises(TypeError, match="unknown dtype 'float8'"):
        dtypes.dtype_named("float8")
    assert all(each.to_real() in FLOATS for each in dtypes.COMPLEX)


def same(a: object, b: float) -> bool:
    """Equal, with NaN equal to NaN, and zeros equal if they have the same sign."""
    return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (a != a and b != b)


# what torch.finfo says: repr, bits
LIMITS_OF_FLOATS = {
    "float16": "resolution=0.001, min=-65504, max=65504, eps=0.000976562, smallest_normal=6.10352e-05, "
    "tiny=6.10352e-05",
    "bfloat16": "resolution=0.01, min=-3.38953e+38, max=3.38953e+38, eps=0.0078125, "
    "smallest_normal=1.17549e-38, tiny=1.17549e-38",
    "float32": "resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, "
    "smallest_normal=1.17549e-38, tiny=1.17549e-38",
    "float64": "resolution=1e-15, min=-1.79769e+308, max=1.79769e+308, eps=2.22045e-16, "
    "smallest_normal=2.22507e-308, tiny=2.22507e-308",
}


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_finfo(dtype: gn.dtype) -> None:
    limits = gn.finfo(dtype)
    assert repr(limits) == f"finfo({LIMITS_OF_FLOATS[dtype.name]}, dtype={dtype.name})"
    assert (limits.bits, limits.dtype) == (8 * dtype.itemsize, dtype.name)
    assert limits.max == dtype.cast(limits.max) == -limits.min
    assert math.isinf(dtype.cast(limits.max * (1 + limits.eps)))
    assert dtype.cast(1 + limits.eps) == 1 + limits.eps
    assert dtype.cast(1 + limits.eps / 2) == 1
    assert limits.tiny == limits.smallest_normal == dtype.cast(limits.tiny)
    # the step below the smallest normal number is as large as the step above it: precision ends here
    step = limits.tiny * limits.eps
    assert dtype.cast(limits.tiny - step) == limits.tiny - step
    assert dtype.cast(limits.tiny - step / 4) == limits.tiny


def test_finfo_numbers_are_numpys() -> None:
    for dtype in (gn.float16, gn.float32, gn.float64):
        mine, theirs = gn.finfo(dtype), numpy.finfo(dtype.name)
        for name in ("bits", "eps", "max", "min", "tiny", "smallest_normal"):
            assert getattr(mine, name) == getattr(theirs, name), (dtype, name)


def test_finfo_of_other_dtypes() -> None:
    assert gn.finfo() == gn.finfo(gn.get_default_dtype())
    assert gn.finfo(gn.complex64) == gn.finfo(type=gn.float32) != gn.finfo(gn.complex128)
    for wrong in (gn.int32, gn.bool, None, "float32"):
        with pytest.raises(TypeError):
            gn.finfo(wrong)
    with pytest.raises(TypeError):
        hash(gn.finfo(gn.float32))
    with pytest.raises(AttributeError):
        gn.finfo(gn.float32).eps = 1


def test_iinfo() -> None:
    for dtype in INTEGERS:
        mine, theirs = gn.iinfo(dtype), numpy.iinfo(dtype.name)
        assert (mine.bits, mine.min, mine.max) == (theirs.bits, theirs.min, theirs.max)
        assert (mine.dtype, dtype.cast(mine.max + 1)) == (dtype.name, mine.min)
    assert repr(gn.iinfo(gn.uint8)) == "iinfo(min=0, max=255, dtype=uint8)"
    assert repr(gn.iinfo(gn.int64)) == "iinfo(min=-9.22337e+18, max=9.22337e+18, dtype=int64)"
    assert gn.iinfo(gn.int8) == gn.iinfo(gn.int8) != gn.iinfo(gn.uint8)
    for wrong in (gn.float32, gn.bool, gn.complex64, None, 3):
        with pytest.raises(TypeError):
            gn.iinfo(wrong)
    with pytest.raises(TypeError):
        gn.iinfo()


def test_questions_about_tensors() -> None:
    assert gn.is_tensor(gn.ones(2)) and not gn.is_tensor(3)
    assert gn.is_floating_point(gn.ones(2)) and not gn.is_floating_point(gn.ones(2, dtype=gn.complex64))
    assert gn.is_complex(input=gn.ones(2, dtype=gn.complex64)) and not gn.is_complex(gn.ones(2))
    assert gn.is_nonzero(gn.tensor([[3]])) and not gn.tensor(0j).is_nonzero()
    assert gn.numel(gn.ones(2, 3)) == 6
    for size in (0, 2):
        with pytest.raises(RuntimeError):
            gn.is_nonzero(gn.ones(size))
    for function in (gn.is_floating_point, gn.is_complex, gn.is_nonzero, gn.numel):
        with pytest.raises(TypeError):
            function(3)


def test_a_large_integer_is_rounded_once(device: str) -> None:
    """Via float64, a number just below a tie would become the tie, and be rounded wrongly."""
    tie = (2 * (2**23 + 1) + 1) * 2**32
    below, above = float((2**23 + 1) * 2**33), float((2**23 + 2) * 2**33)
    numbers = gn.tensor([tie - 1, tie, tie + 1, 1 - tie, -1 - tie])
    assert numbers.to(gn.float32).tolist() == [below, above, above, -below, -above]
