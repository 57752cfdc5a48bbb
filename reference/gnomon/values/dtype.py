"""Element types: how a number is stored in memory, and type promotion.

There are twelve dtypes that most operators take (ALL), six, for storage and exchange, that an operator takes
only if its record says so (LIMITED), and three that only quantized tensors have (QUANTIZED).  They are
compared by identity.  Each can read an element of a typed memoryview and write one back, rounding as hardware
does: floats to nearest, ties to even, overflow to infinity; integers wrap around.

Source: c10/core/ScalarType.h (the types and the promotion table), ATen/native/TypeProperties.cpp
(result_type).
"""

from __future__ import annotations

import cmath
import functools
import math
import struct
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from . import late_bound
from .library_name import LIBRARY

Number: TypeAlias = "bool | int | float | complex"


class dtype:
    """One element type.

    name        PyTorch's name, ``"float32"``
    code        position in the table below; the C ABI uses the same numbers
    itemsize    bytes of one element
    format      the memoryview format that reads the raw bytes; a complex number is read as two floats, and
                floats of 16 and 8 bits as their bit patterns
    category    0 bool, 1 integer, 2 floating point, 3 complex: what type promotion compares first
    scalar_type PyTorch's name for the C++ type, ``"Float"``, as in error messages
    """

    __slots__ = (
        "_cast",
        "_decode",
        "_encode",
        "_is_signed",
        "bits",
        "category",
        "code",
        "format",
        "is_complex",
        "is_floating_point",
        "itemsize",
        "name",
        "scalar_type",
    )

    name: str
    code: int
    itemsize: int
    format: str
    category: int
    _cast: Callable[[Number], Any]
    _decode: _DecodeTable | None  # of floats of 16 and 8 bits
    _encode: Callable[[Number], Any]  # converts a number, or a part of a complex one, to what is stored

    def __init__(self, name: str, code: int, itemsize: int, format: str, category: int, scalar_type: str):
        self.name = name
        self.code = code
        self.itemsize = itemsize
        self.format = format
        self.category = category
        self.scalar_type = scalar_type
        self.is_floating_point = category == 2
        self.is_complex = category == 3
        self._is_signed = name != "bool" and not name.startswith(("uint", "quint"))
        self.bits = 8 * itemsize

    def __repr__(self) -> str:
        return f"{LIBRARY}.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (dtype_named, (self.name,))

    @property
    def is_signed(self) -> bool:
        """Can it hold negative numbers?  Raises RuntimeError for a dtype of QUANTIZED."""
        if self in QUANTIZED:
            raise RuntimeError("isSignedType not supported for quantized types")
        return self._is_signed

    def to_complex(self) -> dtype:
        """The complex dtype whose parts have this precision.

        Raises RuntimeError for an unsigned dtype of LIMITED, floats of 8 bits and a dtype of QUANTIZED.
        Source: toComplexType.
        """
        if self.is_complex:
            return self
        if self in LIMITED or self in QUANTIZED:
            raise RuntimeError(f"Unknown Complex ScalarType for {self.scalar_type}")
        if self is float16:
            return complex32
        return complex128 if self is float64 else complex64

    def to_real(self) -> dtype:
        """The dtype of the real part.  Source: toRealValueType."""
        if self is complex64:
            return float32
        if self is complex32:
            return float16
        return float64 if self is complex128 else self

    def cast(self, value: Number) -> Any:
        """``value`` converted to this dtype: rounded, wrapped around or truncated.

        Complex to real discards the imaginary part, as PyTorch's copy does.
        """
        return self._cast(value)

    @property
    def is_plain(self) -> bool:
        """Does a memoryview return the values themselves, without decoding?"""
        return self._decode is None and not self.is_complex

    def packed(self, values: Sequence[Number]) -> bytearray | array[Any]:
        """The bytes of ``values``, each cast to this dtype."""
        if self.is_plain and self.category:
            try:
                return array(self.format, values)
            except (TypeError, OverflowError):  # some values have to be truncated or wrapped around
                pass
        data = bytearray(len(values) * self.itemsize)
        write = self.writer(memoryview(data))
        for index, value in enumerate(values):
            write(index, value)
        return data

    def reader(self, view: memoryview) -> Callable[[int], Any]:
        """A function from an element's index to its value.  ``view`` holds raw bytes."""
        typed = view.cast("B").cast(self.format)  # type: ignore[call-overload]
        decode = self._decode
        if self.is_complex and decode is not None:
            return lambda index: complex(decode[typed[2 * index]], decode[typed[2 * index + 1]])
        if self.is_complex:
            return lambda index: complex(typed[2 * index], typed[2 * index + 1])
        if decode is None:
            return typed.__getitem__
        return lambda index: decode[typed[index]]

    def writer(self, view: memoryview) -> Callable[[int, Number], None]:
        """A function that stores a value at an element's index, cast to this dtype."""
        typed = view.cast("B").cast(self.format)  # type: ignore[call-overload]
        encode = self._encode
        if self.is_complex:

            def write_complex(index: int, value: Number) -> None:
                typed[2 * index] = encode(value.real)
                typed[2 * index + 1] = encode(value.imag)

            return write_complex

        def write(index: int, value: Number) -> None:
            typed[index] = encode(value)

        return write


