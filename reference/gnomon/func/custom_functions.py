"""autograd.Function under vmap.

A Function runs on batched tensors like any other function, unless the *values* require grad
(``grad(vmap(f))``): they need a Node, of a Function whose forward and backward call this one's under vmap.  A
Function may also define its behavior under vmap with a static method ``vmap(info, in_dims, *args)``.

Source: torch/_functorch/autograd_function.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..autograd import forward_grad
from ..autograd.forward_grad import Level
from ..autograd.function import Function
from ..dispatch.dispatcher import aten
from ..dispatch.mode import is_grad_enabled
from ..memory.tensor import Tensor
from ..values import late_bound
from ..values.dispatch_key import AUTOGRAD
from .batching import Batch, BatchedTensor, below, current_levels, level, wrap


class VmapInfo(NamedTuple):
    """The first argument of a Function's ``vmap`` method."""

    batch_size: int
    randomness: str


def _is_recorded_below(value: Any) -> bool:
    """Does the value of a batched tensor require grad, at any lower level?"""
    while isinstance(value, BatchedTensor):
        value = value.value
        if value._keys & AUTOGRAD:
            return True
    return False


def _moves_below(value: Any, around: Sequence[Level]) -> bool:
    """Does the value of a batched tensor have a tangent at one of these dual levels, at any lower level?"""
    while isinstance(value, BatchedTensor):
        value = value.value
        if any(forward_grad.tangent_of(value, each) is not None for each in around):
            return True
    return False


