"""Calls of reductions, scans, sorts, products and indexed sums, with long rows of problematic numbers.

Each row of a matrix covers one problem: only infinities, infinities of both signs, a NaN after the first
vectors, subnormal numbers, small differences of large numbers, integers whose sums and products float64
cannot represent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..comparison.tolerances import PRECISION, Tolerance, ulp
from ..execution.runner import TensorOutcome
from .description import FLOATS, INTEGERS, REAL_FLOATS, GivenTensor, Sample, given
from .grids import greatest, rounded

LENGTH = 70  # of a row: more than one block of vectors, plus a remainder
_LEAST = {"float16": 2.0**-24, "bfloat16": 2.0**-133, "float32": 2.0**-149, "float64": 2.0**-1074}


def float_rows(dtype: str) -> list[list[float]]:
    """The rows for a floating point dtype."""
    inf, nan = math.inf, math.nan
    plain = [rounded((7 * place % 23 - 11) / 8, dtype) for place in range(LENGTH)]

    def with_(number: float, *places: int) -> list[float]:
        return [number if at in places else each for at, each in enumerate(plain)]

    bits = PRECISION[dtype][0]
    large = 2.0 ** (bits - 4)  # multiples of 1/8 of this size are still exact
    least = _LEAST[dtype]
    return [
        plain,
        [-inf] * LENGTH,
        [inf] * LENGTH,
        with_(inf, 3, 66),
        with_(-inf, 3, 66),
        [inf if place == 65 else -inf if place == 2 else each for place, each in enumerate(plain)],
        with_(nan, 0),
        with_(nan, 67),
        with_(nan, LENGTH - 1, 33),
        [(place % 5 + 1) * least for place in range(LENGTH)],
        [(place % 5 - 2) * least * 8 for place in range(LENGTH)],
        [rounded(large + (place * 5 % 16) / 8, dtype) for place in range(LENGTH)],
        [rounded((1 - 2 * (place % 2)) * (large + (place // 2 % 16) / 8), dtype) for place in range(LENGTH)],
        [rounded(-1.5 - place * 1.5, dtype) for place in range(LENGTH)],  # exponentials down to subnormal
        [-0.0] * LENGTH,
        [0.0 if place % 3 else -0.0 for place in range(LENGTH)],
        [2.5] * LENGTH,
        [
            greatest(dtype) if place == 40 else -greatest(dtype) if place == 41 else 0.0
            for place in range(LENGTH)
        ],
    ]


def integer_rows(dtype: str) -> list[list[int]]:
    """The rows for an integer dtype."""
    bits = 8 if dtype == "uint8" else int(dtype[3:])
    low, high = (0, 2**bits - 1) if dtype == "uint8" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    rows = [
        [(7 * place % 23 - 11) for place in range(LENGTH)],
        [low, high] * (LENGTH // 2),
        [high] * LENGTH,
        [low] * LENGTH,
        [3 if place < 38 else 1 for place in range(LENGTH)],
        [-1 if place == 5 else 3 if place < 36 else 1 for place in range(LENGTH)],
        [2**53 + 1 if place == 3 else place % 2 for place in range(LENGTH)],
        [-(2**53) - 3 if place == 66 else 2 * (place % 2) for place in range(LENGTH)],
        [2**57 + 5 * place for place in range(LENGTH)],
        [(2**31 + 11) * (-1) ** place * place for place in range(LENGTH)],
        [2**24 + 1 if place == 9 else place % 3 for place in range(LENGTH)],
        [high - place % 3 for place in range(LENGTH)],
    ]
    return [[(number - low) % 2**bits + low for number in row] for row in rows]


def rows_of(dtype: str) -> list[list[Any]]:
    """The rows for a dtype."""
    if dtype == "bool":
        return [
            [place in chosen for place in range(LENGTH)] for chosen in ((), (0,), (66,), range(LENGTH), (69,))
        ]
    if dtype in INTEGERS:
        return integer_rows(dtype)
    if dtype in REAL_FLOATS:
        return float_rows(dtype)
    parts = float_rows({"complex64": "float32", "complex128": "float64"}[dtype])
    kept = [row for row in parts if all(map(math.isfinite, row)) and max(map(abs, row)) < 1e30]
    return [[complex(a, b) for a, b in zip(row, row[::-1])] for row in kept]


def matrix(rows: Sequence[Sequence[Any]], dtype: str) -> GivenTensor:
    """A contiguous 2-D tensor of these rows."""
    return given(
        [each for row in rows for each in row], (len(rows), len(rows[0])), (len(rows[0]), 1), 0, dtype
    )


def vector(numbers: Sequence[Any], dtype: str) -> GivenTensor:
    """A contiguous 1-D tensor of these numbers."""
    return given(list(numbers), (len(numbers),), (1,), 0, dtype)


def _call(*args: Any, **kwargs: Any) -> Sample:
    return Sample(args, kwargs, differentiable=False)


def _turned(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows)]


Call = Callable[[GivenTensor, int], Sample]


def _norm(order: float) -> Call:
    return lambda x, dim: _call(x, order, [dim])


# Operator -> functions that make its calls from a matrix and the dimension to reduce.
ALONG: dict[str, list[Call]] = {
    "sum.dim_IntList": [lambda x, dim: _call(x, [dim])],
    "mean.dim": [lambda x, dim: _call(x, [dim])],
    "nansum": [lambda x, dim: _call(x, [dim])],
    "prod.dim_int": [lambda x, dim: _call(x, dim)],
    "amax": [lambda x, dim: _call(x, [dim])],
    "amin": [lambda x, dim: _call(x, [dim])],
    "any.dims": [lambda x, dim: _call(x, [dim])],
    "all.dims": [lambda x, dim: _call(x, [dim])],
    "var.correction": [
        lambda x, dim: _call(x, [dim], correction=1),
        lambda x, dim: _call(x, [dim], correction=0),
    ],
    "std.correction": [lambda x, dim: _call(x, [dim], correction=1)],
    "logsumexp": [lambda x, dim: _call(x, [dim])],
    "linalg_vector_norm": [_norm(order) for order in (2, 1, math.inf, -math.inf, 0, 3)],
    "argmax": [lambda x, dim: _call(x, dim)],
    "argmin": [lambda x, dim: _call(x, dim)],
    "max.dim": [lambda x, dim: _call(x, dim)],
    "min.dim": [lambda x, dim: _call(x, dim)],
    "aminmax": [lambda x, dim: _call(x, dim=dim)],
    "median.dim": [lambda x, dim: _call(x, dim)],
    "nanmedian.dim": [lambda x, dim: _call(x, dim)],
    "mode": [lambda x, dim: _call(x, dim)],
    "kthvalue": [lambda x, dim: _call(x, 66, dim)],
    "sort.stable": [
        lambda x, dim: _call(x, stable=True, dim=dim),
        lambda x, dim: _call(x, stable=True, dim=dim, descending=True),
    ],
    "topk": [lambda x, dim: _call(x, 5, dim), lambda x, dim: _call(x, 69, dim, False)],
    "cumsum": [lambda x, dim: _call(x, dim)],
    "cumprod": [lambda x, dim: _call(x, dim)],
    "cummax": [lambda x, dim: _call(x, dim)],
    "cummin": [lambda x, dim: _call(x, dim)],
    "_softmax": [lambda x, dim: _call(x, dim, False)],
    "_log_softmax": [lambda x, dim: _call(x, dim, False)],
    "_count_nonzero": [lambda x, dim: _call(x)],
    "flip": [lambda x, dim: _call(x, [dim])],
}

# The tolerance of a call is relative to its largest result; these operators cancel to small results, so each
# row is also called by itself.
BY_THEMSELVES = ("var.correction", "std.correction")


def calls(operator: Any, dtype: str) -> Iterator[Sample]:
    """The calls of an operator with such rows; nothing for other operators."""
    name = operator.name
    rows = rows_of(dtype)
    if "prod" in name:  # a product of 0 and factors that overflow depends on the order
        rows = rows[:-1]
    for make in ALONG.get(name, ()):
        yield make(matrix(rows, dtype), 1)
        yield make(matrix(_turned(rows), dtype), 0)
        if name in BY_THEMSELVES:
            for row in rows:
                yield make(vector(row, dtype), 0)
    if name in INDEXED and dtype != "bool":
        yield from _indexed(name, rows, dtype)
    if name in PRODUCTS and dtype != "bool":
        yield from _products(name, rows, dtype)


PLACES = 4  # the number of elements that are added to


class Indexed(NamedTuple):
    """What the calls of an operator that writes at indices are made from.

    ``source`` are the rows to write: each to one of the ``places`` in ``target``, several of them to the same
    one; or each to a place of its own in ``wide_target``, of ``apart``.  For ``scatter``, ``wide`` and
    ``wide_apart`` have the place of each element.
    """

    dtype: str
    rows: list[list[Any]]
    source: GivenTensor
    target: GivenTensor
    places: GivenTensor
    wide: GivenTensor
    wide_target: GivenTensor
    apart: GivenTensor
    wide_apart: GivenTensor


def _put(x: Indexed) -> Iterator[Sample]:
    yield _call(x.target, [x.places], x.source, True)
    width = len(x.rows[0])
    second = vector([place * 3 % 5 % width for place in range(LENGTH)], "int64")
    flat = vector([row[place % width] for place, row in enumerate(x.rows)], x.dtype)
    yield _call(x.target, [x.places, second], flat, True)


# Operator -> its calls.
INDEXED: dict[str, Callable[[Indexed], Iterable[Sample]]] = {
    "scatter_add": lambda x: [_call(x.target, 0, x.wide, x.source)],
    "scatter.src": lambda x: [_call(x.wide_target, 0, x.wide_apart, x.source)],
    "scatter.reduce": lambda x: [
        _call(x.target, 0, x.wide, x.source, reduce=reduce) for reduce in ("add", "multiply")
    ],
    "scatter_reduce.two": lambda x: [
        _call(x.target, 0, x.wide, x.source, reduce, include_self=include_self)
        for reduce in ("sum", "prod", "mean", "amax", "amin")
        for include_self in (True, False)
        if x.dtype in (*INTEGERS, *REAL_FLOATS)
    ],
    "index_add": lambda x: [
        _call(x.target, 0, x.places, x.source),
        _call(x.target, 0, x.places, x.source, alpha=3),
    ],
    "index_copy": lambda x: [_call(x.wide_target, 0, x.apart, x.source)],
    "_index_put": _put,
    "put": lambda x: [_call(x.target, x.places, vector([row[0] for row in x.rows], x.dtype), True)],
    "embedding_dense_backward": lambda x: [
        _call(x.source, x.places, PLACES, padding, False) for padding in (-1, 1) if x.dtype in REAL_FLOATS
    ],
}


def _indexed(name: str, rows: list[list[Any]], dtype: str) -> Iterable[Sample]:
    finite = [row for row in rows if all(_is_moderate(number, dtype) for number in row)]
    if not finite:
        return ()
    source, width = _turned(finite), len(finite)
    zero = 0 if dtype in INTEGERS else 0.0
    index = [place * 5 % 7 % PLACES for place in range(LENGTH)]
    apart = [place * 3 % LENGTH for place in range(LENGTH)]
    return INDEXED[name](
        Indexed(
            dtype=dtype,
            rows=source,
            source=matrix(source, dtype),
            target=matrix([[zero] * width] * PLACES, dtype),
            places=vector(index, "int64"),
            wide=matrix([[each] * width for each in index], "int64"),
            wide_target=matrix([[zero] * width] * LENGTH, dtype),
            apart=vector(apart, "int64"),
            wide_apart=matrix([[each] * width for each in apart], "int64"),
        )
    )


def _is_moderate(number: Any, dtype: str) -> bool:
    return dtype in INTEGERS or (number == number and abs(number) < 3000)


class Factors(NamedTuple):
    """What the calls of a product are made from: rows, and the matrices and batches of one matrix of them."""

    dtype: str
    left: list[list[Any]]
    right: list[list[Any]]
    a: GivenTensor
    b: GivenTensor
    batch_a: GivenTensor
    batch_b: GivenTensor

    def ones(self, count: int) -> list[Any]:
        """As many ones."""
        return [1 if self.dtype in INTEGERS else 1.0] * count


# Operator -> its calls.
PRODUCTS: dict[str, Callable[[Factors], Iterable[Sample]]] = {
    "mm": lambda x: [
        _call(x.a, x.b),
        _call(matrix(x.right, x.dtype), matrix(_turned(x.left), x.dtype)),
    ],
    "bmm": lambda x: [_call(x.batch_a, x.batch_b)],
    "addmm": lambda x: [_call(matrix([x.ones(len(x.right))] * len(x.left), x.dtype), x.a, x.b)],
    "baddbmm": lambda x: [
        _call(given([2 * x.ones(1)[0]], (1,), (1,), 0, x.dtype), x.batch_a, x.batch_b),
    ],
    "dot": lambda x: [_call(vector(row, x.dtype), vector(x.right[-1], x.dtype)) for row in x.left],
}


def _products(name: str, rows: list[list[Any]], dtype: str) -> Iterator[Sample]:
    numbers = [row for row in rows if dtype in INTEGERS or all(_is_moderate(each, dtype) for each in row)]
    special = [
        row
        for row in rows
        if row not in numbers and sum(each == each and abs(each) < 1e4 for each in row) > 60
    ]
    ones: list[list[float]] = [[(place + turn) % 3 - 1 for place in range(LENGTH)] for turn in range(3)]
    if dtype not in INTEGERS:
        ones = [[float(each) for each in row] for row in ones]
    if dtype == "uint8":
        ones = [[abs(each) for each in row] for row in ones]
    for left in filter(None, (numbers, special)):
        right = ones + left[:3] if dtype in INTEGERS else ones
        a, b = matrix(left, dtype), matrix(_turned(right), dtype)
        batch_a, batch_b = (
            given(each.contents.numbers, (1, *each.sizes), (1, *each.contents.strides), 0, dtype)
            for each in (a, b)
        )
        yield from PRODUCTS[name](Factors(dtype, left, right, a, b, batch_a, batch_b))


class Relative(Tolerance):
    """A tolerance relative to each element: a probability of 1e-6 is tested as strictly as one of 0.5."""

    ULPS = 512  # the effect on exp(-100) of rounding its argument, and of the rounding in the sum

    def _derived_bounds(self, expected: TensorOutcome, position: int) -> Sequence[float]:
        dtype = expected.dtype
        ulps = self.ULPS if dtype in ("float32", "float64") else 2
        return [ulps * ulp(abs(number), dtype) for number in expected.numbers or ()]


def tolerance(operator: Any, sample: Sample, dtype: str) -> Tolerance:
    """The tolerance of such a call."""
    kind = Relative if operator.name == "_softmax" and dtype in FLOATS else Tolerance
    return kind(operator, sample, dtype, "contiguous")


def operators() -> list[str]:
    """The operators that have such calls."""
    return [*ALONG, *INDEXED, *PRODUCTS]
