"""learn/command.py: ``gnomon explain``."""

from __future__ import annotations

import json

import pytest

import gnomon as gn
from gnomon import cli


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(["explain", *arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_an_operator_in_each_format(capsys: pytest.CaptureFixture[str]) -> None:
    report = gn.explain("add.Tensor")
    assert run(capsys, "add.Tensor") == (0, f"{report.text()}\n", "")
    assert run(capsys, "aten::add.Tensor", "--format", "markdown") == (0, f"{report.markdown()}\n", "")
    status, text, _ = run(capsys, "add.Tensor", "--format", "json")
    assert status == 0 and json.loads(text) == json.loads(report.json())


def test_an_expression_with_statements(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (
        "x.t().contiguous()",
        "--with",
        "x=gn.rand(3,4)",
        "--format",
        "json",
        "--device",
        "reference",
    )
    status, text, _ = run(capsys, *arguments)
    data = json.loads(text)
    assert status == 0 and data["title"] == "2 calls, the last of aten::contiguous"
    kernels = next(each for each in data["sections"] if each["heading"] == "Kernel")["blocks"][0]["rows"]
    source = gn.explain("copy_.default")["Kernels"].table().rows
    assert kernels == [["copy_", "reference", dict(row[::2][:2] for row in source)["reference"], "float32"]]


def test_a_tensor_by_its_variable(capsys: pytest.CaptureFixture[str]) -> None:
    status, text, _ = run(capsys, "v", "--with", "x = gn.zeros(3, 4); v = x.t()", "--device", "reference")
    assert status == 0 and text.startswith("Tensor v: float32 (4, 3) on reference\n")
    assert "A reference: it is a view of x, which has the same storage." in text


def test_a_function_by_an_expression(capsys: pytest.CaptureFixture[str]) -> None:
    status, text, _ = run(capsys, "gn.nn.functional.relu")
    assert status == 0 and text.startswith("aten::relu\n")


def test_an_expression_that_raises_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    status, text, _ = run(capsys, "gn.zeros(2) + gn.ones(3)")
    assert status == 1 and "by the check in" in text and "Error\n-----\n" in text
    status, text, _ = run(capsys, "gn.none(2)")
    assert status == 1 and "has no attribute 'none'" in text


def test_some_sections(capsys: pytest.CaptureFixture[str]) -> None:
    status, text, _ = run(capsys, "add.Tensor", "--only", "Derivatives", "--only", "In ")
    report = gn.explain("add.Tensor")
    title = f"{report.title}\n{'=' * len(report.title)}"
    assert (status, text) == (0, f"{title}\n\n{report['Derivatives']}\n\n{report['In PyTorch']}\n")
    status, text, error = run(capsys, "add.Tensor", "--only", "None")
    assert (status, text) == (2, "") and "no section 'None'; there are ['Schema'" in error


def test_what_can_not_be_understood(capsys: pytest.CaptureFixture[str]) -> None:
    status, text, error = run(capsys, "addd")
    assert (
        (status, text) == (2, "") and "there is no operator 'addd'" in error and "did you mean add" in error
    )
    status, _, error = run(capsys, "not a name")
    assert status == 2 and "there is no operator 'not a name'" in error
    status, _, error = run(capsys, "gn.ones(2")
    assert status == 2 and "it is no expression: '(' was never closed" in error
    status, _, error = run(capsys, "add.Nope")
    assert status == 2 and "there is no overload 'add.Nope'; there are Tensor, out" in error
    status, _, error = run(capsys, "x", "--with", "x = none")
    assert status == 2 and "NameError: name 'none' is not defined" in error
    status, _, error = run(capsys, "gn.ones(2)", "--device", "nowhere")
    assert status == 2 and "nowhere" in error
    with pytest.raises(SystemExit):
        cli.main(["explain"])


def test_it_is_among_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main([])
    assert "explain an operator, or the calls that an expression makes" in " ".join(
        capsys.readouterr().out.split()
    )


def test_a_and_b_are_there_unless_they_are_set(capsys: pytest.CaptureFixture[str]) -> None:
    _, shown, _ = run(capsys, "a + b", "--only", "Arguments")
    assert shown.count("float32 (2,)") == 2
    status, shown, _ = run(
        capsys, "a + b", "--with", "a = gn.ones(3, 2, dtype=gn.int64)", "--only", "Arguments"
    )
    assert status == 0 and "int64 (3, 2)" in shown and shown.count("float32 (2,)") == 1
