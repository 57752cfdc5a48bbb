"""docs/tour: the Python and the commands of each chapter run, and print what the chapter shows."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from gnomon.backends.listing import backend_info
from gnomon.values.speedups import speedups

ROOT = Path(__file__).parents[2]
TOUR = ROOT / "docs" / "tour"
CHAPTERS = sorted(path.stem for path in TOUR.glob("[0-9][0-9]_*.md"))
NEEDS_C = {"12_python_meets_c", "13_the_build"}

python_has_qualified_names = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="Python 3.10 has no qualified names of functions"
)


def _tool() -> Any:
    """tools/pages.py, as a module."""
    spec = importlib.util.spec_from_file_location("pages_of_the_tour", ROOT / "tools" / "pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TOOL = _tool()


def _compare(chapter: str, environment: dict[str, str]) -> None:
    """Run a chapter's Python; compare texts and pictures but for the numbers of lines in files."""
    page = TOUR / f"{chapter}.md"
    how = f"python tools/pages.py {page.relative_to(ROOT)}"
    cells = list(TOOL.cells(page.read_text("utf-8")))
    for cell, (text, svg) in zip(cells, TOOL.executed(page, environment), strict=True):
        expected = (cell["shown"] or "").removesuffix("\n")
        assert TOOL.without_lines(text) == TOOL.without_lines(expected), f"{how}, below\n{cell['code']}"
        if cell["file"] is not None:
            stored = TOUR.joinpath(cell["file"]).read_text("utf-8")
            assert TOOL.without_lines(svg) == TOOL.without_lines(stored), f"{how} writes {cell['file']}"


def _skip_without_c(chapter: str) -> None:
    if chapter in NEEDS_C and (speedups is None or not backend_info("c").available):
        pytest.skip("the chapter is about C code, which is not built")


@python_has_qualified_names
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_python_of_a_chapter_shows_what_the_page_says(chapter: str) -> None:
    _skip_without_c(chapter)
    _compare(chapter, {})


@pytest.mark.slow
@python_has_qualified_names
@pytest.mark.parametrize("chapter", [each for each in CHAPTERS if each not in NEEDS_C])
def test_a_chapter_shows_the_same_without_the_speedups(chapter: str) -> None:
    _compare(chapter, {"GNOMON_SPEEDUPS": "none"})


@python_has_qualified_names
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_commands_of_a_chapter_print_what_the_page_says(chapter: str) -> None:
    _skip_without_c(chapter)
    text = TOUR.joinpath(f"{chapter}.md").read_text("utf-8")
    shown = list(TOOL.blocks(text))
    assert len(shown) == text.count("```console")
    for command, output in shown:
        assert TOOL.without_lines(TOOL.printed(command)) == TOOL.without_lines(output), command


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_has_its_parts(chapter: str) -> None:
    text = TOUR.joinpath(f"{chapter}.md").read_text("utf-8")
    assert text.startswith(f"# {int(chapter[:2])}. ")
    assert text.count(".svg)") >= 1
    for heading in ("## Exercises", "## Where this lives in PyTorch"):
        assert text.count(f"\n{heading}\n") == 1
    started = re.findall(r"`gnomon exercises start (\w+)`", text)
    checked = re.findall(r"`gnomon exercises check (\w+)`", text)
    assert started == checked and len(set(started)) == 3
    assert 140 <= text.count("\n") <= 460


@pytest.mark.parametrize("chapter", [*CHAPTERS, "README"])
def test_links_and_files_that_a_chapter_names_exist(chapter: str) -> None:
    text = TOUR.joinpath(f"{chapter}.md").read_text("utf-8")
    text = re.sub(r"^```.*?^```$|^    .*?$", "", text, flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text):
        if "://" not in link:
            assert TOUR.joinpath(link).exists(), link
    table = text.partition("## Where this lives in PyTorch\n")[2]
    for row in re.findall(r"^\|(.*)\|$", table, re.MULTILINE)[2:]:
        for file in re.findall(r"`([\w./]+\.(?:py|c|h|def|md))`", row.split("|")[-1]):
            assert any((ROOT / base / file).exists() for base in ("", "reference/gnomon")), file


def test_the_table_of_chapters_is_complete() -> None:
    text = TOUR.joinpath("README.md").read_text("utf-8")
    assert re.findall(r"\]\((\d\d_\w+)\.md\)", text) == CHAPTERS
    assert len(CHAPTERS) == 13


def test_a_block_shows_its_prints_its_last_value_and_the_error_that_it_says() -> None:
    names: dict[str, Any] = {}
    shown = TOOL.run_block("x = 2\nprint('one')\nx + 1\n", "<block>", names)
    assert shown == ("one\n3", None)
    assert TOOL.run_block("x = 3\n", "<block>", names) == ("", None)
    assert TOOL.run_block("[][x]  # raises IndexError\n", "<block>", names).text == (
        "IndexError: list index out of range"
    )
    with pytest.raises(RuntimeError, match="should raise KeyError"):
        TOOL.run_block("x  # raises KeyError\n", "<block>", names)
    with pytest.raises(ZeroDivisionError):
        TOOL.run_block("1 / 0  # raises KeyError\n", "<block>", names)
    assert TOOL.run_block("object()\n", "<block>", names).text == "<object object at 0x…>"
