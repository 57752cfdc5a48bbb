"""Composites: operators implemented by calling other operators (CompositeImplicitAutograd).

And how errors get the operator's name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..dispatch.dispatcher import OpOverload
from ..memory.tensor import Tensor
from ..values.library_name import LIBRARY

# The last alternative is autograd's error about in-place operators, which has no operator name in PyTorch.
_NAMES_AN_OPERATOR = re.compile(
    r"(gnomon\.)?(linalg\.)?\w+(\(\))?: |a (view of a )?leaf Variable that requires grad "
)


def checked(operator: OpOverload, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call a meta function or a composite; its errors get the operator's name, unless they have one."""
    try:
        return function(*arguments)
    except NAMED as error:
        raise_named(operator, error)


NAMED = (RuntimeError, IndexError, TypeError, ValueError)


def raise_named(operator: OpOverload, error: Exception) -> NoReturn:
    """Raises ``error`` with the operator's name, unless it has one or a user's code raised it."""
    if len(error.args) != 1 or _NAMES_AN_OPERATOR.match(str(error)) or not _is_ours(error):
        raise error
    name = operator.schema.name
    if name.startswith("_"):  # for _cdist_forward: the user has called cdist
        name = name.lstrip("_").removesuffix("_forward")
    if name.startswith("linalg_"):  # PyTorch's errors name the namespace
        name = name.replace("_", ".", 1)
    raise type(error)(f"{name}: {error}") from error.__cause__


def _is_ours(error: Exception) -> bool:
    """Was the error raised by gnomon, or by the function that it called?

    Not if gnomon has called a user's code that raised it, or if its class is a user's.
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
    return kind.partition(".")[0] in ("builtins", "gnomon", str(LIBRARY))


def composed(operator: OpOverload, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """The result of a composite.  If it is a view of an internal tensor, it is not marked as a view.

    For example, the reshaped product of a matmul is no view for the user.  Source: _unsafe_view.
    """
    result = checked(operator, function, arguments)
    if result.__class__ is Tensor and result._view_of is not None:
        hide_base(result, arguments)
    return result


def hide_base(result: Tensor, arguments: Sequence[Any]) -> None:
    """Unmark a composite's result as a view, if its base is internal to the composite."""
    base, version, _ = result._view_of  # type: ignore[misc]
    if result._version == version and not any(_shows(each, base, result) for each in arguments):
        result._view_of = None


def _shows(argument: Any, base: Tensor, result: Tensor) -> bool:
    """Is ``argument`` the result, its base or another view of that, or a list that contains one?"""
    if isinstance(argument, Tensor):
        view_of = argument._view_of
        return argument is base or argument is result or (view_of is not None and view_of[0] is base)
    return isinstance(argument, (list, tuple)) and any(_shows(each, base, result) for each in argument)
