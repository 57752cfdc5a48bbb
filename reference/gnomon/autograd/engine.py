"""The engine: runs a graph backward.

1. Count, for every Node that can be reached, how many edges lead to it: its dependencies.
2. Put the roots' gradients into their Nodes' input buffers, and the roots into the ready queue.
3. Take the Node that was recorded last out of the queue, apply it, and add what it returns to the buffers of
the
   Nodes its edges lead to.  A Node whose last dependency has reported is ready.

What arrives at a leaf is kept until the whole graph has run, and only then added to ``grad``: a backward that
fails on the way leaves every ``grad`` as it was.

Source: torch/csrc/autograd/engine.cpp (Engine::execute, compute_dependencies, validate_outputs).
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

from ..dispatch.mode import mode_word, set_mode_word
from ..memory.tensor import Tensor, autograd_meta
from ..values.dispatch_key import AUTOGRAD, GRAD_MODE_BIT
from . import graph
from .graph import AccumulateGrad, Edge, Node, gradient_edge


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Add to the ``grad`` of each leaf the sum, over ``tensors``, of the gradient of each times its
    ``grad_tensor``.

    ``grad_tensors`` may be left out for tensors with one element (then it is 1).  With ``inputs``, only those
    accumulate.  ``retain_graph`` (default: ``create_graph``) keeps what the graph saved, for another
    backward; ``create_graph`` records the backward itself.

    Raises RuntimeError for a tensor that needs no gradient, for one of several elements without a
    ``grad_tensor``, for a ``grad_tensor`` of another shape, and for a graph that was freed by an earlier
    backward. Source: torch.autograd.backward.
    """
    roots = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    gradients = (
        [grad_tensors] if isinstance(grad_tensors, Tensor) or grad_tensors is None else list(grad_tensors)
    )
    if grad_tensors is None:
        gradients = [None] * len(roots)
    if len(gradients) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(gradients)} gradients")
    wanted = None
    if inputs is not None:
        wanted = [inputs] if isinstance(inputs, Tensor) else list(inputs)
        if not wanted:
            raise RuntimeError("'inputs' argument to backward() cannot be empty.")
    keep = create_graph if retain_graph is None else retain_graph
    edges, root_gradients = _roots(roots, gradients, create_graph)
    captured = _execute(edges, root_gradients, keep, create_graph, wanted, accumulate=True)
    if wanted is not None:
        word = mode_word()
        set_mode_word(word | GRAD_MODE_BIT if create_graph else word & ~GRAD_MODE_BIT)
        try:
            for tensor, gradient in zip(wanted, captured):
                if gradient is not None:
                    graph.accumulate(tensor, gradient)
        finally:
            set_mode_word(word)


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of ``outputs`` (each times its ``grad_output``) with respect to ``inputs``, without
    touching ``grad``.

    Raises RuntimeError for an input that the outputs do not depend on, unless ``allow_unused`` (then None, or
    zeros with ``materialize_grads``), and where ``backward`` does.  Source: torch.autograd.grad.
    """
    roots = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    wanted = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    gradients = (
        [grad_outputs] if isinstance(grad_outputs, Tensor) else list(grad_outputs or [None] * len(roots))
    )
    if len(gradients) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(gradients)} gradients")
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True")
    for tensor in wanted:
        if not tensor._keys & AUTOGRAD:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    keep = create_graph if retain_graph is None else retain_graph
    edges, root_gradients = _roots(roots, gradients, create_graph)
    captured = _execute(edges, root_gradients, keep, create_graph, wanted, accumulate=False)
    results: list[Tensor | None] = []
    for tensor, gradient in zip(wanted, captured):
        if gradient is None and materialize_grads:
            gradient = tensor.new_zeros(tensor.shape)
        elif gradient is None and not allow_unused:
            raise RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
        results.append(gradient)
    return tuple(results)


def _roots(
    roots: Sequence[Tensor], gradients: Sequence[Tensor | None], create_graph: bool
) -> tuple[list[Edge], list[Tensor]]:
    """The edges to start from and the gradients to start with, checked."""
    edges = []
    checked = []
    for position, (root, gradient) in enumerate(zip(roots, gradients)):
        edge = gradient_edge(root)
        if edge is None:
            raise RuntimeError(
                f"element {position} of tensors does not require grad and does not have a grad_fn"
            )
        if gradient is None:
            if root._spec.numel != 1:
                raise RuntimeError(
                    f"grad can be implicitly created only for scalar outputs; element {position} of tensors "
                    f"has shape {list(root.shape)}"
                )
            if not root._spec.dtype.is_floating_point:
                raise RuntimeError(
                    f"grad can be implicitly created only for real scalar outputs but got {root._spec.dtype}"
                )
            gradient = root.detach().new_ones(root._spec.sizes)
        elif gradient._spec.sizes != root._spec.sizes:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{position}] has a shape of {gradient.shape} and "
                f"output[{position}] has a shape of {root.shape}."
            )
        elif gradient._spec.device is not root._spec.device:
            raise RuntimeError(
                f"grad_output[{position}] is on {gradient._spec.device}, but output[{position}] is on "
                f"{root._spec.device}"
            )
        edges.append(edge)
        checked.append(gradient)
    return edges, checked


def _count_dependencies(roots: Sequence[Node], leaves_too: bool) -> dict[Node, int]:
    """For each reachable Node, how many edges lead to it; AccumulateGrads only if ``leaves_too``."""
    dependencies: dict[Node, int] = dict.fromkeys(roots, 0)
    stack = list(dependencies)
    pop, push, count_of = stack.pop, stack.append, dependencies.get
    skipped = None if leaves_too else AccumulateGrad
    while stack:
        for edge in pop().next_edges:
            if edge is not None:
                node = edge[0]
                if node.__class__ is skipped:
                    continue
                count = count_of(node)
                if count is None:
                    dependencies[node] = 1
                    push(node)
                else:
                    dependencies[node] = count + 1
    return dependencies


def _needed_for(roots: Sequence[Node], targets: set[Node]) -> set[Node]:
    """The Nodes from which a target can be reached, targets included: only these have to run."""
    needed = set(targets)
    visited: set[Node] = set()
    stack: list[tuple[Node, bool]] = [(root, False) for root in roots]
    while stack:
        node, done = stack.pop()
        if done:
            if any(edge is not None and edge[0] in needed for edge in node.next_edges):
                needed.add(node)
            continue
        if node in visited:
            continue
        visited.add(node)
        stack.append((node, True))
        stack.extend(
            (edge[0], False) for edge in node.next_edges if edge is not None and edge[0] not in visited
        )
    return needed


def _execute(
    edges: Sequence[Edge],
    gradients: Sequence[Tensor],
    keep_graph: bool,
    create_graph: bool,
    inputs: Sequence[Tensor] | None,
    accumulate: bool,
) -> list[Tensor | None]:
    """Run the graph from ``edges``.

    Returns the gradients of ``inputs``; without inputs, leaves accumulate.
    """
    word = mode_word()
    set_mode_word(word | GRAD_MODE_BIT if create_graph else word & ~GRAD_MODE_BIT)
    try:
        return _run(edges, gradients, keep_graph, inputs, accumulate)
    finally:
        set_mode_word(word)


def _run(
    edges: Sequence[Edge],
    gradients: Sequence[Tensor],
    keep_graph: bool,
    inputs: Sequence[Tensor] | None,
    accumulate: bool,
) -> list[Tensor | None]:
    root_nodes = [edge[0] for edge in edges]
    hooks = graph.tensor_hooks.data  # the plain dictionary in it, so that "are there any" costs nothing
    # Where nobody watches or asks for single gradients, what arrives at leaves is just added up on the side.
    leaves_at_once = inputs is None and not hooks
    dependencies = _count_dependencies(root_nodes, not leaves_at_once)
    captures: dict[Node, list[tuple[int, int]]] = {}  # node -> (its input, position in `inputs`)
    captured: list[Tensor | None] = []
    needed: set[Node] | None = None
    if inputs is not None:
        captured = [None] * len(inputs)
        for position, tensor in enumerate(inputs):
            edge = gradient_edge(tensor)
            if edge is None:
                raise RuntimeError(f"input {position} does not require grad")
            captures.setdefault(edge[0], []).append((edge[1], position))
        needed = _needed_for(root_nodes, set(captures))

    buffers: dict[Node, list[Tensor | None]] = {}
    ready: list[tuple[int, int, Node]] = []
    tie = 0  # among equal sequence numbers (leaves), first come first served
    leaves: list[tuple[AccumulateGrad, Tensor, bool]] = []

    for edge, gradient in zip(edges, gradients):
        node = edge[0]
        gradient = _validate(gradient, node.metadata_specs[edge[1]])
        if node in buffers:
            present = buffers[node][edge[1]]
            buffers[node][edge[1]] = gradient if present is None else present + gradient
        else:
            buffers[node] = _buffer(node, edge[1], gradient)
    for node in buffers:
        if not dependencies[node]:
            tie += 1
            heappush(ready, (-node.sequence_nr, tie, node))

    own: set[Node] = set()  # leaves whose buffered gradient nothing else refers to
    totals: dict[Node, Tensor] = {}  # by leaf, where they are added up on the side
    following: Node | None = (
        None  # a Node that is ready and is the only one: it need not go through the queue,
    )
    passed_on: list[Tensor | None] = []  # nor its gradients through the buffers
    while ready or following is not None:
        if following is not None:
            node, incoming = following, passed_on
            following = None
        else:
            node = heappop(ready)[2]
            incoming = buffers.pop(node)
        if hooks and node in graph.tensor_hooks:
            incoming = _run_tensor_hooks(graph.tensor_hooks[node], incoming)
        if captures and node in captures:
            for input_nr, position in captures[node]:
                captured[position] = incoming[input_nr]
        if node.__class__ is AccumulateGrad:
            if inputs is None and accumulate and incoming[0] is not None:
                leaves.append((node, incoming[0], node in own))
            continue
        if needed is not None and not any(edge is not None and edge[0] in needed for edge in node.next_edges):
            continue
        results = node.apply(incoming)
        if not keep_graph:
            node.release_variables()
        for edge, gradient in zip(node.next_edges, results):
            if edge is None:
                continue
            target, input_nr = edge
            if gradient is not None:
                specs = target.metadata_specs
                wanted = specs[input_nr]
                if gradient._spec is not wanted:
                    gradient = _validate(gradient, wanted)
                if leaves_at_once and target.__class__ is AccumulateGrad:
                    if target in totals:
                        totals[target] = totals[target] + gradient
                        own.add(target)
                    else:
                        totals[target] = gradient
                        # a gradient that came fresh out of a formula may become `grad` without a copy
                        if _is_fresh(gradient, incoming, results):
                            own.add(target)
                    continue
                if (
                    following is None
                    and not ready
                    and needed is None
                    and dependencies[target] == 1
                    and len(specs) == 1
                ):
                    if target not in buffers:
                        # the common case of a chain: nothing else is ready, nothing else leads there
                        following = target
                        passed_on = [gradient]
                        if target.__class__ is AccumulateGrad and _is_fresh(gradient, incoming, results):
                            own.add(target)
                        continue
                if target in buffers:
                    buffer = buffers[target]
                    present = buffer[input_nr]
                    # out of place: the gradient in the buffer may be somebody else's too
                    total = gradient if present is None else present + gradient
                    buffer[input_nr] = total
                    if present is not None and target.__class__ is AccumulateGrad:
                        own.add(target)
                elif target.__class__ is AccumulateGrad:
                    buffers[target] = [gradient]
                    if _is_fresh(gradient, incoming, results):
                        own.add(target)
                elif len(specs) == 1:
                    buffers[target] = [gradient]
                else:
                    buffers[target] = _buffer(target, input_nr, gradient)
            elif leaves_at_once and target.__class__ is AccumulateGrad:
                continue
            elif target not in buffers:
                buffers[target] = [None] * len(target.metadata_specs)
            left = dependencies[target] - 1
            if left:
                dependencies[target] = left
            elif needed is not None and target not in needed and target.__class__ is not AccumulateGrad:
                buffers.pop(target, None)
                _skip(target, dependencies, buffers, ready, needed)
            elif following is None and not ready:
                following = target
                passed_on = buffers.pop(target)
            else:
                if following is not None:
                    tie += 1
                    heappush(ready, (-following.sequence_nr, tie, following))
                    buffers[following] = passed_on
                    following = None
                tie += 1
                heappush(ready, (-target.sequence_nr, tie, target))
    leaves.extend((node, gradient, node in own) for node, gradient in totals.items())
    for node, gradient, is_own in leaves:
        variable = node.variable
        if variable is not None:
            _accumulate(variable, gradient, is_own)
    return captured


def _skip(
    node: Node,
    dependencies: dict[Node, int],
    buffers: dict[Node, list[Tensor | None]],
    ready: list[tuple[int, int, Node]],
    needed: set[Node],
) -> None:
    """Count a Node that does not have to run as done, and so all that only hangs on it."""
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
    """Was ``gradient`` made by the formula that returned it, for one input alone, and is it nobody's
    alias?
    """
    if gradient._version_counter is not None or gradient._view_of is not None:
        return False
    if any(gradient is each for each in incoming):
        return False
    return sum(gradient is each for each in results) == 1


def _accumulate(variable: Tensor, gradient: Tensor, is_own: bool) -> None:
    meta = autograd_meta(variable)
    if (
        meta.grad is None
        and is_own
        and gradient._version_counter is None
        and gradient._spec is variable._spec
    ):
        meta.grad = gradient
    else:
        graph.accumulate(variable, gradient)


def _buffer(node: Node, input_nr: int, gradient: Tensor) -> list[Tensor | None]:
    buffer: list[Tensor | None] = [None] * len(node.metadata_specs)
    buffer[input_nr] = gradient
    return buffer


def _validate(gradient: Tensor, wanted: Any) -> Tensor:
    """``gradient`` with the sizes and dtype of the tensor it belongs to.  Source: validate_outputs."""
    if gradient._spec.sizes != wanted.sizes:
        gradient = gradient.sum_to_size(wanted.sizes)
    if gradient._spec.dtype is not wanted.dtype:
        if gradient._spec.dtype.is_complex and not wanted.dtype.is_complex:
            gradient = gradient.real
        gradient = gradient.to(wanted.dtype)
    return gradient


def _run_tensor_hooks(hooks: Any, incoming: list[Tensor | None]) -> list[Tensor | None]:
    """Give each gradient to the hooks of its tensor; what a hook returns takes its place."""
    replaced = list(incoming)
    for input_nr, functions in hooks.items():
        for function in list(functions.values()):
            if replaced[input_nr] is not None:
                result = function(replaced[input_nr])
                if result is not None:
                    replaced[input_nr] = result
    return replaced
