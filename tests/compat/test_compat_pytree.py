"""torch.utils._pytree under gnomon.compat."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

import pytest
from gnomon.compat.torch.utils import _pytree as ours  # type: ignore[attr-defined]

Point = namedtuple("Point", ["x", "y"])
TREES: list[Any] = [
    3,
    [],
    (1, [2, {"a": 3, "b": (4,)}], Point(5, [6])),
    OrderedDict(b=1, a=[2, 3]),
    {"z": {"y": 1}, "x": (2, 3)},
]


@pytest.fixture(params=["ours", pytest.param("pytorch", marks=pytest.mark.oracle)])
def pytree(request: Any) -> Any:
    """The module: gnomon's, and PyTorch's, whose results are the same."""
    return ours if request.param == "ours" else pytest.importorskip("torch.utils._pytree")


@pytest.mark.parametrize("tree", TREES)
def test_there_and_back(pytree: Any, tree: Any) -> None:
    leaves, structure = pytree.tree_flatten(tree)
    again = pytree.tree_unflatten(iter(leaves), structure)
    assert again == tree and type(again) is type(tree)
    assert pytree.tree_leaves(tree) == leaves == list(pytree.tree_iter(tree))
    assert pytree.tree_structure(tree) == structure and structure.num_leaves == len(leaves)


def test_functions_of_leaves(pytree: Any) -> None:
    tree = {"a": [1, "b"], "c": (2.5,)}
    assert pytree.tree_map(lambda x: x * 2, tree) == {"a": [2, "bb"], "c": (5.0,)}
    assert pytree.tree_map(lambda x, y: (x, y), [1, 2], [3, 4]) == [(1, 3), (2, 4)]
    assert pytree.tree_map_only(int, lambda x: -x, tree) == {"a": [-1, "b"], "c": (2.5,)}
    assert pytree.tree_map_only((int, str), lambda x: x * 2, tree) == {"a": [2, "bb"], "c": (2.5,)}
    seen: list[Any] = []
    assert pytree.tree_map_(seen.append, tree) is tree and seen == [1, "b", 2.5]
    assert pytree.tree_map_only_(str, seen.append, tree) is tree and seen[3:] == ["b"]
    assert pytree.tree_any(lambda x: x == "b", tree) and not pytree.tree_all(lambda x: x == "b", tree)
    assert pytree.tree_all_only(int, lambda x: x == 1, tree)
    assert not pytree.tree_any_only(float, lambda x: x == 1, tree)


def test_what_is_a_leaf_may_be_asked(pytree: Any) -> None:
    tree = [(1, 2), {"a": [(3, 4), 5]}, Point((6, 7), 8)]

    def is_pair(x: Any) -> bool:
        return type(x) is tuple

    leaves, structure = pytree.tree_flatten(tree, is_leaf=is_pair)
    assert leaves == [(1, 2), (3, 4), 5, (6, 7), 8] == pytree.tree_leaves(tree, is_leaf=is_pair)
    assert pytree.tree_unflatten([1, 2, 3, 4, 5], structure) == [1, {"a": [2, 3]}, Point(4, 5)]
    assert pytree.tree_leaves((1, 2), is_leaf=is_pair) == [(1, 2)]


def test_errors(pytree: Any) -> None:
    with pytest.raises(ValueError, match="leaves"):
        pytree.tree_unflatten([1], pytree.tree_structure([1, 2]))
    with pytest.raises(ValueError):
        pytree.tree_map(lambda x, y: x, [1, 2], [1])


def test_names_that_are_not_there_say_why() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'register_pytree_node': gnomon's pytrees are"):
        ours.register_pytree_node  # noqa: B018
