"""Overloads.

``pow`` has the overloads (Tensor, Tensor), (Tensor, Scalar) and (Scalar, Tensor).  A call runs the first
one whose types fit all arguments.  The order matters, because a tensor without dimensions also fits a
Scalar, and one of integers an int.

Write ``choose_overload``.  Before it tries the overloads, it sorts them by three criteria, the first of
which matters most; overloads that are equal in all of them keep their order:

1. overloads with an "int" at a place where some overload has a "Tensor" come last,
2. then overloads without any "Tensor" come after those with one,
3. then overloads come in order of the number of their "Scalar"s at places where some overload has a
   "Tensor".

Arguments are positional only, and an overload takes exactly as many as it has types.  ``fits`` is given.

    overloads = {"Tensor_Scalar": ["Tensor", "Scalar"], "Tensor_Tensor": ["Tensor", "Tensor"]}
    choose_overload(overloads, [gn.ones(2), 2.5])             ->  "Tensor_Scalar"
    choose_overload(overloads, [gn.ones(2), gn.tensor(2.5)])  ->  "Tensor_Tensor"
    choose_overload(overloads, [2.5, 2.5])                    ->  TypeError
"""

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
    """The name of the overload that a call with these arguments runs.

    Raises TypeError if there is none.
    """
    raise NotImplementedError