def _real(value: Number) -> bool | int | float:
    return value.real if isinstance(value, complex) else value


def _to_float(value: Number) -> float:
    """``value`` as a Python float (float64); an integer beyond its range becomes an infinity."""
    try:
        return float(value.real)
    except OverflowError:
        return float("inf") if value.real > 0 else float("-inf")


def _before_float32(value: Number) -> float:
    """``value`` as a float64 that rounds to the float32 nearest to ``value``.

    An integer beyond 2**53 is cut to 53 bits, and the last one is set if bits were lost (rounding to odd), so
    that the result is rounded only once.
    """
    real = value.real
    if not isinstance(real, int) or abs(real) <= 2**53:
        return float(real)
    places = abs(real).bit_length() - 53
    kept = abs(real) >> places
    kept |= kept << places != abs(real)
    return _to_float(kept << places if real > 0 else -(kept << places))


def round_to_float32(value: Number) -> float:
    """``value`` rounded to float32, ties to even; overflow gives an infinity."""
    # memoryview's native 'f' converts as C does, so overflow gives inf; struct's '<f' would raise
    box = memoryview(bytearray(4)).cast("f")
    box[0] = _before_float32(value)
    return box[0]


def _float16_bits(value: Number) -> int:
    """The bit pattern of ``value`` as float16.

    PyTorch converts a double through float32, so 1 + 2**-11 + 2**-30 is rounded twice; gnomon does the same.
    """
    single = round_to_float32(value)
    try:
        return struct.unpack("<H", struct.pack("<e", single))[0]
    except OverflowError:  # finite, but rounds beyond 65504
        return 0x7C00 if single > 0 else 0xFC00


def _bfloat16_bits(value: Number) -> int:
    """The bit pattern of ``value`` as bfloat16: the upper half of a float32, rounded to nearest even."""
    bits = struct.unpack("<I", struct.pack("<f", round_to_float32(value)))[0]
    if bits & 0x7FFFFFFF > 0x7F800000:
        return 0x7FC0  # NaN; rounding could turn its pattern into an infinity
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


# Of a float of 8 bits: the bits of its fraction, the bias of its exponent, and the code of what is too large:
# that of infinity, or without infinities that of the largest number.
_FLOAT8 = {"float8_e4m3fn": (3, 7, 0x7E), "float8_e5m2": (2, 15, 0x7C)}


def _float8_coder(name: str) -> Callable[[Number], int]:
    """The function that rounds a number to a float of 8 bits, and returns its bit pattern.

    PyTorch converts through float32.  Source: fp8e4m3fn_from_fp32_value, which saturates, and
    fp8e5m2_from_fp32_value.
    """
    fraction, bias, too_large = _FLOAT8[name]

    def code(value: Number) -> int:
        single = round_to_float32(value)
        size = abs(single)
        if math.isnan(single):
            found = 0x7F
        elif math.isinf(single):
            found = too_large
        elif not size:
            found = 0
        else:
            exponent = max(math.frexp(size)[1] - 1, 1 - bias)  # that of all subnormal numbers, too
            steps = round(math.ldexp(size, fraction - exponent))  # ties to even
            found = min(steps + ((exponent + bias - 1) << fraction), too_large)
        return found | 0x80 if math.copysign(1.0, single) < 0 else found

    return code


def _float8_cast(code: Callable[[Number], int], values: _DecodeTable) -> Callable[[Number], float]:
    return lambda value: values[code(value)]


def _float8_values(name: str) -> Iterable[float]:
    fraction, bias, too_large = _FLOAT8[name]
    for code in range(256):
        exponent, steps = (code & 0x7F) >> fraction, code & ((1 << fraction) - 1)
        value = math.ldexp(steps + (1 << fraction if exponent else 0), max(exponent, 1) - bias - fraction)
        if code & 0x7F == 0x7C == too_large:
            value = math.inf
        elif code & 0x7F > too_large:
            value = math.nan
        yield math.copysign(value, -1.0) if code & 0x80 else value


