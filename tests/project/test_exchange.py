"""docs/exchange.md: the code runs, and prints what the page shows."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.values.speedups import speedups
from time_limits import LONG_LIMIT

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "exchange.md"


@pytest.mark.skipif(speedups is None, reason="buffers need the C speedups")
def test_the_page_shows_what_its_code_prints(tmp_path: Path) -> None:
    copied = tmp_path / "exchange.md"
    copied.write_text(PAGE.read_text("utf-8"), "utf-8")
    tool = ROOT / "tools" / "pages.py"
    subprocess.run([sys.executable, str(tool), str(copied)], check=True, timeout=LONG_LIMIT)
    assert copied.read_text("utf-8") == PAGE.read_text("utf-8"), "python tools/pages.py docs/exchange.md"


def test_the_table_names_functions_that_there_are() -> None:
    import gnomon as gn

    names = {"from_numpy", "as_tensor", "tensor", "from_dlpack", "from_torch", "to_torch", "frombuffer"}
    text = PAGE.read_text("utf-8")
    assert all(f"gn.{name}" in text and hasattr(gn, name) for name in names)
    assert importlib.util.find_spec("gnomon.interop.pytorch") is not None
