"""Places in source files: where a function is, the text of a derivative formula, PyTorch's files."""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

from ..calls.native import record_file
from ..dispatch.dispatcher import OpOverload
from ..memory.contract import source_of

NOT_KNOWN = "not known"


def code_of(function: Any) -> CodeType | None:
    """The code of a Python function behind wrappers, partials and methods; None for what is not Python."""
    while hasattr(function, "__wrapped__") or hasattr(function, "func"):
        function = getattr(function, "__wrapped__", None) or function.func
    code: CodeType | None = getattr(function, "__code__", None)
    return code


def place(function: Any) -> str:
    """The file and line of a function, ``calls/running.py:290``; if it is not Python, its name."""
    return source_of(function)


def name_of(function: Any) -> str:
    """The name of a function, as in its source."""
    code = code_of(function)
    return str(getattr(code, "co_qualname", None) or getattr(function, "__qualname__", repr(function)))


@functools.cache
def _lambdas(path: str) -> dict[int, list[ast.Lambda]]:
    """The lambdas of a source file by their first line; none if it can not be read."""
    try:
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return {}
    found: dict[int, list[ast.Lambda]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
    return found


def formula_text(formula: Callable[..., Any]) -> str:
    """The source of a derivative formula: the lambda's expression, or name and parameters of a function."""
    code = code_of(formula)
    if code is None:
        return repr(formula)
    parameters = code.co_varnames[: code.co_argcount]
    if code.co_name != "<lambda>":
        return f"{code.co_name}({', '.join(parameters)})"
    found = [
        node
        for node in _lambdas(code.co_filename).get(code.co_firstlineno, ())
        if tuple(each.arg for each in node.args.args) == parameters
    ]
    if len(found) != 1:
        return f"a lambda of {', '.join(parameters)}"
    return ast.unparse(found[0].body)


@functools.cache
def _sources_of(path: str) -> tuple[str, ...]:
    """The files of PyTorch that the docstring of a module names as its sources."""
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == path:
            _, _, text = (module.__doc__ or "").partition("Source:")
            return tuple(dict.fromkeys(re.findall(r"[\w/]+\.(?:cpp|h|cu|cuh|py|yaml)\b", text)))
    return ()


def pytorch_files(operator: OpOverload) -> tuple[str, ...]:
    """PyTorch's files of the same role as the file of the operator's record, as that file names them."""
    return _sources_of(record_file(operator))
