"""docs/explain.md shows what `gnomon explain` prints, and its code runs."""

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
PAGE = ROOT / "docs" / "explain.md"


def _tool() -> Any:
    """tools/pages.py, as a module."""
    spec = importlib.util.spec_from_file_location("pages_tool", ROOT / "tools" / "pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = _tool()
SHOWN = dict(TOOL.blocks(PAGE.read_text("utf-8")))


def test_the_page_has_no_other_commands() -> None:
    text = PAGE.read_text("utf-8")
    assert len(SHOWN) == text.count("```console") == len(re.findall(r"^\$ ", text, re.MULTILINE)) >= 8


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 has no qualified names of functions")
@pytest.mark.skipif(speedups is None or not backend_info("c").available, reason="the page shows plans of C")
@pytest.mark.parametrize("command", list(SHOWN))
def test_the_page_shows_what_the_command_prints(command: str) -> None:
    """All but the numbers of lines in files, which change with every edit."""
    found, shown = (TOOL.without_lines(text) for text in (TOOL.printed(command), SHOWN[command]))
    assert found == shown, f"python tools/pages.py {PAGE.relative_to(ROOT)}"


def test_the_code_of_the_page_runs() -> None:
    names: dict[str, Any] = {}
    code = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(code) == 4
    for each in code:
        exec(compile(each, str(PAGE), "exec"), names)
