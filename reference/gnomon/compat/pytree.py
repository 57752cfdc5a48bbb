"""``torch.utils._pytree``, with gnomon's pytrees: tuples, named tuples, lists and dictionaries.

Source: torch/utils/_pytree.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..utils.pytree import LEAF, TreeSpec, flatten, tree_map, unflatten

PyTree = Any

__all__ = [
    "PyTree",
    "TreeSpec",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_iter",
    "tree_leaves",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_structure",
    "tree_unflatten",
    "treespec_pprint",
]


def _leaves(tree: Any, is_leaf: Callable[[Any], bool] | None) -> tuple[list[Any], TreeSpec]:
    if is_leaf is None:
        return flatten(tree)
    if is_leaf(tree):
        return [tree], LEAF
    # Down to one level at a time, since ``flatten`` asks nobody: its leaves here are the items.
    level, structure = _one_level(tree)
    if structure is LEAF:
        return [tree], LEAF
    leaves, below = [], []
    for each in level:
        found, inside = _leaves(each, is_leaf)
        leaves += found
        below.append(inside)
    return leaves, structure._replace(children=tuple(below))


class _Item:
    """An item of a container, which is a leaf whatever it holds."""

    def __init__(self, held: Any):
        self.held = held


def _one_level(tree: Any) -> tuple[list[Any], TreeSpec]:
    """The items of a container, and its structure as if they were leaves."""
    kind = type(tree)
    if isinstance(tree, dict):
        items = kind(tree) if kind is dict else tree.copy()
        for key in items:
            items[key] = _Item(items[key])
    elif isinstance(tree, (tuple, list)):
        wrapped = [_Item(each) for each in tree]
        items = kind(*wrapped) if hasattr(kind, "_fields") else kind(wrapped)
    else:
        return [tree], LEAF
    leaves, structure = flatten(items)
    return ([tree], LEAF) if structure is LEAF else ([each.held for each in leaves], structure)


def tree_flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], TreeSpec]:
    """The leaves, and the structure; what ``is_leaf`` accepts is a leaf, too."""
    return _leaves(tree, is_leaf)


def tree_unflatten(leaves: Any, treespec: TreeSpec) -> Any:
    """The tree of this structure with these leaves.  Raises ValueError for another number of them."""
    return unflatten(list(leaves), treespec)


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """The leaves."""
    return _leaves(tree, is_leaf)[0]


def tree_iter(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """An iterator over the leaves."""
    return iter(_leaves(tree, is_leaf)[0])


def tree_structure(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    """The structure."""
    return _leaves(tree, is_leaf)[1]


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any) -> Any:
    """Calls a function with each leaf, and with those of other trees; returns the tree."""
    tree_map(func, tree, *rests)
    return tree


def _accepts(kinds: Any) -> Callable[[Any], bool]:
    if isinstance(kinds, (type, tuple)):
        return lambda leaf: isinstance(leaf, kinds)
    return kinds


def tree_map_only(kinds: Any, func: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with a function applied to the leaves of a type or of several, or that a function accepts."""
    accepted = _accepts(kinds)
    return tree_map(lambda leaf: func(leaf) if accepted(leaf) else leaf, tree)


def tree_map_only_(kinds: Any, func: Callable[[Any], Any], tree: Any) -> Any:
    """Calls a function with such leaves; returns the tree."""
    tree_map_only(kinds, func, tree)
    return tree


def tree_any(pred: Callable[[Any], bool], tree: Any) -> bool:
    """Whether a function is true of a leaf."""
    return any(map(pred, flatten(tree)[0]))


def tree_all(pred: Callable[[Any], bool], tree: Any) -> bool:
    """Whether a function is true of all leaves."""
    return all(map(pred, flatten(tree)[0]))


def tree_any_only(kinds: Any, pred: Callable[[Any], bool], tree: Any) -> bool:
    """Whether a function is true of a leaf of these types."""
    accepted = _accepts(kinds)
    return any(pred(leaf) for leaf in flatten(tree)[0] if accepted(leaf))


def tree_all_only(kinds: Any, pred: Callable[[Any], bool], tree: Any) -> bool:
    """Whether a function is true of all leaves of these types."""
    accepted = _accepts(kinds)
    return all(pred(leaf) for leaf in flatten(tree)[0] if accepted(leaf))


def treespec_pprint(treespec: TreeSpec) -> str:
    """The structure as text."""
    return repr(treespec)
