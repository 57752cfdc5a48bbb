"""backends/gnomon_speedups/plan.py: one declaration defines the fields of a plan in C and in Python."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.memory.tensor import bare_tensor
from gnomon.values import dispatch_key
from gnomon.values.speedups import speedups

ROOT = Path(__file__).resolve().parents[2]
aten = gn.ops.aten

pytestmark = pytest.mark.skipif(
    not gn.backends()["c"].available or speedups is None, reason="needs the C backend and the C speedups"
)


def build() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "cffi_build" / "speedups_build.py"))


def learnt(monkeypatch: pytest.MonkeyPatch, call: Any) -> list[Any]:
    """The plans that ``call`` leaves when all plans were forgotten before."""
    from gnomon_speedups import learning
    from gnomon_speedups.extension import extension

    plans: list[Any] = []

    def note(*arguments: Any) -> Any:
        plans.append(learning.learn(*arguments))
        return plans[-1]

    know = extension.know
    with monkeypatch.context() as patch:
        patch.setattr(extension, "know", lambda facts: know({**facts, "learn": note}))
        learning.know()
    speedups.forget_plans()
    try:
        call()
    finally:
        learning.know()
    return plans


def test_the_extension_has_the_fields_that_are_declared() -> None:
    from gnomon_speedups.extension import extension

    assert list(extension.plan_fields) == build()["fields"]()
    assert ("specs", "OBJECT") in extension.plan_fields and ("order", "INTEGERS") in extension.plan_fields


def test_the_header_has_the_numbers_of_dispatch_keys_and_kinds() -> None:
    header = build()["header"]()
    lines = header.splitlines()
    for name in ("TENSOR_KEYS", "AUTOGRAD", "GRAD_MODE_BIT", "OBSERVED_BIT", "TRACED_BIT", "EXCLUDED_SHIFT"):
        assert f"#define KEY_{name} {int(getattr(dispatch_key, name))}" in lines
    assert "#define KIND_WRITTEN 1" in lines and "#define ENTRY_ARRAY 9" in lines
    assert "    double *nbytes;" in lines and "    Py_ssize_t nbytes_count;" in lines


def test_a_field_that_is_declared_anew_makes_another_header(tmp_path: Path) -> None:
    """The first test compares the compiled fields: it fails if a field is added without compiling again."""
    declared = (ROOT / "backends" / "gnomon_speedups" / "plan.py").read_text()
    changed = declared.replace("    blocks: int = 0", "    planted: float = 0.0\n    blocks: int = 0")
    assert changed != declared
    (tmp_path / "plan.py").write_text(changed)
    module = build()
    module["fields"].__globals__["PLAN"] = str(tmp_path / "plan.py")
    assert ("planted", "NUMBER") in module["fields"]()
    assert "    double planted;" in module["header"]()


@pytest.mark.parametrize(
    "name, call, kind, entry",
    [
        ("add.Tensor", lambda x: aten.add.Tensor(x, x, 1), "NEW", "CALL"),
        ("add.Tensor", lambda x: aten.add.Tensor(x, 2.5, 1), "NEW", "CALL_NUMBER"),
        ("add_.Tensor", lambda x: aten.add_.Tensor(x, x.clone(), 1), "WRITTEN", "RUN"),
        ("max.dim", lambda x: aten.max.dim(x, 0, False), "NEW", "ARRAY"),
        ("fill_.Scalar", lambda x: aten.fill_.Scalar(x, 3), "WRITTEN", "RUN_SCALAR"),
        ("select.int", lambda x: aten.select.int(x, 0, 1), "VIEW", "NOTHING"),
        ("unbind.int", lambda x: aten.unbind.int(x, 0), "VIEWS", "NOTHING"),
        ("empty_like", lambda x: aten.empty_like(x), "NEW", "NOTHING"),
        ("uniform_", lambda x: aten.uniform_(x), "WRITTEN", "RUN_STREAM"),
    ],
)
def test_what_a_call_comes_to(
    name: str, call: Any, kind: str, entry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = gn.ones(3, 4, device="c")
    plans = [each for each in learnt(monkeypatch, lambda: call(x)) if each is not None]
    (plan,) = [each for each in plans if each.operator.name == name]
    assert (plan.kind.name, plan.entry.name) == (kind, entry)
    assert all(spec.device == gn.device("c") for spec in plan.specs)
    if kind == "NEW":
        assert plan.nbytes == tuple(float(spec.extent_nbytes) for spec in plan.specs)


def test_a_call_that_does_more_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    x, half = gn.ones(3, device="c"), gn.ones(3, dtype=gn.float16, device="c")
    assert learnt(monkeypatch, lambda: aten.add.Tensor(x, half, 1)) == [None]  # another launch converts
    assert learnt(monkeypatch, lambda: aten.add.Tensor(gn.ones(0, device="c"), 1, 1))[-1] is None
    out = gn.empty(0, device="c")
    learnt(monkeypatch, lambda: aten.add.out(x, x, 1, out))
    again = gn.empty(0, device="c")
    assert aten.add.out(x, x, 1, again).tolist() == [2.0] * 3  # it was resized, too


@pytest.mark.parametrize("name", ["tanh", "exp", "relu", "sigmoid", "softmax", "max", "layer_norm"])
def test_a_first_call_that_is_recorded_has_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds although its Node has saved the result, which is an alias by then."""
    x = gn.ones(3, 4, device="c").requires_grad_()
    calls = {
        "softmax": lambda: x.softmax(1),
        "max": lambda: x.max(1).values,
        "layer_norm": lambda: gn.nn.functional.layer_norm(x, (4,)),
    }
    call = calls.get(name) or getattr(x, name)
    plans = learnt(monkeypatch, call)
    assert plans and None not in plans and plans[-1].kind.name == "NEW"
    expected = gn.autograd.grad(call().sum(), x)[0].tolist()
    call()
    assert gn.autograd.grad(call().sum(), x)[0].tolist() == expected


def test_a_tensor_that_has_no_storage() -> None:
    """Neither the Tensor class nor a plan assumes that there is memory with an address."""
    made = bare_tensor()
    made._spec = gn.ones(2, 3, device="meta")._spec
    assert made._storage is None and made._address == 0.0 and made._version_counter is None
    made._keys = int(dispatch_key.TENSOR_KEYS)
    assert made.shape == (2, 3) and made.dtype is gn.float32 and made.is_meta
    for _ in range(3):
        result = made + made
        assert result.is_meta and result.shape == (2, 3) and result._address == 0.0
    references = sys.getrefcount(made._spec)
    del made, result
    assert references  # nothing was released that it never owned
