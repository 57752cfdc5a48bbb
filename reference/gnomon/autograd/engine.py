"""The engine: runs a graph backward.

1. Count for each reachable Node the edges that lead to it: its dependencies.
2. Put the roots' gradients into their Nodes' input buffers, and the roots into the ready queue.
3. Take the last recorded Node from the queue, apply it, and add its results to the buffers of the Nodes that
   its edges lead to.  A Node is ready when all its dependencies have delivered.

Gradients of leaves are kept until the whole graph has run, and only then added to ``grad``: a backward pass
that fails leaves every ``grad`` unchanged.

The calling thread does all bookkeeping.  If a graph spans several devices, it passes ready Nodes to one
worker thread per device (workers.py), and processes what they return.

Source: torch/csrc/autograd/engine.cpp (Engine::execute, compute_dependencies, evaluate_function,
validate_outputs).
"""

from __future__ import annotations

import functools
import itertools
import sys
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from heapq import heappop, heappush
from typing import Any, Literal, overload

from ..dispatch.dispatcher import aten
from ..dispatch.mode import mode_word, set_mode_word
from ..dispatch.record_function import FUNCTION, observed
from ..memory.backend import resolve_device
from ..memory.spec import Spec, contiguous_spec
from ..memory.tensor import Tensor, autograd_meta, empty_tensor
from ..values import geometry, late_bound
from ..values.dispatch_key import AUTOGRAD, GRAD_MODE_BIT, OBSERVED_BIT
from ..values.dtype import float32
from ..values.errors import warn
from ..values.locks import new_in_each_process
from ..values.speedups import speedups
from ..values.thread_local_state import State, ThreadLocalStateGuard
from . import node as node_module
from .grad_mode import in_transform, is_multithreading_enabled
from .gradient_sums import sum_of
from .graph_task import GraphTask, current_task
from .hooks import hooks_of
from .node import IN_PLACE, AccumulateGrad, Edge, GradientEdge, Node, accumulated, gradient_edge
from .tensor_hooks import retain_grad
from .workers import Workers

MAX_DEPTH = 60  # nested backward passes on one thread's stack.  Source: MAX_DEPTH in engine.h


class transform(ThreadLocalStateGuard):
    """Inside, a transform such as ``func.grad`` or ``func.vmap`` runs a function: ``backward`` raises."""

    __slots__ = ()

    def _inside(self) -> State:
        return ((in_transform, True),)


def backward(
    tensors: Tensor | GradientEdge | Sequence[Tensor | GradientEdge],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Tensor | Sequence[Tensor | None] | None = None,
    inputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge] | None = None,
) -> None:
    """Add to the ``grad`` of each leaf the gradients of ``tensors``, each multiplied by its ``grad_tensor``.

    ``grad_tensors`` may be omitted for tensors with one element (then it is 1).  With ``inputs``, only those
    accumulate; a non-leaf among them retains its gradient from then on.  ``retain_graph`` (default:
    ``create_graph``) keeps saved tensors for another backward; ``create_graph`` records the backward itself.
    ``grad_variables`` is the old name of ``grad_tensors``.

    Raises RuntimeError for a tensor that does not require grad, for one of several elements without a
    ``grad_tensor``, for a ``grad_tensor`` of another shape, for empty ``inputs``, for a graph that was freed
    by an earlier backward, and inside a function that ``func.grad`` or ``func.vmap`` runs.
    Source: torch.autograd.backward.
    """
    if in_transform.get():
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use func.grad or "
            "func.vjp instead or call backward() outside of functorch transforms."
        )
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                "Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    roots = _as_list(tensors)
    gradients = [None] * len(roots) if grad_tensors is None else _as_list(grad_tensors)
    targets = None
    if inputs is not None:
        wanted = _as_list(inputs)
        if not wanted:
            raise RuntimeError("'inputs' argument to backward() cannot be empty.")
        for each in wanted:
            if isinstance(each, Tensor):
                retain_grad(each)
        targets = [_edge_of(each, position) for position, each in enumerate(wanted)]
    edges, seeds = _roots(roots, gradients)
    if create_graph:
        _warn_of_cycles()
    keep_graph = create_graph if retain_graph is None else retain_graph
    _execute(lambda: GraphTask(edges, seeds, keep_graph, targets, accumulates=True), create_graph)


