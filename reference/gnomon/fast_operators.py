"""The hot path of operators in general: shortcuts that OpOverload's call takes (``operator.fast``).

- ``make_general``: one kernel call with one output, a view, or an in-place kernel, of up to three tensors;
- ``make_several``: one kernel call with several outputs, or more tensors, some of them perhaps absent;
- ``make_composite``: a composition, called straight away where no key but autograd's has a say; and what
  runs on the backend without a kernel of its own, where nothing records.

Each finds what to do by the specs and the other arguments, does it if the call is plain or only recorded, and
leaves all else to the readable way; see fast_path.py.
"""

from __future__ import annotations

import linecache
import math
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from .autograd.node import gradient_edge, next_sequence_number
from .autograd.variable_type import derivative_plan, flatten_inputs
from .autograd.views import mark_view
from .dispatch import dispatcher
from .dispatch.dispatcher import OpOverload
from .dispatch.mode import mode_word
from .hot_path import UNRECORDED, VARIABLE_KEYS, in_c, is_in_c
from .kit import launch
from .kit.plans import NAMED, find_plan, hide_base, plan_key, raise_named
from .kit.running import expanded_arguments, kernel_walk, numbers_of_kernel
from .memory.backend import backend_of, on_register
from .memory.tensor import Tensor, alias_tensor, version_counter
from .values.dispatch_key import (
    AUTOGRAD,
    PLAIN_CALL,
    RECORDED_CALL,
    TENSOR_KEYS,
    WRAPPER_KEYS,
)
from .values.dtype import on_default_dtype

PLANS_PER_OPERATOR = 4096  # kinds of calls; a program with more starts afresh
PLANS_OF_WRITTEN = 64  # of long lists, with numbers that may be others at each step

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


is_plain_without_grad = UNRECORDED.__contains__
is_simple = (UNRECORDED | {PLAIN_CALL, RECORDED_CALL}).__contains__


def make_recorder(operator: OpOverload) -> Callable[..., None]:
    """The function of (arguments, output, metadata) that makes the Node of a call with one output."""
    positions = operator.tensor_positions

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
        node.saved = plan.collect(arguments, (output,), {}, is_fresh=True)

    return record


def make_general(operator: OpOverload) -> Callable[..., Any]:
    """The shortcut of an operator of up to three tensors with whatever other arguments: ``operator.fast``.

    Takes all arguments of the schema, as the operator itself does.
    """
    plans = new_plans()
    listeners = dispatcher._listeners
    readable = operator.dispatch
    positions = operator.tensor_positions

    def miss(arguments: tuple[Any, ...], key: Any) -> Any:
        """Run the readable path and leave a plan for the next call of this kind."""
        result = readable(*arguments)
        tensors = [arguments[position] for position in positions]
        if all(isinstance(each, Tensor) and not each._keys & WRAPPER_KEYS for each in tensors):
            plan = general_plan(operator, arguments, result)
            if plan is not None:
                if len(plans) >= PLANS_PER_OPERATOR:
                    plans.clear()
                plans[key] = plan
        return result

    def with_number(*arguments: Any) -> Any:
        """Run the readable path, and leave a plan for the twin in C if the last tensor is but a number."""
        result = readable(*arguments)
        if not is_in_c or len(positions) < 2 or arguments[positions[-1]].__class__ not in (int, float):
            return result
        others = [arguments[position] for position in positions[:-1]]
        if listeners or not all(isinstance(each, Tensor) for each in others):
            return result
        if any(each._keys & WRAPPER_KEYS for each in others):
            return result
        if any(is_negative_zero(each) for place, each in enumerate(arguments) if place not in positions):
            return result
        try:
            key = _key_with_number(positions, arguments)
            if key not in plans:
                plan = general_plan(operator, arguments, result)
                if len(plans) >= PLANS_PER_OPERATOR:
                    plans.clear()
                plans[key] = plan  # None: it was looked at, and there is no shortcut
        except TypeError:  # a list among the arguments: no key
            pass
        return result

    names = {
        "plans": plans, "listeners": listeners, "readable": readable, "miss": miss,
        "record": make_recorder(operator), "with_number": with_number, "mode_word": mode_word,
        "is_plain_without_grad": is_plain_without_grad, "may_overlap": may_overlap,
        "alias_tensor": alias_tensor, "mark_view": mark_view, "version_counter": version_counter,
        "Tensor": Tensor, "TENSOR_KEYS": TENSOR_KEYS, "PLAIN_CALL": PLAIN_CALL,
        "RECORDED_CALL": RECORDED_CALL, "copysign": math.copysign,
        "absent": make_several(operator) if optional_tensors(operator) else None,
    }  # fmt: skip
    general = written_out("general", operator, _text_of_general(operator), names)
    kind = "general" if operator.record.view is None else "piece"
    return in_c(kind, general, plans=plans, operator=operator)


