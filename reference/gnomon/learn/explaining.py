"""explain: looks at what it got, and makes the Report of it."""

from __future__ import annotations

import inspect
import sys
from typing import Any

from ..dispatch.dispatcher import OpOverload, OpOverloadPacket
from ..memory.tensor import Tensor
from ..values.errors import type_name
from .errors import explain_error
from .functions import explain_call
from .names import find_by_function, find_by_name, near_names
from .operators import explain_operator, explain_packet
from .report import Report
from .tensors import explain_tensor
from .watching import Watch


def explain_name(name: str) -> Report:
    """The Report of an operator by its name.  Raises ValueError for an unknown one."""
    found = find_by_name(name)
    if found is None:
        near = near_names(name)
        hint = f"; did you mean {', '.join(map(repr, near))}?" if near else ""
        raise ValueError(f"explain: there is no operator {name!r}{hint}")
    return explain_operator(found) if isinstance(found, OpOverload) else explain_packet(found)


def _takes_nothing(function: Any) -> bool:
    """Can the function be called without arguments?  Yes if its signature is not known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    named = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return all(each.kind in named or each.default is not inspect.Parameter.empty for each in parameters)


class Explain:
    """The type of ``gnomon.explain``, which is called."""

    def __call__(self, thing: Any) -> Report:
        """Explain ``thing``, and return the Report, which prints as text.

        thing: an operator (its name, ``"add.Tensor"``; a function or a method, ``gn.add``; an overload or a
        packet of ``gn.ops.aten``); a function without arguments, which is run once, and whose operator calls
        are explained (the Report has its ``result``); a tensor; an exception that an operator's call raised.

        Raises TypeError for anything else, ValueError for an unknown name and for an exception without such
        a call.
        """
        if isinstance(thing, str):
            return explain_name(thing)
        thing = getattr(thing, "_opoverload", thing)  # what custom_op made
        if isinstance(thing, OpOverload):
            return explain_operator(thing)
        if isinstance(thing, OpOverloadPacket):
            return explain_packet(thing)
        if callable(thing) and not isinstance(thing, Tensor):
            packet = find_by_function(thing)
            if packet is not None:
                return explain_packet(packet)
            if _takes_nothing(thing):
                return explain_call(thing)
            raise TypeError(
                f"explain(): {getattr(thing, '__name__', thing)!r} is no operator, and can not be called "
                "without arguments; explain a call of it: gn.explain(lambda: f(x))"
            )
        if isinstance(thing, Tensor):
            frame = sys._getframe(1)
            return explain_tensor(thing, {**frame.f_globals, **frame.f_locals})
        if isinstance(thing, BaseException):
            return explain_error(thing)
        raise TypeError(
            "explain(): argument 'thing' must be an operator, a function without arguments, a Tensor or an "
            f"exception, not {type_name(thing)}"
        )

    def watch(self) -> Watch:
        """A context manager: inside, ``explain(tensor)`` also says which operator wrote to it last, and from
        where.  Its value is a Watch, whose ``last_writer(tensor)`` says it after the block, too.
        """
        return Watch()


explain = Explain()
