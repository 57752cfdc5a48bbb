"""tools/public_names.py: what counts as a public name, and the page."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "pytorch_names.md"


def _tool() -> Any:
    spec = importlib.util.spec_from_file_location("public_names_tool", ROOT / "tools" / "public_names.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TOOL = _tool()


def test_public_names_of_a_module() -> None:
    made: Any = ModuleType("torch.made")
    made.__all__ = ["b", "a", "_c", "none"]
    made.a = made.b = made._c = made.d = 1
    assert TOOL.public_names(made) == ["a", "b"]
    del made.__all__

    def function() -> None: ...

    function.__module__ = "torch.made"
    made.f, made._f, made.g, made.m = function, function, len, ModuleType("torch.m")
    assert TOOL.public_names(made) == ["f"]


def test_the_page_counts_and_lists() -> None:
    names = TOOL.Names
    found = [names("torch.linalg", ("inv", "svd"), ("svd",)), names("torch.fx.graph", ("Graph",), ("Graph",))]
    text = TOOL.page(found, "9.9")
    assert "Of 2 names" in text and "**1 (50.0%)**" in text
    assert "| `torch.linalg` | 2 | 1 | `svd` |" in text
    assert "| `torch.fx` | 1 | 0 | graphs of programs |" in text
    assert TOOL.left_out("torch.nn.quantized.modules") and not TOOL.left_out("torch.nn.modules")


def test_every_name_that_the_page_says_is_missing_is_missing() -> None:
    rows = [line.split(" | ") for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `torch")]
    assert len(rows) > 150
    for module, names, there, missing in [row for row in rows if "`" in row[3] or int(row[1]) == int(row[2])]:
        place = module.strip("| `")
        owner = TOOL._tensor() if place == "torch.Tensor" else TOOL.ours(place.partition(".")[2])
        listed = [each for each in missing.strip("| ").split(", ") if each]
        if all(each.startswith("`") for each in listed):
            assert int(names) - int(there) == len(listed)
            assert [each for each in listed if owner is not None and hasattr(owner, each.strip("`"))] == []


@pytest.mark.oracle
def test_the_page_is_pytorchs() -> None:
    import torch

    text = TOOL.page(TOOL.collected(), torch.__version__.partition("+")[0])
    followed, shown = (
        each.partition("\n## Modules that gnomon leaves out")[0] for each in (text, PAGE.read_text("utf-8"))
    )
    assert followed == shown, "python tools/public_names.py docs/pytorch_names.md"
