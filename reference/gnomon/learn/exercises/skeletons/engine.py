"""The engine.

Backward runs the recorded Nodes in the right order: a Node may run only when all gradients that it waits
for have arrived.

Write ``run``.  The graph is given as Nodes.  ``function`` takes a list with the gradient for each input of
the Node, or None where none arrived, and returns a list with the gradient for each of ``next_functions``,
or None.  Add two gradients with +.

- A Node's dependencies are the edges that lead to it from Nodes which are reachable from the roots.  It is
  ready when each of them has delivered, be it None; it runs once, even if nothing but None arrived.
- Of several ready Nodes, the one with the largest ``sequence_nr`` runs first: it was recorded last.
- Nodes without ``function`` are leaves.  Their gradients are the result.
- A root may lead to another root, and the same root may come twice.

For y = x * 3; z = y + y there are three Nodes:

    leaf = Node(99, [], 1, None)
    times_3 = Node(0, [(leaf, 0), (None, 0)], 1, lambda grads: [grads[0] * 3, None])
    plus = Node(1, [(times_3, 0), (times_3, 0)], 1, lambda grads: [grads[0], grads[0]])
    run([(plus, 0)], [1.0])  ->  {leaf: 6.0}
"""

from __future__ import annotations

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
    """Run a graph from its roots: pairs of a Node and one of its inputs, with a gradient for each.

    Returns the gradient of each leaf that got one.
    """
    raise NotImplementedError
