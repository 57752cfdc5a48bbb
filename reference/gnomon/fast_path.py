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

import functools
from collections.abc import Callable
from typing import Any
from weakref import ref

from .autograd.node import accumulator_edge, gradient_edge, next_sequence_number
from .autograd.saved_variable import save
from .autograd.variable_type import DerivativePlan, derivative_plan
from .dispatch.dispatcher import OpOverload, aten, set_shortcut_finder
from .dispatch.mode import mode_word
from .dispatch.record_function import readable_everywhere
from .fast_launches import make_launch
from .fast_numbers import bind_fast_numbers
from .fast_operators import (
    PLANS_PER_OPERATOR,
    address_of,
    general_plan,
    has_shortcut,
    is_plain_without_grad,
    make_composite,
    make_general,
    make_several,
    make_written,
    new_plans,
    walks_as_given,
)
from .fast_out import has_out_shortcut, make_out
from .fast_views import bind_fast_views, make_pieces
from .hot_path import VARIABLE_KEYS, bind_hot_path, in_c, like
from .kit import launch
from .kit.plans import find_plan
from .kit.running import kernel_walk, numbers_of_kernel
from .memory.backend import backend_of
from .memory.tensor import Tensor
from .values.dispatch_key import AUTOGRAD, PLAIN_CALL, RECORDED_CALL, TENSOR_KEYS

EXACT_INTEGER = 2**53  # integers travel to C as doubles

NUMBERS = (int, float)


class Recorder:
    """How to record one operator for one choice of operands that require grad.

    ``sources`` says what to save: 0 and 1 are the operands, 2 is the output; ``constants`` is the whole list
    where nothing of that is saved (``alpha`` of an add, say), ``only`` what alone is saved, or -1; ``both``:
    it is the two operands, the first first.
    """

    __slots__ = ("both", "constants", "node_class", "only", "sources")

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
        self.both = sources == [0, 1]
        self.only = sources[0] if len(sources) == 1 and isinstance(sources[0], int) else -1
        self.constants: list[Any] | None = None
        if all(isinstance(source, tuple) and len(source) == 1 for source in sources):
            self.constants = [source[0] for source in sources]

    def save(self, operands: tuple[Any, ...], output: Tensor) -> list[Any]:
        """What the Node keeps; the same as DerivativePlan.collect."""
        saved: list[Any] = []
        for source in self.sources:
            if source.__class__ is int:
                if source == 2:
                    saved.append(ref(output))
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
    walk = kernel_walk(operator, plan, arguments)
    if walk is None or walk.is_reduction or walk.numel == 0:
        return None
    backend = backend_of(plan.device)
    kernel = launch.find_kernel(backend, operator.record.kernel_name, plan.key_dtype)
    if kernel is None or not hasattr(kernel, "prepare"):
        return None
    if not walks_as_given(walk, [arguments[position] for position in operator.tensor_positions]):
        return None
    call = kernel.prepare(walk, (), 1, numbers_of_kernel(operator, plan.key_dtype, arguments))
    entry = call.entry(len(walk.operands) - 1 - numbers, numbers)
    if entry is None:
        return None
    return entry, call.address, plan.output_specs[0], plan.output_specs, call, address_of(call, entry)


def make_binary(
    operator: OpOverload, slow: Callable[..., Any], constants: tuple[Any, ...] = (), ndim: int | None = None
) -> Callable[..., Any]:
    """The fast version of ``slow(self, other)``, an operator of two operands whose other arguments are
    ``constants``.

    ndim: ``slow`` is that operator only for tensors of so many dimensions.
    """
    plans: dict[Any, dict[Any, Any]] = new_plans()
    recorders: list[Recorder | None] = [
        None
    ] * 8  # by which operands require grad, and whether one is a number
    listeners = readable_everywhere
    is_differentiable = operator.record.derivatives is not None

    def miss(self: Any, other: Any) -> Any:
        """Run the readable path and leave a plan for the next call of this kind."""
        result = slow(self, other)
        if result is NotImplemented or not isinstance(self, Tensor):
            return result
        if ndim is not None and not (self.ndim == ndim and isinstance(other, Tensor) and other.ndim == ndim):
            return result
        if isinstance(other, Tensor):
            key, numbers = other._spec, 0
        elif type(other) in (int, float):
            key, numbers = type(other), 1
        else:
            return result
        plan = _prepared(operator, (self, other, *constants), numbers)
        if plan is None and not numbers and result.__class__ is Tensor:
            plan = general_plan(operator, (self, other, *constants), result)
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
        only = recorder.only
        if only == 0 and self._version_counter is None:
            node.saved = [self]
        elif only == 1 and (mask > 3 or other._version_counter is None):
            node.saved = [other]
        elif recorder.both and self._version_counter is None and other._version_counter is None:
            node.saved = [self, other]
        elif recorder.constants is not None:
            node.saved = recorder.constants
        else:
            node.saved = recorder.save((self, other), output)

    def binary(self: Any, other: Any) -> Any:
        try:
            entry, call, spec, metadata, _, _ = plans[self._spec][other._spec]
            keys = self._keys | other._keys | mode_word()
        except (KeyError, AttributeError):
            if other.__class__ is float or (
                other.__class__ is int and -EXACT_INTEGER < other < EXACT_INTEGER
            ):
                return with_number(self, other)
            return miss(self, other)
        if (keys != PLAIN_CALL and keys != RECORDED_CALL and not is_plain_without_grad(keys)) or listeners:
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
            entry, call, spec, metadata, _, _ = plans[self._spec][other.__class__]
            keys = self._keys | mode_word()
        except (KeyError, AttributeError):
            return miss(self, other)
        if (keys != PLAIN_CALL and keys != RECORDED_CALL and not is_plain_without_grad(keys)) or listeners:
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

    binary.twin = functools.partial(  # type: ignore[attr-defined]
        in_c, "binary", binary, plans=plans, operator=operator, constants=constants, operands=2
    )
    return binary


