"""The command ``gnomon exercises``."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from .folder import Folder
from .marking import Marks
from .record import Exercise
from .records import CHAPTERS, all_exercises, select
from .worker import marked

OK, FAILED, WRONG_COMMAND = 0, 1, 2
_COLORS = {"solved": "green", "passed": "green", "changed": "yellow", "skipped": "yellow", "not yet": "red"}


def main(arguments: Sequence[str]) -> int:
    """List, start and check exercises, and give hints; returns the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    folder = Folder(options.folder)
    try:
        if options.action == "start":
            return _start(folder, select(options.ids) or all_exercises())
        if options.action == "check":
            return _check(folder, options.ids)
        if options.action == "hint":
            return _hint(folder, options.id)
        return _list(folder)
    except (LookupError, OSError) as error:
        message = error.args[0] if isinstance(error, LookupError) else error
        print(f"gnomon exercises: {message}", file=sys.stderr)
        return WRONG_COMMAND


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gnomon exercises",
        description="Exercises to the chapters of the tour (docs/tour): you write a part of "
        "a tensor library, "
        "and gnomon's own part marks it. Without an action: list them, and which are solved.",
        epilog="Exit status: 0; 1 if not all that was checked is right; 2 for a wrong command.",
    )
    common = argparse.ArgumentParser(add_help=False)
    for each, default in ((parser, Path("exercises")), (common, argparse.SUPPRESS)):
        each.add_argument(
            "--folder",
            type=_folder,
            default=default,
            metavar="FOLDER",
            help="where your files are (default: exercises)",
        )
    actions = parser.add_subparsers(dest="action", metavar="action")
    which = "an exercise, or the number of a chapter"
    start = actions.add_parser("start", parents=[common], help="write files to begin with")
    start.add_argument("ids", nargs="*", metavar="ID", help=f"{which} (default: all)")
    check = actions.add_parser("check", parents=[common], help="mark your files")
    check.add_argument("ids", nargs="*", metavar="ID", help=f"{which} (default: all that are started)")
    hint = actions.add_parser("hint", parents=[common], help="show the next hint of an exercise")
    hint.add_argument("id", metavar="ID", help="an exercise")
    return parser


def _folder(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("expected the name of a folder, got none")
    return Path(text)


def _list(folder: Folder) -> int:
    solved = 0
    for chapter in CHAPTERS:
        _say(f"{chapter.number}. {chapter.title} (docs/tour/{chapter.page})")
        for exercise in chapter.exercises:
            state = folder.state(exercise)
            solved += state == "solved"
            _say(f"   {exercise.id:<20} {state:<8} {exercise.title}", state)
    _say("")
    _say(f"{solved} of {len(all_exercises())} solved in {folder.path}")
    if not folder.path.exists():
        _say("To begin: gnomon exercises start contiguous_strides")
    return OK


def _start(folder: Folder, exercises: Sequence[Exercise]) -> int:
    for exercise in exercises:
        if folder.start(exercise):
            _say(f"{folder.file(exercise)}: written; its first lines are the task")
        else:
            _say(f"{folder.file(exercise)}: exists, and stays as it is")
    return OK


def _check(folder: Folder, ids: Sequence[str]) -> int:
    if not folder.path.is_dir():
        raise LookupError(f"there is no folder {folder.path}; gnomon exercises start writes one")
    exercises = select(ids) or [each for each in all_exercises() if folder.file(each).is_file()]
    if not exercises:
        raise LookupError(f"no exercise has been started in {folder.path}; see gnomon exercises start --help")
    passed = []
    for exercise in exercises:
        if not folder.file(exercise).is_file():
            start = f"there is no {folder.file(exercise)}; to begin: gnomon exercises start {exercise.id}"
            marks = Marks([start])
        else:
            marks = marked(exercise, folder.file(exercise))
            folder.keep_result(exercise, marks.passed)
        _show(exercise, marks)
        passed.append(marks.passed or bool(marks.skipped))
    if len(exercises) > 1:
        _say(f"{sum(passed)} of {len(passed)} are right")
    return OK if all(passed) else FAILED


def _show(exercise: Exercise, marks: Marks) -> None:
    word = "skipped" if marks.skipped else "passed" if marks.passed else "not yet"
    _say(f"{exercise.id}: {word}{f': {marks.skipped}' if marks.skipped else ''}", word)
    for text in (*marks.findings, *marks.remarks):
        _say("\n".join(f"  {line}" for line in text.splitlines()))
    if marks.findings:
        _say(f"  For a hint: gnomon exercises hint {exercise.id}")


def _hint(folder: Folder, name: str) -> int:
    (exercise,) = select([name], single=True)
    if not folder.path.is_dir():
        start = f"to begin: gnomon exercises start {exercise.id}"
        raise LookupError(f"there is no folder {folder.path}, in which hints are counted; {start}")
    number = folder.next_hint(exercise)
    _say(f"Hint {number + 1} of {len(exercise.hints)} for {exercise.id}:")
    _say(textwrap.fill(exercise.hints[number], 100))
    return OK


def _say(text: str, state: str = "") -> None:
    """Print a text; a word for a state of an exercise is colored in a terminal, where there is rich."""
    color = _COLORS.get(state)
    if color is None or not sys.stdout.isatty() or find_spec("rich") is None:
        print(text)
        return
    from rich.console import Console
    from rich.text import Text

    colored = Text(text)
    colored.highlight_words([state], style=color)
    Console(soft_wrap=True).print(colored)
