"""Arguments of a call.

An operator has a schema, such as ``leaky_relu(Tensor self, Scalar negative_slope=0.01)``.  The argument
parser turns the arguments of a Python call into the values of all parameters, in the schema's order, or
raises TypeError.

Write ``parse_arguments``.  It raises TypeError for

- more positional arguments than there are parameters that are not ``kwarg_only``,
- a keyword that is not the name of a parameter,
- a parameter that is given twice,
- a parameter without a value and without a default (its default is REQUIRED),
- a value of the wrong type.  A default is never checked.

What fits: for "Tensor" a gn.Tensor; for "int" an int, but not a bool; for "bool" a bool; for "float" a
bool, an int or a float, which becomes a float; for "Scalar" a bool, an int, a float or a complex number.
Tensors never fit anything but "Tensor" here.  None fits if the parameter ``is_optional``.

    parameters = [Parameter("self", "Tensor", False, REQUIRED, False),
                  Parameter("alpha", "float", False, 1.0, True)]
    parse_arguments(parameters, [x], {"alpha": 2})  ->  [x, 2.0]
    parse_arguments(parameters, [x], {})            ->  [x, 1.0]
    parse_arguments(parameters, [x, 2], {})         ->  TypeError
"""

from __future__ import annotations

from typing import Any, NamedTuple

REQUIRED = object()


class Parameter(NamedTuple):
    """A parameter of a schema."""

    name: str
    type: str  # "Tensor", "int", "float", "bool" or "Scalar"
    is_optional: bool
    default: Any  # or REQUIRED
    kwarg_only: bool


def parse_arguments(parameters: list[Parameter], args: list[Any], kwargs: dict[str, Any]) -> list[Any]:
    """The values of all parameters.

    Raises TypeError for arguments that do not fit (``gn.Tensor`` is the type of tensors).
    """
    raise NotImplementedError
