"""A model answer."""

from __future__ import annotations

import keyword
from typing import Any, NamedTuple

REQUIRED = object()


class Parameter(NamedTuple):
    """A parameter of an operator."""

    name: str
    default: Any  # or REQUIRED
    kwarg_only: bool


def generate_method(name: str, operator: str, parameters: list[Parameter]) -> str:
    signature, names = [], []
    for parameter in parameters:
        if parameter.kwarg_only and "*" not in signature:
            signature.append("*")
        python_name = parameter.name + "_" * keyword.iskeyword(parameter.name)
        default = "" if parameter.default is REQUIRED else f"={parameter.default!r}"
        signature.append(python_name + default)
        names.append(python_name)
    arguments = ", ".join([repr(operator), *names])
    return f"def {name}({', '.join(signature)}):\n    return call({arguments})\n"
