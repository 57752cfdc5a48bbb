"""Autograd for users' operators: registered derivatives, and the defaults without one.

An operator with a derivative is recorded as a Function whose forward is the operator below Autograd.  Without
one, backward raises for an operator of ``custom_op``.  For an operator of a Library, the operators that its
kernel calls are recorded, and backward warns, because kernels should not rely on this.

Source: torch/_library/autograd.py; torch/csrc/autograd/autograd_not_implemented_fallback.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..dispatch.dispatcher import Kernel
from ..dispatch.mode import excluding, is_grad_enabled, is_inference_mode_enabled
from ..dispatch.registration import UserOperator, as_inputs, flat_tensors, register_default
from ..memory.tensor import INFERENCE_VERSION, Tensor, version_counter
from ..values.dispatch_key import AD_INPLACE_OR_VIEW, AUTOGRAD, FORWARD_AD, DispatchKey
from ..values.errors import warn
from . import views
from .forward_grad import has_tangent
from .function import Function
from .node import Node, gradient_edge, next_sequence_number, set_history


class Derivative:
    """The functions given to ``register_autograd``; None before."""

    __slots__ = ("backward", "setup_context")

    def __init__(self, backward: Any = None, setup_context: Any = None):
        self.backward: Callable[..., Any] | None = backward
        self.setup_context: Callable[..., Any] | None = setup_context


def no_formula(operator: UserOperator) -> str:
    """The error text of backward for an operator without a derivative."""
    return (
        f"Trying to backward through {operator} but no autograd formula was registered. Please use "
        "register_autograd to add one."
    )


def _requiring_grad(arguments: Any) -> list[Tensor]:
    return [tensor for tensor in flat_tensors(arguments) if tensor._keys & AUTOGRAD]


def _written(operator: UserOperator, arguments: Sequence[Any]) -> list[Tensor]:
    """The tensors that the operator writes to, by its schema."""
    return list(
        flat_tensors(
            [value for argument, value in zip(operator.schema.arguments, arguments) if argument.is_written]
        )
    )


# ---------------------------------------------------------------------------------------------------------
# With a registered derivative.


class _Call:
    """The first argument of the Function: what forward needs, and the structure of its outputs."""

    __slots__ = ("arguments", "is_list", "keys")

    def __init__(self, keys: int, arguments: Sequence[Any]):
        self.keys = keys
        self.arguments = arguments
        self.is_list: list[int | None] = []  # for each result, the length of a list, or None


def _grouped(values: Sequence[Any], lengths: Sequence[int | None]) -> list[Any]:
    """Group flat values into lists of ``lengths``; None stands for a single value."""
    rest = iter(values)
    return [next(rest) if length is None else [next(rest) for _ in range(length)] for length in lengths]


def _flattened(values: Sequence[Any], lengths: Sequence[int | None]) -> list[Any]:
    flat: list[Any] = []
    for value, length in zip(values, lengths):
        if length is None:
            flat.append(value)
        else:
            flat.extend(value)
    return flat


def _lengths(declared: Sequence[Any], values: Sequence[Any]) -> list[int | None]:
    """The length of each value that is a list of tensors, None for others."""
    return [
        len(value) if each.is_tensor and isinstance(value, (list, tuple)) else None
        for each, value in zip(declared, values)
    ]


def make_autograd_kernel(operator: UserOperator, derivative: Derivative) -> Kernel:
    """The Autograd kernel that records ``operator`` with ``derivative``, which may be set later."""
    schema = operator.schema
    positional = [argument for argument in schema.arguments if not argument.kwarg_only]

    def forward(ctx: Any, call: _Call, *flat: Any) -> tuple[Any, ...]:
        inputs, keyword_only = as_inputs(operator, call.arguments)
        ctx._input_lengths = _lengths(positional, inputs)
        ctx.needs_input_grad = tuple(_grouped(ctx.needs_input_grad[1:], ctx._input_lengths))
        with excluding(DispatchKey.Autograd):
            results = operator.redispatch(call.keys, call.arguments)
            if derivative.setup_context is not None:
                given = {"keyword_only_inputs": keyword_only} if keyword_only else {}
                derivative.setup_context(ctx=ctx, inputs=inputs, output=results, **given)
        outputs = results if operator.returns_tuple else (results,) if schema.returns else ()
        ctx._output_lengths = call.is_list = _lengths(schema.returns, outputs)
        return tuple(_flattened(outputs, call.is_list))

    def backward(ctx: Any, *grads: Any) -> tuple[Any, ...]:
        if derivative.backward is None:
            raise RuntimeError(no_formula(operator))
        results = derivative.backward(ctx, *_grouped(grads, ctx._output_lengths))
        if not isinstance(results, tuple):
            results = (results,)
        expected = len(positional)
        # arguments that are not tensors have no gradient; the last ones may be omitted
        missing = positional[len(results) :]
        if any(each.is_tensor for each in missing) or any(each is not None for each in results[expected:]):
            raise RuntimeError(
                f"function {ctx.name()} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(results)})"
            )
        results += (None,) * len(missing)
        flat: list[Any] = [None]  # for the _Call
        for argument, result, length in zip(positional, results, ctx._input_lengths):
            if length is None:
                flat.append(result)
            elif result is None:
                flat.extend([None] * length)
            elif isinstance(result, (list, tuple)) and len(result) == length:
                flat.extend(result)
            else:
                raise RuntimeError(
                    "Expected the return from backward to be of the same structure as the inputs: for "
                    f"{argument.name!r}, a list of {length} gradients"
                )
        return tuple(flat)

    name = f"GeneratedBackwardFor_{operator.namespace}_{schema.name}_{schema.overload_name or 'default'}"
    function: type[Function] = type(
        name, (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    )

    def kernel(operator: Any, keys: int, arguments: Sequence[Any]) -> Any:
        below = keys & ~AUTOGRAD
        _refuse_tangents(operator, arguments)
        if not is_grad_enabled() or not _requiring_grad(arguments):
            with excluding(DispatchKey.Autograd):
                return operator.redispatch(below, arguments)
        finish = _follow_writing(operator, arguments)
        inputs, _ = as_inputs(operator, arguments)
        call = _Call(below, arguments)
        outputs = _grouped(
            function.apply(call, *_flattened(inputs, _lengths(positional, inputs))), call.is_list
        )
        finish()
        if operator.returns_tuple:
            return tuple(outputs)
        return outputs[0] if outputs else None

    return kernel


def _refuse_tangents(operator: UserOperator, arguments: Sequence[Any]) -> None:
    """Raises NotImplementedError for dual tensors: there is no formula for tangents.

    PyTorch accepts most of them, and the results have no tangents.
    """
    if any(has_tangent(each) for each in flat_tensors(arguments)):
        raise NotImplementedError(
            f"Trying to use forward AD with {operator.qualified_name} that does not support it because it "
            "has not been implemented yet: register_autograd registers a formula for backward only."
        )


class FormulaMissing(Node):
    """The Node of a tensor that a user's operator modified in place: backward through it raises."""

    __slots__ = ("operator",)

    operator: UserOperator

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        raise RuntimeError(no_formula(self.operator))


