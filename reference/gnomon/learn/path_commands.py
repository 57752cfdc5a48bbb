"""The commands ``gnomon walk`` and ``gnomon trace``."""

from __future__ import annotations

import argparse
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..values.speedups import speedups


def walk(argv: Sequence[str]) -> int:
    """Show every Python function that a statement calls; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="gnomon walk",
        description="Show every Python function that a statement calls, indented by depth, with its file and "
        "line, its time, and what it does with memory.  [Autograd add.Tensor] marks where the kernel of a "
        "dispatch key begins, and > an operator's kernel.",
        epilog="Times include those of the observation.",
    )
    parser.add_argument(
        "statement", help="Python, in which gn is gnomon; a, b and g are tensors of --elements ones"
    )
    parser.add_argument("--with", dest="setup", default="", metavar="STATEMENTS", help="run once, before all")
    parser.add_argument("--before", default="", metavar="STATEMENTS", help="run before each time")
    parser.add_argument(
        "--call",
        type=_at_least_1,
        default=3,
        help="which time is shown: 1 is when nothing is cached (default: 3)",
    )
    parser.add_argument("--elements", type=int, default=2, help="of a, b and g (default: 2)")
    parser.add_argument("--grad", action="store_true", help="a requires grad")
    parser.add_argument(
        "--device", default="reference", help="of a, b, g, and new tensors (default: reference)"
    )
    parser.add_argument(
        "--speedups",
        action="store_true",
        help="with the C speedups, which leave little to see: show what they leave",
    )
    parser.add_argument("--places", choices=["line", "file"], default="line", help="of calls (default: line)")
    parser.add_argument("--counts", action="store_true", help="print only the numbers of calls and files")
    _add_common(parser)
    options = parser.parse_args(argv)
    if speedups is not None and not options.speedups:
        environment = {**os.environ, "GNOMON_SPEEDUPS": "none"}
        return subprocess.run(
            [sys.executable, "-m", "gnomon.cli", "walk", *argv], env=environment, check=False
        ).returncode
    return _walk(parser, options)


def _walk(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    import gnomon as gn

    from .walk import walk

    names = {name: gn.ones(options.elements, device=options.device) for name in "abg"}
    if options.grad:
        names["a"].requires_grad_()
    try:
        with gn.device(options.device):  # of the tensors that the statements make, too
            found = walk(
                options.statement, setup=options.setup, before=options.before, call=options.call, names=names
            )
    except Exception as error:
        print(f"gnomon walk: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    if options.only or options.depth is not None:
        try:
            found = found.filtered(options.only, options.depth)
        except ValueError as error:
            parser.error(f"--only: {error}")
    print(found.counts() if options.counts else found.text(options.places == "line", not options.no_times))
    return _write(options.chrome, found)


def trace(argv: Sequence[str]) -> int:
    """Run a program, and show what each of its lines runs; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="gnomon trace",
        description="Run a program, and show below each of its lines the operators, the kernels of dispatch "
        "keys, the backends' kernels and the Nodes of backward that it runs, with times, new memory, views "
        "and copies.",
        epilog="Times include those of the observation; calls run in the readable tier, without C speedups. "
        "What other threads of the program run is not shown.",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="write the tree there, not to the terminal"
    )
    _add_common(parser)
    parser.add_argument("script", help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(argv)
    if not Path(options.script).is_file():
        parser.error(f"no such file: {options.script}")
    for name, file in (("--output", options.output), ("--chrome", options.chrome)):
        if file is not None and not file.absolute().parent.is_dir():
            parser.error(f"{name}: no such folder: {file.parent}")
    from .trace import tracing

    failed: BaseException | None = None
    given, path = sys.argv, sys.path[:]
    sys.argv = [options.script, *options.arguments]
    sys.path.insert(0, str(Path(options.script).resolve().parent))
    try:
        with tracing() as found:
            runpy.run_path(options.script, run_name="__main__")
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # what has run is shown
        failed = error
    finally:
        sys.argv, sys.path[:] = given, path
    try:
        text = found.text(options.only, options.depth, not options.no_times)
    except ValueError as error:
        parser.error(f"--only: {error}")
    if options.output is None:
        print(text)
    else:
        _replace(options.output, text + "\n")
    status = _write(options.chrome, found)
    if failed is not None:
        raise failed
    return status


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only",
        default="",
        metavar="PATTERN",
        help="only lines that contain this regular expression, and those around them",
    )
    parser.add_argument("--depth", type=_at_least_1, help="only calls less deep than this")
    parser.add_argument("--no-times", action="store_true", help="leave out times, which differ in each run")
    parser.add_argument(
        "--chrome",
        type=Path,
        metavar="FILE",
        help="also write a trace for chrome://tracing or ui.perfetto.dev",
    )


def _at_least_1(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1 on, got {number}")
    return number


def _write(file: Path | None, found: Any) -> int:
    """Write the trace for Chrome, if asked for; returns the exit status."""
    if file is not None:
        try:
            _replace(file, json.dumps(found.chrome_trace()))
        except OSError as error:
            print(f"--chrome: {error}", file=sys.stderr)
            return 1
    return 0


def _replace(file: Path, text: str) -> None:
    """Write a file, whole or not at all."""
    temporary = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, "utf-8")
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
