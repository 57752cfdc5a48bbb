"""Schemas.

An operator's schema says everything about its arguments: types, defaults, what is only given by keyword,
what is written to.

    add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)

Write ``parse_schema``.  Text that has not the form ``name.overload(arguments) -> results`` is a ValueError;
the overload, with its dot, may be missing.

- ``type`` is the text of the type without the alias: "Tensor", "Tensor?", "int[2]", "Tensor?[]".
- ``alias`` is what is in the parentheses of a type: "a", or "a!" if it is written to; None if there are
  none.  Of "a -> *" it is what is before the arrow, "a".
- ``default`` is the text of the default, or None.  It may contain commas: ``int[2] stride=[1, 2]``.
- Arguments after ``*`` are ``kwarg_only``.
- Results are one type, several in parentheses (which may have names), or ``()``.  Only their types are
  asked for.

    schema = parse_schema("max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor a, Tensor b)")
    schema.overload      ->  "dim"
    schema.arguments[2]  ->  Argument("keepdim", "bool", "False", False, None)
    schema.returns       ->  ["Tensor", "Tensor"]
"""

from __future__ import annotations

from typing import NamedTuple


class Argument(NamedTuple):
    """An argument of a schema."""

    name: str
    type: str
    default: str | None
    kwarg_only: bool
    alias: str | None


class Schema(NamedTuple):
    """A schema."""

    name: str
    overload: str  # "" if it has none
    arguments: list[Argument]
    returns: list[str]


def parse_schema(text: str) -> Schema:
    """The parts of a schema.  Raises ValueError for text that is none."""
    raise NotImplementedError
