"""Batched tensors: the arguments of a function under vmap, and the kernel for the key Batched.

A ``BatchedTensor`` looks like one example, and its ``value`` has all of them along the first dimension.  An
operator on such tensors runs the kernel here, which calls the same operator, or equivalent ones, on the
values: once for all examples.  A *batching rule* determines how (batching_rules.py).  Without one, the
operator runs separately for each example: the fallback, which is counted.

Autograd is above this key.  So a batched tensor may require grad, and then its graph is that of one example
(``vmap(grad(f))``); and the values may require grad, and then their graph is that of all examples
(``grad(vmap(f))``).  The two are independent: operators on the values are dispatched anew, from the highest
key.

vmaps may be nested: the value of a tensor of one level may be a tensor of a lower level.

Source: aten/src/ATen/functorch/BatchedTensorImpl.h, DynamicLayer.h, BatchedFallback.cpp.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple

from ..autograd import forward_grad
from ..calls.running import meta_result
from ..dispatch.dispatcher import OpOverload, aten, register_boxed_fallback
from ..memory.backend import meta_backend, resolve_device
from ..memory.spec import spec_of
from ..memory.storage import Storage
from ..memory.tensor import INFERENCE_VERSION, Tensor, bare_tensor, fill_slots, version_counter
from ..values.dispatch_key import (
    AD_INPLACE_OR_VIEW,
    AUTOGRAD,
    BATCHED,
    EXCLUDED_SHIFT,
    FORWARD_AD,
    INFERENCE_MODE_BIT,
    MODE_WORD,
    DispatchKey,
    mode_word,
)
from ..values.speedups import speedups
from ..values.thread_local_state import State, ThreadLocalStateGuard

_NOWHERE = Storage(meta_backend, resolve_device("meta"), meta_backend.allocate(0, 0), 0)


class BatchedTensor(Tensor):
    """A tensor of one example that represents a batch, the first dimension of ``value``.

    ``level`` is the number of its vmap: 1 is the outermost.  Strides and offset are those of one example in
    the memory of ``value``, so that views can be identified by them.
    """

    __slots__ = ("level", "value")

    level: int
    value: Tensor

    def __repr__(self) -> str:
        return f"BatchedTensor(lvl={self.level}, bdim=0, value=\n    {self.value!r}\n)"

    __str__ = __repr__

    def __bool__(self) -> bool:
        raise RuntimeError(
            "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. "
            "All examples would have to take the same branch; use where() instead."
        )

    def data_ptr(self) -> int:
        """Raises RuntimeError: the memory belongs to all examples."""
        raise RuntimeError("vmap: Cannot access data pointer of Tensor that doesn't have storage")

    def tolist(self) -> Any:
        """Raises RuntimeError: each example has its own list."""
        raise RuntimeError("vmap: tolist() of a batched tensor is not supported: each example has its own")

    def numpy(self, *, force: bool = False) -> Any:
        """Raises RuntimeError: each example has its own array."""
        raise RuntimeError("vmap: numpy() of a batched tensor is not supported: each example has its own")


class Level(NamedTuple):
    """A running vmap: its number (1 is the outermost), batch size, randomness, and the enclosing dual level,
    at which the values may have tangents.
    """

    number: int
    size: int
    randomness: str
    dual_level: forward_grad.Level | None


LEVELS: ContextVar[tuple[Level, ...]] = ContextVar("gnomon_vmap_levels", default=())


def current_levels() -> tuple[Level, ...]:
    """The running vmaps, the outermost first."""
    return LEVELS.get()


class level(ThreadLocalStateGuard):
    """Inside, a vmap over ``size`` examples is running."""

    __slots__ = ("_given",)

    _mask = BATCHED

    def __init__(self, size: int, randomness: str):
        self._given = Level(len(LEVELS.get()) + 1, size, randomness, forward_grad.current_level())

    def _inside(self) -> State:
        # the bit of the mode word makes random factories dispatch to Batched as well
        return (LEVELS, (*LEVELS.get(), self._given)), (MODE_WORD, mode_word() | BATCHED)


_HIDDEN = (AUTOGRAD | AD_INPLACE_OR_VIEW | FORWARD_AD) << EXCLUDED_SHIFT


class below(ThreadLocalStateGuard):
    """Inside, only the vmaps outside of level ``number`` are active: for calling operators on values.

    Keys that a kernel above has excluded are excluded for the examples only; the values have their own graph,
    and tangents at the dual levels that enclose the vmap.
    """

    __slots__ = ("_number",)

    def __init__(self, number: int):
        self._number = number

    def _inside(self) -> State:
        levels = LEVELS.get()
        outer = tuple(each for each in levels if each.number < self._number)
        word = mode_word() | BATCHED if outer else mode_word() & ~BATCHED
        if not word & INFERENCE_MODE_BIT:
            word &= ~_HIDDEN
        around = next((each for each in levels if each.number == self._number), None)
        dual_level = forward_grad.current_level() if around is None else around.dual_level
        word = word & ~FORWARD_AD if dual_level is None else word | FORWARD_AD
        return (LEVELS, outer), (forward_grad.LEVEL, dual_level), (MODE_WORD, word)


def wrap(value: Tensor, number: int) -> BatchedTensor:
    """Create the BatchedTensor of ``value``, whose first dimension is the batch, at level ``number``."""
    spec = value._spec
    shown = spec_of(spec.sizes[1:], spec.strides[1:], spec.dtype, spec.device)
    made: Any = bare_tensor(BatchedTensor)
    made.value = value
    made.level = number
    fill_slots(made, shown, _NOWHERE, value._storage_offset)
    made._keys |= BATCHED
    return made


def alias(tensor: Tensor) -> Tensor:
    """An alias without history; the value of a batched tensor keeps its own."""
    if isinstance(tensor, BatchedTensor):
        made = wrap(tensor.value, tensor.level)
        if tensor._version_counter is not INFERENCE_VERSION:
            made._version_counter = version_counter(tensor)
        return made
    return aten.detach.default(tensor)


class Batch:
    """One call under one vmap, for its batching rule: which arguments are batched, and their values."""

    __slots__ = ("number", "size")

    def __init__(self, number: int, size: int):
        self.number = number
        self.size = size

    def has(self, argument: Any) -> bool:
        """Is ``argument`` batched at the level of this vmap?"""
        return isinstance(argument, BatchedTensor) and argument.level == self.number

    def has_any(self, arguments: Any) -> bool:
        """Is any of ``arguments`` batched, or an element of a list among them?"""
        return any(
            self.has_any(each) if isinstance(each, (list, tuple)) else self.has(each) for each in arguments
        )

    def value(self, argument: Any) -> Any:
        """The value of a batched tensor; anything else itself."""
        return argument.value if self.has(argument) else argument

    def front(self, argument: Any) -> Any:
        """The value of a tensor, with the batch first; a tensor that is not batched is expanded.

        None and numbers are returned as they are.
        """
        if self.has(argument):
            return argument.value
        if not isinstance(argument, Tensor):
            return argument
        return aten.expand.default(argument, (self.size, *argument._spec.sizes), False)


# A rule is called with (operator, batch, arguments), and returns values whose first dimension is the batch.
# It runs at the level below its vmap.
Rule = Callable[[OpOverload, Batch, Sequence[Any]], Any]

_written_out: dict[str, Rule] = {}  # operator -> its own rule


def rule_of(*operators: str) -> Callable[[Rule], Rule]:
    """Decorator: registers the function as the batching rule of these operators."""

    def decorate(rule: Rule) -> Rule:
        for operator in operators:
            assert operator not in _written_out, operator
            _written_out[operator] = rule
        return rule

    return decorate


def written_out_rule(operator: OpOverload) -> Rule | None:
    """The rule that ``rule_of`` registered for this operator, or None."""
    return _written_out.get(operator.name)


fallbacks: Counter[str] = Counter()  # operator -> how often it ran separately for each example
rule_runs: Counter[str] = Counter()  # operator -> how often a rule ran


def vmap_fallbacks() -> dict[str, int]:
    """How often each operator ran separately for each example, without a batching rule."""
    return dict(fallbacks)


# Set by batching_rules.py: an operator's rule or None; the function of an operator that only calls others, to
# be run on batched tensors; and the rule of an operator that draws random numbers.
find_rule: Callable[[OpOverload], Rule | None]
find_composition: Callable[[OpOverload], Callable[..., Any] | None]
find_random_rule: Callable[[OpOverload], Callable[..., Any] | None]


def set_rules(rule: Any, composition: Any, random_rule: Any) -> None:
    """Set the functions that find rules."""
    global find_rule, find_composition, find_random_rule
    find_rule, find_composition, find_random_rule = rule, composition, random_rule


class NoRule(Exception):
    """Raised by a rule for a call that it does not support: the fallback runs."""


def batched_kernel(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """The Batched kernel: run the operator for all examples at once."""
    levels = LEVELS.get()
    if levels:
        random_rule = find_random_rule(operator)
        if random_rule is not None:
            return random_rule(operator, levels[-1], arguments)
    innermost: Any = None
    for each in operator.tensors(arguments):
        if isinstance(each, BatchedTensor) and (innermost is None or each.level > innermost.level):
            innermost = each
    if innermost is None:
        return operator.redispatch(keys & ~BATCHED, arguments)
    batch = Batch(innermost.level, innermost.value._spec.sizes[0])
    composition = find_composition(operator)
    if composition is not None:
        return composition(*[_with_history(batch, each) for each in arguments])
    _check_written(operator, batch, arguments)
    rule = find_rule(operator)
    if rule is not None and operator.record.meta is not None:
        meta_result(operator, arguments)  # for its checks: the batch dimension could hide errors
    with below(batch.number):
        results = fallback(operator, batch, arguments) if rule is None else None
        if rule is not None:
            try:
                results = rule(operator, batch, arguments)
                rule_runs[operator.name] += 1
            except NoRule:
                results = fallback(operator, batch, arguments)
    if operator.schema.is_inplace:
        return arguments[0]
    return wrap_results(operator, batch, results, arguments[0])


def _with_history(batch: Batch, argument: Any) -> Any:
    """``argument``, batched if it has a graph or a tangent, for a function that runs below autograd.

    Of its calls, those without a batched tensor would not be recorded.
    """
    if isinstance(argument, (list, tuple)) and any(isinstance(each, Tensor) for each in argument):
        return [_with_history(batch, each) for each in argument]
    if isinstance(argument, Tensor) and not batch.has(argument):
        with below(batch.number):
            if argument._keys & AUTOGRAD or forward_grad.has_tangent(argument):
                return wrap(batch.front(argument), batch.number)
    return argument


def wrap_results(operator: OpOverload, batch: Batch, results: Any, source: Any) -> Any:
    """Wrap a rule's results as BatchedTensors; a view shares the version counter of ``source``."""
    if isinstance(results, (tuple, list)):
        return tuple(wrap_results(operator, batch, each, source) for each in results)
    if not isinstance(results, Tensor):
        return results
    made = wrap(results, batch.number)
    if operator.schema.is_view and isinstance(source, Tensor) and batch.has(source):
        if source._version_counter is not INFERENCE_VERSION:
            made._version_counter = version_counter(source)
    return made