@functools.cache
def _warn_of_cycles() -> None:
    """Warn, once."""
    warn(
        "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
        "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to "
        "avoid this. If you have to use this function, make sure to reset the .grad fields of your "
        "parameters to None after use to break the cycle and avoid the leak.",
    )


@overload
def grad(
    outputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge],
    inputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: Literal[False] | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]: ...


@overload
def grad(
    outputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge],
    inputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]: ...


def grad(
    outputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge],
    inputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """Compute the gradients of ``outputs`` with respect to ``inputs``, without changing any ``grad``.

    Each output is multiplied by its ``grad_output``.  With ``is_grads_batched``, each grad_output has an
    additional first dimension, and so has each gradient: several backward passes in one, by ``vmap``.
    ``only_inputs`` is ignored.

    Raises RuntimeError for an input that the outputs do not depend on, unless ``allow_unused`` (then None, or
    zeros with ``materialize_grads``), and where ``backward`` raises.  Source: torch.autograd.grad.
    """
    if not only_inputs:
        warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate "
            "gradient for other parts of the graph, please use gnomon.autograd.backward.",
            FutureWarning,
        )
    roots, wanted = _as_list(outputs), _as_list(inputs)
    gradients = [None] * len(roots) if grad_outputs is None else _as_list(grad_outputs)
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True")
    if is_grads_batched:
        return _grad_of_each(
            gradients,
            lambda each: grad(
                roots,
                wanted,
                each,
                retain_graph,
                create_graph,
                allow_unused=allow_unused,
                materialize_grads=materialize_grads,
            ),
        )
    targets = [_edge_of(each, position) for position, each in enumerate(wanted)]
    edges, seeds = _roots(roots, gradients)
    keep_graph = create_graph if retain_graph is None else retain_graph
    captured = _execute(lambda: GraphTask(edges, seeds, keep_graph, targets, accumulates=False), create_graph)
    results: list[Tensor | None] = []
    for position, (each, gradient) in enumerate(zip(wanted, captured)):
        if gradient is None and materialize_grads:
            spec = _spec_of(each)
            gradient = seeds[0].new_zeros(spec.sizes, dtype=spec.dtype, device=spec.device)
        elif gradient is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {position} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )
        results.append(gradient)
    return tuple(results)


def _grad_of_each(
    gradients: Sequence[Tensor | None], function: Callable[[list[Tensor | None]], tuple[Tensor | None, ...]]
) -> tuple[Tensor | None, ...]:
    """Map ``function`` over the first dimension of the gradients, for ``is_grads_batched``.

    Its results get that dimension, too; None stays None.
    """
    present: list[bool] = []

    def call(*given: Any) -> Any:
        results = function(list(given))
        present.extend(each is not None for each in results)
        return tuple(each for each in results if each is not None)

    dims = tuple(None if each is None else 0 for each in gradients)
    found = iter(late_bound.vmap(call, in_dims=dims, randomness="error")(*gradients))
    return tuple(next(found) if is_present else None for is_present in present)


def _as_list(given: Any) -> list[Any]:
    """A list of the given tensor or edge, or of several."""
    return [given] if isinstance(given, (Tensor, GradientEdge)) else list(given)


def _spec_of(of: Tensor | GradientEdge) -> Spec:
    return of._spec if isinstance(of, Tensor) else of.node.metadata_specs[of.output_nr]


def _edge_of(of: Tensor | GradientEdge, position: int) -> Edge:
    if isinstance(of, GradientEdge):
        return of.node, of.output_nr
    edge = gradient_edge(of) if of._keys & AUTOGRAD else None
    if edge is None:
        raise RuntimeError(
            f"One of the differentiated Tensors does not require grad: input {position}, of shape "
            f"{list(of.shape)}"
        )
    return edge


