"""docs/ecosystem.md: its Python runs, and shows what the page says."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "ecosystem.md"


def _tool() -> Any:
    """tools/pages.py, as a module."""
    spec = importlib.util.spec_from_file_location("pages_of_the_ecosystem", ROOT / "tools" / "pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_python_of_the_page_shows_what_it_says() -> None:
    tool = _tool()
    cells = list(tool.cells(PAGE.read_text("utf-8")))
    assert len(cells) >= 8
    for cell, (text, _) in zip(cells, tool.executed(PAGE), strict=True):
        expected = (cell["shown"] or "").removesuffix("\n")
        assert text == expected, f"python tools/pages.py docs/ecosystem.md, below\n{cell['code']}"


def test_the_page_is_in_the_list_of_pages() -> None:
    assert "(ecosystem.md)" in (ROOT / "docs" / "README.md").read_text("utf-8")