class _DecodeTable:
    """The values of a float of 16 or 8 bits, computed at first use: most programs need none."""

    def __init__(self, decode_all: Callable[[], Iterable[float]]):
        self.decode_all = decode_all
        self.values: tuple[float, ...] = ()

    def __getitem__(self, bits: int) -> float:
        if not self.values:
            self.values = tuple(self.decode_all())
        return self.values[bits]


def _float16_values() -> Iterable[float]:
    return struct.unpack("<65536e", struct.pack("<65536H", *range(65536)))


def _bfloat16_values() -> Iterable[float]:
    return struct.unpack("<65536f", struct.pack("<65536I", *(bits << 16 for bits in range(65536))))


def _to_integer(value: Number, bits: int) -> int:
    """``value`` truncated towards zero.

    NaN, and floats that do not fit ``bits`` bits, give the least integer of ``bits`` bits, as on x86 and in
    PyTorch.
    """
    number = _real(value)
    if isinstance(number, float) and not abs(number) < 2.0 ** (bits - 1):
        return -(2 ** (bits - 1))
    return int(number)


def _wrapper(bits: int, signed: bool) -> Callable[[Number], int]:
    """The cast to an integer of ``bits`` bits, wrapping around modulo 2**bits.

    A float is converted in a register of 32 bits or, where an integer of 32 bits is unsigned, of 64.
    """
    modulus = 1 << bits
    half = modulus >> 1
    register = 64 if bits == 32 and not signed else max(bits, 32)

    def wrap_signed(value: Number) -> int:
        return (_to_integer(value, register) + half) % modulus - half

    def wrap_unsigned(value: Number) -> int:
        return _to_integer(value, register) % modulus

    def wrap_uint64(value: Number) -> int:
        number = _real(value)
        if isinstance(number, float) and number >= half:  # what is beyond the register becomes 0
            return int(number) if number < modulus else 0
        return wrap_unsigned(value)

    if bits == 64 and not signed:
        return wrap_uint64
    return wrap_signed if signed else wrap_unsigned


#                name   code size format category short
bool_ = dtype("bool", 0, 1, "?", 0, "Bool")
uint8 = dtype("uint8", 1, 1, "B", 1, "Byte")
int8 = dtype("int8", 2, 1, "b", 1, "Char")
int16 = dtype("int16", 3, 2, "h", 1, "Short")
int32 = dtype("int32", 4, 4, "i", 1, "Int")
int64 = dtype("int64", 5, 8, "q", 1, "Long")
float16 = dtype("float16", 6, 2, "H", 2, "Half")
bfloat16 = dtype("bfloat16", 7, 2, "H", 2, "BFloat16")
float32 = dtype("float32", 8, 4, "f", 2, "Float")
float64 = dtype("float64", 9, 8, "d", 2, "Double")
complex64 = dtype("complex64", 10, 8, "f", 3, "ComplexFloat")
complex128 = dtype("complex128", 11, 16, "d", 3, "ComplexDouble")
uint16 = dtype("uint16", 12, 2, "H", 1, "UInt16")
uint32 = dtype("uint32", 13, 4, "I", 1, "UInt32")
uint64 = dtype("uint64", 14, 8, "Q", 1, "UInt64")
float8_e4m3fn = dtype("float8_e4m3fn", 15, 1, "B", 2, "Float8_e4m3fn")
float8_e5m2 = dtype("float8_e5m2", 16, 1, "B", 2, "Float8_e5m2")
complex32 = dtype("complex32", 17, 4, "H", 3, "ComplexHalf")
qint8 = dtype("qint8", 18, 1, "b", 1, "QInt8")
quint8 = dtype("quint8", 19, 1, "B", 1, "QUInt8")
qint32 = dtype("qint32", 20, 4, "i", 1, "QInt32")

ALL = (
    bool_,
    uint8,
    int8,
    int16,
    int32,
    int64,
    float16,
    bfloat16,
    float32,
    float64,
    complex64,
    complex128,
)
INTEGERS = (uint8, int8, int16, int32, int64)
FLOATS = (float16, bfloat16, float32, float64)
COMPLEX = (complex64, complex128)
UNSIGNED = (uint16, uint32, uint64)  # PyTorch's barebones unsigned types
FLOAT8 = (float8_e4m3fn, float8_e5m2)
LIMITED = (*UNSIGNED, *FLOAT8, complex32)
QUANTIZED = {qint8: int8, quint8: uint8, qint32: int32}  # and the integers that these tensors hold

for _dtype in (*ALL, *UNSIGNED, *QUANTIZED):
    _dtype._decode = None
