"""tools/notebooks.py: the tour as notebooks, which run, and show pictures."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from gnomon.backends.listing import backend_info
from gnomon.values.speedups import speedups

ROOT = Path(__file__).parents[2]
TOUR = ROOT / "docs" / "tour"
CHAPTERS = sorted(TOUR.glob("[0-9][0-9]_*.md"))
NEEDS_C = {"12_python_meets_c", "13_the_build"}

PAGE = """# Title

Text with [a chapter](02_layout_device_dtype.md#anchor), [a page](../explain.md) and [a site](https://example.org/x.md).

```python
x = 1
x
```

```text
1
```

```python
draw()
```

![a picture](picture.svg)

```console
$ gnomon walk "a + b"
its output
```

```python
1 / 0  # raises ZeroDivisionError
```

```text
ZeroDivisionError: division by zero
```

The end.
"""


def _tool() -> Any:
    """tools/notebooks.py, as a module."""
    spec = importlib.util.spec_from_file_location("notebooks_tool", ROOT / "tools" / "notebooks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = _tool()


def test_the_parts_of_a_page() -> None:
    kinds = list(TOOL.parts(PAGE))
    assert [kind for kind, _ in kinds] == ["markdown", "code", "code", "command", "code", "markdown"]
    assert kinds[1:5] == [
        ("code", "x = 1\nx"),
        ("code", "draw()"),
        ("command", 'gnomon walk "a + b"'),
        ("code", "1 / 0  # raises ZeroDivisionError"),
    ]
    assert kinds[5] == ("markdown", "The end.")


def test_links_lead_to_notebooks_or_to_pages(tmp_path: Path) -> None:
    page = TOUR / "01_tensor_storage_strides.md"
    output = ROOT / "build" / "tour"
    text = TOOL._with_links(PAGE, page, output, {(TOUR / "02_layout_device_dtype.md").resolve()})
    assert "[a chapter](02_layout_device_dtype.ipynb#anchor)" in text
    assert f"[a page]({os.path.join('..', '..', 'docs', 'explain.md')})" in text
    assert "[a site](https://example.org/x.md)" in text


def test_the_notebook_of_a_page(tmp_path: Path) -> None:
    pytest.importorskip("nbformat")
    page = tmp_path / "page.md"
    page.write_text(PAGE, "utf-8")
    made = TOOL.notebook(page, tmp_path, set())
    assert [cell.cell_type for cell in made.cells] == ["markdown", "code", "code", "code", "code", "markdown"]
    assert made.cells[3].source == '!gnomon walk "a + b"'
    assert "tags" not in made.cells[1].metadata
    assert made.cells[4].metadata.tags == ["raises-exception"]
    assert TOOL.write([page], tmp_path / "out") == [tmp_path / "out" / "page.ipynb"]
    first = (tmp_path / "out" / "page.ipynb").read_bytes()
    TOOL.write([page], tmp_path / "out")
    assert (tmp_path / "out" / "page.ipynb").read_bytes() == first


@pytest.mark.slow
@pytest.mark.parametrize("page", CHAPTERS, ids=[page.stem for page in CHAPTERS])
def test_a_chapter_runs_as_a_notebook(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ipykernel")
    nbclient = pytest.importorskip("nbclient")
    if page.stem in NEEDS_C and (speedups is None or not backend_info("c").available):
        pytest.skip("the chapter is about C code, which is not built")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))  # without the user's settings
    made = TOOL.notebook(page, tmp_path, set(CHAPTERS))
    nbclient.NotebookClient(made, timeout=120, kernel_name="python3").execute()
    code = [cell for cell in made.cells if cell.cell_type == "code"]
    failed = [cell for cell in code if any(each.output_type == "error" for each in cell.outputs)]
    assert failed == [cell for cell in code if "raises-exception" in cell.metadata.get("tags", ())]
    pictures = [each for cell in code for each in cell.outputs if "image/svg+xml" in each.get("data", {})]
    assert len(pictures) == page.read_text("utf-8").count(".svg)")
    for cell in code:
        if cell.source.startswith("!"):
            assert "".join(each.text for each in cell.outputs).strip(), cell.source
