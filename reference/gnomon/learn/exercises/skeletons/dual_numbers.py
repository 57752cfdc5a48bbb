"""Forward mode.

Backward goes through a program from its end.  Forward mode goes with it: every number carries its
derivative along, the tangent, and every operator computes both.  A number with a tangent is a *dual
number*.

Write ``Dual`` with the operators + - * / (with numbers on either side), negation and powers with a number
as exponent; the functions ``exp``, ``sin`` and ``log`` of Duals and of plain numbers; and ``jvp``, which
gives the value of a function and its derivative in the direction of a tangent.

    jvp(lambda x: 3 * x * x, 2.0, 1.0)  ->  (12.0, 12.0)
    jvp(lambda x: 5.0, 2.0, 1.0)        ->  (5.0, 0.0)
"""

from __future__ import annotations

from collections.abc import Callable


class Dual:
    """A number with a tangent.  It needs __add__, __radd__ and so on; add what is missing."""

    def __init__(self, value: float, tangent: float):
        self.value = value
        self.tangent = tangent

    def __add__(self, other: Dual | float) -> Dual:
        raise NotImplementedError

    def __mul__(self, other: Dual | float) -> Dual:
        raise NotImplementedError

    def __pow__(self, exponent: float) -> Dual:
        raise NotImplementedError


def exp(x: Dual | float) -> Dual | float:
    """The exponential."""
    raise NotImplementedError


def sin(x: Dual | float) -> Dual | float:
    """The sine."""
    raise NotImplementedError


def log(x: Dual | float) -> Dual | float:
    """The natural logarithm."""
    raise NotImplementedError


def jvp(function: Callable[[Dual], Dual | float], value: float, tangent: float) -> tuple[float, float]:
    """The function's value, and its derivative times ``tangent``."""
    raise NotImplementedError
