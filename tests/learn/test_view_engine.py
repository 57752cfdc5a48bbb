"""The page's autograd agrees with the reference's: Nodes, edges, what is saved, order, and gradients."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd.node import AccumulateGrad
from gnomon.learn.draw_graph import run_order
from gnomon.learn.nodes import behind
from gnomon.learn.view.contents import contents_of, graph_of
from gnomon.learn.view.view import page
from view_browser import browser, opened_page


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file: Path = tmp_path_factory.mktemp("view") / "page.html"
    file.write_text(page(), "utf-8")
    with browser() as opened, opened_page(opened, file) as shown:
        yield shown


VARIABLES = [
    ("x", "tensor([0.5, 1.25, 2.0], requires_grad=True)"),
    ("y", "tensor([[1.5], [0.25]], requires_grad=True)"),
    ("m", "tensor([[0.5, 1.0, 0.75], [1.25, 2.0, 0.1]], requires_grad=True)"),
    ("w", "tensor(1.75, requires_grad=True)"),
    ("c", "tensor([3.0, 0.5, 1.0])"),
]
STATEMENTS = "\n".join(f"{name} = {value}" for name, value in VARIABLES)


def expressions(count: int, seed: int) -> list[str]:
    choose = random.Random(seed)

    def make(depth: int) -> str:
        if depth == 0:
            return choose.choice(["x", "x", "y", "m", "w", "c", "2", "0.5", "3"])
        kind = choose.random()
        if kind < 0.5:
            left, right = make(depth - 1), make(choose.randrange(depth))
            return f"({left} {choose.choice('+-*/')} {right})"
        if kind < 0.6:
            return f"({make(depth - 1)}) ** {choose.choice(['2', '3', '0.5', '-1', 'w', '0'])}"
        name = choose.choice(
            ["sin", "cos", "exp", "log", "sqrt", "tanh", "sigmoid", "relu", "abs", "reciprocal", "square"]
        )
        if kind < 0.65:
            return f"-{make(depth - 1)}"
        if kind < 0.75:
            return f"((m @ m.t()).sum(0, keepdim=True).sum() + {make(depth - 1)} * w)"
        if kind < 0.8:
            return f"(x @ c) * {make(depth - 1)}"
        return f"({make(depth - 1)} * x).{name}()"

    def whole() -> str:
        return f"({make(choose.randrange(1, 5))} * {choose.choice('xym')}).{choose.choice(['sum', 'mean'])}()"

    return [whole() for _ in range(count)]


def variables() -> dict[str, Any]:
    names: dict[str, Any] = {"gn": gn}
    with gn.device("reference"):
        for name, value in VARIABLES:
            names[name] = eval(f"gn.{value.replace(')', ', dtype=gn.float64)')}", names)
    return names


def of_reference(expression: str) -> Any:
    """Name, edges, names of what is saved and results of each Node, in the engine's order; and all grads."""
    names = variables()
    output = eval(expression, names)
    edge = output._gradient_edge
    nodes = [node for node, _ in run_order([edge])]
    places = {node: place for place, node in enumerate(nodes)}
    least = min((n.sequence_nr for n in nodes if not isinstance(n, AccumulateGrad)), default=0)
    seen = [
        [
            node.name(),
            [None if each is None else places[each[0]] for each in node.next_edges],
            None if isinstance(node, AccumulateGrad) else list(node.plan.saved_names),
            None if isinstance(node, AccumulateGrad) else node.sequence_nr - least,
        ]
        for node in nodes
    ]
    output.backward()
    grads = {}
    for name, value in names.items():
        if isinstance(value, gn.Tensor) and value.grad is not None:
            grads[name] = value.grad.flatten().tolist()
    return seen, output.item(), grads


RUN = """([expressions, statements]) => expressions.map((expression) => {
    const graph = recordGraph(expression, statements);
    const steps = runInSteps(graph);
    const last = steps[steps.length - 1];
    const places = new Map(last.done.map((id, place) => [id, place]));
    const nodes = last.done.map((id) => graph.nodes[id]);
    const isLeaf = (node) => node.name === "AccumulateGrad";
    const least = Math.min(...nodes.filter((node) => !isLeaf(node)).map((node) => node.sequence));
    const seen = nodes.map((node) => [
        node.name,
        node.edges.map((edge) => edge && places.get(edge.node.id)),
        isLeaf(node) ? null : node.saved.map((each) => each.name),
        isLeaf(node) ? null : node.sequence - least,
    ]);
    const grads = {};
    for (const [id, value] of last.grads) grads[graph.nodes[id].variable.label] = value.data.map(String);
    return [seen, String(graph.output.data[0]), grads];
})"""


def number(text: str) -> float:
    return float(text.replace("Infinity", "inf"))


def test_graphs_order_and_gradients(view: Any) -> None:
    cases = expressions(1500, 31)
    found = view.evaluate(RUN, [cases, STATEMENTS])
    for expression, (seen, value, grads) in zip(cases, found):
        wanted_seen, wanted_value, wanted_grads = of_reference(expression)
        assert seen == wanted_seen, expression
        assert number(value) == pytest.approx(wanted_value, rel=1e-10, nan_ok=True), expression
        assert grads.keys() == wanted_grads.keys(), expression
        for name, wanted in wanted_grads.items():
            mine = [number(each) for each in grads[name]]
            # cancelling terms leave rounding errors of their sizes
            assert mine == pytest.approx(wanted, rel=1e-8, abs=1e-8, nan_ok=True), (expression, name)
    names = {each[0] for seen, _, _ in found for each in seen}
    assert len(names) > 20


