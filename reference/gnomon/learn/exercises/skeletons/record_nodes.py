"""Recording the graph.

While a program runs forward, each operator with an input that requires grad leaves a Node behind.  The
Node's ``next_functions`` say, for each input, where its gradient will go: to a Node, and to which of that
Node's inputs (an operator with two results has a Node with two inputs).  At a leaf that requires grad this
is its AccumulateGrad.

Write ``gradient_edge`` and ``record``.  Here a Variable has no numbers: only the graph matters.  The name
of a Node is the operator's with a capital letter and "Backward0": "MulBackward0".  A Node's number, from
``count``, is larger than those of all Nodes that were recorded before it.

    x, c = Variable(True), Variable(False)
    (y,) = record("mul", [x, c])
    gradient_edge(y)                   ->  (<MulBackward0>, 0)
    gradient_edge(y)[0].next_functions ->  [(<AccumulateGrad of x>, 0), (None, 0)]
"""

from __future__ import annotations

import itertools

count = itertools.count().__next__


class Node:
    """A step of backward."""

    def __init__(self, name: str, next_functions: list[tuple[Node | None, int]]):
        self.name = name
        self.next_functions = next_functions
        self.sequence_nr = count()


class AccumulateGrad(Node):
    """The Node of a leaf."""

    def __init__(self, variable: Variable):
        self.name = "AccumulateGrad"
        self.next_functions = []
        self.sequence_nr = 2**64 - 1  # it runs before all others that are ready
        self.variable = variable


class Variable:
    """A tensor, as far as the graph is concerned."""

    def __init__(self, requires_grad: bool):
        self.requires_grad = requires_grad
        self.grad_fn: Node | None = None  # the Node whose result this is, if it is not a leaf
        self.output_nr = 0  # which of the Node's results
        self.accumulator: AccumulateGrad | None = None  # of a leaf, once it was needed


def gradient_edge(variable: Variable) -> tuple[Node | None, int]:
    """Where the gradient of a variable goes; (None, 0) if nowhere."""
    raise NotImplementedError


def record(name: str, inputs: list[Variable], results: int = 1) -> list[Variable]:
    """The results of an operator that was called with these inputs, after recording it."""
    raise NotImplementedError
