"""docs/compat.md: its Python runs, its error is what the command prints, and it is listed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

from time_limits import LONG_LIMIT

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "compat.md"


def _tool() -> Any:
    """tools/pages.py, as a module."""
    spec = importlib.util.spec_from_file_location("pages_of_compat", ROOT / "tools" / "pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_pages_python_shows_what_stands_there() -> None:
    tool = _tool()
    cells = list(tool.cells(PAGE.read_text("utf-8")))
    assert len(cells) == 2 and PAGE.name in tool.RUN
    for cell, (text, _) in zip(cells, tool.executed(PAGE), strict=True):
        assert text == (cell["shown"] or "").removesuffix("\n"), "python tools/pages.py docs/compat.md"


def test_the_error_is_the_commands(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import torch\ntorch.nn.Linaer(2, 2)\n")
    command = [sys.executable, "-m", "gnomon.compat", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LONG_LIMIT)
    assert done.returncode == 1 and f"$ python -m gnomon.compat program.py\n{done.stderr}" in PAGE.read_text()


def test_the_page_is_listed() -> None:
    assert "(docs/compat.md)" in (ROOT / "README.md").read_text("utf-8")
    assert "(compat.md)" in (ROOT / "docs" / "README.md").read_text("utf-8")
