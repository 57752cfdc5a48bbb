"""Activation checkpoints: backward recomputes the tensors that it needs, instead of saving them.

    y = checkpoint(block, x, use_reentrant=False)

The graph of ``block`` is recorded as usual, but saved tensor hooks replace each tensor that its Nodes save by
a *holder*, an empty object that knows only the tensor's number.  The first holder that backward unpacks runs
the function again, whose saved tensors, in the same order, fill all holders that are still alive.  Each is
then returned once, and released.

The recomputation must save the same tensors: it needs the same function, inputs and random numbers.  The
number and the sizes of the saved tensors are checked.

``use_reentrant=True`` is an older way, with more restrictions: an autograd.Function whose backward runs the
function and a nested backward.

Source: torch/utils/checkpoint.py.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ContextDecorator, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, Literal

from ..autograd import engine
from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad
from ..autograd.graph_task import current_task
from ..autograd.saved_variable import save, saved_tensors_hooks, unpack
from ..dispatch.mode import is_grad_enabled
from ..dispatch.record_function import (
    DISPATCH,
    RecordFunctionCallback,
    RecordScope,
    observing,
)
from ..memory.tensor import Tensor
from ..numerics.generator import default_generator
from ..values.dispatch_key import AUTOGRAD, DispatchKey
from ..values.errors import warn
from ..values.thread_local_state import State, ThreadLocalStateGuard
from .selective_checkpoint import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)

Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]


class CheckpointError(RuntimeError):
    """The recomputation differs from the original forward."""


class _StopRecomputation(Exception):
    """Raised inside the recomputed function to stop it, once all needed tensors are available."""

    def __init__(self, recomputation: object):
        super().__init__()
        self.recomputation = recomputation


_early_stop: ContextVar[bool | None] = ContextVar("gnomon_checkpoint_early_stop", default=None)
_debug: ContextVar[bool | None] = ContextVar("gnomon_checkpoint_debug", default=None)


class set_checkpoint_early_stop(ThreadLocalStateGuard, ContextDecorator):
    """A context manager that sets whether recomputations stop as soon as all needed tensors are available.

    Source: torch.utils.checkpoint.set_checkpoint_early_stop.
    """

    __slots__ = ("_enable",)

    def __init__(self, enable: bool):
        self._enable = enable

    def _inside(self) -> State:
        return ((_early_stop, self._enable),)


class set_checkpoint_debug_enabled(ThreadLocalStateGuard, ContextDecorator):
    """A context manager that overrides ``debug`` of all checkpoints; None does not override it.

    Source: torch.utils.checkpoint.set_checkpoint_debug_enabled.
    """

    __slots__ = ("_enabled",)

    def __init__(self, enabled: bool | None):
        self._enabled = enabled

    def _inside(self) -> State:
        return ((_debug, self._enabled),)


def noop_context_fn() -> Contexts:
    """Contexts that do nothing.  Source: torch.utils.checkpoint.noop_context_fn."""
    return nullcontext(), nullcontext()


# -- non-reentrant: saved tensor hooks -------------------------------------------------------------------


class _Holder:
    """A placeholder for the ``number``-th saved tensor of a frame.  ``values`` maps a backward to the tensor
    that was recomputed for it.
    """

    __slots__ = ("__weakref__", "number", "values")

    def __init__(self, number: int):
        self.number = number
        self.values: dict[int, Tensor] = {}


class _Inputs:
    """The arguments of a checkpoint, saved like the tensors of a Node, so that an outer checkpoint can
    release them, and in-place modification is detected.
    """

    def __init__(self, args: Sequence[Any]):
        self.args = [save(each) if isinstance(each, Tensor) and is_grad_enabled() else each for each in args]

    def name(self) -> str:
        """The name for error messages about these saved tensors."""
        return "checkpoint"

    def get(self) -> list[Any]:
        """The arguments.  Raises RuntimeError for one that was modified in place."""
        return [unpack(each, self) for each in self.args]


_next_number = itertools.count(-1, -1).__next__


def _current_backward() -> int:
    """The number of the running backward; outside of backward a new one at each call."""
    task = current_task.get()
    return _next_number() if task is None else task.id


def _metadata(tensor: Tensor) -> dict[str, Any]:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


_CHECKS: dict[str, Callable[[Tensor], Any]] = {"default": _metadata, "none": lambda tensor: None}


class _Frame:
    """One checkpoint: how to recompute the function, and the holders of its saved tensors."""

    def __init__(self, run_again: Callable[[], Any], metadata: Callable[[Tensor], Any], early_stop: bool):
        self.run_again = run_again
        self.metadata_of = metadata
        self.early_stop = early_stop
        self.holders: list[weakref.ref[_Holder]] = []
        self.metadata: list[Any] = []
        self.done: set[int] = set()  # the backwards that it was recomputed for
        self.explain: Callable[[], str] | None = None

    def pack(self, tensor: Tensor) -> _Holder:
        """The pack hook: replaces a saved tensor by a holder."""
        holder = _Holder(len(self.holders))
        self.holders.append(weakref.ref(holder))
        self.metadata.append(self.metadata_of(tensor))
        return holder

    def unpack(self, holder: _Holder) -> Tensor:
        """The unpack hook: the recomputed tensor, once per backward.  Raises CheckpointError."""
        backward = _current_backward()
        if backward not in self.done:
            _Recomputation(self, backward).run()
            self.done.add(backward)
        if backward not in holder.values:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was either never "
                "recomputed, or already unpacked once. If you are calling ctx.saved_tensors in backward, "
                "make sure to do so only once."
            )
        return holder.values.pop(backward)

    def fail(self, text: str) -> None:
        """Raises CheckpointError; with ``debug`` the message lists the operators of both runs."""
        if self.explain is not None:
            text = f"{text}\n\n{self.explain()}"
        else:
            text = (
                f"{text}\n\nTip: To see a more detailed error message, pass `debug=True` to checkpoint(...)."
            )
        raise CheckpointError(text)


class _Recomputation:
    """Recomputes the function of a frame, for one backward."""

    def __init__(self, frame: _Frame, backward: int):
        self.frame = frame
        self.backward = backward
        self.count = 0
        self.differences: list[str] = []

    def pack(self, tensor: Tensor) -> Tensor:
        """The pack hook: fills the next holder, if it is still alive."""
        frame, number = self.frame, self.count
        self.count += 1
        if number < len(frame.holders):
            found = frame.metadata_of(tensor)
            if found != frame.metadata[number]:
                self.differences.append(
                    f"tensor at position {number}:\nsaved metadata: {frame.metadata[number]}\nrecomputed "
                    f"metadata: {found}"
                )
            holder = frame.holders[number]()
            if holder is not None:
                holder.values[self.backward] = tensor.detach()
            if frame.early_stop and self.count == len(frame.holders):
                raise _StopRecomputation(self)
        return tensor.detach()

    def run(self) -> None:
        """Runs the function; raises CheckpointError if it saves other tensors."""
        frame = self.frame
        try:
            with saved_tensors_hooks(self.pack, lambda tensor: tensor), enable_grad():
                frame.run_again()
        except _StopRecomputation as stop:
            if stop.recomputation is not self:
                raise
        if self.count != len(frame.holders):
            frame.fail(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward "
                f"and recomputation.\nNumber of tensors saved during forward: {len(frame.holders)}\nNumber "
                f"of tensors saved during recomputation: {self.count}."
            )
        if self.differences:
            differences = "\n".join(self.differences)
            frame.fail(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata "
                f"than during the forward pass.\n{differences}"
            )


@contextmanager
def _random_numbers_of(state: Tensor | None) -> Iterator[None]:
    """A context manager that sets the default generator's state, and restores it."""
    if state is None:
        yield
        return
    before = default_generator.get_state()
    default_generator.set_state(state)
    try:
        yield
    finally:
        default_generator.set_state(before)