def is_negative_zero(value: Any) -> bool:
    return value.__class__ is float and value == 0.0 and math.copysign(1.0, value) < 0.0


def _key_with_number(positions: tuple[int, ...], arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """What the plan of a call is found by whose last tensor is a number: that one's type stands for it."""
    key: list[Any] = []
    for position, each in enumerate(arguments):
        if position not in positions:
            key += [each, each.__class__]
        else:
            key.append(each._spec if isinstance(each, Tensor) else each.__class__)
    return tuple(key)


def written_out(kind: str, operator: OpOverload, text: str, names: dict[str, Any]) -> Callable[..., Any]:
    """The function of this kind that ``text`` defines, with these names; tracebacks show its lines."""
    file = f"<{kind} shortcut of {operator.name}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), names)
    return names[kind]  # type: ignore[no-any-return]


# What fills an output's slots, in a shortcut's text.
MAKE_OUTPUT = """\
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
"""


def text_of_negative_zeros(operator: OpOverload, but: int | None = None) -> list[str]:
    """What finds a number that a key can not have: -0.0, which is equal to 0.0 and not the same.

    but: the position of an argument that is in no key.
    """
    return [
        f"(a{number}.__class__ is float and a{number} == 0.0 and copysign(1.0, a{number}) < 0.0)"
        for number, argument in enumerate(operator.schema.arguments)
        if argument.type in ("Scalar", "float") and number != but
    ]


def _text_of_general(operator: OpOverload) -> str:
    """The shortcut's text.  Written out for each operator, since a loop over the arguments costs as much as
    all that is done with them.
    """
    arguments = operator.schema.arguments
    positions = operator.tensor_positions
    listed = ", ".join(f"a{number}" for number in range(len(arguments)))
    key = [f"a{number}._spec" if number in positions else f"a{number}, a{number}.__class__"
           for number in range(len(arguments))]  # fmt: skip
    zeros = text_of_negative_zeros(operator)
    addresses = "".join(f", a{position}._address" for position in positions)
    tracked = operator.record.derivatives != {}  # detach gives an alias that autograd does not follow
    recording = (
        f"    if keys == RECORDED_CALL:\n        record(({listed},), output, metadata)\n"
        if operator.record.derivatives
        else ""
    )
    absent = [f"a{position} is None" for position in optional_tensors(operator)]
    elsewhere = f"    if {' or '.join(absent)}:\n        return absent({listed})\n" if absent else ""
    lines = f"""
def general({listed}):
{elsewhere}    try:
        keys = mode_word(){"".join(f" | a{position}._keys" for position in positions)}
        key = {", ".join(key)}
        plan = plans.get(key)
    except (AttributeError, TypeError):  # no tensor where one may stand, or a list: no key
        return with_number({listed})
    if {" or ".join([*zeros, "listeners"])}:
        return readable({listed})
    if plan is None:
        return miss(({listed},), key)
    if keys != PLAIN_CALL and keys != RECORDED_CALL and not is_plain_without_grad(keys):
        return readable({listed})
"""
    if operator.record.derivatives is None:  # its Node raises; autograd's own kernel makes it
        lines += f"    if keys == RECORDED_CALL:\n        return readable({listed})\n"
    if operator.record.view is not None:
        return (
            lines
            + f"""
    spec, offset, metadata, _ = plan
    output = alias_tensor(a0, spec, a0._storage_offset + offset)
    {"mark_view(output, a0)" if tracked else ""}
{recording}    return output
"""
        )
    if operator.schema.is_inplace:
        return (
            lines
            + f"""
    entry, call, spec, metadata, _, _ = plan
    if keys == RECORDED_CALL or a0._keys & TENSOR_KEYS != TENSOR_KEYS:  # made in inference mode, perhaps
        return readable({listed})
    if may_overlap(({listed},)) or entry(call, a0._address{addresses}):
        return readable({listed})
    version_counter(a0).value += 1
    return a0
"""
        )
    return (
        lines
        + f"""
    entry, call, spec, metadata, _, _ = plan
    address = entry(call{addresses})
    if address <= 0.0:
        return readable({listed})
{textwrap.indent(MAKE_OUTPUT, " " * 4)}{recording}    return output
"""
    )


def optional_tensors(operator: OpOverload) -> list[int]:
    """The positions of tensors that may be absent, of an operator that makes what it returns."""
    if operator.schema.is_inplace or operator.record.view is not None:
        return []
    arguments = operator.schema.arguments
    return [position for position in operator.tensor_positions if arguments[position].is_optional]


def may_overlap(arguments: tuple[Any, ...]) -> bool:
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
    if operator.with_lists(arguments) is not arguments:
        return None
    tensors = [arguments[position] for position in operator.tensor_positions]
    numbers = 0  # in the place of the last tensor
    if len(tensors) > 1 and tensors[-1].__class__ in (int, float):
        numbers = 1
    if not all(isinstance(each, Tensor) for each in tensors[: len(tensors) - numbers]):
        return None
    if record.view is not None:
        found = operator.plans.get(plan_key(arguments))
        if found is None or isinstance(found, list) or found[0].dtype is not tensors[0]._spec.dtype:
            return None
        return (*found, (found[0],), float(found[1] * found[0].dtype.itemsize))
    self = tensors[0]
    device = self._spec.device
    if device.type == "meta":
        return None
    base = record.base or operator
    plan = find_plan(base, arguments)
    kernel = launch.find_kernel(backend_of(device), base.record.kernel_name, plan.key_dtype)
    if not hasattr(kernel, "prepare"):
        return None
    if plan.walk is not None:
        if operator.schema.is_inplace and self._spec.dtype is not plan.output_specs[0].dtype:
            return None
        walk = kernel_walk(base, plan, arguments, [self._spec] if operator.schema.is_inplace else None)
        if walk is None or walk.numel == 0 or not walks_as_given(walk, tensors):
            return None
        call = kernel.prepare(walk, (), 1, numbers_of_kernel(base, plan.key_dtype, arguments))
    elif operator.schema.is_inplace or numbers or is_promoted(base, plan, tensors):
        return None
    else:
        if base.record.inputs.expanded:
            arguments = expanded_arguments(base, arguments, plan.output_specs[0])
            tensors = [arguments[position] for position in base.tensor_positions]
        others = [arguments[position] for position in base.record.kernel_positions]
        call = kernel.prepare(None, [result, *tensors], 1, others)
    entry = call.entry(len(tensors) - numbers, numbers, operator.schema.is_inplace)
    if entry is None:
        return None
    return entry, call.address, plan.output_specs[0], plan.output_specs, call, address_of(call, entry)


def is_promoted(operator: OpOverload, plan: Any, tensors: Sequence[Tensor]) -> bool:
    """Does the kernel receive copies of these tensors with the output's dtype?"""
    dtype = plan.output_specs[0].dtype
    return operator.record.inputs.promoted and any(each._spec.dtype is not dtype for each in tensors)


def address_of(call: Any, entry: Any) -> float:
    """Where the machine code of ``entry`` is, for the hot path in C; 0.0 where the backend doesn't say."""
    find = getattr(call, "entry_address", None)
    return 0.0 if find is None else find(entry)


def has_shortcut(operator: OpOverload) -> bool:
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
    return not schema.is_inplace or (len(arguments) <= 2 and not base.separate)


def make_several(operator: OpOverload) -> Callable[..., Any]:
    """The shortcut of an operator with several outputs, or with tensors that may be absent.

    Takes all arguments of the schema, as the operator itself does.
    """
    plans = new_plans()
    listeners = dispatcher._listeners
    readable = operator.dispatch
    positions = operator.tensor_positions
    is_single = len(operator.schema.returns) == 1
    recorded = [
        position
        for position in range(len(operator.schema.returns))
        if position not in operator.record.non_differentiable_outputs
    ]
    node_outputs = recorded[-1] + 1 if recorded else 0
    is_differentiable = bool(operator.record.derivatives)
    has_no_formulas = operator.record.derivatives is None  # its Node raises; autograd's own kernel makes it
    has_list = any(operator.schema.arguments[position].is_list for position in positions)

    def miss(key: Any, arguments: tuple[Any, ...]) -> Any:
        result = readable(*arguments)
        if any(each._keys & WRAPPER_KEYS for each in operator.tensors(arguments)):
            return result
        plan = _several_plan(operator, arguments, (result,) if is_single else result, recorded, node_outputs)
        if plan is not None:
            if len(plans) >= PLANS_PER_OPERATOR:
                plans.clear()
            plans[key] = plan
        return result

    def record(arguments: tuple[Any, ...], outputs: list[Tensor], specs: tuple[Any, ...]) -> None:
        slots = positions
        if has_list:
            inputs, slots = flatten_inputs(operator, arguments)
        else:
            inputs = [arguments[position] for position in positions]
        needed = tuple([each is not None and each._keys & AUTOGRAD != 0 for each in inputs])
        plan = derivative_plan(operator, slots, needed)
        node = plan.node_class()
        node.next_edges = tuple(
            [gradient_edge(each) if is_needed else None for each, is_needed in zip(inputs, needed)]
        )
        node.sequence_nr = next_sequence_number()
        node.metadata_specs = specs[:node_outputs]
        for position in recorded:
            output = outputs[position]
            if output._spec.dtype.category >= 2:
                output._gradient_edge = (node, position)
                output._keys = VARIABLE_KEYS
        node.saved = plan.collect(arguments, outputs, {}, is_fresh=True)

    names = {
        "plans": plans, "listeners": listeners, "readable": readable, "miss": miss, "record": record,
        "mode_word": mode_word, "is_simple": is_simple, "Tensor": Tensor, "TENSOR_KEYS": TENSOR_KEYS,
        "RECORDED_CALL": RECORDED_CALL, "has_no_formulas": has_no_formulas,
        "is_differentiable": is_differentiable, "keys_of": _keys_of, "copysign": math.copysign,
    }  # fmt: skip
    several = written_out("several", operator, _text_of_several(operator), names)
    has_edges_of_lists = has_list and is_differentiable
    return in_c(
        "several",
        several,
        plans=plans,
        operator=operator,
        key=int(is_single),
        refuses_recording=has_edges_of_lists,
    )


def _text_of_several(operator: OpOverload) -> str:
    """The shortcut's text, as ``_text_of_general``."""
    listed, key, addresses = listed_arguments(operator), [], []
    for number, argument in enumerate(operator.schema.arguments):
        name = f"a{number}"
        if number not in operator.tensor_positions:
            key += [name, f"{name}.__class__"]
        elif argument.is_list:
            key.append(f"tuple([None if each is None else each._spec for each in {name}])")
            addresses.append(f"*[0.0 if each is None else each._address for each in {name}]")
        elif argument.is_optional:
            key.append(f"None if {name} is None else {name}._spec")
            addresses.append(f"0.0 if {name} is None else {name}._address")
        else:
            key.append(f"{name}._spec")
            addresses.append(f"{name}._address")
    zeros = text_of_negative_zeros(operator)
    result = "outputs[0]" if len(operator.schema.returns) == 1 else "tuple(outputs)"
    return f"""
def several({listed}):
    try:
        keys = mode_word(){text_of_keys(operator)}
        key = {", ".join(key)}
        plan = plans.get(key)
    except (AttributeError, TypeError):  # no tensor where one may stand, or what can not be a key
        return readable({listed})
    if {" or ".join([*zeros, "listeners"])}:
        return readable({listed})
    if plan is None:
        return miss(key, ({listed},))
    if not is_simple(keys) or (has_no_formulas and keys == RECORDED_CALL):
        return readable({listed})
    call, specs = plan[:2]
    addresses = call.run_new([{", ".join(addresses)}])
    if addresses is None:
        return readable({listed})
    outputs = []
    for spec, address in zip(specs, addresses):
{textwrap.indent(MAKE_OUTPUT, " " * 8)}        outputs.append(output)
    if is_differentiable and keys == RECORDED_CALL:
        record(({listed},), outputs, specs)
    return {result}
"""


def _as_list(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else (value,)


def _several_plan(
    operator: OpOverload, arguments: Any, results: Any, recorded: list[int], node_outputs: int
) -> tuple[Any, ...] | None:
    """What make_several keeps of a call, or None where it has no shortcut."""
    record = operator.record
    tensors = [each for position in operator.tensor_positions for each in _as_list(arguments[position])]
    first = next((each for each in tensors if each is not None), None)
    if first is None or first._spec.device.type == "meta" or any(each is None for each in results):
        return None
    if operator.with_lists(arguments) is not arguments:
        return None
    plan = find_plan(operator, arguments)
    kernel = launch.find_kernel(backend_of(first._spec.device), record.kernel_name, plan.key_dtype)
    if (
        plan.walk is not None
        or not hasattr(kernel, "prepare")
        or is_promoted(operator, plan, tensors)
        or record.inputs.expanded
    ):
        return None
    others = [arguments[position] for position in record.kernel_positions]
    call = kernel.prepare(None, [*results, *tensors], len(results), others)
    if not hasattr(call, "run_new") or not call.is_claimed:
        return None
    specs = plan.output_specs
    differentiable = sum(1 << position for position in recorded if specs[position].dtype.category >= 2)
    entered_from_c = call.run_new_in_c() if hasattr(call, "run_new_in_c") else ()
    return call, specs, specs[:node_outputs], differentiable, *entered_from_c


def make_written(operator: OpOverload) -> Callable[..., Any] | None:
    """The shortcut of an operator that only writes to its arguments (an optimizer's step), in C alone.

    Takes all arguments of the schema, as the operator itself does.
    """
    plans = new_plans()
    readable = operator.dispatch

    def written(*arguments: Any) -> Any:
        result = readable(*arguments)
        tensors = [each for position in operator.tensor_positions for each in _as_list(arguments[position])]
        plan = None
        numbers = [each for each in arguments if each.__class__ is float]
        if all(each is None or not each._keys & WRAPPER_KEYS for each in tensors) and not any(
            each == 0.0 and math.copysign(1.0, each) < 0.0 for each in numbers
        ):
            plan = _written_plan(operator, arguments)
        if plan is not None:
            if len(plans) >= PLANS_OF_WRITTEN:
                plans.clear()
            plans[_key_of_lists(operator, arguments)] = plan
        return result

    twin = in_c("written", written, plans=plans, operator=operator)
    return None if twin is written else twin


def _key_of_lists(operator: OpOverload, arguments: Sequence[Any]) -> Any:
    """What plans are found by where tensors stand in lists, or are absent."""
    key: list[Any] = []
    for position, each in enumerate(arguments):
        if position not in operator.tensor_positions:
            key += [each, each.__class__]
        elif operator.schema.arguments[position].is_list:
            key.append(tuple([None if one is None else one._spec for one in each]))
        else:
            key.append(None if each is None else each._spec)
    return tuple(key) if len(key) > 1 else key[0]


def _written_plan(operator: OpOverload, arguments: Sequence[Any]) -> tuple[Any, ...] | None:
    """What make_written keeps of a call, or None: the prepared call, in which order it takes the tensors, and
    which of them it wrote to.
    """
    record = operator.record
    found = find_plan(operator, arguments)
    call = found.prepared.get(None)
    if (
        not hasattr(call, "run_new_in_c")
        or found.output_specs
        or record.inputs.promoted
        or record.inputs.expanded
    ):
        return None
    numbers: dict[int, list[int]] = {}
    count = 0
    for position in operator.tensor_positions:
        length = len(_as_list(arguments[position]))
        numbers[position] = list(range(count, count + length))
        count += length
    inputs = [position for position in operator.tensor_positions if position not in record.written_positions]
    order = [number for position in (*record.written_positions, *inputs) for number in numbers[position]]
    written = []
    for position, argument in enumerate(operator.schema.arguments):
        with_which = record.written_with_positions.get(position)
        if not argument.is_written or (with_which is not None and arguments[with_which] is None):
            continue
        written += [number for number in numbers[position] if _as_list(arguments[position]) != (None,)]
    address, _, _, _, run = call.run_new_in_c()
    return call, address, run, tuple(order), tuple(written)


def _with_lists(operator: OpOverload, function: Any) -> Callable[..., Any]:
    """``function`` for arguments of which a number may stand for a list."""
    return lambda *arguments: function(*operator.with_lists(arguments))


def make_composite(operator: OpOverload) -> Callable[..., Any]:
    """The shortcut of a composition: the function that it is.

    An operator that says itself what it does on the backend (``explicit``) is one too, while nothing records.
    """
    listeners = dispatcher._listeners
    readable = operator.dispatch
    function = operator.record.composite or operator.record.explicit
    if operator.lengths:
        function = _with_lists(operator, function)
    refused = None if operator.record.composite is not None else RECORDED_CALL

    names = {
        "operator": operator, "function": function, "listeners": listeners, "readable": readable,
        "mode_word": mode_word, "is_simple": is_simple, "TENSOR_KEYS": TENSOR_KEYS, "refused": refused,
        "keys_of": _keys_of, "Tensor": Tensor, "NAMED": NAMED, "raise_named": raise_named,
        "hide_base": hide_base,
    }  # fmt: skip
    listed, keys = listed_arguments(operator), text_of_keys(operator)
    text = f"""
def composite({listed}):
    try:
        keys = mode_word() | TENSOR_KEYS{keys}
    except AttributeError:  # no tensor where one may stand
        return readable({listed})
    if keys == refused or not is_simple(keys) or listeners:
        return readable({listed})
    try:
        result = function({listed})
    except NAMED as error:
        raise_named(operator, error)
    if result.__class__ is Tensor and result._view_of is not None:
        hide_base(result, ({listed},))
    return result
"""
    return in_c(
        "composite",
        written_out("composite", operator, text, names),
        operator=operator,
        function=function,
        refuses_recording=refused is not None,
    )


def listed_arguments(operator: OpOverload) -> str:
    """The parameters of a shortcut that is written out: a0, a1, and so on."""
    return ", ".join(f"a{number}" for number in range(len(operator.schema.arguments)))


def text_of_keys(operator: OpOverload) -> str:
    """What collects the keys of the arguments, in a shortcut that is written out."""
    text = ""
    for position in operator.tensor_positions:
        argument, name = operator.schema.arguments[position], f"a{position}"
        if argument.is_list:
            text += f" | keys_of({name})"
        else:
            text += (
                f" | (0 if {name} is None else {name}._keys)" if argument.is_optional else f" | {name}._keys"
            )
    return text


def _keys_of(tensors: Any) -> int:
    """The keys of a list of tensors, some of them perhaps absent."""
    keys = 0
    for each in tensors or ():
        if each is not None:
            keys |= each._keys
    return keys
