"""A model answer."""

from __future__ import annotations

from typing import Any

import gnomon as gn


def fits(type: str, value: Any) -> bool:
    """Does a value fit a type?"""
    if isinstance(value, gn.Tensor):
        is_number = value.dim() == 0
        is_integer = is_number and not value.dtype.is_floating_point
        return (
            type == "Tensor" or (is_number and type in ("Scalar", "float")) or (is_integer and type == "int")
        )
    kinds = {"int": (int,), "bool": (bool,), "float": (bool, int, float), "Scalar": (bool, int, float)}
    return isinstance(value, kinds.get(type, ())) and not (type == "int" and isinstance(value, bool))


def choose_overload(overloads: dict[str, list[str]], arguments: list[Any]) -> str:
    tensors = {place for types in overloads.values() for place, type in enumerate(types) if type == "Tensor"}

    def rank(name: str) -> tuple[bool, bool, int]:
        types = overloads[name]
        beside = [type for place, type in enumerate(types) if place in tensors]
        return "int" in beside, "Tensor" not in types, beside.count("Scalar")

    for name in sorted(overloads, key=rank):
        types = overloads[name]
        if len(types) == len(arguments) and all(map(fits, types, arguments)):
            return name
    raise TypeError("no overload fits these arguments")
