"""The ForwardAD kernel: computes an operator's outputs, and their tangents.

There are no formulas for tangents; those of backward are used.  For a gradient u of an operator's outputs,
its backward formulas compute the gradient g(u) = J^T u of its inputs, which is linear in u; so the gradient
of g with respect to u, with the tangents t as *its* incoming gradients, is J t.  The formulas run once with a
dummy u, only to be differentiated.  For complex numbers J is the matrix of real and imaginary parts, and
gradients are products with its transpose, so nothing changes.

Views need no arithmetic: the tangent of a view is the same view of the tangent, so an in-place write to one
modifies the other.  Linear operators are applied to the tangents, which gives the same result and is faster.

Everything that is computed for a level, outputs and tangents, is computed at the next outer level: the kernel
runs once for each level.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..calls.outputs import no_forward_ad_of_out
from ..calls.running import meta_result
from ..dispatch.dispatcher import OpOverload, aten, register_boxed_fallback
from ..dispatch.mode import mode_word
from ..memory.tensor import Tensor, is_alias_of
from ..values.dispatch_key import (
    AUTOGRAD,
    FORWARD_AD,
    GRAD_MODE_BIT,
    INFERENCE_MODE_BIT,
    WRAPPER_KEYS,
    DispatchKey,
)
from . import engine
from .forward_grad import (
    Level,
    at_level,
    current_level,
    is_kept,
    keep,
    keep_with_saved,
    recording,
    set_tangent,
    tangent_of,
    write_tangent,
)
from .grad_mode import enable_grad
from .saved_variable import SavedVariable, without_history
from .variable_type import derivative_plan, flatten_inputs


def forward_ad_kernel(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """The ForwardAD kernel: the operator's outputs, with their tangents at the innermost level."""
    level = current_level()
    if level is None:
        return operator.redispatch(keys & ~FORWARD_AD, arguments)
    below = keys & ~FORWARD_AD if level.outer is None else keys
    with at_level(level.outer):
        if mode_word() & INFERENCE_MODE_BIT:
            return operator.redispatch(below, arguments)
        inputs, _ = flatten_inputs(operator, arguments)
        tangents = [tangent_of(each, level) for each in inputs]
        schema = operator.schema
        if schema.is_out:
            written = [tangent_of(each, level) for each in arguments[-len(schema.returns) :]]
            if any(each is not None for each in (*tangents, *written)):
                raise no_forward_ad_of_out(schema.name)
            return operator.redispatch(below, arguments)
        if schema.is_view:
            return _run_view(operator, below, arguments, tangents[0], level)
        if all(each is None for each in tangents):
            return operator.redispatch(below, arguments)
        if schema.is_inplace:
            return _run_inplace(operator, below, arguments, tangents, level)
        return _run_functional(operator, below, arguments, tangents, level)


def _run_view(
    operator: OpOverload, below: int, arguments: Sequence[Any], tangent: Tensor | None, level: Level
) -> Any:
    """Run a view operator, on the tensor and on its tangent."""
    source = arguments[0]
    results = operator.redispatch(below, arguments)
    if results is source or not is_kept(source, level):
        return results  # (a view without a tangent, of a view without one, may still get one from its base)
    views = results if isinstance(results, (tuple, list)) else (results,)
    tangents: Sequence[Tensor | None] = (None,) * len(views)
    if tangent is not None and operator.record.derivatives:  # not for detach, nor for a view as another dtype
        same = operator(tangent, *arguments[1:])
        tangents = same if isinstance(same, (tuple, list)) else (same,)
    for view, each in zip(views, tangents):
        base = None if view._view_of is None else view._view_of[0]
        if each is not None or base is None or tangent_of(base, level) is not None:
            keep(view, level, each)  # (else the view gets a tangent when its base does)
    return results


def _run_functional(
    operator: OpOverload,
    below: int,
    arguments: Sequence[Any],
    tangents: Sequence[Tensor | None],
    level: Level,
) -> Any:
    """Run a functional operator, and compute the tangents of its results."""
    results = operator.redispatch(below, arguments)
    outputs = results if isinstance(results, (tuple, list)) else (results,)
    with recording(level):
        found = _output_tangents(operator, arguments, tangents, outputs)
        for output, tangent in zip(outputs, found):
            if tangent is not None:
                tangent = _as_batched(tangent, tangents)
                set_tangent(output, tangent, level, is_own=_is_own(tangent, tangents))
    for output in outputs:
        if isinstance(output, Tensor) and output._gradient_edge is not None:
            kept = [tangent_of(each, level) for each in outputs]
            keep_with_saved(getattr(output._gradient_edge[0], "saved", None), kept, level)
            break
    return results


def _as_batched(tangent: Tensor, of_inputs: Sequence[Tensor | None]) -> Tensor:
    """``tangent`` as a batched tensor if an input's is batched: one may later be written to it."""
    if tangent._keys & WRAPPER_KEYS:
        return tangent
    for each in of_inputs:
        if each is not None and each._keys & WRAPPER_KEYS:
            made = aten.new_empty.default(each, tangent._spec.sizes, tangent._spec.dtype)
            return aten.copy_.default(made, tangent, False)
    return tangent


