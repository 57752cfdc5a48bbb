"""tools/pages.py runs the commands that a page shows; docs/questions.md shows what they print."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
QUESTIONS = ROOT / "docs" / "questions.md"


def loaded() -> Any:
    """tools/pages.py, as a module."""
    spec = importlib.util.spec_from_file_location("pages_tool", ROOT / "tools" / "pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tool = loaded()
COMMANDS = dict(tool.blocks(QUESTIONS.read_text("utf-8")))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_question_is_answered_by_its_command(command: str) -> None:
    shown = COMMANDS[command]
    assert shown, "python tools/pages.py docs/questions.md"
    assert tool.without_lines(shown) == tool.without_lines(tool.printed(command))


def test_ten_questions() -> None:
    text = QUESTIONS.read_text("utf-8")
    numbers = [line.split()[1] for line in text.splitlines() if line.startswith("## ")]
    assert numbers == [f"{number}." for number in range(1, 11)]
    assert (ROOT / "docs" / "questions_graph.svg").read_text("utf-8").startswith("<svg ")
    assert len(COMMANDS) == 10


def test_a_page_is_written_anew(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    text = "text\n\n```console\n$ gnomon walk 'pass' --counts\n{}```\n\nmore\n"
    page.write_text(text.format("old\n"), "utf-8")
    tool.write(page)
    assert page.read_text("utf-8") == text.format("0 Python calls, no kernel ran\n0 files\n")


def test_a_command_that_fails_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="gnomon walk 'a \\+': gnomon walk: SyntaxError"):
        tool.printed("gnomon walk 'a +'")


def test_numbers_of_lines_are_left_out() -> None:
    text = "name  file.py:12   x\n----  ----\nname  a/file.cu:7"
    assert tool.without_lines(text) == "name  file.py x\n\nname  a/file.cu "
    assert (
        tool.without_lines("f.py:1  b") == tool.without_lines("f.py:1234 b") != tool.without_lines("g.py:1 b")
    )
