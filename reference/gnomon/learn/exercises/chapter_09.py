"""The exercises of chapter 9: the graph and the engine."""

from __future__ import annotations

import random
import weakref
from types import ModuleType
from typing import Any

import gnomon as gn

from ...autograd.node import AccumulateGrad, gradient_edge
from .comparing import differences, wanted
from .record import Exercise

# Operators of one or two tensors, and the number of their results.
_OPERATORS = {"neg": (1, 1), "exp": (1, 1), "mul": (2, 1), "add": (2, 1), "aminmax": (1, 2)}


def _random_steps(rng: random.Random, length: int) -> list[tuple[Any, ...]]:
    """A program: leaves first, then operators, whose operands are the numbers of earlier variables."""
    leaves = rng.randint(1, 3)
    steps: list[tuple[Any, ...]] = [("leaf", number == 0 or rng.random() < 0.6) for number in range(leaves)]
    dims = [1] * leaves  # of each variable
    for _ in range(length):
        name = rng.choice(list(_OPERATORS))
        operands, results = _OPERATORS[name]
        first = rng.randrange(max(0, len(dims) - 4), len(dims))
        alike = [number for number, each in enumerate(dims) if each == dims[first]]  # nothing is broadcast
        steps.append((name, *(first, rng.choice(alike[-4:]))[:operands]))
        dims += [dims[first] if results == 1 else 0] * results
    return steps


def _shown_steps(steps: list[tuple[Any, ...]]) -> str:
    lines = []
    count = 0
    for name, *given in steps:
        if name == "leaf":
            lines.append(
                f"  v{count} = a leaf that {'requires grad' if given[0] else 'does not require grad'}"
            )
            count += 1
            continue
        results = _OPERATORS[name][1]
        names = ", ".join(f"v{count + number}" for number in range(results))
        lines.append(f"  {names} = {name}({', '.join(f'v{each}' for each in given)})")
        count += results
    return "\n".join(lines)


def _gnomon_variables(steps: list[tuple[Any, ...]]) -> list[Any]:
    variables: list[Any] = []
    for position, (name, *given) in enumerate(steps):
        if name == "leaf":
            number = 0.25 * (position + 1)
            variables.append(gn.tensor([number, -number], dtype=gn.float64, requires_grad=given[0]))
        else:
            result = getattr(gn, name)(*(variables[each] for each in given))
            variables.extend(result if isinstance(result, tuple) else [result])
    return variables


def _canonical(edges: list[Any], name_of: Any, leaf_of: Any) -> Any:
    """A graph as numbers and names: edges of the variables, Nodes, and the order of their recording."""
    numbers: dict[Any, int] = {}
    nodes: list[Any] = []
    described: list[Any] = []

    def number_of(node: Any) -> Any:
        if node is None:
            return None
        if id(node) in numbers:
            return f"N{numbers[id(node)]}"
        numbers[id(node)] = len(nodes)
        mine = len(nodes)
        nodes.append(node)
        described.append(None)
        functions = [(number_of(target), nr) for target, nr in node.next_functions]
        described[mine] = (f"N{mine}", name_of(node), functions, leaf_of(node))
        return f"N{mine}"

    found = [(number_of(node), nr) for node, nr in edges]
    recorded = sorted(
        (node for node in nodes if leaf_of(node) is None),
        key=lambda node: node.sequence_nr,
    )
    return found, described, [f"N{numbers[id(node)]}" for node in recorded]


