"""Function: users' operators, with their own forward and backward.

``apply`` runs ``forward`` without recording and creates one Node for it; that Node is also the ``ctx`` that
both get, so that what forward stores there lives exactly as long as the graph.

Source: torch/autograd/function.py, torch/csrc/autograd/python_function.cpp, custom_function.cpp
(_wrap_outputs).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..dispatch.dispatcher import aten
from ..dispatch.mode import is_grad_enabled
from ..memory.tensor import CreationMeta, Tensor, version_counter
from ..values import late_bound
from ..values.dispatch_key import AUTOGRAD, BATCHED
from ..values.errors import type_name
from . import anomaly_mode, forward_grad, views
from . import node as node_module
from .grad_mode import no_grad
from .node import Edge, Node, gradient_edge, next_sequence_number
from .saved_variable import SavedVariable, raise_freed, save, unpack


class FunctionCtx:
    """The first argument of ``forward`` and ``backward``, by which forward passes data to backward.

    It may be given any other attributes.
    """

    if TYPE_CHECKING:  # programs set and read attributes of their own

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...

    def __init__(self) -> None:
        self.needs_input_grad: tuple[bool, ...] = ()
        self._to_save: tuple[Tensor | None, ...] = ()
        self._to_save_for_forward: tuple[Tensor | None, ...] = ()
        self._dirty: tuple[Tensor, ...] = ()
        self._non_differentiable: tuple[Tensor, ...] = ()
        self._materialize_grads = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Save tensors (or Nones) for backward, which gets them as ``saved_tensors``.

        Inputs and outputs are saved safely: without reference cycles, and with a check that they were not
        modified in place.  Call it at most once in forward.  Raises TypeError for anything but tensors and
        Nones.
        Source: torch.autograd.function.FunctionCtx.save_for_backward.
        """
        for position, each in enumerate(tensors):
            if each is not None and not isinstance(each, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {position} is of type "
                    f"{type_name(each)}"
                )
        self._to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Save tensors (or Nones) for ``jvp``, which gets them as ``saved_tensors``.

        Raises TypeError for anything else.  Source: torch.autograd.function.FunctionCtx.save_for_forward.
        """
        for position, each in enumerate(tensors):
            if each is not None and not isinstance(each, Tensor):
                raise TypeError(
                    f"save_for_forward can only save variables, but argument {position} is of type "
                    f"{type_name(each)}"
                )
        self._to_save_for_forward = tensors

    @property
    def saved_for_forward(self) -> tuple[Tensor | None, ...]:
        """The tensors that ``save_for_forward`` saved."""
        return self._to_save_for_forward

    def mark_dirty(self, *args: Tensor) -> None:
        """Mark the inputs that forward modifies in place; each must also be returned."""
        self._dirty = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Mark outputs as not differentiable; backward gets zeros for them."""
        self._non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether backward gets undefined gradients as zeros (the default) or as None."""
        self._materialize_grads = value


class BackwardFunction(Node, FunctionCtx):
    """The Node of a Function, and its ``ctx``; each Function has its own subclass."""

    function: type[Function]
    _is_tensor: tuple[bool, ...]
    _saved: list[Any] | None
    _in_jvp = False

    def __init__(self) -> None:
        FunctionCtx.__init__(self)
        self._saved = []

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The tensors that ``save_for_backward`` saved; in ``jvp``, those of ``save_for_forward``.

        Raises RuntimeError if one was modified in place since, and after backward has freed them.
        """
        if self._in_jvp:
            return self._to_save_for_forward
        if self._saved is None:
            raise_freed()
        return tuple(
            each.unpack(self, with_history=True) if isinstance(each, SavedVariable) else unpack(each, self)
            for each in self._saved
        )

    def release_variables(self) -> None:
        if self._saved:
            self._saved = None

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        """Call the Function's backward, and check its results."""
        given: list[Tensor | None] = list(gradients)
        if self._materialize_grads:
            for position, (gradient, spec) in enumerate(zip(gradients, self.metadata_specs)):
                if gradient is None and spec is not None:
                    given[position] = aten.zeros(spec.sizes, dtype=spec.dtype, device=spec.device)
        results = self.function._backward(self, *given)
        if not isinstance(results, (tuple, list)):
            results = (results,)
        expected = len(self._is_tensor)
        if len(results) > expected and all(each is None for each in results[expected:]):
            results = results[:expected]
        if len(results) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(results)})"
            )
        return self._checked(results)

    def _checked(self, results: Sequence[Any]) -> list[Tensor | None]:
        """The gradients of those inputs that are tensors, which have edges."""
        checked: list[Tensor | None] = []
        for position, (result, is_tensor) in enumerate(zip(results, self._is_tensor)):
            if result is not None and not is_tensor:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different from None at position "
                    f"{position + 1}, but the corresponding forward input was not a Variable"
                )
            if result is not None and not isinstance(result, Tensor):
                raise RuntimeError(
                    f"function {self.name()}: expected Variable or None (got {type_name(result)}) at "
                    f"position {position + 1}"
                )
            if is_tensor:
                checked.append(result)
        return checked


