"""A model answer."""

from __future__ import annotations

import re
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
    match = re.fullmatch(r"(\w+)(?:\.(\w+))?\((.*)\) -> (.+)", text)
    if match is None:
        raise ValueError(f"not a schema: {text!r}")
    name, overload, arguments, results = match.groups()
    found = []
    kwarg_only = False
    for part in split(arguments):
        if part == "*":
            kwarg_only = True
        else:
            found.append(parse_argument(part, kwarg_only))
    if results.startswith("("):
        results = results[1:-1]
    return Schema(name, overload or "", found, [parse_argument(each, False).type for each in split(results)])


def split(text: str) -> list[str]:
    """The parts between commas that are not in brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def parse_argument(text: str, kwarg_only: bool) -> Argument:
    """An argument or a result: ``Tensor(a!)? self=None``."""
    alias = re.match(r"\w+\(([^)]*)\)", text)
    if alias is not None:
        text = text.replace(f"({alias[1]})", "", 1)
    type, _, rest = text.partition(" ")
    name, equals, default = rest.partition("=")
    return Argument(name, type, default if equals else None, kwarg_only, alias and alias[1].partition(" ")[0])
