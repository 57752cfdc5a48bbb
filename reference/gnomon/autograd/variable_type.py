"""VariableType: the kernels for the keys Autograd and ADInplaceOrView, for all operators.

The Autograd kernel runs the operator below Autograd and, if an input requires grad, creates its Node, with an
edge for each input and the saved values that its derivative formulas name.

A formula is a function whose parameter names determine its arguments:
    grad              the gradient of the (first) output
    grads             the gradients of all outputs, None for unused ones
    result, result1 … an output; also an output by its name in the schema ("indices")
    self, other …     an argument's value
    self_sizes        an argument's sizes, without keeping the tensor alive
    self_spec         an argument's spec, or the specs of a list
    grad_input_mask   which of the arguments named in the key need a gradient
A key of several names ("input, weight, bias") has one formula that returns a tuple.  A formula may return
None for "no gradient".  The engine sums a gradient to the input's sizes and converts it to its dtype.

Source: tools/autograd/derivatives.yaml, gen_variable_type.py; torch/csrc/autograd/VariableTypeManual.cpp.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ..dispatch.dispatcher import OpOverload, register_boxed_fallback
from ..dispatch.mode import EXCLUDE_AUTOGRAD, mode_word, set_mode_word
from ..memory.tensor import INFERENCE_VERSION, Tensor, version_counter
from ..values.dispatch_key import (
    AD_INPLACE_OR_VIEW,
    AUTOGRAD,
    GRAD_MODE_BIT,
    INFERENCE_MODE_BIT,
    DispatchKey,
)
from ..values.speedups import speedups
from . import anomaly_mode, views
from . import node as node_module
from .grad_mode import enable_grad
from .node import Edge, Node, gradient_edge, next_sequence_number
from .saved_variable import (
    SavedList,
    SavedVariable,
    as_saved_variable,
    raise_freed,
    save,
    unpack,
)

GRAD = -1  # a formula's parameter that is not saved: the incoming gradient
GRADS = -2
MASK = -3


class RecordedNode(Node):
    """The Node of an operator with derivative formulas: ``plan`` has them, ``saved`` their arguments.

    Each plan has its own class, so that Nodes need not store the plan.
    """

    __slots__ = ("saved",)

    plan: DerivativePlan
    saved: list[Any] | None

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        saved = self.saved
        if saved is None:
            raise_freed()
        plan = self.plan
        grad = gradients[0]
        if grad is None and (not plan.takes_all_gradients or all(each is None for each in gradients)):
            return (None,) * len(self.next_edges)
        if plan.takes_all_gradients and len(gradients) < plan.output_count:
            # formulas expect a gradient for each result, but the last ones may not be outputs of the Node
            gradients = [*gradients, *[None] * (plan.output_count - len(gradients))]
        values = []
        for each in saved:
            values.append(unpack(each, self))
        return plan.apply(gradients, values, len(self.next_edges))

    def release_variables(self) -> None:
        self.saved = None


class NotImplementedNode(RecordedNode):
    """The Node of an operator without derivative formulas: backward through it raises."""

    __slots__ = ()

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        raise RuntimeError(f"derivative for aten::{self.plan.operator.schema.name} is not implemented")


class DerivativePlan:
    """What is needed to record a call, for one set of inputs that require grad.

    ``sources``    (kind, position) of each saved value among arguments and outputs
    ``formulas``   (formula, the source of each parameter, the inputs that get its results, grad_input_mask)
    """

    def __init__(self, operator: OpOverload, input_slots: list[int], needed: tuple[bool, ...]):
        # input_slots: for each differentiable input (flattened), the position of its argument
        self.operator = operator
        schema = operator.schema
        base = operator.record.base or operator
        derivatives = base.record.derivatives
        self.saved_names: list[str] = []
        self.sources: list[tuple[str, int]] = []
        self.formulas: list[tuple[Callable[..., Any], tuple[int, ...], Any, tuple[bool, ...]]] = []
        self.takes_all_gradients = False
        # how many gradients a formula of ``grads`` expects; 0 if the number is not fixed
        returns = base.schema.returns
        self.output_count = 0 if any(each.is_list for each in returns) else len(returns)
        self.keeps_tensors = False
        if derivatives is None:
            self.node_class = make_node_class(operator, self)
            return
        names = [argument.name for argument in schema.arguments]
        for key, formula in derivatives.items():
            keys = [name.strip() for name in key.split(",")]
            slots = [
                [slot for slot, position in enumerate(input_slots) if names[position] == name]
                for name in keys
            ]
            mask = tuple(any(needed[slot] for slot in each) for each in slots)
            if not any(mask):
                continue
            sources = tuple(
                self._source(parameter, names, base) for parameter in inspect.signature(formula).parameters
            )
            if GRADS in sources:
                self.takes_all_gradients = True
            argument = schema.arguments[names.index(keys[0])]
            targets: Any
            if len(keys) > 1:
                targets = tuple(each[0] if wanted else None for each, wanted in zip(slots, mask))
            elif argument.is_list:
                targets = tuple(slot if needed[slot] else None for slot in slots[0])
                mask = tuple(needed[slot] for slot in slots[0])
            else:
                targets = slots[0][0]
            self.formulas.append((formula, sources, targets, mask))
        # does it save tensors, which backward frees?  If not, the graph can run again
        self.keeps_tensors = any(
            kind == "output" or (kind == "value" and schema.arguments[position].is_tensor)
            for kind, position in self.sources
        )
        self.node_class = make_node_class(operator, self)

    def _source(self, parameter: str, names: list[str], base: OpOverload) -> int:
        """The source of a formula's parameter: an index into the saved values, or a code above."""
        if parameter == "grad":
            return GRAD
        if parameter == "grads":
            return GRADS
        if parameter == "grad_input_mask":
            return MASK
        if parameter in self.saved_names:
            return self.saved_names.index(parameter)
        returns = [result.name for result in base.schema.returns]
        if parameter in names:
            source = ("value", names.index(parameter))
        elif parameter.startswith("result") and parameter[6:].isdigit() | (parameter == "result"):
            source = ("output", int(parameter[6:] or 0))
        elif parameter in returns:
            source = ("output", returns.index(parameter))
        elif parameter.endswith("_sizes") and parameter[:-6] in names:
            source = ("sizes", names.index(parameter[:-6]))
        elif parameter.endswith("_spec") and parameter[:-5] in names:
            source = ("spec", names.index(parameter[:-5]))
        else:
            raise ValueError(
                f"{base.name}: the derivative formula uses {parameter!r}, which is neither an argument nor a "
                "result of the operator"
            )
        self.saved_names.append(parameter)
        self.sources.append(source)
        return len(self.saved_names) - 1

    def apply(
        self, gradients: Sequence[Tensor | None], values: list[Any], inputs: int
    ) -> list[Tensor | None]:
        """Call each formula with its arguments; returns the gradients of all ``inputs`` inputs."""
        results: list[Tensor | None] = [None] * inputs
        for formula, sources, targets, mask in self.formulas:
            given = {GRAD: gradients[0], GRADS: gradients, MASK: mask}
            result = formula(*[values[source] if source >= 0 else given[source] for source in sources])
            if isinstance(targets, int):
                results[targets] = result
            elif result is not None:
                for target, each in zip(targets, result):
                    if target is not None:
                        results[target] = each
        return results

    def collect(self, arguments: Sequence[Any], outputs: Sequence[Any], before: dict[int, Any]) -> list[Any]:
        """The values to save.  ``before``: arguments as they were before an in-place operator."""
        saved: list[Any] = []
        for kind, position in self.sources:
            if kind == "value":
                value = before.get(position, arguments[position])
                if isinstance(value, SavedVariable):
                    saved.append(value)
                elif isinstance(value, Tensor):
                    saved.append(save(value))
                elif isinstance(value, (list, tuple)) and any(isinstance(each, Tensor) for each in value):
                    saved.append(SavedList(list(value)))
                else:
                    saved.append(value)
            elif kind == "output":
                output = outputs[position]
                is_recorded = bool(output._gradient_edge)
                saved.append(SavedVariable(output, is_output=True) if is_recorded else save(output))
            elif kind == "sizes":
                saved.append(arguments[position]._spec.sizes)
            else:
                value = arguments[position]
                saved.append(
                    [each._spec for each in value]
                    if isinstance(value, (list, tuple))
                    else getattr(value, "_spec", value)
                )
        return saved