def _roots(
    roots: Sequence[Tensor | GradientEdge], gradients: Sequence[Tensor | None]
) -> tuple[list[Edge], list[Tensor]]:
    """The root edges and the gradients for them, checked."""
    if len(gradients) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(gradients)} gradients")
    edges = []
    checked = []
    for position, (root, gradient) in enumerate(zip(roots, gradients)):
        edge = (root.node, root.output_nr) if isinstance(root, GradientEdge) else gradient_edge(root)
        if edge is None:
            raise RuntimeError(
                f"element {position} of tensors does not require grad and does not have a grad_fn: no tensor "
                "that it was computed from requires grad, or it was computed under no_grad() or detached"
            )
        spec = _spec_of(root)
        if gradient is None:
            gradient = _one_like(spec, position)
        elif gradient._spec.sizes != spec.sizes:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{position}] has a shape of {gradient.shape} and "
                f"output[{position}] has a shape of {spec.shape}."
            )
        elif gradient._spec.device is not spec.device:
            raise RuntimeError(
                f"grad_output[{position}] is on {gradient._spec.device}, but output[{position}] is on "
                f"{spec.device}"
            )
        elif gradient._spec.dtype.is_complex is not spec.dtype.is_complex:
            raise RuntimeError(
                "For complex Tensors, both grad_output and output are required to have the same dtype. "
                f"Mismatch in dtype: grad_output[{position}] has a dtype of {gradient.dtype} and "
                f"output[{position}] has a dtype of {spec.dtype}."
            )
        edges.append(edge)
        checked.append(gradient)
    return edges, checked


def _one_like(spec: Spec, position: int) -> Tensor:
    """The default gradient of a root: 1."""
    if spec.numel != 1:
        raise RuntimeError(
            "grad can be implicitly created only for scalar outputs; element "
            f"{position} of tensors has shape {list(spec.shape)}; a sum() or mean() of it is one number, or "
            "give its gradient"
        )
    if not spec.dtype.is_floating_point:
        raise RuntimeError(
            f"grad can be implicitly created only for real scalar outputs but got {spec.dtype}"
        )
    return _ones_of(spec)


def _ones_of(spec: Spec) -> Tensor:
    ones = empty_tensor(contiguous_spec(spec.sizes, spec.dtype, spec.device))
    return aten.fill_.Scalar.record.explicit(ones, 1)


def is_in_backward() -> bool:
    """Is this thread running a backward pass?"""
    return current_task.get() is not None


def _execute(
    make_task: Callable[[], GraphTask], create_graph: bool, has_own_stack: bool = False
) -> list[Tensor | None]:
    """Run a task, with grad mode on if ``create_graph``.  Returns what it captured."""
    outer = current_task.get()
    depth = 0 if outer is None or has_own_stack else outer.depth + 1
    if depth >= MAX_DEPTH:
        return _on_a_thread_of_its_own(lambda: _execute(make_task, create_graph, True))
    word = mode_word()
    try:  # nested, so that an interrupt between two steps still restores both
        try:
            set_mode_word(word | GRAD_MODE_BIT if create_graph else word & ~GRAD_MODE_BIT)
            task = make_task()
            task.depth, task.outer = depth, outer
            current_task.set(task)
            if word & OBSERVED_BIT:
                whole = "autograd::engine::execute"
                observed(FUNCTION, whole, task.seeds, lambda: _accumulate(task, _run(task)))
            else:
                _accumulate(task, _run(task))
            return task.captured
        finally:
            current_task.set(outer)
    finally:
        set_mode_word(word)


def _on_a_thread_of_its_own(function: Callable[[], Any]) -> Any:
    """Call ``function`` on a new thread and wait, for deeply nested backward passes (an empty stack)."""
    context = copy_context()
    outcome: list[Any] = []

    def work() -> None:
        try:
            outcome.extend((context.run(function), None))
        except BaseException as error:
            outcome.extend((None, error))

    thread = threading.Thread(target=work, name="gnomon backward")
    thread.start()
    thread.join()
    result, error = outcome
    if error is not None:
        raise error
    return result


