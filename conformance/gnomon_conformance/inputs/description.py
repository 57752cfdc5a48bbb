"""Descriptions of tensors, and of operator calls, as plain data.

A description gives sizes, dtype, layout and the kind of numbers; ``stored`` derives from it the exact
contents of a storage and the strides over it, which are the same on every machine.  From those a tensor is
then built on any device, in gnomon or in PyTorch.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias, TypedDict

REAL_FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
DTYPES = ("bool", *INTEGERS, *REAL_FLOATS, *COMPLEX)
FLOATS = (*REAL_FLOATS, *COMPLEX)
# The dtypes that few operators take: they parametrize no test, but tensors of a sample may have them.
UNSIGNED = ("uint16", "uint32", "uint64")
FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
LIMITED = (*UNSIGNED, *FLOAT8, "complex32")
_WHOLE = (*INTEGERS, *UNSIGNED)
_OF_TWO_PARTS = (*COMPLEX, "complex32")

LAYOUTS = ("contiguous", "transposed", "offset", "gapped", "expanded", "mixed")
# In the layout "mixed", tensor i of a call has layout i of these: the operands have different layouts.
MIXED = ("transposed", "offset", "expanded", "contiguous", "gapped")
# Further layouts, for test_layouts: see strides_of.
MORE_LAYOUTS = ("permuted", "window", "column", "odd ones", "overlapping", "varied")
# As MIXED, for the layout "varied".
VARIED = ("permuted", "overlapping", "window", "odd ones", "column")
# Layouts with internal overlap, which a tensor that is written to may not have.
_REPEATING = ("expanded", "overlapping")
# The layouts that every dtype is tested in; FULL_LAYOUT_DTYPES are tested in all.
FEW_LAYOUTS = ("contiguous", "mixed")
FULL_LAYOUT_DTYPES = ("float32", "int64")

# Sparse layouts, which a description names itself: coalesced with scalar values; columns that are repeated
# and out of order; coalesced, of which the last dimension is in the values; matrices of compressed layouts,
# with blocks of 2 x 2 in the last one.
COMPRESSED_LAYOUTS = ("sparse_csr", "sparse_csc", "sparse_bsr")
OPAQUE_LAYOUT = "_mkldnn"
# Quantized tensors, whose dtype here is that of their integers: with one scale, with another one, and with a
# scale for each index of the first dimension, or of the last (see Quantization).
QUANTIZED_LAYOUTS = ("per_tensor", "coarse", "per_channel", "per_last_channel")
SPARSE_LAYOUTS = (
    *("sparse_coo", "uncoalesced", "hybrid", *COMPRESSED_LAYOUTS, OPAQUE_LAYOUT),
    *QUANTIZED_LAYOUTS,
)

# Kinds of problematic values:
#   nonfinite   NaN and infinities, scattered among ordinary numbers
#   extreme     zeros of both signs, subnormal, smallest and largest numbers; the extremes of integers
#   tiny        the same without the largest numbers, so that nothing computed from them overflows
#   small       all magnitudes between 1 and 2**-40 (for float16 2**-12), both signs
#   wide        all magnitudes between 1 / 4 and 256, in turn, both signs
#   ties        a few numbers, each many times, with zeros of both signs
#   equal       a single number; "nothing": zero, negative zero where the dtype has one
#   ascending, descending  sorted in memory order, with ties
HURTING = (
    "nonfinite",
    "extreme",
    "tiny",
    "small",
    "wide",
    "ties",
    "equal",
    "nothing",
    "ascending",
    "descending",
)

# Fractional bits of the numbers drawn: few enough that every floating dtype represents them exactly, so that
# building a tensor never rounds; as many as possible, so that computing with them does.
_FRACTION_BITS = {
    "float16": 9,
    "bfloat16": 6,
    "float32": 22,
    "float64": 44,
    "complex64": 22,
    "complex128": 44,
    "float8_e4m3fn": 2,
    "float8_e5m2": 1,
    "complex32": 9,
}

_FLOAT_LIMITS = {  # smallest subnormal, smallest normal, largest
    "float16": (2.0**-24, 2.0**-14, 65504.0),
    "float8_e4m3fn": (2.0**-9, 2.0**-6, 448.0),
    "float8_e5m2": (2.0**-16, 2.0**-14, 57344.0),
    "bfloat16": (2.0**-133, 2.0**-126, (2 - 2.0**-7) * 2.0**127),
    "float32": (2.0**-149, 2.0**-126, (2 - 2.0**-23) * 2.0**127),
    "float64": (2.0**-1074, 2.0**-1022, (2 - 2.0**-52) * 2.0**1023),
}


class TensorDescription(NamedTuple):
    """A description of a tensor.

    dtype   a name, or None: the dtype that the test is parametrized with
    values  "normal" (-2 to 2; integers -9 to 9), "positive" (1/4 to 4), "unit" (-0.9 to 0.9), "nonzero",
            "distinct",
            "special" (infinities, NaN, zeros of both signs, subnormal and extreme numbers; integer extremes),
            "zeros", "ones", one of HURTING, or "positive " and one of them: their magnitudes,
            "signs" (-1 and 1), "probability" (1/8 to 7/8), or "below n": integers from 0 to n - 1
    layout  one of LAYOUTS or of SPARSE_LAYOUTS, or None: the layout that the test is parametrized with
    grad    whether a gradient may be requested for it, if its dtype is differentiable
    """

    sizes: tuple[int, ...]
    dtype: str | None = None
    values: str = "normal"
    layout: str | None = None
    seed: int = 0
    grad: bool = True


def tensor(*sizes: int, **fields: Any) -> TensorDescription:
    """A TensorDescription: ``tensor(2, 3)``, ``tensor(4, dtype="int64", values="below 3")``."""
    return TensorDescription(sizes, **fields)


class Stored(NamedTuple):
    """The numbers in a storage, and the tensor over it; strides and offset count elements."""

    numbers: tuple[Any, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    dtype: str


class Specified(NamedTuple):
    """The parts of a sparse tensor: ``indices`` by dimension, and for each column its value's numbers.

    Of a compressed ``layout``: the compressed and the plain indices.  Of an opaque or a quantized tensor: no
    indices; the values or integers of all elements.
    """

    indices: tuple[tuple[int, ...], ...]
    values: Stored
    sizes: tuple[int, ...]
    is_coalesced: bool
    layout: str = "sparse_coo"


class Quantization(NamedTuple):
    """What the integers of a quantized tensor mean; ``axis``: the dimension of the channels, or None."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int | None


