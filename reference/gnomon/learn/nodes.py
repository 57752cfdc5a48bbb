"""The Node that a call made: its edges, and the saved tensors that it keeps alive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..autograd.node import AccumulateGrad, Node
from ..autograd.saved_variable import SavedList, SavedVariable
from ..memory.tensor import Tensor
from .report import Block, Facts, Lines, Table
from .sharing import is_held_only_by, memory_nbytes

MOST_NODES = 100_000


def behind(node: Node) -> Iterator[Node]:
    """The Nodes that a Node keeps alive by its edges, with itself first."""
    seen = {id(node)}
    ready = [node]
    while ready and len(seen) < MOST_NODES:
        found = ready.pop()
        yield found
        for edge in found.next_edges:
            if edge is not None and id(edge[0]) not in seen:
                seen.add(id(edge[0]))
                ready.append(edge[0])


def saved_tensors(node: Node) -> list[tuple[str, Tensor]]:
    """The tensors that a Node has saved, by the names that its formulas have for them."""
    saved = getattr(node, "saved", None)
    plan = getattr(node, "plan", None)
    if saved is not None and plan is not None:
        return [found for name, value in zip(plan.saved_names, saved) for found in _tensors(name, value)]
    listed = getattr(node, "_saved", None) or ()  # of a Function of the user
    return [found for number, value in enumerate(listed) for found in _tensors(f"saved {number}", value)]


def _tensors(name: str, value: Any) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, SavedVariable):
        value = value.tensor
    if isinstance(value, SavedList):
        for number, each in enumerate(value.items):
            yield from _tensors(f"{name}[{number}]", each)
    elif isinstance(value, Tensor):
        yield name, value


def _references(node: Node) -> dict[int, int]:
    """How often the graph behind a Node refers to each tensor, by id."""
    counts: dict[int, int] = {}
    for each in behind(node):
        for _, tensor in saved_tensors(each):
            counts[id(tensor)] = counts.get(id(tensor), 0) + 1
    return counts


def _bytes_behind(node: Node) -> tuple[int, int]:
    """The number of Nodes behind a Node, AccumulateGrads not counted, and the bytes that they have saved."""
    nodes, memory = 0, {}
    for each in behind(node):
        if isinstance(each, AccumulateGrad):
            continue
        nodes += 1
        for _, tensor in saved_tensors(each):
            memory[_memory_of(tensor)] = memory_nbytes(tensor)
    return nodes, sum(memory.values())


def _memory_of(tensor: Tensor) -> Any:
    """A number that tensors with the same memory share."""
    try:
        return tensor.untyped_storage().data_ptr() or id(tensor)
    except NotImplementedError:
        return id(tensor)


def _saved_values(node: Node) -> Iterator[tuple[str, str]]:
    """What a Node has saved that is no tensor."""
    plan, saved = getattr(node, "plan", None), getattr(node, "saved", None)
    if plan is None or saved is None:
        return
    for name, value in zip(plan.saved_names, saved):
        if not isinstance(value, (Tensor, SavedVariable, SavedList)):
            yield name, repr(value)


def explain_node(node: Node | None) -> list[Block]:
    """Name, edges and saved tensors of a Node; nothing without one.

    For each saved tensor: whether anything but the graph keeps its memory, by its reference counts.
    """
    if node is None:
        return []
    edges = [
        (number, "none: it needs no gradient" if edge is None else edge[0].name(), edge and edge[1])
        for number, edge in enumerate(node.next_edges)
    ]
    known = _references(node)
    rows, total, alone, memory = [], 0, 0, set()
    for name, spec, key, where, nbytes in _described(node):
        only = is_held_only_by(key, known)
        rows.append((name, spec, nbytes, "only the graph" if only else "other objects, too"))
        if where not in memory:
            memory.add(where)
            total += nbytes
            alone += nbytes if only else 0
    nodes, bytes_behind = _bytes_behind(node)
    facts: list[tuple[str, Any]] = [
        ("Node", node.name()),
        ("sequence_nr", node.sequence_nr),
        ("keeps alive by what it saves, in bytes", total),
        ("of these, kept by nothing but the graph", alone),
        ("Nodes that it keeps alive, with itself", nodes),
        ("what they have saved, in bytes", bytes_behind),
    ]
    values = [f"It saves {name} = {text}." for name, text in _saved_values(node)]
    headings = ("saved", "tensor", "bytes of its storage", "kept alive by")
    return [
        Facts(facts),
        Table(("input", "gradient goes to", "as its input"), edges),
        Table(headings, rows),
        Lines(values),
    ]


def _described(node: Node) -> list[tuple[str, str, int, Any, int]]:
    """The saved tensors in words, without references to them."""
    return [
        (
            name,
            f"{tensor._spec.dtype.name} {tuple(tensor._spec.sizes)}",
            id(tensor),
            _memory_of(tensor),
            memory_nbytes(tensor),
        )
        for name, tensor in saved_tensors(node)
    ]
