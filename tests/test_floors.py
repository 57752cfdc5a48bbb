"""The house: a file imports only from floors below it, the core only the standard library, and there are no
circles.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import gnomon

ROOT = Path(gnomon.__file__).parent
FLOORS = {"values": 0, "memory": 1, "dispatch": 2, "kit": 3, "ops": 4, "autograd": 4}
FACE = 5
CORE = frozenset(FLOORS)
SEALED = frozenset({"ops"})  # files there never import each other; only the room itself opens them


def modules() -> dict[str, Path]:
    """Every module of the package by dotted name, without the leading ``gnomon.``."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts)] = path
    return found


def imports_of(name: str, path: Path, at_import_only: bool = False) -> list[str]:
    """Dotted names that a file imports: ``gnomon.``-relative ones resolved.

    Functions' own imports are included, unless ``at_import_only`` asks for what runs when the file is
    imported.
    """
    package = name.split(".")[:-1]
    found = []
    tree = ast.parse(path.read_text())
    for node in tree.body if at_import_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            found.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0:
                found.append(node.module or "")
                continue
            base = package[: len(package) - node.level + 1]
            target = [*base, *(node.module.split(".") if node.module else [])]
            found.append("gnomon." + ".".join(target))
            # `from . import views` imports a module, not a name
            found.extend("gnomon." + ".".join([*target, alias.name]) for alias in node.names)
    return found


def floor_of(name: str) -> int:
    return FLOORS.get(name.split(".")[0], FACE)


def upward_imports(files: dict[str, Path]) -> list[str]:
    wrong = []
    for name, path in files.items():
        for imported in imports_of(name, path):
            if not imported.startswith("gnomon"):
                continue
            target = imported.removeprefix("gnomon").removeprefix(".")
            if target not in files and f"{target}.__init__" not in files and target != "":
                continue  # a name in a module, which was listed too
            here, there = floor_of(name), floor_of(target)
            same_room = name.split(".")[0] == target.split(".")[0]
            if there > here or (there == here < FACE and not same_room):
                wrong.append(f"{name} (floor {here}) imports {imported} (floor {there})")
            if (
                same_room
                and name.split(".")[0] in SEALED
                and not name.endswith("__init__")
                and target.count(".")
                and name != target
            ):
                wrong.append(f"{name} imports its neighbour {imported}")
    return wrong


def test_files_import_only_from_lower_floors() -> None:
    assert upward_imports(modules()) == []


def test_an_upward_import_would_be_seen(tmp_path: Path) -> None:
    files = modules()
    planted = tmp_path / "geometry.py"
    planted.write_text("from ..memory.spec import Spec\n")
    assert upward_imports({**files, "values.geometry": planted}) == [
        "values.geometry (floor 0) imports gnomon.memory.spec (floor 1)"
    ]


def test_the_core_imports_the_standard_library_only() -> None:
    wrong = []
    for name, path in modules().items():
        if name.split(".")[0] not in CORE:
            continue
        for imported in imports_of(name, path):
            first = imported.split(".")[0]
            if first not in ("gnomon", "__future__") and first not in sys.stdlib_module_names:
                wrong.append(f"{name} imports {imported}")
    assert wrong == []


def test_there_are_no_import_circles() -> None:
    files = modules()
    graph: dict[str, set[str]] = {}
    for name, path in files.items():
        imported = (each.removeprefix("gnomon.") for each in imports_of(name, path, at_import_only=True))
        graph[name] = {target for target in imported if target in files and target != name}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, f"circle: {' -> '.join([*path, name])}"
        if name in done:
            return
        for target in sorted(graph[name]):
            visit(target, (*path, name))
        done.add(name)

    for name in graph:
        visit(name, ())


def test_importing_loads_nothing_that_few_programs_need() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT.parent)!r}); before = set(sys.modules); import gnomon; "
        "print(*sorted(set(sys.modules) - before))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(answer.stdout.split())
    assert "gnomon.ops.pointwise" in loaded
    heavy = {"random", "secrets", "hashlib", "fractions", "traceback", "logging", "importlib.metadata"}
    assert loaded & (heavy | {"numpy", "gnomon.nn", "gnomon.optim"}) == set()
