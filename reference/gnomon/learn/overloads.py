"""Which overload a Python call chose, and why it was not another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..bindings.argument_parser import Mismatch, Signature, in_order
from ..dispatch.dispatcher import OpOverload
from ..dispatch.python_dispatch import split_arguments
from ..dispatch.registration import UserOperator
from .observation import Call
from .operators import packet_of
from .report import Block, Facts, Table


def explain_overload(call: Call) -> list[Block]:
    """The overload chosen; the others in the order in which they are tried, with the reason."""
    operator = call.operator
    assert operator is not None
    facts = [("called", operator.schema.text)]
    if isinstance(operator, UserOperator):
        return [Facts(facts)]
    chosen = operator.record.base if operator.schema.is_out else operator
    if call.python is not None:
        args, kwargs = call.python.args, {**call.python.kwargs}
        kwargs.pop("out", None)
        kwargs.pop("requires_grad", None)
        signatures = list(call.python.signatures)
    else:
        args, kwargs = _as_called(operator, call.arguments)
        signatures = [Signature(each) for each in in_order(packet_of(chosen))]
    rows = table_of_overloads(signatures, args, kwargs, chosen)
    if operator.schema.is_out:
        facts.append(("because", "out= was given"))
    return [Facts(facts), Table(("tried", "overload", "outcome"), rows if len(rows) > 1 else ())]


def table_of_overloads(
    signatures: Sequence[Signature], args: Sequence[Any], kwargs: dict[str, Any], chosen: OpOverload | None
) -> list[tuple[Any, ...]]:
    """What each signature says to these arguments."""
    rows = []
    found = False
    for number, signature in enumerate(signatures, 1):
        name = signature.operator.schema.overload_name or "default"
        if signature.operator is chosen:
            outcome, found = "chosen", True
        else:
            problem = _problem(signature, args, kwargs)
            if problem is not None:
                outcome = f"no: {problem}"
            else:
                outcome = "would match, but is tried later" if found else "matches these arguments, too"
        rows.append((number, name, outcome))
    return rows


def _problem(signature: Signature, args: Sequence[Any], kwargs: dict[str, Any]) -> str | None:
    """Why the arguments do not match; None if they do."""
    try:
        signature.bind(tuple(args), dict(kwargs))
    except Mismatch as mismatch:
        return str(mismatch)
    return None


def _as_called(operator: OpOverload, arguments: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of an operator's call as a Python call would give them: without defaults and outputs."""
    args, kwargs = split_arguments(operator, arguments)
    written = {each.name for each in operator.schema.arguments if each.is_written and each.kwarg_only}
    return args, {name: value for name, value in kwargs.items() if name not in written}
