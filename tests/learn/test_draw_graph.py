"""A graph's drawing has all Nodes, Edges, saved tensors with versions, and hooks; and the engine's order."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

import gnomon as gn
from gnomon.dispatch.record_function import BACKWARD_FUNCTION, RecordFunctionCallback, observing
from gnomon.learn.draw_graph import draw_graph, run_order

SVG = "{http://www.w3.org/2000/svg}"


def texts(output: gn.Tensor, **options: bool) -> list[str]:
    root = ElementTree.fromstring(draw_graph(output, **options).svg)
    return [each.text for each in root.iter(f"{SVG}text")]


def network() -> tuple[gn.Tensor, gn.Tensor, gn.Tensor]:
    w = gn.ones(3, 2, requires_grad=True, device="reference")
    b = gn.zeros(2, requires_grad=True, device="reference")
    x = gn.ones(4, 3, device="reference")
    return w, b, ((x @ w + b).relu() * 2).sum() + (w * w).sum()


def test_nodes_edges_and_saved_tensors():
    kept = network()  # a leaf that only a graph refers to is freed
    y = kept[2]
    shown = texts(y)
    names = [each.split(" (")[0] for each in shown if "sequence_nr" in each]
    assert sorted(names) == sorted(
        ["AddBackward0", "AddBackward0", "SumBackward0", "SumBackward0", "MulBackward0", "MulBackward0"]
        + ["ReluBackward0", "MmBackward0"]
    )
    assert shown.count("AccumulateGrad") == 2 and shown.count("leaf: float32 [3, 2]") == 1
    assert shown.count("its grad: none") == 2
    assert "saved result: float32 [4, 2], version 0" in shown
    # the two edges of each addition and of w * w, and one of each other Node: b's and w's come last
    assert draw_graph(y).svg.count("marker-end") == 2 + 1 + 1 + 1 + 2 + 1 + 2 + 1
    y.backward()
    assert "its saved tensors are freed" in texts(y) and "its grad: float32 [3, 2]" in texts(y)


def test_a_write_to_a_saved_tensor_is_seen():
    a = gn.ones(2, requires_grad=True, device="reference")
    b = a.exp()
    c = b * b
    assert [each for each in texts(c) if each.startswith("saved self")] == [
        "saved self: float32 [2], version 0"
    ]
    b.add_(1)
    assert "saved self: float32 [2], version 0, now 1: backward refuses" in texts(c)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        c.sum().backward()


def test_hooks_are_counted():
    w, _, y = network()
    y.grad_fn.register_hook(lambda inputs, outputs: None)
    y.grad_fn.register_prehook(lambda outputs: None)
    w.register_hook(lambda gradient: None)
    assert [each for each in texts(y) if "hook" in each] == ["2 hooks", "1 hook"]


def test_the_order_is_the_engines():
    for output in (network()[2], (network()[2] * network()[2]).exp()):
        order = [node for node, _ in run_order([output._gradient_edge])]
        names = [node.name() for node in order if node.name() != "AccumulateGrad"]
        seen: list[str] = []
        callback = RecordFunctionCallback(
            lambda scope, name, given, seen=seen: seen.append(name), None, [BACKWARD_FUNCTION]
        )
        with observing(callback):
            output.backward()
        assert names == seen


def test_the_steps_are_written():
    shown = texts(network()[2], steps=True)
    start = shown.index("the engine's run")
    steps = shown[start + 1 :]
    assert steps[0] == "1. AddBackward0 runs; ready: SumBackward0, SumBackward0"
    assert steps[-1] == "10. AccumulateGrad accumulates; ready: empty" and len(steps) == 10
    assert [each for each in shown[:start] if each.rstrip(".").isdigit()] != []


def test_what_is_not_drawn():
    a = gn.ones(2, requires_grad=True, device="reference")
    with pytest.raises(ValueError, match="no grad_fn"):
        draw_graph(a)
    b = a
    for _ in range(401):
        b = b + 1
    with pytest.raises(ValueError, match="402 Nodes, of which at most 400"):
        draw_graph(b)


def test_leaves_that_become_ready_together_run_in_order():
    """Two of one Node: nothing but the order in which they were put into the queue says which is first."""
    x, y = (gn.ones(2, requires_grad=True, device="reference") for _ in range(2))
    order = run_order([(x * y)._gradient_edge])
    first, second = (node.variable for node, _ in order[1:])
    assert first is x and second is y
