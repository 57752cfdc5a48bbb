"""A model answer."""

from __future__ import annotations


def build_order(goal: str, rules: dict[str, list[str]], times: dict[str, float]) -> list[str]:
    order: list[str] = []
    begun: set[str] = set()
    done: set[str] = set()

    def visit(name: str) -> None:
        if name in done:
            return
        if name in begun:
            raise ValueError(f"{name} depends on itself")
        if name not in rules and name not in times:
            raise FileNotFoundError(f"{name}: no such file, and no rule to make it")
        begun.add(name)
        needed = rules.get(name, [])
        for each in needed:
            visit(each)
        is_stale = name not in times or any(each in order or times[each] > times[name] for each in needed)
        if name in rules and is_stale:
            order.append(name)
        done.add(name)

    visit(goal)
    return order