def make_unary(
    operator: OpOverload, slow: Callable[..., Any], constants: tuple[Any, ...] = ()
) -> Callable[..., Any]:
    """The fast version of ``slow(self)``, an operator of one operand whose other arguments are
    ``constants``.
    """
    plans = new_plans()
    recorders: list[Recorder] = []
    listeners = readable_everywhere
    is_differentiable = operator.record.derivatives is not None

    def miss(self: Any) -> Any:
        result = slow(self)
        if isinstance(self, Tensor):
            plan = _prepared(operator, (self, *constants), 0)
            if plan is None and result.__class__ is Tensor:
                plan = general_plan(operator, (self, *constants), result)
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
        only = recorder.only
        if only == 2:
            node.saved = [ref(output)]
        elif only == 0 and self._version_counter is None:
            node.saved = [self]
        elif recorder.constants is not None:
            node.saved = recorder.constants
        else:
            node.saved = recorder.save((self,), output)

    def unary(self: Any) -> Any:
        try:
            entry, call, spec, metadata, _, _ = plans[self._spec]
            keys = self._keys | mode_word()
        except (KeyError, AttributeError):
            return miss(self)
        if (keys != PLAIN_CALL and keys != RECORDED_CALL and not is_plain_without_grad(keys)) or listeners:
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

    unary.twin = functools.partial(  # type: ignore[attr-defined]
        in_c, "unary", unary, plans=plans, operator=operator, constants=constants, operands=1
    )
    return unary


# Python's operators and methods that have a fast version: method names -> operator, arguments beyond the
# operands.
_BINARY = {
    "add.Tensor": (("__add__", "add"), (1,)),
    "sub.Tensor": (("__sub__", "sub"), (1,)),
    "rsub.Tensor": (("__rsub__",), (1,)),
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
_UNARY: dict[str, tuple[Any, ...]] = {
    "neg": (),
    "abs": (),
    "exp": (),
    "log": (),
    "sqrt": (),
    "rsqrt": (),
    "reciprocal": (),
    "sin": (),
    "cos": (),
    "tanh": (),
    "sigmoid": (),
    "relu": (),
    "floor": (),
    "sum": (None,),
    "mean": (None,),
    "max": (),
    "min": (),
}


def bind_fast_paths(namespace: dict[str, Any]) -> None:
    """Put the fast versions in front of the functions and methods that bind.py made."""
    for full_name, (names, constants) in _BINARY.items():
        operator = aten._find(full_name)
        packet = getattr(aten, operator.schema.name)
        for name in names:
            readable = getattr(Tensor, name)
            if name.startswith("__"):
                fast = make_binary(operator, readable, constants)
                setattr(Tensor, name, fast.twin(like(fast, readable)))
                continue
            fast = make_binary(operator, readable, constants)
            setattr(Tensor, name, _with_rest(fast, readable))
            namespace[name] = _with_rest(fast, packet.parser)
    for name, constants in _UNARY.items():
        operator = aten._find(name)
        fast = make_unary(operator, getattr(aten, name).parser, constants)
        setattr(Tensor, name, _with_rest(fast, getattr(Tensor, name), operands=1))
        namespace[name] = _with_rest(fast, getattr(aten, name).parser, operands=1)
    set_shortcut_finder(shortcut)
    multiply = aten._find("mm")
    product = make_binary(multiply, Tensor.__matmul__, ndim=2)
    Tensor.__matmul__ = product.twin(like(product, Tensor.__matmul__))
    for name in ("matmul", "mm"):
        fast = make_binary(multiply, getattr(Tensor, name), ndim=2)
        setattr(Tensor, name, _with_rest(fast, getattr(Tensor, name)))
        namespace[name] = _with_rest(fast, namespace[name])
    bind_fast_views(namespace)
    bind_fast_numbers(namespace)
    bind_hot_path()
    Tensor.__neg__ = Tensor.neg
    Tensor.__abs__ = Tensor.abs


def shortcut(operator: OpOverload) -> Callable[..., Any] | None:
    """The fast version of an operator's call, if there is one for its kind."""
    if operator.record.launches is not None:
        return make_launch(operator)
    if operator.record.view is not None and operator.schema.returns[0].is_list:
        return make_pieces(operator)
    if has_shortcut(operator):
        return make_general(operator)
    schema, record = operator.schema, operator.record
    if has_out_shortcut(operator):
        return make_out(operator)
    if schema.is_out or (schema.is_inplace and record.composite is None):
        return None
    if record.written_positions:
        is_alone = not schema.returns and record.composite is None and record.explicit is None
        return make_written(operator) if is_alone else None
    if record.composite is not None:
        return make_composite(operator)
    if record.explicit is not None:
        writes = any(argument.is_written for argument in schema.arguments)
        return None if writes or schema.is_view else make_composite(operator)
    return make_several(operator) if record.kernel is not None and operator.tensor_positions else None


def _with_rest(
    fast: Callable[..., Any], readable: Callable[..., Any], operands: int = 2
) -> Callable[..., Any]:
    """``fast`` for a call with just the operands, ``readable`` for one with anything else."""
    twin = fast.twin(readable)  # type: ignore[attr-defined]
    if twin is not fast:
        return twin  # type: ignore[no-any-return]
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

    return like(function, readable)
