"""The tables of csrc/*.def, which C and CUDA share, as read by Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from gnomon.values.dtype import ALL

from .sources import folder

# The classes of dtypes of csrc/c/kernel.h.
_INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
_FLOATS = ("float16", "bfloat16", "float32", "float64")
_COMPLEX = ("complex64", "complex128")
DTYPES: dict[str, tuple[str, ...]] = {
    "ALL": ("bool", *_INTEGERS, *_FLOATS, *_COMPLEX),
    "NUMERIC": (*_INTEGERS, *_FLOATS, *_COMPLEX),
    "ORDERED": ("bool", *_INTEGERS, *_FLOATS),
    "REAL": (*_INTEGERS, *_FLOATS),
    "INTEGRAL": ("bool", *_INTEGERS),
    "INTEGER": _INTEGERS,
    "FLOATING": _FLOATS,
    "FRACTIONAL": (*_FLOATS, *_COMPLEX),
    "PRECISE": ("float32", "float64"),
    "COMPLEX": _COMPLEX,
}
CODES = {dtype.name: dtype.code for dtype in ALL}
_ROW = re.compile(r'^(?:BITS\()?([A-Z_]+)(?:\(|, )"([^"]+)", (\w+), ([A-Z]+)')
_INPUTS = {
    "UNARY": 1,
    "PREDICATE": 1,
    "BINARY": 2,
    "COMPARISON": 2,
    "CHECKED": 2,
    "DIVISION": 2,
    "DIVISION_FAR": 2,
    "TERNARY": 3,
}
_CHECKED = ("CHECKED", "DIVISION", "DIVISION_FAR")
_FOLDS = ("FOLD", "SUM")
_STATISTICS = ("SPREAD", "NORM", "POWERS")


class Row(NamedTuple):
    """One row of a table.

    name     PyTorch's name with overload: "add.Tensor"
    id       the operation's name in the kernels' source: "add"
    dtypes   those of its inputs
    inputs   the number of input tensors
    checked  may it refuse elements?
    source   the position of the row: "csrc/pointwise.def:112"
    """

    name: str
    id: str
    dtypes: tuple[str, ...]
    inputs: int
    checked: bool
    source: str


def _rows(table: str, inputs_of: Callable[[str], int | None]) -> Iterator[Row]:
    for number, line in enumerate((folder() / table).read_text().splitlines(), start=1):
        found = _ROW.match(line)
        if found is None:
            continue
        kind, name, identifier, dtypes = found.groups()
        inputs = inputs_of(kind)
        if inputs is not None:
            yield Row(name, identifier, DTYPES[dtypes], inputs, kind in _CHECKED, f"csrc/{table}:{number}")


def _pointwise_inputs(kind: str) -> int | None:
    return _INPUTS.get(kind.partition("_")[0])


def pointwise_rows() -> list[Row]:
    """The operators of pointwise.def that have kernels here, and the two that csrc/cuda adds to them."""
    added = "csrc/cuda/pointwise_dtype.cuh"
    return [
        *_rows("pointwise.def", _pointwise_inputs),
        Row("clamp", "clamp", DTYPES["REAL"], 1, False, added),
        Row("pow.Tensor_Scalar", "pow_number", DTYPES["ALL"], 1, False, added),
    ]


def reduction_rows() -> list[Row]:
    """The operators of reduce.def that accumulate one element after another."""
    return list(_rows("reduce.def", lambda kind: 1 if kind in _FOLDS else None))


def statistics_rows() -> list[Row]:
    """The other operators of reduce.def: variances, norms and logsumexp."""
    return list(_rows("reduce.def", lambda kind: 1 if kind in _STATISTICS else None))