bool_._encode = bool_._cast = bool
for _dtype in (*INTEGERS, *UNSIGNED, *QUANTIZED):
    _dtype._encode = _dtype._cast = _wrapper(_dtype.bits, _dtype._is_signed)
float64._encode = float64._cast = _to_float
float32._encode = _before_float32  # the memoryview rounds
float32._cast = round_to_float32
float16._encode = _float16_bits
float16._decode = _float16_table = _DecodeTable(_float16_values)
float16._cast = lambda value: _float16_table[_float16_bits(value)]
bfloat16._encode = _bfloat16_bits
bfloat16._decode = _bfloat16_table = _DecodeTable(_bfloat16_values)
bfloat16._cast = lambda value: _bfloat16_table[_bfloat16_bits(value)]
for _dtype in FLOAT8:
    _dtype._encode = _float8_coder(_dtype.name)
    _dtype._decode = _DecodeTable(functools.partial(_float8_values, _dtype.name))
    _dtype._cast = _float8_cast(_dtype._encode, _dtype._decode)
complex128._encode = _to_float
complex128._cast = complex
complex64._encode = _to_float  # the memoryview rounds
complex64._cast = lambda value: complex(round_to_float32(value.real), round_to_float32(value.imag))
complex32._encode = _float16_bits
complex32._decode = _float16_table
complex32._cast = lambda value: complex(float16._cast(value.real), float16._cast(value.imag))

_BY_NAME = {each.name: each for each in (*ALL, *LIMITED, *QUANTIZED)}
names_of_dtypes = tuple(_BY_NAME)


def dtype_named(name: str) -> dtype:
    """The dtype called ``name``.  Raises TypeError if there is none."""
    if name not in _BY_NAME:
        raise TypeError(f"unknown dtype {name!r}; expected one of: {', '.join(_BY_NAME)}")
    return _BY_NAME[name]