class Function:
    """An operator with a custom derivative.

    Subclasses define the static methods ``forward(ctx, *args)`` and ``backward(ctx, *grad_outputs)``, which
    returns a gradient (or None) for each argument of forward.  Or they define ``forward(*args)`` and
    ``setup_context(ctx, inputs, output)`` separately.  ``jvp(ctx, *tangents)`` is the derivative of forward
    mode.  To run it, call ``apply``.  Source: torch.autograd.Function.
    """

    _backward_class: type[BackwardFunction]
    generate_vmap_rule = True
    is_lowered = False  # True for the subclass that records one example's graph (func/custom_functions.py)

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls._backward_class = type(f"{cls.__name__}Backward", (BackwardFunction,), {"function": cls})

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Save what backward needs, if forward has no ``ctx``."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any, **kwargs: Any) -> Any:
        """Compute the gradients of forward's arguments from those of its outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use "
            "it with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any, **kwargs: Any) -> Any:
        """Compute the tangents of forward's outputs from those of its arguments."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raises RuntimeError: the class method ``apply`` runs a Function, not calling an instance."""
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style "
            "autograd function with static forward method: run it by "
            f"{type(self).__name__}.apply(...)"
        )

    @classmethod
    def _backward(cls, ctx: Any, *grad_outputs: Any) -> Any:
        if cls.vjp is not Function.vjp:
            if cls.backward is not Function.backward:
                raise RuntimeError(
                    f"{cls.__name__}: Implementing both 'backward' and 'vjp' for a custom Function is not "
                    "allowed. You should only implement one of them."
                )
            return cls.vjp(ctx, *grad_outputs)
        return cls.backward(ctx, *grad_outputs)

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and, if an argument requires grad, record it.  Returns what forward returns.

        Raises TypeError for arguments that do not match forward's signature, and for keyword-only ones.
        """
        if kwargs or cls.setup_context is not Function.setup_context:
            args = _bound(cls, args, kwargs)
        if not cls.is_lowered and any(isinstance(each, Tensor) and each._keys & BATCHED for each in args):
            output = late_bound.apply_batched(cls, args, {})
            if output is not NotImplemented:
                return output
        ctx = cls._backward_class()
        ctx.needs_input_grad = tuple(
            isinstance(each, Tensor) and bool(each._keys & AUTOGRAD) for each in args
        )
        ctx._is_tensor = tuple(isinstance(each, Tensor) for each in args)
        is_recorded = is_grad_enabled() and any(ctx.needs_input_grad)
        inputs = [each for each in args if isinstance(each, Tensor)]
        edges = [gradient_edge(each) if is_recorded else None for each in inputs]
        tangents = {
            level: [forward_grad.tangent_of(each, level) for each in args]
            for level in forward_grad.active_levels()
        }
        with no_grad(), forward_grad.at_level(None):
            if cls.setup_context is Function.setup_context:
                output = cls.forward(ctx, *args)
            else:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
        outputs = output if isinstance(output, tuple) else (output,)
        wrapped = _wrap_outputs(ctx, inputs, outputs, edges, is_recorded)
        for level in reversed(tangents):  # from the outermost: an inner level's tangents depend on it
            if any(each is not None for each in tangents[level]):
                with forward_grad.at_level(level.outer), forward_grad.recording(level):
                    _push_forward(ctx, args, tangents[level], outputs, wrapped, level)
        ctx._to_save_for_forward = ctx._dirty = ctx._non_differentiable = ()
        return wrapped if isinstance(output, tuple) else wrapped[0]


Function._backward_class = type("FunctionBackward", (BackwardFunction,), {"function": Function})


def _bound(cls: type[Function], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of forward in its order; with a separate ``setup_context``, defaults are added.

    Source: Function.apply (bind_default_args).
    """
    has_context = cls.setup_context is Function.setup_context
    code = getattr(cls.forward, "__code__", None)
    if not (has_context or kwargs or code is None or code.co_kwonlyargcount) and code.co_argcount == len(
        args
    ):
        return args  # the usual case: nothing is omitted
    bound = inspect.signature(cls.forward).bind(*((None,) if has_context else ()), *args, **kwargs)
    if not has_context:
        bound.apply_defaults()
    for name in bound.kwargs:
        raise TypeError(
            f"{cls.__name__}.apply() passes arguments by position, but {name!r} of forward() is "
            "keyword-only, or follows a missing argument"
        )
    return bound.args[1:] if has_context else bound.args


