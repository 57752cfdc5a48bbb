"""The hot path of operators in general: shortcuts that OpOverload's call takes (``operator.fast``).

- ``make_general``: one kernel call with one output, a view, or an in-place kernel, of up to three tensors;
- ``make_several``: one kernel call with several outputs, or more tensors, some of them perhaps absent;
- ``make_composite``: a composition, called straight away where no key but autograd's has a say; and what
  runs on the backend without a kernel of its own, where nothing records.

Each finds what to do by the specs and the other arguments, does it if the call is plain or only recorded, and
leaves all else to the readable way; see fast_path.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .autograd.node import gradient_edge, next_sequence_number
from .autograd.variable_type import derivative_plan, flatten_inputs, record_outputs
from .autograd.views import mark_view
from .dispatch import dispatcher
from .dispatch.dispatcher import OpOverload
from .dispatch.mode import EXCLUDE_AUTOGRAD, mode_word
from .kit import launch
from .kit.plans import composed, find_plan, plan_key
from .kit.running import expanded_arguments
from .memory.backend import backend_of, on_register
from .memory.tensor import Tensor, alias_tensor, version_counter
from .values.dispatch_key import (
    AUTOGRAD,
    NO_GRAD_CALL,
    NO_GRAD_CALL_ON_VARIABLES,
    PLAIN_CALL,
    RECORDED_CALL,
    TENSOR_KEYS,
    WRAPPER_KEYS,
)
from .values.dtype import on_default_dtype

PLANS_PER_OPERATOR = 4096  # kinds of calls; a program with more starts afresh

VARIABLE_KEYS = TENSOR_KEYS | AUTOGRAD  # what a recorded result carries

_all_plans: list[dict[Any, Any]] = []


def new_plans() -> dict[Any, Any]:
    """A dictionary for plans: emptied whenever what plans depend on changes."""
    plans: dict[Any, Any] = {}
    _all_plans.append(plans)
    return plans


def _drop_plans(backend: Any = None) -> None:
    for plans in _all_plans:
        plans.clear()


on_register(_drop_plans)
on_default_dtype(_drop_plans)


def walks_as_given(walk: Any, inputs: list[Any]) -> bool:
    """Does the kernel work on the operands themselves, rather than on copies with another dtype?"""
    return all(
        not isinstance(each, Tensor) or each._spec is operand.spec
        for each, operand in zip(inputs, walk.operands[walk.output_count :])
    )


# Grad mode off, or Autograd taken away: whether operands require grad is nobody's business.
_UNRECORDED = frozenset(
    {NO_GRAD_CALL, NO_GRAD_CALL_ON_VARIABLES}
    | {
        keys | EXCLUDE_AUTOGRAD
        for keys in (NO_GRAD_CALL, NO_GRAD_CALL_ON_VARIABLES, PLAIN_CALL, RECORDED_CALL)
    }
)
is_plain_without_grad = _UNRECORDED.__contains__
_is_simple = (_UNRECORDED | {PLAIN_CALL, RECORDED_CALL}).__contains__


def make_general(operator: OpOverload) -> Callable[..., Any]:
    """The shortcut of an operator of up to three tensors with whatever other arguments: ``operator.fast``.

    Takes all arguments of the schema, as the operator itself does.
    """
    plans = new_plans()
    listeners = dispatcher._listeners
    readable = operator.dispatch
    positions = operator.tensor_positions
    is_differentiable = bool(operator.record.derivatives)
    has_no_formulas = operator.record.derivatives is None  # its Node raises; autograd's own kernel makes it
    is_view = operator.record.view is not None
    is_inplace = operator.schema.is_inplace

    def miss(key: Any, arguments: tuple[Any, ...]) -> Any:
        result = readable(*arguments)
        plan = general_plan(operator, arguments, result)
        if plan is not None:
            if len(plans) >= PLANS_PER_OPERATOR:
                plans.clear()
            plans[key] = plan
        return result

    def record(arguments: tuple[Any, ...], output: Tensor, metadata: tuple[Any, ...]) -> None:
        needed = []
        edges = []
        for position in positions:
            each = arguments[position]
            if isinstance(each, Tensor) and each._keys & AUTOGRAD:
                edge = each._gradient_edge
                if edge is None or each._view_of is not None:
                    edge = gradient_edge(each)
                edges.append(edge)
                needed.append(True)
            else:
                edges.append(None)
                needed.append(False)
        plan = derivative_plan(operator, positions, tuple(needed))
        node = plan.node_class()
        node.next_edges = tuple(edges)
        node.sequence_nr = next_sequence_number()
        node.metadata_specs = metadata
        output._gradient_edge = (node, 0)
        output._keys = VARIABLE_KEYS
        node.saved = plan.collect(arguments, (output,), {})

    def general(*arguments: Any) -> Any:
        try:
            keys = mode_word()
            key = []
            for argument in arguments:
                if isinstance(argument, Tensor):
                    keys |= argument._keys
                    key.append(argument._spec)
                else:
                    key.append(argument.__class__)
                    key.append(argument)
                    if argument.__class__ is float and argument == 0.0:
                        return readable(*arguments)  # 0.0 and -0.0 are equal, and not the same
            key = tuple(key)
            plan = plans.get(key)
        except TypeError:  # a list among the arguments: no key
            return readable(*arguments)
        if plan is None:
            return readable(*arguments) if keys & WRAPPER_KEYS else miss(key, arguments)
        is_recorded = keys == RECORDED_CALL and is_differentiable
        if keys == RECORDED_CALL and has_no_formulas:
            return readable(*arguments)
        if (keys != PLAIN_CALL and keys != RECORDED_CALL and not is_plain_without_grad(keys)) or listeners:
            return readable(*arguments)
        if is_view:
            self = arguments[0]
            spec, offset, metadata = plan
            output = alias_tensor(self, spec, self._storage_offset + offset)
            if is_tracked:
                mark_view(output, self)
            if is_recorded:
                record(arguments, output, metadata)
            return output
        entry, call, spec, metadata, _ = plan
        if is_inplace:
            if keys == RECORDED_CALL or _may_overlap(arguments):
                return readable(*arguments)
            self = arguments[0]
            if entry(call, self._address, *[arguments[position]._address for position in positions]):
                return readable(*arguments)
            version_counter(self).value += 1
            return self
        address = entry(call, *[arguments[position]._address for position in positions])
        if address <= 0.0:
            return readable(*arguments)
        output = Tensor()
        output._spec = spec
        output._address = address
        output._storage = None
        output._storage_offset = 0
        output._keys = TENSOR_KEYS
        output._gradient_edge = None
        output._autograd_meta = None
        output._version_counter = None
        output._view_of = None
        if is_recorded:
            record(arguments, output, metadata)
        return output

    is_tracked = operator.record.derivatives != {}  # detach gives an alias that autograd does not follow
    return general


def _may_overlap(arguments: tuple[Any, ...]) -> bool:
    """Might an operand share the memory that an in-place operator writes to, without being its first
    argument?
    """
    self = arguments[0]
    storage = self._storage
    if storage is None:
        return False
    return any(
        isinstance(each, Tensor) and each is not self and each._storage is storage for each in arguments[1:]
    )


def general_plan(operator: OpOverload, arguments: Any, result: Any) -> tuple[Any, ...] | None:
    """What make_general keeps of a call, or None where it has no shortcut."""
    record = operator.record
    tensors = [arguments[position] for position in operator.tensor_positions]
    if not all(isinstance(each, Tensor) for each in tensors):
        return None
    if record.view is not None:
        found = record.plans.get(plan_key(arguments))
        if found is None or isinstance(found, list) or found[0].dtype is not tensors[0]._spec.dtype:
            return None
        return (*found, (found[0],))
    self = tensors[0]
    device = self._spec.device
    if device.type == "meta":
        return None
    base = record.base or operator
    plan = find_plan(base, arguments)
    kernel = launch.find_kernel(backend_of(device), base.record.kernel_name, plan.key_dtype)
    if not hasattr(kernel, "prepare"):
        return None
    walk = plan.walk
    if walk is not None:
        if walk.numel == 0 or not walks_as_given(walk, tensors):
            return None
        if operator.schema.is_inplace:
            if self._spec.dtype is not plan.output_specs[0].dtype:
                return None
            walk = walk.with_outputs([self._spec])
        others = [
            arguments[position]
            for position in base.record.kernel_positions
            if position not in base.tensor_positions
        ]
        call = kernel.prepare(walk, (), 1, others)
    elif operator.schema.is_inplace or base.record.promotes_inputs:
        return None
    else:
        if base.record.expands_inputs:
            arguments = expanded_arguments(base, arguments, plan.output_specs[0])
            tensors = [arguments[position] for position in base.tensor_positions]
        others = [arguments[position] for position in base.record.kernel_positions]
        call = kernel.prepare(None, [result, *tensors], 1, others)
    entry = call.entry(len(tensors), 0, operator.schema.is_inplace)
    if entry is None:
        return None
    return entry, call.address, plan.output_specs[0], plan.output_specs, call


def _has_shortcut(operator: OpOverload) -> bool:
    """Can ``make_general`` serve this operator at all?"""
    schema, record = operator.schema, operator.record
    base = (record.base or operator).record
    if schema.is_out or record.composite is not None or record.explicit is not None:
        return False
    if base.composite is not None or base.explicit is not None or (base.meta is None and base.view is None):
        return False
    arguments = [schema.arguments[position] for position in operator.tensor_positions]
    if len(schema.returns) != 1 or not 1 <= len(arguments) <= 3 or any(each.is_list for each in arguments):
        return False
    return not schema.is_inplace or len(arguments) <= 2


def make_several(operator: OpOverload) -> Callable[..., Any]:
    """The shortcut of an operator with several outputs, or with tensors that may be absent.

    Takes all arguments of the schema, as the operator itself does.
    """
    plans = new_plans()
    listeners = dispatcher._listeners
    readable = operator.dispatch
    positions = operator.tensor_positions
    is_single = len(operator.schema.returns) == 1

    def miss(key: Any, arguments: tuple[Any, ...]) -> Any:
        result = readable(*arguments)
        plan = _several_plan(operator, arguments, (result,) if is_single else result)
        if plan is not None:
            if len(plans) >= PLANS_PER_OPERATOR:
                plans.clear()
            plans[key] = plan
        return result

    def several(*arguments: Any) -> Any:
        try:
            keys = mode_word()
            for position in positions:
                argument = arguments[position]
                if argument is not None:
                    keys |= argument._keys
            key = plan_key(arguments)
            plan = plans.get(key)
        except (TypeError, AttributeError):  # a list of tensors, or what can not be a key
            return readable(*arguments)
        if plan is None:
            return readable(*arguments) if keys & WRAPPER_KEYS else miss(key, arguments)
        if not _is_simple(keys) or listeners:
            return readable(*arguments)
        call, specs = plan
        addresses = call.run_new(
            [0.0 if arguments[position] is None else arguments[position]._address for position in positions]
        )
        if addresses is None:
            return readable(*arguments)
        outputs = []
        for spec, address in zip(specs, addresses):
            output = Tensor()
            output._spec = spec
            output._address = address
            output._storage = None
            output._storage_offset = 0
            output._keys = TENSOR_KEYS
            output._gradient_edge = None
            output._autograd_meta = None
            output._version_counter = None
            output._view_of = None
            outputs.append(output)
        if keys == RECORDED_CALL:
            inputs, slots = flatten_inputs(operator, arguments)
            record_outputs(operator, arguments, inputs, slots, outputs)
        return outputs[0] if is_single else tuple(outputs)

    return several


def _several_plan(operator: OpOverload, arguments: Any, results: Any) -> tuple[Any, ...] | None:
    """What make_several keeps of a call, or None where it has no shortcut."""
    record = operator.record
    tensors = [arguments[position] for position in operator.tensor_positions]
    first = next((each for each in tensors if each is not None), None)
    if first is None or first._spec.device.type == "meta" or any(each is None for each in results):
        return None
    plan = find_plan(operator, arguments)
    kernel = launch.find_kernel(backend_of(first._spec.device), record.kernel_name, plan.key_dtype)
    if (
        plan.walk is not None
        or not hasattr(kernel, "prepare")
        or record.promotes_inputs
        or record.expands_inputs
    ):
        return None
    others = [arguments[position] for position in record.kernel_positions]
    call = kernel.prepare(None, [*results, *tensors], len(results), others)
    return (call, plan.output_specs) if hasattr(call, "run_new") and call.is_claimed else None


def make_composite(operator: OpOverload) -> Callable[..., Any]:
    """The shortcut of a composition: the function that it is.

    An operator that says itself what it does on the backend (``explicit``) is one too, while nothing records.
    """
    listeners = dispatcher._listeners
    readable = operator.dispatch
    positions = operator.tensor_positions
    function = operator.record.composite or operator.record.explicit
    refused = None if operator.record.composite is not None else RECORDED_CALL

    def composite(*arguments: Any) -> Any:
        keys = mode_word() | TENSOR_KEYS
        for position in positions:
            argument = arguments[position]
            if isinstance(argument, Tensor):
                keys |= argument._keys
            elif isinstance(argument, (list, tuple)):
                for each in argument:
                    if isinstance(each, Tensor):
                        keys |= each._keys
        if keys == refused or not _is_simple(keys) or listeners:
            return readable(*arguments)
        return composed(operator, function, arguments)

    return composite


def shortcut(operator: OpOverload) -> Callable[..., Any] | None:
    """The fast version of an operator's call, if there is one for its kind."""
    if _has_shortcut(operator):
        return make_general(operator)
    schema, record = operator.schema, operator.record
    if schema.is_inplace or schema.is_out or record.written_positions:
        return None
    if record.composite is not None:
        return make_composite(operator)
    if record.explicit is not None:
        writes = any(argument.is_written for argument in schema.arguments)
        return None if writes or schema.is_view else make_composite(operator)
    return make_several(operator) if record.kernel is not None and operator.tensor_positions else None