def _follow_writing(operator: UserOperator, arguments: Sequence[Any]) -> Callable[[], None]:
    """Check in-place writes to tensors that require grad; the returned function records them afterwards.

    Leaves are refused.  PyTorch accepts both silently, and backward then ignores the write.
    """
    written = [tensor for tensor in _written(operator, arguments) if tensor._keys & AUTOGRAD]
    for tensor in written:
        views.check_inplace(operator.qualified_name, tensor, True)
    edges = tuple(gradient_edge(tensor) for tensor in _requiring_grad(arguments)) if written else ()

    def finish() -> None:
        for tensor in written:
            node = FormulaMissing()
            node.operator = operator
            node.next_edges = (gradient_edge(tensor), *edges)
            node.sequence_nr = next_sequence_number()
            node.metadata_specs = (tensor._spec,)
            views.rebase_history(tensor, node)

    return finish


# ---------------------------------------------------------------------------------------------------------
# Without a registered derivative, for operators of a Library.


class WarnNotImplemented(Node):
    """The Node of an operator without an Autograd kernel: it warns, and returns no gradients."""

    __slots__ = ("operator",)

    operator: UserOperator

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        _warn_not_registered(self.operator)
        return (None,) * len(self.next_edges)


def _warn_not_registered(operator: UserOperator) -> None:
    warn(
        f"{operator.qualified_name}: an autograd kernel was not registered to the Autograd key(s) but we are "
        "trying to backprop through it. This may lead to silently incorrect behavior. If your operator is "
        "differentiable, use register_autograd; if it is made of other operators, register it as "
        "CompositeImplicitAutograd.",
    )