def make_node_class(operator: OpOverload, plan: DerivativePlan) -> type[RecordedNode]:
    """Create the class of a plan's Nodes, named after the operator: AddBackward0 for add.Tensor."""
    base = operator.record.base or operator
    camel = "".join(part.title() for part in base.schema.name.split("_"))
    parent = RecordedNode if base.record.derivatives is not None else NotImplementedNode
    members: dict[str, Any] = {"__slots__": (), "plan": plan}
    if not plan.keeps_tensors:
        members["release_variables"] = Node.release_variables
    for name, (kind, position) in zip(plan.saved_names, plan.sources):
        getter = _saved_getter(plan, name)
        if kind == "spec":
            if not base.schema.arguments[position].is_list:
                members |= _geometry_getters(getter, name.removesuffix("_spec"))
            continue
        attribute = f"{name.removesuffix('_sizes')}_sym_sizes" if kind == "sizes" else name
        members[f"_saved_{attribute}"] = property(getter)
        members[f"_raw_saved_{attribute}"] = property(_raw_saved_getter(plan, name))
    return type(base.record.node_name or f"{camel}Backward0", (parent,), members)


def _geometry_getters(getter: Callable[[RecordedNode], Any], name: str) -> dict[str, Any]:
    """Attributes for the sizes and strides of a saved spec, with PyTorch's names."""
    return {
        f"_saved_{name}_sym_sizes": property(lambda node: getter(node).sizes),
        f"_saved_{name}_sym_strides": property(lambda node: getter(node).strides),
    }


