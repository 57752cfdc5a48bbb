"""docs/mistakes.md shows what gnomon and PyTorch say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "mistakes.md"


def _tool() -> Any:
    """tools/mistakes.py, as a module."""
    spec = importlib.util.spec_from_file_location("mistakes_tool", ROOT / "tools" / "mistakes.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = _tool()
MISTAKES = list(TOOL.mistakes(PAGE.read_text("utf-8")))
UPDATE = "python tools/mistakes.py docs/mistakes.md"


def test_the_page_is_read_whole() -> None:
    text = PAGE.read_text("utf-8")
    assert len(MISTAKES) == text.count("\n### ") >= 30
    assert all(list(each.errors) == list(TOOL.NAMES) for each in MISTAKES)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: each.title)
def test_gnomon(mistake: Any) -> None:
    with gn.device("reference"):
        assert TOOL.error_of(mistake.code, gn) == mistake.errors["gnomon"], UPDATE


@pytest.mark.oracle
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: each.title)
def test_pytorch(mistake: Any) -> None:
    torch = pytest.importorskip("torch")
    assert TOOL.error_of(mistake.code, torch) == mistake.errors["PyTorch"], UPDATE


# Of these, PyTorch's text says all that would help.
COMPLETE = (
    "backward() twice",
    "numpy() of",
    "A view that is not possible",
    "A saved tensor",
    "A module without",
)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: each.title)
def test_the_kind_is_pytorchs_and_the_text_says_more(mistake: Any) -> None:
    ours, theirs = (mistake.errors[name] for name in ("gnomon", "PyTorch"))
    assert ours.partition(":")[0] == theirs.partition(":")[0]
    if not mistake.title.startswith(COMPLETE):
        assert len(ours) > len(theirs) or mistake.title == "Targets of another shape"
