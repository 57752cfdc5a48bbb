"""A notebook with gnomon's objects, run by nbclient: what each cell shows."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from time_limits import LIMIT

CELLS = [
    "import gnomon as gn\ngn.tensor([[1.0, 2.0]])",
    "gn.nn.Linear(2, 3)",
    "x = gn.ones(2, requires_grad=True)\ngn.explain(x.sin().sum())",
    "%matplotlib inline\nfrom matplotlib import pyplot\npyplot.plot(gn.arange(3))\npyplot.show()",
    "from tqdm.auto import tqdm\nsum(int(each) for each in tqdm(gn.arange(4)))",
    "import pandas\npandas.DataFrame(gn.eye(2))",
]


def executed(*cells: str) -> list[list[Any]]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
    NotebookClient(notebook, timeout=int(LIMIT), kernel_name="python3").execute()
    return [each.outputs for each in notebook.cells]


@pytest.fixture(scope="module")
def outputs() -> list[list[Any]]:
    return executed(*CELLS)


def test_texts(outputs: list[list[Any]]) -> None:
    assert outputs[0][0].data["text/plain"] == "tensor([[1., 2.]])"
    assert outputs[1][0].data["text/plain"] == "Linear(in_features=2, out_features=3, bias=True)"


def test_an_explanation_shows_as_html_or_text(outputs: list[list[Any]]) -> None:
    data = outputs[2][-1].data
    assert "SumBackward0" in data.get("text/html", "") + data["text/plain"]


def test_plots_bars_and_tables(outputs: list[list[Any]]) -> None:
    assert any("image/png" in each.get("data", {}) for each in outputs[3])
    assert outputs[4][-1].data["text/plain"] == "6"
    assert "<table" in outputs[5][0].data["text/html"]


def test_an_error_reaches_the_reader() -> None:
    with pytest.raises(CellExecutionError, match="RuntimeError"):
        executed("import gnomon as gn\ngn.ones(2) @ gn.ones(3)")