def _raw_saved_getter(plan: DerivativePlan, name: str) -> Callable[[RecordedNode], Any]:
    def get(node: RecordedNode) -> Any:
        """The SavedVariable of this name, for ``register_hooks``.  Raises RuntimeError if it was freed."""
        if node.saved is None:
            raise_freed()
        position = plan.saved_names.index(name)
        saved = list(node.saved)
        kind, number = plan.sources[position]
        node.saved = saved
        if isinstance(saved[position], Tensor):
            return as_saved_variable(saved, position, number if kind == "output" else -1)
        return saved[position]

    return get


def _saved_getter(plan: DerivativePlan, name: str) -> Callable[[RecordedNode], Any]:
    def get(node: RecordedNode) -> Any:
        """The saved value of this name.  Raises RuntimeError if it was freed."""
        if node.saved is None:
            raise_freed()
        position = plan.saved_names.index(name)
        kind, number = plan.sources[position]
        saved = node.saved[position]
        if kind == "output" and isinstance(saved, Tensor):
            saved = as_saved_variable(node.saved, position, number)
        with enable_grad():  # with its history, whatever the grad mode
            return unpack(saved, node)

    return get


def flatten_inputs(operator: OpOverload, arguments: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """The inputs with edges (tensors, and numbers in their place), and the position of each one's argument.

    Tensors that an ``out=`` variant only writes to are not inputs.
    """
    inputs: list[Any] = []
    slots: list[int] = []
    for position in operator.tensor_positions:
        argument = operator.schema.arguments[position]
        if argument.kwarg_only and argument.is_written:
            continue
        value = arguments[position]
        if isinstance(value, (list, tuple)):
            inputs.extend(value)
            slots.extend([position] * len(value))
        else:
            inputs.append(value)
            slots.append(position)
    return inputs, slots


def derivative_plan(operator: OpOverload, slots: list[int], needed: tuple[bool, ...]) -> DerivativePlan:
    """The plan for the inputs that require grad (``needed``), cached in the operator."""
    key = (needed, len(slots))
    plans = operator.derivative_plans
    plan = plans.get(key)
    if plan is None:
        plan = DerivativePlan(operator, slots, needed)
        plans[key] = plan
    return plan


def _is_differentiable(tensor: Any) -> bool:
    return isinstance(tensor, Tensor) and tensor._spec.dtype.category >= 2


def _are_inference_tensors(operator: OpOverload, inputs: Sequence[Any]) -> bool:
    """Are all inputs inference tensors?  Then nothing is recorded, even if one requires grad.

    Except by operators that copy, whose result is a normal tensor.
    """
    return operator.schema.name not in ("clone", "_to_copy") and all(
        each is None or getattr(each, "_version_counter", None) is INFERENCE_VERSION for each in inputs
    )


def autograd_kernel(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """The Autograd kernel: run the operator and record it."""
    below = keys & ~AUTOGRAD
    if not mode_word() & GRAD_MODE_BIT:
        return _run_below(operator, below, arguments)
    inputs, slots = flatten_inputs(operator, arguments)
    if _are_inference_tensors(operator, inputs):
        return _run_below(operator, below, arguments)
    needed = tuple(isinstance(each, Tensor) and bool(each._keys & AUTOGRAD) for each in inputs)
    schema = operator.schema
    if schema.is_out:
        if any(needed) or any(each._keys & AUTOGRAD for each in arguments[-len(schema.returns) :]):
            raise RuntimeError(
                f"{schema.name}(): functions with out=... arguments don't support automatic "
                "differentiation, but one of the arguments requires grad."
            )
        return _run_below(operator, below, arguments)
    base = operator.record.base or operator
    before: dict[int, Any] = {}
    edges: list[Edge | None] | None = []
    if schema.is_inplace:
        views.check_inplace(operator.schema.name, arguments[0], any(needed))
        if any(needed) and base.record.derivatives is not None:
            plan = derivative_plan(operator, slots, needed)
            if ("value", 0) in plan.sources:
                before[0] = arguments[0].clone()  # with its history, for second derivatives
            for kind, position in plan.sources:
                if kind == "value" and position and isinstance(arguments[position], Tensor):
                    # saved before the write: if it shares memory with self, its version will show the
                    # modification
                    before[position] = SavedVariable(arguments[position])
        edges = [gradient_edge(each) if isinstance(each, Tensor) else None for each in inputs]
    elif not schema.returns and base.record.derivatives is None and base.record.composite is None:
        for tensor in inputs:
            if isinstance(tensor, Tensor) and tensor._keys & AUTOGRAD:
                views.check_inplace(schema.name, tensor, True)
                raise RuntimeError(f"derivative for aten::{schema.name} is not implemented")
    results = _run_below(operator, below, arguments)
    outputs = results if isinstance(results, (tuple, list)) else (results,)
    if any(needed):
        if not schema.is_inplace:
            edges = None
        record_outputs(operator, arguments, inputs, slots, outputs, edges, before)
    return results


def record_outputs(
    operator: OpOverload,
    arguments: Sequence[Any],
    inputs: Sequence[Any],
    slots: list[int],
    outputs: Sequence[Any],
    edges: list[Edge | None] | None = None,
    before: dict[int, Any] = {},  # noqa: B006  (never written to)
) -> None:
    """Create the Node of a call; ``inputs`` and ``slots`` are those of ``flatten_inputs``.

    ``edges`` and ``before`` are the inputs' edges and values from before an in-place operator wrote to them.
    """
    base = operator.record.base or operator
    recorded = [
        position
        for position, output in enumerate(outputs)
        if _is_differentiable(output) and position not in base.record.non_differentiable_outputs
    ]
    if not recorded or (base.record.derivatives is not None and not base.record.derivatives):
        # not differentiable (comparisons, indices), or an operator that stops gradients (detach)
        return
    needed = tuple(isinstance(each, Tensor) and bool(each._keys & AUTOGRAD) for each in inputs)
    if edges is None:
        edges = [gradient_edge(each) if isinstance(each, Tensor) else None for each in inputs]
    plan = derivative_plan(operator, slots, needed)
    node = plan.node_class()
    node.next_edges = edges
    node.sequence_nr = next_sequence_number()
    # what follows the last differentiable output (indices, statistics) is not an output of the Node
    node.metadata_specs = tuple(
        None if output is None else output._spec for output in outputs[: recorded[-1] + 1]
    )
    if operator.schema.is_inplace:
        views.rebase_history(arguments[0], node)
    else:
        for position in recorded:
            if base.record.explicit is not None and not operator.schema.is_view:
                outputs[position]._view_of = None  # its base is internal to the operator
            outputs[position]._gradient_edge = (node, position)
            outputs[position]._keys |= AUTOGRAD
    node.saved = plan.collect(arguments, outputs, before)
    if anomaly_mode.is_anomaly_enabled():
        anomaly_mode.remember_forward(node)
    where = outputs[recorded[0]]._spec.device
    if any(isinstance(each, Tensor) and each._spec.device is not where for each in inputs):
        node_module.devices_are_spanned()


def _run_below(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    if operator.record.explicit is None:
        return operator.redispatch(keys, arguments)
    word = mode_word()
    try:
        set_mode_word(word | EXCLUDE_AUTOGRAD)
        return operator.redispatch(keys, arguments)
    finally:
        set_mode_word(word)


def inplace_or_view_kernel(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """The ADInplaceOrView kernel: mark views, increment version counters."""
    schema = operator.schema
    written: list[Any] = []
    written_with = operator.record.written_with_positions
    for position, (argument, value) in enumerate(zip(schema.arguments, arguments)):
        if not argument.is_written or value is None:
            continue
        if position in written_with and arguments[written_with[position]] is None:
            continue
        written.extend(value if argument.is_list else (value,))
    if any_inference(written) and not mode_word() & INFERENCE_MODE_BIT:
        raise RuntimeError(
            f"{schema.name}: Inplace update to inference tensor outside InferenceMode is not allowed. "
            "Make a clone() of it first."
        )
    results = operator.redispatch(keys & ~AD_INPLACE_OR_VIEW, arguments)
    if schema.is_view:
        source = arguments[0]
        if operator.record.derivatives != {} and source._version_counter is not INFERENCE_VERSION:
            # (detach returns an alias that is no differentiable view)
            if isinstance(results, (tuple, list)):
                for view in results:
                    views.mark_view(view, source, of_several=True)
            elif results is not source:
                views.mark_view(results, source)
        return results
    bump_versions(written)
    return results


def any_inference(tensors: Sequence[Tensor]) -> bool:
    """Is one of them an inference tensor?"""
    return any(each._version_counter is INFERENCE_VERSION for each in tensors)


def bump_versions(tensors: Sequence[Tensor]) -> None:
    """Increments the version counters, which inference tensors do not have."""
    for each in tensors:
        if each._version_counter is not INFERENCE_VERSION:
            version_counter(each).value += 1


if speedups is not None:
    any_inference, bump_versions = speedups.any_inference, speedups.bump_versions


def _aliases_or_writes(operator: OpOverload) -> bool:
    return operator.schema.is_view or any(argument.is_written for argument in operator.schema.arguments)


register_boxed_fallback(DispatchKey.Autograd, autograd_kernel)
register_boxed_fallback(DispatchKey.ADInplaceOrView, inplace_or_view_kernel, _aliases_or_writes)
