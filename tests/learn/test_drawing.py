"""``draw``: what it draws of which thing, and the command."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import gnomon as gn
from gnomon.cli import main
from gnomon.learn import draw


def test_kinds_of_drawings():
    x = gn.arange(6.0, device="reference").view(2, 3).requires_grad_()
    y = (x * x).sum()
    titles = {
        kind: draw(thing, kind).title
        for kind, thing in (
            ("tensor", x),
            ("bytes", x),
            ("graph", y),
            ("steps", y),
            ("dispatch", lambda: x + 1),
        )
    }
    assert titles == {
        "tensor": "A tensor: float32 [2, 3]",
        "bytes": "A tensor: float32 [2, 3]",
        "graph": "The graph of SumBackward0",
        "steps": "The graph of SumBackward0",
        "dispatch": "Dispatch of add.Tensor",
    }
    assert "01 23" not in draw(x).svg and "00 00 80 3f" in draw(x, "bytes").svg
    assert "the engine's run" not in draw(y, "graph").svg


@pytest.mark.parametrize(
    ("thing", "kind", "error", "message"),
    [
        (3, "tensor", TypeError, "expected a tensor, or a function without arguments, got int"),
        (gn.ones(2), "other", ValueError, "kind: expected one of tensor, bytes, graph, steps, dispatch"),
        (gn.ones(2), "dispatch", ValueError, "dispatch is that of a call"),
        (gn.ones(2), "graph", ValueError, "no grad_fn"),
        (lambda: 3, "dispatch", ValueError, "calls no operator"),
        (gn.eye(2).to_sparse(), "tensor", ValueError, "no memory of its own to draw"),
        (gn.ones(2, device="meta"), "tensor", ValueError, "no memory of its own to draw"),
    ],
)
def test_what_can_not_be_drawn(thing, kind, error, message):
    with pytest.raises(error, match=message):
        draw(thing, kind)


def test_an_error_before_any_operator_is_raised():
    with pytest.raises(ZeroDivisionError):
        draw(lambda: 1 / 0)


def test_the_command(tmp_path: Path, capsys):
    file = tmp_path / "x.svg"
    assert main(["draw", "x.t()", "--with", "x = gn.ones(2, 3)", "--output", str(file)]) == 0
    root = ElementTree.fromstring(file.read_text())
    assert root.tag == "{http://www.w3.org/2000/svg}svg" and [each.name for each in tmp_path.iterdir()] == [
        "x.svg"
    ]
    assert main(["draw", "x + 1", "--with", "x = gn.ones(2)", "--kind", "dispatch"]) == 0
    assert "Dispatch of add.Tensor" in capsys.readouterr().out
    for expression, said in (
        ("gn.nothing", "AttributeError"),
        ("x +", "SyntaxError"),
        ("3", "TypeError: draw:"),
    ):
        assert main(["draw", expression]) == 1
        assert f"gnomon draw: {said}" in capsys.readouterr().err
    for name, said in (("x.png", "expected a file named .svg"), ("none/x.svg", "there is no folder")):
        assert main(["draw", "gn.ones(2)", "--output", str(tmp_path / name)]) == 1
        error = capsys.readouterr().err
        assert said in error and "tmp" not in error.replace(str(tmp_path), "")
    assert [each.name for each in tmp_path.iterdir()] == ["x.svg"]
