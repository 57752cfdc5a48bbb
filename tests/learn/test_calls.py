"""learn/calls.py: what is said of a call is what it did."""

from __future__ import annotations

from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import variable_type
from gnomon.backends.listing import kernel_operators
from gnomon.dispatch.dispatcher import aten
from gnomon.learn.observation import observe
from gnomon.learn.report import Report
from gnomon.memory.backend import get_backend
from gnomon.values.dispatch_key import DispatchKeySet
from gnomon.values.speedups import speedups

pytestmark = pytest.mark.both_tiers


def headings(report: Report) -> list[str]:
    return [each.heading for each in report.sections]


def rows_of(report: Report, heading: str, number: int = 0) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in report[heading].table(number).rows]


def test_the_sections_of_a_sum_of_two(device: str) -> None:
    a, b = gn.ones(4, 6, requires_grad=True), gn.arange(3)
    view = a[:, ::2]
    report = gn.explain(lambda: view + b)
    assert headings(report) == [
        *("Overload", "Arguments", "Dispatch", "Promotion", "Broadcast", "Iterator of copy_", "Iterator"),
        *("Result", "Kernel", "Plan", "Node"),
    ]
    assert report["Overload"].fact("called") == aten.add.Tensor.schema.text
    assert rows_of(report, "Arguments") == [
        ("self", "float32 (4, 3)", (6, 2), device_of(device), 0, ("Autograd", "ADInplaceOrView", "Dense")),
        ("other", "int64 (3,)", (1,), device_of(device), 0, ("ADInplaceOrView", "Dense")),
        ("alpha", "1", None, None, None, None),
    ]
    kernels = {name: get_backend(device).kernel_source(name) for name in ("copy_", "add.Tensor")}
    assert rows_of(report, "Kernel") == [
        ("copy_", device, kernels["copy_"], "float32"),
        ("add.Tensor", device, kernels["add.Tensor"], "float32"),
    ]
    assert rows_of(report, "Result") == [("result", "float32 (4, 3)", (3, 1), device_of(device), 48)]
    assert report["Result"].fact("shares memory with") == "none of the arguments"


def device_of(name: str) -> str:
    return str(gn.device(name))


def test_keys_are_those_that_the_call_passed(device: str) -> None:
    a = gn.ones(2, requires_grad=True)
    report = gn.explain(lambda: a.t())
    assert report["Dispatch"].fact("the set") == ("Autograd", "ADInplaceOrView", "Dense")
    assert [(row[0], row[1], row[3]) for row in rows_of(report, "Dispatch")] == [
        ("Autograd", "autograd_kernel", 1),
        ("ADInplaceOrView", "inplace_or_view_kernel", 2),
        ("Dense", "run_view", 3),
    ]
    with gn.no_grad():
        rows = rows_of(gn.explain(lambda: a + 1), "Dispatch")
    assert [(row[0], row[1], row[3]) for row in rows] == [
        ("Autograd", "autograd_kernel", 1),
        ("ADInplaceOrView", "fallthrough", ""),
        ("Dense", "run_functional", 2),
    ]
    code = variable_type.autograd_kernel.__code__
    assert rows[0][2] == f"autograd/variable_type.py:{code.co_firstlineno}"


def test_a_mode_is_a_key_of_the_thread(device: str) -> None:
    class Mode(gn.DispatchMode):
        pass

    a = gn.ones(2)

    def within() -> gn.Tensor:
        with Mode():
            return a + 1

    section = gn.explain(within)["Dispatch"]
    assert section.fact("included by the thread") == ("Python",)
    assert [row[0] for row in section.table().rows if row[3] == 1] == ["Python"]
    with gn.inference_mode():
        section = gn.explain(lambda: a + 1)["Dispatch"]
    assert section.fact("of every such call") == ("Dense",)


def calls() -> dict[str, Any]:
    """Calls of many kinds."""
    a, b, grad = gn.rand(3, 4), gn.rand(4), gn.rand(3, 4, requires_grad=True)
    sparse = a.to_sparse()

    def autocast() -> gn.Tensor:
        with gn.amp.autocast(a.device.type):
            return a @ a.t()

    return {
        "out": lambda: gn.add(a, b, out=gn.empty(0)),
        "list": lambda: gn._foreach_add([a, b], 1.0),
        "cat": lambda: gn.cat([a, a]),
        "factory": lambda: gn.zeros(3),
        "random": lambda: gn.randn(3),
        "index": lambda: a[gn.arange(2)],
        "assignment": lambda: a.__setitem__(0, 1.0),
        "two results": lambda: gn.sort(a),
        "composite": lambda: gn.softmax(grad, 0),
        "sparse": lambda: sparse + sparse,
        "vmap": lambda: gn.vmap(lambda x: x * 2)(a),
        "backward": lambda: (grad * grad).sum().backward(),
        "autocast": autocast,
        "reduction": lambda: a.sum(1, keepdim=True),
        "views": lambda: a.split(2),
        "product": lambda: grad @ grad.t(),
        "number": lambda: b.sum().item(),
        "comparison": lambda: gn.where(a > 0.5, a, 0),
        "expanded": lambda: a.expand(2, 3, 4),
        "empty": lambda: gn.ones(0, 3) + 1,
        "half": lambda: gn.ones(2, dtype=gn.float16) + 0.3,
        "quantized": lambda: gn.quantize_per_tensor(a, 0.1, 0, gn.quint8),
        "meta": lambda: gn.ones(2, 3, device="meta").t() + 1,
        "layer": lambda: gn.nn.functional.linear(a, gn.ones(2, 4)),
        "forward mode": lambda: gn.func.jvp(gn.sin, (a,), (a,)),
        "nothing": lambda: a.tolist(),
    }


