"""learn/iteration.py: promotion, broadcasting and the iterator's steps, against TensorIterator itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gnomon as gn
from gnomon.calls.iterator import FastSetup, TensorIterator, result_type
from gnomon.learn.iteration import IteratorInSteps, explain_promotion
from gnomon.memory.spec import Spec, spec_of
from gnomon.values.dtype import float32

REFERENCE = gn.device("reference")


def rows_of(report: Any, heading: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in report[heading].table().rows]


def test_a_strided_view_and_a_row(device: str) -> None:
    a, b = gn.zeros(4, 6), gn.ones(3)
    report = gn.explain(lambda: a[:, ::2] + b)
    assert rows_of(report, "Broadcast") == [
        ("self", (4, 3), "none", (6, 2)),
        ("other", (3,), (0,), (0, 1)),
    ]
    assert report["Broadcast"].table().headings[3] == "strides as (4, 3)"
    assert rows_of(report, "Iterator") == [
        ("broadcast", (4, 3), None, (24, 8), (0, 4)),
        ("reordered", (3, 4), (4, 12), (8, 24), (4, 0)),
        ("coalesced", (3, 4), (4, 12), (8, 24), (4, 0)),
    ]
    assert report["Iterator"].fact("dimension 0 first, these were dimensions") == (1, 0)
    assert report["Iterator"].fact("elements") == 12


def test_dimensions_are_reordered_and_coalesced(device: str) -> None:
    a = gn.zeros(2, 3, 4).permute(2, 0, 1)
    report = gn.explain(lambda: a * 2)
    assert rows_of(report, "Iterator") == [
        ("broadcast", (4, 2, 3), None, (4, 48, 16), (0, 0, 0)),
        ("reordered", (4, 3, 2), (4, 16, 48), (4, 16, 48), (0, 0, 0)),
        ("coalesced", (24,), (4,), (4,), (0,)),
    ]
    assert report.result.stride() == (1, 12, 4)


def test_a_reduction(device: str) -> None:
    a = gn.zeros(2, 3, 4)
    report = gn.explain(lambda: a.sum(1))
    assert rows_of(report, "Iterator")[0] == ("broadcast", (2, 3, 4), (16, 0, 4), (48, 16, 4))
    assert report["Iterator"].fact("reduced dimensions") == (1,)


def test_no_dimensions(device: str) -> None:
    rows = rows_of(gn.explain(lambda: gn.tensor(1.0) + gn.tensor(2.0)), "Iterator")
    assert rows[2] == ("coalesced", (), (), (), ())


@st.composite
def specs(draw: st.DrawFn) -> list[Spec]:
    """One to three specs that broadcast, in various memory orders."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=0, max_size=4))
    found = []
    for _ in range(draw(st.integers(1, 3))):
        mine = [1 if draw(st.integers(0, 3)) == 0 else size for size in sizes]
        mine = mine[draw(st.integers(0, len(mine))) :]
        strides, step = [0] * len(mine), 1
        for dim in draw(st.permutations(range(len(mine)))):
            strides[dim] = step
            step *= mine[dim] + draw(st.integers(0, 1))
        found.append(spec_of(tuple(mine), tuple(strides), float32, REFERENCE))
    return found


@given(specs())
def test_the_steps_end_where_the_iterator_does(operands: list[Spec]) -> None:
    iterator = TensorIterator("test", operands, [float32], float32, REFERENCE)
    again = IteratorInSteps.again(iterator)
    assert again.steps["coalesced"] == (iterator.shape, [each.strides for each in iterator.operands])
    assert again.output_specs == iterator.output_specs and again.order == iterator.order
    shape, strides = again.steps["broadcast"]
    reordered, turned = again.steps["reordered"]
    assert reordered == [shape[dim] for dim in iterator.order] and shape == list(iterator.sizes)
    for before, after in zip(strides[1:], turned[1:]):
        assert after == [before[dim] for dim in iterator.order]
    setup, given_strides = again.setup
    if setup is not FastSetup.NONE:
        assert iterator.output_specs[0].strides == given_strides
    into = IteratorInSteps.again(iterator.with_outputs(iterator.output_specs))
    assert into.steps["broadcast"][1][0] == [4 * each for each in iterator.output_specs[0].strides]


@pytest.mark.parametrize(
    ("left", "right", "ranks", "common"),
    [
        (gn.ones(2, dtype=gn.int64), 2.5, ("int64", None, "float32"), "float32"),
        (
            gn.ones(2, dtype=gn.float16),
            gn.tensor(2.0, dtype=gn.float64),
            ("float16", "float64", None),
            "float16",
        ),
        (gn.ones(2, dtype=gn.bool), 3, ("bool", None, "int64"), "int64"),
        (gn.ones(2, dtype=gn.int8), gn.ones(2, dtype=gn.uint8), ("int16", None, None), "int16"),
        (gn.ones(2), 1j, ("float32", None, "complex64"), "complex64"),
    ],
)
def test_promotion_by_ranks(left: Any, right: Any, ranks: tuple[Any, ...], common: str) -> None:
    report = gn.explain(lambda: left + right)
    section = report["Promotion"]
    assert tuple([section.fact(name) for name, _ in section.blocks[1].rows[:3]]) == ranks
    assert section.fact("result_type") == section.fact("common dtype") == common
    assert report.result.dtype.name == common
    expected = gn.result_type(left, right)
    assert section.table().rows[-1][4] == expected.name


def test_promotion_of_a_wrapped_number_step_by_step() -> None:
    x = gn.ones(2, dtype=gn.int32)
    section = gn.explain(lambda: x * 2.5)["Promotion"]
    assert [tuple(row) for row in section.table().rows] == [
        ("self", "tensor with dimensions", "int32", "integer", "int32"),
        ("other", "wrapped number", "float32", "floating point", "float32"),
    ]
    assert section.fact("copies that are converted") == ("self: int32 to float32",)


def test_promotion_beyond_result_type() -> None:
    """Division computes integers in the default dtype, and a comparison returns bool."""
    x = gn.ones(2, dtype=gn.int32)
    section = gn.explain(lambda: x / x)["Promotion"]
    assert (section.fact("result_type"), section.fact("common dtype")) == ("int32", "float32")
    section = gn.explain(lambda: x > 2.5)["Promotion"]
    assert (section.fact("common dtype"), section.fact("dtype of the result")) == ("float32", "bool")


def test_without_operands_nothing_is_promoted() -> None:
    iterator = TensorIterator("test", [], [float32], float32, REFERENCE, static_sizes=(2,))
    assert explain_promotion(iterator, []) == []
    assert result_type(spec_of((2,), (1,), float32, REFERENCE), 2) is float32
