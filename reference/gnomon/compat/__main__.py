"""Runs a program that was written for PyTorch: ``python -m gnomon.compat script.py [arguments]``, and with
``-m module`` or ``-c text``, as Python takes them.

``import torch`` in the program, and in all modules that it imports, gives gnomon; PyTorch need not be
installed.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import multiprocessing
import re
import runpy
import sys
from collections.abc import Callable, Sequence
from multiprocessing import spawn
from pathlib import Path
from types import ModuleType
from typing import Any

from ..values.module_finder import ModuleFinder
from . import as_torch
from . import torch as alias

_OWN = Path(alias.__file__ or "").parents[2]  # gnomon's files
_CHILD = f"{__package__}.child"
_ALIAS = f"{__package__}.torch"

# How errors name what is missing, each with the groups "module" and "name".
_MISSING = [
    re.compile(r"^torch(?P<module>)\.(?P<name>[\w.]+) is not there"),
    re.compile(r"^module '(?:gnomon|torch)(?P<module>[\w.]*)' has no attribute '(?P<name>\w+)'"),
    re.compile(
        r"^cannot import name '(?P<name>\w+)' from '(?:gnomon\.compat\.torch|gnomon)(?P<module>[\w.]*)'"
    ),
    re.compile(r"^'(?P<module>Tensor|Parameter)' object has no attribute '(?P<name>\w+)'"),
    re.compile(
        r"^there is no (?P<operator>operator) '(?P<name>\w+)'(?: in the namespace '(?P<module>\w+)')?$"
    ),
    re.compile(r"^there is no (?P<operator>namespace) of operators '(?P<name>\w+)'(?P<module>)$"),
    re.compile(r"^(?P<operator>operator) '(?P<module>\w+)' has no overload '(?P<name>\w+)'"),
]


def install() -> None:
    """Makes ``import torch`` give gnomon from now on.  Raises RuntimeError if PyTorch has been imported."""
    found = sys.modules.get("torch")
    if found is not None and found is not alias:
        raise RuntimeError("PyTorch has been imported already: its name can not be given to gnomon")
    sys.modules["torch"] = alias
    sys.meta_path.insert(0, ModuleFinder("torch", _module))
    as_torch.rename()
    alias.__getattr__ = _attribute
    alias.__name__ = "torch"
    _install_in_children()


def _install_in_children() -> None:
    """Processes that multiprocessing spawns, or that its fork server makes, import gnomon.compat.child."""
    command_line = spawn.get_command_line

    def with_child(**facts: Any) -> list[str]:
        found = command_line(**facts)
        if "-c" in found:
            program = found.index("-c") + 1
            found[program] = f"import {_CHILD}; {found[program]}"
        return found

    spawn.get_command_line = with_child
    multiprocessing.set_forkserver_preload([_CHILD, "__main__"])


def _module(name: str) -> ModuleType:
    """gnomon's module for ``torch.name``; raises ModuleNotFoundError that names what is missing."""
    found = importlib.import_module(f"{_ALIAS}.{name}")
    as_torch.rename_classes()
    return found


def _attribute(name: str, find: Callable[[str], Any] = alias.__getattr__) -> Any:
    """``torch.name``, whose module may be imported by this."""
    found = find(name)
    if isinstance(found, ModuleType):
        as_torch.rename_classes()
    return found


def missing_name(error: BaseException) -> str | None:
    """The name in PyTorch's package that an error says is missing: "nn.Linaer"; None for other errors."""
    for pattern in _MISSING:
        found = pattern.match(str(error))
        if found is not None:
            parts = [(found["module"] or "").strip("."), found["name"]]
            if "operator" in found.groupdict():
                is_overload = "overload" in pattern.pattern
                is_aten = is_overload or (found["operator"] == "operator" and not found["module"])
                parts = ["ops", "aten" if is_aten else "", *parts]
            return ".".join(filter(None, parts))
    return None


def advice(name: str) -> str:
    """What to use instead of PyTorch's ``torch.name``, which gnomon does not have."""
    *path, last = name.split(".")
    owner: object = alias
    for each in path:
        owner = getattr(owner, each, None)
    public = [each for each in dir(owner) if not each.startswith("_")] if owner is not None else []
    near = difflib.get_close_matches(last, public, n=3)
    place = ".".join(["torch", *path])
    said = f"; like it there are {', '.join(f'{place}.{each}' for each in near)}" if near else ""
    return f"gnomon has no torch.{name}{said}. docs/pytorch_names.md lists what gnomon has"


def make_parser() -> argparse.ArgumentParser:
    """The command's arguments; those of the program come after it, whatever they look like."""
    parser = argparse.ArgumentParser(
        prog="python -m gnomon.compat",
        usage="python -m gnomon.compat [-h] (script | -m module | -c text) [arguments ...]",
        description="Run a program that was written for PyTorch: `import torch` gives gnomon.",
    )
    parser.add_argument("-m", dest="kind", action="store_const", const="m", help="the program is a module")
    parser.add_argument("-c", dest="kind", action="store_const", const="c", help="the program is this text")
    parser.add_argument("program", help="a file, or a folder or archive with __main__.py")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a program; returns 0, or 1 if something that it uses is missing, which one line says."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    program = Path(options.program)
    if options.kind is None and not program.exists():
        parser.error(f"no such file: {options.program}")
    install()
    sys.argv = [f"-{options.kind}" if options.kind else options.program, *options.arguments]
    folder = program.resolve().parent if options.kind is None else Path.cwd()
    if options.kind is not None or program.is_file():
        sys.path.insert(0, str(folder))
    try:
        if options.kind == "m":
            runpy.run_module(options.program, run_name="__main__", alter_sys=True)
        elif options.kind == "c":
            exec(compile(options.program, "<string>", "exec"), {"__name__": "__main__"})
        else:
            runpy.run_path(str(program.absolute()), run_name="__main__")
    except (AttributeError, ImportError) as error:
        missing = missing_name(error)
        if missing is None:
            raise
        why = _reason(error, missing.rpartition(".")[2])
        print(f"{_place(error, folder)}: {advice(missing)}{f' ({why})' if why else ''}", file=sys.stderr)
        return 1
    return 0


def _reason(error: AttributeError | ImportError, name: str) -> str:
    """Why it is missing, if the module says so; an ImportError of ``from module import name`` does not."""
    said = str(error)
    if isinstance(error, ImportError) and not isinstance(error, ModuleNotFoundError):
        try:
            vars(sys.modules[error.name or ""])["__getattr__"](name)
        except (AttributeError, KeyError) as inner:
            said = str(inner)
    return said.partition(": ")[2].removeprefix(f"gnomon has no {name!r}")


def _place(error: BaseException, folder: Path) -> str:
    """The file and the line of the program where an error came from."""
    found, traceback = str(folder), error.__traceback__
    while traceback is not None:
        file = Path(traceback.tb_frame.f_code.co_filename)
        if str(file) == "<string>":
            found = f"<string>:{traceback.tb_lineno}"
        elif folder in file.absolute().parents and _OWN not in file.absolute().parents:
            here = Path.cwd()
            shown = file.relative_to(here) if here in file.parents else file
            found = f"{shown}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return found


if __name__ == "__main__":
    raise SystemExit(main())