def _run(task: GraphTask) -> list[tuple[AccumulateGrad, Tensor, bool]]:
    """Run the graph.  Returns for each leaf its node, gradient, and whether nothing else refers to it."""
    may_spread = node_module.spans_devices and is_multithreading_enabled()
    needed = task.needed
    seeds = tuple(
        [
            _validate(gradient, node.metadata_specs[output_nr], node, task.seeds)
            for (node, output_nr), gradient in zip(task.edges, task.seeds)
        ]
    )
    dependencies = task.dependencies
    workers = Workers.for_graph(dependencies, task.evaluate) if may_spread else None
    buffers: dict[Node, list[Tensor | None]] = {}
    ready: list[tuple[int, int, Node]] = []
    tie = itertools.count().__next__  # for leaves, whose sequence numbers are equal: first in, first out
    leaves: list[tuple[AccumulateGrad, Tensor, bool]] = []
    own: set[Node] = set()  # leaves whose buffered gradient has no other reference

    for (node, output_nr), gradient in zip(task.edges, seeds):
        buffer = buffers.setdefault(node, [None] * len(node.metadata_specs))
        buffer[output_nr] = gradient if (had := buffer[output_nr]) is None else sum_of(had, gradient)
    for node in buffers:
        if not dependencies[node]:
            heappush(ready, (-node.sequence_nr, tie(), node))

    try:
        while ready or (workers is not None and workers.running):
            if not ready:
                node, incoming, results = workers.wait()  # type: ignore[union-attr]
            else:
                node = heappop(ready)[2]
                incoming = buffers.pop(node)
                is_leaf = node.__class__ is AccumulateGrad
                if workers is not None and not is_leaf:
                    workers.submit(node, incoming)
                    continue
                if task.is_watched or (is_leaf and task.watches_leaves):
                    incoming, results = task.evaluate(node, incoming)
                elif is_leaf or not task.executes(node):
                    results = None
                else:
                    results = node.apply(incoming)
                    if not task.keep_graph:
                        node.release_variables()
                if results is None:
                    if is_leaf and task.accumulates and incoming[0] is not None:
                        if needed is None or node in needed:
                            leaves.append((node, incoming[0], node in own))  # type: ignore[arg-type]
                    continue
            for edge, gradient in zip(node.next_edges, results):
                if edge is None:
                    continue
                target, input_nr = edge
                buffer = buffers.setdefault(target, [None] * len(target.metadata_specs))
                if gradient is not None:
                    wanted = target.metadata_specs[input_nr]
                    if gradient._spec is not wanted:
                        gradient = _validate(gradient, wanted, node, results)
                    present = buffer[input_nr]
                    # out of place: something else may refer to the gradient in the buffer
                    buffer[input_nr] = gradient if present is None else sum_of(present, gradient)
                    is_leaf = target.__class__ is AccumulateGrad
                    # a new tensor may become a leaf's `grad` without a copy
                    if present is not None or (is_leaf and _is_fresh(gradient, incoming, results)):
                        own.add(target)
                dependencies[target] -= 1
                if dependencies[target]:
                    continue
                if needed is None or target in needed:
                    heappush(ready, (-target.sequence_nr, tie(), target))
                else:
                    del buffers[target]
                    _skip(target, dependencies, buffers, ready, needed)
    finally:
        if workers is not None:
            workers.stop()
    return leaves


def _skip(
    node: Node,
    dependencies: dict[Node, int],
    buffers: dict[Node, list[Tensor | None]],
    ready: list[tuple[int, int, Node]],
    needed: set[Node],
) -> None:
    """Treat a Node that need not run as done, and so all that depends only on such Nodes."""
    stack = [node]
    while stack:
        for edge in stack.pop().next_edges:
            if edge is None:
                continue
            target = edge[0]
            dependencies[target] -= 1
            if dependencies[target] == 0:
                if target in needed and target in buffers:
                    heappush(ready, (-target.sequence_nr, -len(ready), target))
                elif target not in needed:
                    stack.append(target)


def _is_fresh(gradient: Tensor, incoming: Sequence[Any], results: Sequence[Any]) -> bool:
    """Is ``gradient`` a new tensor of the formula that returned it, for one input only, and no alias?"""
    if gradient._version_counter is not None and gradient._view_of is None:
        return False
    for each in incoming:
        if each is gradient:
            return False
    times = 0  # 0: it was summed to the input's sizes
    for each in results:
        times += each is gradient
    return times <= 1


