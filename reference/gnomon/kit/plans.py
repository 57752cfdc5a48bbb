"""Plans: what the specs and the other arguments of a call decide, found once and kept with the operator.

A plan holds everything but the tensors themselves: the outputs' specs, the walk, the kernel's prepared calls.
Specs are interned, so a call's plan is found by what its arguments are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..dispatch.dispatcher import OpOverload, aten
from ..memory.backend import on_register
from ..memory.spec import Spec
from ..memory.tensor import Tensor
from ..values import dtype as dtypes
from ..values.device import device
from . import launch
from .iterator import TensorIterator

PLANS_PER_OPERATOR = 4096  # plans kept of one operator; a program with more shapes than that starts afresh
PLANS_OF_LISTS = 64  # the same where a plan may be of a whole model's parameters
_NAMES_AN_OPERATOR = re.compile(r"\w+(\(\))?: ")


class Plan:
    """What a call with certain specs and arguments comes to: everything but the tensors themselves."""

    __slots__ = ("device", "key_dtype", "output_specs", "prepared", "walk")

    def __init__(
        self, device: device, output_specs: tuple[Spec, ...], walk: TensorIterator | None, key_dtype: Any
    ):
        self.device = device
        self.output_specs = output_specs
        self.walk = walk
        self.key_dtype = key_dtype
        self.prepared: dict[Any, Any] = {}


def plan_key(arguments: Sequence[Any]) -> Any:
    """A key under which a call's plan can be kept: equal keys mean equal plans.

    1, 1.0 and True are equal to Python and different to promotion, so types are part of it; and so is the
    sign of zero.
    """
    key: list[Any] = []
    for argument in arguments:
        if isinstance(argument, Tensor):
            key.append(argument._spec)
        elif isinstance(argument, float):
            key.append((float, argument, math.copysign(1.0, argument)))
        elif isinstance(argument, (list, tuple)):
            key.append(plan_key(argument))
        elif isinstance(argument, complex):
            key.append((complex, repr(argument)))
        else:
            key.append((type(argument), argument))
    return tuple(key)


def make_plan(operator: OpOverload, arguments: Sequence[Any]) -> Plan:
    """Check the arguments and find what a functional call will allocate and run."""
    record = operator.record
    tensors = list(operator.tensors(arguments))
    if tensors:
        where = launch.check_same_device(operator.schema.name, tensors)
    result = checked(operator, record.meta, launch.specs_of(arguments))
    if isinstance(result, TensorIterator):
        return Plan(result.device, result.output_specs, result.with_converted_inputs(), result.key_dtype)
    outputs = (result,) if isinstance(result, Spec) else tuple(result)
    if tensors and not record.inputs.promoted:
        return Plan(where, outputs, None, tensors[0]._spec.dtype)
    first = next(spec for spec in outputs if spec is not None)
    return Plan(where if tensors else first.device, outputs, None, first.dtype)


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
    """Raises ``error`` with the operator's name, unless it has one."""
    if len(error.args) != 1 or _NAMES_AN_OPERATOR.match(str(error)):
        raise error
    name = operator.schema.name
    if name.startswith("_"):  # of _cdist_forward, a user has called cdist
        name = name.lstrip("_").removesuffix("_forward")
    raise type(error)(f"{name}: {error}") from error.__cause__


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


def find_plan(operator: OpOverload, arguments: Sequence[Any]) -> Plan:
    """The plan of a functional call, kept or made."""
    if not operator.tensor_positions:
        return make_plan(operator, arguments)  # a factory's depends on the default device too
    plans = operator.plans
    key = plan_key(arguments)
    plan = plans.get(key)
    if plan is None:
        plan = make_plan(operator, arguments)
        if len(plans) >= (PLANS_PER_OPERATOR if operator.schema.returns else PLANS_OF_LISTS):
            plans.clear()
        plans[key] = plan
    return plan


def drop_plans(backend: Any = None) -> None:
    """Forget all plans: kernels were registered, and a plan may name another's."""
    for packet in aten:
        for operator in packet.overloads.values():
            operator.plans.clear()


on_register(drop_plans)
dtypes.on_default_dtype(drop_plans)