# ---------------------------------------------------------------------------------------------------------
# Type promotion.  Two dtypes promote to the smallest one of the higher *category*, which need not hold both
# ranges: int64 with float16 is float16.  Among integers the wider wins; uint8 with int8 is int16.


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The common dtype in which operands of dtypes ``type1`` and ``type2`` are computed.

    Raises RuntimeError for an integer or a float of LIMITED with another dtype, except for an unsigned one
    with a float, and for a dtype of QUANTIZED with another.  Source: torch.promote_types, the table in
    c10/core/ScalarType.cpp.
    """
    if type1 is type2:
        return type1
    if type1 in QUANTIZED or type2 in QUANTIZED:
        raise RuntimeError(
            "promoteTypes with quantized numbers is not handled yet; figure out what the correct rules "
            f"should be, offending types: {type1.scalar_type} {type2.scalar_type}"
        )
    if any(each in UNSIGNED or each in FLOAT8 for each in (type1, type2)):
        return _promote_limited(type1, type2)
    low, high = sorted((type1, type2), key=lambda each: (each.category, each.code))
    if high.is_complex:
        return promote_types(low.to_real(), high.to_real()).to_complex()
    if low.category != high.category:
        return high
    if high.is_floating_point:
        return float32 if low.itemsize == high.itemsize else high  # float16 with bfloat16
    if low is uint8 and high is int8:
        return int16
    return high


def _promote_limited(type1: dtype, type2: dtype) -> dtype:
    which = "Float8 Types"
    if type1 not in FLOAT8 and type2 not in FLOAT8:
        which = "uint16, uint32, uint64 types"
        for each in (type1, type2):
            if each.is_floating_point:
                return each
    raise RuntimeError(
        f"Promotion for {which} is not supported, attempted to promote {type1.scalar_type} and "
        f"{type2.scalar_type}"
    )


def can_cast(from_: dtype, to: dtype) -> bool:
    """May a result of dtype ``from_`` be written to an output of dtype ``to``?

    Only a lower category is refused: complex to real, floating to integer, anything to bool.
    Source: torch.can_cast.
    """
    if from_.is_complex and not to.is_complex:
        return False
    if from_.is_floating_point and to.category < 2:
        return False
    return from_ is bool_ or to is not bool_


_LARGEST_FLOAT16 = 65504.0  # every smaller number fits all floating point dtypes of at least 16 bits
_LARGEST_FLOAT8 = {float8_e4m3fn: 448.0, float8_e5m2: 57344.0}


def check_number_fits(value: Number, dtype: dtype) -> None:
    """Raises RuntimeError for a number that ``dtype`` can not hold.

    Infinities and NaN fit floats that have them, everything fits bool, and a negative integer fits an
    unsigned dtype if its absolute value does (it wraps around).  Source: c10::overflows.
    """
    if dtype is bool_:
        return
    text = f"value cannot be converted to type {dtype.name} without overflow"
    number: Any = value
    if isinstance(value, complex) and not dtype.is_complex:
        if value.imag != 0:
            raise RuntimeError(text)
        number = value.real
    if dtype.category == 1:
        most: float = 2 ** (dtype.bits - 1 if dtype.is_signed else dtype.bits) - 1
        least = -most - 1 if dtype.is_signed else (0 if isinstance(number, float) else -most)
        if isinstance(number, float):
            most = float(most)  # 2.0**63 for int64: that number fits, and then wraps around
        if not least <= number <= most:  # false for NaN too
            raise RuntimeError(text)
    elif dtype.is_complex:
        if dtype is not complex32 and cmath.isfinite(number) and not cmath.isfinite(dtype.cast(number)):
            raise RuntimeError(text)
    elif dtype in _LARGEST_FLOAT8:
        fits = dtype is float8_e5m2 and math.isinf(number)
        if abs(number) > _LARGEST_FLOAT8[dtype] and not fits:
            raise RuntimeError(text)
    elif dtype.is_floating_point and abs(number) > _LARGEST_FLOAT16:
        if math.isfinite(number) and not math.isfinite(dtype.cast(number)):
            raise RuntimeError(text)


def real_number(value: Number) -> Any:
    """``value`` as a real number, for comparisons.

    Raises RuntimeError for a complex number unless its imaginary part is 0.
    """
    check_number_fits(value, float64)
    return value.real if isinstance(value, complex) else value


def checked_number(value: Number) -> Number:
    """``value``, checked as an operand or argument.

    Raises OverflowError for an int that does not fit 64 bits.  Source: THPUtils_unpackScalar.
    """
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise OverflowError(
            f"int too big to convert: {value}" if value > 0 else f"int too small to convert: {value}"
        )
    return value


def dtype_of_number(value: Number, default_dtype: dtype) -> dtype:
    """The dtype of a Python number; ``default_dtype`` is that of floats."""
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        return int64
    if isinstance(value, float):
        return default_dtype
    return default_dtype.to_complex()


class ResultType:
    """Accumulates operands into their result dtype.  Source: PyTorch's ResultTypeState.

    There are three ranks: tensors with dimensions, 0-dim tensors, Python numbers (wrapped numbers).  A lower
    rank only counts if its category is higher than those of all ranks above it.
    """

    __slots__ = ("dim_result", "number_result", "zero_result")

    def __init__(self) -> None:
        self.dim_result: dtype | None = None
        self.zero_result: dtype | None = None
        self.number_result: dtype | None = None

    def add_tensor(self, dtype: dtype, ndim: int) -> None:
        """Add a tensor."""
        if ndim > 0:
            self.dim_result = _promote_or(self.dim_result, dtype)
        else:
            self.zero_result = _promote_or(self.zero_result, dtype)

    def add_number(self, value: Number, default_dtype: dtype) -> None:
        """Add a Python number.  Raises OverflowError for one that does not fit 64 bits."""
        checked_number(value)
        self.number_result = _promote_or(self.number_result, dtype_of_number(value, default_dtype))

    def result(self) -> dtype:
        """The common dtype.  At least one operand must have been added."""
        found = _combine(self.dim_result, _combine(self.zero_result, self.number_result))
        return found  # type: ignore[return-value]


def _promote_or(current: dtype | None, added: dtype) -> dtype:
    return added if current is None else promote_types(current, added)


def _combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """``higher``, unless ``lower`` is of a higher category.  Source: combine_categories."""
    if higher is None or lower is None:
        return lower if higher is None else higher
    if higher.is_complex:
        return higher
    if higher.is_floating_point:
        return higher.to_complex() if lower.is_complex else higher
    if lower.is_complex:
        return lower
    if higher is bool_ or lower.category >= 2:
        return promote_types(higher, lower)
    return higher


# ---------------------------------------------------------------------------------------------------------
# The default dtype: the dtype of Python floats.

_default_dtype = float32


def get_default_dtype() -> dtype:
    """The dtype of tensors made from Python floats.  Source: torch.get_default_dtype."""
    return _default_dtype


def set_default_dtype(d: dtype) -> None:
    """Set the dtype of Python floats to ``d``, a floating point dtype.  Source: torch.set_default_dtype."""
    global _default_dtype
    if d in FLOAT8:
        raise TypeError(f"set_default_dtype: couldn't find storage object {d.scalar_type}Storage")
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError(
            f"set_default_dtype: only floating-point dtypes are supported as the default, but got {d}"
        )
    _default_dtype = d
    late_bound.forget_calls()
