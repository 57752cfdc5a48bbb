"""Marks a file of the reader's: loads it, and runs the marks of its exercise."""

from __future__ import annotations

import ast
import importlib.util
import linecache
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import gnomon as gn

from .comparing import Finding, Skipped, error_text, is_skeletons, not_written
from .record import Exercise


@dataclass
class Marks:
    """The result: right if there are no findings, and ``skipped`` (why) is empty."""

    findings: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    skipped: str = ""

    @property
    def passed(self) -> bool:
        """Is the exercise solved?"""
        return not self.findings and not self.skipped


def mark_file(exercise: Exercise, path: Path) -> Marks:
    """Mark a file, in this process."""
    try:
        source = path.read_text("utf-8")
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        where = f" in line {line}: {(getattr(error, 'text', '') or '').strip()}" if line else ""
        return Marks([f"{path.name} is not Python: {getattr(error, 'msg', error)}{where}"])
    linecache.checkcache(str(path))
    module = _without_code(path)
    try:
        with gn.device("reference"):  # a faster backend may round differently
            module = _loaded(exercise, path)
            findings = exercise.mark(module)
    except Finding as finding:
        findings = [str(finding)]
    except Skipped as skipped:
        return Marks(skipped=str(skipped))
    except (Exception, SystemExit) as error:  # the reader's code may raise anything
        if is_skeletons(module, error):
            findings = [not_written(module, error)]
        else:
            findings = [f"Your code raised {error_text(module, error)}"]
    finally:
        sys.modules.pop(f"exercise_{exercise.id}", None)
    return Marks(findings, _remarks(exercise, tree))


def _loaded(exercise: Exercise, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"exercise_{exercise.id}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def _without_code(path: Path) -> ModuleType:
    """A module that stands for one that could not be loaded, in texts."""
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    return module


def _remarks(exercise: Exercise, tree: ast.Module) -> list[str]:
    """Kind words to who asks gnomon for the answer."""
    skeleton = ast.parse(exercise.skeleton)
    new = _imported(tree) - _imported(skeleton) - {"gnomon"}
    used = (_attributes(tree) - _attributes(skeleton)) & set(exercise.answers)
    asked = sorted(new | used)
    if not asked:
        return []
    text = (
        f"A remark: your file takes {', '.join(asked)} from gnomon. That is fine for a comparison, but the "
        "exercise is worth more if you write it yourself."
    )
    return [text]


def _attributes(tree: ast.Module) -> set[str]:
    """The names after a dot."""
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def _imported(tree: ast.Module) -> set[str]:
    """The names that a file imports from gnomon."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{each.name}" for each in node.names}
    return {name for name in found if name.partition(".")[0] == "gnomon"}
