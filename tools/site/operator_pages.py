"""A page for each operator: its docstring, what `gnomon explain` says of it, its speed beside PyTorch's."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import gnomon as gn

MODULES = ("linalg", "fft", "special", "sparse", "nn.functional")
_PLACE = re.compile(r"(?<![\w/.])((?:[\w-]+/)*[\w-]+\.(?:py|c|h|def|cu|cuh)):(\d+)")
_SPAN = re.compile(r"(`[^`\n]*`)")
_ROOTS = ("", "reference/gnomon", "backends", "csrc", "csrc/c", "csrc/cuda")


def write(folder: Path, root: Path, only: str | None = None) -> None:
    """Write the pages, and ``index.md``, into ``folder``; ``only``: of operators whose names match."""
    folder.mkdir(parents=True, exist_ok=True)
    speeds = _speeds((root / "docs" / "benchmarks.md").read_text("utf-8"))
    shown: dict[str, list[tuple[str, str]]] = defaultdict(list)
    names = {each.name for each in gn.ops.aten}
    for packet in sorted(gn.ops.aten, key=lambda each: each.name):
        name = packet.name
        if (name.endswith("_") and name[:-1] in names) or (only and not re.search(only, name)):
            continue  # an in-place variant is on the page of its operator
        text = _page(packet, speeds.get(name.removeprefix("linalg_").removeprefix("_"), []), root)
        (folder / f"{name}.md").write_text(text, "utf-8")
        shown[_group(name)].append((name, _first_sentence(packet)))
    lines = ["# Operators", "", _INTRODUCTION, ""]
    for group in sorted(shown, key=lambda each: (each.startswith("Not"), each)):
        lines += [f"## {group}", "", "| operator | |", "|---|---|"]
        lines += [f"| [{_plain(name)}]({name}.md) | {text} |" for name, text in shown[group]]
        lines += [""]
    (folder / "index.md").write_text("\n".join(lines), "utf-8")


_INTRODUCTION = (
    "Each page has the operator's schemas as PyTorch writes them, its kernels on each backend with their "
    "places in the source, its derivative, its decomposition, how it agrees with PyTorch and, where it is "
    "among the benchmarks, its speed. `gnomon explain NAME` prints the same for the backends of a machine; "
    "[operators.md](../docs/operators.md) is the table of all operators, with the differences from PyTorch."
)


def _group(name: str) -> str:
    python = _python_names(name)
    module = next((each for each in MODULES if any(name.startswith(f"gn.{each}.") for name in python)), None)
    if module is not None:
        return f"gn.{module}"
    return (
        "gn, and methods of tensors" if python else "Not in Python: called by other operators and by autograd"
    )


def _python_names(name: str) -> list[str]:
    """Where the operator is in Python: ``gn.linalg.inv``, ``Tensor.exp``."""
    found = []
    for module in ("", *MODULES):
        for each in (name, name.removeprefix(f"{module}_")):
            owner: Any = gn
            for part in filter(None, module.split(".")):
                owner = getattr(owner, part)
            path = f"gn.{module}.{each}" if module else f"gn.{each}"
            if not each.startswith("_") and callable(vars(owner).get(each)) and path not in found:
                found.append(path)
    if not name.startswith("_") and hasattr(gn.Tensor, name):
        found.append(f"Tensor.{name}")
    return found


def _record(packet: Any) -> Any:
    operators = [each for each in packet.overloads.values() if each.record is not None]
    bases = [each for each in operators if each.record.base is None] or operators
    return bases[0].record if bases else None


def _first_sentence(packet: Any) -> str:
    text = " ".join((getattr(_record(packet), "doc", "") or "").split())
    return _cell(re.split(r"(?<=[.:]) ", text)[0] if text else "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def _plain(name: str) -> str:
    return name.replace("_", "\\_")


def _page(packet: Any, speeds: list[tuple[str, list[str], list[str]]], root: Path) -> str:
    lines = ["---", "orphan: true", "---", "", f"# {_plain(packet.name)}", ""]
    names = _python_names(packet.name)
    if names:
        lines += [", ".join(f"`{each}`" for each in names), ""]
    lines += [(getattr(_record(packet), "doc", "") or "").replace("<", "&lt;"), ""]
    report = gn.explain(packet).markdown().splitlines()[1:]
    text = "\n".join(line[1:] if line.startswith("###") else line for line in report)
    lines += [_with_places(text, root)]
    if speeds:
        lines += [
            "",
            "## Speed",
            "",
            "Times and, after them, their ratio to PyTorch's; see [benchmarks.md](../docs/benchmarks.md).",
            "",
        ]
        header: list[str] = []
        for group, columns, cells in speeds:
            if columns != header:
                lines += ["", f"| group | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
                header = columns
            lines.append(f"| {group} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _with_places(text: str, root: Path) -> str:
    """The text with ``file:line`` as links to the source, also in code."""

    def link(found: re.Match[str]) -> str:
        for each in _ROOTS:
            name = f"{each}/{found[1]}".lstrip("/")
            if (root / name).is_file():
                return f'<a href="../source/{name}.html#L{found[2]}">{html.escape(found[0])}</a>'
        return found[0]

    def shown(part: str) -> str:
        if not part.startswith("`"):
            return _PLACE.sub(link, part)
        linked = _PLACE.sub(link, html.escape(part.strip("`"), quote=False))
        return f"<code>{linked}</code>" if "<a href" in linked else part

    return "".join(map(shown, _SPAN.split(text)))


def _speeds(page: str) -> dict[str, list[tuple[str, list[str], list[str]]]]:
    """The rows of docs/benchmarks.md by the first word of their names: the group, the columns, the cells."""
    found: dict[str, list[tuple[str, list[str], list[str]]]] = defaultdict(list)
    group, columns = "", list[str]()
    for line in page.splitlines():
        if line.startswith("## "):
            group = line[3:]
        elif line.startswith("| work |"):
            columns = _cells(line)
        elif line.startswith("| ") and group and columns:
            cells = _cells(line)
            word = re.match(r"[\w.]+", cells[0])
            if word is not None and len(cells) == len(columns):
                found[word[0].rpartition(".")[2]].append((group, columns, cells))
    return found


def _cells(line: str) -> list[str]:
    return [each.strip() for each in line.strip().strip("|").split("|")]
