"""values/schema.py: PyTorch's signature language."""

from __future__ import annotations

import pytest

from gnomon.values.schema import REQUIRED, Alias, FunctionSchema


def test_a_schema_with_everything() -> None:
    text = (
        "f.over(Tensor(a!) self, Tensor?[] indices, int[2] stride=[], SymInt? end=None, *, Scalar alpha=1, "
        "ScalarType? dtype=None, str mode='none', bool[3] mask, Tensor(b!) out) -> (Tensor(a!) values, "
        "Tensor[])"
    )
    schema = FunctionSchema(text)
    assert (schema.name, schema.overload_name, schema.full_name) == ("f", "over", "f.over")
    by_name = {argument.name: argument for argument in schema.arguments}
    assert by_name["self"].alias == Alias("a", True) and by_name["self"].is_written
    assert (
        by_name["indices"].is_list
        and by_name["indices"].elements_optional
        and not by_name["indices"].is_optional
    )
    assert by_name["stride"].list_size == 2 and by_name["stride"].default == ()
    assert by_name["end"].is_optional and by_name["end"].type == "SymInt" and by_name["end"].default is None
    assert by_name["alpha"].kwarg_only and by_name["alpha"].default == 1 and not by_name["end"].kwarg_only
    assert by_name["mode"].default == "none" and by_name["mask"].default is REQUIRED
    assert schema.is_out and not schema.is_inplace and not schema.is_view
    assert [result.name for result in schema.returns] == ["values", ""]
    assert schema.returns[1].is_list
    assert repr(schema) == text


def test_views_inplace_and_out_are_told_apart() -> None:
    view = FunctionSchema("t(Tensor(a) self) -> Tensor(a)")
    assert view.is_view and not view.is_inplace
    split = FunctionSchema("split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]")
    assert split.is_view and split.returns[0].is_list and split.returns[0].alias == Alias("a", False)
    inplace = FunctionSchema("add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)")
    assert inplace.is_inplace and not inplace.is_out and not inplace.is_view
    out = FunctionSchema(
        "add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"
    )
    assert out.is_out and not out.is_inplace


def test_reductions_defaults_are_numbers() -> None:
    schema = FunctionSchema("mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor")
    assert schema.arguments[2].default == 1


@pytest.mark.parametrize("text", ["", "add", "add(Tensor self)", "(Tensor) -> Tensor", "1f(int a) -> int"])
def test_what_is_no_schema_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="invalid operator schema"):
        FunctionSchema(text)


def test_commas_in_brackets_separate_nothing() -> None:
    schema = FunctionSchema(
        "made_up(Tensor(a!)[] x, int[2] stride=[1, 2] , *,  float[]? sizes=None) -> (Tensor x, Tensor y)"
    )
    assert [each.name for each in schema.arguments] == ["x", "stride", "sizes"]
    assert schema.arguments[1].default == (1, 2)
    assert [each.kwarg_only for each in schema.arguments] == [False, False, True]
    assert [each.name for each in schema.returns] == ["x", "y"]