@pytest.mark.parametrize("name", list(calls()))
def test_calls_of_every_kind(device: str, name: str) -> None:
    call = calls()[name]
    report = gn.explain(call)
    assert report.error is None and report.text() and report.markdown() and report.json()
    for each in (inner for outer in observe(call)[0] for inner in outer.walk() if inner.operator is not None):
        table = each.operator.table()
        first = [key for key in DispatchKeySet(each.keys) if table[key] is not None][:1]
        assert first == each.passed[:1], each.name


def test_rules_for_strides(device: str) -> None:
    def rule(call: Any) -> str:
        return gn.explain(call)["Result"].fact("strides, because")

    x = gn.ones(2, 3, 4, 5)
    last = x.to(memory_format=gn.channels_last)
    turned = gn.ones(3, 4).t()
    assert rule(lambda: x + x).startswith("FastSetupType::CONTIGUOUS")
    assert rule(lambda: last + last).startswith("FastSetupType::CHANNELS_LAST")
    assert rule(lambda: turned + turned).startswith("FastSetupType::NON_OVERLAPPING_DENSE")
    assert rule(lambda: x + gn.ones(5)).endswith("from the fastest, (3, 2, 1, 0)")
    assert rule(lambda: x.sum(1)) == "new outputs of a reduction are contiguous, whatever its inputs are"
    assert rule(lambda: x.add_(1)) == "it is self, which keeps its strides"
    assert rule(lambda: gn.add(x, x, out=gn.empty(0))).startswith("it is out=")
    assert rule(lambda: turned.t()).startswith("a view of self")
    assert rule(lambda: gn.cat([x, x])) == "the meta function gives them: contiguous"
    assert gn.explain(lambda: turned.t())["Result"].fact("shares memory with") == ("self",)


def test_in_place_on_a_view(device: str) -> None:
    x = gn.zeros(3, 4)
    report = gn.explain(lambda: x[:, 1].add_(gn.ones(3)))
    assert x[:, 1].tolist() == [1.0] * 3 and report.title.endswith("aten::add_.Tensor")
    assert rows_of(report, "Iterator") == [
        ("broadcast", (3,), (16,), (16,), (4,)),
        ("reordered", (3,), (16,), (16,), (4,)),
        ("coalesced", (3,), (16,), (16,), (4,)),
    ]
    assert report["Result"].fact("shares memory with") == ("self",)


def test_a_fallback_is_told(device: str) -> None:
    if device == "reference":
        pytest.skip("the reference does not fall back")
    known = get_backend("c").kernels
    missing = [
        each for each in kernel_operators() if each.name not in known and each.record.kernel is not None
    ]
    operator = next((each for each in missing if each.name == "hash_tensor"), None)
    if operator is None:
        pytest.skip("the backend c has this kernel now: choose another")
    x = gn.ones(2)
    report = gn.explain(lambda: gn.hash_tensor(x))
    assert rows_of(report, "Kernel")[0][1] == "reference"
    assert "hash_tensor: the backend of c has no kernel for this call" in " ".join(
        str(report["Kernel"]).split()
    )


def test_the_meta_device_runs_no_kernel() -> None:
    report = gn.explain(lambda: gn.ones(2, 3, device="meta") + 1)
    assert "No kernel ran." in str(report["Kernel"])
    assert rows_of(report, "Iterator")[2] == ("coalesced", (6,), (4,), (4,), (0,))


def test_the_plan(device: str) -> None:
    a = gn.ones(2, 3)
    section = gn.explain(lambda: a + a)["Plan"]
    if speedups is None:
        assert section.fact("other runs") == "in Python: there are no C speedups here"
    elif device == "reference":
        assert "Python function" in section.fact("other runs")
    else:
        assert section.fact("other runs").endswith("by this plan")
        assert section.fact("kernel") == "add.Tensor" and section.fact("bytes to allocate") == (24,)
        assert section.fact("kind") == "NEW" and section.fact("entry") == "CALL"
    if speedups is not None:
        says = gn.explain(lambda: gn.softmax(a, 0))["Plan"].fact("other runs")
        assert says.startswith("C calls the composite's function")
        with gn.inference_mode():
            assert "inference" in gn.explain(lambda: a + a)["Plan"].fact("other runs")
        assert gn.explain(lambda: a.t())["Plan"].fact("kind") == "VIEW"


def test_an_operator_of_a_user(device: str) -> None:
    @gn.library.custom_op("explained::twice", mutates_args=())
    def twice(x: gn.Tensor) -> gn.Tensor:
        return x * 2

    report = gn.explain(lambda: twice(gn.ones(2)))
    assert report.result.tolist() == [2.0, 2.0] and report.title.endswith("explained::twice")
    assert [row[0] for row in rows_of(report, "Kernel")] == ["mul.Tensor"]
    assert [row[0] for row in rows_of(report, "Dispatch") if row[3]][:1] == ["Autograd"]


def test_a_sparse_result_has_no_strides(device: str) -> None:
    s = gn.eye(3).to_sparse()
    text = str(gn.explain(lambda: s * 2)["Result"])
    assert "none" in text and "strides, because" not in text and "36" not in text
