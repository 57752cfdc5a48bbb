"""``gnomon trace`` shows which operators, dispatch keys, kernels and Nodes each line of a program runs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

import gnomon as gn
from gnomon import cli
from gnomon.learn.trace import Trace, tracing
from time_limits import LIMIT

PROGRAM = """import sys
import gnomon as gn
a = gn.ones(2, 3, requires_grad=True, device="reference")
b = gn.ones(3, device="reference")
y = (a * b).t()
y.sum().backward()
a.detach().zero_()
print("the program says", *sys.argv[1:])
"""


def shape(trace: Trace, pattern: str = "", depth: int | None = None) -> list[str]:
    return trace.text(pattern, depth, with_times=False).splitlines()


def test_a_call_with_its_keys_and_kernel():
    a, b = gn.ones(2, 3, requires_grad=True, device="reference"), gn.ones(3, device="reference")
    with tracing() as trace:
        (a * b).t()
    here = "test_trace.py:"
    place, *lines = shape(trace)
    assert place.startswith(here) and place.endswith("  (a * b).t()")
    assert lines == [
        "  operator mul.Tensor (float32[2, 3], float32[3]) -> float32[2, 3], 24 new bytes",
        "    key Autograd of mul.Tensor",
        "      key Dense of mul.Tensor",
        "        kernel mul.Tensor on reference",
        "  operator t (float32[2, 3]) -> float32[3, 2], a view with strides [1, 3]",
        "    key Autograd of t",
        "      key ADInplaceOrView of t",
        "        key Dense of t",
    ]


def test_memory_of_results():
    x = gn.ones(2, 3, device="reference")
    with tracing() as trace:
        x.add_(1)
        x.clone()
        x.split(1)
        gn.ones(2, 3, device="reference").to_sparse()
    (added,) = [each for each in trace.events if each.name.startswith("add_")]
    assert added.notes == ["float32[2, 3], written in place"]
    (cloned,) = [each for each in trace.events if each.name == "clone"]
    assert cloned.notes == ["float32[2, 3], 24 new bytes"]
    assert [each.notes for each in cloned.all() if each.name == "copy_ on reference"] == [["copies 24 bytes"]]
    (split,) = [each for each in trace.events if each.name.startswith("split")]
    assert split.notes == ["float32[1, 3], a view with strides [3, 1]"] * 2
    (sparse,) = [each for each in trace.events if each.name == "to_sparse"]
    assert sparse.notes == ["float32[2, 3]"]


def test_wrapped_tensors_have_no_memory_of_their_own():
    x = gn.ones(3, 2, device="reference")
    with tracing() as trace:
        gn.vmap(lambda row: row * 2)(x)
    (product,) = [each for each in trace.events if each.name == "mul.Tensor"]
    assert product.notes == ["float32[2]"]
    inner = [each.notes for each in product.all() if each is not product and each.name == "mul.Tensor"]
    assert inner == [["float32[3, 2], 24 new bytes"]]


def test_nodes_of_backward():
    a = gn.ones(2, requires_grad=True, device="reference")
    y = (a * a).sum()
    with tracing() as trace:
        y.backward()
    nodes = [each.name for top in trace.events for each in top.all() if each.scope == "node"]
    assert nodes[:2] == ["SumBackward0", "MulBackward0"]
    assert a.grad.tolist() == [2.0, 2.0]


def test_a_call_that_raises_is_shown():
    with tracing() as trace, pytest.raises(RuntimeError):
        gn.ones(2, device="reference") + gn.ones(3, device="reference")
    assert trace.events[-1].name == "add.Tensor" and trace.events[-1].notes == ["raised"]


def test_a_trace_keeps_no_tensor_alive():
    x = gn.ones(2, device="reference")
    with tracing() as trace:
        y = x + 1
    gone = weakref.ref(y)
    del x, y
    assert gone() is None and len(trace.events) == 1


def test_only_some_calls_are_shown():
    x = gn.ones(2, device="reference")
    with tracing() as trace:
        x + 1
        x.exp()
    assert [line.strip() for line in shape(trace, "kernel exp")[1:]] == [
        "operator exp (float32[2]) -> float32[2], 8 new bytes",
        "key Dense of exp",
        "kernel exp on reference",
    ]
    assert [line.split()[1] for line in shape(trace, depth=1) if "operator" in line] == ["add.Tensor", "exp"]
    assert shape(trace, "nothing") == []
    with pytest.raises(ValueError, match=r"^not a regular expression: '\('"):
        trace.text("(")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gnomon.cli", "trace", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )


def test_the_command_runs_a_program(tmp_path: Path):
    script, chrome, output = (tmp_path / name for name in ("train.py", "trace.json", "tree.txt"))
    script.write_text(PROGRAM)
    done = run("--no-times", "--depth", "1", "--chrome", str(chrome), str(script), "--depth", "x")
    assert done.returncode == 0, done.stderr
    said, *tree = done.stdout.splitlines()
    assert said == "the program says --depth x"
    assert [line for line in tree if not line.startswith(" ")] == [
        'train.py:3  a = gn.ones(2, 3, requires_grad=True, device="reference")',
        'train.py:4  b = gn.ones(3, device="reference")',
        "train.py:5  y = (a * b).t()",
        "train.py:6  y.sum().backward()",
        "train.py:7  a.detach().zero_()",
    ]
    events = json.loads(chrome.read_text())["traceEvents"]
    (product,) = [
        each for each in events if each["name"] == "mul.Tensor" and each["args"]["line"].endswith(":5")
    ]
    assert product["cat"] == "operator" and product["args"]["notes"] == ["float32[2, 3], 24 new bytes"]
    done = run("--output", str(output), str(script))
    assert done.stdout == "the program says\n" and re.search(r"\d us  +operator mul", output.read_text())


def test_what_ran_before_an_error_is_shown(tmp_path: Path):
    script = tmp_path / "fails.py"
    script.write_text("import gnomon as gn\ngn.ones(2)\nraise KeyError('gone')\n")
    done = run(str(script))
    assert done.returncode == 1 and "operator ones" in done.stdout
    assert done.stderr.rstrip().endswith("KeyError: 'gone'")
    script.write_text("import gnomon as gn\ngn.ones(2)\nraise SystemExit(3)\n")
    done = run(str(script))
    assert done.returncode == 3 and "operator ones" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.py"], "no such file: missing.py"),
        (["--depth", "0", "x.py"], "expected a number from 1 on, got 0"),
        (["--chrome", "/nowhere/x.json", __file__], "--chrome: no such folder: /nowhere"),
        (["--output", "/nowhere/x.txt", __file__], "--output: no such folder: /nowhere"),
    ],
)
def test_mistakes_are_said(arguments, message):
    done = run(*arguments)
    assert done.returncode == 2 and message in done.stderr


def test_a_program_that_is_interrupted_leaves_its_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "endless.py"
    script.write_text("import gnomon as gn\ngn.ones(2) + 1\nraise KeyboardInterrupt\n")
    assert cli.main(["trace", "--no-times", str(script)]) == 130
    shown = capsys.readouterr()
    assert "operator add.Tensor" in shown.out and shown.err == "gnomon: interrupted\n"
