"""A model answer."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from typing import Any


class Node:
    """A step of backward."""

    def __init__(
        self,
        sequence_nr: int,
        next_functions: list[tuple[Node | None, int]],
        inputs: int,
        function: Callable[[list[Any]], list[Any]] | None,
    ):
        self.sequence_nr = sequence_nr
        self.next_functions = next_functions
        self.inputs = inputs  # how many gradients it takes
        self.function = function


def run(roots: list[tuple[Node, int]], gradients: list[Any]) -> dict[Node, Any]:
    dependencies = count_dependencies([node for node, _ in roots])
    buffers: dict[Node, list[Any]] = {}
    for (node, place), gradient in zip(roots, gradients):
        add(buffers, node, place, gradient)
    ready: list[tuple[int, int, Node]] = []
    tie = itertools.count().__next__  # so that Nodes themselves are never compared
    for node in buffers:
        if dependencies[node] == 0:
            heapq.heappush(ready, (-node.sequence_nr, tie(), node))
    leaves = {}
    while ready:
        node = heapq.heappop(ready)[2]
        buffer = buffers.pop(node)
        if node.function is None:
            if buffer[0] is not None:
                leaves[node] = buffer[0]
            continue
        for (target, place), gradient in zip(node.next_functions, node.function(buffer)):
            if target is None:
                continue
            add(buffers, target, place, gradient)
            dependencies[target] -= 1
            if dependencies[target] == 0:
                heapq.heappush(ready, (-target.sequence_nr, tie(), target))
    return leaves


def count_dependencies(roots: list[Node]) -> dict[Node, int]:
    """For each reachable Node, the number of edges that lead to it."""
    dependencies = dict.fromkeys(roots, 0)
    stack = list(dependencies)
    while stack:
        for target, _ in stack.pop().next_functions:
            if target is None:
                continue
            if target not in dependencies:
                dependencies[target] = 0
                stack.append(target)
            dependencies[target] += 1
    return dependencies


def add(buffers: dict[Node, list[Any]], node: Node, place: int, gradient: Any) -> None:
    """Add a gradient, or None, to the input buffer of a Node."""
    buffer = buffers.setdefault(node, [None] * node.inputs)
    if gradient is not None:
        buffer[place] = gradient if buffer[place] is None else buffer[place] + gradient