def not_registered_kernel(operator: Any, keys: int, arguments: Sequence[Any]) -> Any:
    """The default Autograd kernel: run the operator, and make backward warn."""
    below = keys & ~AUTOGRAD
    inputs = _requiring_grad(arguments)
    if not is_grad_enabled() or not inputs:
        return operator.redispatch(below, arguments)
    node = WarnNotImplemented()
    node.operator = operator
    node.next_edges = tuple(gradient_edge(each) for each in inputs)
    node.sequence_nr = next_sequence_number()
    results = operator.redispatch(below, arguments)
    outputs = list(flat_tensors(results))
    node.metadata_specs = tuple(each._spec for each in outputs)
    given = list(flat_tensors(arguments))
    for position, output in enumerate(outputs):
        if output._keys & AUTOGRAD:
            output.register_hook(lambda grad: _warn_not_registered(operator))
        elif output._spec.dtype.category >= 2 and not any(output is each for each in given):
            set_history(output, node, position)
    return results


# ---------------------------------------------------------------------------------------------------------
# Views and in-place writes.


def inplace_or_view_kernel(operator: Any, keys: int, arguments: Sequence[Any]) -> Any:
    """The ADInplaceOrView kernel: mark views, increment version counters."""
    schema = operator.schema
    written = _written(operator, arguments)
    counted = [tensor for tensor in written if tensor._version_counter is not INFERENCE_VERSION]
    if len(counted) < len(written) and not is_inference_mode_enabled():
        raise RuntimeError(
            f"{operator.qualified_name}: Inplace update to inference tensor outside InferenceMode is not "
            "allowed. Make a clone() of it first."
        )
    results = operator.redispatch(keys & ~AD_INPLACE_OR_VIEW, arguments)
    for tensor in counted:
        version_counter(tensor).value += 1
    outputs = results if operator.returns_tuple else (results,)
    for result, output in zip(schema.returns, outputs):
        if result.alias is None or result.alias.is_write:
            continue
        for argument, value in zip(schema.arguments, arguments):
            if argument.alias is not None and argument.alias.name == result.alias.name:
                _mark_views(output, value)
    return results


def _mark_views(output: Any, source: Any) -> None:
    """Mark the tensors of ``output`` as views of ``source``, unless they are marked already."""
    if not isinstance(source, Tensor) or source._version_counter is INFERENCE_VERSION:
        return
    several = isinstance(output, (list, tuple))
    for view in flat_tensors(output):
        if view is not source and view._view_of is None:
            views.mark_view(view, source, of_several=several)


def _aliases_or_writes(operator: UserOperator) -> bool:
    schema = operator.schema
    return schema.is_view or any(argument.is_written for argument in schema.arguments)


def forward_ad_kernel(operator: Any, keys: int, arguments: Sequence[Any]) -> Any:
    """The ForwardAD kernel: skipped; the Autograd kernel, or operators that kernels call, handle tangents."""
    return operator.redispatch(keys & ~FORWARD_AD, arguments)


register_default(DispatchKey.Autograd, not_registered_kernel)
register_default(DispatchKey.ForwardAD, forward_ad_kernel)
register_default(DispatchKey.ADInplaceOrView, inplace_or_view_kernel, _aliases_or_writes)
