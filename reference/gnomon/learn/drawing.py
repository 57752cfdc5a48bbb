"""``draw``: SVG of tensors, graphs and dispatch, for notebooks and files; and the command ``gnomon draw``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..memory.tensor import Tensor
from .draw_dispatch import draw_dispatch
from .draw_graph import draw_graph
from .draw_tensor import draw_tensor
from .svg import Drawing

KINDS = ("tensor", "bytes", "graph", "steps", "dispatch")


def draw(thing: Tensor | Callable[[], Any], kind: str = "tensor") -> Drawing:
    """A Drawing of a tensor or of a call, which notebooks show, and ``save(file)`` writes.

    thing  a tensor; or a function without arguments, whose first operator's dispatch is drawn
    kind   of a tensor: "tensor", its elements beside its storage, with the strides as steps; "bytes", the
           same with the bytes of the storage; "graph", the graph behind it, with saved tensors, versions and
           hooks; "steps", that with the engine's run step by step

    Raises ValueError for an unknown kind, and for what can't be drawn so; TypeError for another thing.
    """
    if kind not in KINDS:
        raise ValueError(f"draw: kind: expected one of {', '.join(KINDS)}, got {kind!r}")
    if isinstance(thing, Tensor):
        if kind == "dispatch":
            raise ValueError("draw: dispatch is that of a call: draw(lambda: a + b)")
        return (
            draw_graph(thing, steps=kind == "steps")
            if kind in ("graph", "steps")
            else draw_tensor(thing, as_bytes=kind == "bytes")
        )
    if callable(thing):
        return draw_dispatch(thing)
    raise TypeError(f"draw: expected a tensor, or a function without arguments, got {type(thing).__name__}")


def main(argv: Sequence[str]) -> int:
    """Draw what an expression is, or how its operator is dispatched; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="gnomon draw",
        description="Draw a tensor with its storage, the graph behind it, or the dispatch of a call, as SVG.",
    )
    parser.add_argument("expression", help="Python, in which gn is gnomon")
    parser.add_argument("--with", dest="setup", default="", metavar="STATEMENTS", help="run before it")
    parser.add_argument("--kind", choices=KINDS, default="tensor", help="what is drawn (default: tensor)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write it there (default: print it)")
    options = parser.parse_args(argv)
    import gnomon as gn

    names: dict[str, Any] = {"gn": gn}
    try:
        code = compile(options.expression, "<expression>", "eval")
        exec(options.setup, names)
        drawing = draw(
            (lambda: eval(code, names)) if options.kind == "dispatch" else eval(code, names), options.kind
        )
        if options.output is None:
            print(drawing.svg, end="")
        else:
            drawing.save(options.output)
    except Exception as error:
        print(f"gnomon draw: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0
