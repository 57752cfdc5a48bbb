"""The suite's calls on the same rows many times: what they expect, and when they expect nothing."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon_conformance.collection.selection import operators
from gnomon_conformance.inputs import repeated_rows


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeated_rows, "LARGE", 40)


@pytest.mark.parametrize("dtype", ["float32", "bool", "int64"])
def test_the_reference_agrees_with_its_plans_in_every_dtype(dtype: str) -> None:
    """Three nonzero elements are found in the first row of floats, but not of bools."""
    for name in ("nonzero_static", "where.self", "sum.dim_IntList"):
        plans = repeated_rows.plans(operators()[name], "float32")
        assert plans
        for plan in plans:
            assert repeated_rows.check(operators()[name], plan, dtype, "reference") == ""


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_a_wrong_row_is_found(monkeypatch: pytest.MonkeyPatch, dtype: str) -> None:
    class Wrong(repeated_rows.Gnomon):
        def call(self, operator: Any, values: Any) -> Any:
            result = super().call(operator, values)
            if result.shape[0] >= 40:
                result[39] += 1
            return result

    monkeypatch.setattr(repeated_rows, "Gnomon", Wrong)
    operator = operators()["neg"]
    (plan, *_) = repeated_rows.plans(operator, "float32")
    assert plan.dim == 0
    problem = repeated_rows.check(operator, plan, dtype, "reference")
    assert "th time: result 0: element" in problem and "The call that is repeated:" in problem


def test_many_rows_are_left_out_where_the_reference_computes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its kernel would take minutes, and the test is "not claimed" in any case."""
    made = []

    class Counted(repeated_rows.Gnomon):
        def call(self, operator: Any, values: Any) -> Any:
            result = super().call(operator, values)
            made.append((self.device, result.shape[0]))
            return result

    monkeypatch.setattr(repeated_rows, "Gnomon", Counted)
    monkeypatch.setattr("gnomon.calls.launch._policy", "allow")
    for name, is_claimed in (("neg", True), ("exp", False)):
        (plan, *_) = repeated_rows.plans(operators()[name], "float32")
        made.clear()
        assert repeated_rows.check(operators()[name], plan, "float32", "hello") == ""
        sizes = [size for device, size in made if device == "hello"]
        assert sizes and (max(sizes) >= 40) is is_claimed
