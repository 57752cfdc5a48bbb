"""All exercises, by chapter of the tour."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from . import (
    chapter_01,
    chapter_02,
    chapter_03,
    chapter_04,
    chapter_05,
    chapter_06,
    chapter_07,
    chapter_08,
    chapter_09,
    chapter_10,
    chapter_11,
    chapter_12,
    chapter_13,
)
from .record import Chapter, Exercise

# Number, title, page in docs/tour, exercises.
CHAPTERS = (
    Chapter(1, "Tensor, storage, strides", "01_tensor_storage_strides.md", chapter_01.EXERCISES),
    Chapter(2, "Layout, device, dtype", "02_layout_device_dtype.md", chapter_02.EXERCISES),
    Chapter(3, "Views and versions", "03_views_and_versions.md", chapter_03.EXERCISES),
    Chapter(4, "Dispatch", "04_dispatch.md", chapter_04.EXERCISES),
    Chapter(5, "The life of a call", "05_life_of_a_call.md", chapter_05.EXERCISES),
    Chapter(6, "TensorIterator", "06_tensor_iterator.md", chapter_06.EXERCISES),
    Chapter(7, "Writing a kernel", "07_writing_a_kernel.md", chapter_07.EXERCISES),
    Chapter(8, "Schemas and derivatives", "08_schemas_and_derivatives.md", chapter_08.EXERCISES),
    Chapter(9, "The graph and the engine", "09_graph_and_engine.md", chapter_09.EXERCISES),
    Chapter(
        10, "Double backward, forward mode, vmap", "10_double_backward_forward_vmap.md", chapter_10.EXERCISES
    ),
    Chapter(11, "Extending", "11_extending.md", chapter_11.EXERCISES),
    Chapter(12, "Python meets C", "12_python_meets_c.md", chapter_12.EXERCISES),
    Chapter(13, "The build", "13_the_build.md", chapter_13.EXERCISES),
)


def all_exercises() -> list[Exercise]:
    """The exercises of all chapters."""
    return [exercise for chapter in CHAPTERS for exercise in chapter.exercises]


def find(name: str) -> Exercise:
    """The exercise of this name.  Raises LookupError, which suggests another name."""
    names = {exercise.id: exercise for exercise in all_exercises()}
    if name not in names:
        near = difflib.get_close_matches(name, names, 1)
        suggestion = f"; did you mean {near[0]}?" if near else ""
        raise LookupError(f"there is no exercise {name!r}{suggestion} (gnomon exercises lists them)")
    return names[name]


def select(names: Sequence[str], single: bool = False) -> list[Exercise]:
    """The exercises of these names, and of these chapters by number.  Raises LookupError.

    ``single``: only names of exercises.
    """
    chapters = {} if single else {str(chapter.number): chapter.exercises for chapter in CHAPTERS}
    found = [each for name in names for each in chapters.get(name, ()) or [find(name)]]
    return list(dict.fromkeys(found))