def _is_among(tensor: Any, tensors: Sequence[Any]) -> bool:
    return any(tensor is each for each in tensors)


def _wrap_outputs(
    ctx: BackwardFunction,
    inputs: Sequence[Tensor],
    outputs: Sequence[Any],
    edges: Sequence[Edge | None],
    is_recorded: bool,
) -> tuple[Any, ...]:
    """Set the outputs' history, and save tensors for backward.  Source: _wrap_outputs."""
    for each in ctx._dirty:
        if not _is_among(each, outputs):
            raise RuntimeError(
                f"{type(ctx).__name__}: Some elements marked as dirty during the forward method were not "
                "returned as output. Inputs that are modified inplace must all be outputs of the Function."
            )
    if is_recorded:
        ctx.next_edges = edges
        ctx.sequence_nr = next_sequence_number()
        for each in ctx._dirty:
            views.check_inplace(type(ctx).__name__, each, True)
            if each._view_of is not None and len(outputs) > 1:
                raise RuntimeError(
                    "If your Function modifies a view inplace, it must return that view as its only output"
                )
    for each in ctx._dirty:
        version_counter(each).value += 1
    wrapped = tuple(
        _wrap_output(ctx, inputs, each, position, is_recorded) if isinstance(each, Tensor) else each
        for position, each in enumerate(outputs)
    )
    if is_recorded:
        ctx.metadata_specs = tuple(each._spec if isinstance(each, Tensor) else None for each in wrapped)
        for position, (before, after) in enumerate(zip(outputs, wrapped)):
            if isinstance(after, Tensor) and _is_among(before, ctx._dirty):
                views.rebase_history(after, ctx, position)
        ctx._saved = [_save(ctx, each, outputs, wrapped) for each in ctx._to_save]
        if anomaly_mode.is_anomaly_enabled():
            anomaly_mode.remember_forward(ctx)
        devices = {each.device for each in (*inputs, *wrapped) if isinstance(each, Tensor)}
        if len(devices) > 1:
            node_module.devices_are_spanned()
    ctx._to_save = ()
    return wrapped


def _wrap_output(
    ctx: BackwardFunction, inputs: Sequence[Tensor], output: Tensor, position: int, is_recorded: bool
) -> Tensor:
    is_input = _is_among(output, inputs)
    if _is_among(output, ctx._dirty):
        return output  # rebased when all outputs are known
    is_differentiable = (
        is_recorded and output._spec.dtype.category >= 2 and not _is_among(output, ctx._non_differentiable)
    )
    if not is_differentiable:
        if is_input or output._keys & AUTOGRAD:
            output = output.detach()
        return output
    if is_input:  # returned as is: return a view of it, so that the input keeps its history
        with no_grad():
            output = aten.view.default(output, output._spec.sizes)
    output._gradient_edge = (ctx, position)
    output._keys |= AUTOGRAD
    if output._view_of is not None:
        output._view_of = (output._view_of[0], version_counter(output).value, CreationMeta.IN_CUSTOM_FUNCTION)
    return output


def _save(
    ctx: BackwardFunction, tensor: Tensor | None, outputs: Sequence[Any], wrapped: Sequence[Any]
) -> Any:
    if tensor is None:
        return None
    for before, after in zip(outputs, wrapped):
        if tensor is before:
            edge = after._gradient_edge
            return SavedVariable(after, is_output=edge is not None and edge[0] is ctx)
    return save(tensor)