def apply_batched(cls: type[Function], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Run ``cls`` on arguments some of which are batched; NotImplemented if it needs no special handling.

    Raises RuntimeError for a Function without ``setup_context`` that must be recorded both in the graph of
    one example and in the graph of the values.
    """
    tensors = [each for each in args if isinstance(each, BatchedTensor)]
    innermost = max(tensors, key=lambda each: each.level)
    batch = Batch(innermost.level, innermost.value._spec.sizes[0])
    has_rule = hasattr(cls, "vmap")
    recorded = [each for each in args if isinstance(each, Tensor) and each._keys & AUTOGRAD]
    here = is_grad_enabled() and bool(recorded)
    below_too = is_grad_enabled() and any(
        _is_recorded_below(each) or not isinstance(each, BatchedTensor) for each in (*tensors, *recorded)
    )
    around = _levels_around(batch)
    below_too = below_too or any(_moves_below(each, around) for each in args)
    for each in forward_grad.active_levels():
        moving = [argument for argument in args if forward_grad.tangent_of(argument, each) is not None]
        here = here or (bool(moving) and each not in around)
        below_too = below_too or (bool(moving) and each in around)
    if not has_rule and not below_too:
        return NotImplemented
    if here and cls.setup_context is Function.setup_context:
        raise RuntimeError(
            f"{cls.__name__}: In order to use an autograd.Function with functorch transforms (vmap, grad, "
            "jvp, jacrev, ...), it must override the setup_context staticmethod."
        )
    lower = _by_own_rule if has_rule else _by_generated_rule
    output = lower(cls, batch, args, kwargs)
    if not here:
        return output
    return _recorded_here(cls, batch, output, args, kwargs)


def _recorded_here(cls: Any, batch: Batch, output: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """``output``, which is recorded in the values' graph, recorded in the graph of one example, too.

    Outputs that are the same for all examples are in the values' graph only.
    """
    several = isinstance(output, tuple)
    known = output if several else (output,)
    shown = [each if not isinstance(each, Tensor) or batch.has(each) else each.detach() for each in known]
    members = {
        "forward": staticmethod(lambda *args, **kwargs: tuple(shown) if several else shown[0]),
        "is_lowered": True,
    }
    lowered: Any = type(cls.__name__, (cls,), members)
    made = lowered.apply(*args, **kwargs)
    results = tuple(new if batch.has(old) else old for new, old in zip(made if several else (made,), known))
    return results if several else results[0]


def _wrapped(batch: Batch, output: Any, dim: int | None) -> Any:
    if dim is None or not isinstance(output, Tensor):
        return output
    return wrap(output if not dim else aten.movedim.int(output, dim, 0), batch.number)


def _levels_around(batch: Batch) -> list[Level]:
    """The dual levels that enclose the vmap."""
    running = next((each for each in current_levels() if each.number == batch.number), None)
    level = None if running is None else running.dual_level
    around = []
    while level is not None:
        around.append(level)
        level = level.outer
    return around


def _randomness(batch: Batch) -> str:
    return next((each.randomness for each in current_levels() if each.number == batch.number), "error")


def _by_own_rule(cls: Any, batch: Batch, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call the Function's ``vmap`` method on the values; it returns (outputs, their batch dimensions)."""
    info = VmapInfo(batch.size, _randomness(batch))
    dims = tuple(0 if batch.has(each) else None for each in args)
    with below(batch.number):
        outputs, out_dims = cls.vmap(info, dims, *[batch.value(each) for each in args], **kwargs)
    if not isinstance(outputs, (tuple, list)):
        return _wrapped(batch, outputs, out_dims)
    if not isinstance(out_dims, (tuple, list)):
        out_dims = (out_dims,) * len(outputs)
    return tuple(_wrapped(batch, output, dim) for output, dim in zip(outputs, out_dims))


def _by_generated_rule(cls: Any, batch: Batch, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Apply a Function of the values whose forward and backward call those of ``cls`` on batched tensors."""
    is_batched = [batch.has(each) for each in args]
    randomness = _randomness(batch)
    shape: dict[str, Any] = {}

    def entered(values: Sequence[Any], flags: Sequence[bool]) -> list[Any]:
        return [
            wrap(each, batch.number) if flag and isinstance(each, Tensor) else each
            for each, flag in zip(values, flags)
        ]

    class AllExamples(Function):
        """``cls`` as a Function of values."""

        @staticmethod
        def forward(ctx: Any, *values: Any) -> Any:
            """Call ``cls.forward`` on batched tensors; returns the values."""
            inner = ctx.inner = cls._backward_class()
            inner.needs_input_grad = ctx.needs_input_grad
            inner._is_tensor = tuple(isinstance(each, Tensor) for each in values)
            with level(batch.size, randomness):
                given = entered(values, is_batched)
                if cls.setup_context is Function.setup_context:
                    output = cls.forward(inner, *given, **kwargs)
                else:
                    output = cls.forward(*given, **kwargs)
                    cls.setup_context(inner, tuple(given), output)
            if inner._dirty:
                raise RuntimeError(f"{cls.__name__}: mark_dirty is not supported under vmap")
            outputs = tuple(output) if isinstance(output, tuple) else (output,)
            shape["several"] = isinstance(output, tuple)
            shape["outputs"] = ctx.outputs = [isinstance(each, Tensor) for each in outputs]
            ctx.saved = [batch.has(each) for each in inner._to_save]
            ctx.save_for_backward(*[batch.value(each) for each in inner._to_save])
            # outputs that all examples share are expanded, because each example contributes to their gradient
            results = tuple(
                batch.front(each)
                if batch.has(each) or not isinstance(each, Tensor)
                else batch.front(each).clone()
                for each in outputs
            )
            stopped = [
                result
                for result, each in zip(results, outputs)
                if any(each is other for other in inner._non_differentiable)
            ]
            ctx.mark_non_differentiable(*stopped)
            ctx.set_materialize_grads(inner._materialize_grads)
            return results

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            """Call ``cls.jvp`` on batched tensors; returns the values."""
            ctx.inner._in_jvp = True
            try:
                with level(batch.size, randomness):
                    results = cls.jvp(ctx.inner, *entered(tangents, is_batched))
            finally:
                ctx.inner._in_jvp = False
            if not isinstance(results, (tuple, list)):
                results = (results,)
            return tuple(None if each is None else batch.front(each) for each in results)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            """Call ``cls.backward`` on batched tensors; returns the values, summed for shared inputs."""
            with level(batch.size, randomness):
                ctx.inner._saved = entered(ctx.saved_tensors, ctx.saved)
                results = cls._backward(ctx.inner, *entered(grads, ctx.outputs))
            if not isinstance(results, (tuple, list)):
                results = (results,)
            return tuple(
                None if each is None else batch.front(each) if flag else batch.front(each).sum(0)
                for each, flag in zip(results, is_batched)
            )

    with below(batch.number):
        results = AllExamples.apply(*[batch.value(each) for each in args])
    outputs = entered(results, shape["outputs"])
    return tuple(outputs) if shape["several"] else outputs[0]


late_bound.apply_batched = apply_batched
