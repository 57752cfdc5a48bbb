"""A drawing of autograd's graph: Nodes, the Edges between them, what they saved, and when they run."""

from __future__ import annotations

import itertools
from heapq import heappop, heappush
from typing import Any

from ..autograd.graph_task import count_dependencies
from ..autograd.hooks import hooks_of
from ..autograd.node import AccumulateGrad, Edge, Node
from ..autograd.saved_variable import SavedList, SavedVariable
from ..memory.tensor import Tensor
from .svg import CHARACTER, STRONG, Drawing

LINE, PADDING = 15.0, 8.0
MOST_NODES = 400


def draw_graph(output: Tensor, *, steps: bool = False) -> Drawing:
    """Draw the graph behind ``output``, from its Node down to the leaves, in the direction of gradients.

    A box has the Node's name and sequence_nr, each saved tensor with the version at which it was saved and
    its present one, and the number of hooks.  ``steps``: the engine's run step by step, without running it:
    which Node runs when, and the ready queue after each.  Raises ValueError for a tensor without a graph, and
    for one of more than 400 Nodes.
    """
    edge = output._gradient_edge if output.grad_fn is not None else None
    if edge is None:
        raise ValueError("draw: the tensor has no grad_fn: no graph is behind it")
    depths = _depths(edge[0])
    if len(depths) > MOST_NODES:
        raise ValueError(
            f"draw: the graph has {len(depths)} Nodes, of which at most {MOST_NODES} can be drawn"
        )
    order = run_order([edge]) if steps else []
    numbers = {node: number for number, (node, _) in enumerate(order, 1)}
    drawing = Drawing(
        f"The graph of {edge[0].name()}",
        f"{len(depths)} Nodes: {', '.join(each.name() for each in depths)}",
    )
    spec = output._spec
    drawing.text(12, 22, f"the gradient of {spec.dtype.name} {list(spec.sizes)} comes in at the top", "quiet")
    centers: dict[Node, tuple[float, float, float]] = {}
    top = 44.0
    for depth in range(max(depths.values()) + 1):
        left, bottom = 12.0, top
        for node in [each for each, found in depths.items() if found == depth]:
            lines = lines_of(node)
            width = max(len(lines[0]) * STRONG, max(map(len, lines)) * CHARACTER) + 2 * PADDING + 20 * steps
            height = len(lines) * LINE + 2 * PADDING
            is_leaf = isinstance(node, AccumulateGrad)
            drawing.box(left, top, width, height, "on" if is_leaf else "box", tip=node.name())
            for number, line in enumerate(lines):
                kind = "ink" if number else "ink strong"
                drawing.text(left + PADDING, top + PADDING + (number + 0.8) * LINE, line, kind)
            if node in numbers:
                text = f"{numbers[node]}."
                drawing.text(left + width - 4, top + 14, text, "quiet small", anchor="end")
            centers[node] = (left + width / 2, top, top + height)
            left += width + 24
            bottom = max(bottom, top + height)
        top = bottom + 44
    for node, (x, _, bottom) in centers.items():
        for number, edge_to in enumerate(node.next_edges):
            if edge_to is not None:
                to, y, _ = centers[edge_to[0]]
                start = x + 14 * (number - (len(node.next_edges) - 1) / 2)
                middle = (bottom + y) / 2
                drawing.arrow(f"M{start:g},{bottom:g} C{start:g},{middle:g} {to:g},{middle:g} {to:g},{y:g}")
    if steps:
        _draw_steps(drawing, order, drawing.height + 24)
    return drawing


def _depths(root: Node) -> dict[Node, int]:
    """For each Node behind ``root`` the length of the longest way to it, in an order of their running."""
    waits = count_dependencies([(root, 0)])
    depths, ready = {root: 0}, [root]
    for node in ready:
        for edge in node.next_edges:
            if edge is not None:
                depths[edge[0]] = max(depths.get(edge[0], 0), depths[node] + 1)
                waits[edge[0]] -= 1
                if waits[edge[0]] == 0:
                    ready.append(edge[0])
    return depths


def run_order(roots: list[Edge]) -> list[tuple[Node, list[Node]]]:
    """Each Node in the engine's order, with the ready queue after it has run, first what runs next.

    A Node is ready when each edge to it has delivered a gradient; of those that are, the one that was
    recorded last runs.  Leaves come before all others; they accumulate at the end of the pass.
    """
    waits = count_dependencies(roots)
    ready: list[tuple[int, int, Node]] = []
    tie = itertools.count().__next__  # for leaves, whose sequence numbers are equal: first in, first out
    for node, _ in roots:
        heappush(ready, (-node.sequence_nr, tie(), node))
    order: list[tuple[Node, list[Node]]] = []
    while ready:
        node = heappop(ready)[2]
        for edge in node.next_edges:
            if edge is not None:
                waits[edge[0]] -= 1
                if waits[edge[0]] == 0:
                    heappush(ready, (-edge[0].sequence_nr, tie(), edge[0]))
        order.append((node, [each for _, _, each in sorted(ready)]))
    return order


def _draw_steps(drawing: Drawing, order: list[tuple[Node, list[Node]]], top: float) -> None:
    drawing.text(12, top, "the engine's run", "ink strong")
    for number, (node, ready) in enumerate(order, 1):
        queue = ", ".join(each.name() for each in ready) or "empty"
        if isinstance(node, AccumulateGrad):
            what = f"{node.name()} accumulates"
        else:
            what = f"{node.name()} runs"
        drawing.text(12, top + number * LINE + 4, f"{number}. {what}; ready: {queue}", "ink")


def lines_of(node: Node) -> list[str]:
    """What a box says: the name, what is saved, and hooks."""
    if isinstance(node, AccumulateGrad):
        lines = [node.name()]
        variable = node.variable
        if variable is not None:
            lines.append(f"leaf: {_tensor_text(variable)}")
            lines.append(f"its grad: {'none' if variable.grad is None else _tensor_text(variable.grad)}")
    else:
        lines = [f"{node.name()} (sequence_nr {node.sequence_nr})"]
        plan, saved = getattr(node, "plan", None), getattr(node, "saved", None)
        if plan is not None and saved is not None:
            for name, value in zip(plan.saved_names, saved):
                lines += _saved_lines(name, value)
        elif plan is not None:
            lines.append("its saved tensors are freed")
    hooks = hooks_of.get(node)
    if hooks is not None and (count := sum(map(len, _hook_lists(hooks)))):
        lines.append(f"{count} hook{'s' * (count != 1)}")
    return lines


def _hook_lists(hooks: Any) -> list[Any]:
    return [
        found
        for name in hooks.__slots__
        if (found := getattr(hooks, name, None)) and hasattr(found, "__len__")
    ]


def _saved_lines(name: str, value: Any) -> list[str]:
    if isinstance(value, SavedList):
        return [
            line
            for number, each in enumerate(value.items)
            for line in _saved_lines(f"{name}[{number}]", each)
        ]
    if isinstance(value, SavedVariable):
        if not isinstance(value.tensor, Tensor):
            return [f"saved {name}: packed by a hook"]
        tensor = value.tensor
        now = "" if tensor._version == value.version else f", now {tensor._version}: backward refuses"
        return [f"saved {name}: {_tensor_text(tensor)}, version {value.version}{now}"]
    if isinstance(value, Tensor):
        return _saved_lines(name, SavedVariable.at_first(value, -1))
    text = repr(value)
    return [f"saved {name} = {text if len(text) <= 40 else text[:39] + '…'}"]


def _tensor_text(tensor: Tensor) -> str:
    spec = tensor._spec
    return f"{spec.dtype.name} {list(spec.sizes)}"
