"""The record of an exercise."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

SKELETONS = Path(__file__).parent / "skeletons"


@dataclass(frozen=True)
class Exercise:
    """One exercise.

    id       the name of the reader's file, without ``.py``
    title    what is to be written, in one line
    help     hints, a paragraph each: each says more than the one before; the last nearly gives the answer
    mark     compares the reader's module with gnomon; returns findings, none if it is right
    answers  names of functions that are the answer: their use gets a remark
    """

    id: str
    title: str
    help: str
    mark: Callable[[ModuleType], list[str]]
    answers: Sequence[str] = ()

    @property
    def hints(self) -> list[str]:
        """The hints, each as one line."""
        return [" ".join(each.split()) for each in self.help.strip().split("\n\n")]

    @property
    def skeleton(self) -> str:
        """The text of the file that the reader starts from."""
        return (SKELETONS / f"{self.id}.py").read_text("utf-8")

    @property
    def task(self) -> str:
        """The task: the docstring of the skeleton."""
        return ast.get_docstring(ast.parse(self.skeleton)) or ""


@dataclass(frozen=True)
class Chapter:
    """A chapter of the tour, with its exercises."""

    number: int
    title: str
    page: str
    exercises: Sequence[Exercise]
