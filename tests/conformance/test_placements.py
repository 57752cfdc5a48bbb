"""The suite's layouts and places: where its tensors are in memory, and that writes elsewhere are detected."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon_conformance.collection.selection import operators, variants
from gnomon_conformance.comparison.differences import unchanged
from gnomon_conformance.execution.check import check_place
from gnomon_conformance.execution.runner import Outcome, TensorOutcome
from gnomon_conformance.inputs import placements
from gnomon_conformance.inputs.description import (
    LAYOUTS,
    MORE_LAYOUTS,
    Stored,
    different_layouts,
    sample,
    stored,
    strides_of,
    tensor,
)
from gnomon_conformance.inputs.variants import emptied, without_dimensions


@pytest.mark.parametrize(
    ("sizes", "layout", "strides", "offset"),
    [
        ((2, 3, 4), "permuted", (3, 1, 6), 0),
        ((2, 3, 4, 5), "permuted", (60, 1, 15, 3), 0),
        ((2, 3), "permuted", (1, 5), 0),
        ((2, 3), "window", (32, 1), 7),
        ((2, 3), "column", (15, 5), 3),
        ((1, 3, 1, 1), "odd ones", (17, 1, 0, 1), 0),
        ((4, 4), "overlapping", (2, 1), 0),
        ((0, 3), "window", (32, 1), 7),
    ],
)
def test_layouts_lie_as_they_say(sizes: Any, layout: str, strides: Any, offset: int) -> None:
    assert strides_of(sizes, layout) == (strides, offset)
    made = stored(tensor(*sizes), "float32", layout, 0)
    last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides))
    assert len(made.numbers) > last if all(sizes) else True


def test_what_is_written_to_does_not_overlap_itself() -> None:
    made = stored(tensor(4, 4), "float32", "overlapping", 0, is_written=True)
    assert (made.strides, made.offset) == strides_of((4, 4), "gapped")


def test_layouts_that_are_others_in_disguise_are_left_out() -> None:
    neg = operators()["neg"].schema
    assert different_layouts(sample(tensor(3)), neg, MORE_LAYOUTS, but=LAYOUTS) == ("window", "column")
    assert different_layouts(sample(tensor()), neg, MORE_LAYOUTS, but=("contiguous",)) == ("window", "column")
    assert "odd ones" in different_layouts(sample(tensor(2, 1, 3)), neg, MORE_LAYOUTS)


def test_sizes_of_nothing() -> None:
    add = operators()["add.Tensor"].schema
    given = sample(tensor(2, 3), tensor(3))
    found = [[each.sizes for each in made.args] for made in emptied(given, add)]
    assert found == [[(0, 3), (3,)], [(2, 0), (0,)]]
    found = [[each.sizes for each in made.args] for made in without_dimensions(given, add)]
    assert found == [[(), (3,)], [(2, 3), ()], [(), ()]]


def _names(found: Any) -> set[str]:
    return {place.name for place in found}


def test_places_of_outputs() -> None:
    variant = variants("out")["sub.out"]
    given = sample(tensor(2, 2), tensor(2, 2), alpha=2)
    assert _names(placements.out_places(variant, given, "float32")) == {*placements.PAIRS, "is expanded"}
    for place in placements.out_places(variant, given, "float32"):
        called = place.sample.args
        assert place.functional.kwargs["alpha"] == 2  # tolerances need alpha
        if place.name == "is the input":
            assert called[-1] is called[0] or called[-1] is called[1]
    laid = {place.name: place.sample.args[-1] for place in placements.out_layouts(variant, given, "float32")}
    assert laid["lies window"].contents.strides == (31, 1)
    assert set(laid["lies window"].contents.numbers) == {80}


def test_the_input_around_an_output_has_its_own_numbers() -> None:
    """None of its rows twice: of such a matrix, some results depend on roundings."""
    variant = variants("out")["geqrf.a"]
    given = sample(tensor(2, 3))
    own = placements.materialized(variant.record.base.schema, given, "float32")[0]
    for place in placements.out_places(variant, given, "float32"):
        read = place.sample.args[0].contents
        if "between" in place.name:
            assert read.strides == (6, 2) and read.numbers[::2] == tuple(own.contents.numbers)
            break
    else:
        pytest.fail("there is no such place")


def test_places_of_self() -> None:
    variant = variants("inplace")["add_.Tensor"]
    one, other = tensor(2, 3), tensor(3)
    assert _names(placements.inplace_places(variant, sample(one, other), "float32")) == {"is expanded"}
    found = _names(placements.inplace_places(variant, sample(one, one), "float32"))
    assert found == {"is expanded", *placements.PAIRS} - {"is the input, transposed"}


@pytest.mark.parametrize("kind", ["inplace", "out"])
def test_the_reference_agrees_with_itself(kind: str) -> None:
    variant = variants(kind)["clamp_.Tensor" if kind == "inplace" else "clamp.Tensor_out"]
    given = sample(tensor(2, 2), tensor(2, 2), tensor(2, 2))
    make = placements.inplace_places if kind == "inplace" else placements.out_places
    found = list(make(variant, given, "float32"))
    assert len(found) > 10
    assert [check_place(variant, place, "float32", "reference") for place in found] == [""] * len(found)


def test_what_is_written_around_an_output_is_seen() -> None:
    whole = Stored((1.0, 2.0, 3.0, 4.0), (4,), (1,), 0, "float32")
    view = Stored((1.0, 2.0, 3.0, 4.0), (2,), (2,), 1, "float32")
    after = (1.0, 9.0, 3.0, 9.0)

    def problems(after: Any) -> list[str]:
        outcome = Outcome((), (after, after), (0, 0), None, ())
        return unchanged(outcome, [whole, view], [False, True], ["one", "one"])

    assert problems(after) == []
    assert problems((7.0, 9.0, 3.0, 9.0)) == [
        f"memory around argument {place} was written to: element 0 of its storage is 7.0, and was 1.0"
        for place in (0, 1)
    ]
    # the same if the two have different storages
    outcome = Outcome((), (after, after), (0, 0), None, ())
    assert any("argument 0 was changed" in each for each in unchanged(outcome, [whole, view], [False, True]))


def test_an_output_that_is_given_other_sizes_may_grow_over_its_storage() -> None:
    before = Stored((77.0, 77.0, 77.0), (0,), (1,), 1, "float32")

    def problems(after: Any, sizes: Any) -> list[str]:
        result = TensorOutcome("float32", sizes, (1,), 1, "reference", ("same", 0), after[1 : 1 + sizes[0]])
        return unchanged(Outcome((result,), (after,), (1,), None, ()), [before], [True])

    assert problems((77.0, 1.0, 77.0), (1,)) == []
    assert problems((77.0, 1.0, 2.0), (2,)) == []
    (problem,) = problems((77.0, 1.0, 2.0), (1,))
    assert "memory around argument 0 was written to: element 2 of its storage is 2.0" in problem
