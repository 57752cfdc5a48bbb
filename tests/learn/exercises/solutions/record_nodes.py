"""A model answer."""

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
    if not variable.requires_grad:
        return None, 0
    if variable.grad_fn is not None:
        return variable.grad_fn, variable.output_nr
    if variable.accumulator is None:
        variable.accumulator = AccumulateGrad(variable)
    return variable.accumulator, 0


def record(name: str, inputs: list[Variable], results: int = 1) -> list[Variable]:
    if not any(each.requires_grad for each in inputs):
        return [Variable(False) for _ in range(results)]
    node = Node(f"{name.capitalize()}Backward0", [gradient_edge(each) for each in inputs])
    variables = []
    for number in range(results):
        variable = Variable(True)
        variable.grad_fn, variable.output_nr = node, number
        variables.append(variable)
    return variables
