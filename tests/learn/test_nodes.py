"""learn/nodes.py: the Node that a call made, and what it keeps alive."""

from __future__ import annotations

from typing import Any

import pytest

import gnomon as gn
from gnomon.learn.report import Section

pytestmark = pytest.mark.both_tiers


def node_of(call: Any) -> Section:
    return gn.explain(call)["Node"]


def bytes_of(section: Section) -> tuple[Any, ...]:
    return tuple(
        section.fact(name)
        for name in (
            "keeps alive by what it saves, in bytes",
            "of these, kept by nothing but the graph",
            "Nodes that it keeps alive, with itself",
            "what they have saved, in bytes",
        )
    )


def test_an_intermediate_result_is_kept_by_the_graph_alone(device: str) -> None:
    a = gn.ones(100, requires_grad=True)
    section = node_of(lambda: (a * 2).sin())
    assert section.fact("Node") == "SinBackward0" and bytes_of(section) == (400, 400, 2, 400)
    assert [tuple(row) for row in section.table().rows] == [(0, "MulBackward0", 0)]
    assert [tuple(row) for row in section.table(1).rows] == [
        ("self", "float32 (100,)", 400, "only the graph")
    ]


def test_variables_keep_it_too(device: str) -> None:
    a = gn.ones(100, requires_grad=True)
    section = node_of(lambda: a.sin())
    assert bytes_of(section) == (400, 0, 1, 400)
    assert section.table(1).rows[0][3] == "other objects, too"
    assert [tuple(row) for row in section.table().rows] == [(0, "AccumulateGrad", 0)]
    middle = a * 2
    assert bytes_of(node_of(lambda: middle.sin())) == (400, 0, 2, 400)


def test_a_view_keeps_the_memory_of_its_base(device: str) -> None:
    a = gn.ones(100, requires_grad=True)
    doubled = a * 2
    row = doubled[:3]
    assert bytes_of(node_of(lambda: row.sin()))[:2] == (400, 0)
    assert bytes_of(node_of(lambda: (a * 2)[:3].sin()))[:2] == (400, 400)
    assert doubled.shape == (100,)


def test_the_result_itself_is_in_use(device: str) -> None:
    a = gn.ones(10, requires_grad=True)
    section = node_of(lambda: a.exp())
    assert section.table(1).rows[0][0] == "result" and bytes_of(section) == (40, 0, 1, 40)


def test_both_operands_and_numbers(device: str) -> None:
    a, b = gn.ones(4, requires_grad=True), gn.ones(4, requires_grad=True)
    section = node_of(lambda: a * b)
    assert [row[0] for row in section.table(1).rows] == ["other", "self"] or [
        row[0] for row in section.table(1).rows
    ] == ["self", "other"]
    assert bytes_of(section)[0] == 32
    section = node_of(lambda: gn.add(a, gn.ones(4), alpha=3))
    assert [tuple(row) for row in section.table().rows] == [
        (0, "AccumulateGrad", 0),
        (1, "none: it needs no gradient", None),
    ]
    assert "It saves alpha" not in str(section)  # the formula of other, which needs no gradient, has it
    assert "It saves alpha = 3." in str(node_of(lambda: gn.add(a, b, alpha=3)))


def test_one_tensor_saved_twice_counts_once(device: str) -> None:
    a = gn.ones(100, requires_grad=True)
    assert bytes_of(node_of(lambda: (a + 1) * (a + 1)))[:2] == (800, 800)

    def square() -> gn.Tensor:
        middle = a + 1
        return middle * middle

    assert bytes_of(node_of(square))[:2] == (400, 400)


def test_a_function_of_the_user(device: str) -> None:
    class Twice(gn.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: gn.Tensor) -> gn.Tensor:
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: gn.Tensor) -> gn.Tensor:
            return grad * 2

    a = gn.ones(5, requires_grad=True)
    section = node_of(lambda: Twice.apply(a))
    assert section.fact("Node") == "TwiceBackward" and bytes_of(section) == (20, 0, 1, 20)


def test_a_call_that_is_not_recorded_makes_none(device: str) -> None:
    a = gn.ones(5, requires_grad=True)
    with gn.no_grad():
        assert "Node" not in [each.heading for each in gn.explain(lambda: a.sin()).sections]
    assert "Node" not in [each.heading for each in gn.explain(lambda: gn.ones(2) + 1).sections]


def test_in_place(device: str) -> None:
    a = gn.ones(5, requires_grad=True)
    b = a * 2
    section = node_of(lambda: b.mul_(3))
    assert section.fact("Node") == "MulBackward0" and section.table().rows[0][1] == "MulBackward0"
