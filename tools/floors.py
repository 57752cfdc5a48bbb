"""Draws the floors of reference/gnomon: its rooms, from the top down, and the other rooms that each imports.

    python tools/floors.py                                  # the output shown in docs/architecture.md
    python tools/floors.py --lines                          # with the number of files and lines of each room
    python tools/floors.py --write docs/architecture.md     # updates the output in the page

A room is a folder, or a file next to the folders; ``FLOORS`` assigns each to a floor.  A test
(tests/project/test_floors.py) checks the imports of every file against it.
"""

from __future__ import annotations

import argparse
import ast
import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1] / "reference" / "gnomon"

# Rooms by floor.  The three upper floors are the public interface: on each of them rooms may import each
# other, without cycles.
FLOORS = {
    "values": 0,  # without memory
    "memory": 1,  # tensors and backends
    "dispatch": 2,  # from an operator to the kernel of a key
    "calls": 3,  # from an operator's record to a launched kernel
    "numerics": 4,  # functions that kernels and derivative formulas use
    "ops": 5,  # the records
    "autograd": 5,
    # from Python's arguments to operators
    **dict.fromkeys(["bindings", "methods", "interop", "kit", "random", "return_types"], 6),
    **dict.fromkeys(["accelerator", "backends", "fft", "linalg", "profiler", "special", "utils"], 6),
    **dict.fromkeys(["functional", "futures", "mkldnn", "quantized", "sparse", "storage", "types"], 6),
    "__init__": 7,  # the public names
    # built on the public names
    **dict.fromkeys(
        [
            "amp",
            "ao",
            "array_api",
            "cli",
            "demo",
            "distributions",
            "func",
            "learn",
            "library",
            "masked",
            "nn",
            "optim",
            "serialization",
        ],
        8,
    ),
    **dict.fromkeys(["distributed", "signal", "testing"], 8),
    # PyTorch's names
    **dict.fromkeys(["__config__", "compat", "compiler", "hub", "jit"], 8),
    **dict.fromkeys(["mps", "mtia", "multiprocessing", "onnx", "overrides", "xpu"], 8),
}
_BLOCK = re.compile(r"^```console\n\$ python tools/floors\.py\n((?:.*\n)*?)```$", re.MULTILINE)


def files_of(room: str) -> list[Path]:
    """The files of a room."""
    return sorted((ROOT / room).rglob("*.py")) or [ROOT / f"{room}.py"]


def imports_of(room: str) -> list[str]:
    """The other rooms that a room imports, including imports in functions, lowest floor first."""
    found = set()
    for path in files_of(room):
        package = path.relative_to(ROOT).parts[:-1]
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = package[: len(package) - node.level + 1]
                target = [*base, *(node.module.split(".") if node.module else [])]
                found.update([target[0]] if target else [alias.name for alias in node.names])
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                names = (
                    [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module]
                )
                parts = [name.split(".") for name in names if name]
                found.update((each[1:] or ["__init__"])[0] for each in parts if each[0] == "gnomon")
    return sorted(found & set(FLOORS) - {room}, key=lambda each: (FLOORS[each], each))


def drawn(lines: bool = False) -> str:
    """The rooms, one per line, highest floor first."""
    rows = []
    there = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    if unlisted := sorted(there - set(FLOORS)):
        raise SystemExit(f"{', '.join(unlisted)}: on no floor: add it to FLOORS in tools/floors.py")
    for room in sorted(FLOORS, key=lambda each: (-FLOORS[each], each)):
        files = files_of(room)
        counts = f"{len(files):5} {sum(len(each.read_text('utf-8').splitlines()) for each in files):7}"
        head = f"{FLOORS[room]}  {room:<13}{counts if lines else ''}  "
        text = " ".join(imports_of(room)) or "-"
        rows.append(textwrap.fill(text, 110, initial_indent=head, subsequent_indent=" " * len(head)))
    title = f"   room{' ' * 9}{'files   lines' if lines else ''}  imports"
    return "\n".join([title, *rows]) + "\n"


def write(page: Path) -> None:
    """Update the output of this command in the page."""
    text = page.read_text("utf-8")
    page.write_text(
        _BLOCK.sub(lambda _: f"```console\n$ python tools/floors.py\n{drawn()}```", text), "utf-8"
    )


def shown(page: Path) -> list[str]:
    """The outputs of this command that a page shows."""
    return _BLOCK.findall(page.read_text("utf-8"))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", action="store_true", help="add the number of files and lines per folder")
    parser.add_argument("--write", metavar="PAGE", type=Path, help="update the block of this page")
    options = parser.parse_args()
    if options.write:
        write(options.write)
    else:
        print(drawn(options.lines), end="")


if __name__ == "__main__":
    main()
