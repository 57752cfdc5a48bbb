"""A drawing of one call's dispatch, down the table of keys."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ..values.dispatch_key import KEYS, DispatchKeySet
from .observation import observe
from .places import name_of, place
from .svg import COLORS, Drawing

LEFT, ROW = 190.0, 34.0


def draw_dispatch(call: Callable[[], Any]) -> Drawing:
    """Draw how the first operator that ``call`` calls goes down its dispatch table.

    Each row is a key, the highest first: filled if the call's key set has it, with the kernel that the table
    has for it.  Keys without a kernel fall through; the arrows lead from each kernel that ran to the one to
    which it redispatched.  ``call`` runs once.  Raises ValueError if it calls no operator.
    """
    calls, _, error = observe(call)
    found = next((each for each in calls if each.operator is not None), None)
    if found is None or found.operator is None:
        raise error or ValueError("draw: the call calls no operator")
    operator, ran = found.operator, found.passed
    names = ", ".join(key.name for key in DispatchKeySet(found.keys))
    passed = ", ".join(key.name for key in ran)
    drawing = Drawing(f"Dispatch of {operator.name}", f"key set {names}; passed {passed}")
    drawing.text(12, 22, f"{operator.namespace}::{operator.name}", "ink strong")
    drawing.text(12, 40, f"key set: {names}", "quiet")
    rows = {}
    top = 56.0
    for key in reversed(KEYS):
        is_in, kernel = bool(found.keys >> key & 1), operator.table()[key]
        drawing.box(12, top, LEFT - 40, ROW - 8, "on" if is_in else "off")
        drawing.text(20, top + 17, key.name, "ink strong" if is_in else "quiet")
        what = "fallthrough" if kernel is None else f"{name_of(kernel)}  {place(kernel)}"
        if key in ran:
            what = f"{ran.index(key) + 1}. {what}"
        drawing.text(LEFT + 16, top + 17, what, "ink" if key in ran else "quiet")
        rows[key] = top + (ROW - 8) / 2
        top += ROW
    edge = LEFT - 28
    for number, (key, after) in enumerate(itertools.pairwise(ran)):
        color = COLORS[number % len(COLORS)]
        drawing.arrow(f"M{edge:g},{rows[key]:g} C{edge + 34:g},{rows[key]:g} {edge + 34:g},{rows[after]:g} "
                      f"{edge:g},{rows[after]:g}", color=color)  # fmt: skip
    return drawing
