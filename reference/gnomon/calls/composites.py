"""Composites: operators that are functions of tensors made of other operators (CompositeImplicitAutograd).

And how an error says which operator it is of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..dispatch.dispatcher import OpOverload
from ..memory.tensor import Tensor

# Or is it what autograd says of any in-place operator, which PyTorch does not name either?
_NAMES_AN_OPERATOR = re.compile(r"(linalg\.)?\w+(\(\))?: |a (view of a )?leaf Variable that requires grad ")


def checked(operator: OpOverload, rule: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Apply a rule or a composition; an error that it raises names the operator, or the part of it that
    raised.
    """
    try:
        return rule(*arguments)
    except NAMED as error:
        raise_named(operator, error)


NAMED = (RuntimeError, IndexError, TypeError, ValueError)


def raise_named(operator: OpOverload, error: Exception) -> NoReturn:
    """Raises ``error`` with the operator's name, unless it has one, or a hook or a mode has raised it."""
    if len(error.args) != 1 or _NAMES_AN_OPERATOR.match(str(error)) or not _is_ours(error):
        raise error
    name = operator.schema.name
    if name.startswith("_"):  # of _cdist_forward, a user has called cdist
        name = name.lstrip("_").removesuffix("_forward")
    if name.startswith("linalg_"):  # whose namespace PyTorch's errors name
        name = name.replace("_", ".", 1)
    raise type(error)(f"{name}: {error}") from error.__cause__


def _is_ours(error: Exception) -> bool:
    """Is the error the rule's or the composition's, or gnomon's: was it raised by no code of the user's that
    gnomon's has called meanwhile, and is its class none of the user's?
    """
    kind = type(error).__module__
    trace = error.__traceback__
    if trace is not None and trace.tb_frame.f_code is checked.__code__:
        trace = trace.tb_next
    by_gnomon = False
    while trace is not None:
        is_gnomon = trace.tb_frame.f_globals.get("__name__", "").startswith("gnomon")
        if by_gnomon and not is_gnomon:
            return False
        by_gnomon, trace = is_gnomon, trace.tb_next
    return kind == "builtins" or kind.startswith("gnomon")


def composed(operator: OpOverload, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """What a composition returns.  A view of what only it has seen is no view to anybody else: the reshaped
    product of a matmul, say, is a tensor of its own.  Source: _unsafe_view.
    """
    result = checked(operator, function, arguments)
    if result.__class__ is Tensor and result._view_of is not None:
        hide_base(result, arguments)
    return result


def hide_base(result: Tensor, arguments: Sequence[Any]) -> None:
    """Make a composition's result a tensor of its own, if it is a view of what only the composition saw."""
    base, version, _ = result._view_of  # type: ignore[misc]
    if result._version == version and not any(_shows(each, base, result) for each in arguments):
        result._view_of = None


def _shows(argument: Any, base: Tensor, result: Tensor) -> bool:
    """Is ``argument`` the result itself, its base or another view of that, or are they in it?"""
    if isinstance(argument, Tensor):
        view_of = argument._view_of
        return argument is base or argument is result or (view_of is not None and view_of[0] is base)
    return isinstance(argument, (list, tuple)) and any(_shows(each, base, result) for each in argument)
