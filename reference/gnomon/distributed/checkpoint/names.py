"""The tree of dicts that a program saves, as a list of named values, and back.

Source: torch.distributed.checkpoint._nested_dict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

Path = tuple[Any, ...]  # the keys, str or int, from the outermost dict on


@runtime_checkable
class Stateful(Protocol):
    """What can give its state as a dict, and take it: modules, optimizers, schedulers, samplers.

    Source: torch.distributed.checkpoint.stateful.Stateful.
    """

    def state_dict(self) -> dict[str, Any]:
        """The state."""

    def load_state_dict(self, state_dict: dict[str, Any]) -> Any:
        """Take a state."""


class Item(NamedTuple):
    """A value in a tree of dicts."""

    path: Path
    value: Any


def flatten(tree: Mapping[Any, Any]) -> dict[str, Item]:
    """All that is not a dict, by its keys with dots between: "model.0.weight".  An empty dict is a value.

    Raises TypeError for a key that is neither a str nor an int, ValueError for a name that occurs twice.
    """
    items: dict[str, Item] = {}
    for path, value in _walk(tree, ()):
        name = ".".join(map(str, path))
        if name in items:
            raise ValueError(f"duplicated flatten key {name}: {items[name].path} and {path}")
        items[name] = Item(path, value)
    return items


def _walk(tree: Mapping[Any, Any], prefix: Path) -> Iterable[Item]:
    for key, value in tree.items():
        if type(key) not in (str, int):
            raise TypeError(f"checkpoint: expected keys of type str or int, got {key!r} in {prefix}")
        if isinstance(value, Mapping) and value:
            yield from _walk(value, (*prefix, key))
        else:
            yield Item((*prefix, key), value)


def unflatten(items: Iterable[Item]) -> dict[Any, Any]:
    """The tree that has these values."""
    tree: dict[Any, Any] = {}
    for item in items:
        put(tree, item)
    return tree


def put(tree: Any, item: Item) -> None:
    """Put a value to its place, making the dicts on the way that are not there."""
    for key in item.path[:-1]:
        tree = tree.setdefault(key, {})
    tree[item.path[-1]] = item.value