def _is_own(tangent: Tensor, of_inputs: Sequence[Tensor | None]) -> bool:
    """Is this a new tensor, rather than an input's tangent or a view of something?"""
    mine = _innermost(tangent)
    if tangent._view_of is not None or mine._view_of is not None:
        return False
    others = [_innermost(each) for each in of_inputs if each is not None]
    return not any(is_alias_of(mine, each) for each in others)


def _innermost(tensor: Tensor) -> Tensor:
    """The tensor that has the memory: for a batched tensor, its ``value``."""
    while tensor._keys & WRAPPER_KEYS and isinstance(getattr(tensor, "value", None), Tensor):
        tensor = tensor.value  # type: ignore[attr-defined]
    return tensor


def _may_be_recorded(tensor: Tensor) -> bool:
    """Is a tensor recorded, or what it contains?  The latter may be even if the wrapper is not."""
    if tensor._keys & AUTOGRAD or not tensor._keys & WRAPPER_KEYS:
        return bool(tensor._keys & AUTOGRAD)
    value = getattr(tensor, "value", None)
    return _may_be_recorded(value) if isinstance(value, Tensor) else True


def _run_inplace(
    operator: OpOverload,
    below: int,
    arguments: Sequence[Any],
    tangents: Sequence[Tensor | None],
    level: Level,
) -> Any:
    """Run an in-place operator, and write to its first argument's tangent."""
    self = arguments[0]
    if self._spec.dtype.category < 2:
        return operator.redispatch(below, arguments)
    before = [_as_it_is(each, self) for each in arguments]
    tangent_before = None if tangents[0] is None else aten.clone.default(tangents[0], None)
    results = operator.redispatch(below, arguments)
    with recording(level):
        (tangent,) = _output_tangents(operator, before, tangents, (self,))
        if tangent is None:
            return results
        write_tangent(self, tangent, level)
    if self._gradient_edge is not None:
        node = operator_node_of(self._gradient_edge[0])
        keep_with_saved(getattr(node, "saved", None), [tangent_of(self, level)], level)
        _keep_with_saved_self(node, tangent_before, level)
    return results


def _as_it_is(value: Any, self: Tensor) -> Any:
    """``value``, with tensors cloned that share memory with ``self``, which will be written to."""
    if isinstance(value, (list, tuple)):
        return [_as_it_is(each, self) for each in value]
    if not isinstance(value, Tensor):
        return value
    return aten.clone.default(value, None) if is_alias_of(value, self) else value


def operator_node_of(node: Any) -> Any:
    """The Node of the in-place operator: the one that a CopySlices contains if it wrote to a view."""
    if hasattr(node, "view_spec") and node.next_edges and node.next_edges[0] is not None:
        node = node.next_edges[0][0]  # a view's grad_fn leads to that of its base
    return getattr(node, "node", node)


def _keep_with_saved_self(node: Any, tangent: Tensor | None, level: Level) -> None:
    """Set the tangent of the value of ``self`` that a Node saved before an in-place operator."""
    plan = getattr(node, "plan", None)
    if plan is None or tangent is None or ("value", 0) not in plan.sources:
        return
    saved = node.saved[plan.sources.index(("value", 0))]
    saved = saved.tensor if isinstance(saved, SavedVariable) else saved
    if isinstance(saved, Tensor):
        keep(saved, level, tangent)


def _output_tangents(
    operator: OpOverload,
    arguments: Sequence[Any],
    tangents: Sequence[Tensor | None],
    outputs: Sequence[Any],
) -> Sequence[Tensor | None]:
    """The tangents of ``outputs``, from those of the inputs; None for outputs that are not differentiable.

    Raises NotImplementedError for an operator without derivative formulas.
    """
    base = operator.record.base or operator
    derivatives = base.record.derivatives
    differentiable = [
        isinstance(output, Tensor)
        and output._spec.dtype.category >= 2
        and position not in base.record.non_differentiable_outputs
        for position, output in enumerate(outputs)
    ]
    if not any(differentiable) or (derivatives is not None and not derivatives):
        return (None,) * len(outputs)
    if derivatives is None:
        if operator.schema.is_inplace and not _is_differentiable(base, arguments):
            return (_zeros_like(outputs[0]),)
        raise not_implemented(operator)
    linear = _linear(base, arguments, tangents)
    if linear is not None:
        return (linear, *(None for _ in outputs[1:]))
    moving = [each for each in tangents if each is not None]
    moved = [output for output, wanted in zip(outputs, differentiable) if wanted]
    if not any(each.numel() for each in moving) or not any(each.numel() for each in moved):
        # formulas need not support tensors without elements
        return [_zeros_like(each) if wanted else None for each, wanted in zip(outputs, differentiable)]
    try:
        return _transposed_twice(operator, arguments, tangents, outputs, differentiable)
    except RuntimeError as error:
        if "is not implemented" not in str(error):
            raise
        raise not_implemented(operator) from error


