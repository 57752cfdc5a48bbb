"""The command ``gnomon explain``."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any

from ..memory.backend import resolve_device
from ..memory.tensor import Tensor
from .explaining import explain, explain_name
from .names import find_by_name, near_names
from .report import Report
from .tensors import explain_tensor


def main(arguments: Sequence[str]) -> int:
    """Explain an operator by its name, or what an expression does; returns the exit status.

    It is 0 if the explanation was printed, 1 if the expression raised, whose error is explained, and 2 for
    arguments that can not be understood.
    """
    parser = argparse.ArgumentParser(
        prog="gnomon explain",
        description="Explain an operator by its name (add, add.Tensor, aten::add, linalg.inv), or the "
        "operators that an expression calls; if it calls none, the tensor that it is.",
    )
    parser.add_argument(
        "thing",
        metavar="NAME|EXPRESSION",
        help="a name, or a Python expression of gn; a and b are tensors of two ones unless --with sets them",
    )
    parser.add_argument(
        "--with", dest="statements", metavar="STATEMENTS", default="", help="statements to run before it"
    )
    parser.add_argument(
        "--format", choices=["text", "markdown", "json"], default="text", help="default: text"
    )
    parser.add_argument(
        "--only",
        metavar="HEADING",
        action="append",
        default=[],
        help="show only the sections whose headings begin so; may be given several times",
    )
    parser.add_argument("--device", help="the default device, for the tensors that it makes")
    options = parser.parse_args(list(arguments))
    try:
        report = _report(options.thing, options.statements, options.device)
        if options.only:
            report = report.only(*options.only)
    except (SyntaxError, NameError, KeyError, ValueError, RuntimeError) as error:
        print(f"gnomon explain: {type(error).__name__}: {error.args[0]}", file=sys.stderr)
        return 2
    if options.format == "text":
        report.show()
    else:
        print(report.markdown() if options.format == "markdown" else report.json())
    return 0 if report.error is None else 1


def _report(thing: str, statements: str, device: str | None) -> Report:
    """The Report of a name or an expression.

    Raises SyntaxError or NameError for what is neither, and what the statements raise.
    """
    import gnomon as gn

    if not statements and find_by_name(thing) is not None:
        return explain_name(thing)
    names: dict[str, Any] = {"gn": gn, "gnomon": gn}
    try:
        code = compile(thing, "<expression>", "eval")
    except SyntaxError as error:
        if re.fullmatch(r"[\w.]+(::[\w.]+)?", thing):
            return explain_name(thing)  # a name that Python does not allow
        raise ValueError(f"there is no operator {thing!r}, and it is no expression: {error.msg}") from None
    with gn.device(resolve_device(device)):
        try:
            exec(compile(statements, "<statements>", "exec"), names)
        except Exception as error:
            raise RuntimeError(f"--with: {type(error).__name__}: {error}") from error
        for each in {"a", "b"}.intersection(code.co_names).difference(names):
            names[each] = gn.ones(2)  # as in gnomon walk
        packet = find_by_name(thing.partition(".")[0])
        overloads = getattr(packet, "overloads", {})
        if thing.partition(".")[0] not in names and overloads and thing.isascii() and thing.count(".") == 1:
            known = ", ".join(each or "default" for each in overloads)
            raise NameError(f"there is no overload {thing!r}; there are {known}")
        unknown = [each for each in code.co_names[:1] if each not in names and not hasattr(gn, each)]
        if unknown and thing.replace(".", "_").isidentifier():
            near = near_names(thing)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            raise NameError(f"there is no operator {thing!r}, and no variable of that name{hint}")
        return _evaluated(code, names)


def _evaluated(code: Any, names: dict[str, Any]) -> Report:
    """The Report of the calls of an expression; without any, of the tensor or the operator that it is."""
    report = explain(lambda: eval(code, names))
    found = report.result
    if report.sections or report.error is not None:
        return report
    if isinstance(found, Tensor):
        return explain_tensor(found, names)
    return explain(found) if callable(found) else report
