"""The hot path of ``out=``: one kernel that writes to a tensor which has the right sizes and dtype already.

A *plan* is the kernel's prepared call for these operands and this output, found by all their specs; then the
call is what an in-place operator's is (fast_operators.py).  An output that has to be resized or converted, or
that shares memory with an operand, goes the readable way (kit/running.py, run_out), which says what may be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .dispatch import dispatcher
from .dispatch.dispatcher import OpOverload
from .dispatch.mode import mode_word
from .fast_operators import (
    PLANS_PER_OPERATOR,
    address_of,
    has_shortcut,
    is_negative_zero,
    is_plain_without_grad,
    is_promoted,
    new_plans,
    walks_as_given,
)
from .hot_path import in_c
from .kit import launch
from .kit.outputs import with_output_dtype
from .kit.plans import find_plan
from .kit.running import kernel_walk, numbers_of_kernel
from .memory.backend import backend_of
from .memory.tensor import Tensor, version_counter
from .values import geometry
from .values.dispatch_key import PLAIN_CALL, TENSOR_KEYS, WRAPPER_KEYS

_MOST_INPUTS = 2  # tensors that the backends' entry points take beside an output


def has_out_shortcut(operator: OpOverload) -> bool:
    """Can ``make_out`` serve this variant with ``out=``?"""
    base = operator.record.base
    if base is None or len(operator.schema.arguments) != len(base.schema.arguments) + 1:
        return False
    inputs = base.tensor_positions
    return has_shortcut(base) and base.record.view is None and len(inputs) <= _MOST_INPUTS


def make_out(operator: OpOverload) -> Callable[..., Any]:
    """The shortcut of a variant with ``out=``.  Takes all arguments of the schema, the output last."""
    plans = new_plans()
    listeners = dispatcher._listeners
    readable = operator.dispatch
    positions = operator.tensor_positions
    others = [place for place in range(operator.arity) if place not in positions]

    def miss(arguments: tuple[Any, ...], key: Any) -> Any:
        """Run the readable path and leave a plan for the next call of this kind."""
        spec = arguments[-1]._spec
        result = readable(*arguments)
        if not any(arguments[place]._keys & WRAPPER_KEYS for place in positions):
            plan = _out_plan(operator, arguments) if arguments[-1]._spec is spec else None
            if plan is not None:
                if len(plans) >= PLANS_PER_OPERATOR:
                    plans.clear()
                plans[key] = plan
        return result

    def out(*arguments: Any) -> Any:
        try:
            keys = mode_word()
            key = []
            for place, each in enumerate(arguments):
                if place in positions:
                    keys |= each._keys
                    key.append(each._spec)
                else:
                    key += [each, each.__class__]
            plan = plans.get(tuple(key))
        except (AttributeError, TypeError):  # no tensor where one may stand, or a list: no key
            return readable(*arguments)
        if listeners or any(is_negative_zero(arguments[place]) for place in others):
            return readable(*arguments)
        if plan is None:
            return miss(arguments, tuple(key))
        output = arguments[-1]
        if (
            (keys != PLAIN_CALL and not is_plain_without_grad(keys))
            or output._keys & TENSOR_KEYS != TENSOR_KEYS  # made in inference mode, perhaps
            or _shares_memory(output, [arguments[place] for place in positions[:-1]])
        ):
            return readable(*arguments)
        entry, call = plan[:2]
        if entry(call, output._address, *[arguments[place]._address for place in positions[:-1]]):
            return readable(*arguments)
        version_counter(output).value += 1
        return output

    return in_c("out", out, plans=plans, operator=operator)


def _shares_memory(output: Tensor, inputs: Sequence[Tensor]) -> bool:
    storage = output._storage
    return any(each is output or (storage is not None and each._storage is storage) for each in inputs)


def _out_plan(operator: OpOverload, arguments: Sequence[Any]) -> tuple[Any, ...] | None:
    """What make_out keeps of a call, or None where it has no shortcut; as general_plan."""
    base, output = operator.record.base, arguments[-1]
    given = with_output_dtype(base, arguments[:-1], output)
    tensors = [given[position] for position in base.tensor_positions]
    spec = output._spec
    if spec.device.type == "meta" or geometry.has_internal_overlap(spec.sizes, spec.strides):
        return None
    if operator.with_lists(arguments) is not arguments:
        return None
    plan = find_plan(base, given)
    wanted = plan.output_specs[0]
    if wanted.sizes != spec.sizes or wanted.dtype is not spec.dtype or plan.device is not spec.device:
        return None
    kernel = launch.find_kernel(backend_of(plan.device), base.record.kernel_name, plan.key_dtype)
    if not hasattr(kernel, "prepare"):
        return None
    if plan.walk is not None:
        walk = kernel_walk(base, plan, given, [spec])
        if walk is None or walk.numel == 0 or not walks_as_given(walk, tensors):
            return None
        call = kernel.prepare(walk, (), 1, numbers_of_kernel(base, plan.key_dtype, given))
    elif is_promoted(base, plan, tensors) or base.record.inputs.expanded or not spec.numel:
        return None
    else:
        rest = [given[place] for place in base.record.kernel_positions]
        call = kernel.prepare(None, [output, *tensors], 1, rest)
    entry = call.entry(len(tensors), 0, True)
    if entry is None:
        return None
    return entry, call.address, spec, (), call, address_of(call, entry)