def _holders(leaf: tuple[Any, Tensor, bool]) -> int:
    """The gradient's reference count: a user's backward may have kept a reference."""
    return sys.getrefcount(leaf[1]) if hasattr(sys, "getrefcount") else 2**31


@functools.cache
def _holders_of_one() -> int:
    """The result of ``_holders`` without other references (it depends on Python's version)."""
    return _holders((None, empty_tensor(contiguous_spec((), float32, resolve_device("meta"))), True))


_accumulating = new_in_each_process(globals(), "_accumulating", threading.Lock)  # threads may share leaves


def _accumulate(task: GraphTask, leaves: Sequence[tuple[AccumulateGrad, Tensor, bool]]) -> None:
    """Add the gradients to the leaves' ``grad``: to all of them or, if that fails, to none.

    First come the task's final callbacks; a leaf in its ``totals`` gets that ``grad`` instead.  Then call the
    post-accumulate hooks.
    """
    for callback in task.final_callbacks:  # one may add another
        callback()
    done: dict[int, tuple[AccumulateGrad, Tensor, Tensor, Tensor, Tensor | None]] = {}
    with _accumulating:
        for leaf in leaves:
            node = leaf[0]
            is_own = leaf[2] and _holders(leaf) <= _holders_of_one()
            gradient = leaf[1]
            variable = node.variable
            if node in task.totals:
                continue
            if variable is not None and variable._keys & AUTOGRAD:  # it may have been set to False since
                earlier = done.get(id(variable))
                # read once: another thread may replace it meanwhile; what was read counts
                present = autograd_meta(variable).grad if earlier is None else earlier[4]
                if earlier is None:
                    total = accumulated(variable, present, gradient, is_own)
                elif earlier[3] is IN_PLACE:
                    gradient, total = sum_of(earlier[2], gradient), IN_PLACE
                else:
                    total = sum_of(earlier[3], gradient)
                done[id(variable)] = (node, variable, gradient, total, present)
        for _, variable, gradient, total, present in done.values():
            if total is IN_PLACE:
                present.add_(gradient)  # type: ignore[union-attr]
            else:
                autograd_meta(variable).grad = total
        for node, (total, values) in task.totals.items():
            variable = node.variable
            if variable is not None:
                if values is not None:
                    total.copy_(values)
                autograd_meta(variable).grad = total
                done[id(variable)] = (node, variable, total, total, None)
    for node, variable, gradient, _, _ in done.values():
        after = autograd_meta(variable).post_accumulate_grad_hooks
        for hook in list(after.values()) if after else ():
            if hook(variable) is not None:
                raise TypeError("Tensor post accumulate grad hooks should return None.")
        if hooks_of.data and node in hooks_of:  # type: ignore[attr-defined]
            hooks_of[node].call_post_hooks((), (gradient,))


def _validate(gradient: Tensor, wanted: Spec, node: Node, returned: Sequence[Tensor | None] = ()) -> Tensor:
    """Convert ``gradient``, which ``node`` returned, to the sizes and dtype of its tensor.

    Raises RuntimeError for sizes that can not be summed to these.  Source: validate_outputs.
    """
    if gradient._spec.sizes != wanted.sizes:
        if not geometry.is_expandable_to(wanted.sizes, gradient._spec.sizes):
            position = [each is gradient for each in (*returned, gradient)].index(True)
            raise RuntimeError(
                f"Function {node.name()} returned an invalid gradient at index {position} - got "
                f"{list(gradient.shape)} but expected shape compatible with {list(wanted.shape)}"
            )
        gradient = aten.sum_to_size.default(gradient, wanted.sizes)
    if gradient._spec.dtype is not wanted.dtype:
        if gradient._spec.dtype.is_complex and not wanted.dtype.is_complex:
            gradient = gradient.real
        gradient = gradient.to(wanted.dtype)
    return gradient


if speedups is not None:
    _run = speedups.engine_run(_run, _validate)
    _ones_of = speedups.engine_ones(_ones_of)
