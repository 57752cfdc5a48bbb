"""GraphTask: the state of one backward pass.

Source: torch/csrc/autograd/graph_task.h; engine.cpp (compute_dependencies, GraphTask::init_to_execute,
evaluate_function).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from contextvars import ContextVar

from ..dispatch.record_function import BACKWARD_FUNCTION, observed
from ..memory.tensor import Tensor
from ..values.dispatch_key import OBSERVED_BIT, mode_word
from . import anomaly_mode
from .hooks import hooks_of
from .node import AccumulateGrad, Edge, Node

_next_task_id = itertools.count().__next__


class GraphTask:
    """One backward pass: its roots, the requested inputs (``targets``), and the Nodes that must run.

    Without ``targets`` every leaf accumulates; with them, the task accumulates into those only, or captures
    their gradients.  Source: torch/csrc/autograd/graph_task.h.
    """

    __slots__ = (
        "_dependencies",
        "accumulates",
        "captured",
        "captures",
        "depth",
        "edges",
        "final_callbacks",
        "id",
        "is_watched",
        "keep_graph",
        "needed",
        "outer",
        "seeds",
        "totals",
        "watches_leaves",
    )

    def __init__(
        self,
        edges: Sequence[Edge],
        seeds: Sequence[Tensor],
        keep_graph: bool,
        targets: Sequence[Edge] | None,
        accumulates: bool,
    ):
        self.id = _next_task_id()
        self.depth = 0  # of nested backward passes on this thread's stack
        self.outer: GraphTask | None = None  # the backward pass in which this one runs
        self.edges = edges
        self.seeds = seeds
        self.keep_graph = keep_graph
        self.accumulates = accumulates
        self._dependencies: dict[Node, int] | None = None  # computed when first needed
        self.needed: set[Node] | None = None  # with targets: the Nodes from which one is reachable
        self.captures: dict[Node, list[tuple[int, int]]] = {}  # Node -> (output number, target number)
        self.captured: list[Tensor | None] = []
        # called after the graph has run, before the leaves accumulate; one that raises leaves every ``grad``
        self.final_callbacks: list[Callable[[], None]] = []
        # for leaves that shall not accumulate: the tensor that becomes ``grad``, and the values that are
        # copied into it then (None if they are there)
        self.totals: dict[AccumulateGrad, tuple[Tensor, Tensor | None]] = {}
        if targets is not None:
            if not accumulates:
                self.captured = [None] * len(targets)
                for position, (node, output_nr) in enumerate(targets):
                    self.captures.setdefault(node, []).append((output_nr, position))
            self.needed = needed_for(edges, targets)
        # with hooks on a Node of this graph, captures, a callback or anomaly mode, Nodes run in ``evaluate``;
        # with hooks on leaves only, just these
        self.watches_leaves = False
        self.is_watched = bool(
            self.captures or mode_word() & OBSERVED_BIT or anomaly_mode.is_anomaly_enabled()
        )
        for reference in hooks_of.keyrefs() if hooks_of.data else ():  # type: ignore[attr-defined]
            hooked = reference()
            if hooked.__class__ is AccumulateGrad:
                self.watches_leaves = True
            elif not self.is_watched:
                self.is_watched = hooked in self.dependencies

    @property
    def dependencies(self) -> dict[Node, int]:
        """For each reachable Node, the number of edges to it that have not delivered a gradient yet."""
        if self._dependencies is None:
            self._dependencies = count_dependencies(self.edges)
        return self._dependencies

    def comes_by(self, node: Node) -> bool:
        """Does this backward pass reach ``node``, on the way to a target?"""
        return node in self.dependencies and (self.needed is None or node in self.needed)

    def executes(self, node: Node) -> bool:
        """Must ``node`` run?  Not if it is only a target."""
        if self.needed is None:
            return True
        return leads_to(node, self.needed)

    def capture(self, node: Node, gradients: Sequence[Tensor | None]) -> None:
        """Store the requested gradients among those that ``node`` received."""
        for output_nr, position in self.captures.get(node, ()):
            self.captured[position] = gradients[output_nr]

    def evaluate(
        self, node: Node, gradients: list[Tensor | None]
    ) -> tuple[list[Tensor | None], Sequence[Tensor | None] | None]:
        """Run ``node`` with all its hooks; returns the gradients after its pre-hooks, and its results.

        The results are None if it does not run: for a leaf, and for a target at the end of the needed graph.
        There, the captured gradient is the one after tensor hooks; of a Node that runs, the one before them.
        """
        hooks = hooks_of.get(node)
        executes = self.executes(node)
        if executes:
            self.capture(node, gradients)
        if hooks is not None:
            gradients = hooks.call_tensor_pre_hooks(gradients)
        if not executes:
            self.capture(node, gradients)
            if node.__class__ is not AccumulateGrad or not self.accumulates:
                return gradients, None
        if hooks is not None:
            gradients = hooks.call_pre_hooks(gradients)
        if node.__class__ is AccumulateGrad:
            return gradients, None
        is_anomaly_mode = anomaly_mode.is_anomaly_enabled()
        before = anomaly_mode.evaluated.get()
        try:
            if is_anomaly_mode:
                anomaly_mode.evaluated.set(node)
            if mode_word() & OBSERVED_BIT:
                results = observed(BACKWARD_FUNCTION, node.name(), gradients, node.apply, gradients)
            else:
                results = node.apply(gradients)
        except Exception:
            if is_anomaly_mode:
                anomaly_mode.warn_of_forward(node)
            raise
        finally:
            anomaly_mode.evaluated.set(before)
        if is_anomaly_mode and anomaly_mode.is_anomaly_check_nan_enabled():
            try:
                anomaly_mode.check_for_nan(node, results)
            except RuntimeError:
                anomaly_mode.warn_of_forward(node)
                raise
        if not self.keep_graph:
            node.release_variables()
        if hooks is not None:
            results = hooks.call_post_hooks(results[: len(node.next_edges)], gradients)
        return gradients, results


# The backward pass that this thread or async task is running.
current_task: ContextVar[GraphTask | None] = ContextVar("gnomon_graph_task", default=None)


def count_dependencies(roots: Sequence[Edge]) -> dict[Node, int]:
    """For each reachable Node, the number of edges to it.  Source: compute_dependencies."""
    dependencies: dict[Node, int] = {}
    for node, _ in roots:
        dependencies[node] = 0
    stack = list(dependencies)
    while stack:
        for edge in stack.pop().next_edges:
            if edge is None:
                continue
            node = edge[0]
            if node not in dependencies:
                dependencies[node] = 0
                stack.append(node)
            dependencies[node] += 1
    return dependencies


def leads_to(node: Node, needed: set[Node]) -> bool:
    """Does an edge of ``node`` lead to one of ``needed``?"""
    for edge in node.next_edges:
        if edge is not None and edge[0] in needed:
            return True
    return False


def needed_for(roots: Sequence[Edge], targets: Sequence[Edge]) -> set[Node]:
    """The Nodes from which a target can be reached, targets included: only these have to run."""
    needed: set[Node] = set()
    for node, _ in targets:
        needed.add(node)
    visited: set[Node] = set()
    stack: list[tuple[Node, bool]] = []
    for node, _ in roots:
        stack.append((node, False))
    while stack:
        node, done = stack.pop()
        if done:
            if leads_to(node, needed):
                needed.add(node)
            continue
        if node in visited:
            continue
        visited.add(node)
        stack.append((node, True))
        for edge in node.next_edges:
            if edge is not None and edge[0] not in visited:
                stack.append((edge[0], False))
    return needed
