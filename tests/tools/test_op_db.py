"""tools/op_db.py: a few entries of PyTorch's operator database agree, and a wrong operator is found."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn

pytestmark = pytest.mark.oracle


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "tools"))
    from operator_database import comparison, report

    yield comparison, report
    for name in [name for name in sys.modules if name.partition(".")[0] == "operator_database"]:
        del sys.modules[name]


def test_entries_agree(tool: Any) -> None:
    comparison, report = tool
    total = report.Total()
    for name in ("mul", "linalg.det", "ge", "index_select"):
        for dtype in ("float64", "float32"):  # second gradients, errors
            for result in comparison.compare(name, dtype, 3):
                assert total.add(result) == []
    agreed = {kind: total.agreed[kind].total() for kind in comparison.KINDS}
    assert min(agreed.values()) > 0, agreed
    assert "|values|" in total.table() and "Names that gnomon does not have: none." in total.page(4, 3)


def test_wrong_values_gradients_and_strides_are_found(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    comparison, report = tool

    def wrong(input: gn.Tensor, other: Any, **options: Any) -> gn.Tensor:
        return (right(input, other * 1.0001, **options) * 1).t().contiguous().t()

    right = gn.mul
    monkeypatch.setattr(gn, "mul", wrong)
    (result, *_) = comparison.compare("mul", "float64", 4)
    assert {"values", "gradients", "strides"} <= {kind for kind, _ in result.differences}
    monkeypatch.delattr(gn.linalg, "det")
    total = report.Total()
    total.add(comparison.compare("linalg.det", "float32", 4)[0])
    assert total.missing == {"linalg.det"} and len(total.unknown) == 1
