"""Operator schemas: PyTorch's signature language, as in native_functions.yaml.

    add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
    add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
    max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
    view(Tensor(a) self, SymInt[] size) -> Tensor(a)

``Tensor(a)`` aliases the other arguments and results marked ``a``; ``Tensor(a!)`` is also written to.  ``?``
allows None, ``[]`` is a list, ``[2]`` a list that a single value may replace.  Arguments after ``*`` are
keyword-only.

Source: aten/src/ATen/native/README.md, torchgen/model.py.
"""

from __future__ import annotations

import ast
import functools
import re
from typing import Any, NamedTuple

from .dtype import dtype_named

REQUIRED = object()  # the default of an argument without a default


class Alias(NamedTuple):
    """The name of an alias annotation, and whether the tensor is written to."""

    name: str
    is_write: bool


class Argument(NamedTuple):
    """An argument or a result of a schema.

    ``type`` is the type without modifiers ("Tensor", "Scalar", "int", "SymInt", "bool", "ScalarType", ...).
    """

    name: str
    type: str
    is_list: bool
    list_size: int | None  # 2 of int[2], where one int may replace the list; None of Tensor[]
    is_optional: bool
    elements_optional: bool  # Tensor?[]: a list whose elements may be None
    alias: Alias | None
    default: Any
    kwarg_only: bool

    @property
    def is_tensor(self) -> bool:
        """Is this a tensor, or a list of tensors?"""
        return self.type == "Tensor"

    @property
    def type_text(self) -> str:
        """The type as written in the schema, without alias annotations: "Tensor?", "int[]"."""
        inner = "?" if self.elements_optional else ""
        size = "" if self.list_size is None else self.list_size
        return f"{self.type}{inner}{f'[{size}]' if self.is_list else ''}{'?' if self.is_optional else ''}"

    @property
    def is_written(self) -> bool:
        """Does the operator write to it?"""
        return self.alias is not None and self.alias.is_write


class FunctionSchema:
    """One parsed schema.

    ``name`` "add", ``overload_name`` "Tensor", ``full_name`` "add.Tensor", ``arguments`` and ``returns``.
    Raises ValueError for text that is not a schema.
    """

    __slots__ = (
        "arguments", "full_name", "is_inplace", "is_out", "is_view", "name", "overload_name", "returns",
        "text",
    )  # fmt: skip

    def __init__(self, text: str):
        self.text = text
        match = re.fullmatch(r"\s*([A-Za-z_]\w*)(?:\.(\w+))?\((.*)\)\s*->\s*(.+?)\s*", text, re.S)
        if match is None:
            raise ValueError(f"invalid operator schema: {text!r}")
        self.name, overload_name, arguments, returns = match.groups()
        self.overload_name = overload_name or ""
        self.full_name = f"{self.name}.{overload_name}" if overload_name else self.name
        self.arguments = tuple(_parse_arguments(arguments))
        if returns.startswith("("):
            returns = returns[1:-1]
        self.returns = tuple([_parse_argument(each, False) for each in _split(returns)])
        first = self.arguments[0] if self.arguments else None
        # does it write to its first argument and return it, like ``add_``?
        self.is_inplace = (
            self.name.endswith("_")
            and not self.name.startswith("__")
            and first is not None
            and first.is_written
            and not first.is_list
        )
        # does it write to keyword arguments, like ``add.out``?
        self.is_out = any(each.kwarg_only and each.is_written for each in self.arguments)
        # does a result alias an argument without writing to it?
        self.is_view = any(each.alias is not None and not each.alias.is_write for each in self.returns)

    def __repr__(self) -> str:
        return self.text


_TYPE = re.compile(
    r"(?P<type>[A-Za-z]+)(?:\((?P<alias>[a-z]\w*(?:\|[a-z]\w*)*)(?P<write>!?)(?:\s*->\s*[a-z*|]+)?\))?(?P<inner>\?)?"
    r"(?P<list>\[(?P<size>\d*)\])?(?:\((?P<list_alias>[a-z]\w*)(?P<list_write>!?)\))?(?P<optional>\?)?"
)


def _split(text: str) -> list[str]:
    """Split ``text`` at its top-level commas."""
    parts: list[str] = []
    depth = 0
    for part in text.split(","):  # those between brackets, which are few, are joined again
        if depth:
            parts[-1] += f",{part}"
        else:
            parts.append(part)
        if "[" in part or "]" in part or "(" in part or ")" in part:
            depth += part.count("(") + part.count("[") - part.count(")") - part.count("]")
    return [part for part in map(str.strip, parts) if part]


def _parse_arguments(text: str) -> list[Argument]:
    arguments = []
    kwarg_only = False
    for part in _split(text):
        if part == "*":
            kwarg_only = True
        else:
            arguments.append(_parse_argument(part, kwarg_only))
    return arguments


@functools.cache  # the schemas contain few different texts
def _parse_argument(text: str, kwarg_only: bool) -> Argument:
    match = _TYPE.match(text)
    if match is None:
        raise ValueError(f"invalid argument in an operator schema: {text!r}")
    name, has_default, default = text[match.end() :].strip().partition("=")
    is_list = match["list"] is not None
    alias = match["alias"] or match["list_alias"]
    return Argument(
        name=name,
        type=match["type"],
        is_list=is_list,
        list_size=int(match["size"]) if match["size"] else None,
        is_optional=match["optional"] is not None or (match["inner"] is not None and not is_list),
        elements_optional=match["inner"] is not None and is_list,
        alias=Alias(alias, bool(match["write"] or match["list_write"])) if alias else None,
        default=_parse_default(default.strip(), match["type"], is_list) if has_default else REQUIRED,
        kwarg_only=kwarg_only,
    )


_NAMED_DEFAULTS = {"None": None, "True": True, "False": False, "Mean": 1, "Sum": 2, "contiguous_format": None}


def _parse_default(text: str, type: str, is_list: bool) -> Any:
    """The Python value of a default.  ``Mean`` is the reduction enumeration's 1."""
    if text in _NAMED_DEFAULTS:
        return _NAMED_DEFAULTS[text]
    if text in ("long", "strided"):  # the operator resolves None
        return None
    if type == "ScalarType":
        return dtype_named(text)
    value = ast.literal_eval(text)
    if is_list:
        return tuple(value) if isinstance(value, list) else value
    return value
