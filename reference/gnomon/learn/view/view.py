"""The page: its parts are put together into one file; and the command ``gnomon view``."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...bindings.argument_parser import REQUIRED, Signature, _type_text, in_order
from ...dispatch.dispatcher import aten
from ...values import dtype as dtypes
from ...values.geometry import MAX_DIMS
from .contents import contents_of

ROOM = Path(__file__).parent

STYLES = ("page", "parts")

# Each uses only functions of those before it.
SCRIPTS = (
    *("parser", "geometry", "dtypes", "arguments", "iterator", "view_operators", "view_chain"),
    *("values", "autograd_operators", "recording", "engine"),
    *(
        "elements",
        "grids",
        "answers",
        "views_panel",
        "stepper",
        "iteration_panel",
        "graph_drawing",
        "autograd_panel",
    ),
    "interface",
)

# The operators of chains, and the functions with which one begins.
VIEWS = (
    *(
        "view",
        "reshape",
        "transpose",
        "t",
        "permute",
        "movedim",
        "moveaxis",
        "swapaxes",
        "swapdims",
        "expand",
    ),
    *("broadcast_to", "squeeze", "unsqueeze", "select", "slice", "narrow", "flatten", "unflatten", "ravel"),
    *(
        "diagonal",
        "unfold",
        "as_strided",
        "split",
        "split_with_sizes",
        "chunk",
        "unbind",
        "contiguous",
        "clone",
    ),
    "detach",
)
FACTORIES = ("arange", "zeros", "ones", "empty", "full", "empty_strided")


def page(contents: dict[str, Any] | None = None) -> str:
    """The page as the text of an HTML file, which needs no other file.

    contents  what it starts with, as ``contents_of`` returns it (default: an example)
    """
    data = {**facts(), "start": contents}
    parts = {
        "/* styles */": "\n".join(_text(f"{name}.css") for name in STYLES),
        "/* data */": f"const GNOMON = {_script_json(data)};",
        "/* scripts */": "\n".join(_text(f"{name}.js") for name in SCRIPTS),
    }
    made = _text("page.html")
    for mark, text in parts.items():
        made = made.replace(mark, text)
    return made


def facts() -> dict[str, Any]:
    """What the page takes from gnomon as it is: dtypes, their promotion, and the signatures of operators."""
    shown = [*dtypes.ALL, *dtypes.LIMITED]
    return {
        "dtypes": {each.name: _dtype(each) for each in shown},
        "promotion": {
            a.name: {b.name: _name_or_error(dtypes.promote_types, a, b) for b in shown} for a in shown
        },
        "signatures": {
            name: [_signature(each, name in VIEWS) for each in in_order(getattr(aten, name))]
            for name in (*VIEWS, *FACTORIES)
        },
        "mostDims": MAX_DIMS,
    }


def _dtype(dtype: dtypes.dtype) -> dict[str, Any]:
    to_complex = _name_or_error(dtype.to_complex)
    return {"itemsize": dtype.itemsize, "category": dtype.category, "toComplex": to_complex}


def _name_or_error(function: Callable[..., dtypes.dtype], *given: dtypes.dtype) -> str | dict[str, str]:
    """The name of the dtype that a function returns, or the error that it raises."""
    try:
        return function(*given).name
    except RuntimeError as error:
        return {"error": str(error)}


def _signature(operator: Any, is_method: bool) -> dict[str, Any]:
    signature = Signature(operator, is_method)
    return {
        "overload": operator.name,
        "text": signature.text(),
        "varargs": signature.varargs,
        "arguments": [
            {
                "name": each.name,
                "type": each.type,
                "typeText": _type_text(each),
                "isList": each.is_list,
                "isOptional": each.is_optional,
                "isKeywordOnly": each.kwarg_only,
                "isRequired": default is REQUIRED,
                "default": None if default is REQUIRED else default,
            }
            for each, default in zip(signature.arguments, signature.defaults)
        ],
    }


def _text(name: str) -> str:
    return (ROOM / name).read_text("utf-8")


def _script_json(data: Any) -> str:
    """JSON that a script element can hold: no text in it ends the element."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def main(argv: Sequence[str]) -> int:
    """Write the page, and show it in a browser; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="gnomon view",
        description="An interactive page: a tensor's elements beside its storage, views step by step; the "
        "iteration over operands; and autograd's engine.  It is one HTML file, which needs no network.",
    )
    parser.add_argument(
        "expression",
        nargs="?",
        help="Python, in which gn is gnomon: the page starts with this tensor, with the operands of this "
        "call, or with the graph behind it (default: an example)",
    )
    parser.add_argument("--with", dest="setup", default="", metavar="STATEMENTS", help="run before it")
    parser.add_argument(
        "--output", type=Path, metavar="FILE.html", help="write it there (default: a temporary file)"
    )
    parser.add_argument("--no-browser", action="store_true", help="only write the file, and print its name")
    options = parser.parse_args(argv)
    try:
        file = _write(options.output, page(_started(options.expression, options.setup)))
    except Exception as error:
        print(f"gnomon view: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    print(file)
    if not options.no_browser and options.output is None and not webbrowser.open(file.resolve().as_uri()):
        print("gnomon view: no browser was found: open the file in one", file=sys.stderr)
    return 0


def _started(expression: str | None, setup: str) -> dict[str, Any] | None:
    """What the page starts with.  Raises what the expression and the statements raise."""
    if expression is None:
        return None
    import gnomon as gn

    names: dict[str, Any] = {"gn": gn}
    code = compile(expression, "<expression>", "eval")
    exec(setup, names)
    return {"expression": expression, **contents_of(lambda: eval(code, names), names)}


def _write(file: Path | None, text: str) -> Path:
    """Write the page, whole or not at all; returns where it is."""
    if file is None:
        descriptor, name = tempfile.mkstemp(prefix="gnomon_view_", suffix=".html")
        with os.fdopen(descriptor, "w", encoding="utf-8") as made:
            made.write(text)
        return Path(name)
    temporary = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, "utf-8")
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
    return file
