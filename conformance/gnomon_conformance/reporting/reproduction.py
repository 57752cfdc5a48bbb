"""Writes a failed call as a short program that needs only gnomon, not the suite."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Sequence
from typing import Any

from ..inputs.description import (
    OPAQUE_LAYOUT,
    QUANTIZED_LAYOUTS,
    SPARSE_LAYOUTS,
    OnDevice,
    Sample,
    Specified,
    TensorDescription,
    complete,
    quantization,
    specified,
    stored,
)

SHOWN = 6  # differences listed in a message

_NAMED = {
    "ScalarType": "gn.{}",
    "Layout": "gn.{}",
    "MemoryFormat": "gn.{}",
    "Generator": "gn.Generator().manual_seed({})",
}


MOST_LINES = 10  # of a program


def _hex(value: float) -> str:
    """A number as a float, in a form that is read back exactly."""
    return re.sub(r"\.?0+p", "p", float(value).hex()) if math.isfinite(value) else str(value)


def _list(numbers: Sequence[Any]) -> str:
    """An expression for a list of numbers, with floats in hexadecimal."""
    if any(isinstance(each, complex) for each in numbers):
        pairs = " ".join(f"{_hex(each.real)},{_hex(each.imag)}" for each in numbers)
        return f'[complex(*map(float.fromhex, pair.split(","))) for pair in "{pairs}".split()]'
    if any(isinstance(each, float) for each in numbers):
        return f'[*map(float.fromhex, "{" ".join(map(_hex, numbers))}".split())]'
    return repr(list(numbers))


def _number(value: Any) -> str:
    if isinstance(value, bool) or isinstance(value, int):
        return repr(value)
    if isinstance(value, complex):
        return f"complex({_number(value.real)}, {_number(value.imag)})"
    return repr(value) if math.isfinite(value) else f"float({str(value)!r})"


def _sparse(parts: Specified) -> str:
    """An expression for a sparse, opaque or quantized tensor on ``device``."""
    values = (
        f"gn.tensor({_list(parts.values.numbers)}, dtype=gn.{parts.values.dtype}, device=device)"
        f".reshape({parts.values.sizes})"
    )
    if parts.layout == OPAQUE_LAYOUT:
        return f"{values}.to_mkldnn()"
    if parts.layout in QUANTIZED_LAYOUTS:
        scales, zero_points, axis = quantization(parts)
        if axis is None:
            return f"gn._make_per_tensor_quantized_tensor({values}, {scales[0]}, {zero_points[0]})"
        made = [f"gn.tensor({list(each)}, device=device)" for each in (scales, zero_points)]
        return f"gn._make_per_channel_quantized_tensor({values}, {made[0]}, {made[1]}, {axis})"
    first, *rest = (list(each) for each in parts.indices)
    if parts.layout == "sparse_coo":
        indices = f"gn.tensor({[first, *rest]}, dtype=gn.int64, device=device)"
        return f"gn.sparse_coo_tensor({indices}, {values}, {parts.sizes}, is_coalesced={parts.is_coalesced})"
    indices = ", ".join(f"gn.tensor({each}, dtype=gn.int64, device=device)" for each in (first, *rest))
    return f"gn.sparse_compressed_tensor({indices}, {values}, {parts.sizes}, layout=gn.{parts.layout})"


def _plain(value: Any) -> str:
    if isinstance(value, (float, complex)):
        return _number(value)
    return repr(value)


def reproduction(
    operator: Any, sample: Sample, dtype: str, layout: str, devices: Sequence[str], gradients: bool = False
) -> str:
    """A program of at most MOST_LINES that makes the call on each of ``devices`` and prints the results.

    Tensors are written with their layout: the numbers of the whole storage, sizes, strides, offset; sparse
    ones by their indices and values, opaque ones by their elements, quantized ones by integers and scales.
    """
    schema = operator.schema
    lines = ["import gnomon as gn", "", f"for device in {tuple(devices)!r}:"]
    names: list[str] = []
    shared: dict[int, str] = {}  # storage -> the name of the tensor that owns it
    texts = []

    twice: dict[int, str] = {}

    def built(description: TensorDescription, is_written: bool) -> str:
        if id(description) in twice:
            return twice[id(description)]
        contents = stored(description, dtype, layout, len(names), is_written)
        name = f"t{len(names)}"
        view = f".as_strided({contents.sizes}, {contents.strides}, {contents.offset})"
        grad = (
            ".requires_grad_()"
            if gradients and contents.dtype.startswith(("float", "bfloat", "complex"))
            else ""
        )
        made = f"gn.tensor({_list(contents.numbers)}, dtype=gn.{contents.dtype}, device=device)"
        if description.layout in SPARSE_LAYOUTS:
            made, view = _sparse(specified(contents, description.layout)), ""
        storage = getattr(description, "storage", None)
        if storage is not None:
            twice[id(description)] = name
            made = shared.setdefault(storage, name).replace(name, made)
        lines.append(f"    {name} = {made}{view}{grad}")
        names.append(name)
        return name

    for argument, value in zip(schema.arguments, complete(schema, sample)):
        if isinstance(value, OnDevice):
            texts.append("gn.device(device)")
        elif isinstance(value, TensorDescription):
            of_storage = ".untyped_storage()" if argument.type == "Storage" else ""
            texts.append(built(value, argument.is_written) + of_storage)
        elif isinstance(value, (list, tuple)):
            items = [
                built(each, argument.is_written) if isinstance(each, TensorDescription) else _plain(each)
                for each in value
            ]
            texts.append(f"({', '.join(items)}{',' if len(items) == 1 else ''})")
        elif value is not None and argument.type in _NAMED:
            texts.append(_NAMED[argument.type].format(value))
        else:
            texts.append(_plain(value))
    if len(lines) > MOST_LINES - 2:
        lines[3:] = ["    " + "; ".join(line.strip() for line in lines[3:])]
    overload = schema.overload_name or "default"
    found = f"gn.ops.aten.{schema.name}.{overload}"
    if keyword.iskeyword(overload):  # random_.from
        found = f"getattr(gn.ops.aten.{schema.name}, {overload!r})"
    call = f"{found}({', '.join(texts)})"
    if not names:
        lines.append(f"    with gn.device(device):\n        print(device, {call})")
    elif gradients:
        lines.append(f"    {call}.sum().backward()")
        lines.append(f"    print(device, [tensor.grad for tensor in ({', '.join(names)},)])")
    else:
        lines.append(f"    print(device, {call}, {', '.join(names)})")
    return "\n".join(lines)


def explain(
    problems: Sequence[str],
    operator: Any,
    sample: Sample,
    dtype: str,
    layout: str,
    devices: Sequence[str],
    **options: Any,
) -> str:
    """The message of a failed check: the differences, and a program that reproduces them."""
    what = f"{operator.name}, {dtype}, layout {layout}, on {devices[-1]}"
    program = reproduction(operator, sample, dtype, layout, devices, **options)
    shown = [*problems[:SHOWN], *([f"… and {len(problems) - SHOWN} more"] if len(problems) > SHOWN else [])]
    return "\n".join([what, *shown, "", "To reproduce:", "", program, ""])
