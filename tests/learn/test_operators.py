"""learn/operators.py: an operator's record, kernels, derivatives and status, as the objects have them."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.backends.listing import recorded_facts
from gnomon.dispatch.dispatcher import aten
from gnomon.learn.operators import dispatch_table, explain_operator, kernel_name_of
from gnomon.learn.places import formula_text, place, pytorch_files
from gnomon.memory.backend import Backend, backend_status, get_backend, reference_backend
from gnomon.values.dispatch_key import KEYS

SOURCE = Path(gn.__file__).parent


def line_with(file: str, text: str) -> int:
    """The number of the first line of a file that contains a text."""
    lines = (SOURCE / file).read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_every_operator_has_an_explanation() -> None:
    count = 0
    for packet in aten:
        report = gn.explain(packet)
        text, page = report.text(), report.markdown()
        for operator in packet.overloads.values():
            assert operator.schema.text in " ".join(text.split()), operator
        assert report.data() and page.startswith("## aten::")
        headings = [each.heading for each in report.sections]
        assert len(set(headings)) == len(headings)
        assert any(each.startswith("Dispatch table") for each in headings)
        count += 1
    assert count == len(list(aten)) > 1000


def test_each_variant_alone() -> None:
    for packet in aten:
        for operator in packet.overloads.values():
            report = gn.explain(operator)
            assert report["Schema"].fact("schema") == operator.schema.text
            base = operator.record.base
            if base is not None:
                assert report["Schema"].fact("variant of") == base.name


def test_schema_and_record() -> None:
    facts = gn.explain(aten.add.Tensor)["Schema"]
    line = line_with("ops/pointwise/arithmetic.py", '"add.Tensor(Tensor self')
    assert facts.fact("record") in [f"ops/pointwise/arithmetic.py:{line - back}" for back in range(3)]
    assert facts.fact("kind") == "kernel"
    assert facts.fact("variants") == ("add_.Tensor", "add.out")
    assert facts.fact("a number may be") == "both"
    assert gn.explain("add_.Tensor")["Schema"].fact("writes to") == ("self",)
    assert gn.explain("t")["Schema"].fact("returns") == "an alias of self"


def test_overloads_are_in_the_order_in_which_they_are_tried() -> None:
    rows = gn.explain(gn.max)["Overloads"].table().rows
    assert [(order, name) for order, name, _ in rows] == [
        (1, "default"),
        (2, "other"),
        (3, "dim"),
        ("by out=", "unary_out"),
        ("by out=", "dim_max"),
        ("by out=", "out"),
    ]


def test_meta_function() -> None:
    facts = gn.explain("exp")["Meta function"]
    assert facts.fact("meta function").endswith("meta")
    line = line_with("calls/meta_functions.py", "def unary_float") + 3
    assert facts.fact("file") == f"calls/meta_functions.py:{line}"
    assert gn.explain("t")["Meta function"].fact("view function") == aten.t.default.record.view.__qualname__


def test_dispatch_table_is_the_computed_one() -> None:
    operator = aten.exp.default
    rows = {row[0]: row[1:] for row in dispatch_table(operator).rows}
    assert list(rows) == [key.name for key in reversed(KEYS)]
    assert rows["Autograd"] == (
        "boxed fallback autograd_kernel",
        f"autograd/variable_type.py:{line_with('autograd/variable_type.py', 'def autograd_kernel')}",
    )
    assert rows["Dense"] == (
        "run_functional",
        f"calls/running.py:{line_with('calls/running.py', 'def run_functional')}",
    )
    for key in KEYS:
        assert (rows[key.name][0] == "fallthrough") == (operator.table()[key] is None)
    assert [row[0] for row in dispatch_table(aten.hstack.default).rows] == ["every key"]


def test_kernels_of_each_backend_with_file_and_line() -> None:
    section = gn.explain(aten.add.out)["Kernels"]
    assert section.fact("kernel") == "add.Tensor"
    rows = {row[0]: row[1:] for row in section.table().rows}
    assert rows["reference"] == (True, reference_backend.kernel_source("add.Tensor"), "all")
    for name in ("c", "cuda"):
        backend, available, reason = backend_status(name)
        if backend is None or "add.Tensor" not in backend.kernels:
            continue
        assert rows[name] == (available, backend.kernel_source("add.Tensor"), "all")
        assert rows[name][1].startswith("csrc/pointwise.def:")
        if not available:
            assert f"{name} is not available here: {reason}" in str(section).replace("\n", " ")
    source = SOURCE.parents[1] / "csrc" / "pointwise.def"
    if source.exists() and "c" in rows and rows["c"][0]:
        number = int(rows["c"][1].rpartition(":")[2])
        assert '"add.Tensor"' in source.read_text("utf-8").splitlines()[number - 1]


def test_cuda_sources_and_what_launches_them() -> None:
    backend, _, _ = backend_status("cuda")
    if backend is None:
        pytest.skip("gnomon_cuda is not installed")
    rows = {row[0]: row[2] for row in gn.explain("index_select")["Kernels"].table().rows}
    source, _, launcher = rows["cuda"].partition(", launched by ")
    assert source == "csrc/cuda/index.cu"
    file, _, line = launcher.rpartition(":")
    assert file == "gnomon_cuda/indexing.py"
    code = backend.kernels["index_select"].direct.function.__code__
    assert int(line) == code.co_firstlineno
    assert backend.kernel_source("add.Tensor").startswith("csrc/pointwise.def:")


def test_a_backend_of_somebody_else_by_its_kernels_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def negate(iterator: Any) -> None:
        raise AssertionError

    class Sketch(Backend):
        contract_version = (1, 4)
        name = device_type = "sketch"
        kernels = {"neg": negate}  # noqa: RUF012
        capabilities = {"neg": ("float32", "float64")}  # noqa: RUF012

    gn.register_backend(Sketch())
    try:
        rows = {row[0]: row[1:] for row in gn.explain("neg")["Kernels"].table().rows}
        line = inspect.getsourcelines(negate)[1]
        assert rows["sketch"] == (True, f"learn/test_operators.py:{line}", "float32 float64")
        rows = {row[0]: row[1:] for row in gn.explain("exp")["Kernels"].table().rows}
        assert rows["sketch"] == (True, "none: the fallback policy decides", "-")
    finally:
        from gnomon.memory import backend as registry

        registry._backends.pop("sketch")


@pytest.mark.parametrize("name", ["hello", "numpy"])
def test_plug_ins_that_are_loaded(name: str) -> None:
    try:
        backend = get_backend(name)
    except RuntimeError:
        pytest.skip(f"{name} is not installed")
    rows = {row[0]: row[1:] for row in gn.explain("add.Tensor")["Kernels"].table().rows}
    assert rows[name][1] == backend.kernel_source("add.Tensor") and rows[name][1].startswith(
        f"gnomon_{name}/"
    )


def test_which_kernel_an_operator_runs() -> None:
    assert kernel_name_of(aten.sum.default) == "sum.dim_IntList"
    assert kernel_name_of(aten.zeros.default) == "fill_.Scalar"
    assert kernel_name_of(aten.softmax.int) == kernel_name_of(aten.t.default) == ""


def test_decomposition() -> None:
    section = gn.explain("softmax.int")["Decomposition"]
    assert section.fact("calls") == tuple(recorded_facts()["softmax.int"]["parts"])
    assert "_softmax" in section.fact("calls")
    assert section.fact("file").startswith("ops/nn/softmax.py:")
    assert gn.explain("clone")["Decomposition"].fact("explicit") == "_clone"


def test_derivatives_and_what_they_save() -> None:
    section = gn.explain("add.Tensor")["Derivatives"]
    assert section.fact("Node") == "AddBackward0"
    rows = [row[:4] for row in section.table().rows]
    assert rows == [
        ("self", "grad", "nothing", ("grad",)),
        ("other", "scaled(grad, alpha)", ("alpha",), ("grad",)),
    ]
    rows = {row[0]: row[2] for row in gn.explain("mul.Tensor")["Derivatives"].table().rows}
    assert rows == {"self": ("other",), "other": ("self",)}
    (row,) = gn.explain("exp")["Derivatives"].table().rows
    assert row[2] == ("result",)
    assert "the sizes of self" in str(gn.explain("select.int")["Derivatives"])
    assert "never require grad" in str(gn.explain("detach")["Derivatives"])
    assert "no derivative formulas" in str(gn.explain("gcd")["Derivatives"])


def test_formulas_are_their_source() -> None:
    assert formula_text(lambda grad, self: grad * self.cosh()) == "grad * self.cosh()"

    def backward(grad: Any, self: Any) -> Any:
        return grad

    assert formula_text(backward) == "backward(grad, self)"
    first, second = (lambda grad: grad), (lambda grad: -grad)
    assert formula_text(first) == formula_text(second) == "a lambda of grad"
    assert formula_text(abs) == "<built-in function abs>" and place(abs) == "builtins.abs"


def test_conformance_is_what_is_recorded() -> None:
    section = gn.explain("softmax.int")["Conformance"]
    status = recorded_facts()["softmax.int"]["oracle"]
    assert section.fact("beside PyTorch").startswith(f"{status['agree']} of {status['calls']} calls agree")
    assert f"Departure: {status['departures'][0].split(';')[0]}" in " ".join(str(section).split())


def test_pytorchs_files() -> None:
    assert pytorch_files(aten.add.Tensor)[0] == "aten/src/ATen/native/BinaryOps.cpp"
    assert gn.explain("softmax.int")["In PyTorch"].fact("of the same role") == (
        "aten/src/ATen/native/SoftMax.cpp",
    )


def test_an_operator_of_a_user() -> None:
    library = gn.library.Library("learnt", "DEF")
    library.define("twice(Tensor x) -> Tensor")

    def on_host(x: Any) -> Any:
        return x * 2

    library.impl("twice", on_host, "CPU")
    report = gn.explain("learnt::twice")
    assert report.title == "learnt::twice" and report["Schema"].fact("namespace") == "learnt"
    ((where, name, file),) = report["Kernels"].table().rows
    assert where == "cpu" and name.endswith("on_host") and "Conformance" not in report.text()
    assert file == f"learn/test_operators.py:{inspect.getsourcelines(on_host)[1]}"
    assert explain_operator(gn.ops.learnt.twice.default).title == "learnt::twice"

    @gn.library.custom_op("learnt_too::half", mutates_args=())
    def half(x: gn.Tensor) -> gn.Tensor:
        return x / 2

    assert gn.explain(half).title == "learnt_too::half"
