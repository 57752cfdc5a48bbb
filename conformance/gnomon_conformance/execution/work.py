"""The amount of arithmetic and memory traffic of a call, from the sizes of its tensors alone.

This is the minimum: each input is read once, each output is written once, and each multiply-add of a product
or a convolution counts as two operations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import gnomon as gn


class Work(NamedTuple):
    """elements: of the largest tensor; operations: floating point; bytes: read and written."""

    elements: int
    operations: int
    bytes: int


Shaped = tuple[str, tuple[int, ...]]  # dtype and sizes


def _tensors(arguments: Sequence[Any]) -> Iterator[Shaped]:
    for each in arguments:
        if isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str):
            yield each
        elif isinstance(each, (list, tuple)):
            yield from _tensors(each)


def _results(operator: str, arguments: Sequence[Any]) -> list[Shaped]:
    """Dtypes and sizes of the results, found by calling the operator on meta tensors."""

    def made(value: Any) -> Any:
        if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
            return gn.empty(value[1], dtype=getattr(gn, value[0]), device="meta")
        if isinstance(value, list):
            return [made(each) for each in value]
        if isinstance(value, dict):
            if "name" in value:
                return getattr(gn, value["name"])
            return gn.device("meta") if "device" in value else None
        return value

    try:
        with gn.no_grad():
            returned = gn.ops.aten._find(operator)(*(made(each) for each in arguments))
    except Exception:  # the sizes depend on values: count only the inputs
        return []
    results = returned if isinstance(returned, (list, tuple)) else [returned]
    return [(each.dtype.name, tuple(each.shape)) for each in results if isinstance(each, gn.Tensor)]


def work_of(operator: str, arguments: Sequence[Any]) -> Work:
    """The work of one call; a tensor is (dtype, sizes), and other arguments are as in a census."""
    inputs = list(_tensors(arguments))
    if gn.ops.aten._find(operator).schema.is_view:
        return Work(0, 0, 0)
    results = _results(operator, arguments)
    name = operator.partition(".")[0].rstrip("_")
    written = results or inputs[:1]
    if name.endswith("_"):  # the output is the first input, read and written
        written = inputs[:1]
    counts = [math.prod(sizes) for _, sizes in inputs + results]
    nbytes = sum(math.prod(sizes) * getattr(gn, dtype).itemsize for dtype, sizes in inputs + written)
    return Work(max(counts, default=1), _operations(name, inputs, written, max(counts, default=1)), nbytes)


def _operations(name: str, inputs: Sequence[Shaped], results: Sequence[Shaped], elements: int) -> int:
    sizes = [each for _, each in inputs]
    if name in ("mm", "bmm", "mv", "dot", "vdot", "addmm", "addmv", "baddbmm", "addbmm") and len(sizes) >= 2:
        left, right = sizes[-2:]
        return 2 * math.prod(left) * (right[-1] if len(right) > 1 else 1)
    if "convolution" in name and len(sizes) >= 2:
        is_backward = name == "convolution_backward"
        weight = sizes[2] if is_backward and len(sizes) > 2 else sizes[1]
        image = sizes[0] if is_backward else results[0][1]
        once = 2 * image[0] * math.prod(image[2:]) * math.prod(weight)
        return once * (2 if is_backward else 1)
    if "attention" in name and len(sizes) >= 3:
        query, key = sizes[0], sizes[1]
        return 4 * math.prod(query) * key[-2]
    return elements