def test_a_graph_of_the_command_runs_in_the_page_as_in_the_engine(view: Any) -> None:
    """Also of operators that the page does not know, of several outputs, and summed to sizes."""
    x = gn.tensor([[3.0, 1.0, 2.0], [0.5, -1.0, 4.0]], requires_grad=True, device="reference")
    b = gn.tensor([1.0, 2.0], requires_grad=True, device="reference")
    first, second = x.split(1, 0)
    y = (first.softmax(-1) * second).sum() + (b.unsqueeze(1) * x).max() + first.sum()
    data = graph_of(y, {"x": x, "b": b})
    last = view.evaluate(
        """(data) => {
            const graph = graphFromData(data), last = runInSteps(graph).pop();
            const label = (id) => graph.nodes[id].variable.label;
            const grads = [...last.grads].map(([id, value]) => [label(id), value]);
            return [last.done.map((id) => graph.nodes[id].name), grads];
        }""",
        data,
    )
    assert last[0] == [node.name() for node, _ in run_order([y._gradient_edge])]
    y.backward()
    grads = {name: (value["sizes"], value["data"]) for name, value in last[1]}
    assert grads.keys() == {"x", "b"}
    for name, leaf in (("x", x), ("b", b)):
        assert grads[name][0] == list(leaf.shape)
        assert grads[name][1] == pytest.approx(leaf.grad.flatten().tolist(), rel=1e-6)
    assert any(len(each["inputs"]) == 2 for each in data["nodes"])


def test_a_graph_in_the_page_leaves_the_graph_as_it_is() -> None:
    x = gn.tensor([1.0, math.inf], requires_grad=True, device="reference")
    y = (x * x).sum()
    found = contents_of(lambda: y, {"x": x})
    assert x.grad is None and found["mode"] == "autograd"
    nodes = {each["name"]: each for each in found["graph"]["nodes"]}
    assert nodes["MulBackward0"]["results"][0]["data"] == [1.0, "Infinity"]
    assert [each["name"] for each in nodes["MulBackward0"]["saved"]] == ["other", "self"]
    assert nodes["AccumulateGrad"]["label"] == "x" and nodes["AccumulateGrad"]["sequence"] is None
    y.backward()
    assert x.grad.tolist() == [2.0, math.inf]
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        contents_of(lambda: y, {})


def test_a_large_graph_is_refused() -> None:
    x = gn.ones(1, requires_grad=True, device="reference")
    y = x
    for _ in range(401):
        y = y + 1
    assert len(list(behind(y.grad_fn))) == 402
    with pytest.raises(ValueError, match="the graph has 402 Nodes, of which at most 400"):
        graph_of(y, {})


REFUSED = """([expression, statements]) => {
    try { recordGraph(expression, statements); return null; }
    catch (error) { return [error.kind, error.message]; }
}"""
ONE, TWO = "x = ones(1, requires_grad=True)", "x = ones(2, requires_grad=True)"


@pytest.mark.parametrize(
    ("expression", "statements", "kind", "message"),
    [
        ("x", "x = tensor([1.0, 2.0], requires_grad=True)", "RuntimeError",
         ("grad can be implicitly created only for scalar outputs; element 0 of tensors has shape [2]; "
          "a sum() or mean() of it is one number, or give its gradient")),
        ("x.sum()", "x = tensor([1.0, 2.0])", "RuntimeError",
         ("element 0 of tensors does not require grad and does not have a grad_fn: no tensor "
          "that it was computed from requires grad, or it was computed under no_grad() or detached")),
        ("x", "x = tensor([1, 2], requires_grad=True)", "RuntimeError",
         ("only Tensors of floating point and complex dtype can require gradients, not of gnomon.int64; "
          "to(gnomon.float32) converts")),
        ("(x + y).sum()", "x = ones(2, requires_grad=True); y = ones(3)", "RuntimeError",
         ("add: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension "
          "0: [2] and [3] do not broadcast")),
        ("x.sum(3)", "x = ones(2, requires_grad=True)", "IndexError",
         "sum: Dimension out of range (expected to be in range of [-1, 0], but got 3)"),
    ],
)  # fmt: skip
def test_mistakes_have_the_words_of_gnomon_too(
    view: Any, expression: str, statements: str, kind: str, message: str
) -> None:
    names: dict[str, Any] = {}
    with pytest.raises((RuntimeError, IndexError)) as caught, gn.device("reference"):
        public = {name: getattr(gn, name) for name in ("tensor", "ones")}
        exec(statements, public, names)
        eval(expression, public, names).backward()
    assert (type(caught.value).__name__, str(caught.value)) == (kind, message)
    found = view.evaluate(
        REFUSED,
        [expression, statements],
    )
    assert found == [kind, message]


@pytest.mark.parametrize(
    ("expression", "statements", "kind", "message"),
    [
        ("x.foo()", TWO, "AttributeError", "no attribute 'foo' in this mode; there are +"),
        ("y", "x = ones(2)", "NameError", "name 'y' is not defined"),
        ("x", "x", "SyntaxError", "expected name = expression"),
        ("x % 2", ONE, "TypeError", "% has no gradient here"),
        ("3", "", "TypeError", "the expression is a int, not a tensor"),
        ("x.sum()", "x = ones(5000, requires_grad=True)", "OverflowError", "at most 4096 elements, not 5000"),
        ("x @ x", "x = ones(2, 2, 2, requires_grad=True)", "RuntimeError", "two vectors or two matrices"),
        ("(" + "x + " * 500 + "x).sum()", ONE, "RuntimeError", "at most 400 can be drawn"),
    ],
)  # fmt: skip
def test_what_the_page_refuses(view: Any, expression: str, statements: str, kind: str, message: str) -> None:
    found = view.evaluate(
        REFUSED,
        [expression, statements],
    )
    assert found[0] == kind and message in found[1]