def _push_forward(
    ctx: BackwardFunction,
    args: Sequence[Any],
    tangents: Sequence[Tensor | None],
    outputs: Sequence[Any],
    wrapped: Sequence[Any],
    level: forward_grad.Level,
) -> None:
    """Set the outputs' tangents of one level, computed by the Function's ``jvp``.

    ``outputs`` are what forward returned.  Source: _process_forward_mode_AD.
    """
    given: list[Tensor | None] = list(tangents)
    if ctx._materialize_grads:
        for position, (each, tangent) in enumerate(zip(args, tangents)):
            if tangent is None and isinstance(each, Tensor) and each._spec.dtype.category >= 2:
                given[position] = aten.zeros_like(each.detach())
    ctx._in_jvp = True
    try:
        found = ctx.function.jvp(ctx, *given)
    finally:
        ctx._in_jvp = False
    found = found if isinstance(found, (tuple, list)) else (found,)
    if len(found) != len(outputs):
        raise RuntimeError(
            f"Function's jvp returned an invalid number of forward gradients (expected {len(outputs)} but "
            f"got {len(found)})"
        )
    for position, (before, output, tangent) in enumerate(zip(outputs, wrapped, found)):
        if tangent is None:
            continue
        if not isinstance(tangent, Tensor):
            raise RuntimeError(
                f"expected Variable or None (got {type_name(tangent)}) for grad output {position}."
            )
        if (
            not isinstance(output, Tensor)
            or output._spec.dtype.category < 2
            or _is_among(before, ctx._non_differentiable)
        ):
            raise RuntimeError(
                f"Function's jvp returned a gradient at position {position}, but the corresponding forward "
                "output is not a differentiable Tensor. You should return None at that position instead."
            )
        _check_aliases(ctx, args, given, before, tangent)
        forward_grad.set_tangent(output, tangent, level)
    kept = [forward_grad.tangent_of(each, level) for each in wrapped]
    forward_grad.keep_with_saved(ctx._saved, kept, level)


def _check_aliases(
    ctx: BackwardFunction, args: Sequence[Any], tangents: Sequence[Any], output: Tensor, tangent: Tensor
) -> None:
    """Raises RuntimeError if an output is an alias of an input, but its tangent no view."""
    if _is_among(output, ctx._dirty):
        if not any(tangent is each for arg, each in zip(args, tangents) if arg is output):
            raise RuntimeError(
                "An inplace custom Function is not modifying the forward mode gradients inplace. If the "
                "forward is modifying an input inplace, then the jvp function must modify the corresponding "
                "gradient inplace."
            )
        return
    inputs = [each for each in args if isinstance(each, Tensor)]
    of_input = output._view_of is not None and _is_among(
        output._view_of[0], [each if each._view_of is None else each._view_of[0] for each in inputs]
    )
    if (of_input or _is_among(output, inputs)) and tangent._view_of is None:
        raise RuntimeError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is not "
            "returning a view."
        )


class DelayedError(Node):
    """Raises an error if backward runs through it: a second derivative that does not exist.

    Source: torch/csrc/autograd/functions/basic_ops.h.
    """

    __slots__ = ("message",)

    message: str

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        raise RuntimeError(self.message)


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator for a ``backward`` that does not use recorded operators.

    Differentiating its results again raises RuntimeError.  Source:
    torch.autograd.function.once_differentiable.
    """

    @functools.wraps(fn)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            results = fn(ctx, *grads)
        inputs = [*grads, *(ctx.saved_tensors if is_grad_enabled() else ())]
        if not is_grad_enabled() or not any(
            isinstance(each, Tensor) and each._keys & AUTOGRAD for each in inputs
        ):
            return results
        several = isinstance(results, (tuple, list))
        failing = [_undifferentiable(each, inputs) for each in (results if several else (results,))]
        return tuple(failing) if several else failing[0]

    return wrapper


def _undifferentiable(result: Tensor | None, inputs: Sequence[Any]) -> Tensor | None:
    if result is None:
        return None
    node = DelayedError()
    node.message = "trying to differentiate twice a function that was marked with @once_differentiable"
    node.next_edges = [
        gradient_edge(each) for each in inputs if isinstance(each, Tensor) and each._keys & AUTOGRAD
    ]
    node.sequence_nr = next_sequence_number()
    result = result.detach()
    node.metadata_specs = (result._spec,)
    node_module.set_history(result, node, 0)
    return result