def quantization(parts: Specified) -> Quantization:
    """That of a tensor in one of QUANTIZED_LAYOUTS."""
    axis = {"per_channel": 0, "per_last_channel": len(parts.sizes) - 1}.get(parts.layout)
    channels = range(1 if axis is None else parts.sizes[axis])
    scale, zero_point = (0.25, 1) if parts.layout == "coarse" else (0.05, 3)
    scales = tuple(scale * (channel + 1) for channel in channels)
    return Quantization(scales, tuple(zero_point + channel for channel in channels), axis)


def specified(contents: Stored, layout: str) -> Specified:
    """The sparse tensor, in one of SPARSE_LAYOUTS, that has two thirds of the elements of a contiguous
    one.
    """
    if layout == OPAQUE_LAYOUT or layout in QUANTIZED_LAYOUTS:  # it has all elements
        return Specified((), contents, contents.sizes, True, layout)
    if layout in COMPRESSED_LAYOUTS:
        return _compressed(contents, layout)
    ndim = len(contents.sizes) - (layout == "hybrid")
    sizes, dense = contents.sizes[:ndim], contents.sizes[ndim:]
    width = math.prod(dense)
    places = [place for place in range(math.prod(sizes)) if place % 3 != 1]
    if layout == "uncoalesced":
        places = [*reversed(places), *places[:2]]
    indices = tuple(
        tuple(place // stride % size for place in places) for size, stride in zip(sizes, _row_major(sizes))
    )
    numbers = [number for place in places for number in contents.numbers[place * width : (place + 1) * width]]
    shape = (len(places), *dense)
    values = Stored(tuple(numbers), shape, tuple(_row_major(shape)), 0, contents.dtype)
    return Specified(indices, values, contents.sizes, layout != "uncoalesced")


def _compressed(contents: Stored, layout: str) -> Specified:
    """The same for the elements of a matrix, or its blocks."""
    rows, columns = contents.sizes
    height, width = (2, 2) if layout == "sparse_bsr" else (1, 1)
    grid = [(row, column) for row in range(rows // height) for column in range(columns // width)]
    found = [pair for number, pair in enumerate(grid) if number % 3 != 1]
    first, other = (1, 0) if layout == "sparse_csc" else (0, 1)
    found.sort(key=lambda pair: (pair[first], pair[other]))
    lines = (rows // height, columns // width)[first]
    starts = tuple(sum(pair[first] < line for pair in found) for line in range(lines + 1))
    numbers = tuple(
        contents.numbers[(row * height + down) * columns + column * width + right]
        for row, column in found
        for down in range(height)
        for right in range(width)
    )
    shape = (len(found), height, width) if layout == "sparse_bsr" else (len(found),)
    values = Stored(numbers, shape, tuple(_row_major(shape)), 0, contents.dtype)
    indices = (starts, tuple(pair[other] for pair in found))
    return Specified(indices, values, contents.sizes, True, layout)


class GivenTensor(TensorDescription):
    """A tensor with given contents, independent of the dtype and layout that the test is parametrized with.

    ``storage``: tensors of a call with the same number here, other than None, share their storage.
    """

    contents: Stored
    storage: int | None


def given(
    numbers: Sequence[Any],
    sizes: Sequence[int],
    strides: Sequence[int],
    offset: int,
    dtype: str,
    storage: int | None = None,
) -> GivenTensor:
    """A GivenTensor: the numbers of its whole storage, and its sizes, strides and offset, in elements."""
    made = GivenTensor(tuple(sizes), dtype, "given", "contiguous")
    made.contents = Stored(tuple(numbers), tuple(sizes), tuple(strides), offset, dtype)
    made.storage = storage
    return made


class OnDevice(NamedTuple):
    """A placeholder for the device that the test runs on."""


ON_DEVICE = OnDevice()


class Sample(NamedTuple):
    """One call of an operator: its arguments, as plain data.

    ``args`` and ``kwargs`` fill the schema's arguments by position and name; missing ones keep their
    defaults.  Values are TensorDescriptions, lists of them, numbers, lists of numbers, and names for dtypes,
    layouts and memory formats; for a generator its seed.
    dtypes         the dtypes that the sample is restricted to; None: all
    fails          the kind of exception ("RuntimeError") that invalid input raises, else None
    differentiable False where gradients are not meaningful (values at a kink or a pole)
    smooth         False where the gradient is a convention that finite differences do not see (ties, padding)
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    dtypes: tuple[str, ...] | None = None
    fails: str | None = None
    differentiable: bool = True
    smooth: bool = True


# Some of a call's arguments by name; as in a Sample, a value is whatever the schema takes there.
Keywords: TypeAlias = dict[str, Any]


class Judged(TypedDict, total=False):
    """The keywords of ``sample`` that are not arguments of the operator: see Sample."""

    dtypes: Sequence[str]
    differentiable: bool
    smooth: bool


def sample(
    *args: Any,
    dtypes: Sequence[str] | None = None,
    differentiable: bool = True,
    smooth: bool = True,
    **kwargs: Any,
) -> Sample:
    """A Sample of valid input."""
    return Sample(args, kwargs, None if dtypes is None else tuple(dtypes), None, differentiable, smooth)


# The options of samples whose tensors have dtypes of their own, so that one dtype of the test is enough.
IN_FLOAT32: Keywords = {"dtypes": ["float32"], "differentiable": False}


def bad(kind: str, *args: Any, dtypes: Sequence[str] = ("float32",), **kwargs: Any) -> Sample:
    """A Sample of invalid input, which has to raise ``kind``."""
    return Sample(args, kwargs, tuple(dtypes), kind, False)


def _row_major(sizes: Sequence[int]) -> list[int]:
    strides = [1] * len(sizes)
    for dim in range(len(sizes) - 2, -1, -1):
        strides[dim] = strides[dim + 1] * max(sizes[dim + 1], 1)
    return strides


def _in_order(sizes: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """The strides of a dense tensor whose dimensions are stored in ``order``, outermost first."""
    strides = [0] * len(sizes)
    for dim, stride in zip(order, _row_major([sizes[dim] for dim in order])):
        strides[dim] = stride
    return tuple(strides)


def strides_of(sizes: Sequence[int], layout: str) -> tuple[tuple[int, ...], int]:
    """The strides and the offset, in elements, of a tensor of ``sizes`` in ``layout``.

    permuted     dimensions stored in an order that is neither row-major nor reversed, and is not its own
                 inverse: channels last for four dimensions; a column-major matrix with gaps between columns
    window       a slice of something larger: dense rows with gaps between them, and before the first
    column       a column of a matrix with five columns: no two elements are adjacent
    odd ones     dense; dimensions of size one have arbitrary strides: 17, 0 and 1
    overlapping  each row begins in the middle of the preceding one
    """
    if (
        layout == "contiguous" or layout in SPARSE_LAYOUTS
    ):  # a sparse one has some elements of a contiguous one
        return tuple(_row_major(sizes)), 0
    if layout == "offset":
        return tuple(_row_major(sizes)), 3
    if layout == "transposed":
        return tuple(reversed(_row_major(sizes[::-1]))), 0
    if layout == "gapped":
        return tuple(2 * stride for stride in _row_major(sizes)), 1
    if layout == "expanded":
        repeated = next((dim for dim, size in enumerate(sizes) if size > 1), None)
        kept = [1 if dim == repeated else size for dim, size in enumerate(sizes)]
        return tuple(0 if dim == repeated else stride for dim, stride in enumerate(_row_major(kept))), 0
    if layout == "channels_last":
        return _in_order(sizes, [0, *range(2, len(sizes)), 1]), 0
    if layout == "permuted":
        if len(sizes) == 3:
            return _in_order(sizes, [2, 0, 1]), 0
        if len(sizes) > 3:
            return _in_order(sizes, [0, *range(2, len(sizes)), 1]), 0
        return (*(1 for _ in sizes[:1]), *(sizes[0] + 3 for _ in sizes[1:])), 0
    if layout == "column":
        return tuple(5 * stride for stride in _row_major(sizes)), 3
    if layout == "odd ones":
        odd = itertools.cycle((17, 0, 1))
        return tuple(next(odd) if size == 1 else own for size, own in zip(sizes, _row_major(sizes))), 0
    if layout == "window":
        strides = [1] * len(sizes)
        for dim in range(len(sizes) - 2, -1, -1):
            strides[dim] = strides[dim + 1] * max(sizes[dim + 1], 1) + 29
        return tuple(strides), 7
    if layout == "overlapping":
        return tuple(_row_major([(size + 1) // 2 for size in sizes])), 0
    raise ValueError(f"unknown layout {layout!r}")


def _draws(values: str, dtype: str, count: int, key: str) -> Iterator[Any]:
    """Yield ``count`` numbers of the kind ``values`` that ``dtype`` represents exactly."""
    draw = random.Random(key).random  # the one method whose sequence Python guarantees across versions
    if values.startswith("below "):
        bound = int(values[6:])
        for _ in range(count):
            yield int(draw() * bound)
    elif values == "zeros":
        yield from [0] * count
    elif values == "ones":
        yield from [1] * count
    elif values == "signs":
        for _ in range(count):
            yield -1 if draw() < 0.5 and dtype not in ("bool", "uint8") else 1
    elif values == "special":
        extremes = _extremes(dtype)
        for index in range(count):
            yield (
                extremes[(index * 7 + len(key)) % len(extremes)]
                if index >= len(extremes)
                else extremes[index]
            )
    elif values in HURTING:
        yield from _hurting(values, dtype, count, draw)
    elif values.startswith("positive "):
        for number in _hurting(values[9:], dtype, count, draw):
            if dtype in COMPLEX:  # the size of a number need not be a number of the dtype
                yield complex(abs(number.real), abs(number.imag))
            else:
                yield max(number, 0) if dtype in INTEGERS else abs(number)
    elif dtype == "bool":
        for _ in range(count):
            yield values in ("positive", "nonzero") or draw() < 0.5
    elif dtype in _WHOLE:
        least = 1 if values in ("positive",) else 0 if dtype.startswith("uint") else -9
        if values == "distinct":
            order = sorted(range(count), key=lambda _: draw())
            most = _extremes(dtype)[0]  # a narrow dtype has fewer values than that
            yield from (index % (most - least + 1) + least for index in order)
            return
        for _ in range(count):
            number = least + int(draw() * (10 - least))
            yield number or 1 if values == "nonzero" else number
    else:
        yield from _floats(values, dtype, count, draw)


def _floats(values: str, dtype: str, count: int, draw: Callable[[], float]) -> Iterator[Any]:
    scale = 2.0 ** _FRACTION_BITS[dtype]
    ranges = {
        "normal": (-2.0, 2.0),
        "positive": (0.25, 2.0),
        "unit": (-0.9, 0.9),
        "nonzero": (0.25, 2.0),
        "probability": (0.125, 0.875),
    }
    if values == "distinct":
        # steps of 1/8 from -2 up: far enough apart for finite differences, and exact in every dtype; beyond
        # what the dtype represents exactly, numbers repeat
        most = {"bfloat16": 2**8, "float16": 2**11}.get(dtype, count)
        order = sorted(range(count), key=lambda _: draw())
        yield from (index % max(most, 1) / 8 - 2.0 for index in order)
        return
    low, high = ranges[values]

    def one() -> float:
        number = round((low + draw() * (high - low)) * scale) / scale
        return -number if values == "nonzero" and draw() < 0.5 else number

    for _ in range(count):
        yield complex(one(), one()) if dtype in _OF_TWO_PARTS else one()


def _hurting(values: str, dtype: str, count: int, draw: Callable[[], float]) -> Iterator[Any]:
    """Numbers of one of the kinds in HURTING."""
    ordinary = list(_draws("normal", dtype, count, str(draw())))
    is_unsigned = dtype in ("bool", "uint8")
    if values in ("ascending", "descending"):
        # every second number twice
        halves = sorted((ordinary[place - place % 2] for place in range(count)), key=_order)
        yield from halves if values == "ascending" else reversed(halves)
        return
    if values == "small":
        for number in ordinary:  # divided by a power of two, so still exact; integers are small already
            exponent = int(draw() * (13 if dtype == "float16" else 41))
            yield number * 2.0**-exponent if dtype in FLOATS else number
        return
    if values == "wide":
        # 7 and 10 are coprime, so that even a few elements cover the range of magnitudes
        for index, number in enumerate(ordinary):
            yield number * 2.0 ** (7 * index % 10 - 2) if dtype in FLOATS else number
        return
    if values == "equal":
        chosen: list[Any] = [3 if dtype in INTEGERS else 0.5]
    elif values == "nothing":
        chosen = [0 if dtype in INTEGERS else -0.0]
    elif values == "ties":
        chosen = [0, 1, 0 if is_unsigned else -1] + ([-0.0, 0.5] if dtype in FLOATS else [])
    elif dtype not in REAL_FLOATS:
        chosen = _extremes(dtype)
    elif values == "nonfinite":
        chosen = [float("nan"), float("inf"), float("-inf")]
    else:
        subnormal, normal, largest = _FLOAT_LIMITS[dtype]
        chosen = [0.0, -0.0, subnormal, -subnormal, normal, -normal]
        chosen += [largest, -largest] if values == "extreme" else []
    is_scattered = values in ("nonfinite", "extreme", "tiny")
    for number in ordinary:
        picked = chosen[int(draw() * len(chosen))]
        yield number if is_scattered and draw() < 0.5 else picked


def _order(number: Any) -> tuple[float, float]:
    return (number.real, number.imag)


def _extremes(dtype: str) -> list[Any]:
    if dtype == "bool":
        return [True, False]
    if dtype in _WHOLE:
        is_unsigned = dtype.startswith("uint")
        bits = int(dtype.removeprefix("u")[3:])
        most = 2**bits - 1 if is_unsigned else 2 ** (bits - 1) - 1
        least = 0 if is_unsigned else -(2 ** (bits - 1))
        return [most, 0, least, 1, most - 1, 2, least + 1]
    inf, nan = float("inf"), float("nan")
    if dtype in _OF_TWO_PARTS:
        return [
            complex(1.0, -0.0),
            complex(nan, 1.0),
            complex(inf, 0.0),
            0j,
            complex(-0.0, 2.0),
            complex(-1.5, -inf),
        ]
    subnormal, normal, largest = _FLOAT_LIMITS[dtype]
    inf = largest if dtype == "float8_e4m3fn" else inf  # it has no infinities
    return [nan, inf, -0.0, 0.0, -inf, largest, subnormal, -normal, 1.0, -1.0, 0.5, -2.5, -largest, 1.5]


def _layout_at(layout: str, position: int) -> str:
    """The layout of tensor ``position`` of a call that uses ``layout``."""
    for name, each in (("mixed", MIXED), ("varied", VARIED)):
        if layout == name:
            return each[position % len(each)]
    return layout


def stored(
    description: TensorDescription, dtype: str, layout: str, position: int, is_written: bool = False
) -> Stored:
    """The contents and geometry of tensor ``position`` of a call.

    ``dtype`` and ``layout`` apply where the description has none of its own.  A tensor that is written to may
    not have internal overlap, so an expanded layout becomes one with gaps.
    """
    if isinstance(description, GivenTensor):
        return description.contents
    layout = _layout_at(description.layout or layout, position)
    return _stored(description, description.dtype or dtype, layout, position, is_written)


@functools.lru_cache(maxsize=1024)  # each call is made once on the reference and twice on a backend
def _stored(
    description: TensorDescription, dtype: str, layout: str, position: int, is_written: bool
) -> Stored:
    """As ``stored``, with dtype and layout resolved."""
    if layout in _REPEATING and is_written:
        layout = "gapped"
    sizes = tuple(description.sizes)
    strides, offset = strides_of(sizes, layout)
    count = offset
    if all(sizes):
        count += sum((size - 1) * stride for size, stride in zip(sizes, strides)) + 1
    if offset:
        count += 2  # so that the storage extends beyond the tensor
    key = f"{description.seed}/{position}/{description.values}"
    numbers = tuple(_draws(description.values, dtype, count, key))
    if dtype in FLOATS:
        numbers = tuple(complex(number) if dtype in COMPLEX else float(number) for number in numbers)
    elif dtype == "bool":
        numbers = tuple(bool(number) for number in numbers)
    return Stored(numbers, sizes, strides, offset, dtype)


def complete(schema: Any, sample: Sample) -> list[Any]:
    """All arguments of ``schema``: those that the sample gives, and the defaults of the others.

    Raises TypeError for a sample that does not fit the schema.
    """
    if len(sample.args) > len(schema.arguments):
        raise TypeError(
            f"{schema.full_name}: the sample has {len(sample.args)} arguments, more than the schema"
        )
    unknown = set(sample.kwargs) - {argument.name for argument in schema.arguments}
    if unknown:
        raise TypeError(
            f"{schema.full_name}: the sample has arguments that the schema does not have: {sorted(unknown)}"
        )
    values = []
    for position, argument in enumerate(schema.arguments):
        if position < len(sample.args):
            value = sample.args[position]
        elif argument.name in sample.kwargs:
            value = sample.kwargs[argument.name]
        elif has_default(argument):
            value = default_of(argument)
        else:
            raise TypeError(f"{schema.full_name}: the sample has no value for {argument.name!r}")
        values.append(value)
    return values


def grown(sample: Sample, factor: int) -> Sample:
    """The sample with each tensor dimension of more than one element enlarged ``factor`` times.

    If arguments contain sizes as well, the resulting call may be invalid.
    """

    def larger(value: Any) -> Any:
        if isinstance(value, GivenTensor):
            return value
        if isinstance(value, TensorDescription):
            return value._replace(sizes=tuple(size * factor if size > 1 else size for size in value.sizes))
        return [larger(each) for each in value] if isinstance(value, list) else value

    kwargs = {name: larger(value) for name, value in sample.kwargs.items()}
    return sample._replace(args=tuple(map(larger, sample.args)), kwargs=kwargs)


def has_default(argument: Any) -> bool:
    """Whether a call may omit this argument.  An optional keyword-only one needs no default for that."""
    return type(argument.default) is not object or (argument.is_optional and argument.kwarg_only)


def default_of(argument: Any) -> Any:
    """The default in the form that a sample uses: a list if the argument is a list."""
    if type(argument.default) is object:
        return None
    if argument.is_list and isinstance(argument.default, int) and not isinstance(argument.default, bool):
        return [argument.default]
    return list(argument.default) if isinstance(argument.default, tuple) else argument.default


def descriptions(values: Sequence[Any]) -> Iterator[TensorDescription]:
    """All TensorDescriptions among ``values``, including those in lists, in order."""
    for value in values:
        if isinstance(value, TensorDescription):
            yield value
        elif isinstance(value, (list, tuple)) and not isinstance(value, OnDevice):
            yield from (each for each in value if isinstance(each, TensorDescription))


def layouts_for(sample: Sample, schema: Any, dtype: str, few: bool = False) -> tuple[str, ...]:
    """The layouts to test: those that give different tensors; fewer for most dtypes."""
    chosen = LAYOUTS if dtype in FULL_LAYOUT_DTYPES and not few else FEW_LAYOUTS
    return different_layouts(sample, schema, chosen) or ("contiguous",)


def different_layouts(
    sample: Sample, schema: Any, chosen: Sequence[str], but: Sequence[str] = ()
) -> tuple[str, ...]:
    """Those layouts of ``chosen`` that give tensors different from each other's and from those of ``but``."""
    values = complete(schema, sample)
    open_sizes = [tuple(each.sizes) for each in descriptions(values) if each.layout is None]
    seen: dict[Any, str] = {}
    for layout in (*but, *chosen) if open_sizes else ():
        names = [_layout_at(layout, i) for i in range(len(open_sizes))]
        seen.setdefault(tuple(strides_of(sizes, name) for sizes, name in zip(open_sizes, names)), layout)
    return tuple(layout for layout in seen.values() if layout not in but)