def mark_record_nodes(module: ModuleType) -> list[str]:
    """Random programs, against the graphs that gnomon records."""
    rng = random.Random("record_nodes")
    programs = [_random_steps(rng, number // 25) for number in range(250)]

    def oracle(steps: list[tuple[Any, ...]]) -> Any:
        variables = _gnomon_variables(steps)
        leaves = {id(each): number for number, each in enumerate(variables)}
        edges = [(gradient_edge(each) if each.requires_grad else None) or (None, 0) for each in variables]
        return _canonical(
            edges,
            lambda node: node.name(),
            lambda node: leaves[id(node.variable)] if isinstance(node, AccumulateGrad) else None,
        )

    def own(steps: list[tuple[Any, ...]]) -> Any:
        variable, record = wanted(module, "Variable"), wanted(module, "record")
        accumulate, edge_of = wanted(module, "AccumulateGrad"), wanted(module, "gradient_edge")
        variables: list[Any] = []
        for name, *given in steps:
            if name == "leaf":
                variables.append(variable(given[0]))
            else:
                inputs = [variables[each] for each in given]
                variables.extend(record(name, inputs, _OPERATORS[name][1]))
        leaves = {id(each): number for number, each in enumerate(variables)}
        return _canonical(
            [edge_of(each) for each in variables],
            lambda node: node.name,
            lambda node: leaves[id(node.variable)] if isinstance(node, accumulate) else None,
        )

    return differences(
        module,
        programs,
        own,
        oracle,
        lambda steps: (
            f"This program:\n{_shown_steps(steps)}\n"
            "The gradient edge of each variable; of each Node its name, its "
            "next_functions and its leaf; the Nodes in the order of their sequence numbers"
        ),
    )


class _Drop(gn.autograd.Function):
    """A step whose backward gives no gradient."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None


def _graph(steps: list[tuple[Any, ...]], drops: bool) -> tuple[list[Any], list[Any]]:
    """Leaves of a program, and those of its variables that may be roots."""
    variables = _gnomon_variables(steps)
    leaves = [each for each in variables if each.is_leaf and each.requires_grad]
    roots = [each for each in variables if each.requires_grad and not each.is_leaf]
    if drops and roots:
        roots.append(_Drop.apply(roots[-1]))
    return leaves, roots or [leaves[0] * 1]


def mark_engine(module: ModuleType) -> list[str]:
    """Graphs of random programs: gradients, and the order in which Nodes run, against gnomon's engine."""
    rng = random.Random("engine")
    cases = []
    for number in range(200):
        steps = _random_steps(rng, 1 + number // 20)
        cases.append((steps, rng.choice([1, 1, 2, 3]), rng.random() < 0.2))

    def seeded(case: Any) -> tuple[list[Any], list[Any], list[Any]]:
        leaves, roots = _graph(case[0], case[2])
        roots = roots[-case[1] :][::-1]
        seeds = [gn.full_like(root, 1.0 + place) for place, root in enumerate(roots)]
        return leaves, roots, seeds

    def names_of(roots: list[Any]) -> dict[Any, str]:
        """Each Node with its name and a number, in the order in which they are recorded."""
        found: set[Any] = set()
        stack = [root.grad_fn for root in roots]
        while stack:
            node = stack.pop()
            if node is not None and node not in found:
                found.add(node)
                stack += [each for each, _ in node.next_functions]
        recorded = sorted((node for node in found if not isinstance(node, AccumulateGrad)), key=_recorded)
        return {node: f"{node.name()} {number}" for number, node in enumerate(recorded)}

    def oracle(case: Any) -> Any:
        leaves, roots, seeds = seeded(case)
        order: list[str] = []
        for node, name in names_of(roots).items():
            node.register_prehook(lambda grads, name=name: order.append(name))
        gn.autograd.backward(roots, seeds, retain_graph=True)
        return order, [None if each.grad is None else each.grad.tolist() for each in leaves]

    def own(case: Any) -> Any:
        node_type, run = wanted(module, "Node"), wanted(module, "run")
        leaves, roots, seeds = seeded(case)
        order: list[str] = []
        names = names_of(roots)
        made: dict[Any, Any] = {}

        def copy_of(node: Any) -> Any:
            if node is None:
                return None
            if node not in made:

                def function(gradients: list[Any]) -> list[Any]:
                    order.append(names[node])
                    return list(node.apply(list(gradients)))

                edges = [(copy_of(target), nr) for target, nr in node.next_functions]
                is_leaf = isinstance(node, AccumulateGrad)
                inputs = len(node.metadata_specs)
                made[node] = node_type(node.sequence_nr, edges, inputs, None if is_leaf else function)
            return made[node]

        edges = [(copy_of(root.grad_fn), root.output_nr) for root in roots]
        with gn.no_grad():
            found = run(edges, seeds)
        nodes = [copy_of(gradient_edge(leaf)[0]) for leaf in leaves]  # type: ignore[index]
        return order, [_read(found[node]) if node in found else None for node in nodes]

    return differences(
        module,
        cases,
        own,
        oracle,
        lambda case: (
            f"This program:\n{_shown_steps(case[0])}\n"
            f"backward from its last {case[1]} results that require grad"
            f"{' (one is dropped: its Node returns None)' if case[2] else ''}: "
            "the Nodes in the order in which "
            "they run (numbered as recorded), and the gradients of the leaves"
        ),
    )


def _read(gradient: Any) -> Any:
    return "None is in the result" if gradient is None else gradient.tolist()


def _recorded(node: Any) -> int:
    number: int = node.sequence_nr
    return number


def _random_script(rng: random.Random, length: int) -> list[tuple[Any, ...]]:
    """Steps with one tensor: it is saved with or without hooks, written to, unpacked, released."""
    words = ["save", "save with hooks", "write", "unpack", "unpack", "unpack", "release", "drop the tensor"]
    steps: list[tuple[Any, ...]] = [(rng.choice(["write", "save", "save", "save with hooks"]),)]
    while len(steps) < length:
        steps.append((rng.choice(words),))
    return [*steps, ("unpack",)]


def mark_saved_variables(module: ModuleType) -> list[str]:
    """Random scripts, against what a Node of gnomon saves."""
    rng = random.Random("saved_variables")
    scripts = [[("save with a hook that writes",), ("unpack",)]]
    scripts += [_random_script(rng, 1 + number // 25) for number in range(200)]

    def script(save: Any, unpack: Any, release: Any, steps: list[tuple[Any, ...]]) -> list[Any]:
        log: list[Any] = []
        tensor: Any = gn.ones(2)
        watched = weakref.ref(tensor)
        saved = None

        def pack_hook(given: Any) -> Any:
            log.append("packed")
            return [given.tolist()]

        def unpack_hook(packed: Any) -> Any:
            log.append("unpacked")
            return gn.tensor(packed[0])

        for (word,) in steps:
            try:
                if word == "write":
                    if tensor is not None:
                        tensor.add_(1)
                elif word == "drop the tensor":
                    tensor = None
                    log.append(f"{'alive' if watched() is not None else 'freed'}")
                elif word == "release":
                    if saved is not None:
                        release(saved)
                elif word == "unpack":
                    if saved is not None:
                        log.append(unpack(saved).tolist())
                elif tensor is not None:
                    hooks = (pack_hook, unpack_hook) if word == "save with hooks" else None
                    if word == "save with a hook that writes":
                        hooks = (lambda given: given.add_(1), unpack_hook)
                    saved = None  # one at a time
                    saved = save(tensor, hooks)
            except RuntimeError as error:
                if isinstance(error, NotImplementedError):
                    raise
                log.append(f"RuntimeError at {word}")
        return log

    def save_in_node(tensor: Any, hooks: Any) -> Any:
        factor = gn.ones(2, requires_grad=True)
        if hooks is None:
            return (factor * tensor).grad_fn
        with gn.autograd.graph.saved_tensors_hooks(*hooks):
            return (factor * tensor).grad_fn

    def oracle(steps: list[tuple[Any, ...]]) -> Any:
        return script(
            save_in_node, lambda node: node._saved_other, lambda node: node.release_variables(), steps
        )

    def own(steps: list[tuple[Any, ...]]) -> Any:
        saved_variable = wanted(module, "SavedVariable")

        def save(tensor: Any, hooks: Any) -> Any:
            return saved_variable(tensor, *(hooks or (None, None)))

        return script(save, lambda saved: saved.unpack(), lambda saved: saved.release(), steps)

    return differences(
        module,
        scripts,
        own,
        oracle,
        lambda steps: (
            f"One tensor of ones, and these steps: {', '.join(word for (word,) in steps)}\n"
            "(a write adds 1; hooks log "
            '"packed" and "unpacked"; dropping the tensor logs whether it is freed)'
        ),
    )


EXERCISES = (
    Exercise(
        "record_nodes",
        "what forward leaves behind: Nodes, and edges between them",
        """
        gradient_edge first. A variable that does not require grad has the edge (None, 0). The
        result of an operator has the edge (its Node, which of the operator's results it is).

        A leaf that requires grad has an AccumulateGrad. It is made when it is first asked for, and
        kept: two uses of the same leaf lead to the same Node.

        record: if no input requires grad, the results are variables that do not, and nothing is
        recorded. Otherwise one Node, with gradient_edge of each input, for all results.
        """,
        mark_record_nodes,
    ),
    Exercise(
        "engine",
        "backward: dependencies, a ready queue, input buffers",
        """
        Walk through the whole graph first and count for each Node how many edges lead to it. A
        gradient that arrives, None or not, takes one off; a Node whose count is 0 is ready.

        A buffer has a place for each input of a Node. Gradients that arrive at the same place are
        added. The seeds are put into the buffers of the roots first; a root is ready at once only
        if no edge leads to it.

        Of the ready Nodes the one with the largest sequence number runs next: heapq, with negative
        numbers. A leaf does not run: keep its buffer for the result, if it is not None.

        A Node runs even if its whole buffer is None. Do not forget that the same Node may be two of
        the roots, and that an edge may be (None, 0), which leads nowhere.
        """,
        mark_engine,
        ("backward", "grad"),
    ),
    Exercise(
        "saved_variables",
        "tensors that wait for backward: versions, hooks, release",
        """
        tensor._version is the version counter. Keep it beside the tensor, and compare in unpack.

        With hooks, keep only what pack returned: not the tensor, which should be free to die.
        unpack calls the hook each time, and there is no version to check, because what was packed
        is not the tensor.

        A pack hook must not write to the tensor: compare its version before and after. After
        release everything is gone, and unpack raises RuntimeError; releasing twice is allowed.
        """,
        mark_saved_variables,
        ("save_for_backward", "saved_tensors_hooks"),
    ),
)