def not_implemented(operator: OpOverload) -> NotImplementedError:
    """The error for an operator without forward mode."""
    return NotImplementedError(
        f"Trying to use forward AD with {operator.schema.name} that does not support it because it has not "
        "been implemented yet."
    )


def _zeros_like(tensor: Tensor) -> Tensor:
    return aten.zeros_like(aten.detach.default(tensor))


def _is_differentiable(base: OpOverload, arguments: Sequence[Any]) -> bool:
    """Is the result of the functional operator differentiable, not a bool, say?"""
    return base.record.meta is None or meta_result(base, arguments).output_specs[0].dtype.category >= 2


def _linear(base: OpOverload, arguments: Sequence[Any], tangents: Sequence[Tensor | None]) -> Tensor | None:
    """The output's tangent, by applying the operator to tangents; None if it is not known to be linear."""
    linear = base.record.linear
    groups = [group.split() for group in (linear(*arguments) if callable(linear) else linear)]
    if not groups:
        return None
    by_name: dict[str, list[Tensor | None]] = {}
    _, slots = flatten_inputs(base, arguments)
    for position, tangent in zip(slots, tangents):
        by_name.setdefault(base.schema.arguments[position].name, []).append(tangent)
    moving = {name for name, each in by_name.items() if any(tangent is not None for tangent in each)}
    if not moving <= {name for group in groups for name in group}:
        return None
    total = None
    for group in groups:
        if moving.isdisjoint(group):
            continue
        replaced = list(arguments)
        for position, argument in enumerate(base.schema.arguments):
            if argument.name in group:
                replaced[position] = _in_place_of(arguments[position], by_name[argument.name])
            elif argument.name == "alpha" and "other" not in moving:
                replaced[position] = 1  # irrelevant, but an infinite alpha would turn zeros into NaN
        term = base(*replaced)
        if isinstance(term, tuple):
            term = term[0]  # the others are not differentiable
        total = term if total is None else aten.add.Tensor(total, term, 1)
    return total


def _in_place_of(value: Any, tangents: Sequence[Tensor | None]) -> Any:
    """The argument for a linear operator: the tangent, or zeros if there is none."""
    if isinstance(value, (list, tuple)):
        return [_in_place_of(each, [tangent]) for each, tangent in zip(value, tangents)]
    if tangents[0] is not None:
        return tangents[0]
    return _zeros_like(value) if isinstance(value, Tensor) else type(value)(0)


def _transposed_twice(
    operator: OpOverload,
    arguments: Sequence[Any],
    tangents: Sequence[Tensor | None],
    outputs: Sequence[Any],
    differentiable: Sequence[bool],
) -> Sequence[Tensor | None]:
    """The outputs' tangents, by double backward through the operator's derivative formulas."""
    inputs, slots = flatten_inputs(operator, arguments)
    plan = derivative_plan(operator, slots, tuple(each is not None for each in tangents))
    given = [each for each in (*inputs, *tangents) if isinstance(each, Tensor)]
    is_enabled = bool(mode_word() & GRAD_MODE_BIT)
    is_recorded = is_enabled and any(each._keys & AUTOGRAD for each in given)
    create_graph = is_enabled and any(map(_may_be_recorded, given))
    make = aten.ones if (operator.record.base or operator).record.tangent_from_ones else aten.zeros
    with enable_grad():
        stand_ins = [
            make(each._spec.sizes, dtype=each._spec.dtype, device=each._spec.device).requires_grad_()
            if wanted
            else None
            for each, wanted in zip(outputs, differentiable)
        ]
        values = [_named(arguments, outputs, kind, position) for kind, position in plan.sources]
        gradients = plan.apply(stand_ins, values, len(inputs))
        node = plan.node_class()  # for its name, in errors
        pairs = [
            (engine._validate(gradient, each._spec, node), tangent)
            for gradient, each, tangent in zip(gradients, inputs, tangents)
            if gradient is not None and tangent is not None and gradient._keys & AUTOGRAD
        ]
    wanted = [each for each in stand_ins if each is not None]
    found: Sequence[Tensor | None] = (None,) * len(wanted)
    if pairs:
        found = engine.grad(
            [gradient for gradient, _ in pairs],
            wanted,
            [tangent for _, tangent in pairs],
            create_graph=create_graph,
            allow_unused=True,
        )
        if create_graph and not is_recorded:
            found = [None if each is None else without_history(each) for each in found]
    known = iter([_zeros_like(each) if tangent is None else tangent for each, tangent in zip(wanted, found)])
    return [None if stand_in is None else next(known) for stand_in in stand_ins]


def _named(arguments: Sequence[Any], outputs: Sequence[Any], kind: str, position: int) -> Any:
    """The value of a formula's parameter, as DerivativePlan.collect saves it for backward."""
    if kind == "output":
        return outputs[position]
    value = arguments[position]
    if kind == "value":
        return value
    if kind == "sizes":
        return value._spec.sizes
    if isinstance(value, (list, tuple)):
        return [each._spec for each in value]
    return getattr(value, "_spec", value)


register_boxed_fallback(DispatchKey.ForwardAD, forward_ad_kernel)