class _Log(observing):
    """A context manager that records the names of the operators that run, for ``debug``."""

    def __init__(self) -> None:
        self.names: list[str] = []
        super().__init__(RecordFunctionCallback(self._note, scopes=(DISPATCH,)))

    def _note(self, scope: RecordScope, name: str, passed: Sequence[Any]) -> None:
        if passed[1] is DispatchKey.Dense:
            self.names.append(f"aten.{name}")


def _checkpoint_without_reentrant(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    preserve_rng_state: bool,
    context_fn: Callable[[], Contexts],
    determinism_check: Literal["default", "none"],
    debug: bool,
    early_stop: bool,
) -> Any:
    if determinism_check not in _CHECKS:
        raise ValueError(f"determinism_check should be one of {list(_CHECKS)}, but got {determinism_check}")
    logs: Contexts | None = None
    if _debug.get() is not None:
        debug = bool(_debug.get())
    if debug:
        if context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        logs = _Log(), _Log()
    forward_context, recompute_context = logs or context_fn()
    inputs = _Inputs(args)
    state = default_generator.get_state() if preserve_rng_state else None

    def run_again() -> None:
        given = inputs.get()
        with _random_numbers_of(state), recompute_context:
            function(*given, **kwargs)

    stop = _early_stop.get()
    frame = _Frame(run_again, _CHECKS[determinism_check], early_stop if stop is None else stop)
    if logs is not None:
        frame.explain = lambda: _story(*logs)  # type: ignore[arg-type]
    with saved_tensors_hooks(frame.pack, frame.unpack), forward_context:
        return function(*args, **kwargs)