def _check_written(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> None:
    """Raises RuntimeError if a batched value would be written to a tensor that is not batched."""
    schema = operator.schema
    if schema.is_out:
        raise RuntimeError(
            f"vmap: Batching rule not implemented for aten::{operator.name}; the fallback path doesn't work "
            "on out= or view ops."
        )
    for argument, value in zip(schema.arguments, arguments):
        if not argument.is_written or value is None or batch.has(value):
            continue
        if "batch_norm" in schema.name:
            raise RuntimeError(
                "Batch norm got a batched tensor as input while the running_mean or running_var, which will "
                "be updated in place, were not batched. Pass track_running_stats=False, or a batch of them."
            )
        raise RuntimeError(
            f"vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor "
            f"`other` in extra_args that has more elements than `self`: {schema.name} would write a "
            "batched value to a tensor that is not batched. Use the out-of-place operator instead."
        )


def fallback(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """Run the operator for each example, and stack the results."""
    schema = operator.schema
    if schema.is_view and operator.record.base is None and operator.record.view is not None:
        raise RuntimeError(
            f"vmap: Batching rule not implemented for aten::{operator.name}; the fallback path doesn't work "
            "on out= or view ops."
        )
    if not batch.size:
        raise RuntimeError(
            f"vmap: {operator.name} has no batching rule, which is required for a batch of size 0"
        )
    fallbacks[operator.name] += 1
    results = [
        operator(*[_example(batch, each, number) for each in arguments]) for number in range(batch.size)
    ]
    if schema.is_inplace:
        return None
    return _stacked(operator, results)


def _example(batch: Batch, value: Any, number: int) -> Any:
    """The argument for one example."""
    if isinstance(value, (list, tuple)):
        return [_example(batch, each, number) for each in value]
    return aten.select.int(value.value, 0, number) if batch.has(value) else value


def _stacked(operator: OpOverload, results: list[Any]) -> Any:
    first = results[0]
    if isinstance(first, (tuple, list)):
        return tuple(_stacked(operator, list(each)) for each in zip(*results))
    if first is None:
        return None
    if not isinstance(first, Tensor):
        raise RuntimeError(f"vmap: {operator.name} returned {first!r}, which may differ between examples")
    if any(each._spec.sizes != first._spec.sizes for each in results):
        raise RuntimeError(
            f"vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap "
            f"over aten::{operator.name}, whose results have different sizes for different examples."
        )
    return aten.stack.default(results, 0)


register_boxed_fallback(DispatchKey.Batched, batched_kernel)

if speedups is not None:
    speedups.know_batching(BatchedTensor, LEVELS, forward_grad.LEVEL, rule_runs, _NOWHERE)
