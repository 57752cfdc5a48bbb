"""The hot path: operators of one and two operands, small and often.

Everything that an operator decides (promotion, broadcasting, strides, the kernel) is a function of its
operands' specs, and specs are interned.  So the readable path runs once for each pair of specs and leaves a
*plan* behind: the C entry point, the prepared call, the output's spec.  From then on a call is

    two dictionary look-ups by identity         which plan?
    one `|` of keys and mode word, one compare  does anything but the backend have a say?
    one foreign call                            allocate the output and run
    one Tensor, nine slots

and, when autograd has a say and nothing else, a Node with what its formulas name.  All else, and every miss,
goes the readable way (dispatch/dispatcher.py, kit/native.py, autograd/variable_type.py), whose meaning this
file repeats for the common case and must never change.

The lines that fill an output's slots stand in each shortcut: a function for them would cost as much as they
do.

Plans are kept in plain dictionaries: reading and setting one is atomic.  They are dropped when a backend is
registered, and started afresh when an operator has too many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .autograd.node import accumulator_edge, gradient_edge, next_sequence_number
from .autograd.saved_variable import SavedVariable, save
from .autograd.variable_type import DerivativePlan, derivative_plan
from .autograd.views import mark_view
from .dispatch import dispatcher
from .dispatch.dispatcher import OpOverload, aten
from .dispatch.mode import EXCLUDE_AUTOGRAD, mode_word
from .kit import launch
from .kit.plans import find_plan, plan_key
from .kit.running import expanded_arguments, meets_in_float32
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

PLANS_PER_OPERATOR = 4096  # pairs of specs; a program with more starts afresh
EXACT_INTEGER = 2**53  # integers travel to C as doubles

VARIABLE_KEYS = TENSOR_KEYS | AUTOGRAD  # what a recorded result carries

NUMBERS = (int, float)

_all_plans: list[dict[Any, Any]] = []


def _drop_plans(backend: Any = None) -> None:
    for plans in _all_plans:
        plans.clear()


on_register(_drop_plans)
on_default_dtype(_drop_plans)


class Recorder:
    """How to record one operator for one choice of operands that require grad.

    ``sources`` says what to save: 0 and 1 are the operands, 2 is the output; ``constants`` is the whole list
    where nothing of that is saved (``alpha`` of an add, say).
    """

    __slots__ = ("constants", "node_class", "sources")

    def __init__(self, plan: DerivativePlan, constants: tuple[Any, ...], operands: int):
        self.node_class = plan.node_class
        sources = []
        for kind, position in plan.sources:
            if kind == "value" and position < operands:
                sources.append(position)
            elif kind == "value":
                sources.append((constants[position - operands],))
            elif kind == "output":
                sources.append(2)
            else:
                sources.append((kind, position))
        self.sources = tuple(sources)
        self.constants: list[Any] | None = None
        if all(isinstance(source, tuple) and len(source) == 1 for source in sources):
            self.constants = [source[0] for source in sources]

    def save(self, operands: tuple[Any, ...], output: Tensor) -> list[Any]:
        """What the Node keeps; the same as DerivativePlan.collect."""
        saved: list[Any] = []
        for source in self.sources:
            if source.__class__ is int:
                if source == 2:
                    saved.append(SavedVariable(output, is_output=True))
                    continue
                value = operands[source]
                if not isinstance(value, Tensor) or value._version_counter is None:
                    saved.append(value)
                else:
                    saved.append(save(value))
            elif len(source) == 1:
                saved.append(source[0])
            else:
                spec = operands[source[1]]._spec
                saved.append(spec.sizes if source[0] == "sizes" else spec)
        return saved


def _recorder(operator: OpOverload, arguments: tuple[Any, ...], operands: int) -> Recorder:
    tensors = arguments[:operands]
    needed = tuple(isinstance(each, Tensor) and bool(each._keys & AUTOGRAD) for each in tensors)
    plan = derivative_plan(operator, list(range(operands)), needed)
    return Recorder(plan, arguments[operands:], operands)


def _prepared(operator: OpOverload, arguments: tuple[Any, ...], numbers: int) -> tuple[Any, ...] | None:
    """The plan of a call, if it is one C call from operands as they are: (entry, call, output spec, specs,
    what to keep).
    """
    if not all(each._spec.device.type != "meta" for each in arguments if isinstance(each, Tensor)):
        return None
    plan = find_plan(operator, arguments)
    walk = plan.walk
    if walk is None or walk.is_reduction or walk.numel == 0:
        return None
    if meets_in_float32(operator, plan.key_dtype, arguments):
        return None
    backend = backend_of(plan.device)
    kernel = launch.find_kernel(backend, operator.record.kernel_name, plan.key_dtype)
    if kernel is None or not hasattr(kernel, "prepare"):
        return None
    if not _walks_as_given(walk, [arguments[position] for position in operator.tensor_positions]):
        return None
    record = operator.record
    others = [
        arguments[position]
        for position in record.kernel_positions
        if position not in operator.tensor_positions
    ]
    call = kernel.prepare(walk, (), 1, others)
    entry = call.entry(len(walk.operands) - 1 - numbers, numbers)
    if entry is None:
        return None
    return entry, call.address, plan.output_specs[0], plan.output_specs, call


def _walks_as_given(walk: Any, inputs: list[Any]) -> bool:
    """Does the kernel work on the operands themselves, rather than on copies with another dtype?"""
    return all(
        not isinstance(each, Tensor) or each._spec is operand.spec
        for each, operand in zip(inputs, walk.operands[walk.output_count :])
    )


def make_binary(
    operator: OpOverload, slow: Callable[..., Any], constants: tuple[Any, ...] = ()
) -> Callable[..., Any]:
    """The fast version of ``slow(self, other)``, an operator of two operands whose other arguments are
    ``constants``.
    """
    plans: dict[Any, dict[Any, Any]] = {}
    _all_plans.append(plans)
    recorders: list[Recorder | None] = [
        None
    ] * 8  # by which operands require grad, and whether one is a number
    listeners = dispatcher._listeners
    is_differentiable = operator.record.derivatives is not None

    def miss(self: Any, other: Any) -> Any:
        """Run the readable path and leave a plan for the next call of this kind."""
        result = slow(self, other)
        if result is NotImplemented or not isinstance(self, Tensor):
            return result
        if isinstance(other, Tensor):
            key, numbers = other._spec, 0
        elif type(other) in (int, float):
            key, numbers = type(other), 1
        else:
            return result
        plan = _prepared(operator, (self, other, *constants), numbers)
        if plan is not None:
            if sum(map(len, plans.values())) >= PLANS_PER_OPERATOR:
                plans.clear()
            plans.setdefault(self._spec, {})[key] = plan
        return result

    def record(self: Tensor, other: Any, output: Tensor, metadata: tuple[Any, ...]) -> None:
        """Make the Node; ``output`` is all there but for its history."""
        edge = other_edge = None
        mask = 0
        if self._keys & AUTOGRAD:
            mask = 1
            edge = self._gradient_edge
            if edge is None:
                edge = accumulator_edge(self) if self._view_of is None else gradient_edge(self)
            elif self._view_of is not None:
                edge = gradient_edge(self)
        if other.__class__ in NUMBERS:
            mask += 4
        elif other._keys & AUTOGRAD:
            mask += 2
            other_edge = other._gradient_edge
            if other_edge is None:
                other_edge = accumulator_edge(other) if other._view_of is None else gradient_edge(other)
            elif other._view_of is not None:
                other_edge = gradient_edge(other)
        recorder = recorders[mask]
        if recorder is None:
            recorder = recorders[mask] = _recorder(operator, (self, other, *constants), 2)
        node = recorder.node_class()
        node.next_edges = (edge, other_edge)
        node.sequence_nr = next_sequence_number()
        node.metadata_specs = metadata
        output._gradient_edge = (node, 0)
        output._keys = VARIABLE_KEYS
        node.saved = (
            recorder.constants if recorder.constants is not None else recorder.save((self, other), output)
        )

    def binary(self: Any, other: Any) -> Any:
        try:
            entry, call, spec, metadata, _ = plans[self._spec][other._spec]
            keys = self._keys | other._keys | mode_word()
        except (KeyError, AttributeError):
            if other.__class__ is float or (
                other.__class__ is int and -EXACT_INTEGER < other < EXACT_INTEGER
            ):
                return with_number(self, other)
            return miss(self, other)
        if (keys != PLAIN_CALL and keys != RECORDED_CALL and not _is_plain_without_grad(keys)) or listeners:
            return slow(self, other)
        address = entry(call, self._address, other._address)
        if address <= 0.0:  # out of memory, or a kernel that found a fault: the readable path says which
            return slow(self, other)
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
        if keys == RECORDED_CALL and is_differentiable:
            record(self, other, output, metadata)
        return output

    def with_number(self: Any, other: Any) -> Any:
        try:
            entry, call, spec, metadata, _ = plans[self._spec][other.__class__]
            keys = self._keys | mode_word()
        except (KeyError, AttributeError):
            return miss(self, other)
        if (keys != PLAIN_CALL and keys != RECORDED_CALL and not _is_plain_without_grad(keys)) or listeners:
            return slow(self, other)
        address = entry(call, self._address, other)
        if address <= 0.0:
            return slow(self, other)
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
        if keys == RECORDED_CALL and is_differentiable:
            record(self, other, output, metadata)
        return output

    return binary


def make_unary(
    operator: OpOverload, slow: Callable[..., Any], constants: tuple[Any, ...] = ()
) -> Callable[..., Any]:
    """The fast version of ``slow(self)``, an operator of one operand whose other arguments are
    ``constants``.
    """
    plans: dict[Any, Any] = {}
    _all_plans.append(plans)
    recorders: list[Recorder] = []
    listeners = dispatcher._listeners
    is_differentiable = operator.record.derivatives is not None

    def miss(self: Any) -> Any:
        result = slow(self)
        if isinstance(self, Tensor):
            plan = _prepared(operator, (self, *constants), 0)
            if plan is not None:
                if len(plans) >= PLANS_PER_OPERATOR:
                    plans.clear()
                plans[self._spec] = plan
        return result

    def record(self: Tensor, output: Tensor, metadata: tuple[Any, ...]) -> None:
        if not recorders:
            recorders.append(_recorder(operator, (self, *constants), 1))
        recorder = recorders[0]
        node = recorder.node_class()
        edge = self._gradient_edge
        if edge is None or self._view_of is not None:
            edge = gradient_edge(self)
        node.next_edges = (edge,)
        node.sequence_nr = next_sequence_number()
        node.metadata_specs = metadata
        output._gradient_edge = (node, 0)
        output._keys = VARIABLE_KEYS
        node.saved = recorder.constants if recorder.constants is not None else recorder.save((self,), output)

    def unary(self: Any) -> Any:
        try:
            entry, call, spec, metadata, _ = plans[self._spec]
            keys = self._keys | mode_word()
        except (KeyError, AttributeError):
            return miss(self)
        if (keys != PLAIN_CALL and keys != RECORDED_CALL and not _is_plain_without_grad(keys)) or listeners:
            return slow(self)
        address = entry(call, self._address)
        if address <= 0.0:
            return slow(self)
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
        if keys == RECORDED_CALL and is_differentiable:
            record(self, output, metadata)
        return output

    return unary


def make_general(operator: OpOverload) -> Callable[..., Any]:
    """The shortcut of an operator of up to three tensors with whatever other arguments: ``operator.fast``.

    Takes all arguments of the schema, as the operator itself does.
    """
    plans: dict[Any, Any] = {}
    _all_plans.append(plans)
    listeners = dispatcher._listeners
    readable = operator.dispatch
    positions = operator.tensor_positions
    is_differentiable = bool(operator.record.derivatives)
    has_no_formulas = operator.record.derivatives is None  # its Node raises; autograd's own kernel makes it
    is_view = operator.record.view is not None
    is_inplace = operator.schema.is_inplace

    def miss(key: Any, arguments: tuple[Any, ...]) -> Any:
        result = readable(*arguments)
        plan = _general_plan(operator, arguments, result)
        if plan is not None:
            if len(plans) >= PLANS_PER_OPERATOR:
                plans.clear()
            plans[key] = plan
        return result

    def record(arguments: tuple[Any, ...], output: Tensor, metadata: tuple[Any, ...]) -> None:
        inputs = [arguments[position] for position in positions]
        needed = tuple(isinstance(each, Tensor) and bool(each._keys & AUTOGRAD) for each in inputs)
        plan = derivative_plan(operator, positions, needed)
        node = plan.node_class()
        node.next_edges = tuple(
            gradient_edge(each) if wanted else None for each, wanted in zip(inputs, needed)
        )
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
        if (keys != PLAIN_CALL and keys != RECORDED_CALL and not _is_plain_without_grad(keys)) or listeners:
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


def _general_plan(operator: OpOverload, arguments: Any, result: Any) -> tuple[Any, ...] | None:
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
        if walk.numel == 0 or not _walks_as_given(walk, tensors):
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


# Grad mode off, or Autograd taken away: whether operands require grad is nobody's business.
_UNRECORDED = frozenset(
    {NO_GRAD_CALL, NO_GRAD_CALL_ON_VARIABLES}
    | {
        keys | EXCLUDE_AUTOGRAD
        for keys in (NO_GRAD_CALL, NO_GRAD_CALL_ON_VARIABLES, PLAIN_CALL, RECORDED_CALL)
    }
)
_is_plain_without_grad = _UNRECORDED.__contains__


# Python's operators and methods that have a fast version: method names -> operator, arguments beyond the
# operands.
_BINARY = {
    "add.Tensor": (("__add__", "add"), (1,)),
    "sub.Tensor": (("__sub__", "sub"), (1,)),
    "mul.Tensor": (("__mul__", "mul", "__rmul__"), ()),
    "div.Tensor": (("__truediv__", "div"), ()),
    "maximum": (("maximum",), ()),
    "minimum": (("minimum",), ()),
    "eq.Tensor": (("__eq__", "eq"), ()),
    "ne.Tensor": (("__ne__", "ne"), ()),
    "lt.Tensor": (("__lt__", "lt"), ()),
    "le.Tensor": (("__le__", "le"), ()),
    "gt.Tensor": (("__gt__", "gt"), ()),
    "ge.Tensor": (("__ge__", "ge"), ()),
    "sigmoid_backward": ((), ()),
    "tanh_backward": ((), ()),
}
_UNARY = (
    "neg",
    "abs",
    "exp",
    "log",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "sin",
    "cos",
    "tanh",
    "sigmoid",
    "relu",
    "floor",
)


def bind_fast_paths(namespace: dict[str, Any]) -> None:
    """Put the fast versions in front of the functions and methods that bind.py made."""
    for full_name, (names, constants) in _BINARY.items():
        operator = aten._find(full_name)
        packet = getattr(aten, operator.schema.name)
        for name in names:
            readable = getattr(Tensor, name)
            if name.startswith("__"):
                method = make_binary(operator, readable, constants)
                method.__name__, method.__qualname__ = readable.__name__, readable.__qualname__
                method.__doc__ = readable.__doc__
                setattr(Tensor, name, method)
                continue
            fast = make_binary(operator, readable, constants)
            setattr(Tensor, name, _with_rest(fast, readable))
            namespace[name] = _with_rest(fast, packet.parser)
    for name in _UNARY:
        operator = aten._find(name)
        fast = make_unary(operator, getattr(aten, name).parser)
        setattr(Tensor, name, _with_rest(fast, getattr(Tensor, name), operands=1))
        namespace[name] = _with_rest(fast, getattr(aten, name).parser, operands=1)
    for packet in aten:
        for operator in packet.overloads.values():
            if _has_shortcut(operator):
                operator.fast = make_general(operator)
    Tensor.__neg__ = Tensor.neg
    Tensor.__abs__ = Tensor.abs


def _with_rest(
    fast: Callable[..., Any], readable: Callable[..., Any], operands: int = 2
) -> Callable[..., Any]:
    """``fast`` for a call with just the operands, ``readable`` for one with anything else."""
    if operands == 1:

        def function(*args: Any, **kwargs: Any) -> Any:
            if len(args) == 1 and not kwargs:
                return fast(args[0])
            return readable(*args, **kwargs)

    else:

        def function(*args: Any, **kwargs: Any) -> Any:
            if len(args) == 2 and not kwargs:
                return fast(args[0], args[1])
            return readable(*args, **kwargs)

    function.__name__ = readable.__name__
    function.__qualname__ = readable.__qualname__
    function.__module__ = readable.__module__
    function.__doc__ = readable.__doc__
    return function
