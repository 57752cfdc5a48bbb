"""Pytrees: nested tuples, lists and dictionaries, flattened to a list of leaves.

    leaves, structure = flatten({"a": 1, "b": (2, 3)})      # [1, 2, 3]
    unflatten([10, 20, 30], structure)                      # {"a": 10, "b": (20, 30)}

Source: torch/utils/_pytree.py.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple


class TreeSpec(NamedTuple):
    """The structure of a pytree, without its leaves.

    kind      the type of the container; None for a leaf
    context   what else is needed to rebuild it: a dictionary's keys
    children  the structures of its items
    """

    kind: type | None
    context: Any
    children: tuple[TreeSpec, ...]

    @property
    def num_leaves(self) -> int:
        """The number of leaves."""
        return 1 if self.kind is None else sum(child.num_leaves for child in self.children)

    def __repr__(self) -> str:
        if self.kind is None:
            return "*"
        inside = ", ".join(map(repr, self.children))
        return f"{self.kind.__name__}({inside})"


LEAF = TreeSpec(None, None, ())


def _is_namedtuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def _take_apart(tree: Any) -> tuple[type, Any, list[Any]] | None:
    """(kind, context, children) of a container, None for a leaf."""
    kind = type(tree)
    if kind in (dict, OrderedDict, defaultdict):
        context = (tuple(tree), tree.default_factory) if kind is defaultdict else tuple(tree)
        return kind, context, list(tree.values())
    if kind in (tuple, list) or _is_namedtuple(kind):
        return kind, None, list(tree)
    return None


def _put_together(kind: type, context: Any, children: list[Any]) -> Any:
    if kind is defaultdict:
        keys, default_factory = context
        return defaultdict(default_factory, zip(keys, children))
    if context is not None:
        return kind(zip(context, children))
    return kind(*children) if _is_namedtuple(kind) else kind(children)


def flatten(tree: Any) -> tuple[list[Any], TreeSpec]:
    """The leaves of ``tree`` in order, and its structure.  Source: torch.utils._pytree.tree_flatten."""
    parts = _take_apart(tree)
    if parts is None:
        return [tree], LEAF
    kind, context, children = parts
    leaves: list[Any] = []
    specs = []
    for child in children:
        below, spec = flatten(child)
        leaves.extend(below)
        specs.append(spec)
    return leaves, TreeSpec(kind, context, tuple(specs))


def unflatten(leaves: Sequence[Any], structure: TreeSpec) -> Any:
    """The tree of this structure with these leaves.  Raises ValueError for a wrong number of leaves.

    Source: torch.utils._pytree.tree_unflatten.
    """
    if len(leaves) != structure.num_leaves:
        raise ValueError(f"unflatten: got {len(leaves)} leaves for a structure with {structure.num_leaves}")
    return _build(structure, iter(leaves))


# Not nested in ``unflatten``: a recursive closure is a reference cycle, which would keep the leaves alive.
def _build(spec: TreeSpec, rest: Iterator[Any]) -> Any:
    if spec.kind is None:
        return next(rest)
    return _put_together(spec.kind, spec.context, [_build(child, rest) for child in spec.children])


def tree_map(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """Applies ``function`` to each leaf of ``tree``, together with the corresponding leaves of ``others``.

    Raises ValueError for trees of different structures.  Source: torch.utils._pytree.tree_map.
    """
    leaves, structure = flatten(tree)
    columns = [leaves]
    for other in others:
        more, its_structure = flatten(other)
        if its_structure != structure:
            raise ValueError(f"tree_map: expected the structure {structure}, got {its_structure}")
        columns.append(more)
    return unflatten([function(*each) for each in zip(*columns)], structure)


def broadcast_to_and_flatten(tree: Any, structure: TreeSpec) -> list[Any] | None:
    """The leaves of ``tree``, one for each leaf of ``structure``; a leaf is repeated for a whole subtree.

    Returns None if the structures do not match.  A list matches a tuple, because arguments may be either.
    """
    parts = _take_apart(tree)
    if parts is None:
        return [tree] * structure.num_leaves
    kind, context, children = parts
    alike = kind is structure.kind or {kind, structure.kind} == {tuple, list}
    if not alike or context != structure.context or len(children) != len(structure.children):
        return None
    found: list[Any] = []
    for child, spec in zip(children, structure.children):
        below = broadcast_to_and_flatten(child, spec)
        if below is None:
            return None
        found.extend(below)
    return found


__all__ = ["TreeSpec", "broadcast_to_and_flatten", "flatten", "tree_map", "unflatten"]