def _story(forward: _Log, recomputation: _Log) -> str:
    """The operators of the original forward and of the recomputation."""
    lines = ["Operations executed during the original forward:", *forward.names, ""]
    return "\n".join([*lines, "Operations executed during recomputation:", *recomputation.names])


# -- reentrant: an autograd.Function ---------------------------------------------------------------------


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs detached, with the same ``requires_grad``.

    Source: torch.utils.checkpoint.detach_variable.
    """
    detached: list[Any] = []
    for each in inputs:
        if isinstance(each, Tensor):
            leaf = each.detach()
            if each.requires_grad:
                leaf.requires_grad_()
            detached.append(leaf)
        else:
            detached.append(each)
    return tuple(detached)


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warns unless a tensor requires grad.  Source: torch.utils.checkpoint.check_backward_validity."""
    if not any(isinstance(each, Tensor) and each.requires_grad for each in inputs):
        warn("None of the inputs have requires_grad=True. Gradients will be None")


class CheckpointFunction(Function):
    """A function as one Node: its backward runs it again with recording, then backward through that graph.

    Source: torch.utils.checkpoint.CheckpointFunction.
    """

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        """Runs the function without recording."""
        ctx.run_function = run_function
        ctx.state = default_generator.get_state() if preserve_rng_state else None
        ctx.others = [None if isinstance(each, Tensor) else each for each in args]
        ctx.positions = [position for position, each in enumerate(args) if isinstance(each, Tensor)]
        ctx.save_for_backward(*[args[position] for position in ctx.positions])
        return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Runs it again with recording, then a nested backward.  Raises RuntimeError under ``grad``."""
        task = current_task.get()
        if task is not None and task.needed is not None:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an "
                "`inputs` parameter to .backward(). To resolve this error, you can either set "
                "use_reentrant=False, or call .backward() without passing the `inputs` argument."
            )
        args = list(ctx.others)
        for position, tensor in zip(ctx.positions, ctx.saved_tensors):
            args[position] = tensor
        leaves = detach_variable(tuple(args))
        with _random_numbers_of(ctx.state), enable_grad():
            outputs = ctx.run_function(*leaves)
        if not isinstance(outputs, (tuple, list)):
            outputs = (outputs,)
        pairs = [
            (output, gradient)
            for output, gradient in zip(outputs, grad_outputs)
            if isinstance(output, Tensor) and output._keys & AUTOGRAD
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        tensors, gradients = zip(*pairs)
        engine.backward(tensors, gradients)
        return None, None, *[each.grad if isinstance(each, Tensor) else None for each in leaves]


# -- the public functions --------------------------------------------------------------------------------


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Contexts] = noop_context_fn,
    determinism_check: Literal["default", "none"] = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Calls ``function(*args, **kwargs)``; backward runs it again instead of saving its intermediate tensors.

    use_reentrant: False is preferred; True is the older way, by an autograd.Function, which takes no keyword
    arguments, differentiates only by tensors in ``args`` and does not work with ``grad``; None warns, and
    means True.  preserve_rng_state (default True): the recomputation uses the same random numbers.  The other
    options require ``use_reentrant=False``: context_fn returns two context managers, for the first run and
    the second; determinism_check, "default" or "none": whether shapes, dtypes and devices are compared;
    debug lists the operators of both runs in the error message; early_stop ends the second run as soon as
    all tensors that backward needs are available.

    Backward raises CheckpointError if the second run saves other tensors.  Raises ValueError for options that
    exclude each other.  Source: torch.utils.checkpoint.checkpoint.
    """
    if use_reentrant is None:
        warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. "
            "use_reentrant=False is recommended, but if you need to preserve the current default behavior, "
            "you can pass use_reentrant=True.",
        )
        use_reentrant = True
    preserve_rng_state = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        return _checkpoint_without_reentrant(
            function, args, kwargs, preserve_rng_state, context_fn, determinism_check, debug, early_stop
        )
    if kwargs:
        raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
    if context_fn is not noop_context_fn or debug:
        raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    if is_grad_enabled():
        check_backward_validity(args)
    return CheckpointFunction.apply(function, preserve_rng_state, *args)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Runs a sequence of functions (or modules) in ``segments`` parts, all but the last of which are
    checkpointed.

    Raises ValueError for unknown keyword arguments.  Source: torch.utils.checkpoint.checkpoint_sequential.
    """
    preserve_rng_state = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
    steps = list(functions.children()) if hasattr(functions, "children") else list(functions)

    def part(start: int, end: int) -> Callable[[Any], Any]:
        def run(value: Any) -> Any:
            for step in steps[start:end]:
                value = step(value)
            return value

        return run

    size = len(steps) // segments
    end = 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(
            part(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state
        )
    return part(end, len(steps))(input)


__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]
