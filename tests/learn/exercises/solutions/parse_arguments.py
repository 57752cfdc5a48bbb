"""A model answer."""

from __future__ import annotations

from typing import Any, NamedTuple

import gnomon as gn

REQUIRED = object()


class Parameter(NamedTuple):
    """A parameter of a schema."""

    name: str
    type: str  # "Tensor", "int", "float", "bool" or "Scalar"
    is_optional: bool
    default: Any  # or REQUIRED
    kwarg_only: bool


TYPES = {
    "Tensor": (gn.Tensor,),
    "int": (int,),
    "bool": (bool,),
    "float": (bool, int, float),
    "Scalar": (bool, int, float, complex),
}


def parse_arguments(parameters: list[Parameter], args: list[Any], kwargs: dict[str, Any]) -> list[Any]:
    names = [parameter.name for parameter in parameters]
    positional = [name for name, parameter in zip(names, parameters) if not parameter.kwarg_only]
    if len(args) > len(positional):
        raise TypeError(f"takes {len(positional)} positional arguments, but {len(args)} were given")
    given = dict(zip(positional, args))
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(f"got an unexpected keyword argument {name!r}")
        if name in given:
            raise TypeError(f"got several values for argument {name!r}")
        given[name] = value
    return [value_of(parameter, given) for parameter in parameters]


def value_of(parameter: Parameter, given: dict[str, Any]) -> Any:
    """The value of a parameter, checked and converted."""
    if parameter.name not in given:
        if parameter.default is REQUIRED:
            raise TypeError(f"argument {parameter.name!r} is missing")
        return parameter.default
    value = given[parameter.name]
    if value is None and parameter.is_optional:
        return None
    if not isinstance(value, TYPES[parameter.type]) or (parameter.type == "int" and isinstance(value, bool)):
        raise TypeError(f"argument {parameter.name!r} must be {parameter.type}, not {type(value).__name__}")
    return float(value) if parameter.type == "float" else value
